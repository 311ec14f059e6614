"""Making and revoking workspace API keys."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.events import Kind, record
from accounts.actors import KEY_SCOPES, PUBLICATIONS_READ, PUBLICATIONS_WRITE
from accounts.models import ApiKey, Membership, User, Workspace
from accounts.models.digests import digest_of
from config.errors import Fault, Forbidden, Invalid


@transaction.atomic
def create_api_key(
    workspace: Workspace,
    *,
    by: User,
    label: str = "",
    expires_at: datetime | None = None,
    scopes: Collection[str] = (PUBLICATIONS_READ, PUBLICATIONS_WRITE),
) -> tuple[ApiKey, str]:
    """The new key and its secret, which is never shown again.

    Raises Forbidden for people who are not members, Invalid where no key can have a scope, or none is given.
    """
    unknown = [scope for scope in scopes if scope not in KEY_SCOPES]
    if unknown or not scopes:
        told = gettext("Choose among %(scopes)s.") % {"scopes": ", ".join(KEY_SCOPES)}
        raise Invalid(told, faults=[Fault("scopes", told)])
    if not Membership.objects.filter(workspace=workspace, user=by).exists():
        told = gettext("%(email)s is not a member of %(workspace)s.")
        raise Forbidden(
            told % {"email": by.email, "workspace": workspace.title},
            faults=[Fault("user", gettext("No member."))],
        )
    secret = ApiKey.new_secret()
    key = ApiKey.objects.create(
        workspace=workspace,
        creator=by,
        label=label,
        prefix=secret[:13],
        digest=digest_of(secret),
        expires_at=expires_at,
        scopes=[scope for scope in KEY_SCOPES if scope in scopes],
    )
    record(Kind.KEY_MADE, by=by, subject=label or str(key), workspaces=[workspace])
    return key, secret


@transaction.atomic
def revoke_api_key(key: ApiKey, *, by: User | None) -> bool:
    """The key stops working with the next request; False if it had been revoked before."""
    revoked = ApiKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=timezone.now())
    if revoked:
        record(Kind.KEY_REVOKED, by=by, subject=key.label or str(key), workspaces=[key.workspace])
    return bool(revoked)


@transaction.atomic
def revoke_keys_of(user: User, *, by: User | None, workspace: Workspace | None = None) -> int:
    """Revokes every key that `user` made, in one workspace or in all; returns how many.

    A key of somebody who comes back stays revoked.
    """
    made = ApiKey.objects.filter(creator=user, revoked_at__isnull=True).select_related("workspace")
    if workspace is not None:
        made = made.filter(workspace=workspace)
    found = list(made)
    for key in found:
        revoke_api_key(key, by=by)
    return len(found)
