"""Connections: one OAuth client that one user connected, what it may do, and in which workspaces."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from accounts.models.people import Membership, User, Workspace
from config.errors import NotFound


class ConnectionQuerySet(models.QuerySet["Connection"]):
    def live(self) -> Self:
        """Not revoked, of an active user, and with at least one workspace left."""
        reach = Reach.objects.filter(connection=models.OuterRef("pk"))
        return self.filter(models.Exists(reach), revoked_at__isnull=True, user__is_active=True)

    def of(self, user: User) -> Self:
        return self.filter(user=user)

    def with_reach(self) -> Self:
        """With user, client and workspaces at hand; the default workspace comes first."""
        reaches = Reach.objects.select_related("membership__workspace").order_by(
            "-is_default", "membership__workspace__title"
        )
        return self.select_related("client", "user").prefetch_related(
            models.Prefetch("reaches", queryset=reaches)
        )

    def by_wire_id(self, id: str) -> Connection:
        """Raises NotFound, the same for an unknown, a foreign, an ended and a malformed one."""
        try:
            found = self.select_related("client").filter(pk=uuid.UUID(id)).first()
        except ValueError:
            found = None
        if found is None:
            raise NotFound("There is no such connection.")
        return found

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "-id")


class Connection(models.Model):
    """A connected app. Consenting again changes it; revoking it ends all of its tokens at once.

    It reaches workspaces through the user's memberships, so a removed member takes the app along.
    """

    class Ended(models.TextChoices):
        REVOKED = "revoked", "disconnected by its owner"
        CLIENT = "client", "signed out by the app"
        STAFF = "staff", "disconnected by staff"
        REUSE = "reuse", "a used code or refresh token came back"
        PASSWORD = "password", "disconnected with a changed password"
        IDLE = "idle", "not used for a long time"
        UNUSED = "unused", "the app did not finish connecting"
        EXPIRED = "expired", "a year has passed since it was allowed"

    LIFETIME = timedelta(days=365)  # after the last consent, however often the app refreshes

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="connections")
    client = models.ForeignKey("accounts.Application", on_delete=models.CASCADE, related_name="connections")
    memberships = models.ManyToManyField(Membership, through="Reach", related_name="connections")
    scopes = models.JSONField(default=list, help_text="Scopes granted, in a fixed order.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    consented_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    ended_because = models.CharField(max_length=8, choices=Ended, blank=True, editable=False)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "client"],
                condition=models.Q(revoked_at__isnull=True),
                name="one_connection_a_client",
            )
        ]
        indexes = [models.Index(fields=["user", "-created_at"], name="connections_newest_first")]

    def __str__(self) -> str:
        return f"{self.client} of {self.user}"

    @property
    def workspaces(self) -> list[Workspace]:
        """Every workspace it reaches, the default one first. Load the row by `with_reach()`."""
        return [reach.membership.workspace for reach in self.reaches.all()]

    @property
    def default_workspace(self) -> Workspace:
        """The chosen one, or the next where the user left that."""
        return self.workspaces[0]


class Reach(models.Model):
    """One workspace that a connection reaches; it goes with the membership."""

    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="reaches")
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="reaches")
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "membership"], name="one_reach_a_workspace"),
            models.UniqueConstraint(
                fields=["connection"],
                condition=models.Q(is_default=True),
                name="one_default_a_connection",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.connection} in {self.membership.workspace}"
