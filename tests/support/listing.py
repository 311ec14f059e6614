"""Many listed capsules at once, written row by row as publishing and the lists would leave them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from accounts.models import Workspace
from capsules.models import Story
from feed.models import Card, FeedRank
from publishing.models import Bake, Publication, ViewCount

START = datetime(2026, 1, 1, tzinfo=UTC)


def list_capsules(
    workspace: Workspace,
    count: int,
    *,
    views: Callable[[int], int] = lambda index: 0,
    published_at: Callable[[int], datetime] = lambda index: START + timedelta(minutes=index),
) -> list[Card]:
    """`count` live public capsules with cards, ranks and counted views, in the order of their ids."""
    known = Story.objects.count()
    stories = Story.objects.bulk_create(
        Story(workspace=workspace, title=f"Capsule {index}", visibility="public") for index in range(count)
    )
    bakes = Bake.objects.bulk_create(
        Bake(story=story, number=1, digest=str(story.pk), content={"title": story.title, "language": "en"})
        for story in stories
    )
    publications = Publication.objects.bulk_create(
        Publication(
            story=bake.story,
            slug=f"capsule-{known + index}",
            live_bake=bake,
            published_at=published_at(index),
            updated_at=published_at(index),
        )
        for index, bake in enumerate(bakes)
    )
    cards = Card.objects.bulk_create(card_of(publication) for publication in publications)
    FeedRank.objects.bulk_create(FeedRank(card=card, sort_key=views(i)) for i, card in enumerate(cards))
    ViewCount.objects.bulk_create(
        ViewCount(publication=p, views=views(i)) for i, p in enumerate(publications)
    )
    Workspace.objects.filter(pk=workspace.pk, name_claimed_at=None).update(name_claimed_at=START)
    return cards


def card_of(publication: Publication) -> Card:
    name = "ab/" + "ab" * 32
    return Card(
        publication=publication,
        story=publication.story,
        workspace=publication.story.workspace,
        slug=publication.slug,
        title=publication.story.title,
        excerpt=f"The opening line of {publication.story.title}.",
        language="en",
        scene_count=3,
        cover={
            "alt": "A lake.",
            "colour": "#223344",
            "focus": [0.5, 0.5],
            "width": 1280,
            "height": 720,
            "avif": [{"name": f"{name}.avif", "width": 1280}],
            "jpeg": [{"name": f"{name}.jpg", "width": 1280}],
        },
        film=f"{name}.mp4",
        published_at=publication.published_at,
        updated_at=publication.updated_at,
    )
