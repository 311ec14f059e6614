"""The three statements that run for every message, written out: building them by the ORM cost more than the mail.

They say the same on SQLite and on PostgreSQL; `FOR UPDATE` is what SQLite's IMMEDIATE transaction does by itself.
"""

from __future__ import annotations

import uuid

from django.db import connection

from publishing.models import Delivery, Premiere, Subscriber, Suppression

_DELIVERY = Delivery._meta.db_table
LOCK = f"SELECT state, armings FROM {Premiere._meta.db_table} WHERE id = %s"  # noqa: S608
SENT = (
    f"UPDATE {_DELIVERY} SET state = 'sent', lease_token = NULL, lease_until = NULL, error = '', "  # noqa: S608
    "finished_at = CURRENT_TIMESTAMP WHERE id = %s AND lease_token = %s AND state IN ('submitting', 'uncertain')"
)
SUBMIT = (
    f"UPDATE {_DELIVERY} SET state = 'submitting' WHERE id = %s AND lease_token = %s AND state = 'claimed' "  # noqa: S608
    f"AND EXISTS (SELECT 1 FROM {Subscriber._meta.db_table} reader WHERE reader.id = {_DELIVERY}.subscriber_id "
    "AND reader.unsubscribed_at IS NULL) "
    f"AND NOT EXISTS (SELECT 1 FROM {Suppression._meta.db_table} closed WHERE closed.email = {_DELIVERY}.email)"
)


def lock_premiere(pk: int) -> tuple[str, int] | None:
    """Locks a premiere until the transaction ends; its state and armings, None where it is gone."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK + " FOR UPDATE" if connection.features.has_select_for_update else LOCK, [pk])
        row: tuple[str, int] | None = cursor.fetchone()
    return row


def mark_sent(pk: int, lease: uuid.UUID) -> None:
    """The server has it; also where the sweep gave it up meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(SENT, [pk, plain(lease)])


def mark_submitting(pk: int, lease: uuid.UUID) -> bool:
    """Whether the claimed delivery is being handed over now: it is still ours, and its reader still wants it."""
    with connection.cursor() as cursor:
        cursor.execute(SUBMIT, [pk, plain(lease)])
        return cursor.rowcount == 1


def plain(value: uuid.UUID) -> str | uuid.UUID:
    """A UUID as the database keeps it."""
    return value if connection.features.has_native_uuid_field else value.hex
