"""Housekeeping: deletes what expired or need not be kept any longer. The settings say how long things are kept."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts import signals
from accounts.actions import connections, erasing
from accounts.events import keeping as events
from accounts.models import (
    AccessToken,
    Application,
    Connection,
    Grant,
    IdempotentAnswer,
    Invitation,
    RefreshToken,
    SecurityEvent,
    User,
    WebhookDelivery,
)
from accounts.people import sessions
from config.errors import CapsulesError, Conflict

logger = logging.getLogger(__name__)

CODES_KEPT = timedelta(days=1)  # so that a used one is known when it comes back
REGISTRATIONS_KEPT = timedelta(days=7)  # without any connection
ENDED_KEPT = timedelta(days=30)  # connections, after their end


def forget_what_expired() -> dict[str, int]:
    """Deletes what need not be kept, in every app; returns {what: how many}. A second run finds nothing to do."""
    now = timezone.now()
    forget_tokens(now)
    end_idle_connections(now)
    forget_unused_clients(now)
    forget_login_attempts(now)
    ended = Connection.objects.filter(revoked_at__lt=now - ENDED_KEPT)
    expired = Session.objects.filter(expire_date__lt=now)
    old_events = SecurityEvent.objects.filter(at__lt=now - timedelta(days=settings.SECURITY_EVENTS_KEPT))
    # No event takes those of tests with it; they go when events of their time do.
    tests = WebhookDelivery.objects.filter(event=None, created_at__lt=now - events.KEPT)
    answered = IdempotentAnswer.objects.filter(at__lt=now - settings.IDEMPOTENCY_RETENTION)
    removed = {
        "ended connections": ended.delete()[0],
        "invitations": Invitation.objects.filter(expires_at__lt=now).delete()[0],
        "sessions": expired.delete()[0],
        "security events": old_events.delete()[0],
        "events of workspaces": events.forget_old_events(now),
        "tests of webhooks": tests.delete()[0],
        "answers to repeated calls": answered.delete()[0],
        "accounts never confirmed": forget_unconfirmed(now),
    }
    sessions.forget_spent(UserSession.objects.all())
    # Each app by itself: Django logs the error of one, and the others go on.
    answers: list[tuple[Any, Any]] = signals.housekeeping_due.send_robust(sender=None)
    for _, more in answers:
        removed |= {} if isinstance(more, Exception) else more
    for what, count in removed.items():
        if count:
            logger.info("Housekeeping deleted %d: %s", count, what)
    return removed


def forget_unconfirmed(now: datetime) -> int:
    """Deletes sign-ups whose address was not confirmed within UNCONFIRMED_KEPT days, and their empty workspaces."""
    oldest = now - timedelta(days=settings.UNCONFIRMED_KEPT)
    confirmed = EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)
    waiting = EmailAddress.objects.filter(user=OuterRef("pk"), verified=False)
    never = User.objects.filter(
        Exists(waiting), ~Exists(confirmed), created_at__lt=oldest, last_login=None, is_staff=False
    )
    count = 0
    for user in never:
        alone = list(erasing.owned_alone(user))
        if any(workspace.name_claimed_at for workspace in alone):
            continue  # somebody published for them: a person decides
        try:
            with transaction.atomic():
                for workspace in alone:
                    erasing.erase_workspace(workspace, by=user)
                # Asked again with the row held that a confirmation writes: others were deleted since the first time.
                list(EmailAddress.objects.select_for_update().filter(user=user).order_by("pk"))
                if not never.filter(pk=user.pk).exists():
                    raise Conflict("It was confirmed at this moment.")
                erasing.erase_user(user, by=user, notify=False)
        except (CapsulesError, DatabaseError) as error:  # the only superuser; or somebody else was quicker
            logger.warning("An account never confirmed stays: %s", error)
            continue
        count += 1
    return count


def forget_login_attempts(now: datetime) -> None:
    """The cache table carries addresses in its keys, and drops a row by itself only when the same one comes back."""
    table, then = settings.CACHES["default"]["LOCATION"], connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [then])  # noqa: S608


def forget_tokens(now: datetime) -> None:
    """Deletes codes after a day, tokens of ended connections, and used refresh tokens once they have expired."""
    lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    Grant.objects.filter(expires__lt=now - CODES_KEPT).delete()
    RefreshToken.objects.filter(connection__revoked_at__isnull=False).delete()
    RefreshToken.objects.filter(revoked__lt=now - lifetime).delete()
    AccessToken.objects.filter(expires__lt=now, refresh_token__isnull=True).delete()


def end_idle_connections(now: datetime) -> None:
    """Ends connections whose last refresh token expired, and those whose code was never exchanged."""
    lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])
    usable = RefreshToken.objects.filter(
        connection=OuterRef("pk"), revoked__isnull=True, access_token__expires__gt=now - lifetime
    )
    waiting = Grant.objects.filter(connection=OuterRef("pk"), used_at__isnull=True, expires__gt=now)
    ever = RefreshToken.objects.filter(connection=OuterRef("pk"))
    expired = Connection.objects.filter(token__expires_at__lt=now, revoked_at__isnull=True)
    for ended in expired.select_related("client"):
        connections.end(ended, because=Connection.Ended.TOKEN, by=None)
    idle = Connection.objects.filter(
        ~Exists(usable), ~Exists(waiting), revoked_at__isnull=True, token__isnull=True
    )
    for ended in idle.select_related("client").annotate(was_finished=Exists(ever)):
        used = ended.was_finished or ended.last_used_at
        because = Connection.Ended.IDLE if used else Connection.Ended.UNUSED
        with transaction.atomic():
            # Asked again with the row held that a consent or a refresh holds: others were ended since the first time.
            Connection.objects.select_for_update().filter(pk=ended.pk).first()
            if idle.filter(pk=ended.pk).exists():
                connections.end(ended, because=because, by=None)


def forget_unused_clients(now: datetime) -> None:
    registered = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL)
    names_of_tokens = Application.objects.filter(redirect_uris="", user__isnull=False)
    for unused in (registered, names_of_tokens):
        unused.filter(created__lt=now - REGISTRATIONS_KEPT, connections__isnull=True).delete()
