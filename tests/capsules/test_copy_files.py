"""`manage.py copy_files`: the files of the service to a folder, and back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from django.core.files.storage import Storage
from django.core.management import CommandError, call_command

from capsules import storage
from capsules.garbage import walk
from capsules.management.commands import copy_files
from tests.support import migrated
from tests.support.bucket import REGION, bucket

pytestmark = pytest.mark.django_db
NAMES = [("blobs", storage.blobs), ("originals", storage.originals)]
PLACES = [storage.blobs, storage.originals, storage.parts, storage.hidden]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A storage with one file of either kind; a second folder is where the copies go."""
    for get in PLACES:
        monkeypatch.setattr(get(), "_location", tmp_path / "service" / Path(get().location).name)
        forget_location(get())
    for name, get in NAMES:
        source = tmp_path / f"{name}.txt"
        source.write_text(f"what is in {name}")
        storage.put(get(), source, "txt")
    yield tmp_path / "copies"
    monkeypatch.undo()
    for get in PLACES:
        forget_location(get())


def forget_location(files) -> None:
    """Django keeps where a storage lies once it was asked."""
    files.__dict__.pop("base_location", None)
    files.__dict__.pop("location", None)


def stored() -> dict[str, bytes]:
    return {f"{kind}/{name}": get().open(name).read() for kind, get in NAMES for name in walk(get())}


def copy(direction: str, folder: Path, capsys) -> str:
    call_command("copy_files", direction, str(folder))
    return capsys.readouterr().out


def test_what_was_lost_comes_back_as_it_was(files, capsys):
    before = stored()
    copy("out", files, capsys)
    for _, get in NAMES:
        for name in list(walk(get())):
            get().delete(name)
    assert stored() == {}
    copy("in", files, capsys)
    assert stored() == before and len(before) == 2


def test_the_media_folder_of_a_service_is_a_folder_of_copies_to_move_into_a_bucket(files, tmp_path, capsys):
    before = stored()
    disk = (tmp_path / "service").rename(tmp_path / "disk")
    assert "2 copied" in copy("in", disk, capsys)
    assert stored() == before


def test_a_blob_that_is_given_back_meanwhile_is_copied(files, capsys, monkeypatch):
    """It comes back once the public ones are copied, and before the hidden ones are."""
    (name,) = walk(storage.blobs())
    storage.bring_file(name, source=storage.blobs(), target=storage.hidden())
    names_of = copy_files.walk

    def meanwhile(place: Storage) -> list[str]:
        if place is storage.hidden():
            storage.bring_file(name, source=storage.hidden(), target=storage.blobs())
        return list(names_of(place))

    monkeypatch.setattr(copy_files, "walk", meanwhile)
    assert "2 files, 2 copied" in copy("out", files, capsys)
    assert (files / "blobs" / name).read_bytes() == b"what is in blobs"


def test_a_second_run_copies_nothing(files, capsys):
    assert "2 copied" in copy("out", files, capsys)
    assert "0 copied" in copy("out", files, capsys)
    assert "0 copied" in copy("in", files, capsys)


@pytest.mark.parametrize("direction", ["out", "in"])
def test_a_damaged_file_is_named_and_not_copied(files, capsys, direction):
    if direction == "in":
        copy("out", files, capsys)
    name = next(walk(storage.blobs()))
    damaged = files / "blobs" / name if direction == "in" else Path(storage.blobs().path(name))
    damaged.write_text("something else")
    if direction == "in":
        storage.blobs().delete(name)
    with pytest.raises(CommandError, match=name):
        copy(direction, files, capsys)
    assert not (storage.blobs().exists(name) if direction == "in" else (files / "blobs" / name).exists())


@pytest.mark.parametrize("ends, is_kept", [(3, True), (1, False)])
def test_a_damaged_original_does_not_cost_the_database_its_backup(tmp_path, ends, is_kept):
    """`ends`: the exit code of copy_files, which alone is what another program answers here."""
    data, backups, python = tmp_path / "data", tmp_path / "backups", tmp_path / "python"
    data.mkdir()
    shutil.copy(migrated.file(), data / "capsules.sqlite3")
    python.write_text(f'#!/bin/sh\n[ "$1" = manage.py ] && exit {ends}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    own = {"DATA_DIR": str(data), "DATABASE_URL": "", "STORAGE_URL": "", "PYTHON": str(python)}
    backup = subprocess.run(
        ["deploy/backup.sh", str(backups)],
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert backup.returncode == ends, backup.stderr
    kept = [folder for folder in backups.glob("*Z") if (folder / "database.sqlite3").is_file()]
    assert len(kept) == int(is_kept)


def test_files_after_a_damaged_one_are_copied_and_all_damaged_ones_named(files, capsys):
    second = files.parent / "second.txt"
    second.write_text("another blob")
    storage.put(storage.blobs(), second, "txt")
    before = stored()
    copy("out", files, capsys)
    blobs, original = sorted(walk(storage.blobs())), next(walk(storage.originals()))
    for name in blobs:
        storage.blobs().delete(name)
    storage.originals().delete(original)
    (files / "blobs" / blobs[0]).write_text("something else")
    (files / "originals" / original).write_text("something else")
    with pytest.raises(CommandError) as refusal:
        copy("in", files, capsys)
    assert f"blobs/{blobs[0]}: damaged" in str(refusal.value)
    assert f"originals/{original}: damaged" in str(refusal.value)
    assert refusal.value.returncode == copy_files.ONLY_DAMAGED
    assert stored() == {f"blobs/{blobs[1]}": before[f"blobs/{blobs[1]}"]}


@pytest.mark.parametrize("damage", [b"of another size", b"What is in blobs"])
def test_a_damaged_file_of_the_service_is_replaced_by_its_copy(files, capsys, damage):
    before = stored()
    copy("out", files, capsys)
    Path(storage.blobs().path(next(walk(storage.blobs())))).write_bytes(damage)
    assert "2 files, 1 copied" in copy("in", files, capsys)
    assert stored() == before


@pytest.mark.parametrize("damage", [b"of another size", b"What is in blobs"])
def test_a_copy_that_was_damaged_is_made_anew(files, capsys, damage):
    copy("out", files, capsys)
    name = next(walk(storage.blobs()))
    (files / "blobs" / name).write_bytes(damage)
    assert "2 files, 1 copied" in copy("out", files, capsys)
    assert (files / "blobs" / name).read_bytes() == storage.blobs().open(name).read()


@pytest.fixture
def in_bucket(settings) -> Iterator[Callable[[str], str]]:
    """Has the files lie in a bucket of this name; returns the address of its server."""
    with bucket() as (address, *_):
        options = {
            "access_key": "key",
            "secret_key": "secret",
            "region_name": REGION,
            "endpoint_url": address,
        }

        def lie_in(name: str) -> str:
            backend = {
                "BACKEND": "storages.backends.s3.S3Storage",
                "OPTIONS": {**options, "bucket_name": name},
            }
            settings.STORAGES = {**settings.STORAGES, **dict.fromkeys(copy_files.FOLDERS.values(), backend)}
            return address

        yield lie_in


def test_a_bucket_that_is_not_there_is_told_once(files, capsys, in_bucket):
    in_bucket("absent")
    with pytest.raises(CommandError) as told:
        copy("out", files, capsys)
    assert str(told.value) == "There is no bucket absent: make it first, or correct STORAGE_URL."


def test_a_bucket_that_refuses_our_keys_is_told_once(files, capsys, in_bucket):
    address = f"{in_bucket('capsules')}/moto-api/reset-auth"

    def look_at_keys(after: bytes) -> None:
        urlopen(Request(address, after, {"Content-Type": "text/plain"})).close()

    look_at_keys(after=b"0")  # requests
    try:
        with pytest.raises(CommandError) as told:
            copy("out", files, capsys)
    finally:
        look_at_keys(after=b"inf")  # other tests share the memory of this server
    why = "(InvalidAccessKeyId): correct the keys in STORAGE_URL."
    assert str(told.value) == f"The bucket capsules refuses to list its files {why}"


def test_a_file_that_cannot_be_written_holds_up_no_other(files, capsys, monkeypatch):
    copy("out", files, capsys)
    blob = next(walk(storage.blobs()))
    before = stored()
    storage.blobs().delete(blob)
    original = next(walk(storage.originals()))
    storage.originals().delete(original)

    def refuse(*args):
        raise OSError("the bucket is away")

    monkeypatch.setattr(storage.originals(), "save", refuse)
    with pytest.raises(CommandError, match=f"originals/{original}: the bucket is away") as refusal:
        copy("in", files, capsys)
    assert refusal.value.returncode == 1
    assert stored() == {f"blobs/{blob}": before[f"blobs/{blob}"]}
