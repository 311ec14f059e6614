"""What a call answers is what it did, whatever the next call does before the answer is sent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from capsules.models import Story
from publishing import actions, restoring
from publishing.actions import PublishRequest
from publishing.leases import Lease
from publishing.mcp.publishing import set_visibility, unpublish_story
from publishing.models import Bake
from publishing.signals import publication_changed
from tests.support.apps import connected_app
from tests.support.tools import call

pytestmark = pytest.mark.django_db(transaction=True)
QUIET = PublishRequest("tides", premiere_email_mode="OFF")


@pytest.fixture
def next_call() -> object:
    """Makes another call as soon as the transaction has committed that changes a publication next."""
    receivers: list[Callable[..., None]] = []

    def follow(call: Callable[[], object]) -> None:
        def receive(**kwargs: object) -> None:
            publication_changed.disconnect(receive)
            transaction.on_commit(call)

        receivers.append(receive)
        publication_changed.connect(receive)

    return follow


def test_an_unpublish_tells_the_state_that_it_made(live_story: Story, by, next_call):
    next_call(lambda: actions.publish(live_story, request=QUIET, by=by))
    told = actions.unpublish(live_story, by=by)
    assert (told.is_published, told.url, told.published_at) == (False, None, None)
    assert actions.state_of(live_story).is_published, "the call after it"


def test_an_app_that_unpublishes_is_told_the_state_that_it_made(live_story: Story, by, owner, next_call):
    next_call(lambda: actions.publish(live_story, request=QUIET, by=by))
    told = call(unpublish_story, connected_app(owner), story=str(live_story.pk))
    assert (told["is_published"], told["link"]) == (False, None)


def test_an_app_that_chooses_who_sees_it_is_told_the_level_that_it_chose(
    live_story: Story, by, owner, next_call
):
    next_call(lambda: actions.set_visibility(Story.objects.get(pk=live_story.pk), "private", by=by))
    told = call(set_visibility, connected_app(owner), story=str(live_story.pk), visibility="unlisted")
    assert (told["visibility"], told["is_published"]) == ("unlisted", True)
    assert not actions.state_of(live_story).is_published, "the call after it"


def test_a_publish_tells_the_address_that_it_made(ready_story: Story, by, monkeypatch):
    drop = Lease.drop

    def dropped(lease: Lease) -> None:
        drop(lease)
        actions.unpublish(ready_story, release_slug=True, by=by)

    monkeypatch.setattr(Lease, "drop", dropped)
    told = actions.publish(ready_story, request=QUIET, by=by)
    assert (told.slug, told.url) == ("tides", "/north-shore/tides")
    assert actions.state_of(ready_story).slug is None, "the call after it"


def test_a_version_that_is_live_again_tells_its_address(live_story: Story, by, next_call):
    first = Bake.objects.get(story=live_story)
    slug = actions.state_of(live_story).slug
    next_call(lambda: actions.unpublish(live_story, release_slug=True, by=by))
    another_bake(first)
    told = restoring.restore_version(live_story, first.number, by=by)
    assert (told.slug, told.url) == (slug, f"/north-shore/{slug}")
    assert actions.state_of(live_story).slug is None, "the call after it"


def another_bake(bake: Bake) -> None:
    """Readers get a later version with other words."""
    content = {**bake.content, "title": "Other words"}
    later = Bake.objects.create(
        story=bake.story, number=bake.number + 1, digest="f" * 64, content=content, preview=bake.preview
    )
    bake.story.publication.live_bake = later
    bake.story.publication.save(update_fields=["live_bake"])
