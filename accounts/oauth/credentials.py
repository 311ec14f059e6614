"""What the OAuth server hands out: access tokens made like the user's own, opaque refresh tokens, the scopes."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from oauth2_provider.scopes import BaseScopes

from accounts import tokens
from accounts.actors import APP_SCOPES, PUBLICATIONS_READ, SCOPES
from accounts.models import Connection


class ClientSecretHasher(PBKDF2PasswordHasher):
    """For secrets that we made from 760 random bits: one round says as much as a million."""

    algorithm = "client_secret"
    iterations = 1


class Scopes(BaseScopes):
    """Every scope that an app may ask for; a client that asks for none asks to read publications."""

    def get_all_scopes(self) -> dict[str, str]:
        return {scope: str(SCOPES[scope]) for scope in APP_SCOPES}

    def get_available_scopes(self, *args: object, **kwargs: object) -> list[str]:
        return list(APP_SCOPES)

    def get_default_scopes(self, *args: object, **kwargs: object) -> list[str]:
        return [PUBLICATIONS_READ]


def access_token(request: Any) -> str:
    """The JWT for an oauthlib request whose code or refresh token was accepted."""
    connection: Connection = request.connection
    return tokens.issue(
        request.user,
        ttl=timedelta(seconds=settings.OAUTH2_PROVIDER["ACCESS_TOKEN_EXPIRE_SECONDS"]),
        aud=request.resource[0],
        client_id=request.client.client_id,
        scope=" ".join(request.scopes),
        connection=str(connection.pk),
    )


def refresh_token(request: object) -> str:
    return secrets.token_urlsafe(32)
