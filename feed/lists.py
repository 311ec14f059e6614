"""The two lists that readers page through: everything by rank, and one workspace's by date."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.models import Workspace
from config.texts import contains
from feed import keyset
from feed.keyset import Page
from feed.models import Card, FeedRank

RANKED = "feed"
SEARCHED = 1000  # capsules that one call of a search looks at


def ranked(*, limit: int, cursor: str | None = None) -> Page[FeedRank]:
    """The feed behind `cursor`. One query. Raises Invalid for a malformed cursor."""
    return keyset.page_by_position(rows_behind(cursor), name=RANKED, limit=limit)


def search(words: str, *, limit: int, cursor: str | None = None) -> Page[FeedRank]:
    """Those of the next SEARCHED of the feed behind `cursor` whose title or opening line has `words`.

    However rare a word is, one call looks at no more rows; where more follow, its cursor leads on, also from a page
    without a hit. At most two queries. Raises Invalid for a malformed cursor.
    """
    rows = rows_behind(cursor)
    has_words = contains("card__title", words) | contains("card__excerpt", words)
    hits = FeedRank.objects.ranked().filter(has_words, pk__in=rows[:SEARCHED].values("pk"))
    found = keyset.page_by_position(hits, name=RANKED, limit=limit)
    if found.next_cursor is not None:
        return found
    last = next(iter(rows[SEARCHED - 1 : SEARCHED]), None)
    return Page(found.rows, keyset.encode_position(RANKED, last.position) if last else None)


def rows_behind(cursor: str | None) -> QuerySet[FeedRank]:
    rows = FeedRank.objects.ranked()
    return rows if cursor is None else rows.after(keyset.decode_position(RANKED, cursor))


def listed_in_workspace(workspace: Workspace, *, limit: int, cursor: str | None = None) -> Page[Card]:
    """The listed capsules of a workspace behind `cursor`, the newest first. Raises Invalid. One query."""
    name = f"profile {workspace.pk}"
    rows = Card.objects.filter(workspace=workspace).newest_first().select_related("workspace", "rank")
    if cursor is not None:
        rows = rows.after(keyset.decode_position(name, cursor))
    return keyset.page_by_position(rows, name=name, limit=limit)
