"""One thing that somebody does is one event, and never fails because of what is told of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.events import emitting
from accounts.models import WorkspaceEvent
from capsules import housekeeping
from capsules.actions import previews, trash
from capsules.actions.editions import add_edition
from capsules.models import Story
from publishing import actions
from tests.events.test_log import Log
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(api, north_shore) -> Log:
    return Log(api, north_shore)


@pytest.fixture
def edition(live_story, owner, rendered) -> Story:
    """One of a live capsule, with a version of its own."""
    made = add_edition(live_story, name="deutsch", shown=True, by=None)
    previews.build_preview(made)
    factories.finish_encodes(rendered)
    return made


def told(log: Log) -> list[tuple[str, str]]:
    return [(event["type"], event["data"]["story"]["id"]) for event in log.new()]


def test_a_shown_edition_that_is_renamed_is_found_under_another_link(api, log, live_story, edition):
    path = f"/stories/{edition.pk}"
    log.new()
    assert api.call("PATCH", path, {"editionName": "de"}).status_code == 200
    assert log.new() == [], "readers do not have it yet"
    api.publish(edition)
    log.new()
    assert api.call("PATCH", path, {"editionName": "deutsch"}).status_code == 200
    (renamed,) = log.new()
    assert (renamed["type"], renamed["data"]["edition"]) == ("story.republished", "deutsch")
    assert renamed["data"]["story"]["url"].endswith("/small-voyages?edition=deutsch")
    refused = api.call("PATCH", path, {"editionName": ""})
    assert (refused.status_code, refused.json()["details"][0]["path"]) == (400, "editionName")


def test_an_edition_that_moves_to_and_from_a_link_of_its_own_is_told_and_hiding_makes_nothing_public(
    api, log, live_story, edition, client
):
    path = f"/stories/{edition.pk}"
    api.call("PATCH", path, {"shown": False})
    alone = api.publish(edition).json()["url"]
    log.new()
    for is_shown, link in ((True, "/north-shore/small-voyages?edition=deutsch"), (False, alone)):
        assert api.call("PATCH", path, {"shown": is_shown}).status_code == 200
        (moved,) = log.new()
        assert moved["type"] == "story.republished" and moved["data"]["story"]["url"].endswith(link)
        assert moved["data"]["slugBefore"] == (alone.split("/")[-1] if is_shown else "small-voyages")
        assert client.get(link).status_code == 200

    api.call("PATCH", path, {"shown": True})
    api.unpublish(live_story)
    log.new()
    assert api.call("PATCH", path, {"shown": False}).status_code == 200
    assert client.get(alone).status_code == 404 and log.new() == []
    assert api.publish(edition).status_code == 200


@pytest.mark.both_databases
def test_a_level_that_two_choose_at_once_is_told_once(log, live_story, owner):
    log.new()
    for level, types in (
        ("unlisted", ["story.visibility_changed"]),
        ("private", ["premiere.cancelled", "story.unpublished"]),
    ):
        for seen in [Story.objects.get(pk=live_story.pk) for _ in range(3)]:
            actions.set_visibility(seen, level, by=Actor.by_token(owner))
        assert [event["type"] for event in log.new()] == types


def test_an_edition_that_is_shown_or_hidden_goes_live_or_from_the_public(api, log, live_story, edition):
    path = f"/stories/{edition.pk}"
    assert api.publish(edition).status_code == 200
    log.new()
    assert api.call("PATCH", path, {"shown": False}).status_code == 200
    (hidden,) = log.new()
    assert (hidden["type"], hidden["data"]["story"]["id"]) == ("story.unpublished", str(edition.pk))
    assert (hidden["data"]["story"]["url"], hidden["data"]["slug"]) == (None, "small-voyages")
    assert api.call("PATCH", path, {"editionLabel": "Deutsch"}).status_code == 200
    assert log.new() == [], "readers see nothing of it"
    assert api.call("PATCH", path, {"shown": True}).status_code == 200
    (shown,) = log.new()
    assert (shown["type"], shown["data"]["edition"]) == ("story.published", "deutsch")
    assert shown["data"]["story"]["url"].endswith("/small-voyages?edition=deutsch")
    assert shown["data"]["publishedStoryId"] == str(live_story.pk) and shown["data"]["via"] == "token"
    api.unpublish(live_story)
    log.new()
    for value in (False, True):
        api.call("PATCH", path, {"shown": value})
    assert log.new() == [], "its capsule is not live"


def test_a_first_publish_through_an_edition_tells_both(api, log, ready_story, rendered):
    edition = add_edition(ready_story, name="deutsch", shown=True, by=None)
    previews.build_preview(edition)
    factories.finish_encodes(rendered)
    log.new()
    assert api.publish(edition, premiereEmailMode="OFF").status_code == 200
    capsule, own = str(ready_story.pk), str(edition.pk)
    assert told(log) == [("story.published", capsule), ("story.published", own)]
    assert api.publish(edition).status_code == 200
    assert told(log) == [("story.republished", own)]


@pytest.mark.parametrize("who", ["the service", "a person"])
def test_a_capsule_that_is_deleted_forever_is_told_once_with_its_editions(api, log, ready_story, owner, who):
    editions = [str(add_edition(ready_story, name=name, by=None).pk) for name in ("deutsch", "short")]
    api.call("DELETE", f"/stories/{ready_story.pk}")
    (trashed,) = log.new()[-1:]
    assert (sorted(trashed["data"]["editions"]), trashed["data"]["editionCount"]) == (sorted(editions), 2)
    if who == "a person":
        story = Story.objects.get(pk=ready_story.pk)
        trash.purge_story(story, title=story.title, by=Actor.by_token(owner))
    else:
        Story.objects.update(deleted_at=timezone.now() - timedelta(days=400))
        assert housekeeping.forget_what_is_old()["stories"] == 3
    (deleted,) = log.new()
    assert deleted["type"] == "story.deleted" and deleted["data"]["editionCount"] == 2
    assert sorted(deleted["data"]["editions"]) == sorted(editions) and not Story.objects.exists()


@pytest.mark.both_databases
def test_an_edition_alone_in_the_trash_is_deleted_alone(api, log, ready_story):
    edition = add_edition(ready_story, name="deutsch", by=None)
    api.call("DELETE", f"/stories/{edition.pk}")
    Story.objects.filter(pk=edition.pk).update(deleted_at=timezone.now() - timedelta(days=400))
    log.new()
    assert housekeeping.forget_what_is_old()["stories"] == 1
    assert told(log) == [("story.deleted", str(edition.pk))] and Story.objects.get() == ready_story


def test_a_capsule_of_many_editions_can_be_trashed_restored_and_deleted(
    api, log, ready_story, owner, monkeypatch
):
    monkeypatch.setattr(emitting, "MOST_LISTED", 3)
    many = [
        Story(workspace=ready_story.workspace, capsule=ready_story, title="ü" * 80, edition_name=f"e{number}")
        for number in range(4)
    ]
    Story.objects.bulk_create(many)
    Story.objects.filter(pk=ready_story.pk).update(title="🎃" * 60)
    path = f"/stories/{ready_story.pk}"
    assert api.call("DELETE", path).status_code == 200
    assert api.call("POST", f"{path}/restore").status_code == 200
    Story.objects.update(deleted_at=timezone.now() - timedelta(days=400))
    assert housekeeping.forget_what_is_old()["stories"] == 5
    events = [event for event in log.new() if "editions" in event["data"]]
    assert [event["type"] for event in events] == ["story.trashed", "story.restored", "story.deleted"]
    for event in events:
        assert (len(event["data"]["editions"]), event["data"]["editionCount"]) == (3, 4)
    assert WorkspaceEvent.objects.count() >= 3
