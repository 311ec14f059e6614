"""Writing a capsule over HTTP: stories, scenes, order, trash, history, previews."""

from __future__ import annotations

import pytest

from accounts.models import Membership
from capsules.models import Scene, Story
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


def test_every_fault_of_a_new_story_is_named_at_its_place_and_nothing_is_made(api):
    scenes = [
        {"title": "a" * 81, "text": "b" * 2001, "alt": "c" * 501, "focus": [2, 0], "colour": 1},
        {"text": "a\u0000b", "finale": True},
        {"text": "fine"},
    ]
    answer = api.call("POST", "/stories", {"title": " \u200b", "language": "klingon!", "scenes": scenes})
    assert answer.status_code == 400
    assert {fault["path"] for fault in answer.json()["details"]} >= {
        "title",
        "language",
        "scenes.0.title",
        "scenes.0.text",
        "scenes.0.alt",
        "scenes.0.focus",
        "scenes.0.colour",
        "scenes.1.text",
    }
    assert not Story.objects.exists()
    finale_first = api.call("POST", "/stories", {"title": "x", "scenes": [{"finale": True}, {}]})
    assert finale_first.json()["details"] == [
        {"path": "scenes.0.finale", "message": "Only the last scene may be the finale."}
    ]


@pytest.mark.both_databases
@pytest.mark.parametrize("text", ["a\u0000b", "\ud800"])
def test_text_that_no_database_can_keep_is_refused_in_words(api, story, text):
    scene = scenes_of(api, story)[0]
    for path, field in ((url(story, scene), "text"), (url(story), "title"), (url(story), "summary")):
        answer = api.call("PATCH", path, {field: text})
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, field)


def test_markup_and_marks_of_direction_stay_the_text_that_they_are(api, story):
    text = "<script>alert(1)</script> \u202egnirts\u202c & 🛶" + "🛶" * 1900
    answer = api.call("PATCH", url(story, scenes_of(api, story)[0]), {"text": text})
    assert (answer.status_code, answer.json()["text"]) == (200, text)


def test_the_hundredth_scene_is_taken_and_the_next_one_is_not(api):
    story = made(api, scenes=[{"text": str(n)} for n in range(99)])
    assert api.call("POST", url(story, more="/scenes"), {"text": "last"}).status_code == 201
    answer = api.call("POST", url(story, more="/scenes"), {"text": "too many"})
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "A capsule has at most 100 scenes; this one has 101.",
    )
    assert api.call("POST", "/stories", {"title": "x", "scenes": [{}] * 101}).status_code == 409


def test_media_of_another_workspace_or_kind_is_refused_at_its_field(
    api, story, harbour, north_shore, rendered
):
    foreign = factories.shared_still(harbour, rendered)
    own = factories.shared_still(north_shore, rendered)
    scene = scenes_of(api, story)[0]
    for changes, path in (({"still": str(foreign.pk)}, "still"), ({"film": str(own.pk)}, "film")):
        answer = api.call("PATCH", url(story, scene), changes)
        assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, path)


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


def test_scenes_are_put_where_they_are_wanted(api, story):
    one, _, three = scenes_of(api, story)
    api.call("POST", url(story, more="/scenes"), {"text": "zero", "after": None})
    api.call("POST", url(story, more="/scenes"), {"text": "half", "after": one["id"]})
    assert texts(api, story) == ["zero", "one", "half", "two", "three"]
    order = api.call("POST", url(story, three, "/move"), {"after": None}).json()["order"]
    assert order[0] == three["id"]
    assert texts(api, story) == ["three", "zero", "one", "half", "two"]
    answer = api.call("PUT", url(story, more="/scene-order"), {"scenes": list(reversed(order))})
    assert answer.status_code == 200
    assert texts(api, story) == ["two", "half", "one", "zero", "three"]
    assert [scene["position"] for scene in scenes_of(api, story)] == [0, 1, 2, 3, 4]
    refused = api.call("PUT", url(story, more="/scene-order"), {"scenes": order[1:]})
    assert (refused.status_code, refused.json()["details"][0]["path"]) == (409, "scenes")


def test_a_scene_behind_a_deleted_one_or_behind_the_finale_is_refused(api, story):
    one, two, three = scenes_of(api, story)
    assert api.call("DELETE", url(story, two)).status_code == 200
    answer = api.call("POST", url(story, one, "/move"), {"after": two["id"]})
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (409, "after")
    api.call("PATCH", url(story, three), {"finale": True})
    answer = api.call("POST", url(story, more="/scenes"), {"text": "late"})
    assert (answer.status_code, answer.json()["error"]) == (409, "Nothing comes after the finale.")
    answer = api.call("PATCH", url(story, one), {"finale": True})
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (409, "finale")


def test_a_deleted_scene_comes_back_where_it_was(api, story):
    two = scenes_of(api, story)[1]
    assert len(api.call("DELETE", url(story, two)).json()["order"]) == 2
    assert api.call("PATCH", url(story, two), {"text": "x"}).status_code == 404
    assert texts(api, story) == ["one", "three"]
    assert [scene["position"] for scene in scenes_of(api, story)] == [0, 1]
    assert api.call("POST", url(story, two, "/restore")).status_code == 200
    assert texts(api, story) == ["one", "two", "three"]


# --- Trash -----------------------------------------------------------------------------------------------------


def test_a_story_in_the_trash_is_gone_until_it_is_restored(api, story):
    answer = api.call("DELETE", url(story))
    assert (answer.status_code, set(answer.json())) == (200, {"deletedAt", "purgeAt"})
    for method, path in (("GET", ""), ("PATCH", ""), ("GET", "/scenes"), ("GET", "/publication")):
        assert api.call(method, url(story, more=path)).status_code == 404
    assert [s["id"] for s in api.get("/stories?state=trash").json()["items"]] == [story["id"]]
    assert api.get("/stories").json()["items"] == []
    assert api.call("POST", url(story, more="/restore")).json()["deletedAt"] is None
    assert api.call("POST", url(story, more="/restore")).status_code == 409
    assert texts(api, story) == ["one", "two", "three"]


def test_a_live_story_is_deleted_only_by_who_says_so_and_its_link_opens_nothing(api, live_story, client):
    path = api.state(live_story).json()["url"]
    assert api.call("DELETE", f"/stories/{live_story.pk}").status_code == 409
    assert client.get(path).status_code == 200
    assert api.call("DELETE", f"/stories/{live_story.pk}?unpublish=true").status_code == 200
    assert client.get(path).status_code == 404
    restored = api.call("POST", f"/stories/{live_story.pk}/restore").json()
    assert restored["publication"]["isPublished"] is False
    assert api.publish(live_story).json()["url"] == path, "the address stays reserved"


# --- History ---------------------------------------------------------------------------------------------------


def test_an_earlier_draft_comes_back_whole_and_that_can_be_undone(api, story):
    named = api.call("POST", url(story, more="/revisions"), {"label": "Before the rewrite"}).json()
    one, two, three = scenes_of(api, story)
    api.call("PATCH", url(story, one), {"text": "ONE"})
    api.call("DELETE", url(story, two))
    api.call("POST", url(story, more="/scenes"), {"text": "four"})
    api.call("POST", url(story, three, "/move"), {"after": None})
    assert texts(api, story) == ["three", "ONE", "four"]
    answer = api.call("POST", url(story, more=f"/revisions/{named['number']}/restore"))
    assert [scene["text"] for scene in answer.json()["scenes"]] == ["one", "two", "three"]
    assert [scene["id"] for scene in answer.json()["scenes"]] == [one["id"], two["id"], three["id"]]
    assert answer["ETag"] == api.get(url(story, more="/draft"))["ETag"]
    undo = next(r for r in api.get(url(story, more="/revisions")).json()["items"] if r["kind"] == "restored")
    api.call("POST", url(story, more=f"/revisions/{undo['number']}/restore"))
    assert texts(api, story) == ["three", "ONE", "four"]


def test_a_purged_scene_does_not_come_back_into_a_capsule_that_is_full(api, story, settings):
    named = api.call("POST", url(story, more="/revisions"), {"label": "Start"}).json()
    one = scenes_of(api, story)[0]
    api.call("DELETE", url(story, one))
    Scene.every.filter(key=one["id"]).delete()
    api.call("POST", url(story, more="/scenes"), {"text": "four"})
    settings.SCENES_PER_STORY = 3
    restore = url(story, more=f"/revisions/{named['number']}/restore")
    answer = api.call("POST", restore, {"scenes": [one["id"]]})
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (409, "scenes")
    assert texts(api, story) == ["two", "three", "four"]
    assert api.call("POST", restore).status_code == 200, "as a whole it has no more than three"
    assert texts(api, story) == ["one", "two", "three"]


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


def test_a_scene_is_read_where_its_location_says_with_the_tag_that_changes_it(api, story):
    made = api.call("POST", url(story, more="/scenes"), {"text": "New."})
    read = api.get(made["Location"].removeprefix("/api/v2"))
    assert (read.status_code, read.json(), read["ETag"]) == (200, made.json(), made["ETag"])
    changed = api.call(
        "PATCH", url(story, made.json()), {"text": "Newer."}, headers={"If-Match": read["ETag"]}
    )
    assert changed.status_code == 200
    api.call("DELETE", url(story, made.json()))
    assert api.get(made["Location"].removeprefix("/api/v2")).status_code == 404


def test_a_workspace_that_one_cannot_see_is_not_found_where_one_reads_and_where_one_writes(api, harbour):
    listed = api.get(f"/stories?workspaceId={harbour.pk}")
    made = api.call("POST", "/stories", {"title": "x", "workspaceId": str(harbour.pk)})
    assert (listed.status_code, listed.json()) == (made.status_code, made.json())
    assert listed.status_code == 404


def test_the_role_is_refused_before_the_body_is_looked_at(api, story, person):
    viewer = api.as_(person("viewer"))
    for path in (url(story), url(story, scenes_of(api, story)[0])):
        assert viewer.call("PATCH", path, {"colour": 1}).status_code == 403


def test_workspaces_are_told_by_their_titles_and_media_by_their_workspace(api, north_shore, harbour, owner):
    second = factories.make_workspace("archive", title="Archive", roles=[])
    for workspace, role in ((harbour, "viewer"), (second, "owner")):
        Membership.objects.create(workspace=workspace, user=owner, role=role)
        factories.shared_film(workspace)
    told = api.get("/workspaces").json()["items"]
    assert [item["title"] for item in told] == ["Archive", "Harbour Letters", "North Shore Press"]
    for workspace, number in ((north_shore, 0), (second, 1)):
        assert len(api.get(f"/media?workspaceId={workspace.pk}").json()["items"]) == number


def test_scenes_that_are_no_list_are_named_by_their_field(api):
    refused = api.call("POST", "/stories", {"title": "x", "scenes": {}})
    assert [fault["path"] for fault in refused.json()["details"]] == ["scenes"]


def test_the_secret_of_an_upload_link_is_not_kept_for_a_repeated_call(api):
    refused = api.call("POST", "/uploads/links", {}, headers={"Idempotency-Key": "again"})
    assert (refused.status_code, refused.json()["details"][0]["path"]) == (400, "Idempotency-Key")
