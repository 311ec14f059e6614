"""Signing in without a browser: the session of django-allauth, and beside it the API's own bearer token.

The token lives and ends with its session: signing out, or ending the session on the page, ends it at once.
"""

from __future__ import annotations

from allauth.headless.tokens.strategies.sessions import SessionTokenStrategy
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest

from accounts import tokens
from accounts.models import User


class BearerTokenStrategy(SessionTokenStrategy):
    def create_access_token_payload(self, request: HttpRequest) -> dict[str, object] | None:
        """The bearer token of `/api/v2`, and what renews it; None until the login is complete."""
        if not isinstance(request.user, User):
            return None
        # The library would do both, but only after this answer is made.
        request.session.save()
        UserSession.objects.create_from_request(request)
        session_token = self.create_session_token(request)
        return {
            "access_token": access_token(request.user, session_token),
            "refresh_token": session_token,
            "expires_in": int(settings.FIRST_PARTY_TOKEN_TTL.total_seconds()),  # seconds
        }

    def refresh_token(self, refresh_token: str) -> tuple[str, str] | None:
        """A fresh access token as long as the session lives."""
        request = HttpRequest()
        request.session = self.lookup_session(refresh_token)
        user = get_user(request) if request.session else None
        return (access_token(user, refresh_token), refresh_token) if isinstance(user, User) else None


def access_token(user: User, session_token: str) -> str:
    # allauth's session token is the session's key
    session = UserSession.objects.get(session_key=session_token)
    return tokens.issue(user, session=session.pk)
