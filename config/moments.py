"""Moments on the wire."""

from __future__ import annotations

from datetime import datetime


def on_wire(at: datetime) -> str:
    """RFC 3339 in UTC with a `Z`, as DRF writes fields: `2026-11-18T17:04:05.250000Z`. `at` is in UTC."""
    return at.isoformat().replace("+00:00", "Z")
