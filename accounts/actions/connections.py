"""Connecting, using and ending an OAuth client's access. Every change locks the connection's row."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.events import Kind, in_english, record
from accounts.actors import IN_SHORT, PUBLICATIONS_WRITE, SCOPES
from accounts.models import ApiKey, Application, Connection, Membership, Reach, User, Workspace
from config import outage
from config.errors import Conflict


def connect(
    client: Application,
    *,
    by: User,
    memberships: Collection[Membership],
    default: Membership,
    scopes: Collection[str],
    publishing: str = Connection.Publishing.WHEN_ASKED,
) -> Connection:
    """The user's one live connection of `client`, with these workspaces and permissions from now on.

    Raises Conflict where another consent to the same client was given, or a workspace left, at the same moment.
    """
    try:
        with transaction.atomic():
            connection, _ = Connection.objects.select_for_update().get_or_create(
                user=by, client=client, revoked_at=None
            )
            chosen = still_there(memberships, by)
            connection.scopes = [scope for scope in SCOPES if scope in scopes]
            connection.publishing = publishing
            connection.consented_at = timezone.now()
            connection.save(update_fields=["scopes", "publishing", "consented_at"])
            connection.reaches.all().delete()
            Reach.objects.bulk_create(
                Reach(connection=connection, membership=membership, is_default=membership == default)
                for membership in chosen
            )
            record(
                Kind.APP_CONNECTED,
                by=by,
                subject=f"{client.display_name}: {permission_words(connection)}",
                workspaces=[membership.workspace for membership in chosen],
            )
            return connection
    except IntegrityError as error:
        raise Conflict(gettext("The app was just connected. Please try again.")) from error


def still_there(memberships: Collection[Membership], user: User) -> list[Membership]:
    """The memberships, locked, so that nobody leaves meanwhile. Raises Conflict where one is gone."""
    rows = Membership.objects.select_for_update(of=("self",)).select_related("workspace")
    found = list(rows.filter(pk__in=[membership.pk for membership in memberships], user=user))
    if len(found) < len(memberships):
        raise Conflict(gettext("You have just left one of these workspaces. Please choose again."))
    return found


def permission_words(connection: Connection) -> str:
    """For the audit log: what the app may do, and how it publishes."""
    return ", ".join(IN_SHORT[scope] for scope in connection.scopes) + publishing_words(connection)


def publishing_words(connection: Connection) -> str:
    """For the audit log: how it publishes, where it may."""
    if not connection.publishes:
        return ""
    return f" (“{in_english(Connection.Publishing(connection.publishing).label)}”)"


@transaction.atomic
def change_publishing(connection: Connection, publishing: str | None, *, by: User) -> None:
    """Chooses how an app publishes that may, from its next call on; None takes the permission back.

    Raises Conflict where it has no such permission: only the person's answer to the app gives it.
    """
    locked = Connection.objects.select_for_update().get(pk=connection.pk)
    if not locked.publishes:
        raise Conflict(gettext("This app may not publish. Let it ask you for that permission."))
    if publishing is None:
        locked.scopes = [scope for scope in locked.scopes if scope != PUBLICATIONS_WRITE]
    else:
        locked.publishing = publishing
    locked.save(update_fields=["scopes", "publishing"])
    record(
        Kind.APP_CHANGED,
        by=by,
        subject=f"{connection.client.display_name}:{publishing_words(locked) or ' it may not publish any more'}",
        workspaces=list(Workspace.objects.filter(memberships__reaches__connection=connection)) or [None],
    )


@transaction.atomic
def end(connection: Connection, *, because: Connection.Ended, by: User | None) -> bool:
    """Ends the connection and with it all of its tokens; False if it had ended before."""
    ended = Connection.objects.filter(pk=connection.pk, revoked_at__isnull=True).update(
        revoked_at=timezone.now(), ended_because=because
    )
    if ended:
        reached = Workspace.objects.filter(memberships__reaches__connection=connection)
        record(
            Kind.APP_REVOKED,
            by=by,
            subject=f"{connection.client.display_name}: {in_english(because.label)}",
            workspaces=list(reached) or [None],
        )
    return bool(ended)


def end_all(user: User, *, because: Connection.Ended, by: User | None) -> int:
    """Ends every live connection of a user; returns how many."""
    connections = Connection.objects.of(user).filter(revoked_at__isnull=True).select_related("client")
    return sum(end(connection, because=because, by=by) for connection in connections)


def note_use(credential: Connection | ApiKey) -> None:
    """Keeps `last_used_at` at most a minute late, with at most one write a minute."""
    now = timezone.now()
    if credential.last_used_at and credential.last_used_at > now - timedelta(minutes=1):
        return
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - timedelta(minutes=1))
    with outage.note():
        type(credential).objects.filter(stale, pk=credential.pk).update(last_used_at=now)
