"""Two who change one capsule at the same moment: the lists tell what came out in the end."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection, transaction

from accounts.actions import workspaces
from accounts.actors import Actor
from accounts.models import User
from capsules.models import Story
from feed import ranks
from feed.actions import remove_pin, save_pin
from feed.models import Card, FeedRank, Pin
from publishing import actions
from publishing.models import Publication, ViewCount
from publishing.signals import publication_changed
from tests.support.listing import list_capsules

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time"),
]


def meanwhile(work):
    """Runs `work` on a connection of its own; join() raises what it raised."""
    errors = []

    def run():
        try:
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()

    def join():
        thread.join(timeout=30)
        assert not thread.is_alive()
        if errors:
            raise errors[0]

    return join


def test_a_publish_and_a_new_visibility_do_not_lock_each_other_out(live_story, owner):
    story = Story.objects.get(pk=live_story.pk)
    with transaction.atomic():  # what a publish locks, in its order
        Publication.objects.select_for_update().get(story=live_story)
        join = meanwhile(lambda: actions.set_visibility(story, "unlisted", by=Actor.by_token(owner)))
        time.sleep(0.5)
        Story.objects.filter(pk=live_story.pk).update(visibility="public")
    join()

    assert Story.objects.get(pk=live_story.pk).visibility == "unlisted"
    assert not Card.objects.exists()


def test_a_pin_set_while_the_capsule_loses_featured_does_not_stay(live_story, owner):
    by = Actor.by_token(owner)
    actions.set_visibility(live_story, "featured", by=by)
    publication = Publication.objects.get(story=live_story)
    with transaction.atomic():
        actions.set_visibility(live_story, "public", by=by)
        join = meanwhile(lambda: save_pin(Pin(publication=publication, tier="headline")))
        time.sleep(0.5)
    join()

    assert Pin.objects.get().ended_at is not None
    assert FeedRank.objects.get().pin_tier is None


@pytest.mark.parametrize("change", [save_pin, remove_pin])
def test_a_pin_is_changed_while_its_capsule_is_unpublished(live_story, owner, change):
    by = Actor.by_token(owner)
    actions.set_visibility(live_story, "featured", by=by)
    publication = Publication.objects.get(story=live_story)
    save_pin(Pin(publication=publication, tier="headline"))
    with transaction.atomic():
        Publication.objects.select_for_update().get(pk=publication.pk)
        join = meanwhile(lambda: change(Pin.objects.get()))
        time.sleep(0.5)
        actions.unpublish(Story.objects.get(pk=live_story.pk), by=by)  # no deadlock
    join()

    assert not Pin.objects.running().exists()


def test_ranks_follow_views_while_a_workspace_is_suspended(north_shore):
    staff = User.objects.create(email="staff@example.com", is_staff=True, is_superuser=True)
    list_capsules(north_shore, 2)
    ViewCount.objects.update(views=5)
    started = []

    def follow_meanwhile(**kwargs):
        """After the first of its capsules has left the lists."""
        if not started:
            started.append(meanwhile(ranks.follow_views))
            time.sleep(0.5)

    publication_changed.connect(follow_meanwhile)
    try:
        workspaces.suspend(north_shore, by=staff)  # no deadlock
    finally:
        publication_changed.disconnect(follow_meanwhile)
        started[0]()

    assert not Card.objects.exists()
