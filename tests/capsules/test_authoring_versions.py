"""Versions of drafts: who is late, who is told what, and what raises them."""

from __future__ import annotations

import pytest

from capsules.models import Revision, Scene
from tests.support.authoring import scenes_of, texts, url

pytestmark = pytest.mark.django_db


def test_a_stale_change_is_refused_and_what_was_refused_is_kept(api, person, story):
    scene = scenes_of(api, story)[0]
    first = api.as_(person("editor")).call(
        "PATCH", url(story, scene), {"text": "theirs"}, headers={"If-Match": '"1"'}
    )
    assert (first.status_code, first["ETag"]) == (200, '"2"')
    late = api.call("PATCH", url(story, scene), {"text": "mine"}, headers={"If-Match": '"1"'})
    assert (late.status_code, late["ETag"]) == (412, '"2"')
    assert late.json()["error"] == (
        "This scene was changed meanwhile by Editor. Your version is kept in the history."
    )
    assert late.json()["details"][0]["path"] == "text"
    kept = api.get(late["Location"].removeprefix("/api/v2")).json()
    assert (kept["kind"], kept["content"]["scenes"][0]["text"]) == ("conflict", "mine")
    assert texts(api, story)[0] == "theirs"


def test_what_is_refused_twice_or_was_saved_already_is_kept_once(api, person, story):
    scene = scenes_of(api, story)[0]
    other = api.as_(person("editor"))
    other.call("PATCH", url(story, scene), {"text": "theirs"}, headers={"If-Match": '"1"'})

    def late(text, who=api):
        answer = who.call("PATCH", url(story, scene), {"text": text}, headers={"If-Match": '"1"'})
        assert answer.status_code == 412
        return api.get(answer["Location"].removeprefix("/api/v2")).json()

    assert late("mine")["number"] == late("mine")["number"]
    assert late("theirs", other)["kind"] == "auto"
    assert late("mine again")["number"] > late("mine")["number"]
    conflicts = Revision.objects.filter(story=story["id"], kind=Revision.Kind.CONFLICT).order_by("number")
    assert [kept.content["scenes"][0]["text"] for kept in conflicts] == ["mine", "mine again"]


@pytest.mark.parametrize("tag", ['"1"', 'W/"1"', '"1-gzip"', '"7", "1"', "*", "1"])
def test_the_version_is_understood_as_proxies_send_it(api, story, tag):
    scene = scenes_of(api, story)[0]
    assert api.call("PATCH", url(story, scene), {"text": "x"}, headers={"If-Match": tag}).status_code == 200


@pytest.mark.parametrize("tag", ["", '"x"', '"2', "2.0", '"1", later', '"-1"'])
def test_a_version_that_nobody_can_read_is_refused_at_its_header(api, story, tag):
    scene = scenes_of(api, story)[0]
    for method, address, body in (
        ("PATCH", url(story), {"title": "Refused"}),
        ("PATCH", url(story, scene), {"text": "Refused"}),
        ("DELETE", url(story, scene), None),
        ("POST", url(story, more="/revisions/1/restore"), None),
    ):
        answer = api.call(method, address, body, headers={"If-Match": tag})
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "If-Match")
    assert not Revision.objects.filter(kind=Revision.Kind.CONFLICT).exists()


def test_who_is_late_for_their_own_change_hears_that_it_was_their_own(api, story):
    scene = scenes_of(api, story)[0]
    words = "You changed this {} in another tab or program."
    kept = " Your version is kept in the history."
    for method, address, body, told in (
        ("PATCH", url(story), {"title": "%d"}, words.format("story") + kept),
        ("PATCH", url(story, scene), {"text": "%d"}, words.format("scene") + kept),
        ("DELETE", url(story, scene), None, words.format("scene")),
        ("POST", url(story, more="/revisions/1/restore"), None, words.format("draft")),
    ):
        if body:
            (name,) = body
            assert api.call(method, address, {name: "first"}, headers={"If-Match": "1"}).status_code == 200
        late = api.call(method, address, body, headers={"If-Match": "1"})
        assert (late.status_code, late.json()["error"]) == (412, told)
        assert late.has_header("Location") == bool(body)


def test_a_version_that_is_still_to_come_blames_nobody(api, story):
    answer = api.call("PATCH", url(story), {"title": "Ahead"}, headers={"If-Match": '"99"'})
    assert answer.status_code == 412
    assert answer.json() == {
        "error": "This story has no version 99 yet; it is at version 1. Your version is kept in the history."
    }


def test_a_change_that_changes_nothing_raises_no_version_and_is_not_kept(api, story):
    scene = scenes_of(api, story)[0]
    before = api.get(url(story)).json()
    for address, body in (
        (url(story), {}),
        (url(story), {"title": before["title"], "cover": None}),
        (url(story, scene), {}),
        (url(story, scene), {"text": "one", "focus": scene["focus"], "still": None, "animation": "none"}),
    ):
        answer = api.call("PATCH", address, body)
        assert (answer.status_code, answer["ETag"]) == (200, '"1"'), answer.content
    assert api.get(url(story)).json() == before
    assert Revision.objects.filter(story=story["id"]).count() == 1
    assert Scene.objects.get(key=scene["id"]).focus_chosen, "whoever sends a focus has chosen it"


def test_two_people_in_two_scenes_never_meet(api, story):
    first, second, _ = scenes_of(api, story)
    for turn, scene in enumerate((first, second, first, second)):
        current = next(s for s in scenes_of(api, story) if s["id"] == scene["id"])
        answer = api.call(
            "PATCH",
            url(story, scene),
            {"text": f"new {turn}"},
            headers={"If-Match": f'"{current["version"]}"'},
        )
        assert answer.status_code == 200
    assert api.get(url(story)).json()["revision"] == 5


def test_a_stale_change_of_the_story_is_refused_too(api, story):
    assert api.call("PATCH", url(story), {"title": "First"}, headers={"If-Match": '"1"'}).status_code == 200
    late = api.call("PATCH", url(story), {"title": "Second"}, headers={"If-Match": '"1"'})
    assert late.status_code == 412
    kept = api.get(late["Location"].removeprefix("/api/v2")).json()
    assert kept["content"]["story"]["title"] == "Second"
    assert api.get(url(story)).json()["title"] == "First"


def test_a_refused_cover_is_kept_with_the_words_that_came_with_it(api, story):
    second = scenes_of(api, story)[1]["id"]
    told = api.call("PATCH", url(story), {"title": "First"}, headers={"If-Match": '"1"'})
    assert told["ETag"] == '"2"', "one change is one version"
    late = {"title": "Second", "cover": second}
    answer = api.call("PATCH", url(story), late, headers={"If-Match": '"1"'})
    assert sorted(each["path"] for each in answer.json()["details"]) == ["cover", "title"]
    kept = api.get(answer["Location"].removeprefix("/api/v2")).json()["content"]["story"]
    assert (kept["title"], kept["cover"]) == ("Second", second)


def test_the_draft_says_when_it_has_not_changed(api, story):
    draft = api.get(url(story, more="/draft"))
    assert [scene["text"] for scene in draft.json()["scenes"]] == ["one", "two", "three"]
    again = api.get(url(story, more="/draft"), headers={"If-None-Match": draft["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert api.get(url(story, more="/draft"), headers={"If-None-Match": "*"}).status_code == 304
    api.call("POST", url(story, more="/scenes"), {"text": "four"})
    assert api.get(url(story, more="/draft"), headers={"If-None-Match": draft["ETag"]}).status_code == 200


def test_whoever_changes_a_scene_hears_which_revision_of_the_draft_that_made(api, story):
    first, second = scenes_of(api, story)[:2]
    changes = [
        ("PATCH", "", {"text": "x"}),
        ("PATCH", "", {"text": "x"}),  # no change, and no other revision
        ("POST", "/duplicate", None),
        ("POST", "/move", {"after": second["id"]}),
        ("DELETE", "", None),
        ("POST", "/restore", None),
    ]
    answers = [api.call(method, url(story, first, more), body) for method, more, body in changes]
    answers.append(api.call("POST", url(story, more="/scenes"), {"text": "New."}))
    order = [scene["id"] for scene in scenes_of(api, story)]
    answers.append(api.call("PUT", url(story, more="/scene-order"), {"scenes": order[::-1]}))
    assert [int(answer["Draft-Revision"]) - story["revision"] for answer in answers] == [
        1,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    ]
