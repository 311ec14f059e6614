"""Many publishes at once, through real threads and real connections."""

from __future__ import annotations

import copy
import sqlite3
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts import throttling
from capsules.models import Story
from config import outage
from config.slots import Slots
from publishing import baking, history, slots
from publishing.models import Publication, Slug
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)

CROWD = 50


@pytest.fixture(autouse=True)
def fifty_wait_for_their_connection(monkeypatch) -> None:
    """In the service a slot comes first, so that no publish waits for a connection behind fifty others."""
    if connection.vendor == "postgresql":
        monkeypatch.setattr(connection.pool, "timeout", 60)  # seconds


def at_once(calls: list[Callable[[], Any]]) -> list[Any]:
    """Runs all calls in threads that start together."""
    gate = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def caller(owner) -> factories.Api:
    return factories.Api(Client(raise_request_exception=False), owner)


def copies(story: Story, count: int) -> list[Story]:
    """So many more of the same, with their scenes and their preview."""
    scenes, preview = list(story.scenes.all()), story.latest_preview
    made_by = list(preview.encodes.all())
    copied = []
    for _ in range(count):
        another = anew(story)
        for row in (*scenes, preview):
            row.story, row.key = another, uuid.uuid4()
            anew(row)
        preview.encodes.set(made_by)
        copied.append(another)
    return copied


def anew(row: Any) -> Any:
    """The row once more, under another key."""
    row.pk, row._state.adding = None, True
    row.save(force_insert=True)
    return copy.copy(row)


def test_of_fifty_publishes_of_one_story_one_succeeds_and_the_others_are_told_to_wait(
    north_shore, owner, rendered
):
    story = factories.make_story(north_shore, rendered, encoded=False)
    answered: list[int] = []

    def publish() -> Any:
        answer = caller(owner).publish(story)
        answered.append(answer.status_code)
        return answer

    def encode_when_the_others_are_answered() -> None:
        deadline = time.monotonic() + 60
        while len(answered) < CROWD - 1 and time.monotonic() < deadline:
            time.sleep(0.05)
        factories.finish_encodes(rendered)

    answers = at_once([*[publish] * CROWD, encode_when_the_others_are_answered])[:-1]
    assert Counter(a.status_code for a in answers) == {200: 1, 423: CROWD - 1}
    assert all(a["Retry-After"] for a in answers if a.status_code == 423)


def test_of_fifty_stories_that_want_one_slug_one_gets_it(north_shore, owner, rendered, monkeypatch, settings):
    settings.PUBLISH_LEASE = 600  # a busy machine takes longer than a minute for fifty, and none is silent
    monkeypatch.setattr(slots, "publishes", Slots(CROWD, CROWD, patience=10))
    stories = copies(factories.make_story(north_shore, rendered), CROWD)
    answers = at_once([lambda story=story: caller(owner).publish(story, slug="the-one") for story in stories])
    assert Counter(a.status_code for a in answers) == {200: 1, 409: CROWD - 1}
    assert list(Slug.objects.values_list("text", "lease_token")) == [("the-one", None)]
    assert Publication.objects.live().count() == 1


def test_of_stories_with_one_title_each_gets_a_slug_of_its_own(north_shore, owner, rendered, settings):
    settings.PUBLISH_SLOT_WAIT = 60
    stories = copies(factories.make_story(north_shore, rendered), 4)
    answers = at_once([lambda story=story: caller(owner).publish(story) for story in stories])
    assert [a.status_code for a in answers] == [200] * 4
    assert len({a.json()["slug"] for a in answers}) == 4


def test_two_workspaces_that_want_one_name_do_not_both_get_it(rendered):
    workspaces = [factories.make_workspace(name, roles=["owner"]) for name in ("first", "second")]
    type(workspaces[0]).objects.update(name="wanted")
    stories = [factories.make_story(workspace, rendered, title=workspace.title) for workspace in workspaces]
    owners = [workspace.memberships.get().user for workspace in workspaces]
    answers = at_once(
        [
            lambda who=who, story=story: caller(who).publish(story)
            for who, story in zip(owners, stories, strict=True)
        ]
    )
    assert sorted(a.status_code for a in answers) == [200, 409]


def test_publishes_and_unpublishes_at_once_leave_a_consistent_state(live_story, owner):
    calls = [lambda: caller(owner).publish(live_story), lambda: caller(owner).unpublish(live_story)] * 4
    answers = at_once(calls)
    assert {a.status_code for a in answers} <= {200, 423}
    publication = Publication.objects.get()
    assert publication.is_published == (publication.live_bake is not None)
    assert publication.lease_token is None
    assert caller(owner).publish(live_story).status_code == 200


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite lets one writer in at a time")
@pytest.mark.parametrize("chosen", ["cover", "editionLabel"])
def test_what_is_chosen_for_readers_while_it_goes_live_waits_for_that(
    live_story, rendered, owner, monkeypatch, chosen
):
    edition = factories.make_story(live_story.workspace, rendered, capsule=live_story, edition_name="short")
    Story.objects.filter(pk=edition.pk).update(shown=True)
    scene = str(edition.scenes.get(position=1).key)
    changes = {"cover": {"cover": scene}, "editionLabel": {"editionLabel": "Short"}}[chosen]
    keep_draft, answers = history.keep_draft, []

    def choose() -> None:
        path = f"/stories/{edition.pk}"
        answers.append(caller(owner).call("PATCH", path, changes).status_code)
        connection.close()

    def slowly(*args: Any, **kwargs: Any) -> None:
        thread.start()
        thread.join(0.5)
        keep_draft(*args, **kwargs)

    thread = threading.Thread(target=choose)
    monkeypatch.setattr(history, "keep_draft", slowly)
    assert caller(owner).publish(edition).status_code == 200
    thread.join()
    assert answers == [200]


@pytest.mark.parametrize("shown", [True, False])
def test_an_edition_that_is_shown_or_hidden_meanwhile_goes_live_under_no_wrong_link(
    live_story, rendered, owner, client, monkeypatch, shown
):
    edition = factories.make_story(live_story.workspace, rendered, capsule=live_story, edition_name="short")
    rows, bake = Story.objects.filter(pk=edition.pk), baking.bake
    rows.update(shown=not shown)

    def meanwhile(preview: Any) -> Any:
        rows.update(shown=shown)
        return bake(preview)

    monkeypatch.setattr(baking, "bake", meanwhile)
    answer = caller(owner).publish(edition)
    assert (answer.status_code, answer.has_header("Retry-After")) == (423, True)
    edition.refresh_from_db()
    answer = caller(owner).publish(edition)
    assert (answer.status_code, "?edition=short" in answer.json()["url"]) == (200, shown)
    assert client.get(answer.json()["url"]).status_code == 200


def test_the_rate_counts_each_of_many_calls_at_once(db):
    counts = at_once([lambda: throttling.count_call("read:somebody", minute=1)] * 30)
    assert sorted(counts) == list(range(1, 31))


def test_a_publish_that_waits_for_encodes_holds_no_place_that_another_needs(
    north_shore, owner, rendered, settings
):
    waits = factories.make_story(north_shore, rendered, encoded=False)
    service = caller(owner)  # one web process

    def others() -> int:
        status, deadline = 503, time.monotonic() + 30
        try:
            while status == 503 and time.monotonic() < deadline:
                if Publication.objects.filter(story=waits).exclude(lease_token=None).exists():
                    status = service.publish(waits).status_code
        finally:
            factories.finish_encodes(rendered)
        return status

    published, told = at_once([lambda: service.publish(waits), others])
    assert (published.status_code, told) == (200, 423)


def test_publishes_that_wait_for_a_slot_hold_no_place_that_another_needs(
    north_shore, owner, rendered, monkeypatch
):
    monkeypatch.setattr(slots, "publishes", Slots(1, 1, patience=3))
    one, other = (factories.make_story(north_shore, rendered, title=title) for title in ("One", "Other"))
    service = caller(owner)

    def later() -> Any:
        while slots.publishes.queue._value:
            time.sleep(0.01)
        time.sleep(0.1)  # it gives its place back next
        return service.publish(other)

    with slots.slot():
        answers = at_once([lambda: service.publish(one), later])
    assert [answer.status_code for answer in answers] == [429, 429]


@pytest.fixture
def locked_for_too_long(live_story) -> Iterator[None]:
    """Somebody else keeps the lock that a publish needs, for longer than this connection waits for it."""
    if connection.vendor == "sqlite":
        other: Any = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        patience, usual = "PRAGMA busy_timeout = 1", "PRAGMA busy_timeout = 30000"
    else:
        other = connection.copy("other")
        other.set_autocommit(False)
        other.cursor().execute("LOCK TABLE publishing_publication")
        patience, usual = "SET lock_timeout = 1", "SET lock_timeout = 0"
    closing, connection.close = connection.close, lambda: None  # the test client would close it, and forget
    connection.cursor().execute(patience)
    yield
    connection.close = closing
    connection.cursor().execute(usual)
    other.rollback()
    other.close()
    if connection.vendor == "postgresql":
        other.close_pool()  # of its own, which nobody else would close


def test_a_lock_that_others_hold_for_too_long_is_told_as_every_lock_of_a_publish(
    locked_for_too_long, live_story, owner
):
    for method in ("PUT", "DELETE"):
        answer = caller(owner).call(method, f"/stories/{live_story.pk}/publication")
        assert (answer.status_code, answer.json()) == (423, {"error": outage.BUSY})
        assert int(answer["Retry-After"]) > 0
