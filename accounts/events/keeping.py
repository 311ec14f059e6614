"""How long events are kept."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from accounts.events import numbering
from accounts.models import Workspace, WorkspaceEvent, WorkspaceLog

KEPT = timedelta(days=30)


def forget_old_events(now: datetime | None = None) -> int:
    """Deletes events older than KEPT, and those of deleted workspaces; returns how many."""
    oldest = (now or timezone.now()) - KEPT
    numbering.number_all()
    # Most logs have nothing that old, and are not even locked.
    first = WorkspaceEvent.objects.filter(workspace=OuterRef("pk"), sequence=OuterRef("forgotten") + 1)
    logs = WorkspaceLog.objects.filter(Exists(first.filter(at__lt=oldest))).values_list("pk", flat=True)
    count = sum(forget_before(workspace, oldest) for workspace in list(logs))
    orphans = WorkspaceEvent.objects.exclude(workspace__in=Workspace.objects.values("pk"))
    WorkspaceLog.objects.exclude(workspace__in=Workspace.objects.values("pk")).delete()
    return count + orphans.delete()[0]


@transaction.atomic
def forget_before(workspace: uuid.UUID, oldest: datetime) -> int:
    """Deletes from the oldest on, without a gap: clocks may differ, numbers do not."""
    log = WorkspaceLog.objects.select_for_update().filter(pk=workspace).first()
    if log is None:
        return 0
    events = WorkspaceEvent.objects.numbered().filter(workspace=workspace)
    first_kept = events.filter(at__gte=oldest).order_by("sequence").values_list("sequence", flat=True).first()
    end = log.last + 1 if first_kept is None else first_kept
    old = events.filter(sequence__lt=end)
    log.forgotten = old.aggregate(Max("sequence"))["sequence__max"] or log.forgotten
    log.save(update_fields=["forgotten"])
    return old.delete()[0]
