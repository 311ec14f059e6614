"""Logging in without a browser: the session of django-allauth, and beside it the API's own bearer token."""

from __future__ import annotations

from allauth.headless.tokens.strategies.sessions import SessionTokenStrategy
from django.http import HttpRequest

from accounts import tokens
from accounts.models import User


class BearerTokenStrategy(SessionTokenStrategy):
    def create_access_token(self, request: HttpRequest) -> str | None:
        """The token that `/api/v2` takes; None until the login is complete, second factor included."""
        return tokens.issue(request.user) if isinstance(request.user, User) else None
