"""Links that take files without a login, in one piece or in slices, and what they end with."""

from __future__ import annotations

import io
import re
from contextlib import nullcontext, suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.actions import connections, keys
from accounts.actors import Actor
from accounts.models import Connection, Membership
from capsules import storage
from capsules.models import Upload, UploadLink
from capsules.uploads import creating, links
from capsules.uploads.errors import Expired
from config.errors import Invalid
from tests.capsules.test_copy_files import forget_location
from tests.capsules.test_uploads import OFFSET_TYPE, begin, left_behind
from tests.publishing.test_races import at_once
from tests.support import factories
from tests.support.checking import check_uploads
from tests.support.oauth import App
from tests.support.small_disk import fill, small_disk

__all__ = ["small_disk"]

WRITING = "stories:read stories:write"
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("small_slices")]


@pytest.fixture
def link(api) -> str:
    answer = api.call("POST", "/uploads/links", {})
    assert answer.status_code == 201, answer.content
    address = answer.json()["url"]
    assert re.fullmatch(rf"{re.escape(settings.APP_URL)}/studio/up/[\w-]{{40,}}", address)
    return address.removeprefix(settings.APP_URL)


def put(client, link: str, data: bytes, name: str = "ferry.png", **kwargs):
    return client.generic("PUT", f"{link}/{name}", data, content_type="application/octet-stream", **kwargs)


def test_a_link_ends_with_the_app_that_made_it(client, picture, owner, harbour):
    Membership.objects.create(user=owner, workspace=harbour, role="owner")
    app = App(owner).connect(WRITING, workspaces=[owner.default_workspace])
    own = Connection.objects.get()
    App(owner).connect(WRITING)  # another goes on, and lets nobody use what the first has made
    made = app.call("POST", "/uploads/links", {}).json()["url"].removeprefix(settings.APP_URL)
    assert put(client, made, picture).status_code == 201
    by = {"because": Connection.Ended.REVOKED, "by": owner}
    for end in (
        lambda: connections.end(own, **by),
        lambda: own.reaches.all().delete(),
        lambda: app.consent(WRITING, grant="stories:read", workspaces=[owner.default_workspace]),
        lambda: app.consent(WRITING, workspaces=[harbour]),
    ):
        with transaction.atomic():
            end()
            assert not UploadLink.objects.alive().exists()
            assert put(client, made, picture).status_code == client.post(made).status_code == 410
            transaction.set_rollback(True)
    assert UploadLink.objects.alive().exists()


@pytest.mark.parametrize("since, is_known", [(links.LIFETIME - 60, True), (links.LIFETIME + 60, False)])
def test_what_became_of_the_files_of_a_link_is_told_for_an_hour_after_its_end(since, is_known, link):
    UploadLink.objects.update(expires_at=timezone.now() - timedelta(seconds=since))
    with nullcontext() if is_known else pytest.raises(links.Expired, match="Please ask for a new one"):
        assert links.of_secret(link.rpartition("/")[2])
    with pytest.raises(links.Expired, match="Please ask for a new one"):
        links.of_secret("nobody-made-this-one")


def test_a_link_ends_with_the_key_that_made_it(client, picture, api, north_shore, owner):
    made_key, secret = keys.create_api_key(north_shore, by=owner, scopes=["stories:read", "stories:write"])
    made = api.with_key(secret).call("POST", "/uploads/links", {}).json()["url"]
    made = made.removeprefix(settings.APP_URL)
    assert put(client, made, picture).status_code == 201
    keys.revoke_api_key(made_key, by=owner)
    assert put(client, made, picture).status_code == 410


def test_a_file_by_a_link_that_breaks_off_leaves_nothing(link, picture):
    found = links.open_link(link.rpartition("/")[2])
    with pytest.raises(Invalid, match=r"^The file was cut short\. Please send it again\.$"):
        links.receive_by_link(found, io.BytesIO(picture), filename="ferry.png", length=len(picture) + 10)
    assert not Upload.objects.exists() and UploadLink.objects.get().files == 0
    assert left_behind() == []


# --- slice by slice ---


class Sender:
    """Somebody who has nothing but the secret of a link."""

    def __init__(self, client, link: str) -> None:
        self.client, self.link, self.secret = client, link, link.rpartition("/")[2]

    def begin(self, size: int, name: str = "ferry.png"):
        return self.client.post(
            f"{self.link}/{name}", headers={"Upload-Length": str(size), "Tus-Resumable": "1.0.0"}
        )

    def ask(
        self, method: str, address: str, data: bytes = b"", body: io.BytesIO | None = None, **headers: str
    ):
        headers = {"Upload-Link": self.secret, "Tus-Resumable": "1.0.0", **headers}
        path = address.removeprefix(settings.BASE_URL)
        extra = {"wsgi.input": body} if body else {}
        return self.client.generic(method, path, data, content_type=OFFSET_TYPE, headers=headers, **extra)


@pytest.mark.both_databases
def test_of_many_files_at_once_ten_are_taken_and_one_is_for_the_scene(north_shore, owner):
    story = factories.make_draft(north_shore)
    hour = timedelta(hours=1)
    by = Actor.by_token(owner)
    _, address = links.make_link(north_shore, by=by, story=story, scene=story.scenes.get(), lifetime=hour)
    opened = links.open_link(address.rpartition("/")[2])

    def begin_one() -> Upload | None:
        with suppress(Expired):
            return links.begin_by_link(opened, filename="a.png", size=9)
        return None

    begun = [upload for upload in at_once([begin_one] * 16) if upload]
    assert len(begun) == UploadLink.objects.get().files == settings.UPLOAD_LINK_FILES
    assert len([upload for upload in begun if upload.scene]) == 1


def test_a_file_by_a_link_for_which_there_is_no_room_leaves_nothing(
    link, client, picture, small_disk, monkeypatch
):
    """Else twenty tries while the disk is full would keep the workspace from every other upload."""
    monkeypatch.setattr(storage.parts(), "_location", small_disk)
    forget_location(storage.parts())
    ballast = fill(small_disk)
    client.raise_request_exception = False
    for _ in range(2):
        assert put(client, link, picture).status_code == 507
        assert not Upload.objects.exists() and UploadLink.objects.get().files == 0
    ballast.unlink()
    assert put(client, link, picture).status_code == 201
    monkeypatch.undo()
    forget_location(storage.parts())


@pytest.fixture
def sender(client, link) -> Sender:
    return Sender(client, link)


def test_who_has_the_secret_begins_a_file_and_goes_on_where_it_broke_off(sender, picture, north_shore, owner):
    begun = sender.begin(len(picture))
    assert (begun.status_code, begun["Tus-Resumable"]) == (201, "1.0.0"), begun.content
    address = begun["Location"]
    half = len(picture) // 2
    assert sender.ask("PATCH", address, picture[:half], **{"Upload-Offset": "0"}).status_code == 204
    told = sender.ask("HEAD", address)
    assert (told.status_code, told["Upload-Offset"], told["Upload-Length"]) == (
        200,
        str(half),
        str(len(picture)),
    )
    assert sender.ask("PATCH", address, picture[half:], **{"Upload-Offset": str(half)}).status_code == 204
    check_uploads()
    upload = Upload.objects.get()
    assert (upload.state, upload.workspace, upload.created_by) == ("ready", north_shore, owner)
    with storage.originals().open(upload.asset.name) as kept:
        assert kept.read() == picture
    assert left_behind() == []


def test_the_tenth_file_of_a_link_may_still_be_finished_but_not_after_its_end(
    sender, picture, settings, owner
):
    settings.UPLOAD_LINK_FILES = 1
    address = sender.begin(len(picture))["Location"]
    assert sender.begin(len(picture)).status_code == 410
    assert sender.ask("PATCH", address, picture[:9], **{"Upload-Offset": "0"}).status_code == 204
    for change in ({"role": "viewer"}, {"role": "owner"}):
        Membership.objects.filter(user=owner).update(**change)
        answer = sender.ask("HEAD", address)
        assert answer.status_code == (401 if change["role"] == "viewer" else 200)
    UploadLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert sender.ask("PATCH", address, picture[9:], **{"Upload-Offset": "9"}).status_code == 401
    assert Upload.objects.get().offset == 9


def test_the_secret_opens_what_was_begun_by_it_and_nothing_else(sender, api, picture):
    other = begin(api, size=len(picture)).json()
    for method in ("HEAD", "PATCH", "DELETE"):
        data = picture if method == "PATCH" else b""
        answer = sender.ask(method, other["uploadUrl"], data, **{"Upload-Offset": "0"})
        assert answer.status_code == 404, method
    for path in ("/api/v2/stories", f"/api/v2/uploads/{other['id']}", "/api/v2/media"):
        assert sender.ask("GET", path).status_code == 401
    mine = sender.begin(len(picture))["Location"]
    assert sender.ask("HEAD", mine, **{"Upload-Link": "x"}).status_code == 401
    assert sender.ask("DELETE", mine).status_code == 204
    assert list(Upload.objects.values_list("pk", flat=True).order_by()) == [Upload.objects.get().pk]


@pytest.mark.parametrize("end", ["refused", "cancelled"])
def test_a_file_of_which_nothing_is_kept_leaves_its_place_and_its_scene_to_the_next(
    end, client, picture, north_shore, owner, settings
):
    settings.UPLOAD_LINK_FILES = 1
    story = factories.make_draft(north_shore)
    scene, by = story.scenes.get(), Actor.by_token(owner)
    _, address = links.make_link(north_shore, by=by, story=story, scene=scene, lifetime=timedelta(hours=1))
    sender = Sender(client, address.removeprefix(settings.APP_URL))
    if end == "refused":
        assert put(client, sender.link, b"no picture").status_code == 201
        check_uploads()
        assert Upload.objects.get().state == "refused"
    else:
        begun = sender.begin(len(picture))["Location"]
        assert sender.ask("DELETE", begun).status_code == 204
    assert put(client, sender.link, picture).status_code == 201
    check_uploads()
    scene.refresh_from_db()
    assert scene.still == Upload.objects.get(state="ready").asset
    assert put(client, sender.link, picture).status_code == 410, "what is kept counts"


def test_who_clears_the_list_of_a_link_gets_no_more_places(link, client, picture):
    for data in (picture, b"no picture"):
        put(client, link, data)
    check_uploads()
    for upload in Upload.objects.all():
        creating.cancel_upload(upload)
    assert UploadLink.objects.get().files == 1


@pytest.mark.parametrize("length, status", [("", 400), ("41000000", 413)])
def test_a_file_that_makes_no_sense_is_not_begun(sender, length, status):
    answer = sender.begin(length)
    assert (answer.status_code, bool(answer.json()["error"])) == (status, True)
    assert not Upload.objects.exists()
    assert UploadLink.objects.get().files == 0
