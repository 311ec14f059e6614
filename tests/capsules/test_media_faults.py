"""Encodes that are stopped, killed or starved: they end in words, and nothing runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image

from capsules import media
from capsules.media import child, ffmpeg, painting
from capsules.media.child import Limits, Pulse
from tests.support import media_files as files
from tests.support.media_files import ignore

ROOT = Path(__file__).parents[2]
OURS = (b"ffmpeg", b"capsules.painter.tasks")
MIDDLE = (0.5, 0.5)


@pytest.fixture(scope="module")
def long_film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files.film(tmp_path_factory.mktemp("samples"), size="320x180", seconds=4)


@pytest.fixture(scope="module")
def longer_film(long_film: Path) -> Path:
    """Which no encoder has encoded before somebody looks."""
    return files.ffmpeg(long_film.with_name("longer.mp4"), "-stream_loop 2 -i SOURCE -c copy", long_film)


@pytest.fixture(scope="module")
def large_picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    image = files.photo(1920, 1080)
    return files.saved(tmp_path_factory.mktemp("samples"), "a.png", image, compress_level=1)


def children_of(pid: int) -> set[int]:
    """The ids of all processes below `pid`."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):  # it ended while we looked
                continue
    below = {pid}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {pid}


def encoders_of(pid: int, word: bytes = b"") -> set[int]:
    """Those of them that the media pipeline started, and whose command line has `word` in it."""
    return {
        one
        for one in children_of(pid)
        if any(name in (line := command(one)) and word in line for name in OURS)
    }


def jailed_encoders_of(pid: int, word: bytes = b"") -> set[int]:
    """Those whose limits stand. While `jail.py` sets them, its command line names the command to come."""
    return encoders_of(pid, word) - encoders_of(pid, b"jail.py")


def command(pid: int) -> bytes:
    """Its command line; empty when it has ended, also while nobody has asked how."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether `condition` comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


class LeaseLostError(Exception):
    """Stands for the caller who may not go on."""


def test_work_stops_at_once_when_progress_raises(large_picture, out, monkeypatch):
    """That of all processes of a camera move: those that draw, and the encoder that they draw for."""

    monkeypatch.setattr(child, "TICK", 0.05)
    lost = []

    def lose(percent: int) -> None:
        if encoders_of(os.getpid(), b"libx264"):
            lost.append(time.monotonic())
            raise LeaseLostError

    with pytest.raises(LeaseLostError):
        media.make_move(large_picture, out, focus=MIDDLE, progress=lose)
    assert time.monotonic() - lost[0] < 3
    assert encoders_of(os.getpid()) == set()


def signal_all(pids: set[int], what: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)


def kill(word: bytes) -> None:
    signal_all(encoders_of(os.getpid(), word), signal.SIGKILL)


def test_an_encoder_killed_from_outside_is_told_in_words(longer_film, out, monkeypatch):
    monkeypatch.setattr(child, "TICK", 0.05)
    with pytest.raises(media.EncodeFailed, match="stopped from outside"):
        media.make_film(longer_film, out, progress=lambda percent: kill(b"ffmpeg"))


def test_a_painter_killed_in_the_middle_of_a_move_is_told_in_words(large_picture, out):
    with pytest.raises(media.EncodeFailed, match="stopped from outside"):
        media.make_move(large_picture, out, focus=MIDDLE, progress=lambda percent: kill(b"painter"))


def test_a_child_that_says_nothing_is_told_of_often_and_stopped_by_the_clock():
    percents: list[int] = []
    pulse = Pulse(percents.append)
    limits = Limits(seconds=1.2, cpu_seconds=5, address_space=1 << 30, file_size=1 << 20)
    with (
        pytest.raises(media.EncodeFailed, match="too long") as failure,
        child.Child(["/bin/sleep", "30"], limits) as silent,
    ):
        child.wait_for([silent], limits.seconds, pulse.beat)
    assert len(percents) >= 2, "once a second at least"
    assert "exit status" in failure.value.detail


@pytest.mark.parametrize("ends", ["kill -XCPU $$", "echo received signal 24 >&2; exit 255"])
def test_an_encoder_that_used_up_its_computing_time_is_told_in_words(ends):
    limits = Limits(seconds=60, cpu_seconds=5, address_space=1 << 30, file_size=1 << 20)
    with child.Child(["/bin/sh", "-c", ends], limits) as process:
        child.wait_for([process], limits.seconds)
        failure = process.failure()
    assert "too long" in str(failure) and "exit status" in failure.detail


@pytest.mark.parametrize(
    "limits, words",
    [
        (Limits(seconds=60, cpu_seconds=60, address_space=260 << 20, file_size=1 << 30), "memory"),
        (Limits(seconds=60, cpu_seconds=60, address_space=4 << 30, file_size=20_000), "more detail"),
    ],
    ids=["memory", "file size"],
)
def test_each_limit_on_an_encoder_ends_in_a_clear_failure(limits, words, long_film, out):
    work = ["-i", str(long_film), "-c:v", "libx264", "-preset", "ultrafast", str(out / "a.mp4")]
    with pytest.raises(media.EncodeFailed, match=words) as failure:
        ffmpeg.run_ffmpeg(work, seconds=12, pulse=Pulse(), limits=limits)
    assert "exit status" in failure.value.detail


def test_a_painter_out_of_memory_ends_in_a_clear_failure(tmp_path, out):
    source = files.saved(tmp_path, "a.png", Image.new("RGB", (4000, 4000)), compress_level=1)
    limits = Limits(seconds=60, cpu_seconds=60, address_space=120 << 20, file_size=1 << 30)
    arguments = {"source": str(source), "media_type": "image/png", "focus": MIDDLE, "folder": str(out)}
    with pytest.raises(media.EncodeFailed, match="memory"):
        painting.paint("stills", Pulse(), limits, **arguments)


def test_an_encoder_without_a_disk_is_told_in_words_and_keeps_its_log_for_staff(long_film, tmp_path):
    with pytest.raises(media.EncodeFailed) as failure:
        media.make_film(long_film, tmp_path / "no such folder", progress=ignore)
    assert "No such file" in failure.value.detail
    assert str(tmp_path) not in str(failure.value)


ENCODING_PARENT = """
import sys
from pathlib import Path
from capsules import media
source, out = map(Path, sys.argv[1:])
media.make_move(source, out, focus=(0.5, 0.5), progress=lambda percent: None)
"""


@pytest.fixture
def encoding_parent(large_picture, out) -> Iterator[subprocess.Popen]:
    """Another process that is in the middle of an encode."""
    command = [sys.executable, "-c", ENCODING_PARENT, str(large_picture), str(out)]
    with subprocess.Popen(command, cwd=ROOT) as parent:
        yield parent
        parent.kill()


def test_no_encoder_outlives_its_killed_parent(encoding_parent):
    assert eventually(lambda: len(jailed_encoders_of(encoding_parent.pid, b"libx264")) > 0, seconds=60)
    running = jailed_encoders_of(encoding_parent.pid)
    signal_all(running, signal.SIGSTOP)  # so that none ends by itself
    encoding_parent.kill()
    try:
        assert eventually(lambda: not any(map(command, running)), seconds=30)
    finally:
        signal_all(running, signal.SIGKILL)


def test_a_child_has_its_limits_inherits_no_environment_and_cannot_gain_rights(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "leaked")
    heard: list[bytes] = []
    show = "import os; print(sorted(os.environ)); print(open('/proc/self/status').read())"
    show += "; print(open('/proc/self/limits').read())"
    limits = Limits(seconds=60, cpu_seconds=5, address_space=1 << 30, file_size=1 << 20)
    with child.Child([sys.executable, "-I", "-S", "-c", show], limits, hear=heard.append) as process:
        child.wait_for([process], limits.seconds)
        assert process.failure() is None
    assert b"SECRET_KEY" not in heard[0]
    assert b"NoNewPrivs:\t1" in heard
    told = {line.split(b"  ")[0]: line.split(b"  ", 1)[1].split()[:2] for line in heard if b"  " in line}
    assert told[b"Max cpu time"] == [b"5", b"10"], "ffmpeg gives up, and else the kernel ends it"
    assert told[b"Max core file size"] == [b"0", b"0"]
