"""Whether the session behind a token is still there."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User


def is_alive(id: int, user: User) -> bool:
    """One query: the session is the user's, not signed out, not ended on their page, not expired."""
    stored = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return UserSession.objects.filter(pk=id, user=user, session_key__in=stored).exists()
