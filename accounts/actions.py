"""The deeds of accounts."""

from __future__ import annotations

from datetime import datetime

from accounts.models import ApiKey, Membership, User, Workspace
from config.errors import Fault, Forbidden


def create_api_key(
    workspace: Workspace, *, by: User, label: str = "", expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """The new key and its secret, which is never shown again. Raises Forbidden for those who are no member."""
    if not Membership.objects.filter(workspace=workspace, user=by).exists():
        raise Forbidden(
            f"{by.email} is not a member of {workspace.title}.", faults=[Fault("user", "No member.")]
        )
    secret = ApiKey.new_secret()
    key = ApiKey.objects.create(
        workspace=workspace,
        creator=by,
        label=label,
        prefix=secret[:13],
        digest=ApiKey.digest_of(secret),
        expires_at=expires_at,
    )
    return key, secret
