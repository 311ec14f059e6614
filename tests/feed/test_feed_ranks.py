"""Ranks follow the counted views; cards get their clips."""

from __future__ import annotations

from datetime import timedelta
from typing import NoReturn

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capsules import worker
from capsules.actions import previews
from capsules.models import Encode
from capsules.signals import encode_done
from feed import ranks
from feed.models import Card, FeedRank
from publishing import clips
from publishing.models import Publication, ViewCount
from publishing.receivers import blobs_of_bakes, films_of_bakes
from tests.support import factories
from tests.support.listing import list_capsules
from tests.support.locks import noted_locks

pytestmark = pytest.mark.django_db
FILM = {
    "name": "cd/cdef.mp4",
    "media_type": "video/mp4",
    "width": 1080,
    "height": 1080,
    "bytes": 9,
    "duration": 6.0,
}
CLIP = {"renditions": [{**FILM, "role": "clip", "format": "mp4"}]}


def test_only_ranks_whose_views_differ_are_written(north_shore):
    cards = list_capsules(north_shore, 20, views=lambda index: index)
    ViewCount.objects.filter(pk__in=[cards[3].pk, cards[7].pk]).update(views=1000)

    assert ranks.follow_views() == 2
    assert ranks.follow_views() == 0
    assert FeedRank.objects.get(pk=cards[3].pk).views == 1000


def test_ranks_follow_in_batches_of_any_size(north_shore, monkeypatch):
    monkeypatch.setattr(ranks, "BATCH", 3)
    cards = list_capsules(north_shore, 10)
    ViewCount.objects.update(views=5)

    assert ranks.follow_views() == 10
    assert {rank.views for rank in FeedRank.objects.all()} == {5}
    assert ranks.end_of_batch(cards[-1].pk) is None


def test_views_of_an_unlisted_capsule_wait_for_its_return(client, api, ready_story):
    api.publish(ready_story, unlisted=True)
    ViewCount.objects.update_or_create(publication=ready_story.publication, defaults={"views": 12})
    assert ranks.follow_views() == 0

    api.publish(ready_story, unlisted=False)
    assert client.get("/api/v2/feed").json()["items"][0]["views"] == 12


@pytest.mark.both_databases
def test_following_the_views_of_many_takes_few_statements(north_shore):
    list_capsules(north_shore, 100)
    ViewCount.objects.update(views=100)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert ranks.follow_views() == 100
    assert len(queries) < 10


def poster_video(client) -> str | None:
    return client.get("/api/v2/feed").json()["items"][0]["posterVideoUrl"]


def test_the_card_gets_the_hero_and_then_the_social_clip_once_they_are_made(client, live_story, rendered):
    assert poster_video(client) is None
    factories.make_heroes(rendered)
    bake = Publication.objects.get(story=live_story).live_bake
    (hero,), clip = bake.hero.outputs["renditions"], bake.clip
    assert (bake.hero.kind, bake.hero.sources[0][0]) == ("move", "blobs")
    assert poster_video(client).endswith(f"/media/{hero['name']}")
    assert hero["name"] not in blobs_of_bakes() and bake.hero_id in films_of_bakes()

    clip.state, clip.outputs = Encode.State.DONE, CLIP
    clip.save()
    encode_done.send(Encode, encode=clip)
    assert poster_video(client).endswith("/media/cd/cdef.mp4")
    assert Card.objects.get().clip == "cd/cdef.mp4"


def test_new_words_over_the_same_films_keep_the_clip(client, api, live_story):
    clips.request_missing()
    clip = Publication.objects.get(story=live_story).live_bake.clip
    clip.state, clip.outputs = Encode.State.DONE, CLIP
    clip.save()

    live_story.scenes.filter(position=0).update(text="Other words.")
    previews.build_preview(live_story)
    api.publish(live_story)
    clips.request_missing()
    [item] = client.get("/api/v2/feed").json()["items"]
    assert item["excerpt"] == "Other words."
    assert item["posterVideoUrl"].endswith("/media/cd/cdef.mp4")


class Killed(BaseException):
    """What a process does at this moment is not done."""


def die(*args: object, **kwargs: object) -> NoReturn:
    raise Killed


@pytest.mark.both_databases
def test_a_clip_whose_worker_is_killed_before_it_is_told_of_is_on_the_card_after_the_next(
    client, live_story, monkeypatch
):
    clips.request_missing()
    monkeypatch.setattr(worker, "make", lambda encode: CLIP)
    queue = Encode.objects.filter(kind=Encode.Kind.CLIP)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(encode_done, "send", die)
        worker.run_due(queue)
    queue.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert worker.run_due(queue) == 1
    assert poster_video(client).endswith("/media/cd/cdef.mp4")


@pytest.mark.both_databases
def test_a_clip_that_was_made_before_is_on_the_card_although_whoever_asked_for_it_was_killed(
    client, api, live_story, monkeypatch
):
    clips.request_missing()
    Encode.objects.filter(kind=Encode.Kind.CLIP).update(state=Encode.State.DONE, outputs=CLIP)
    live_story.scenes.filter(position=0).update(text="Other words.")
    previews.build_preview(live_story)
    api.publish(live_story)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(clips, "tell_of", die)
        clips.request_missing()
    clips.request_missing()
    assert poster_video(client).endswith("/media/cd/cdef.mp4")


@pytest.mark.both_databases
def test_a_clip_is_asked_for_in_the_order_in_which_whoever_publishes_holds_rows(live_story):
    def note(execute, sql, *rest):
        if sql.startswith('UPDATE "publishing_bake"'):
            held.append("publishing_bake")
        return execute(sql, *rest)

    with noted_locks() as held, connection.execute_wrapper(note):
        clips.request_missing()
    assert list(dict.fromkeys(held)) == ["capsules_encode", "publishing_publication", "publishing_bake"]


@pytest.mark.both_databases
@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL has fill factors")
def test_view_counts_leave_room_on_their_pages():
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE relname = 'publishing_viewcount'")
        assert cursor.fetchone() == (["fillfactor=70"],)
