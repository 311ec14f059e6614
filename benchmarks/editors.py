"""What open editors cost readers: `python -m benchmarks.editors [EDITORS]`.

A live page is read RATE times a second, in turn without and with EDITORS (100) open editors: each has a tab of its own
and asks for news every five seconds, as static/studio/pulse.js does. A third turn has the same editors at another
service on this machine: what is left then is not what editors do to the processes of the pages, but what they take of
the processors. It prints the p99 of the page for each, and the p95 of the editors' requests; of ROUNDS each, the
median. It starts the services on data of their own: SQLite, or the PostgreSQL and Redis of the environment.
"""

from __future__ import annotations

import http.client
import multiprocessing
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.floods import p99, signed_in
from tests.support.running import Service, service

RATE = 100  # pages a second
READERS = 4
SECONDS = 12.0
ROUNDS = 3
CALM = 5.0  # seconds between two requests of an editor


def edit(port: int, paths: list[str], cookie: str, editors: int, stop: Any, results: Any) -> None:
    """All editors, in a process of their own; leaves the seconds that each request took."""
    took: list[float] = []

    def open_tab(number: int) -> None:
        address = f"{paths[number % len(paths)]}?since=1&tab={uuid.uuid4()}"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Cookie": cookie}
        stop.wait(CALM * number / editors)
        while not stop.is_set():
            began = time.perf_counter()
            connection.request("GET", address, headers=headers)
            answer = connection.getresponse()
            answer.read()
            took.append(time.perf_counter() - began)
            assert answer.status in (200, 304), answer.status
            headers["If-None-Match"] = answer.headers["ETag"]
            stop.wait(CALM)

    tabs = [threading.Thread(target=open_tab, args=(number,)) for number in range(editors)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    results.put(took)


@contextmanager
def open_editors(port: int, paths: list[str], cookie: str, editors: int) -> Iterator[list[float]]:
    """The editors are open inside the block; afterwards the list has how long each of their requests took."""
    context = multiprocessing.get_context("fork")
    stop, results, took = context.Event(), context.Queue(), []
    process = context.Process(target=edit, args=(port, paths, cookie, editors, stop, results))
    process.start()
    time.sleep(CALM)
    try:
        yield took
    finally:
        stop.set()
        took += results.get(timeout=60)
        process.join()


def read(port: int, path: str) -> list[float]:
    """Seconds that each of RATE pages a second took."""
    took: list[float] = []

    def reader(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        due = time.perf_counter() + number / RATE
        end = due + SECONDS
        while due < end:
            time.sleep(max(0.0, due - time.perf_counter()))
            began = time.perf_counter()
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            took.append(time.perf_counter() - began)
            assert answer.status == 200, answer.status
            due += READERS / RATE

    readers = [threading.Thread(target=reader, args=(number,)) for number in range(READERS)]
    for each in readers:
        each.start()
    for each in readers:
        each.join()
    return took


def main(editors: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as other_folder,
        service(Path(folder), stories=4, WEB_PROCESSES="2") as running,
        service(Path(other_folder), stories=4, WEB_PROCESSES="1") as other,
    ):
        page = running.publication("PUT", running.seeded["stories"][0]).json()["url"]
        here, elsewhere = editors_of(running), editors_of(other)
        read(running.port, page)
        alone, beside, apart, pulses = [], [], [], []
        for _ in range(ROUNDS):
            alone.append(p99(read(running.port, page)))
            with open_editors(*here, editors) as took:
                beside.append(p99(read(running.port, page)))
            pulses.append(statistics.quantiles(took, n=20)[-1])
            with open_editors(*elsewhere, editors):
                apart.append(p99(read(running.port, page)))
    quiet = statistics.median(alone)
    print(f"page p99: {quiet * 1000:.1f} ms alone")
    for where, seen in (("beside", beside), ("on another service, beside", apart)):
        busy = statistics.median(seen)
        print(f"{where} {editors} editors: {busy * 1000:.1f} ms, {busy / quiet:.2f} times")
    print(f"p95 of the editors' requests {statistics.median(pulses) * 1000:.0f} ms")


def editors_of(running: Service) -> tuple[int, list[str], str]:
    """Where editors of this service ask, for what, and with which cookie."""
    pulses = [f"/studio/stories/{story}/pulse" for story in running.seeded["stories"]]
    return running.port, pulses, signed_in(running)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
