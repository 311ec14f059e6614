"""How the processes of one web server add up what they counted; and how a process rests until it is told to stop."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge

from config import shared_counts, stopping
from config.errors import Unavailable
from config.shared_counts import SharedCounts


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_counts, "counts_folder", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen(["true"])
    child.wait()
    return child.pid


def counting(reads: int, busy: int = 0) -> tuple[SharedCounts, Counter]:
    registry = CollectorRegistry()
    counter = Counter("reads", "Reads", ["kind"], registry=registry)
    counter.labels("hit").inc(reads)
    Gauge("busy", "Busy", registry=registry).set(busy)
    return SharedCounts(registry), counter


def told(counts: SharedCounts) -> dict[str, float]:
    """What is told, without when each was made; each sample stands under its own family."""
    found = [(family.name, sample) for family in counts.collect() for sample in family.samples]
    assert all(sample.name.startswith(name) for name, sample in found)
    return {sample.name: sample.value for _, sample in found if not sample.name.endswith("_created")}


def left(pid: int | str, folder, **figures: float) -> None:
    names = {"reads_total": ("reads", "reads_total", [["kind", "hit"]]), "busy": ("busy", "busy", [])}
    rows = [[*names[name], value] for name, value in figures.items()]
    (folder / f"{pid}.json").write_text(json.dumps(rows))


def test_a_process_tells_its_own_counts_and_those_of_the_living(folder):
    left(os.getppid(), folder, reads_total=5, busy=2)
    counts, _ = counting(3, busy=1)
    assert told(counts) == {"reads_total": 8, "busy": 3}
    assert told(counts) == {"reads_total": 8, "busy": 3}, "a second look counts nothing twice"
    assert (folder / f"{os.getpid()}.json").exists() and not list(folder.glob("*.unfinished"))


def test_counts_of_the_dead_stay_and_what_they_were_doing_does_not(folder, dead):
    left(dead, folder, reads_total=5, busy=2)
    counts, counter = counting(3, busy=1)
    assert told(counts) == {"reads_total": 8, "busy": 1}
    assert not (folder / f"{dead}.json").exists()
    counter.labels("hit").inc()
    assert told(counts) == {"reads_total": 9, "busy": 1}


def test_what_another_process_of_this_number_left_is_taken_over_once(folder):
    left(os.getpid(), folder, reads_total=5)
    counts, _ = counting(3)
    assert told(counts)["reads_total"] == 8
    assert told(counts)["reads_total"] == 8


@pytest.mark.parametrize("content", [b"", b"{", b'"x"', b"[[1]]"])
def test_a_damaged_file_counts_nothing(content, folder):
    (folder / f"{os.getppid()}.json").write_bytes(content)
    counts, _ = counting(3)
    assert told(counts)["reads_total"] == 3


def test_a_busy_process_leaves_its_file_now_and_then(folder, monkeypatch):
    counts, counter = counting(3)
    mine = folder / f"{os.getpid()}.json"
    counts.leave_now_and_then()
    first = mine.read_text()
    counter.labels("hit").inc()
    counts.leave_now_and_then()
    assert mine.read_text() == first, "seconds later it is not written again"
    counts.left_at -= shared_counts.LEFT_EVERY
    counts.leave_now_and_then()
    assert mine.read_text() != first


def test_where_no_file_can_be_written_a_process_tells_its_own_and_says_so_once(tmp_path, monkeypatch, caplog):
    def nowhere():
        raise OSError("full")

    monkeypatch.setattr(shared_counts, "counts_folder", nowhere)
    counts, _ = counting(3)
    assert told(counts)["reads_total"] == told(counts)["reads_total"] == 3
    assert len([record for record in caplog.records if "cannot leave" in record.message]) == 1


# --- Until it is told to stop ---------------------------------------------------------------------------------------


@pytest.fixture
def told_to_stop(monkeypatch):
    monkeypatch.setattr(stopping, "_ends_at", None)
    monkeypatch.setattr(stopping, "_told", threading.Event())
    return stopping.begin


def rested(seconds: float) -> float:
    begun = time.monotonic()
    stopping.rest(seconds)
    return time.monotonic() - begun


def test_a_process_rests_as_long_as_it_says_and_wakes_when_it_is_told(told_to_stop):
    assert not stopping.has_begun() and rested(0.05) >= 0.049
    threading.Timer(0.05, told_to_stop).start()
    assert rested(30) < 20 and stopping.has_begun()
    assert rested(30) < 20


@pytest.mark.parametrize("left, may_wait", [(3.5, True), (2.5, False), (-1, False)])
def test_a_request_waits_no_longer_than_the_process_lives(left, may_wait, told_to_stop, settings):
    settings.STOP_PATIENCE = 20
    stopping.check_may_wait()
    told_to_stop()
    ends = stopping._ends_at
    told_to_stop()
    assert stopping._ends_at == ends, "told twice it ends no later"
    stopping.check_may_wait()
    stopping._ends_at = time.monotonic() + left
    if may_wait:
        stopping.check_may_wait()
    else:
        with pytest.raises(Unavailable) as refused:
            stopping.check_may_wait()
        assert refused.value.retry_after == 5


def test_the_counts_of_all_that_ended_stay(folder, dead):
    counts, _ = counting(1)
    for reads, all_in_all in [(100, 101), (50, 151)]:
        left(dead, folder, reads_total=reads)
        assert told(counts)["reads_total"] == all_in_all
