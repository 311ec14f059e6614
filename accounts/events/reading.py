"""Reading the log: events as the API answers them and webhooks deliver them, byte for byte."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rest_framework.renderers import JSONRenderer

from accounts.events import numbering
from accounts.models import WebhookDelivery, Workspace, WorkspaceEvent, WorkspaceLog
from config import cursors
from config.errors import Fault, Gone
from config.json_types import JsonObject
from config.moments import on_wire


@dataclass(frozen=True)
class Page:
    """`next_after`: the number last looked at, where there may be more or no item has it; `oldest`: the first that is
    kept.
    """

    items: list[JsonObject]
    next_after: int | None
    oldest: int | None


def wire_event(event: WorkspaceEvent) -> JsonObject:
    """An event on the wire."""
    return {
        "id": event.wire_id,
        "sequence": event.sequence,
        "type": event.type,
        "timestamp": on_wire(event.at),
        "data": event.data,
    }


def body(delivery: WebhookDelivery) -> bytes:
    """What is sent of an event: the very bytes that it has in the API's list; of a test, its made-up body."""
    return JSONRenderer().render(wire_event(delivery.event) if delivery.event else delivery.sample)


def events_after(workspace: Workspace, *, after: int | None, types: Collection[str] = (), limit: int) -> Page:
    """Events of a workspace with a number above `after`, in order. Raises Gone where some are not kept any more."""
    numbering.number_events(workspace.pk)
    log = WorkspaceLog.objects.filter(pk=workspace.pk).first() or WorkspaceLog(workspace=workspace)
    oldest = log.forgotten + 1 if log.last > log.forgotten else None
    if after is not None and after < log.forgotten:
        begins = f"The oldest event that is kept is {oldest}" if oldest else "No event is kept"
        raise Gone(
            f"Events up to {log.forgotten} are not kept any more. {begins}.",
            faults=[Fault("after", f"oldest: {oldest or 'none'}.")],
        )
    rows = WorkspaceEvent.objects.numbered().filter(workspace=workspace, sequence__gt=after or 0)
    if types:
        rows = rows.filter(type__in=types)
    found, more = cursors.first_rows(rows.order_by("sequence"), limit)
    known = (found[-1].sequence or 0) if found else max(after or 0, log.forgotten)
    # Who asks for types that are rare goes on from here, not from the last of them, which may be forgotten by then.
    looked_at = known if more else max(known, log.last)
    return Page(
        [wire_event(event) for event in found], looked_at if more or looked_at > known else None, oldest
    )
