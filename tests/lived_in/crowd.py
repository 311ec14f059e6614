"""Many of everything, written in bulk: capsules like one that was really published, and those who subscribed."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone

from accounts.models import Workspace
from capsules.actions.keeping import content_in
from capsules.models import Preview, Revision, Scene, Story
from feed import ranks
from feed.cards import make_card
from feed.models import Card, FeedRank
from publishing.models import (
    Bake,
    Delivery,
    ErasedAddress,
    Premiere,
    Publication,
    Slug,
    Subscriber,
    Suppression,
    ViewCount,
)

BATCH = 5000
TITLES = (
    "Lights on the far shore",
    "What the ferry carried",
    "A winter in the boathouse",
    "Twelve letters home",
)


def capsules_like(model: Story, count: int) -> list[Publication]:
    """`count` live capsules with the scenes, preview and bake of `model`, each published an hour after the other."""
    bake, preview = model.publication.live_bake, model.latest_preview
    assert bake and preview
    start = timezone.now() - timedelta(hours=count + 1)
    stories = Story.objects.bulk_create(
        Story(
            workspace=model.workspace,
            title=f"{TITLES[number % len(TITLES)]}, {number + 1}",
            author_name=model.author_name,
            visibility=Story.Visibility.FEATURED if number % 10 == 0 else Story.Visibility.PUBLIC,
            created_by=model.created_by,
        )
        for number in range(count)
    )
    Scene.objects.bulk_create(scene for story in stories for scene in scenes_like(model, story))
    previews = Preview.objects.bulk_create(
        Preview(story=story, number=1, revision=1, content={**preview.content, "title": story.title})
        for story in stories
    )
    link = Preview.encodes.through
    encodes = list(preview.encodes.values_list("pk", flat=True))
    link.objects.bulk_create(link(preview=one, encode_id=pk) for one in previews for pk in encodes)
    bakes = Bake.objects.bulk_create(
        Bake(
            story=one.story,
            number=1,
            digest=hashlib.sha256(str(one.story.pk).encode()).hexdigest(),
            content={**bake.content, "title": one.story.title},
            preview=one,
        )
        for one in previews
    )
    published = [
        Publication(
            story=one.story,
            slug=f"crowd-{number}",
            live_bake=one,
            published_at=start + timedelta(hours=number),
            first_published_at=start + timedelta(hours=number),
            updated_at=start + timedelta(hours=number),
        )
        for number, one in enumerate(bakes)
    ]
    return listed(Publication.objects.bulk_create(published))


def scenes_like(model: Story, story: Story) -> Iterator[Scene]:
    for scene in model.scenes.all():
        made = copy.copy(scene)
        made.pk, made.key, made.story = None, Scene._meta.get_field("key").get_default(), story
        made._state = copy.copy(scene._state)
        made._state.adding = True
        yield made


def listed(publications: list[Publication]) -> list[Publication]:
    """The same publications, with what the lists need of them."""
    Slug.objects.bulk_create(Slug(text=one.slug, publication=one) for one in publications)
    cards = Card.objects.bulk_create(make_card(one) for one in publications)
    ViewCount.objects.bulk_create(
        ViewCount(publication=one, views=(number * 37) % 5000) for number, one in enumerate(publications)
    )
    FeedRank.objects.bulk_create(
        FeedRank(card=card, sort_key=ranks.sort_key((number * 37) % 5000, None))
        for number, card in enumerate(cards)
    )
    return publications


def revisions_of(story: Story, count: int) -> None:
    """More kept drafts, as a month of writing leaves them."""
    last = story.revisions.first()
    assert last
    Revision.objects.bulk_create(
        Revision(
            story=story,
            number=last.number + 1 + number,
            kind=Revision.Kind.NAMED if number % 20 == 0 else Revision.Kind.AUTO,
            label=f"Draft {number}" if number % 20 == 0 else "",
            content=content_in(last),
            by=last.by,
        )
        for number in range(count)
    )


def subscribers_of(workspace: Workspace, count: int) -> None:
    """So many readers: every tenth left again, every hundredth has a closed address."""
    now = timezone.now()
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        Subscriber.objects.bulk_create(
            Subscriber(
                workspace=workspace,
                email=f"reader{number}@readers.example",
                source=Subscriber.Source.IMPORT if number % 3 else Subscriber.Source.FORM,
                consent="Signed the list at the summer fair.",
                confirmed_at=now - timedelta(minutes=number),
                unsubscribed_at=now if number % 10 == 9 else None,
            )
            for number in numbers
        )
    Suppression.objects.bulk_create(
        Suppression(email=f"reader{number}@readers.example", reason=Suppression.Reason.BOUNCE)
        for number in range(0, count, 100)
    )
    ErasedAddress.objects.bulk_create(
        ErasedAddress(workspace=workspace, digest=hashlib.sha256(str(number).encode()).hexdigest())
        for number in range(50)
    )


def deliveries_of(premiere: Premiere, count: int) -> None:
    """What became of the mails of a premiere that is over."""
    readers = Subscriber.objects.filter(workspace=premiere.publication.story.workspace)[:count]
    over = (Delivery.State.SENT, Delivery.State.SENT, Delivery.State.FAILED, Delivery.State.UNCERTAIN)
    Delivery.objects.bulk_create(
        (
            Delivery(
                premiere=premiere,
                subscriber=reader,
                email=reader.email,
                state=over[number % len(over)],
                error="550 5.1.1 no such user" if over[number % len(over)] == Delivery.State.FAILED else "",
                finished_at=timezone.now(),
            )
            for number, reader in enumerate(readers)
        ),
        batch_size=BATCH,
    )
