"""Writing the audit log."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils import translation
from django.utils.functional import Promise

from accounts.models import SecurityEvent, User, Workspace
from config.words.languages import ENGLISH

Kind = SecurityEvent.Kind


def in_english(words: str | Promise) -> str:
    """As the log keeps what has a translation: whoever reads it reads the same."""
    with translation.override(ENGLISH):
        return str(words)


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
