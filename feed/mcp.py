"""The MCP server's tool over the public feed."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from django.conf import settings
from pydantic import Field
from typing_extensions import TypedDict

from accounts.mcp.resources import ReadableResource
from accounts.mcp.tools import QUOTED, searchable, tool
from config.texts import LONGEST_SEARCH
from feed import lists
from feed.keyset import Page
from feed.models import FeedRank
from publishing.pages.plain_text import escaped

PAGE = 10


class PublicCard(TypedDict):
    title: str
    link: str
    opening: str
    scene_count: int
    views: int
    author: str
    published_at: str


class FeedAnswer(TypedDict):
    capsules: list[PublicCard]
    next_cursor: str | None


@tool("Search the public feed", scope=None, quotes=True)
def search_feed(
    query: Annotated[
        str, Field(max_length=LONGEST_SEARCH, description="Words of title or opening line")
    ] = "",
    cursor: str | None = None,
) -> FeedAnswer:
    """Public capsules of everybody, the most read first, to see what is there and how it is written. A call searches a
    thousand; next_cursor leads to more, also from an empty answer. For the person's own capsules use list_stories."""
    page = search_results(query, cursor)
    return {"capsules": [public_card(rank) for rank in page.rows], "next_cursor": page.next_cursor}


def search_results(words: str, cursor: str | None) -> Page[FeedRank]:
    if not words:
        return lists.ranked(limit=PAGE, cursor=cursor)
    return lists.search(searchable(words), limit=PAGE, cursor=cursor)


def public_card(rank: FeedRank) -> PublicCard:
    card = rank.card
    return {
        "title": card.title,
        "link": f"{settings.APP_URL}{card.path}",
        "opening": card.excerpt,
        "scene_count": card.scene_count,
        "views": rank.views,
        "author": card.author,
        "published_at": card.published_at.isoformat(timespec="seconds"),
    }


TOOLS = [search_feed]


def feed_markdown(q: str = "", cursor: str | None = None) -> str:
    page = search_results(q, cursor)
    cards = [public_card(rank) for rank in page.rows]
    lines = "\n".join(
        f"- [{escaped(card['title'])}]({card['link']}): {escaped(card['opening'])}" for card in cards
    )
    asked = f"q={quote(q)}&" if q else ""
    following = f"\nNext: capsules://feed?{asked}cursor={page.next_cursor}\n" if page.next_cursor else ""
    return f"<!-- {QUOTED} -->\n\n{lines}\n{following}"


RESOURCES = [
    ReadableResource(
        "capsules://feed{?q,cursor}",
        "feed",
        "The public feed",
        "Public capsules, the most read first.",
        feed_markdown,
        None,
    )
]
