"""What a dashboard wants to know of encodes."""

from __future__ import annotations

from django.db.models import Count, Min
from django.utils import timezone

from capsules.models.encodes import Encode
from config.metrics import measured


@measured("capsules_encodes", "Encodes that are queued or running.", "state")
def encodes() -> dict[str, float]:
    states = dict.fromkeys((Encode.State.QUEUED.value, Encode.State.RUNNING.value), 0.0)
    rows = Encode.objects.unfinished().order_by().values_list("state").annotate(Count("pk"))
    return {**states, **{state: float(number) for state, number in rows}}


@measured("capsules_encode_wait_seconds", "How long the oldest queued encode has waited.")
def longest_wait() -> dict[str, float]:
    queued = Encode.objects.filter(state=Encode.State.QUEUED)
    oldest = queued.aggregate(oldest=Min("created_at"))["oldest"]
    return {"": max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else 0.0}
