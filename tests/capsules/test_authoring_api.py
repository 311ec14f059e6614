"""Writing a capsule over HTTP: stories, scenes, order, trash, history, previews."""

from __future__ import annotations

import pytest

from capsules.models import Story
from tests.support import factories
from tests.support.authoring import made, scenes_of, texts, url

pytestmark = pytest.mark.django_db


# --- Making and reading ----------------------------------------------------------------------------------------


def test_a_story_is_made_with_its_scenes_in_one_call(api, north_shore, rendered):
    still = factories.shared_still(north_shore, rendered)
    answer = api.call(
        "POST",
        "/stories",
        {
            "title": "Small voyages",
            "author": "Ines Okafor",
            "language": "pt-BR",
            "scenes": [
                {"text": "A jetty.", "still": str(still.pk), "animation": "auto", "focus": [0.25, 1]},
                {"text": "The end.", "still": str(still.pk), "finale": True},
            ],
        },
    )
    assert answer.status_code == 201, answer.content
    story = answer.json()
    assert (answer["Location"], answer["ETag"]) == (f"/api/v2/stories/{story['id']}", '"1"')
    assert (story["sceneCount"], story["visibility"], story["publication"]["isPublished"]) == (
        2,
        "private",
        False,
    )
    first, last = scenes_of(api, story)
    assert (first["still"]["id"], first["focus"], first["animation"]) == (str(still.pk), [0.25, 1.0], "auto")
    assert first["rendering"]["still"] == {"state": "queued", "percent": 0, "error": None}
    assert (last["finale"], last["rendering"]["animation"]) == (True, None)


@pytest.mark.both_databases
def test_a_post_repeated_under_one_key_makes_one_story(api):
    headers = {"Idempotency-Key": "7f1c"}
    first = api.call("POST", "/stories", {"title": "Once"}, headers=headers)
    again = api.call("POST", "/stories", {"title": "Once"}, headers=headers)
    assert (again.status_code, again["Idempotency-Replayed"]) == (201, "true")
    assert (again.json(), again["Location"], again["ETag"]) == (
        first.json(),
        first["Location"],
        first["ETag"],
    )
    other = api.call("POST", "/stories", {"title": "Twice"}, headers=headers)
    assert (other.status_code, other.json()["details"][0]["path"]) == (409, "Idempotency-Key")
    assert Story.objects.count() == 1
    refused = api.call("POST", "/stories", {"title": ""}, headers={"Idempotency-Key": "b"})
    assert refused.status_code == 400
    assert api.call("POST", "/stories", {"title": "ok"}, headers={"Idempotency-Key": "b"}).status_code == 201


# --- Order -----------------------------------------------------------------------------------------------------


# --- Trash -----------------------------------------------------------------------------------------------------


# --- History ---------------------------------------------------------------------------------------------------


def test_one_scene_of_an_earlier_draft_comes_back_alone(api, story):
    named = api.call("POST", url(story, more="/revisions"), {"label": "Start"}).json()
    one, two, _ = scenes_of(api, story)
    for scene in (one, two):
        api.call("PATCH", url(story, scene), {"text": "changed"})
    restore = url(story, more=f"/revisions/{named['number']}/restore")
    api.call("POST", restore, {"scenes": [one["id"]]})
    assert texts(api, story) == ["one", "changed", "three"]
    assert api.call("POST", restore, {"scenes": []}).status_code == 200
    assert texts(api, story) == ["one", "changed", "three"], "no scene was named"
    unknown = api.call("POST", restore, {"scenes": [one["id"], story["id"]]})
    assert unknown.status_code == 400 and unknown.json()["details"][0]["path"] == "scenes.1"
    assert api.call("POST", restore, headers={"If-Match": '"1"'}).status_code == 412


# --- Editions --------------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_an_edition_starts_with_the_words_of_its_capsule_and_hears_of_changes(api, story):
    answer = api.call("POST", url(story, more="/editions"), {"name": "classroom", "language": "de"})
    assert answer.status_code == 201, answer.content
    edition = answer.json()
    assert (edition["capsuleId"], edition["language"], texts(api, edition)) == (
        story["id"],
        "de",
        ["one", "two", "three"],
    )
    assert [e["id"] for e in api.get(url(story, more="/editions")).json()["items"]] == [edition["id"]]
    taken = api.call("POST", url(story, more="/editions"), {"name": "classroom"})
    assert (taken.status_code, taken.json()["details"][0]["path"]) == (409, "name")
    assert api.call("POST", url(edition, more="/editions"), {"name": "deeper"}).status_code == 409
    api.call("PATCH", url(story, scenes_of(api, story)[1]), {"text": "TWO"})
    advice = api.get(url(edition, more="/readiness")).json()["advice"]
    assert [hint["path"] for hint in advice if hint["code"] == "edition-older"] == ["scenes.1.text"]


# --- Previews --------------------------------------------------------------------------------------------------


def test_a_preview_is_built_watched_and_is_the_same_while_nothing_changes(api, north_shore, rendered):
    still = factories.shared_still(north_shore, rendered)
    one = {"text": "x", "still": str(still.pk), "animation": "auto"}
    story = made(api, scenes=[one, one, {**one, "animation": "none", "finale": True}])
    assert api.get(url(story, more="/previews/latest")).status_code == 404
    built = api.call("POST", url(story, more="/previews"))
    assert (built.status_code, built.json()["state"], built["Retry-After"]) == (201, "building", "2")
    assert {item["part"] for item in built.json()["items"]} == {"still", "animation", "card"}
    factories.finish_encodes(rendered)
    ready = api.get(url(story, more="/previews/latest")).json()
    assert (ready["state"], ready["percent"], ready["isCurrent"]) == ("ready", 100, True)
    same = api.call("POST", url(story, more="/previews"))
    assert (same.status_code, same.json()["number"], "Location" in same) == (200, ready["number"], False)
    readiness = api.get(url(story, more="/readiness")).json()
    assert (readiness["ready"], readiness["faults"]) == (True, [])
    assert {hint["code"] for hint in readiness["advice"]} >= {"alt-missing", "summary-missing", "still-twice"}
    api.call("PATCH", url(story, scenes_of(api, story)[1]), {"text": "\u200b\u200d"})
    readiness = api.get(url(story, more="/readiness")).json()
    assert readiness["preview"]["isCurrent"] is False
    assert readiness["faults"][0]["path"] == "scenes.1.text"
    assert readiness["faults"][0]["sceneId"] == scenes_of(api, story)[1]["id"]
