"""Pages as files: rendered once, kept on disk, and sent by nginx or by `publishing.pages.serving`.

    live/<workspace>/   pages as they are now: <slug>.html and <slug>/embed.html, each with .gz and .br beside it
    last/<workspace>/   pages as they were before something in the workspace changed, until they are rendered again
    old/<workspace>/    where pages are for the moment in which they go from live to last
    marks/<workspace>   the changes that were followed; locked by whoever writes or moves pages of the workspace
    release             which code and settings rendered them; its time is that of the latest look at the changes

The files of an edition are <slug>~<edition> and <slug>/embed~<edition>, that of a list is ~list: nginx looks for
names that end in .html alone, so no address leads to them by itself.

A change empties live at once: `live/<workspace>` is renamed, and what is still public of it moves to last. A page that
was rendered meanwhile from older data is not kept, because its folder, which `rendering` held open, is not live any
more. The time of a file is made from its bytes, so that nginx's ETag, made of time and size, belongs to the content.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

import brotli
from django.conf import settings

SHOWCASE = "~showcase"  # stands for the list of all workspaces' capsules; no workspace has such a name
LIST = "~list"
SUFFIXES = {"br": ".br", "gzip": ".gz", "": ""}  # by encoding, the best first; nginx looks for the last
#: A capsule's file by what of it can be public: a slug, and an edition.
NAME = re.compile(r"([a-z0-9-]+)(?:/embed)?(?:\.html|(~[a-z0-9-]+))(?:\.gz|\.br)?")


class Place(NamedTuple):
    """Where a page is kept: `name` is the path of its plain file in the workspace's folder."""

    workspace: str
    name: str

    @property
    def is_list(self) -> bool:
        return self.name == LIST


@dataclass(frozen=True)
class Body:
    """A page in one encoding. `age`: seconds since it was rendered."""

    content: bytes
    encoding: str
    etag: str
    age: float = 0.0


def stamp_of(content: bytes) -> int:
    """A time made from the content, as seconds since 1970, which every file system takes."""
    # Positive and below 2**30: nginx makes ETags of times, and equal pages get equal ones on every machine.
    return int.from_bytes(hashlib.sha256(content).digest()[:4]) >> 2


def etag_of(stamp: int, size: int) -> str:
    """As nginx makes it."""
    return f'"{stamp:x}-{size:x}"'


def pack(content: bytes, quality: int) -> dict[str, bytes]:
    """The page by encoding; `quality` is Brotli's, 0 to 11."""
    return {
        "br": brotli.compress(content, quality=quality),
        "gzip": gzip.compress(content, 9, mtime=0),
        "": content,
    }


class PageFiles:
    """The page files of one machine."""

    def __init__(self, root: Path, release: str = "") -> None:
        self.root, self.release = root, release
        self.live, self.last, self.old, self.marks = (
            root / name for name in ("live", "last", "old", "marks")
        )

    def make_folders(self) -> None:
        for folder in (self.live, self.last, self.old, self.marks):
            folder.mkdir(parents=True, exist_ok=True)

    # --- Reading and writing ---

    def read(self, place: Place, accepted: Sequence[str], *, last: bool = False) -> Body | None:
        """The page in the first encoding of `accepted` that is there."""
        start = f"{self.last if last else self.live}/{place.workspace}/{place.name}"
        for encoding in accepted:
            try:
                with open(start + SUFFIXES[encoding], "rb") as file:  # noqa: PTH123 - a Path costs as much as the rest
                    stat, content = os.fstat(file.fileno()), file.read()
            except OSError:  # it is not there, or just withdrawn with its folder
                continue
            etag = etag_of(int(stat.st_mtime), stat.st_size)
            return Body(content, encoding, etag, time.time() - stat.st_ctime)
        return None

    @contextmanager
    def rendering(self, place: Place) -> Iterator[int | None]:
        """Open it before the data are read: it is what `write` needs to tell whether they changed meanwhile."""
        try:
            folder = os.open(self.live / place.workspace, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            yield None
            return
        try:
            yield folder
        finally:
            os.close(folder)

    def write(self, place: Place, folder: int | None, packed: dict[str, bytes]) -> None:
        """Keeps a page, unless something that it shows has changed since its `rendering` began. Raises OSError.

        Before the first page of a workspace there is no folder: then it makes one, and the next page is kept.
        """
        if self.rendered_by() != self.release:
            return
        with self.locked(place.workspace):
            live = self.live / place.workspace
            # The folder was moved on since the data were read: what was rendered of them may be old.
            if folder is None or not is_folder(folder, live):
                live.mkdir(exist_ok=True)
                return
            # Another process was quicker with the same page.
            if not place.is_list and (live / place.name).exists():
                return
            for encoding, suffix in SUFFIXES.items():
                write_file(live / (place.name + suffix), packed[encoding])
            for suffix in SUFFIXES.values():
                # Only now is there something newer to fall back on.
                (self.last / place.workspace / (place.name + suffix)).unlink(missing_ok=True)

    def pack(self, place: Place, content: bytes) -> dict[str, bytes]:
        """The page by encoding; what was packed before a change next door is not packed again."""
        last = {encoding: self.read(place, [encoding], last=True) for encoding in SUFFIXES}
        plain = last[""]
        if plain is not None and plain.content == content and all(last.values()):
            return {encoding: body.content for encoding, body in last.items() if body}
        # A list changes with every publish: its best packing would cost more than its rendering.
        return pack(content, quality=5 if place.is_list else 9)

    # --- Changes ---

    @contextmanager
    def locked(self, workspace: str, *, mode: str = "a+") -> Iterator[IO[str]]:
        """The marks of a workspace, which only one process or thread has at a time."""
        with (self.marks / workspace).open(mode) as marks:
            # Goes with the process: nobody has to clean up after one that was killed.
            fcntl.flock(marks, fcntl.LOCK_EX)
            marks.seek(0)
            yield marks

    def renew(self, workspace: str, public: Container[str] | None) -> None:
        """Empties live; what `public` names (None: everything) goes on to last, where nothing else stays.

        Call it with the workspace locked. What was withdrawn is gone from last before it is from live, and a process
        that is killed on the way leaves what the next call puts right. Without room on the disk pages are lost rather
        than shown after their end.
        """
        live, last, old = (folder / workspace for folder in (self.live, self.last, self.old))
        for name in list(paths_in(last)):
            if not is_public(name, public):
                (last / name).unlink(missing_ok=True)
        move(old, last, public)  # of a process that was killed here
        try:
            live.rename(old)
        except FileNotFoundError:
            pass
        except OSError:
            shutil.rmtree(live)
        with suppress(OSError):  # `write` makes it else
            live.mkdir(exist_ok=True)
        move(old, last, public)

    def renew_all(self) -> None:
        """Every page is rendered anew, and shown as it was where that cannot be done."""
        for workspace in os.listdir(self.live):  # noqa: PTH208 - names alone
            with self.locked(workspace):
                self.renew(workspace, None)

    def drop_all(self) -> None:
        self.make_folders()
        for folder in (self.live, self.last, self.old):
            for workspace in folder.iterdir():  # the folders stay: other processes begin at the same moment
                # Locked, or a page that is written meanwhile would stay with its folder.
                with suppress(OSError), self.locked(workspace.name):
                    shutil.rmtree(workspace, ignore_errors=True)

    # --- Who rendered them ---

    def rendered_by(self) -> str:
        try:
            return (self.root / "release").read_text()
        except OSError:
            return ""

    def take_over(self, release: str, looked_at: float) -> None:
        """Says that pages of this release alone are kept from now on; of an older one, none is live any more.

        Raises OSError.
        """
        self.release = release
        if self.rendered_by() != release:
            self.sign("-", looked_at)  # nobody's, until none of another release is left
            self.renew_all()
        self.sign(release, looked_at)

    def sign(self, release: str, looked_at: float) -> None:
        (self.root / "release").write_text(release)
        os.utime(self.root / "release", (looked_at, looked_at))

    def looked_at(self) -> float:
        """When this machine last looked at the changes, in seconds since 1970; 0 where it never did."""
        try:
            return (self.root / "release").stat().st_mtime
        except OSError:
            return 0.0


def is_folder(folder: int, path: Path) -> bool:
    """Whether an open folder is the one at this path."""
    try:
        return os.path.samestat(os.fstat(folder), path.stat())
    except OSError:
        return False


def write_file(path: Path, content: bytes) -> None:
    """Writes a file aside and renames it. Raises OSError."""
    path.parent.mkdir(exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # Before it is renamed: a reader never sees the time of writing as an ETag.
        stamp = stamp_of(content)
        os.utime(temporary, (stamp, stamp))
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def paths_in(folder: Path) -> Iterator[str]:
    """The paths of all files in a folder; of none where there is no such folder."""
    for path, _, files in os.walk(folder):
        for file in files:
            yield os.path.relpath(f"{path}/{file}", folder)


def is_public(name: str, public: Container[str] | None) -> bool:
    """Whether a file is of a page that can still be read. A list may show what is gone, so it never is."""
    found = NAME.fullmatch(name)
    return found is not None and (public is None or found[1] + (found[2] or "") in public)


def move(source: Path, target: Path, public: Container[str] | None) -> None:
    """Moves what is public on, over what is there, and drops the rest."""
    with suppress(OSError):
        for name in list(paths_in(source)):
            if is_public(name, public):
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).replace(target / name)
    shutil.rmtree(source, ignore_errors=True)


@cache
def page_files() -> PageFiles:
    """Those of this machine."""
    return PageFiles(settings.PAGES_DIR)
