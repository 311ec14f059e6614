"""Making and revoking workspace API keys."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.actions.events import Kind, record
from accounts.models import ApiKey, Membership, User, Workspace
from config.errors import Fault, Forbidden


@transaction.atomic
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
    record(Kind.KEY_MADE, by=by, subject=label or str(key), workspaces=[workspace])
    return key, secret


@transaction.atomic
def revoke_api_key(key: ApiKey, *, by: User) -> None:
    """The key stops working with the next request. Revoking a revoked key changes nothing."""
    if ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now()):
        record(Kind.KEY_REVOKED, by=by, subject=key.label or str(key), workspaces=[key.workspace])
