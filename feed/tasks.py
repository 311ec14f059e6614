"""What Celery wakes for the lists."""

from __future__ import annotations

from config.celery import app
from feed import hub, ranks


@app.task
def refresh_ranks() -> None:
    """Once a minute: ranks follow views and pins."""
    ranks.follow_views()
    ranks.follow_pins()


@app.task
def tell_hub() -> int:
    """Tells the WebSub hub which feeds changed; returns how many."""
    return hub.tell_changes()
