"""Encodes as rows: claimed once, renewed, taken over, failed in words; and the collection of what nobody needs."""

from __future__ import annotations

import os
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from capsules import garbage, putting_off, storage, tasks, worker
from capsules.actions import encodes
from capsules.actions import media as uploads
from capsules.models import Encode, Preview, Scene
from config import stopping
from publishing.models import Bake
from tests.support import factories
from tests.support.small_disk import fill, small_disk

__all__ = ["small_disk"]

pytestmark = pytest.mark.django_db(transaction=True)  # encodes give their connection back


@pytest.fixture
def still(north_shore, tmp_path):
    return uploads.upload(
        north_shore, factories.draw_picture(tmp_path / "still.png", (64, 64)), kind="picture"
    )


def queued(still, kind=Encode.Kind.STILL) -> Encode:
    return encodes.request(kind, [["default", still.name]], focus=(0.5, 0.5))


def test_an_encode_whose_worker_fell_silent_is_taken_over_and_the_first_worker_stops(still):
    queued(still)
    first = Encode.objects.all().claim()
    Encode.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    second = Encode.objects.all().claim()
    with pytest.raises(putting_off.LeaseLost):
        worker.note_progress(first)(50)
    worker.run_encode(second)
    assert Encode.objects.get().state == Encode.State.DONE


def test_a_worker_that_stops_gives_its_encode_back_and_takes_no_other(still, monkeypatch):
    queued(still)
    claimed = Encode.objects.all().claim()
    monkeypatch.setattr(stopping, "_ends_at", time.monotonic() + 30)
    worker.run_encode(claimed)
    given_back = Encode.objects.get()
    assert (given_back.state, given_back.attempts, given_back.lease_token) == ("queued", 0, None)
    assert worker.run_due() == 0
    monkeypatch.setattr(stopping, "_ends_at", None)
    assert worker.run_due() == 1
    assert Encode.objects.get().state == Encode.State.DONE


def test_an_encode_that_kills_its_worker_again_and_again_is_given_up(still, settings):
    queued(still)
    for _ in range(settings.ENCODE_ATTEMPTS):
        Encode.objects.all().claim()
        Encode.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert worker.run_due() == 1
    encode = Encode.objects.get()
    assert (encode.state, encode.error) == (
        "failed",
        "The encoder crashed on this file several times, so we stopped trying.",
    )


def test_the_last_try_of_an_encode_is_made(still, settings):
    queued(still)
    for _ in range(settings.ENCODE_ATTEMPTS - 1):
        Encode.objects.all().claim()
        Encode.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert worker.run_due() == 1
    assert Encode.objects.get().state == "done"


def put_off(reason: str) -> Encode:
    """The only encode, which is due again now that a try ended so."""
    encode = Encode.objects.get()
    assert (encode.state, encode.put_off, encode.attempts, encode.error) == ("queued", reason, 0, "")
    assert worker.run_due() == 0, "not at once"
    Encode.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    return encode


def assert_done() -> None:
    assert worker.run_due() == 1
    encode = Encode.objects.get()
    assert (encode.state, encode.put_off, encode.put_off_since) == ("done", "", None)


def test_an_encode_is_made_once_the_disk_for_scratch_files_has_room(still, small_disk, monkeypatch):
    queued(still, Encode.Kind.MOVE)
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    ballast = fill(small_disk)
    worker.run_due()
    put_off("no room")
    ballast.unlink()
    assert_done()


def test_an_encode_whose_file_cannot_be_fetched_is_made_later_and_given_up_after_a_day(still, settings):
    encode = queued(still)
    original = Path(storage.originals().path(still.name))
    away = original.rename(original.with_suffix(".away"))
    settings.ENCODE_ATTEMPTS = 1
    for _ in range(2):
        worker.run_due()
        put_off("storage")
    Encode.objects.update(put_off_since=timezone.now() - settings.TRIED_FOR - timedelta(seconds=1))
    worker.run_due()
    encode.refresh_from_db()
    assert (encode.state, encode.error, encode.put_off) == ("failed", worker.GIVEN_UP, "")
    away.rename(original)
    encodes.retry_encode(encode)
    assert_done()


@pytest.fixture
def outage(monkeypatch):
    """The database goes away at each statement that has these words, and is back at the next try."""
    words, is_away = [], []

    def ask(execute, sql, *rest):
        if is_away or any(word in sql for word in words):
            is_away.append(True)
            raise OperationalError("the database server is away")
        return execute(sql, *rest)

    def rest(seconds: float) -> None:
        is_away.clear()
        words.clear()

    monkeypatch.setattr(stopping, "rest", rest)
    with connection.execute_wrapper(ask):
        yield words


def test_an_encode_that_the_database_leaves_alone_is_made_later_however_often(still, settings, outage):
    queued(still)
    settings.ENCODE_ATTEMPTS = 1
    for _ in range(2):
        outage.append('SET "progress" = ')
        worker.run_due()
        put_off("other")
    outage.append('"finished_at" = ')
    assert_done()


def test_a_failed_encode_says_why_and_can_be_tried_again(still, queue):
    encode = queued(still)
    original = Path(storage.originals().path(still.name))
    content = original.read_bytes()
    original.write_bytes(content[: len(content) // 2])
    worker.run_due()
    encode.refresh_from_db()
    assert encode.state == "failed"
    assert encode.error.startswith("This picture is damaged")
    original.write_bytes(content)
    queue(tasks.check_and_encode.name)
    encodes.retry_encode(encode)
    assert queue(tasks.check_and_encode.name) == [None], "workers hear of it at once"
    worker.run_due()
    encode.refresh_from_db()
    assert (encode.state, encode.error) == ("done", "")


def test_a_preview_is_frozen_and_tells_how_far_it_is(ready_story, rendered):
    preview = ready_story.latest_preview
    assert (preview.number, preview.state, preview.progress) == (1, "ready", 100)
    Scene.objects.filter(story=ready_story).update(text="Changed.")
    assert "Changed." not in str(Preview.objects.get().content)
    Encode.objects.filter(kind="still").update(state="running", progress=40)
    assert (preview.state, preview.progress) == ("building", 70)
    Encode.objects.filter(kind="still").update(state="failed", progress=40)
    assert preview.state == "failed"


# --- Collection ------------------------------------------------------------------------------------------------


def age(name: str, *, hours: float) -> None:
    then = time.time() - hours * 3600
    os.utime(storage.blobs().path(name), (then, then))


def blob(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "blob"
    path.write_bytes(content)
    return storage.put(storage.blobs(), path, "jpeg")


def test_unused_blobs_go_after_a_day_and_one_that_is_stored_again_stays(tmp_path, db):
    old, again, young = (blob(tmp_path, content) for content in (b"old", b"again", b"young"))
    age(old, hours=25)
    age(again, hours=25)
    blob(tmp_path, b"again")
    garbage.collect()
    assert [storage.blobs().exists(name) for name in (old, again, young)] == [False, True, True]


def test_a_blob_of_what_was_taken_down_goes_once_nothing_shows_it(tmp_path, db):
    name = blob(tmp_path, b"taken down")
    age(name, hours=25)
    storage.bring_file(name, source=storage.blobs(), target=storage.hidden())
    garbage.collect()
    assert not storage.hidden().exists(name)


def test_what_a_live_bake_or_one_of_yesterday_shows_is_kept(live_story):
    names = Bake.objects.get().blobs()
    assert len(names) > 5
    for name in names:
        age(name, hours=100)
    Encode.objects.update(finished_at=timezone.now() - timedelta(days=9))
    live_story.scenes.update(still_encode=None, animation_encode=None)
    live_story.previews.all().delete()
    Bake.objects.update(replaced_at=timezone.now() - timedelta(hours=23))
    garbage.collect()
    assert all(storage.blobs().exists(name) for name in names)


def test_a_file_is_never_seen_half_written(tmp_path):
    files = storage.blobs()
    name = blob(tmp_path, b"x" * 100)
    target = Path(files.path(name))
    before = target.stat().st_ino
    assert blob(tmp_path, b"x" * 100) == name
    assert target.stat().st_ino == before, "the same content is not written again"
    assert not list(target.parent.glob(".writing-*"))
