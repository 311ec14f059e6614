"""What accounts keeps, one file a subject."""

from accounts.models.clients import (
    AccessToken,
    Application,
    Grant,
    IDToken,
    PersonalToken,
    RefreshToken,
)
from accounts.models.connections import Connection, Reach
from accounts.models.events import SecurityEvent
from accounts.models.idempotency import IdempotentAnswer
from accounts.models.invitations import Invitation
from accounts.models.keys import ApiKey, RateWindow
from accounts.models.mails import AccountMail
from accounts.models.people import WORKSPACE_NAME, Membership, RetiredName, User, Workspace
from accounts.models.webhooks import Webhook, WebhookDelivery
from accounts.models.workspace_events import WorkspaceEvent, WorkspaceLog

__all__ = [
    "WORKSPACE_NAME",
    "AccessToken",
    "AccountMail",
    "ApiKey",
    "Application",
    "Connection",
    "Grant",
    "IDToken",
    "IdempotentAnswer",
    "Invitation",
    "Membership",
    "PersonalToken",
    "RateWindow",
    "Reach",
    "RefreshToken",
    "RetiredName",
    "SecurityEvent",
    "User",
    "Webhook",
    "WebhookDelivery",
    "Workspace",
    "WorkspaceEvent",
    "WorkspaceLog",
]
