"""The audit log: what happened to accounts, workspaces and credentials, and who did it."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models.people import User, Workspace


class SecurityEventQuerySet(models.QuerySet["SecurityEvent"]):
    def of_workspace(self, workspace: Workspace) -> Self:
        """What happened in a workspace, and the logins of its members; newest first."""
        # Read first: PostgreSQL uses no index where one half of an OR holds a subquery.
        members = list(workspace.memberships.values_list("user", flat=True))
        theirs = models.Q(workspace__isnull=True, kind__in=SecurityEvent.PERSONAL, user__in=members)
        by_member = models.Exists(workspace.memberships.filter(user=models.OuterRef("user")))
        found = self.filter(models.Q(workspace=workspace) | theirs)
        return found.annotate(is_by_member=by_member).select_related("user")


class SecurityEvent(models.Model):
    """One line of the audit log. It carries no secret.

    `subject` may name a member's address, for those who run the workspace; deleting that account takes it out again.
    """

    class Kind(models.TextChoices):
        SIGNED_UP = "signed_up", _("Signed up")
        LOGGED_IN = "logged_in", _("Signed in")
        LOGIN_FAILED = "login_failed", _("Sign-in failed")
        PASSWORD_CHANGED = "password_changed", _("Password changed")
        ADDRESS_CHANGED = "address_changed", _("Email address changed")
        MFA_CHANGED = "mfa_changed", _("Second factor changed")
        KEY_MADE = "key_made", _("API key made")
        KEY_REVOKED = "key_revoked", _("API key revoked")
        APP_CONNECTED = "app_connected", _("App connected")
        APP_CHANGED = "app_changed", _("Permission of an app changed")
        APP_REVOKED = "app_revoked", _("App disconnected")
        MEMBER_INVITED = "member_invited", _("Member invited")
        INVITATION_WITHDRAWN = "invitation_withdrawn", _("Invitation withdrawn")
        MEMBER_JOINED = "member_joined", _("Member joined")
        MEMBER_REMOVED = "member_removed", _("Member removed")
        ROLE_CHANGED = "role_changed", _("Role changed")
        WORKSPACE_CHANGED = "workspace_changed", _("Workspace changed")
        WORKSPACE_SUSPENDED = "workspace_suspended", _("Workspace suspended")
        WORKSPACE_RESUMED = "workspace_resumed", _("Suspension ended")
        REPORTED = "reported", _("Reported by a reader")
        FROZEN = "frozen", _("Taken down by staff")
        DISMISSED = "dismissed", _("Report dismissed")
        APPEALED = "appealed", _("Decision appealed")
        UPHELD = "upheld", _("Decision upheld")
        LIFTED = "lifted", _("Given back by staff")
        WEBHOOK_CHANGED = "webhook_changed", _("Webhook changed")
        WORKSPACE_ERASED = "workspace_erased", _("Workspace deleted")
        ACCOUNT_DISABLED = "account_disabled", _("Account disabled")
        ACCOUNT_ENABLED = "account_enabled", _("Account enabled again")
        ACCOUNT_ERASED = "account_erased", _("Account deleted")
        DATA_DOWNLOADED = "data_downloaded", _("Own data downloaded")
        SUBSCRIBERS_EXPORTED = "subscribers_exported", _("Subscribers exported")
        SUBSCRIBERS_IMPORTED = "subscribers_imported", _("Subscribers imported")
        SUBSCRIBER_ERASED = "subscriber_erased", _("Subscriber deleted")
        PUBLISHED = "published", _("Published")
        UNPUBLISHED = "unpublished", _("Unpublished")

    #: Kinds that belong to a person rather than to a workspace.
    PERSONAL = (
        Kind.LOGGED_IN,
        Kind.LOGIN_FAILED,
        Kind.PASSWORD_CHANGED,
        Kind.ADDRESS_CHANGED,
        Kind.MFA_CHANGED,
    )

    #: Kinds of which members read that staff did it, not who; as of what else staff do who are no members.
    BY_STAFF = (
        Kind.WORKSPACE_SUSPENDED,
        Kind.WORKSPACE_RESUMED,
        Kind.FROZEN,
        Kind.DISMISSED,
        Kind.UPHELD,
        Kind.LIFTED,
    )

    at = models.DateTimeField(default=timezone.now, editable=False)
    kind = models.CharField(max_length=24, choices=Kind)
    # The indexes below begin with them.
    user = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    workspace = models.ForeignKey(
        Workspace, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    subject = models.CharField(max_length=200, blank=True, help_text="Whom or what it happened to.")

    is_by_member = True  # whoever reads their own events; `of_workspace` asks

    objects = SecurityEventQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["workspace", "-at"], name="events_of_workspace"),
            models.Index(fields=["user", "-at"], name="events_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.subject}" if self.subject else self.get_kind_display()

    @property
    def by_whom(self) -> str:
        is_by_staff = self.user is not None and self.user.is_staff and not self.is_by_member
        if self.kind in self.BY_STAFF or is_by_staff:
            return gettext("by the staff of the service")
        if self.user is None:
            return gettext("by the service")
        return gettext("by %(email)s") % {"email": self.user.email}
