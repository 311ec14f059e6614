"""The drills of tests/faults tell what held from what was not tried at all."""

from __future__ import annotations

import shutil
import signal
import sys

import pytest

from benchmarks.pages import run as benchmark
from tests.faults import __main__ as faults
from tests.faults import database, hosts, pages, redis_away, rolling, takedown

DRILLS = {
    "database": database.main,
    "hosts": hosts.main,
    "redis_away": redis_away.main,
    "rolling": lambda: rolling.main(short=True),
    "pages two": lambda: pages.main(["two"]),
    "takedown": lambda: takedown.main(["postgresql", "redis"]),
    "benchmarks.pages": benchmark.main,
}


@pytest.fixture
def no_tool(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["drill"])
    monkeypatch.setattr(signal, "signal", lambda *args: None)
    for drill in (database, hosts, pages, takedown):
        monkeypatch.setattr(drill, "binaries", lambda: None)


@pytest.mark.parametrize("name", DRILLS)
@pytest.mark.parametrize(("may_skip", "status"), [("", 3), ("yes", 0)])
def test_a_drill_whose_tool_is_missing_says_so_and_has_not_held(
    name, may_skip, status, no_tool, monkeypatch, capsys
):
    monkeypatch.setenv("MAY_SKIP", may_skip)
    assert DRILLS[name]() == status
    assert "!!! " in capsys.readouterr().out


@pytest.mark.parametrize(("codes", "status"), [((0, 0), 0), ((0, 3), 3), ((3, 1), 1), ((-9, 0), 1)])
def test_all_drills_together_end_with_what_was_broken_or_not_tried(codes, status, monkeypatch, capsys):
    answers = dict(zip(("rolling", "hosts"), codes, strict=True))
    monkeypatch.setattr(faults, "run", lambda name: (answers[name], 1.0))
    assert faults.main(list(answers)) == status
    told = capsys.readouterr().out
    assert ("BROKEN" in told) == (status == 1) and ("NOT TRIED" in told) == (3 in codes)
