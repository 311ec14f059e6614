"""`manage.py copy_files out|in FOLDER`: all files of the service (originals, blobs, parts) to a folder, or back.

Names follow from contents: a second run copies what is new, and what was damaged meanwhile on the side it copies to.
A file that cannot be copied holds up no other; all of them are named at the end. The exit code is ONLY_DAMAGED where
each of them is another than its name says, so that there was nothing to copy.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from botocore.exceptions import ClientError
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.core.management.base import BaseCommand, CommandError

from capsules import storage
from capsules.garbage import listed, walk
from capsules.models import HiddenBlob

FOLDERS = {
    "originals": "default",
    "blobs": "blobs",
    "hidden": "hidden",
    "parts": "parts",
}  # a folder's name, and the storage's
CONTENT_NAME = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})\.")
ONLY_DAMAGED = 3  # exit code
AT_ONCE = 8  # copies; most of the time goes into waiting for a bucket


class Damaged(Exception):
    """A file is not what its name says."""

    def __str__(self) -> str:
        return "damaged"


class Command(BaseCommand):
    help = (
        "Copies all files of the service to a folder (out), or from one (in); what is there and whole stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("direction", choices=["out", "in"])
        parser.add_argument("folder", type=Path)

    def handle(self, *args: object, **options: Any) -> None:
        folder: Path = options["folder"]
        if options["direction"] == "in" and not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        check_bucket(storage.originals())
        copy = copy_out if options["direction"] == "out" else copy_in
        failed: list[tuple[str, BaseException]] = []
        copied, all_files = 0, 0
        seen: dict[str, set[str]] = {name: set() for name in FOLDERS}
        # Blobs once more: one that was hidden may have come back before its turn as a hidden one.
        for name in [*FOLDERS, "blobs"]:
            files, copies = storages[FOLDERS[name]], folder / name
            copies.mkdir(parents=True, exist_ok=True)
            found = names_under(copies) if copy is copy_in else walk(files)
            names = [file for file in found if file not in seen[name]]
            seen[name].update(names)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                tries = [(file, pool.submit(copy, files, copies, file)) for file in names]
            for file, attempt in tries:
                if error := attempt.exception():
                    failed.append((f"{name}/{file}", error))
                else:
                    copied += attempt.result()
            all_files += len(names)
        self.stdout.write(f"{all_files} files, {copied} copied.")
        if copy is copy_in:
            hide_again()
        if failed:
            lines = [f"{file}: {error}" for file, error in failed]
            only_damaged = all(isinstance(error, Damaged) for _, error in failed)
            raise CommandError(
                "\n".join(["These files were not copied:", *lines]),
                returncode=ONLY_DAMAGED if only_damaged else 1,
            )


def check_bucket(files: Storage) -> None:
    """Raises CommandError where files are to lie in a bucket that is not there, or that refuses our keys: once, not for
    each of them.
    """
    try:
        listed(files, "")
    except ClientError as error:
        name: str = files.bucket_name  # type: ignore[attr-defined]
        code = error.response["Error"]["Code"]
        told = f"The bucket {name} refuses to list its files ({code}): correct the keys in STORAGE_URL."
        if code == "NoSuchBucket":
            told = f"There is no bucket {name}: make it first, or correct STORAGE_URL."
        raise CommandError(told) from error


def hide_again() -> None:
    """Takes from the public files what was taken down: a folder of copies has it from before, too. In a bucket the
    copies for the public go with the next sweep, which looks at each once more.
    """
    hidden = HiddenBlob.objects.filter(is_hidden=True).values_list("name", flat=True)
    for name in hidden.distinct():
        storage.bring_file(name, source=storage.blobs(), target=storage.hidden())
    HiddenBlob.objects.update(is_settled=False)


def names_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.glob("*/*") if path.suffix != ".writing")


def check_hash(name: str, file: IO[bytes] | File) -> None:
    """Raises Damaged where the name is the hash of a content, and of another one than this."""
    if match := CONTENT_NAME.match(name):
        digest = hashlib.sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
        if digest.hexdigest() != match[1]:
            raise Damaged


def is_whole(name: str, path: Path, size: int) -> bool:
    """Whether a file on a disk has so many bytes, and the hash that it is named by."""
    if path.stat().st_size != size:
        return False
    with path.open("rb") as file:
        try:
            check_hash(name, file)
        except Damaged:
            return False
    return True


def copy_out(files: Storage, copies: Path, name: str) -> bool:
    """Whether it was copied; False where a whole copy was there, or the service has deleted the file meanwhile."""
    target = copies / name
    target.parent.mkdir(exist_ok=True)
    unfinished = target.with_name(f"{target.name}.writing")
    try:
        if target.exists() and is_whole(name, target, files.size(name)):
            return False
        with files.open(name) as source, unfinished.open("wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
    except FileNotFoundError:
        unfinished.unlink(missing_ok=True)
        return False
    try:
        with unfinished.open("rb") as file:
            check_hash(name, file)
    except Damaged:
        unfinished.unlink()
        raise
    unfinished.replace(target)
    return True


def copy_in(files: Storage, copies: Path, name: str) -> bool:
    """Whether it was copied; False where the service has it whole. A bucket is asked for the size alone.

    A bucket keeps hashes of its own, and reading all of one that was not lost would take hours.
    """
    copy = copies / name
    with copy.open("rb") as file:
        check_hash(name, file)
    size = copy.stat().st_size
    if files.exists(name):
        on_disk = isinstance(files, FileSystemStorage)
        if is_whole(name, Path(files.path(name)), size) if on_disk else files.size(name) == size:
            return False
        files.delete(name)
    with copy.open("rb") as file:
        files.save(name, File(file))
    return True
