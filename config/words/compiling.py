"""Makes the files that gettext reads (.mo) from those that people read (.po), by Babel and without any program."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Of every page; and how the pages of django-allauth say things in English.
FOLDERS = (ROOT / "locale", ROOT / "config" / "locale")
#: The two kinds of catalogues: what anybody reads, and what only people who sign in do.
PUBLIC, STUDIO = "django", "studio"


def catalogues() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted(folder.glob(f"*/LC_MESSAGES/{PUBLIC}.po"))


def sources(path: Path) -> list[Path]:
    """What is compiled into one file, as Django reads one: the catalogue, and that of the studio beside it."""
    return [each for each in (path, path.with_name(f"{STUDIO}.po")) if each.exists()]


def outdated() -> list[Path]:
    """The catalogues that were changed since they were last compiled, or never were."""
    return [path for path in catalogues() if not is_current(path)]


def is_current(path: Path) -> bool:
    compiled = path.with_suffix(".mo")
    return compiled.exists() and all(
        compiled.stat().st_mtime_ns >= source.stat().st_mtime_ns for source in sources(path)
    )


def compile_outdated() -> None:
    """Several processes may do it at once. Raises OSError where nobody may write."""
    for path in outdated():
        compile_one(path)


def compile_one(path: Path) -> None:
    from babel.messages import mofile, pofile  # only here: most processes find everything compiled

    catalogue, *more = [
        pofile.read_po(io.BytesIO(source.read_bytes()), abort_invalid=True) for source in sources(path)
    ]
    for message in [message for each in more for message in each if message.id]:
        catalogue[message.id] = message
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(descriptor, "wb") as target:
        mofile.write_mo(target, catalogue)
    Path(name).chmod(0o644)
    Path(name).replace(path.with_suffix(".mo"))
