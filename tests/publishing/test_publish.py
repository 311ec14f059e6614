"""The life of a capsule through the API: publish, republish, rename, unpublish, release."""

from __future__ import annotations

from datetime import datetime

import pytest

from capsules.actions import previews
from capsules.models import Scene, Story
from publishing.going_live import level_after
from publishing.models import Bake, Publication
from publishing.states import states_of
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_capsule_that_was_never_published_has_every_field(api, ready_story):
    assert api.state(ready_story).json() == {
        "storyId": str(ready_story.pk),
        "isPublished": False,
        "slug": None,
        "url": None,
        "publicationMode": "STANDARD",
        "unlisted": False,
        "publishedAt": None,
    }


@pytest.mark.both_databases
def test_the_first_publish_derives_the_slug_and_goes_live(api, ready_story, client):
    answer = api.publish(ready_story)

    assert answer.status_code == 200
    assert answer.json() == {
        "url": "/north-shore/small-voyages",
        "slug": "small-voyages",
        "isRepublish": False,
        "publicationMode": "STANDARD",
        "edition": None,
    }
    page = client.get("/north-shore/small-voyages")
    assert page.status_code == 200
    assert all(f"This is scene {i} of Small voyages." in page.content.decode() for i in (1, 2, 3, 4))
    state = api.state(ready_story).json()
    assert (state["isPublished"], state["url"]) == (True, "/north-shore/small-voyages")
    assert datetime.fromisoformat(state["publishedAt"]).tzinfo is not None


def test_a_republish_keeps_link_and_date_and_shows_the_latest_preview(api, live_story, rendered, client):
    before = api.state(live_story).json()
    Scene.objects.filter(story=live_story, position=1).update(text="Rewritten.")
    assert api.publish(live_story).json()["isRepublish"] is True
    assert "Rewritten." not in client.get(before["url"]).content.decode(), "an edit alone changes nothing"

    previews.build_preview(live_story)
    factories.finish_encodes(rendered)
    assert api.publish(live_story).json()["url"] == before["url"]
    assert "Rewritten." in client.get(before["url"]).content.decode()
    assert api.state(live_story).json() == before


def test_going_back_to_an_earlier_content_shows_that_bake_again(api, live_story, rendered):
    def publish_text(text: str) -> int:
        Scene.objects.filter(story=live_story, position=1).update(text=text)
        previews.build_preview(live_story)
        factories.finish_encodes(rendered)
        assert api.publish(live_story).status_code == 200
        return Publication.objects.get(story=live_story).live_bake.number

    assert [publish_text(text) for text in ("A", "B", "A")] == [2, 3, 2]
    assert Bake.objects.get(number=2).replaced_at is None
    assert Bake.objects.get(number=3).replaced_at is not None


@pytest.mark.both_databases
def test_a_renamed_capsule_leaves_its_old_link_at_once_and_for_others(
    api, live_story, north_shore, rendered, client
):
    assert api.publish(live_story, slug="far-away").json() == {
        "url": "/north-shore/far-away",
        "slug": "far-away",
        "isRepublish": True,
        "publicationMode": "STANDARD",
        "edition": None,
    }
    old = client.get("/north-shore/small-voyages")
    assert (old.status_code, old.get("Location")) == (404, None)
    assert client.get("/north-shore/far-away").status_code == 200
    assert api.publish(live_story).json()["slug"] == "far-away"
    other = factories.make_story(north_shore, rendered, title="Another")
    assert api.publish(other, slug="small-voyages").json()["url"] == "/north-shore/small-voyages"


def test_unpublishing_keeps_the_slug_and_publishing_again_restores_the_address(api, live_story, client):
    answer = api.unpublish(live_story)
    assert answer.status_code == 200
    assert answer.json() == {
        "storyId": str(live_story.pk),
        "isPublished": False,
        "slug": "small-voyages",
        "url": None,
        "publicationMode": "STANDARD",
        "unlisted": False,
        "publishedAt": None,
    }
    assert client.get("/north-shore/small-voyages").status_code == 404
    again = api.publish(live_story).json()
    assert (again["url"], again["isRepublish"]) == ("/north-shore/small-voyages", False)


def test_a_reserved_slug_is_refused_to_others_until_it_is_released(api, live_story, north_shore, rendered):
    other = factories.make_story(north_shore, rendered, title="Another")
    api.unpublish(live_story)
    assert api.publish(other, slug="small-voyages").status_code == 409
    assert api.unpublish(live_story, "?releaseSlug=true").json()["slug"] is None
    assert api.publish(other, slug="small-voyages").status_code == 200
    assert api.publish(live_story).json()["slug"] == "small-voyages-2", "released and omitted: derived again"


def test_unpublishing_is_idempotent_also_where_nothing_was_ever_published(api, ready_story):
    first, second = api.unpublish(ready_story), api.unpublish(ready_story, "?releaseSlug=true")
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json() == api.state(ready_story).json()


def test_a_live_story_can_be_deleted_and_its_slug_is_free(api, live_story, north_shore, rendered, client):
    live_story.delete()
    assert client.get("/north-shore/small-voyages").status_code == 404
    other = factories.make_story(north_shore, rendered)
    assert api.publish(other).json()["slug"] == "small-voyages"


# --- Slugs -----------------------------------------------------------------------------------------------------


def test_a_refused_publish_claims_nothing(api, ready_story, north_shore):
    Scene.objects.filter(story=ready_story, position=0).update(text="")
    assert api.publish(ready_story, slug="mine").status_code == 409
    north_shore.refresh_from_db()
    assert north_shore.name_claimed_at is None
    assert api.state(ready_story).json()["slug"] is None


# --- Visibility ------------------------------------------------------------------------------------------------


def test_the_unlisted_flag_and_the_chosen_level(api, ready_story):
    for level, unlisted, after in (
        ("private", None, "public"),
        ("private", True, "unlisted"),
        ("private", False, "public"),
        ("unlisted", None, "unlisted"),
        ("unlisted", False, "public"),
        ("public", True, "unlisted"),
        ("featured", None, "featured"),
        ("featured", False, "featured"),
    ):
        assert level_after(Story(visibility=level), unlisted) == after, (level, unlisted)
    Story.objects.update(visibility="private")
    for body, after in (({"unlisted": True}, "unlisted"), ({"unlisted": False}, "public"), ({}, "public")):
        assert api.publish(ready_story, **body).status_code == 200
        ready_story.refresh_from_db()
        assert ready_story.visibility == after, body
        assert api.state(ready_story).json()["unlisted"] is (after == "unlisted"), body


# --- Editions --------------------------------------------------------------------------------------------------


def test_publishing_a_shown_edition_publishes_its_capsule_with_the_edition(
    api, ready_story, rendered, client
):
    edition = factories.make_edition(ready_story, rendered)
    assert api.publish(edition, slug="voyages").json() == {
        "url": "/north-shore/voyages?edition=classroom",
        "slug": "voyages",
        "isRepublish": False,
        "publicationMode": "STANDARD",
        "publishedStoryId": str(ready_story.pk),
        "edition": "classroom",
    }
    assert api.state(ready_story).json()["url"] == "/north-shore/voyages"
    shown = api.state(edition).json()
    assert (shown["storyId"], shown["url"]) == (str(edition.pk), "/north-shore/voyages?edition=classroom")
    assert "Small voyages, classroom" in client.get(shown["url"]).content.decode()
    assert "Small voyages, classroom" not in client.get("/north-shore/voyages").content.decode()


def test_publishing_an_edition_of_a_live_capsule_leaves_the_capsule_as_it_is(api, live_story, rendered):
    Scene.objects.filter(story=live_story).update(text="")  # the capsule itself is no longer ready
    edition = factories.make_edition(live_story, rendered)
    first, second = api.publish(edition).json(), api.publish(edition).json()
    assert (first["isRepublish"], second["isRepublish"]) == (False, True)
    assert Bake.objects.filter(story=live_story).count() == 1


def test_states_are_told_of_many_stories_at_once(api, live_story, rendered, django_assert_num_queries):
    shown = factories.make_edition(live_story, rendered)
    waiting = factories.make_edition(live_story, rendered, "evening")
    quiet = factories.make_story(live_story.workspace, rendered, title="Quiet")
    api.publish(shown)
    with django_assert_num_queries(1):
        states = states_of([live_story, shown, waiting, quiet])
    path, at = "/north-shore/small-voyages", Publication.objects.get(story=live_story).published_at
    told = {story.title: states[story.pk] for story in (live_story, shown, waiting, quiet)}
    assert [(state.is_published, state.url, state.published_at) for state in told.values()] == [
        (True, path, at),
        (True, f"{path}?edition=classroom", at),
        (False, None, None),
        (False, None, None),
    ]
    assert [state.slug for state in told.values()] == ["small-voyages"] * 3 + [None]
    assert [state.story_id for state in told.values()] == [
        str(story.pk) for story in (live_story, shown, waiting, quiet)
    ]


def test_an_edition_and_a_capsule_that_is_not_live_must_both_be_ready(api, ready_story, rendered):
    edition = factories.make_edition(ready_story, rendered)
    Scene.objects.filter(story=ready_story, position=1).update(text="")
    answer = api.publish(edition)
    assert answer.status_code == 409
    assert [fault["path"] for fault in answer.json()["details"]] == ["scenes.1.text"]


def test_unpublishing_a_shown_edition_is_refused_with_what_to_do(api, live_story, rendered):
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    private = api.call("PUT", f"/stories/{edition.pk}/visibility", {"visibility": "private"})
    for answer in (api.unpublish(edition), private):
        assert answer.status_code == 409
        assert answer.json() == {
            "error": "Readers see this edition through its capsule. "
            "Hide the edition in the editor, or unpublish its capsule."
        }
    assert Story.objects.get(pk=edition.pk).visibility != "private"
    api.unpublish(live_story)
    assert api.state(edition).json()["isPublished"] is False
    assert api.unpublish(edition).json() == api.state(edition).json(), "nobody sees it: nothing is left to do"


# --- The caller ------------------------------------------------------------------------------------------------


def test_health_needs_nobody_and_me_tells_who_calls(api, owner, north_shore):
    assert api.as_(None).get("/health").json() == {"status": "ok"}
    assert api.get("/me").json() == {
        "id": str(owner.pk),
        "email": "owner@north-shore.example",
        "name": "Owner",
        "workspaceId": str(north_shore.pk),
    }
    owner.name, owner.default_workspace = "", None
    owner.save()
    assert (api.get("/me").json()["name"], api.get("/me").json()["workspaceId"]) == (None, None)
