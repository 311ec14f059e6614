"""Giving committed events their numbers, when somebody looks: a reader of the log, or whoever delivers it.

One process at a time numbers the events of a workspace, under the lock of its `WorkspaceLog`. A transaction that is
still open has no number and blocks nobody; what is rolled back never had one. So the numbers have no gap, and an event
that becomes visible later has a higher one than all that could be read before it.
"""

from __future__ import annotations

import uuid

from django.db import connection, transaction

from accounts.models import Workspace, WorkspaceEvent, WorkspaceLog

AT_ONCE = 1000

#: In the order of their keys: of two changes of one thing, which are made one after the other, the first has the lower.
NUMBER = """
    UPDATE accounts_workspaceevent SET sequence = %s + fresh.place FROM (
        SELECT id AS fresh_id, ROW_NUMBER() OVER (ORDER BY id) AS place FROM accounts_workspaceevent
        WHERE workspace_id = %s AND sequence IS NULL ORDER BY id LIMIT %s
    ) AS fresh WHERE id = fresh.fresh_id
"""


def number_events(workspace: uuid.UUID) -> int:
    """Numbers what is committed in the log of a workspace; returns how many events got a number."""
    count = 0
    while fresh := len(number_some(workspace)):
        count += fresh
    return count


@transaction.atomic
def number_some(workspace: uuid.UUID) -> range:
    """Numbers at most AT_ONCE events in one transaction; returns their numbers."""
    # Without the lock: most looks find nothing new.
    if not WorkspaceEvent.objects.unnumbered().filter(workspace=workspace).exists():
        return range(0)
    log = lock_log(workspace)
    if log is None:
        return range(0)
    field = WorkspaceEvent._meta.get_field("workspace")
    with connection.cursor() as cursor:
        key = field.get_db_prep_value(workspace, connection)
        cursor.execute(NUMBER, [log.last, key, AT_ONCE])
        given = range(log.last + 1, log.last + 1 + cursor.rowcount)
    log.last += len(given)
    log.save(update_fields=["last"])
    return given


def lock_log(workspace: uuid.UUID) -> WorkspaceLog | None:
    """The row of a workspace's log, held until the transaction ends; None where the workspace was deleted."""
    rows = WorkspaceLog.objects.select_for_update().filter(pk=workspace)
    found = rows.first()
    if found is None and Workspace.objects.filter(pk=workspace).exists():
        # Two that number a new log at once: one makes its row, and both then wait for it.
        WorkspaceLog.objects.bulk_create([WorkspaceLog(workspace_id=workspace)], ignore_conflicts=True)
        found = rows.first()
    return found


def number_all() -> int:
    """Numbers the committed events of every workspace; returns how many."""
    fresh = WorkspaceEvent.objects.unnumbered().order_by().values_list("workspace", flat=True).distinct()
    return sum(number_events(workspace) for workspace in list(fresh))
