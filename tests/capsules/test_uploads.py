"""Uploads: slice by slice over the API, by a link, checked by a worker, and nothing left behind of what is refused."""

from __future__ import annotations

import io
import tempfile
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from capsules import garbage, jobs, media, storage, tasks, worker
from capsules.media import painting
from capsules.models import Asset, Upload, UploadPart
from capsules.uploads import checking, receiving
from config.errors import Locked
from tests.support import factories
from tests.support.checking import check_uploads
from tests.support.small_disk import fill, small_disk

__all__ = ["small_disk"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("small_slices")]

OFFSET_TYPE = "application/offset+octet-stream"


def begin(api, **body):
    return api.call("POST", "/uploads", {"kind": "picture", "filename": "ferry.png", **body})


def send(api, id: str, data: bytes, *, offset: int = 0, **headers: str):
    headers = {"Upload-Offset": str(offset), **api.headers(), **headers}
    kind = headers.pop("type", OFFSET_TYPE)
    path = f"/api/v2/uploads/{id}/content"
    return api.client.generic("PATCH", path, data, content_type=kind, headers=headers)


def sent(api, data: bytes, **body) -> dict:
    """A whole file, sent and looked into: the upload as GET tells it."""
    begun = begin(api, size=len(data), **body)
    assert begun.status_code == 201, begun.content
    assert send(api, begun.json()["id"], data).status_code == 204
    check_uploads()
    return api.get(f"/uploads/{begun.json()['id']}").json()


def left_behind() -> list[str]:
    """Rows, files and folders of uploads."""
    folders = [path.name for path in Path(storage.parts().path("")).glob("*")]
    return [*UploadPart.objects.values_list("name", flat=True), *garbage.walk(storage.parts()), *folders]


# --- receiving ---


@pytest.mark.parametrize("path", ["/uploads", "/uploads/c2b6a1de-4a55-4a07-8f0a-52cf5d1a9c01/content"])
def test_whoever_asks_is_told_which_tus_is_spoken_and_how_large_a_file_may_be(api, path):
    answer = api.as_(None).call("OPTIONS", path)
    assert (answer.status_code, answer.content) == (204, b"")
    told = {name: answer[f"Tus-{name}"] for name in ("Resumable", "Version", "Extension", "Max-Size")}
    expected = {"Resumable": "1.0.0", "Version": "1.0.0", "Extension": "termination", "Max-Size": "500000000"}
    assert told == expected
    assert api.as_(None).call("POST", path).status_code in (401, 405)


def test_whoever_asks_an_upload_link_is_told_too_that_uploads_begin_there(client):
    answer = client.options("/studio/up/a-secret-that-nobody-made/ferry.png")
    assert (answer.status_code, answer.content, answer["Tus-Version"]) == (204, b"", "1.0.0")
    assert answer["Tus-Extension"] == "creation,termination" and answer["Tus-Max-Size"] == "500000000"


@pytest.mark.parametrize(
    "error", [OSError, RuntimeError, ValueError]
)  # how servers say that a client went away
def test_a_slice_that_breaks_off_is_kept(api, picture, error):
    id = begin(api, size=len(picture)).json()["id"]
    breaks = []

    class BreaksOff(io.BytesIO):
        def read(self, size: int = -1, /) -> bytes:
            data = super().read(size)
            if not data:
                breaks.append(error("connection reset"))
                raise breaks[-1]
            return data

    upload = Upload.objects.get(pk=id)
    assert receiving.receive(upload, BreaksOff(picture[:2500]), offset=0, length=len(picture)) == 2500
    assert len(breaks) == 1, "a line that broke is not asked again"
    assert api.get(f"/uploads/{id}").json()["offset"] == 2500


def test_a_server_that_is_killed_in_a_slice_loses_only_what_it_had_not_stored(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    upload = Upload.objects.get(pk=id)

    class Killed(io.BytesIO):
        def read(self, size: int = -1, /) -> bytes:
            if self.tell() >= 1500:
                raise SystemExit
            return super().read(min(size, 500))

    with pytest.raises(SystemExit):
        receiving.receive(upload, Killed(picture), offset=0, length=len(picture))
    assert api.get(f"/uploads/{id}").json()["offset"] == 1000
    assert send(api, id, picture[1000:], offset=1000).status_code == 204
    check_uploads()
    assert api.get(f"/uploads/{id}").json()["state"] == "ready"


@pytest.mark.parametrize("beat, held", [(60, 2), (0, 1)])
def test_no_connection_of_the_database_is_held_while_bytes_are_waited_for(
    beat, held, api, picture, monkeypatch
):
    """Each slice of 1,000 bytes gives it back, and within one each beat."""
    monkeypatch.setattr(receiving, "BEAT", beat)
    upload = Upload.objects.get(pk=begin(api, size=len(picture)).json()["id"])
    seen = []

    class Trickles(io.BytesIO):
        def read(self, size: int = -1, /) -> bytes:
            seen.append(connection.connection is not None)
            return super().read(min(size, 500))

    assert receiving.receive(upload, Trickles(picture), offset=0, length=len(picture)) == len(picture)
    assert len(seen) > held and not any(seen[held:])


def test_a_request_that_was_silent_for_too_long_ends_at_its_next_beat(api, picture, monkeypatch):
    monkeypatch.setattr(receiving, "BEAT", 0)
    upload = Upload.objects.get(pk=begin(api, size=len(picture)).json()["id"])

    class TakenOver(io.BytesIO):
        def read(self, size: int = -1, /) -> bytes:
            Upload.objects.update(lease_token=uuid.uuid4())  # another request has it meanwhile
            return super().read(min(size, 500))

    with pytest.raises(Locked) as late:
        receiving.receive(upload, TakenOver(picture), offset=0, length=len(picture))
    assert (late.value.retry_after, left_behind()) == (2, [])


def test_two_requests_never_write_the_same_upload(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    first = Upload.objects.take(id, 60)
    busy = send(api, id, picture)
    words = "Another request is sending this upload. Please try again shortly."
    assert (busy.status_code, busy["Retry-After"], busy.json()) == (423, "2", {"error": words})
    busy = api.call("DELETE", f"/uploads/{id}/content")
    words = "This upload is busy at the moment. Please try again shortly."
    assert (busy.status_code, busy["Retry-After"], busy.json()) == (423, "2", {"error": words})
    Upload.objects.filter(pk=id).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert send(api, id, picture[:600]).status_code == 204
    with pytest.raises(Locked) as late:  # the one that was silent for too long writes nothing any more
        receiving.record_part(first, "stale", 500)
    assert late.value.retry_after == 2
    assert api.get(f"/uploads/{id}").json()["offset"] == 600
    with pytest.raises(Locked):  # nor one that was read before the slice was there
        receiving.receive(first, io.BytesIO(picture[:600]), offset=0, length=600)
    assert api.get(f"/uploads/{id}").json()["offset"] == 600


@pytest.mark.parametrize(
    "change, status, sentence",
    [
        ({"Upload-Offset": "5"}, 409, "The upload has 0 bytes. Please go on from there."),
        ({"Tus-Resumable": "0.2.2"}, 412, "This address speaks tus 1.0.0."),
    ],
)
def test_a_slice_that_does_not_fit_is_refused_and_changes_nothing(change, status, sentence, api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    answer = send(api, id, picture, **change)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(sentence)
    assert answer["Tus-Resumable"] == "1.0.0"
    assert answer.get("Tus-Version") == ("1.0.0" if status == 412 else None)
    assert not answer.has_header("WWW-Authenticate")
    if status == 409:
        assert answer["Upload-Offset"] == "0"
    assert api.get(f"/uploads/{id}").json()["offset"] == 0
    assert left_behind() == []


# --- who may, and how much ---


@pytest.mark.parametrize(
    "body, path",
    [
        ({"size": "10"}, "size"),
        ({"size": 10, "kind": "sound"}, "kind"),
        ({"sourceUrl": "http://me:secret@a.example/b.jpg"}, "sourceUrl"),
        ({"sourceUrl": "http://a.example:22/b.jpg"}, "sourceUrl"),
    ],
)
def test_an_upload_that_makes_no_sense_is_refused_at_its_field(body, path, api):
    answer = begin(api, **body)
    assert answer.status_code == 400
    assert path in [detail["path"] for detail in answer.json()["details"]]
    assert not Upload.objects.exists()


@pytest.mark.parametrize("path", ["/uploads", "/uploads/links"])
def test_a_parameter_that_nobody_knows_is_named(path, api):
    answer = api.call(
        "POST", f"{path}?workspaceId=1", {"kind": "picture", "size": 10} if path == "/uploads" else {}
    )
    assert (answer.status_code, answer.json()["details"][0]["path"]) == (400, "workspaceId")


def test_a_suspended_workspace_takes_no_files_of_whoever_came_past_the_door(api, north_shore, picture):
    upload = Upload.objects.get(pk=begin(api, size=len(picture)).json()["id"])
    north_shore.suspended_at = timezone.now()
    north_shore.save()
    upload = Upload.objects.get(pk=upload.pk)
    with pytest.raises(Locked, match="suspended"):
        receiving.receive(upload, io.BytesIO(picture), offset=0, length=len(picture))
    assert Upload.objects.get().offset == 0


# --- checking ---


def test_workers_are_woken_for_a_file_that_came_whole_and_for_an_address(api, picture, queue):
    id = begin(api, size=len(picture)).json()["id"]
    send(api, id, picture[:700])
    assert queue(tasks.check_and_encode.name) == []
    send(api, id, picture[700:], offset=700)
    assert queue(tasks.check_and_encode.name) == [None]
    begin(api, sourceUrl="https://pictures.example/ferry.png")
    assert queue(tasks.fetch_uploads.name) == [None]


def test_a_file_that_is_no_good_is_refused_in_a_sentence_and_nothing_is_left(api):
    refused = sent(api, b'<svg xmlns="http://www.w3.org/2000/svg"/>', filename="../../x\u202e.png")
    assert refused["state"] == "refused"
    assert refused["error"].endswith("Use JPEG, PNG, WebP, AVIF or HEIC.")
    assert refused["mediaId"] is None
    assert left_behind() == []
    assert not Asset.objects.exists()
    late = send(api, refused["id"], b"x", offset=refused["offset"])
    assert late.status_code == 409
    assert refused["error"] in late.json()["error"]


def test_a_worker_that_dies_is_followed_by_another_and_a_file_that_kills_is_given_up(
    api, picture, monkeypatch
):
    id = begin(api, size=len(picture)).json()["id"]
    send(api, id, picture)
    kills = {"left": 1}

    def kill(*args, **kwargs):
        if kills["left"]:
            kills["left"] -= 1
            raise SystemExit
        return real(*args, **kwargs)

    real = checking.assets.take_in
    monkeypatch.setattr(checking.assets, "take_in", kill)

    def next_worker() -> None:
        Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        check_uploads()

    with pytest.raises(SystemExit):
        check_uploads()
    assert check_uploads() == 0, "the dead worker's lease still holds"
    next_worker()
    assert api.get(f"/uploads/{id}").json()["state"] == "ready"
    second = begin(api, size=len(picture)).json()["id"]
    send(api, second, picture)
    kills["left"] = 99
    for _ in range(settings.ENCODE_ATTEMPTS):
        with pytest.raises(SystemExit):
            next_worker()
    next_worker()
    told = api.get(f"/uploads/{second}").json()
    assert (told["state"], told["error"]) == ("refused", checking.BROKEN)
    assert left_behind() == []


def test_parts_of_an_upload_that_ended_are_dropped_though_its_worker_died_before_it_did(
    api, picture, monkeypatch
):
    coming = begin(api, size=len(picture)).json()["id"]
    send(api, coming, picture[:1700])
    with monkeypatch.context() as patch:
        patch.setattr(checking.parts, "drop", lambda upload: None)  # as if it died there
        assert [sent(api, data)["state"] for data in (picture, b"x" * 99)] == ["ready", "refused"]
    tasks.sweep()
    assert {name.split("/")[0] for name in left_behind()} == {coming}


def test_an_address_that_sends_slowly_keeps_no_sent_file_waiting_and_is_one_a_workspace(
    api, picture, monkeypatch
):
    asked, meanwhile = [], []

    def drips(address, target, **kwargs):
        asked.append(address)
        if len(asked) == 1:  # what the other workers find in the meantime
            meanwhile.append((sent(api, picture)["state"], len(asked)))
        target.write_bytes(picture)
        return len(picture)

    monkeypatch.setattr(checking.fetching, "fetch", drips)
    monkeypatch.setattr(jobs, "fetching", threading.BoundedSemaphore(2))  # one of them is free
    monkeypatch.setattr(jobs, "computing", threading.BoundedSemaphore(1))
    for number in range(2):
        body = {"kind": "picture", "sourceUrl": f"https://pictures.example/{number}.png"}
        assert api.call("POST", "/uploads", body).status_code == 201
    check_uploads()
    assert meanwhile == [("ready", 1)]
    assert len(asked) == 2 and not Upload.objects.under_way().exists()


@pytest.mark.both_databases
def test_what_is_begun_while_a_fetched_file_is_counted_counts_it_too(
    api, picture, monkeypatch, settings, north_shore
):
    real, begun = checking.check_room, []
    settings.MEDIA_QUOTA = {north_shore.plan: len(picture) + 99}
    other = factories.Api(Client(), api.user)

    def begin_another() -> None:
        begun.append(begin(other, size=100).status_code)
        connection.close()

    thread = threading.Thread(target=begin_another)

    def count(*args):
        real(*args)
        thread.start()
        thread.join(0.5)  # as long as it takes to begin one where nobody holds the workspace

    monkeypatch.setattr(checking, "check_room", count)
    monkeypatch.setattr(checking.fetching, "fetch", lambda url, target, **_: target.write_bytes(picture))
    id = begin(api, sourceUrl="https://pictures.example/ferry.png").json()["id"]
    check_uploads()
    thread.join()
    assert (api.get(f"/uploads/{id}").json()["state"], begun) == ("ready", [409])


def test_checks_and_encodes_share_the_slots_of_a_worker_and_checks_come_first(api, picture, monkeypatch):
    send(api, begin(api, size=len(picture)).json()["id"], picture)
    done: list[str] = []

    def of(kind: str, left: int) -> Callable[[], bool]:
        return lambda: done.count(kind) < left and not done.append(kind)

    monkeypatch.setattr(checking, "check_sent", of("check", 2))
    monkeypatch.setattr(worker, "run_next", of("encode", 1))
    taken = [jobs.computing.acquire(blocking=False) for _ in range(settings.ENCODE_SLOTS)]
    assert all(taken) and tasks.check_and_encode() == worker.run_due() == check_uploads() == 0
    jobs.computing.release(len(taken))
    assert tasks.check_and_encode() == 3
    assert done == ["check", "check", "encode"]


def test_no_connection_of_the_database_is_held_while_a_file_is_looked_into(api, picture, monkeypatch):
    real, held = media.inspect, []

    def look(*args):
        held.append(connection.connection is not None)
        return real(*args)

    monkeypatch.setattr(media, "inspect", look)
    assert sent(api, picture)["state"] == "ready"
    assert held == [False]


# --- what says nothing about a file ---


def test_a_file_is_checked_again_once_the_disk_for_scratch_files_has_room(
    api, picture, small_disk, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    ballast = fill(small_disk)
    waiting = sent(api, picture)
    assert waiting["state"] == "checking"
    assert check_uploads() == 0, "not at once"
    ballast.unlink()
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    check_uploads()
    upload = Upload.objects.get()
    assert (upload.state, upload.attempts, left_behind()) == ("ready", 1, [])


def test_a_file_whose_reader_is_killed_is_checked_again(api, picture, monkeypatch):
    with monkeypatch.context() as killed:
        killed.setattr(painting.Painter, "_listen", lambda painter, line: painter.process.kill())
        killed.setattr(painting, "PROGRAM", "import time; print('{}', flush=True); time.sleep(60)")
        assert sent(api, picture)["state"] == "checking"
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    check_uploads()
    assert Upload.objects.get().state == "ready"


def test_a_file_that_cannot_be_checked_for_a_day_is_given_up(api, picture, monkeypatch):
    def refuse(*args, **more):
        raise OSError("the bucket refuses")

    with monkeypatch.context() as away:
        away.setattr(storage.originals(), "save", refuse)
        assert sent(api, picture)["state"] == "checking"
        long_ago = timezone.now() - settings.TRIED_FOR - timedelta(seconds=1)
        Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1), put_off_since=long_ago)
        check_uploads()
    upload = Upload.objects.get()
    assert (upload.state, upload.error, left_behind()) == ("refused", checking.GIVEN_UP, [])


def test_a_worker_that_lost_an_upload_meanwhile_makes_no_media_of_it(api, picture, monkeypatch, caplog):
    id = begin(api, size=len(picture)).json()["id"]
    assert send(api, id, picture).status_code == 204
    real = checking.parts.assemble

    def slow(upload, target):
        Upload.objects.update(lease_token=uuid.uuid4())  # another worker has it meanwhile
        return real(upload, target)

    monkeypatch.setattr(checking.parts, "assemble", slow)
    monkeypatch.setattr(checking, "BEAT", 0)
    checking.check_sent()
    assert "was taken over by another worker" in caplog.text
    assert not Asset.objects.exists()
    assert Upload.objects.get().state == Upload.State.CHECKING


def test_a_worker_that_lost_an_upload_does_not_overwrite_what_the_next_one_found(api, picture):
    id = begin(api, size=len(picture)).json()["id"]
    assert send(api, id, picture).status_code == 204
    lost = Upload.objects.all().claim()
    lapsed = timezone.now() - timedelta(seconds=1)
    Upload.objects.update(lease_until=lapsed, lease_token=uuid.uuid4())  # another worker took it over
    checking.end_upload(lost, state=Upload.State.REFUSED, error="Too late.")
    check_uploads()
    checking.end_upload(lost, state=Upload.State.REFUSED, error="Too late.")
    assert api.get(f"/uploads/{id}").json()["state"] == "ready"
