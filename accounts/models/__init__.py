"""What accounts keeps, one file a subject."""

from accounts.models.clients import AccessToken, Application, Grant, IDToken, RefreshToken
from accounts.models.connections import Connection, Reach
from accounts.models.events import SecurityEvent
from accounts.models.idempotency import IdempotentAnswer
from accounts.models.invitations import Invitation
from accounts.models.keys import ApiKey, RateWindow
from accounts.models.mails import AccountMail
from accounts.models.people import WORKSPACE_NAME, Membership, RetiredName, User, Workspace

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
    "RateWindow",
    "Reach",
    "RefreshToken",
    "RetiredName",
    "SecurityEvent",
    "User",
    "Workspace",
]
