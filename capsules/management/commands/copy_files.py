"""`manage.py copy_files out|in FOLDER`: all files of the service (originals, blobs, parts) to a folder, or back.

Names follow from contents, so a second run copies only what is new, and every copy is checked against its name.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.core.management.base import BaseCommand, CommandError

from capsules.garbage import walk

FOLDERS = {"originals": "default", "blobs": "blobs", "parts": "parts"}  # a folder's name, and the storage's
CONTENT_NAME = re.compile(r"[0-9a-f]{2}/([0-9a-f]{64})\.")
AT_ONCE = 8  # copies; most of the time goes into waiting for a bucket


class Damaged(Exception):
    """A file is not what its name says."""


class Command(BaseCommand):
    help = "Copies all files of the service to a folder (out), or from one (in); what is there already stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("direction", choices=["out", "in"])
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if options["direction"] == "in" and not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        copy = copy_out if options["direction"] == "out" else copy_in
        damaged, copied, all_files = [], 0, 0
        for name, alias in FOLDERS.items():
            files, copies = storages[alias], folder / name
            copies.mkdir(parents=True, exist_ok=True)
            names = list(walk(files)) if options["direction"] == "out" else names_under(copies)
            with ThreadPoolExecutor(AT_ONCE) as pool:
                tries = [(file, pool.submit(copy, files, copies, file)) for file in names]
            for file, attempt in tries:
                try:
                    copied += attempt.result()
                except Damaged:
                    damaged.append(f"{name}/{file}")
            all_files += len(names)
        self.stdout.write(f"{all_files} files, {copied} copied.")
        if damaged:
            raise CommandError("\n".join(["These files are damaged and were not copied:", *damaged]))


def names_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.glob("*/*") if path.suffix != ".writing")


def check(name: str, path: Path) -> None:
    match = CONTENT_NAME.match(name)
    with path.open("rb") as file:
        if match and hashlib.file_digest(file, "sha256").hexdigest() != match[1]:
            raise Damaged


def copy_out(files: Storage, copies: Path, name: str) -> bool:
    """Whether it was copied; False where the copy was there, or the service has deleted the file meanwhile."""
    target = copies / name
    if target.exists():
        return False
    target.parent.mkdir(exist_ok=True)
    unfinished = target.with_name(f"{target.name}.writing")
    try:
        with files.open(name) as source, unfinished.open("wb") as out:
            shutil.copyfileobj(source, out, 1 << 20)
    except FileNotFoundError:
        unfinished.unlink(missing_ok=True)
        return False
    try:
        check(name, unfinished)
    except Damaged:
        unfinished.unlink()
        raise
    unfinished.replace(target)
    return True


def copy_in(files: Storage, copies: Path, name: str) -> bool:
    """Whether it was copied; False where the service has it."""
    check(name, copies / name)
    if files.exists(name):
        return False
    with (copies / name).open("rb") as file:
        files.save(name, File(file))
    return True
