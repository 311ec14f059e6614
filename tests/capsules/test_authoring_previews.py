"""Encodes settle while an author drags, and previews show the draft as it is."""

from __future__ import annotations

import pytest

from capsules.actions import encodes
from capsules.models import Encode, Scene
from tests.capsules.test_authoring_api import made, scenes_of, url
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_twenty_drags_of_a_focus_ask_for_one_still_one_move_and_one_card(
    api, north_shore, rendered, settings
):
    settings.SETTLE = 0
    still = factories.shared_still(north_shore, rendered)
    story = made(api, scenes=[{"text": "x", "still": str(still.pk), "animation": "auto"}])
    scene = scenes_of(api, story)[0]
    settings.SETTLE = 4
    for step in range(20):
        api.call("PATCH", url(story, scene), {"focus": [step / 20, 0.5]})
        assert encodes.settle_due() == 0
    settings.SETTLE = 0
    api.call("PATCH", url(story, scene), {"focus": [0.9, 0.5]})
    assert encodes.settle_due() == 1
    assert api.call("POST", url(story, more="/previews")).status_code == 201
    assert sorted(Encode.objects.values_list("kind", flat=True)) == ["card", "still"]


def test_what_was_queued_for_a_focus_that_nobody_wants_is_deleted(api, north_shore, rendered, settings):
    settings.SETTLE = 0
    still = factories.shared_still(north_shore, rendered)
    story = made(api, scenes=[{"text": "x", "still": str(still.pk), "animation": "auto"}])
    scene = scenes_of(api, story)[0]
    for x in (0.1, 0.2):
        api.call("PATCH", url(story, scene), {"focus": [x, 0.5]})
        encodes.settle_due()
    assert [e.focus for e in Encode.objects.all()] == [[0.2, 0.5]]
    api.call("PATCH", url(story, scene), {"still": None, "animation": "none"})
    assert not Encode.objects.exists()
    assert Scene.objects.get().still_encode is None


def test_a_capsule_that_nobody_gave_a_title_is_advised_to_have_one(api):
    story = made(api, title="Untitled")
    hints = api.get(url(story, more="/readiness")).json()["advice"]
    assert [hint["path"] for hint in hints if hint["code"] == "title-untitled"] == ["title"]
    api.call("PATCH", url(story), {"title": "The last ferry"})
    hints = api.get(url(story, more="/readiness")).json()["advice"]
    assert not [hint for hint in hints if hint["code"] == "title-untitled"]


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
