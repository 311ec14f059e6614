"""What uploads and their links answer, by value: what is begun, how far it is, what became of it, and who is told."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.actions import keys
from accounts.idempotency import TOLD_ONCE
from accounts.models import Membership, WorkspaceEvent
from capsules import storage
from capsules.models import Asset, Upload, UploadLink, UploadPart
from capsules.uploads import checking, creating, links, receiving
from config.errors import Conflict
from tests.capsules.test_upload_links import Sender, put
from tests.capsules.test_uploads import begin, left_behind, send
from tests.support import factories, media_files
from tests.support.checking import check_uploads
from tests.support.oauth import App

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("small_slices")]
OVER = "This upload link has expired, or has taken all its files. Please ask for a new one."


def details(answer) -> list[tuple[str, str]]:
    assert answer.status_code == 400, answer.content
    return [(each["path"], each["message"]) for each in answer.json()["details"]]


def link_of(api, **body) -> str:
    """The path of a new link."""
    answer = api.call("POST", "/uploads/links", body)
    assert answer.status_code == 201, answer.content
    return answer.json()["url"].removeprefix(settings.APP_URL)


def events() -> list[dict]:
    return [
        {**event.data, "type": event.type}
        for event in WorkspaceEvent.objects.order_by("pk")
        if event.type.startswith("upload.")
    ]


# --- Uploads over the API --------------------------------------------------------------------------------------


def test_an_upload_is_told_whole_at_each_of_its_steps(api, picture, owner):
    before = timezone.now()
    told = begin(api, size=len(picture)).json()
    ends = datetime.fromisoformat(told.pop("expiresAt"))
    assert timedelta(0) <= ends - before - settings.UPLOAD_RETENTION < timedelta(minutes=1)
    id = told["id"]
    expected = {
        "id": id,
        "state": "receiving",
        "uploadUrl": f"{settings.BASE_URL}/api/v2/uploads/{id}/content",
        "offset": 0,
        "size": len(picture),
        "mediaId": None,
        "storyId": None,
        "sceneId": None,
        "error": None,
        "note": None,
    }
    assert told == expected
    assert send(api, id, picture[:700]).status_code == 204
    now = api.get(f"/uploads/{id}").json()
    assert now | expected | {"offset": 700} == now
    head = api.call("HEAD", f"/uploads/{id}/content")
    assert (head["Upload-Offset"], head["Upload-Length"]) == ("700", str(len(picture)))
    assert (head["Cache-Control"], head["Tus-Resumable"]) == ("no-store", "1.0.0")
    assert send(api, id, picture[700:], offset=700).status_code == 204
    check_uploads()
    now = api.get(f"/uploads/{id}").json()
    upload = Upload.objects.get()
    ready = {"state": "ready", "offset": len(picture), "mediaId": str(upload.asset_id)}
    assert now | expected | ready == now
    assert upload.finished_at and (upload.lease_token, upload.lease_until) == (None, None)
    assert (upload.created_by, upload.asset.created_by) == (owner, owner)
    assert (upload.asset.filename, left_behind()) == ("ferry.png", [])
    with storage.originals().open(upload.asset.name) as original:
        assert original.read() == picture
    assert api.get(f"/uploads/{id}?colour=1").json()["details"][0]["path"] == "colour"
    nothing = api.get("/uploads/c2b6a1de-4a55-4a07-8f0a-52cf5d1a9c01")
    assert (nothing.status_code, nothing.json()) == (404, {"error": "There is no such upload."})


@pytest.mark.parametrize("body, name", [
    ({"filename": "a.jpg"}, "a.jpg"), ({"filename": ""}, "ferry crossing.png"), ({}, "ferry crossing.png"),
])  # fmt: skip
def test_a_file_from_an_address_is_called_as_its_author_says_or_as_its_address_ends(body, name, api):
    address = {"sourceUrl": "https://photos.example/2026/ferry crossing.png?size=large/huge"}
    answer = api.call("POST", "/uploads", {"kind": "picture", **address, **body})
    if body.get("filename") == "":
        assert details(answer) == [("filename", "Must not be empty.")]
        return
    told = answer.json()
    assert answer.status_code == 201
    assert (told["state"], told["uploadUrl"], told["size"], told["offset"]) == ("checking", None, None, 0)
    assert Upload.objects.get().filename == name
    head = api.call("HEAD", f"/uploads/{told['id']}/content")
    assert (head.status_code, head["Upload-Offset"], "Upload-Length" in head) == (200, "0", False)
    refused = send(api, told["id"], b"x")
    words = "The service fetches this file itself; nothing can be sent to it."
    assert (refused.status_code, refused.json()) == (413, {"error": words})


@pytest.mark.parametrize("body, path, message", [
    ({"filename": "a"}, "size", "Give either size or sourceUrl."),
    ({"size": 9, "sourceUrl": "https://a.example/b.jpg"}, "size", "Give either size or sourceUrl."),
    ({"size": 9}, "filename", "This is needed."), ({"size": 0, "filename": "a"}, "size", "At least 1."),
    ({"size": 9, "filename": "a" * 201}, "filename", "At most 200 characters."),
    ({"sourceUrl": "https://a.example/" + "b" * 1983}, "sourceUrl", "At most 2000 characters."),
    ({"sourceUrl": "ftp://a.example/b"}, "sourceUrl", "Must be an address like https://example.com/picture.jpg."),
    ({"size": 9, "filename": "a", "sceneId": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"}, "storyId",
     "Name the story of this scene."),
])  # fmt: skip
def test_what_is_wrong_with_a_new_upload_is_said_at_its_field(body, path, message, api):
    assert details(api.call("POST", "/uploads", {"kind": "picture", **body})) == [(path, message)]


def test_all_that_a_new_upload_lacks_is_said_at_once(api):
    lacks = details(api.call("POST", "/uploads", {"kind": "film"}))
    assert [path for path, _ in lacks] == ["size", "filename"]


def test_a_new_upload_is_an_object_of_who_may_write(api, person):
    assert details(api.call("POST", "/uploads", data="[]")) == [("", "Must be a JSON object.")]
    viewer = api.as_(person("viewer"))
    assert viewer.call("POST", "/uploads", data="[]").status_code == 403, "the role comes first"


def test_a_name_and_an_address_may_be_as_long_as_they_may_be(api):
    assert begin(api, size=9, filename="a" * 200).status_code == 201
    address = "https://a.example/" + "b" * 1982
    assert api.call("POST", "/uploads", {"kind": "picture", "sourceUrl": address}).status_code == 201
    assert set(Upload.objects.values_list("filename", flat=True)) == {"a" * 200, "b" * 200}


def test_who_names_a_story_of_another_workspace_is_told_so_at_the_story(api, owner, north_shore, harbour):
    Membership.objects.create(user=owner, workspace=harbour, role="editor")
    foreign = str(factories.make_draft(harbour).pk)
    answer = begin(api, size=9, storyId=foreign, workspaceId=str(north_shore.pk))
    link = api.call("POST", "/uploads/links", {"storyId": foreign, "workspaceId": str(north_shore.pk)})
    elsewhere = [("storyId", "This capsule belongs to another workspace.")]
    assert (details(answer), details(link)) == (elsewhere, elsewhere)
    assert begin(api, size=9, storyId=foreign, workspaceId=str(harbour.pk)).status_code == 201
    assert begin(api, size=9, storyId=foreign).status_code == 201
    assert {upload.workspace for upload in Upload.objects.all()} == {harbour}
    assert begin(api, size=9, storyId="x").json()["details"][0]["path"] == "storyId"


def test_an_upload_knows_who_sends_it_and_through_what(api, person, owner, north_shore):
    editor, key = person("editor"), keys.create_api_key(north_shore, by=owner, scopes=["stories:write"])
    begin(api.as_(editor), size=9)
    begin(api.with_key(key[1]), size=9)
    begin(App(owner).connect("stories:write"), size=9)
    found = Upload.objects.order_by("created_at").values_list("created_by", "via", "credential")
    assert list(found[:2]) == [
        (editor.pk, "token", f"user:{editor.pk}"),
        (owner.pk, "key", f"key:{key[0].pk}"),
    ]
    assert found[2][:2] == (owner.pk, "app") and found[2][2].startswith("connection:")


# --- Slices ----------------------------------------------------------------------------------------------------


def test_a_place_that_is_no_number_of_bytes_is_refused_at_its_header(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    for offset in ("", "-1", "00", "01", "1e3", "1x", " 1 1", "9" * 19):
        answer = send(api, id, picture, **{"Upload-Offset": offset})
        assert details(answer) == [("Upload-Offset", "This header must be a number of bytes.")], offset


def test_a_slice_without_a_length_or_of_another_type_is_refused_before_its_place_is_looked_at(
    api, client, picture
):
    id = begin(api, size=len(picture)).json()["id"]
    path, kind = f"/api/v2/uploads/{id}/content", "application/offset+octet-stream"
    for length in ("", "x", "1x", "-1"):
        headers = {"Upload-Offset": "0", **api.headers()}
        answer = client.generic(
            "PATCH", path, b"x", content_type=kind, headers=headers, CONTENT_LENGTH=length
        )
        assert (answer.status_code, answer.json()) == (
            411,
            {"error": "Say how many bytes follow: this address needs a Content-Length header."},
        )
    other = send(api, id, picture, type="application/json", **{"Upload-Offset": "x"})
    assert (other.status_code, other.json()["error"]) == (415, f"The Content-Type of a slice is {kind}.")
    length = {"CONTENT_TYPE": kind, "CONTENT_LENGTH": "0"}
    nothing = client.generic("PATCH", path, headers={"Upload-Offset": "0", **api.headers()}, **length)
    assert (nothing.status_code, nothing["Upload-Offset"]) == (204, "0")
    assert Upload.objects.get().lease_token is None and left_behind() == []


def test_a_slice_says_where_the_next_one_begins_and_frees_the_upload_for_it(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    ends = [1500, 2600, len(picture)]
    for start, end in zip([0, *ends], ends, strict=False):
        answer = send(api, id, picture[start:end], offset=start)
        assert (answer.status_code, answer["Upload-Offset"]) == (204, str(end))
        upload = Upload.objects.get()
        assert (upload.offset, upload.lease_token, upload.lease_until) == (end, None, None)
    parts = list(UploadPart.objects.values_list("offset", "size"))
    assert [offset for offset, _ in parts] == [0, 1000, 1500, 2500, *range(2600, len(picture), 1000)]
    assert sum(size for _, size in parts) == len(picture)
    repeated = send(api, id, picture[2600:], offset=2600)
    assert repeated.status_code == 409, "a slice that came already"
    for offset in (0, len(picture) + 1):
        gap = send(api, id, b"x", offset=offset)
        assert (gap.status_code, gap["Upload-Offset"]) == (409, str(len(picture)))
        assert gap.json() == {"error": f"The upload has {len(picture)} bytes. Please go on from there."}


def test_what_is_more_than_was_announced_is_refused_to_the_byte(api, picture):
    id = begin(api, size=100).json()["id"]
    over = send(api, id, picture[:101])
    assert (over.status_code, over.json()) == (
        413,
        {"error": "The upload was announced with 100 bytes; this would be more."},
    )
    assert over["Cache-Control"] == "no-store" and left_behind() == []
    assert send(api, id, picture[:99]).status_code == 204
    assert api.get(f"/uploads/{id}").json()["state"] == "receiving", "one byte is missing"
    assert send(api, id, picture[99:100], offset=99).status_code == 204
    assert api.get(f"/uploads/{id}").json()["state"] == "checking"
    assert Upload.objects.get().lease_until is None, "whoever checks it may begin at once"
    one = begin(api, size=1).json()["id"]
    told = "The upload was announced with 1 byte; this would be more."
    assert send(api, one, b"xx").json() == {"error": told}
    two = begin(api, size=2).json()["id"]
    send(api, two, b"x")
    assert send(api, two, b"x").json() == {"error": "The upload has 1 byte. Please go on from there."}


def test_an_upload_that_ended_says_how_to_whoever_goes_on(api, picture):
    id = begin(api, size=100).json()["id"]
    upload = Upload.objects.filter(pk=id)
    upload.update(expires_at=timezone.now() - timedelta(seconds=1))
    late = send(api, id, b"x")
    assert (late.status_code, late.json()) == (
        410,
        {"error": "This upload has expired. Please start it again."},
    )
    upload.update(state="refused", error="It is no picture.", offset=5)
    late = send(api, id, b"x", offset=0)
    assert (late.status_code, late.json()) == (409, {"error": "This file was refused: It is no picture."})
    upload.update(state="ready", offset=100)
    assert send(api, id, b"x", offset=100).status_code == 413


# --- Cancelling and expiring -----------------------------------------------------------------------------------


def test_who_cancels_takes_their_own_upload_and_leaves_every_other_one(api, picture):
    other, done, mine = (begin(api, size=len(picture)).json()["id"] for _ in range(3))
    send(api, other, picture[:100])
    send(api, done, picture)
    check_uploads()
    send(api, mine, picture[:100])
    assert api.call("DELETE", f"/uploads/{mine}/content").status_code == 204
    assert api.call("DELETE", f"/uploads/{done}/content").status_code == 204
    assert [str(pk) for pk in Upload.objects.values_list("pk", flat=True)] == [other]
    assert {name.split("/")[0] for name in left_behind()} == {other}
    assert Asset.objects.filter(kind="picture").count() == 1, "the file of a finished one stays"
    gone = Upload(pk=mine)
    creating.cancel_upload(gone)  # again, a moment later: it is gone as was wanted


def test_all_uploads_that_never_came_whole_are_dropped_and_are_remembered_from_then_on(api, picture):
    ids = [begin(api, size=len(picture)).json()["id"] for _ in range(3)]
    for id in ids:
        send(api, id, picture[:100])
    Upload.objects.filter(pk__in=ids[:2]).update(expires_at=timezone.now() - timedelta(seconds=1))
    before = timezone.now()
    assert checking.drop_overdue() == 2
    assert checking.drop_overdue() == 0
    states = {str(one.pk): (one.state, one.finished_at, one.lease_token) for one in Upload.objects.all()}
    for id in ids[:2]:
        state, finished, lease = states[id]
        assert (state, lease) == ("expired", None) and abs(finished - before) < timedelta(minutes=1)
        assert send(api, id, b"x", offset=100).status_code == 410
    assert states[ids[2]] == ("receiving", None, None)
    assert {name.split("/")[0] for name in left_behind()} == {ids[2]}


def test_a_piece_of_which_no_row_knows_goes_with_its_upload(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    send(api, id, picture[:100])
    UploadPart.objects.all().delete()
    assert len(left_behind()) == 2, "the piece and its folder"
    assert api.call("DELETE", f"/uploads/{id}/content").status_code == 204
    assert left_behind() == []


# --- How much a workspace may have -----------------------------------------------------------------------------


@pytest.mark.both_databases
def test_uploads_and_bytes_are_counted_for_each_workspace_by_its_plan(api, settings, north_shore, harbour):
    settings.UPLOADS_OPEN = 3
    settings.MEDIA_QUOTA = {"free": 50 * 10**6, "pro": 90 * 10**6}
    theirs = harbour.memberships.get().user

    def room(workspace, size: int) -> str:
        try:
            creating.begin_upload(workspace, kind="picture", filename="a.png", size=size * 10**6, by=theirs)
        except Conflict as refused:
            return str(refused)
        return ""

    full = "This file does not fit: the workspace may store {} GB. Delete files that no capsule uses."
    assert room(harbour, 40) == ""
    assert room(harbour, 11) == full.format("0.05")
    assert room(harbour, 10) == "", "to the last byte"
    assert [room(north_shore, size) for size in (40, 40)] == ["", ""]
    assert room(north_shore, 11) == full.format("0.09")
    Upload.objects.filter(workspace=north_shore).update(state="checking")
    assert room(north_shore, 11) == full.format("0.09"), "also what is still checked"
    Upload.objects.filter(workspace=north_shore).update(state="refused")
    file = {"workspace": north_shore, "kind": "picture", "filename": "a", "width": 1, "height": 1}
    Asset.objects.create(**file, name="a", bytes=80 * 10**6)
    assert (room(north_shore, 11), room(north_shore, 10)) == (full.format("0.09"), "")
    Upload.objects.all().update(state="checking", size=1)
    settings.MEDIA_QUOTA = {"free": 10**9, "pro": 10**9}
    assert room(north_shore, 1).startswith("3 uploads are under way in this workspace.")
    assert room(harbour, 1) == ""


@pytest.mark.parametrize("name, kept", [
    ("C:\\photos\\ferry.png", "ferry.png"), ("a/b/c.png", "c.png"), (" a.png ", "a.png"), ("a\tb\n.png", "ab.png"),
    ("/", "file"), (" \u200b\n", "file"), ("", "file"), ("a" * 300, "a" * 200), ("fähre 🛶.png", "fähre 🛶.png"),
])  # fmt: skip
def test_what_a_file_is_called(name, kept):
    assert creating.plain_name(name) == kept


def test_an_empty_file_is_refused_in_words_also_where_nobody_looked_at_its_size(client, api):
    link = link_of(api)
    assert details(put(client, link, b"", CONTENT_LENGTH="0")) == [("size", "This file is empty.")]
    assert UploadLink.objects.get().files == 0


# --- Who is told -----------------------------------------------------------------------------------------------


def test_the_log_is_told_once_of_each_file_that_was_taken_or_refused(api, client, picture, owner):
    link = link_of(api)
    taken = begin(api, size=len(picture), filename="ferry.png").json()["id"]
    send(api, taken, picture)
    bad = put(client, link, b"no film", name="crossing.mp4").json()["id"]
    check_uploads()
    check_uploads()
    ready, refused = events()
    assert ready == {
        "type": "upload.ready",
        "story": None,
        "via": "token",
        "label": "",
        "upload": {"id": taken, "filename": "ferry.png", "kind": "picture"},
        "mediaId": api.get(f"/uploads/{taken}").json()["mediaId"],
    }
    assert refused == {
        "type": "upload.refused",
        "story": None,
        "via": "link",
        "label": "",
        "upload": {"id": bad, "filename": "crossing.mp4", "kind": "film"},
        "error": api.get(f"/uploads/{bad}").json()["error"],
    }
    assert refused["error"].endswith("Use MP4, MOV or WebM.")


def test_a_refused_upload_keeps_nothing_of_a_try_that_was_put_off(api):
    Upload.objects.filter(pk=begin(api, size=9).json()["id"]).update(
        state="checking", put_off="storage", put_off_since=timezone.now()
    )
    check_uploads()
    upload = Upload.objects.get()
    assert (upload.state, upload.error) == (
        "refused",
        "A part of this file was lost. Please upload it again.",
    )
    assert (upload.put_off, upload.put_off_since, upload.lease_token) == ("", None, None)
    assert upload.finished_at is not None


def test_what_is_left_out_of_a_film_is_said_and_nothing_else(api, clip, tmp_path, settings):
    settings.UPLOAD_SLICE = 2**20
    long = media_files.ffmpeg(tmp_path / "a.mp4", "-f lavfi -i color=s=64x64:r=1:d=13 -pix_fmt yuv420p")
    for film, note in (
        (clip, "Films are silent: the sound of this one is left out."),
        (long, "Only the first 12 seconds of this film are shown."),
    ):
        data = film.read_bytes()
        id = begin(api, size=len(data), kind="film", filename="a.mp4").json()["id"]
        send(api, id, data)
        check_uploads()
        told = api.get(f"/uploads/{id}").json()
        assert (told["state"], told["note"]) == ("ready", note)


# --- Links -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body, seconds", [({}, 3600), ({"expiresIn": 86400}, 86400)])
def test_a_link_is_told_with_its_end_and_never_again(body, seconds, api, owner, north_shore):
    before = timezone.now()
    answer = api.call("POST", "/uploads/links", body)
    told, link = answer.json(), UploadLink.objects.get()
    assert (answer.status_code, set(told)) == (201, {"url", "expiresAt"})
    assert datetime.fromisoformat(told["expiresAt"]) == link.expires_at
    assert timedelta(0) <= link.expires_at - before - timedelta(seconds=seconds) < timedelta(minutes=1)
    assert UploadLink.objects.of_secret(told["url"].rpartition("/")[2]).get() == link
    assert told["url"].rpartition("/")[2] not in str(UploadLink.objects.values().get())
    kept = (link.workspace, link.created_by, link.story, link.scene, link.files, link.key, link.connection)
    assert kept == (north_shore, owner, None, None, 0, None, None)


@pytest.mark.parametrize("body, path, message", [
    ({"expiresIn": 59}, "expiresIn", "At least 60."), ({"expiresIn": 86401}, "expiresIn", "At most 86400."),
    ({"sceneId": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"}, "storyId", "Name the story of this scene."),
])  # fmt: skip
def test_what_is_wrong_with_a_new_link_is_said_at_its_field(body, path, message, api):
    assert details(api.call("POST", "/uploads/links", body)) == [(path, message)]
    refused = api.call("POST", "/uploads/links", {}, headers={"Idempotency-Key": "k"})
    assert details(refused) == [("Idempotency-Key", TOLD_ONCE)]
    assert not UploadLink.objects.exists()


@pytest.mark.parametrize("who, status", [("editor", 201), ("viewer", 403), ("stranger", 404)])
def test_a_link_for_a_story_is_made_by_who_may_write_it_and_takes_files_for_it(
    who, status, api, client, person, north_shore, harbour
):
    story = factories.make_draft(north_shore, scenes=2)
    scene = story.scenes.get(position=1)
    caller = api.as_(person(who))
    for body in ({"storyId": str(story.pk)}, {"storyId": str(story.pk), "sceneId": str(scene.key)}):
        answer = caller.call("POST", "/uploads/links", body)
        assert answer.status_code == status, answer.content
    if status != 201:
        assert not UploadLink.objects.exists()
        return
    for_scene, for_story = UploadLink.objects.all()
    kept = (for_story.workspace, for_story.story, for_story.scene, for_scene.story, for_scene.scene)
    assert kept == (north_shore, story, None, story, scene)
    link = answer.json()["url"].removeprefix(settings.APP_URL)
    first = put(client, link, b"x").json()
    second = client.post(f"{link}/b.png", headers={"Upload-Length": "9"}).json()
    assert (first["storyId"], first["sceneId"]) == (str(story.pk), str(scene.key))
    assert (second["storyId"], second["sceneId"]) == (str(story.pk), None)


def test_a_link_for_a_story_is_made_in_its_workspace(api, owner, harbour):
    Membership.objects.create(user=owner, workspace=harbour, role="editor")
    link_of(api, storyId=str(factories.make_draft(harbour).pk))
    assert UploadLink.objects.get().workspace == harbour
    harbour.suspended_at = timezone.now()
    harbour.save()
    refused = api.call("POST", "/uploads/links", {"workspaceId": str(harbour.pk)})
    assert (refused.status_code, UploadLink.objects.count()) == (423, 1)


@pytest.mark.parametrize("name, kind", [
    ("ferry.png", "picture"), ("FERRY.MOV", "film"), ("a.mp4", "film"), ("a.m4v", "film"), ("a.webm", "film"),
    ("a.mkv", "film"), ("a.3gp", "film"), ("mp4", "picture"), ("a.mp4.png", "picture"),
])  # fmt: skip
def test_of_which_kind_a_file_is_says_its_name(name, kind):
    assert links.kind_of(name) == kind


def test_a_file_by_a_link_is_answered_as_an_upload_of_its_name_and_kind(api, client, owner):
    link, name, kind = link_of(api), "FERRY.MOV", "film"
    whole = put(client, link, b"xyz", name=name)
    begun = client.post(f"{link}/{name}", headers={"Upload-Length": "9"})
    for answer, state, offset, size in ((whole, "checking", 3, 3), (begun, "receiving", 0, 9)):
        told = answer.json()
        assert (answer.status_code, answer["Tus-Resumable"], answer["Cache-Control"]) == (
            201,
            "1.0.0",
            "no-store",
        )
        assert (told["state"], told["offset"], told["size"]) == (state, offset, size)
        assert told["uploadUrl"] == f"{settings.BASE_URL}/api/v2/uploads/{told['id']}/content"
        upload = Upload.objects.get(pk=told["id"])
        row = UploadLink.objects.get()
        assert (upload.filename, upload.kind, upload.via, upload.link) == (name, kind, "link", row)
        assert (upload.created_by, upload.credential) == (owner, f"link:{row.pk}")
    assert begun["Location"] == begun.json()["uploadUrl"] and "Location" not in whole
    assert UploadLink.objects.get().files == 2


def test_who_comes_with_a_secret_that_ended_or_never_was_is_told_so(api, client, picture):
    link = link_of(api)
    sender = Sender(client, link)
    address = sender.begin(len(picture))["Location"]
    for secret in ("", "nobody-made-this-one"):
        headers = {
            "Upload-Link": secret,
            "Upload-Offset": "x",
            "Tus-Resumable": "0.2.2",
        }  # nobody looks at them
        denied = sender.ask("PATCH", address, b"x", **headers)
        assert (denied.status_code, denied.json()) == (401, {"error": OVER})
        assert denied["WWW-Authenticate"].startswith('Bearer realm="capsules", resource_metadata="')
    UploadLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    for answer in (put(client, link, picture), sender.begin(len(picture))):
        assert (answer.status_code, answer.json()) == (410, {"error": OVER})
    assert sender.ask("HEAD", address).status_code == 401


def test_a_link_opens_with_no_credential_and_speaks_no_other_tus(api, client, picture):
    link = link_of(api)
    other = client.post(f"{link}/a.png", headers={"Upload-Length": "9", "Tus-Resumable": "0.2.2"})
    assert (other.status_code, other["Tus-Version"]) == (412, "1.0.0")
    assert other.json() == {"error": "This address speaks tus 1.0.0."}
    answer = client.post(f"{link}/a.png", headers={"Upload-Length": "0x"})
    assert details(answer) == [("Upload-Length", "This header must be a number of bytes.")]
    assert Upload.objects.count() == 0


def test_the_address_of_a_link_is_not_called_without_end(api, client, settings):
    link = link_of(api)
    settings.RATES = {**settings.RATES, "feed": 0}
    for answer in (put(client, link, b"x"), client.post(f"{link}/a.png", headers={"Upload-Length": "9"})):
        assert (answer.status_code, answer.has_header("Retry-After")) == (429, True)
    assert not Upload.objects.exists()


def test_what_a_link_did_not_take_is_given_back_to_it_alone(api, client, picture, settings):
    first, second = link_of(api), link_of(api)
    assert put(client, first, picture).status_code == put(client, second, picture).status_code == 201
    settings.UPLOADS_OPEN = 2
    refused = put(client, first, picture)
    assert refused.status_code == 409 and "under way" in refused.json()["error"]
    assert [link.files for link in UploadLink.objects.all()] == [1, 1]


def test_a_link_acts_in_its_workspace_alone(api, client, owner, harbour, picture):
    Membership.objects.create(user=owner, workspace=harbour, role="editor")
    sender = Sender(client, link_of(api))
    theirs = begin(api, size=9, workspaceId=str(harbour.pk)).json()
    Upload.objects.filter(pk=theirs["id"]).update(credential=f"link:{UploadLink.objects.get().pk}")
    assert sender.ask("HEAD", theirs["uploadUrl"]).status_code == 404


@pytest.mark.parametrize("kind, begun", [("film", "film"), ("picture", "picture"), ("", "picture")])
def test_who_knows_what_a_file_is_says_so_whatever_it_is_called(kind, begun, api):
    link = links.open_link(link_of(api).rpartition("/")[2])
    assert links.begin_by_link(link, filename="ferry", size=9, kind=kind).kind == begun


# --- Leases ----------------------------------------------------------------------------------------------------


def test_each_part_that_is_stored_keeps_the_upload_for_its_request(api, settings):
    settings.UPLOAD_LEASE = 500
    taken = Upload.objects.take(begin(api, size=100).json()["id"], 1)
    receiving.record_part(taken, "a", 10)
    taken.refresh_from_db()
    assert (taken.offset, taken.state) == (10, "receiving")
    assert taken.lease_until > timezone.now() + timedelta(seconds=400)


@pytest.mark.parametrize("beat, renewed", [(0, True), (60, False)])
def test_who_looks_into_a_file_keeps_it_by_every_beat(beat, renewed, api, settings, monkeypatch):
    settings.UPLOAD_CHECK_LEASE, settings.UPLOAD_LEASE = 500, 15
    monkeypatch.setattr(checking, "BEAT", beat)
    Upload.objects.filter(pk=begin(api, size=9).json()["id"]).update(state="checking")
    upload = Upload.objects.all().claim()
    Upload.objects.update(lease_until=timezone.now() + timedelta(seconds=1))
    checking.heartbeat(upload)()
    upload.refresh_from_db()
    assert (upload.lease_until > timezone.now() + timedelta(seconds=400)) is renewed
