"""The two lists that readers page through: everything by rank, and one workspace's by date."""

from __future__ import annotations

from accounts.models import Workspace
from feed import keyset
from feed.keyset import Page
from feed.models import Card, FeedRank

RANKED = "feed"


def ranked(*, limit: int, cursor: str | None = None) -> Page[FeedRank]:
    """The feed behind `cursor`. Raises Invalid for a cursor that is none. One query."""
    rows = FeedRank.objects.ranked()
    if cursor is not None:
        rows = rows.after(keyset.decode(RANKED, cursor))
    return keyset.page(rows, name=RANKED, limit=limit, position_of=lambda rank: rank.position)


def of_workspace(workspace: Workspace, *, limit: int, cursor: str | None = None) -> Page[Card]:
    """The listed capsules of a workspace behind `cursor`, the newest first. Raises Invalid. One query."""
    name = f"profile {workspace.pk}"
    rows = Card.objects.filter(workspace=workspace).newest_first().select_related("workspace", "rank")
    if cursor is not None:
        rows = rows.after(keyset.decode(name, cursor))
    return keyset.page(rows, name=name, limit=limit, position_of=lambda card: card.position)
