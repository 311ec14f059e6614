"""What a dashboard wants to know of webhooks."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F, Min
from django.utils import timezone

from accounts.models import Webhook, WebhookDelivery, WorkspaceEvent
from config.metrics import measured


@measured(
    "capsules_webhook_deliveries_waiting", "Deliveries of webhooks that wait, those of dead receivers too."
)
def waiting() -> dict[str, float]:
    return {"": float(WebhookDelivery.objects.waiting().count())}


@measured(
    "capsules_webhook_lag_seconds",
    "How long the oldest event has waited to be sent to a receiver that works; not those of slow or dead ones.",
)
def lag() -> dict[str, float]:
    hooks = Webhook.objects.on().filter(failing_since=None, workspace__suspended_at=None, lease_token=None)
    events = WorkspaceEvent.objects.filter(workspace__in=hooks.values("workspace")).order_by()
    not_dispatched = (
        events.unnumbered(),
        events.filter(workspace__log__last__gt=F("workspace__log__dispatched")).filter(
            sequence__gt=F("workspace__log__dispatched")
        ),
    )
    untried = WebhookDelivery.objects.waiting().filter(webhook__in=hooks, tries=0).order_by()
    oldest: list[datetime | None] = [
        *(rows.aggregate(at=Min("at"))["at"] for rows in not_dispatched),
        untried.aggregate(at=Min("created_at"))["at"],
    ]
    found = [at for at in oldest if at is not None]
    return {"": max(0.0, (timezone.now() - min(found)).total_seconds()) if found else 0.0}
