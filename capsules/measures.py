"""What a dashboard wants to know of encodes."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Count, DurationField, ExpressionWrapper, F, Min, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from capsules.models import Encode, Process, Upload
from capsules.models.putting_off import CanBePutOff
from config.metrics import measured


@measured("capsules_encodes", "Encodes that are queued or running.", "state")
def encodes() -> dict[str, float]:
    return count_by(Encode.objects.all(), "state", [Encode.State.QUEUED.value, Encode.State.RUNNING.value])


@measured("capsules_encode_wait_seconds", "How long the oldest queued encode has waited.")
def longest_wait() -> dict[str, float]:
    queued = Encode.objects.filter(state=Encode.State.QUEUED)
    oldest = queued.aggregate(oldest=Min("created_at"))["oldest"]
    return {"": max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else 0.0}


RECENT = timedelta(hours=1)


def count_by(rows: QuerySet, by: str, values: list[str]) -> dict[str, float]:
    """The number of rows with each of `values` in the field `by`."""
    found = rows.order_by().filter(**{f"{by}__in": values}).values_list(by).annotate(Count("pk"))
    return {**dict.fromkeys(values, 0.0), **{value: float(number) for value, number in found}}


@measured("capsules_encodes_ended", "Encodes that ended within an hour: done, failed.", "state")
def ended_encodes() -> dict[str, float]:
    recent = Encode.objects.filter(finished_at__gt=timezone.now() - RECENT)
    return count_by(recent, "state", [Encode.State.DONE.value, Encode.State.FAILED.value])


@measured("capsules_uploads_ended", "Uploads whose check ended within an hour: ready, refused.", "state")
def ended_uploads() -> dict[str, float]:
    recent = Upload.objects.filter(finished_at__gt=timezone.now() - RECENT)
    return count_by(recent, "state", [Upload.State.READY.value, Upload.State.REFUSED.value])


@measured("capsules_encodes_put_off", "Encodes that wait for another try, by what went wrong.", "reason")
def encodes_put_off() -> dict[str, float]:
    return count_by(Encode.objects.unfinished(), "put_off", CanBePutOff.Reason.values)


@measured(
    "capsules_uploads_put_off", "Checks of files that wait for another try, by what went wrong.", "reason"
)
def uploads_put_off() -> dict[str, float]:
    return count_by(Upload.objects.under_way(), "put_off", CanBePutOff.Reason.values)


@measured(
    "capsules_process_age_seconds",
    "Time since the last sign of life of each worker and MCP server; absent an hour after it died.",
    "process",
)
def ages() -> dict[str, float]:
    age = ExpressionWrapper(Now() - F("seen_at"), output_field=DurationField())
    rows = Process.objects.annotate(age=age).values_list("name", "age")
    return {name: max(0.0, age.total_seconds()) for name, age in rows}


@measured("capsules_scratch_free_bytes", "Room for scratch files of each worker and MCP server.", "process")
def room_for_scratch() -> dict[str, float]:
    return dict(Process.objects.values_list("name", "scratch_free"))
