"""Writing the audit log."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import SecurityEvent, User, Workspace

Kind = SecurityEvent.Kind


def record(
    kind: SecurityEvent.Kind,
    *,
    by: User | None,
    subject: str = "",
    workspaces: Iterable[Workspace | None] = (None,),
) -> None:
    """One line for each workspace; without any, one that belongs to the person."""
    SecurityEvent.objects.bulk_create(
        SecurityEvent(kind=kind, user=by, workspace=workspace, subject=subject[:200])
        for workspace in workspaces
    )
