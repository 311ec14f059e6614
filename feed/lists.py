"""The two lists that readers page through: everything by rank, and one workspace's by date."""

from __future__ import annotations

from django.db.models import Q

from accounts.models import Workspace
from feed import keyset
from feed.keyset import Page
from feed.models import Card, FeedRank

RANKED = "feed"


def ranked(*, limit: int, cursor: str | None = None, words: str = "") -> Page[FeedRank]:
    """The feed behind `cursor`, of capsules whose title or opening line has `words`. One query.

    Raises Invalid for a malformed cursor.
    """
    rows = FeedRank.objects.ranked()
    if words:
        rows = rows.filter(Q(card__title__icontains=words) | Q(card__excerpt__icontains=words))
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
