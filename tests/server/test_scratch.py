"""Folders for work in progress: gone with their process, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config import scratch

MAKER = """
import sys, time
from config.scratch import scratch
with scratch("test") as folder:
    (folder / "half").write_bytes(b"done")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def maker(tmp_path, monkeypatch):
    """A process that works in a scratch folder, and that folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", MAKER], stdout=subprocess.PIPE, env=env)
    yield process, Path(process.stdout.readline().decode().strip())
    process.kill()
    process.wait(10)
    process.stdout.close()


def test_what_a_killed_process_was_working_on_is_swept_away_and_nothing_else(maker, tmp_path):
    process, folder = maker
    other = tmp_path / "capsules-other"
    other.mkdir()
    long_ago = time.time() - 2 * scratch.YOUNG
    os.utime(folder, (long_ago, long_ago))
    assert scratch.forget_orphans() == 0, "it is being worked in"
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    assert (folder / "half").exists()
    assert scratch.forget_orphans() == 1
    assert not folder.exists() and other.exists()


def test_a_folder_that_was_only_just_made_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / f"{scratch.PREFIX}new").mkdir()
    assert scratch.forget_orphans() == 0


def test_a_folder_is_gone_when_its_work_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch.scratch("test") as folder:
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []
