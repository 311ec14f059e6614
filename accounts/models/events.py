"""The audit log: what happened to accounts, workspaces and credentials, and who did it."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone

from accounts.models.people import User, Workspace


class SecurityEventQuerySet(models.QuerySet["SecurityEvent"]):
    def of_workspace(self, workspace: Workspace) -> Self:
        """What happened in a workspace, and the logins of its members; newest first."""
        members = workspace.memberships.values("user")
        theirs = models.Q(workspace__isnull=True, kind__in=SecurityEvent.PERSONAL, user__in=members)
        return self.filter(models.Q(workspace=workspace) | theirs).select_related("user")


class SecurityEvent(models.Model):
    """One line of the audit log. It carries no secret.

    `subject` may name a member's address, for those who run the workspace; deleting that account takes it out again.
    """

    class Kind(models.TextChoices):
        SIGNED_UP = "signed_up", "Signed up"
        LOGGED_IN = "logged_in", "Signed in"
        LOGIN_FAILED = "login_failed", "Sign-in failed"
        PASSWORD_CHANGED = "password_changed", "Password changed"
        ADDRESS_CHANGED = "address_changed", "Email address changed"
        MFA_CHANGED = "mfa_changed", "Second factor changed"
        KEY_MADE = "key_made", "API key made"
        KEY_REVOKED = "key_revoked", "API key revoked"
        APP_CONNECTED = "app_connected", "App connected"
        APP_REVOKED = "app_revoked", "App disconnected"
        MEMBER_INVITED = "member_invited", "Member invited"
        INVITATION_WITHDRAWN = "invitation_withdrawn", "Invitation withdrawn"
        MEMBER_JOINED = "member_joined", "Member joined"
        MEMBER_REMOVED = "member_removed", "Member removed"
        ROLE_CHANGED = "role_changed", "Role changed"
        WORKSPACE_CHANGED = "workspace_changed", "Workspace changed"
        WORKSPACE_SUSPENDED = "workspace_suspended", "Workspace suspended"
        WORKSPACE_RESUMED = "workspace_resumed", "Suspension ended"
        WORKSPACE_ERASED = "workspace_erased", "Workspace deleted"
        ACCOUNT_DISABLED = "account_disabled", "Account disabled"
        ACCOUNT_ENABLED = "account_enabled", "Account enabled again"
        ACCOUNT_ERASED = "account_erased", "Account deleted"
        DATA_DOWNLOADED = "data_downloaded", "Own data downloaded"
        SUBSCRIBERS_EXPORTED = "subscribers_exported", "Subscribers exported"
        SUBSCRIBERS_IMPORTED = "subscribers_imported", "Subscribers imported"
        SUBSCRIBER_ERASED = "subscriber_erased", "Subscriber deleted"
        PUBLISHED = "published", "Published"
        UNPUBLISHED = "unpublished", "Unpublished"

    #: Kinds that belong to a person rather than to a workspace.
    PERSONAL = (
        Kind.LOGGED_IN,
        Kind.LOGIN_FAILED,
        Kind.PASSWORD_CHANGED,
        Kind.ADDRESS_CHANGED,
        Kind.MFA_CHANGED,
    )

    at = models.DateTimeField(default=timezone.now, editable=False)
    kind = models.CharField(max_length=24, choices=Kind)
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=200, blank=True, help_text="Whom or what it happened to.")

    objects = SecurityEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["workspace", "-at"], name="events_of_workspace"),
            models.Index(fields=["user", "-at"], name="events_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}" if self.subject else self.get_kind_display()
