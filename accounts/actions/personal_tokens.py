"""Personal tokens for AI apps on one's own machine that cannot open a browser to sign in."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from accounts.actions import connections
from accounts.models import Application, Connection, Membership, PersonalToken, User
from accounts.models.digests import digest_of


@transaction.atomic
def make_personal_token(
    name: str,
    *,
    by: User,
    memberships: Collection[Membership],
    default: Membership,
    scopes: Collection[str],
    publishing: str,
    expires_at: datetime,
) -> tuple[Connection, str]:
    """A new connection of an app that is only a name, and the secret of its token, which is never shown again."""
    client = Application.objects.create(
        name=name,
        user=by,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.MANUAL,
    )
    connection = connections.connect(
        client, by=by, memberships=memberships, default=default, scopes=scopes, publishing=publishing
    )
    secret = PersonalToken.new_secret()
    PersonalToken.objects.create(
        connection=connection,
        prefix=secret[: len(PersonalToken.START) + 4],
        digest=digest_of(secret),
        expires_at=expires_at,
    )
    return connection, secret
