"""Many listed capsules at once, written row by row as publishing and the lists would leave them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import AutoField, Model
from django.utils import timezone

from accounts.models import Workspace
from capsules.models import Story
from feed.models import Card, FeedRank
from publishing.models import Bake, Publication, ViewCount
from tests.support.kept import insertion

START = datetime(2026, 1, 1, tzinfo=UTC)
NAME = "ab/" + "ab" * 32
COVER = {
    "alt": "A lake.",
    "colour": "#223344",
    "focus": [0.5, 0.5],
    "width": 1280,
    "height": 720,
    "avif": [{"name": f"{NAME}.avif", "width": 1280}],
    "jpeg": [{"name": f"{NAME}.jpg", "width": 1280}],
}


def list_capsules(
    workspace: Workspace,
    count: int,
    *,
    views: Callable[[int], int] = lambda index: 0,
    published_at: Callable[[int], datetime] = lambda index: START + timedelta(minutes=index),
) -> list[Card]:
    """`count` live public capsules with cards, ranks and counted views, in the order of their ids."""
    known, began = Story.objects.count(), timezone.now()
    keys = [uuid.uuid4() for _ in range(count)]
    stories = [
        {"id": key, "title": f"Capsule {index}", "created_at": began + timedelta(microseconds=index)}
        for index, key in enumerate(keys)
    ]
    write(Story(workspace=workspace, visibility="public", updated_at=began), stories)
    write(
        Bake(number=1),
        [
            {"story": key, "digest": str(key), "content": {"title": story["title"], "language": "en"}}
            for key, story in zip(keys, stories, strict=True)
        ],
    )
    bakes = dict(Bake.objects.filter(story__workspace=workspace).order_by().values_list("story", "pk"))
    shown = [
        {
            "story": key,
            "slug": f"capsule-{known + index}",
            "published_at": published_at(index),
            "updated_at": published_at(index),
        }
        for index, key in enumerate(keys)
    ]
    write(Publication(), [{**each, "live_bake": bakes[each["story"]]} for each in shown])
    made = dict(Publication.objects.filter(story__workspace=workspace).order_by().values_list("story", "pk"))
    return write_cards(workspace, stories, shown, [made[key] for key in keys], views)


def write_cards(
    workspace: Workspace,
    stories: list[dict[str, Any]],
    shown: list[dict[str, Any]],
    publications: list[int],
    views: Callable[[int], int],
) -> list[Card]:
    """Cards, ranks and counted views of these publications."""
    titles = [
        {"title": story["title"], "excerpt": f"The opening line of {story['title']}."} for story in stories
    ]
    write(
        Card(workspace=workspace, language="en", scene_count=3, cover=COVER, film=f"{NAME}.mp4"),
        [
            {"publication": key, **said, **each}
            for key, said, each in zip(publications, titles, shown, strict=True)
        ],
    )
    counted = [(key, views(index)) for index, key in enumerate(publications)]
    write(FeedRank(), [{"card": key, "sort_key": seen} for key, seen in counted])
    write(ViewCount(), [{"publication": key, "views": seen} for key, seen in counted])
    Workspace.objects.filter(pk=workspace.pk, name_claimed_at=None).update(name_claimed_at=START)
    return list(Card.objects.filter(workspace=workspace, pk__gte=publications[0]).order_by("pk"))


def write(like: Model, changes: Iterable[dict[str, Any]]) -> None:
    """Inserts a row for each of these fields, the rest of which is as of `like`: models for all take seconds."""
    fields = {
        field.name: field
        for field in like._meta.concrete_fields
        if not (field.primary_key and isinstance(field, AutoField))
    }
    database = connections[DEFAULT_DB_ALIAS]

    def stored(name: str, value: Any) -> Any:
        return value if isinstance(value, str | int) else fields[name].get_db_prep_save(value, database)

    same = {name: stored(name, getattr(like, field.attname)) for name, field in fields.items()}
    rows = [same | {name: stored(name, value) for name, value in changed.items()} for changed in changes]
    with database.cursor() as cursor:
        statement = insertion(like._meta.db_table, [field.column for field in fields.values()])
        cursor.executemany(statement, [tuple(row.values()) for row in rows])
