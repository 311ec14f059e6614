"""Invitations: an address that was asked to join a workspace."""

from __future__ import annotations

import secrets
import uuid
from datetime import timedelta
from typing import Self

from django.db import models
from django.utils import timezone

from accounts.models.people import Membership, User, Workspace, role_in_words

LIFETIME = timedelta(days=7)


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> Self:
        """Not expired, and of somebody who could give this role today: only owners make owners."""
        giver = Membership.objects.filter(
            workspace=models.OuterRef("workspace"), user=models.OuterRef("invited_by"), user__is_active=True
        )
        manages = models.Exists(giver.filter(role__in=Membership.MANAGING_ROLES))
        owns = models.Exists(giver.filter(role=Membership.Role.OWNER))
        may_give = models.Q(owns) | (~models.Q(role=Membership.Role.OWNER) & models.Q(manages))
        return self.filter(may_give, expires_at__gt=timezone.now())


def in_a_week() -> object:
    return timezone.now() + LIFETIME


class Invitation(models.Model):
    """One address, one workspace, one role. Only the digest of the link's secret is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, related_name="invitations", db_index=False
    )
    email = models.EmailField()
    role = models.CharField(max_length=8, choices=Membership.Role)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(default=in_a_week)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "email"], name="one_invitation_an_address"),
        ]

    def __str__(self) -> str:
        return f"{self.email} to {self.workspace}"

    @property
    def role_in_words(self) -> str:
        return role_in_words(self.role)

    @staticmethod
    def new_secret() -> str:
        return secrets.token_urlsafe(32)
