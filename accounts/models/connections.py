"""Connections: one OAuth client that one user connected, what it may do, and in which workspaces."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.people import Membership, User, Workspace
from config.ids import row_of


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
        return self.select_related("client", "user", "token").prefetch_related(
            models.Prefetch("reaches", queryset=reaches)
        )

    def by_wire_id(self, id: str) -> Connection:
        """Raises NotFound, the same for an unknown, a foreign, an ended and a malformed one."""
        return row_of(self.select_related("client"), id, "There is no such connection.")

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "-id")


class Connection(models.Model):
    """A connected app. Consenting again changes it; revoking it ends all of its tokens at once.

    It reaches workspaces through the user's memberships, so a removed member takes the app along.
    """

    class Ended(models.TextChoices):
        REVOKED = "revoked", _("disconnected by its owner")
        CLIENT = "client", _("signed out by the app")
        STAFF = "staff", _("disconnected by staff")
        REUSE = "reuse", _("a used code or refresh token came back")
        PASSWORD = "password", _("disconnected with a changed password")
        IDLE = "idle", _("not used for a long time")
        UNUSED = "unused", _("the app did not finish connecting")
        EXPIRED = "expired", _("a year has passed since it was allowed")
        TOKEN = "token", _("its personal token has expired")

    class Publishing(models.TextChoices):
        """How it publishes where it has the permission to; in the words of the person who chose."""

        WHEN_ASKED = "asked", _("Publish when I asked it to, and tell me")
        PREPARES = "prepares", _("Prepare everything; I press Publish myself")

    class Refusal(models.TextChoices):
        """Why the MCP server refused the app last, and what its person can do about it."""

        SCOPE = "scope", _("Connect it again from the app, and allow what it asks for.")
        ROLE = "role", _("It can do no more than you: ask an owner of the workspace for another role.")
        TOKEN = (
            "token",
            _("Sign in again from the app. If it goes on, disconnect it here and connect it once more."),
        )
        AUDIENCE = "audience", _("Give the app the address for AI apps, and connect it again.")
        RATE = "rate", _("It calls too often. Wait a minute.")
        PROTOCOL = (
            "protocol",
            _("Update the app, and connect it as an MCP server of the kind HTTP (streamable HTTP)."),
        )
        SUSPENDED = "suspended", _("The workspace was taken down; its pages in the studio say why.")

    LIFETIME = timedelta(days=365)  # after the last consent, however often the app refreshes

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="connections", db_index=False)
    client = models.ForeignKey("accounts.Application", on_delete=models.CASCADE, related_name="connections")
    memberships = models.ManyToManyField(Membership, through="Reach", related_name="connections")
    scopes = models.JSONField(default=list, help_text="Scopes granted, in a fixed order.")
    publishing = models.CharField(
        max_length=8,
        choices=Publishing,
        default=Publishing.WHEN_ASKED,
        db_default=Publishing.WHEN_ASKED,
        help_text="How it publishes, where its scopes allow that.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    consented_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    handshake_at = models.DateTimeField(null=True, editable=False)
    listed_at = models.DateTimeField(null=True, editable=False, help_text="It last asked for the tools.")
    called_at = models.DateTimeField(null=True, editable=False, help_text="It last used a tool.")
    refused_at = models.DateTimeField(null=True, editable=False)
    refusal = models.CharField(
        max_length=9, choices=Refusal, blank=True, default="", db_default="", editable=False
    )
    refusal_words = models.CharField(max_length=200, blank=True, default="", db_default="", editable=False)
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
    def is_refused(self) -> bool:
        """Whether the last that happened at the MCP server was a refusal."""
        came = [at for at in (self.handshake_at, self.listed_at, self.called_at) if at]
        return self.refused_at is not None and self.refused_at > max(came, default=self.created_at)

    @property
    def diagnosis(self) -> str:
        """Why the app may show no tools, where it was not refused."""
        if self.is_refused or self.called_at:
            return ""
        if self.listed_at:
            return gettext("It has the tools and has used none yet. Ask it to list your capsules.")
        if self.handshake_at:
            return gettext(
                "It said hello and never asked for the tools: switch them on in the app, or start it again."
            )
        return gettext(
            "It has never said hello at the address for AI apps. Finish connecting in the app, or start it again; "
            "its server must be of the kind HTTP (streamable HTTP)."
        )

    @property
    def publishes(self) -> bool:
        """Whether it has the permission to publish, in one of its forms."""
        return "publications:write" in self.scopes

    @property
    def workspaces(self) -> list[Workspace]:
        """Every workspace it reaches, the default one first. Load the row by `with_reach()`."""
        return [reach.membership.workspace for reach in self.reaches.all()]

    @property
    def workspaces_in_words(self) -> str:
        first, *more = self.workspaces
        if not more:
            return first.title
        default = gettext("%(workspace)s (default)") % {"workspace": first.title}
        return ", ".join([default, *(workspace.title for workspace in more)])

    @property
    def default_workspace(self) -> Workspace:
        """The chosen one, or the next where the user left that."""
        return self.workspaces[0]


class Reach(models.Model):
    """One workspace that a connection reaches; it goes with the membership."""

    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, related_name="reaches", db_index=False
    )
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
