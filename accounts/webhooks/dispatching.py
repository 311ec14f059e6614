"""From the log to the webhooks: a delivery of each new event for each webhook that wants it, in the log's order."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from accounts.events import numbering
from accounts.models import Webhook, WebhookDelivery, WorkspaceEvent, WorkspaceLog

AT_ONCE = 500


def dispatch_due() -> int:
    """Makes the deliveries of every workspace with webhooks; returns how many."""
    fresh = WorkspaceEvent.objects.unnumbered().filter(workspace=OuterRef("workspace"))
    behind = WorkspaceLog.objects.filter(workspace=OuterRef("workspace"), last__gt=F("dispatched"))
    due = Webhook.objects.on().filter(Exists(fresh) | Exists(behind)).order_by()
    return sum(dispatch(pk) for pk in list(due.values_list("workspace", flat=True).distinct()))


def dispatch(workspace: uuid.UUID) -> int:
    """Numbers the committed events of a workspace and makes their deliveries; returns how many."""
    numbering.number_events(workspace)
    count = 0
    while (made := dispatch_some(workspace)) is not None:
        count += made
    return count


@transaction.atomic
def dispatch_some(workspace: uuid.UUID) -> int | None:
    """The next AT_ONCE events; None where there is none left. The log's row is locked, as while it is numbered."""
    log = numbering.lock_log(workspace)
    if log is None or log.dispatched >= log.last:
        return None
    hooks = list(Webhook.objects.on().filter(workspace=workspace))
    events = WorkspaceEvent.objects.filter(workspace=workspace, sequence__gt=log.dispatched)
    fresh = list(events.order_by("sequence").only("pk", "type", "sequence")[:AT_ONCE]) if hooks else []
    rows = [
        WebhookDelivery(webhook=hook, event=event, type=event.type)
        for event in fresh
        for hook in hooks
        if hook.wants(event.type)
    ]
    WebhookDelivery.objects.bulk_create(rows)
    # Held only now, as senders need them. One that was deleted since would take the deliveries to all others along.
    held = Webhook.objects.filter(pk__in=[hook.pk for hook in hooks]).select_for_update(no_key=True)
    there = set(held.values_list("pk", flat=True))
    gone = [row.pk for row in rows if row.webhook_id not in there]
    WebhookDelivery.objects.filter(pk__in=gone).delete()
    look_at({row.webhook_id for row in rows})
    log.dispatched = (fresh[-1].sequence or 0) if len(fresh) == AT_ONCE else log.last
    log.save(update_fields=["dispatched"])
    return len(rows) - len(gone)


def look_at(webhooks: set[uuid.UUID]) -> None:
    """Has a sender look at these webhooks at once."""
    now = timezone.now()
    later = Q(next_at__isnull=True) | Q(next_at__gt=now)
    for pk in sorted(webhooks):
        Webhook.objects.filter(later, pk=pk).update(next_at=now)
