"""What lists and answers of authoring say, by value: in which order, to whom, and where they lead on."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actions.keys import create_api_key
from accounts.actors import Actor
from accounts.models import Connection, Membership, User
from capsules.actions import previews, revisions, trash
from capsules.models import Asset, Encode, Revision, Story
from tests.support import factories
from tests.support.authoring import made, scenes_of, texts, url
from tests.support.oauth import App

pytestmark = pytest.mark.django_db
NOBODY = "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"


def walked(api, path: str, key: str = "id") -> list:
    """What a list has, in pages of two."""
    found, cursor = [], ""
    while cursor is not None:
        page = api.get(f"{path}{'&' if '?' in path else '?'}limit=2{cursor and f'&cursor={cursor}'}").json()
        found += [item[key] for item in page["items"]]
        cursor = page["nextCursor"]
    return found


def refused(answer) -> tuple[int, list[tuple[str, str]]]:
    return answer.status_code, [(each["path"], each["message"]) for each in answer.json()["details"]]


# --- Workspaces ------------------------------------------------------------------------------------------------


def test_a_workspace_is_told_with_the_role_that_one_has_in_it(api, north_shore, harbour, owner):
    Membership.objects.create(workspace=harbour, user=owner, role="viewer")
    User.objects.filter(pk=owner.pk).update(default_workspace=harbour)
    owner.refresh_from_db()
    theirs = {"id": str(harbour.pk), "name": "harbour", "title": "Harbour Letters"}
    theirs |= {"role": "viewer", "plan": "free", "default": True}
    ours = {"id": str(north_shore.pk), "name": "north-shore", "title": "North Shore Press"}
    ours |= {"role": "owner", "plan": "pro", "default": False}
    assert api.get("/workspaces").json() == {"items": [theirs, ours], "nextCursor": None}
    _, key = create_api_key(north_shore, by=owner, scopes=["stories:read"])
    by_key = api.with_key(key).get("/workspaces").json()
    assert by_key == {"items": [ours | {"default": True}], "nextCursor": None}


def test_who_has_no_default_workspace_names_one(api, owner, north_shore):
    User.objects.filter(pk=owner.pk).update(default_workspace=None)
    owner.refresh_from_db()
    words = [("workspaceId", "Name a workspace: there is no default.")]
    for path, body in (
        ("/stories", {"title": "x"}),
        ("/uploads", {"kind": "picture", "filename": "a.png", "size": 9}),
        ("/uploads/links", {}),
    ):
        assert refused(api.call("POST", path, body)) == (400, words)
        body["workspaceId"] = str(north_shore.pk)
        assert api.call("POST", path, body).status_code == 201


def test_what_names_no_workspace_is_made_where_its_story_is_and_else_in_the_default_one(
    api, owner, harbour, north_shore
):
    Membership.objects.create(workspace=harbour, user=owner, role="editor")
    theirs = factories.make_draft(harbour)
    copy = api.call("POST", f"/stories/{theirs.pk}/duplicate", {}).json()
    assert (copy["workspaceId"], copy["title"]) == (str(harbour.pk), "Copy of A draft")
    assert made(api)["workspaceId"] == str(north_shore.pk)


# --- Lists -----------------------------------------------------------------------------------------------------


def test_stories_are_walked_from_the_last_edited_to_the_first_though_only_microseconds_lie_between(
    api, north_shore
):
    moment = timezone.now().replace(microsecond=500_000)
    stories = [factories.make_draft(north_shore, title=f"{n}") for n in range(5)]
    for place, each in enumerate(stories):
        at = moment + timedelta(microseconds=place * 7 % 5)
        Story.objects.filter(pk=each.pk).update(updated_at=at, created_at=moment - timedelta(hours=place))
    assert walked(api, "/stories", "title") == ["2", "4", "1", "3", "0"]
    by = Actor.by_token(api.user)
    for each in stories:
        trash.trash_story(each, by=by)
    Story.objects.update(updated_at=moment)
    assert sorted(walked(api, "/stories?state=trash", "title")) == ["0", "1", "2", "3", "4"]
    assert [each["title"] for each in api.get("/stories?state=trash&q=3").json()["items"]] == ["3"]


def test_media_are_walked_from_the_newest_to_the_oldest_though_only_microseconds_lie_between(
    api, north_shore
):
    moment = timezone.now().replace(microsecond=500_000)
    for place in (3, 0, 4, 1, 2):
        factories.make_asset(
            north_shore,
            name=f"{place}",
            filename=f"ferry {place}.png",
            created_at=moment + timedelta(microseconds=place),
        )
    assert walked(api, "/media", "filename") == [f"ferry {place}.png" for place in (4, 3, 2, 1, 0)]
    assert walked(api, "/media?q=RRY 3", "filename") == ["ferry 3.png"]
    assert walked(api, "/media?kind=film") == []


@pytest.mark.parametrize(
    ("title", "asked"),
    [
        ("Привет, мир", "ПРИВЕТ"),
        ("ΕΛΛΗΝΙΚΆ", "ελληνικά"),
        ("(1.5 km) 100 %", "(1.5 KM) 100 %"),
        ("a_b", "A_B"),
    ],
)
def test_a_search_knows_the_capitals_of_every_script_and_no_signs(title, asked, api, north_shore):
    factories.make_draft(north_shore, title=title)
    factories.make_draft(north_shore, title="Others, 115 km, 100, axb")
    card = {"kind": "picture", "width": 1, "height": 1}
    Asset.objects.create(workspace=north_shore, name="1", filename=title, **card)
    Asset.objects.create(workspace=north_shore, name="2", filename="others", **card)
    assert walked(api, f"/stories?q={quote(asked)}", "title") == [title]
    assert walked(api, f"/media?q={quote(asked)}", "filename") == [title]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("title", ["Café à la 한국의 Ǖbung"])
def test_a_search_finds_accents_written_as_one_character_and_as_two(title, form, api, north_shore):
    kept = unicodedata.normalize(form, title)
    for each in (kept, "Cafe a la creme"):
        factories.make_draft(north_shore, title=each)
        factories.make_asset(north_shore, name=each, filename=each)
    for asked in (unicodedata.normalize(asked, title.upper()) for asked in ("NFC", "NFD")):
        assert walked(api, f"/stories?q={quote(asked)}", "title") == [kept]
        assert walked(api, f"/media?q={quote(asked)}", "filename") == [kept]


def test_a_search_finds_the_very_characters_that_somebody_typed(api, north_shore):
    """Neither form keeps the sign of the unit."""
    title = "Spectra in \N{ANGSTROM SIGN}"
    factories.make_draft(north_shore, title=title)
    assert walked(api, f"/stories?q={quote(title)}", "title") == [title]


def test_previews_and_revisions_are_walked_from_the_latest_to_the_first(api, north_shore):
    draft, other = (factories.make_draft(north_shore) for _ in range(2))
    by = Actor.by_token(api.user)
    for each in (draft, other):
        for number in range(3):
            revisions.name_revision(each, f"{number}", by=by)
            previews.build_preview(each)
    assert walked(api, f"/stories/{draft.pk}/previews", "number") == [3, 2, 1]
    assert walked(api, f"/stories/{draft.pk}/revisions", "label") == ["2", "1", "0", ""]


def test_a_cursor_leads_on_in_its_own_list_alone(api, north_shore, person):
    one, two = (factories.make_draft(north_shore) for _ in range(2))
    previews.build_preview(one)
    previews.build_preview(one)
    revisions.name_revision(one, "Here", by=Actor.by_token(api.user))
    for name in "ab":
        factories.make_asset(north_shore, name=name, filename=f"a{name}")
    words = [("cursor", "This is not a cursor of this list. Send it back unchanged.")]
    for path, elsewhere in (
        ("/stories?", "/stories?state=trash&"),
        ("/stories?state=draft&", "/stories?"),
        ("/media?", "/media?q=a&"),
        ("/media?", f"/media?workspaceId={north_shore.pk}&"),
        (f"/stories/{one.pk}/previews?", f"/stories/{two.pk}/previews?"),
        (f"/stories/{one.pk}/revisions?", f"/stories/{two.pk}/revisions?"),
    ):
        cursor = api.get(f"{path}limit=1").json()["nextCursor"]
        assert api.get(f"{path}limit=1&cursor={cursor}").status_code == 200
        assert refused(api.get(f"{elsewhere}limit=1&cursor={cursor}")) == (400, words)
        if path.startswith("/stories?"):
            assert refused(api.as_(person("editor")).get(f"{path}limit=1&cursor={cursor}")) == (400, words)


def test_lists_of_a_workspace_have_what_is_in_it_and_nothing_where_one_cannot_see_it(
    api, owner, north_shore, harbour
):
    theirs = made(api.as_(harbour.memberships.get().user), title="Theirs")
    ours = made(api, title="Ours")
    unseen = api.call("POST", "/stories", {"title": "x", "workspaceId": str(harbour.pk)})
    assert (unseen.status_code, unseen.json()) == (404, {"error": "There is no such workspace."})
    for path in ("/stories", "/media"):
        answer = api.get(f"{path}?workspaceId={harbour.pk}")
        assert (answer.status_code, answer.json()) == (404, {"error": "There is no such workspace."})
    Membership.objects.create(workspace=harbour, user=owner, role="viewer")
    assert {one["id"] for one in api.get("/stories").json()["items"]} == {ours["id"], theirs["id"]}
    for workspace, one in ((harbour, theirs), (north_shore, ours)):
        factories.shared_film(workspace)
        assert len(api.get(f"/media?workspaceId={workspace.pk}").json()["items"]) == 1
        for state in ("all", "draft"):
            listed = api.get(f"/stories?workspaceId={workspace.pk}&state={state}").json()["items"]
            assert [each["id"] for each in listed] == [one["id"]]


def test_a_list_asks_the_database_no_more_often_for_more_rows(api, ready_story, rendered):
    def asked() -> dict[str, int]:
        found = {}
        for path in ("/stories", "/media", f"{story}/previews", f"{story}/revisions", f"{story}/editions"):
            with CaptureQueriesContext(connection) as queries:
                assert api.get(path).status_code == 200
            found[path] = len(queries)
        return found

    def more(number: int) -> None:
        factories.make_edition(ready_story, rendered, f"edition-{number}")
        other = factories.make_story(ready_story.workspace, rendered, title="Another")
        Story.objects.filter(pk=other.pk).update(cover=other.scenes.last(), edited_by=api.user)
        revisions.name_revision(ready_story, "Here", by=Actor.by_token(api.user))
        film = factories.make_asset(ready_story.workspace, kind="film", name=f"{number}", filename="a")
        still = factories.shared_still(ready_story.workspace, rendered)
        factories.make_asset(
            film.workspace,
            name=f"still {number}",
            poster_of=film,
            filename="b",
            still_encode=still.still_encode,
        )
        previews.build_preview(ready_story)

    story = f"/stories/{ready_story.pk}"
    more(0)
    few = asked()
    for number in range(1, 4):
        more(number)
    assert asked() == few


def test_editions_are_listed_from_the_first_to_the_last_without_those_in_the_trash(api, story):
    names = ["deutsch", "classroom", "another"]
    first, second, third = (
        api.call("POST", url(story, more="/editions"), {"name": name}).json() for name in names
    )
    listed = api.get(url(story, more="/editions")).json()
    assert [each["editionName"] for each in listed["items"]] == names and listed["nextCursor"] is None
    assert [each["sceneCount"] for each in listed["items"]] == [3, 3, 3]
    api.call("DELETE", url(second))
    assert [e["id"] for e in api.get(url(story, more="/editions")).json()["items"]] == [
        first["id"],
        third["id"],
    ]
    api.call("DELETE", url(third))
    in_trash = api.get("/stories?state=trash").json()["items"]
    assert {each["id"] for each in in_trash} == {second["id"], third["id"]}, "each went by itself"


# --- Revisions -------------------------------------------------------------------------------------------------


def test_a_revision_is_told_as_it_is_kept_with_who_made_it(api, story, owner, person):
    answer = api.call("POST", url(story, more="/revisions"), {"label": " Before the rewrite"})
    kept = Revision.objects.get(kind="named")
    Revision.objects.filter(pk=kept.pk).update(created_at=kept.created_at - timedelta(hours=1))
    told = {"number": kept.number, "kind": "named", "label": " Before the rewrite", "by": "Owner"}
    told |= {"via": "api", "changes": kept.changes}
    assert answer.status_code == 201
    assert answer.json() | told == answer.json()
    assert answer["Location"] == f"/api/v2/stories/{story['id']}/revisions/{kept.number}"
    api.as_(person("editor")).call("PATCH", url(story, scenes_of(api, story)[0]), {"text": "ONE"})
    read = api.get(answer["Location"].removeprefix("/api/v2")).json()
    assert read | told == read and read["createdAt"] < read["updatedAt"]
    assert [scene["text"] for scene in read["content"]["scenes"]] == ["one", "two", "three"]
    assert read["content"]["story"]["title"] == "Small voyages"
    for nameless in (User.objects.filter(pk=owner.pk), Revision.objects.filter(pk=kept.pk)):
        nameless.update(**{"name": ""} if nameless.model is User else {"by": None})
        listed = {each["number"]: each for each in api.get(url(story, more="/revisions")).json()["items"]}
        told = api.get(url(story, more=f"/revisions/{kept.number}")).json()
        assert listed[kept.number]["by"] is told["by"] is None, "never an address"


@pytest.mark.parametrize("label, message", [
    ("", "Give it a name."), (" \u200b", "Give it a name."), ("a" * 81, "At most 80 characters; this has 81."),
])  # fmt: skip
def test_a_revision_gets_a_name_that_one_can_read(label, message, api, story):
    answer = api.call("POST", url(story, more="/revisions"), {"label": label})
    assert answer.status_code == 400
    assert {"path": "label", "message": message} in answer.json()["details"]
    assert not Revision.objects.filter(kind="named").exists()


def test_a_draft_that_was_restored_is_told_as_it_is_now(api, story):
    kept = api.call("POST", url(story, more="/revisions"), {"label": "Here"}).json()["number"]
    api.call("PATCH", url(story), {"title": "Larger voyages"})
    api.call("DELETE", url(story, scenes_of(api, story)[1]))
    restored = api.call("POST", url(story, more=f"/revisions/{kept}/restore"), headers={"If-Match": '"3"'})
    assert restored.status_code == 200, restored.content
    now = api.get(url(story, more="/draft"))
    assert (restored.json(), restored["ETag"]) == (now.json(), now["ETag"])
    assert (now.json()["story"]["title"], now["ETag"]) == ("Small voyages", '"4"')


# --- Previews --------------------------------------------------------------------------------------------------


def test_a_preview_is_read_and_tried_again_by_its_own_number(api, ready_story):
    path = f"/stories/{ready_story.pk}/previews"
    api.call("PATCH", f"/stories/{ready_story.pk}", {"title": "Larger voyages"})
    built = api.call("POST", path)
    assert (built.status_code, built["Location"]) == (201, f"/api/v2{path}/2")
    assert built.json()["number"] == 2
    first, latest = (api.get(f"{path}/{number}").json() for number in ("1", "latest"))
    assert latest == api.get(f"{path}/2").json() == built.json()
    assert (first["number"], first["isCurrent"], latest["isCurrent"]) == (1, False, True)
    encode = ready_story.previews.get(number=1).encodes.filter(kind=Encode.Kind.CARD).get()
    Encode.objects.filter(pk=encode.pk).update(state=Encode.State.FAILED, error="It cannot be read.")
    again, replayed = (
        api.call("POST", f"{path}/1/retry", headers={"Idempotency-Key": "k-1"}) for _ in range(2)
    )
    assert (again.status_code, again.json()["number"], again["Retry-After"]) == (200, 1, "2")
    assert (replayed.json(), replayed["Idempotency-Replayed"]) == (again.json(), "true")
    assert again.json() == api.get(f"{path}/1").json()
    refusal = api.call("POST", f"{path}/1/retry")
    assert (refusal.status_code, refusal.json()) == (409, {"error": "Nothing of this preview failed."})
    for number in ("0", "3", "-1", "one"):
        answer = api.get(f"{path}/{number}")
        assert (answer.status_code, answer.json()) == (404, {"error": "There is no such preview."})
    assert api.call("POST", f"{path}/3/retry").status_code == 404


# --- Scenes ----------------------------------------------------------------------------------------------------


def test_a_scene_that_is_not_of_the_story_is_not_found_in_the_same_words_whatever_is_asked(
    api, story, person
):
    other = made(api, scenes=[{"text": "elsewhere"}])
    (foreign,) = scenes_of(api, other)
    gone = scenes_of(api, story)[0]
    api.call("DELETE", url(story, gone))
    bad = {"colour": 1}  # nobody looks at it
    for key in (foreign["id"], gone["id"], NOBODY, "first"):
        path = f"/stories/{story['id']}/scenes/{key}"
        calls = [("GET", path), ("PATCH", path), ("DELETE", path)]
        calls += [("POST", f"{path}/move"), ("POST", f"{path}/duplicate")]
        for method, address in calls:
            answer = api.call(method, address, bad)
            assert (answer.status_code, answer.json()) == (404, {"error": "There is no such scene."}), address
            if method != "GET":
                viewer = api.as_(person("viewer"))
                assert viewer.call(method, address, bad).status_code == 403, "the role comes first"
        if key != gone["id"]:
            answer = api.call("POST", f"{path}/restore")
            assert (answer.status_code, answer.json()) == (404, {"error": "There is no such scene."})
    assert texts(api, other) == ["elsewhere"] and texts(api, story) == ["two", "three"]
    kept = scenes_of(api, story)[0]
    api.call("DELETE", url(story))
    answer = api.call("PATCH", url(story, kept), bad)
    assert (answer.status_code, answer.json()) == (404, {"error": "There is no such story."})


def test_a_scene_is_told_where_it_stands_with_a_tag_and_an_address_where_it_is_new(api, story):
    new = api.call("POST", url(story, more="/scenes"), {"text": "four"})
    assert (new.status_code, new.json()["position"], new["ETag"]) == (201, 3, '"1"')
    copy = api.call("POST", url(story, new.json(), "/duplicate"))
    assert (copy.status_code, copy.json()["position"], copy.json()["text"]) == (201, 4, "four")
    assert copy["Location"] == f"/api/v2/stories/{story['id']}/scenes/{copy.json()['id']}"
    changed = api.call("PATCH", url(story, new.json()), {"text": "five"})
    assert (changed.status_code, changed["ETag"], "Location" in changed) == (200, '"2"', False)
    first = scenes_of(api, story)[0]
    assert api.call("POST", url(story, more="/scenes"), {"after": first["id"]}).json()["position"] == 1
    left = [scene["id"] for scene in scenes_of(api, story) if scene["id"] != new.json()["id"]]
    gone = api.call("DELETE", url(story, new.json()), headers={"If-Match": '"2"'})
    assert (gone.status_code, gone.json()) == (200, {"order": left})
    back = api.call("POST", url(story, new.json(), "/restore"))
    assert (back.status_code, "Location" in back) == (200, False)
    assert back.json() == api.get(url(story, new.json())).json() == scenes_of(api, story)[4]
    order = [each["id"] for each in reversed(scenes_of(api, story))]
    assert api.call("PUT", url(story, more="/scene-order"), {"scenes": order}).json() == {"order": order}
    moved = api.call("POST", url(story, new.json(), "/move"), {"after": order[-1]}).json()["order"]
    assert moved == [scene["id"] for scene in scenes_of(api, story)] and moved[-1] == new.json()["id"]


def test_a_fault_of_a_new_scene_is_named_without_its_place(api, story):
    answer = api.call("POST", url(story, more="/scenes"), {"text": "a\u0007", "still": NOBODY})
    assert {each["path"] for each in answer.json()["details"]} <= {"text", "still"}
    answer = api.call("POST", url(story, more="/scenes"), {"still": NOBODY})
    assert refused(answer) == (400, [("still", "This workspace has no picture of this id.")])


# --- Stories ---------------------------------------------------------------------------------------------------


def test_the_tag_of_a_story_is_its_version_and_that_of_its_draft_its_revision(api, story):
    api.call("PATCH", url(story, scenes_of(api, story)[0]), {"text": "ONE"})
    changed = api.call("PATCH", url(story), {"title": "Larger voyages"}, headers={"If-Match": '"1"'})
    read, draft = api.get(url(story)), api.get(url(story, more="/draft"))
    assert (changed["ETag"], read["ETag"], draft["ETag"]) == ('"2"', '"2"', '"3"')
    assert changed.json() == read.json() == draft.json()["story"]
    assert (read.json()["title"], read.json()["version"], read.json()["revision"]) == ("Larger voyages", 2, 3)


def test_a_draft_is_not_sent_again_to_who_has_this_revision(api):
    path = url(made(api), more="/draft")
    same = ('"1"', '"9", "1"', '"1", "9"', 'W/"1"', '"1-gzip"', ' "1" ', "1", "*")
    for tag, status in (
        (tag, 304 if tag in same else 200) for tag in (*same, '"2"', '"0"', '"9", "x"', "x", "")
    ):
        answer = api.get(path, headers={"If-None-Match": tag})
        assert (answer.status_code, answer["ETag"], bool(answer.content)) == (status, '"1"', status == 200), (
            tag
        )


def test_a_copy_is_a_story_of_its_own_and_told_as_that(api, story):
    copy = api.call("POST", url(story, more="/duplicate"), {"title": "Again"})
    told = copy.json()
    assert (copy.status_code, told["title"], told["sceneCount"], copy["ETag"]) == (201, "Again", 3, '"1"')
    assert copy["Location"] == f"/api/v2/stories/{told['id']}" and told["id"] != story["id"]
    assert api.call("POST", url(story, more="/duplicate")).json()["title"] == "Copy of Small voyages"


def test_an_edition_is_told_with_its_name_its_tag_and_its_address(api, story):
    body = {"name": "classroom", "label": "For the classroom", "language": "de", "shown": True}
    answer = api.call("POST", url(story, more="/editions"), body)
    told = answer.json()
    assert (answer.status_code, answer["ETag"]) == (201, '"1"')
    assert answer["Location"] == f"/api/v2/stories/{told['id']}"
    names = ("capsuleId", "editionName", "editionLabel", "language", "shown", "sceneCount")
    assert [told[name] for name in names] == [story["id"], *list(body.values()), 3]


def test_what_goes_to_the_trash_is_told_with_when_and_until_when(api, story, settings):
    settings.TRASH_RETENTION = timedelta(days=9)
    before = timezone.now()
    told = api.call("DELETE", url(story)).json()
    deleted, purged = (timezone.datetime.fromisoformat(told[name]) for name in ("deletedAt", "purgeAt"))
    assert before <= deleted <= timezone.now() and purged - deleted == timedelta(days=9)
    assert api.get("/stories?state=trash").json()["items"][0]["deletedAt"] == told["deletedAt"]


@pytest.mark.parametrize(
    "unpublish, status", [("", 409), ("?unpublish=false", 409), ("?unpublish=true", 200)]
)
def test_a_live_story_is_taken_down_by_who_says_so_alone(unpublish, status, api, live_story):
    answer = api.call("DELETE", f"/stories/{live_story.pk}{unpublish}")
    assert answer.status_code == status
    refused_value = api.call("DELETE", f"/stories/{live_story.pk}?unpublish=yes")
    assert refused_value.status_code == (400 if status == 409 else 404)


def test_only_who_may_publish_says_that_a_story_is_taken_down_with_it(api, story, owner):
    app = App(owner).connect("stories:read stories:write")
    denied = app.call("DELETE", f"{url(story)}?unpublish=true")
    assert denied.status_code == 403 and "publications:write" in denied.json()["error"]
    assert app.call("DELETE", f"{url(story)}?unpublish=false").status_code == 200


def test_how_readers_find_an_edition_of_a_live_story_is_changed_by_who_may_publish(
    owner, live_story, rendered, north_shore
):
    app = App(owner).connect("stories:read stories:write")
    edition = factories.make_edition(live_story, rendered)
    draft = factories.make_edition(factories.make_draft(north_shore), rendered)
    for field, value in (("shown", False), ("editionName", "school"), ("editionLabel", "For schools")):
        for each in (edition, live_story):
            denied = app.call("PATCH", f"/stories/{each.pk}", {field: value})
            assert denied.status_code == 403 and "publications:write" in denied.json()["error"]
        assert app.call("PATCH", f"/stories/{draft.pk}", {field: value}).json()[field] == value
    edition.refresh_from_db()
    assert (edition.shown, edition.edition_name, edition.edition_label) == (True, "classroom", "Classroom")
    assert app.call("PATCH", f"/stories/{edition.pk}", {"title": "New words"}).status_code == 200
    assert Connection.objects.live().exists()


# --- Media -----------------------------------------------------------------------------------------------------


def test_a_file_that_was_deleted_says_when(api, north_shore, rendered):
    still = factories.shared_still(north_shore, rendered)
    Asset.objects.filter(pk=still.pk).update(created_at=timezone.now() - timedelta(days=1))
    before = timezone.now()
    told = api.call("DELETE", f"/media/{still.pk}").json()
    still.refresh_from_db()
    assert timezone.datetime.fromisoformat(told["deletedAt"]) == still.deleted_at >= before
    gone = api.call("DELETE", f"/media/{still.pk}")
    assert (gone.status_code, gone.json()) == (404, {"error": "There is no such media."})
