"""What expired is forgotten: codes, tokens, sessions, connections nobody uses, registrations nobody used."""

from __future__ import annotations

from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.actions import connections
from accounts.models import (
    AccessToken,
    Application,
    Connection,
    Grant,
    Invitation,
    RefreshToken,
    SecurityEvent,
)

CODES_KEPT = timedelta(days=1)  # so that a used one is known when it comes back
REGISTRATIONS_KEPT = timedelta(days=7)  # without any connection
ENDED_KEPT = timedelta(days=30)  # connections, after their end
EVENTS_KEPT = timedelta(days=365)


def forget_what_expired() -> None:
    """A second run finds nothing to do."""
    now = timezone.now()
    forget_tokens(now)
    end_idle_connections(now)
    Connection.objects.filter(revoked_at__lt=now - ENDED_KEPT).delete()
    forget_unused_clients(now)
    Invitation.objects.filter(expires_at__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
    SecurityEvent.objects.filter(at__lt=now - EVENTS_KEPT).delete()
    forget_login_attempts(now)


def forget_login_attempts(now: datetime) -> None:
    """The cache table carries addresses in its keys, and drops a row by itself only when the same one comes back."""
    table, then = settings.CACHES["default"]["LOCATION"], connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [then])  # noqa: S608


def forget_tokens(now: datetime) -> None:
    """Codes after a day; tokens of ended connections; used refresh tokens once they could not be used anyway."""
    lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    Grant.objects.filter(expires__lt=now - CODES_KEPT).delete()
    RefreshToken.objects.filter(connection__revoked_at__isnull=False).delete()
    RefreshToken.objects.filter(revoked__lt=now - lifetime).delete()
    AccessToken.objects.filter(expires__lt=now, refresh_token__isnull=True).delete()


def end_idle_connections(now: datetime) -> None:
    """Those whose last refresh token lapsed, and those whose code was never exchanged."""
    lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    usable = RefreshToken.objects.filter(
        connection=OuterRef("pk"), revoked__isnull=True, access_token__expires__gt=now - lifetime
    )
    waiting = Grant.objects.filter(connection=OuterRef("pk"), used_at__isnull=True, expires__gt=now)
    idle = Connection.objects.filter(~Exists(usable), ~Exists(waiting), revoked_at__isnull=True)
    for ended in idle.select_related("client"):
        connections.end(ended, because=Connection.Ended.IDLE, by=None)


def forget_unused_clients(now: datetime) -> None:
    registered = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL)
    registered.filter(created__lt=now - REGISTRATIONS_KEPT, connections__isnull=True).delete()
