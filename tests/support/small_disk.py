"""A disk of a few megabytes, and how to fill it to the last byte."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    command = ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("NO SMALL DISK CAN BE MOUNTED HERE (it takes root): THE FULL DISK IS NOT TRIED.")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    with mounted(folder):
        yield folder


def fill(folder: Path) -> Path:
    """May be called again, where something on it was deleted meanwhile."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert shutil.disk_usage(folder).free == 0
    return ballast
