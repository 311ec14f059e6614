"""A disk without a free byte where DATA_DIR is: reading goes on, and the service still says what is wrong."""

from __future__ import annotations

import json
import re
import select
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge

from config import shared_counts
from config.http_channel import SPARED
from config.shared_counts import SharedCounts
from tests.support.running import Service, service
from tests.support.sending import until
from tests.support.small_disk import fill, mounted

TOKEN = "a-token-for-prometheus"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
WORKER = b'capsules_process_age_seconds{process="worker celery@'


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with mounted(tmp_path_factory.mktemp("disk")) as folder:
        yield folder


@pytest.fixture(scope="module")
def running(small_disk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose data and bodies are on the small disk; its log is not."""
    (small_disk / "service.log").symlink_to(tmp_path_factory.mktemp("log") / "service.log")
    own = {"METRICS_TOKEN": TOKEN, "WEB_PROCESSES": "1", "TMPDIR": str(small_disk)}
    with service(small_disk, stories=1, **own) as running:  # type: ignore[arg-type]
        yield running


HEAD = (
    "PATCH /api/v2/uploads/x/content HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n"
    "Content-Type: application/offset+octet-stream\r\n\r\n"
)


def test_bodies_of_strangers_leave_room_on_the_disk(small_disk, running):
    with ExitStack() as stack:
        for _ in range(4):
            address = ("127.0.0.1", running.port)
            sender = stack.enter_context(socket.create_connection(address, timeout=30))
            sender.sendall(HEAD.format(2**26).encode())
            sent = 0
            while sent < 14 and not select.select([sender], [], [], 0.05)[0]:  # until it is answered
                sender.sendall(bytes(2**20))
                sent += 1
        answer = b""
        with suppress(ConnectionResetError):  # after the answer, as it was still sending
            while part := sender.recv(65536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b" 507 " in head
        assert "no space" in json.loads(body)["error"]
        disk = shutil.disk_usage(small_disk)
        assert disk.free > disk.total / SPARED - 2**20
        assert running.call("GET", "/api/v2/health").status == 200


def test_routes_that_nobody_asked_for_before_are_answered_on_a_full_disk(small_disk, running):
    page = running.publication("PUT", running.seeded["stories"][0]).json()["url"]  # rendered by nobody yet
    until(lambda: is_idle(running), "a worker that has done what the timer asked for")
    for _ in range(2):
        fill(small_disk)
        for path in (
            "/api/v2/health",
            "/api/v2/feed",
            "/account/login/",
            "/robots.txt",
            page,
            f"{page}/embed",
        ):
            assert running.call("GET", path).status == 200, path
        assert running.call("GET", "/no/such/page/at/all").status == 404
        assert running.call("PUT", "/api/v2/health").status == 405
        ready = running.call("GET", "/readyz")
        assert ready.status == 503
        assert "storage" in json.loads(ready.body)["reasons"]
        told = running.call("GET", "/metrics", **AUTHORIZED)
        assert told.status == 200
        free = re.search(rb"capsules_disk_free_bytes (\d+)", told.body)
        assert free is not None
        assert int(free[1]) < 1 << 16  # what the timer deletes, to write it anew
    assert WORKER in told.body
    assert not list((small_disk / "pages").rglob("*.html"))


def is_idle(running: Service) -> bool:
    """Whether a worker lives, has swept, and has nothing to do until the timer asks again."""
    queue = Path(running.env["DATA_DIR"], "queue")
    if any(file.is_file() and "control" not in file.parts for file in queue.rglob("*")):
        return False
    told = running.call("GET", "/metrics", **AUTHORIZED).body
    return WORKER in told and b"\ncapsules_sweep_age_seconds " in told


# --- What processes count together ------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_counts, "IN_MEMORY", tmp_path)
    return shared_counts.counts_folder()


@pytest.fixture
def process():
    """A function that makes what one process counts with: a counter, a gauge, and the sums."""

    def make() -> tuple[Counter, Gauge, SharedCounts]:
        registry = CollectorRegistry()
        counter = Counter("things", "Things.", ["kind"], registry=registry)
        return counter, Gauge("open", "Open ones.", registry=registry), SharedCounts(registry)

    return make


def told(shared: SharedCounts) -> dict[str, float]:
    return {
        sample.name: sample.value
        for family in shared.collect()
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def become(monkeypatch, number: int, *, alive: set[int]) -> None:
    monkeypatch.setattr(shared_counts.os, "getpid", lambda: number)
    monkeypatch.setattr(shared_counts, "is_alive", lambda process: process in alive)


def test_whichever_process_is_asked_tells_what_all_counted(folder, process, monkeypatch):
    (things, gauge, first), (other_things, other_gauge, second) = process(), process()
    become(monkeypatch, 1, alive={1, 2})
    things.labels("a").inc(3)
    gauge.set(2)
    first.leave_now_and_then()
    become(monkeypatch, 2, alive={1, 2})
    other_things.labels("a").inc(4)
    other_gauge.set(5)
    assert told(second) == {"things_total": 7, "open": 7}
    become(monkeypatch, 1, alive={1, 2})
    assert told(first) == {"things_total": 7, "open": 7}


def test_counts_of_a_process_that_ended_stay_and_its_gauges_go(folder, process, monkeypatch):
    (things, gauge, first), (_, _, second) = process(), process()
    become(monkeypatch, 1, alive={1})
    things.labels("a").inc(3)
    gauge.set(2)
    told(first)
    become(monkeypatch, 2, alive={2})
    for _ in range(3):
        assert told(second) == {"things_total": 3, "open": 0}
    _, _, third = process()  # which gets the number of the one before it, as in a container
    assert told(third) == {"things_total": 3, "open": 0}
    assert [file.name for file in folder.iterdir()] == ["2.json"]


def test_a_process_tells_its_own_counts_where_none_can_be_left(
    process, tmp_path, monkeypatch, settings, caplog
):
    monkeypatch.setattr(shared_counts, "IN_MEMORY", tmp_path / "none")
    settings.DATA_DIR = tmp_path / "gone"
    things, _, shared = process()
    things.labels("a").inc()
    for _ in range(3):
        assert told(shared)["things_total"] == 1
    assert len(caplog.records) == 1


def test_a_folder_that_somebody_else_made_is_not_used(tmp_path, monkeypatch, settings):
    monkeypatch.setattr(shared_counts, "IN_MEMORY", tmp_path)
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    found = shared_counts.counts_folder()
    found.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found.symlink_to(elsewhere)
    assert shared_counts.counts_folder().parent == settings.DATA_DIR


def test_a_file_that_was_damaged_is_passed_over(folder, process, monkeypatch):
    become(monkeypatch, 1, alive={1, 2})
    (folder / "2.json").write_text("[[")
    things, _, shared = process()
    things.labels("a").inc()
    assert told(shared)["things_total"] == 1
