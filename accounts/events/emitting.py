"""Telling the log: one call of an action, in the transaction of its change.

The event gets its number later, once it is committed (`numbering`), so that nobody who changes something in a workspace
waits for anybody else who does.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from accounts.actors import Actor
from accounts.events.types import MOST_LISTED, TYPES
from accounts.models import ApiKey, Connection, Webhook, Workspace, WorkspaceEvent
from config.celery import wake
from config.json_types import JsonMapping

SEND_TASK = "accounts.tasks.send_webhooks"
SERVICE = "service"  # nobody asked for it
LONGEST = 500  # characters of a text in an event: so its data stays under 8 KiB


def emit(workspace: Workspace | uuid.UUID, type: str, data: JsonMapping) -> WorkspaceEvent:
    """Notes what happened in a workspace, with the change or not at all. `data` has the fields of `TYPES[type]`.

    Raises ValueError for other fields.
    """
    if set(data) != set(TYPES[type].data):
        raise ValueError(f"{type} has the fields {sorted(TYPES[type].data)}, not {sorted(data)}.")
    pk = workspace.pk if isinstance(workspace, Workspace) else workspace
    event = WorkspaceEvent.objects.create(workspace_id=pk, type=type, data=shortened(data))
    if Webhook.objects.on().filter(workspace=pk).exists():
        wake(SEND_TASK)
    return event


def shortened(value: Any) -> Any:
    """Without the ends of what is too long: nobody's change may fail because of what is told of it."""
    if isinstance(value, Mapping):
        return {name: shortened(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner) for inner in value[:MOST_LISTED]]
    return value[:LONGEST] if isinstance(value, str) else value


def who(by: Actor | None) -> dict[str, str]:
    """Through what something was done, as events tell it; never an address. `by` None: the service itself."""
    return {"via": by.via if by else SERVICE, "label": by.label[:120] if by else ""}


def who_by(credential: str) -> dict[str, str]:
    """As `who`, for a credential that was only noted (`Actor.credential`)."""
    kind, _, id = credential.partition(":")
    if kind == "key":
        key = ApiKey.objects.filter(pk=id).first()
        return {"via": "key", "label": (key.label or str(key))[:120] if key else ""}
    if kind == "connection":
        found = Connection.objects.filter(pk=id).select_related("client").first()
        return {"via": "app", "label": found.client.display_name[:120] if found else ""}
    return {"via": {"user": "token", "staff": "staff", "link": "link"}.get(kind, SERVICE), "label": ""}
