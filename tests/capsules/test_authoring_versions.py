"""Versions of drafts: who is late, who is told what, and what raises them."""

from __future__ import annotations

import pytest

from capsules.models import Revision
from tests.support.authoring import scenes_of, url

pytestmark = pytest.mark.django_db


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


def test_the_version_is_understood_as_proxies_send_it(api, story):
    scene = scenes_of(api, story)[0]
    for tag in ('"1"', 'W/"1"', '"1-gzip"', '"7", "1"', "*", "1"):
        answer = api.call("PATCH", url(story, scene), {"text": scene["text"]}, headers={"If-Match": tag})
        assert answer.status_code == 200, tag


def test_a_version_that_nobody_can_read_is_refused_at_its_header(api, story):
    scene = scenes_of(api, story)[0]
    for tag in ("", '"x"', '"2', "2.0", '"1", later', '"-1"'):
        answer = api.call("PATCH", url(story, scene), {"text": "Refused"}, headers={"If-Match": tag})
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "If-Match"), tag
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
        assert late["ETag"] == ('"3"' if "revisions" in address else '"2"')
        assert late.has_header("Location") == bool(body)
        if body:
            kept = api.get(late["Location"].removeprefix("/api/v2")).json()
            assert (kept["kind"], name in str(kept["content"])) == ("conflict", True)


def test_whoever_changes_a_draft_hears_which_revision_of_it_that_made(api, story):
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
    answers.append(api.call("PATCH", url(story), {"title": "New"}))
    answers.append(api.call("POST", url(story, more="/scenes"), {"text": "New."}))
    order = [scene["id"] for scene in scenes_of(api, story)]
    answers.append(api.call("PUT", url(story, more="/scene-order"), {"scenes": order[::-1]}))
    revisions = [int(answer["Draft-Revision"]) - story["revision"] for answer in answers]
    assert revisions == [1, 1, 2, 3, 4, 5, 6, 7, 8]
