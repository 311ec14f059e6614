"""No page is shown after its end: `python -m tests.faults.pages [one two kills]`.

one     a capsule is unpublished and published again, while readers ask nginx and the service for it all the time
two     the same on one of two machines over one database, without Redis; readers ask the other one
kills   a process that unpublishes is killed (kill -9) between its commit and the last rename of page files, 50 times,
        each at another step

Promised, counted from the moment at which the change was answered, or its process died: on the same machine the last
stale byte within 150 ms (p99), on another one within 1.5 s, after a kill within 1.5 s; and none ever after. It runs on
SQLite but for `two`, which starts a PostgreSQL server of its own. Exit status 1 where a promise was broken.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.faults.tools import NotTried, run_drills
from tests.support.hosts import host
from tests.support.nginx import nginx
from tests.support.postgres import binaries, cluster
from tests.support.running import ROOT, Service, service

HERE, ELSEWHERE = 0.15, 1.5  # seconds
CHANGES, KILLS = 40, 50
AFTER = 0.4  # seconds for which readers go on asking once all seems well
WITHIN = 20.0  # seconds
#: Django is loaded once; each line of its input is a story and the step at which the child that unpublishes it dies.
DYING = """
import json, os, sys
import django
django.setup()
from accounts.actors import Actor
from accounts.models import User
from capsules.models import Story
from django.conf import settings
from django.db import connections
from publishing import actions
from publishing.pages import changes

PAGES = str(settings.PAGES_DIR)
STEPS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "fcntl.flock", "shutil.rmtree"}
follow = changes.follow


def unpublish(story, step):
    left = [step]

    def die(event, arguments):
        if event in STEPS:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), 9)

    def dying(*arguments):
        if not step:
            os.kill(os.getpid(), 9)
        sys.addaudithook(die)
        follow(*arguments)

    changes.follow = dying
    found = Story.objects.get(pk=story)
    actions.unpublish(found, by=Actor.by_token(User.objects.get(email="owner@north-shore.example")))


for line in sys.stdin:
    story, step = json.loads(line)
    child = os.fork()
    if not child:
        unpublish(story, step)
        connections.close_all()
        os._exit(0)
    print(json.dumps(os.WIFSIGNALED(os.waitpid(child, 0)[1])), flush=True)
"""


@dataclass
class Readers:
    """They ask for a page all the time, each in a thread of its own, and note every answer with its beginning."""

    asks: list[Callable[[], int]]
    seen: list[tuple[float, int]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def asking(self) -> Iterator[Readers]:
        threads = [threading.Thread(target=self.ask, args=(ask,)) for ask in self.asks]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self.ended.set()
            for thread in threads:
                thread.join()

    def ask(self, ask: Callable[[], int]) -> None:
        while not self.ended.is_set():
            began = time.monotonic()
            self.seen.append((began, ask()))
            self.ended.wait(0.003)

    def last_stale(self, answered: float, status: int) -> float:
        """Seconds after `answered` at which a request began that got another status than this; 0 where none did.

        Returns once every reader has had the right one for AFTER.
        """
        deadline = answered + WITHIN
        while True:
            time.sleep(0.02)
            late = [began - answered for began, told in self.seen if began > answered and told != status]
            last = max(late, default=0.0)
            if time.monotonic() - answered - last > AFTER:
                return last
            assert time.monotonic() < deadline, "readers get the page as it was for good"


def reader_of(url: str, path: str) -> Callable[[], int]:
    asked = Service({}, int(url.rpartition(":")[2]))
    return lambda: asked.call("GET", path).status


def folder_of_its_own() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="capsules-pages-", ignore_cleanup_errors=True)


def p99(measured: list[float]) -> float:
    return statistics.quantiles(measured, n=100, method="inclusive")[98]


def told(what: str, measured: list[float], most: float) -> list[str]:
    worst = p99(measured)
    median = statistics.median(measured)
    print(
        f"{what}: {len(measured)} changes, last stale byte after {median * 1000:.0f} ms (median), "
        f"{worst * 1000:.0f} ms (p99), {max(measured) * 1000:.0f} ms at most",
        flush=True,
    )
    return [f"{what}: p99 {worst:.2f} s"] if worst > most else []


def published(on: Service, story: str) -> str:
    deadline = time.monotonic() + WITHIN
    while (answer := on.publication("PUT", story)).status != 200:
        assert answer.status == 423 and time.monotonic() < deadline, answer.body
        time.sleep(0.2)
    return str(answer.json()["url"])


def changing(on: Service, path: str, asks: list[Callable[[], int]]) -> list[float]:
    story, late = on.seeded["stories"][0], []
    with Readers(asks).asking() as readers:
        for number in range(CHANGES):
            is_published = bool(number % 2)
            if is_published:
                published(on, story)
            else:
                assert on.publication("DELETE", story).status == 200
            late.append(readers.last_stale(time.monotonic(), 200 if is_published else 404))
    assert on.call("GET", path).status == 200
    return late


@contextmanager
def one_machine() -> Iterator[tuple[Service, str]]:
    """A service and the address of nginx before it."""
    with ExitStack() as stack:
        folder = stack.enter_context(folder_of_its_own())
        running = stack.enter_context(
            service(Path(folder), stories=2, BEHIND_PROXY="true", PUBLISH_LEASE="3", WEB_PROCESSES="2")
        )
        url, _ = stack.enter_context(nginx([running.port], data=Path(folder)))
        yield running, url


def one() -> list[str]:
    with one_machine() as (running, url):
        path = published(running, running.seeded["stories"][0])
        asks = [reader_of(each, path) for each in (url, url, running.url, running.url)]
        return told("on the same machine", changing(running, path, asks), HERE)


def two() -> list[str]:
    if binaries() is None:
        raise NotTried("NO POSTGRESQL SERVER IS INSTALLED: TWO MACHINES ARE NOT TRIED.")
    with ExitStack() as stack:
        server = stack.enter_context(cluster())
        place = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="capsules-pages-", ignore_cleanup_errors=True)
            )
        )
        with server.as_superuser() as superuser:
            superuser.execute("CREATE DATABASE capsules OWNER capsules")
        shared = {
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("DATA_DIR", "PORT", "REDIS_URL")
            },
            "DATABASE_URL": f"{server.url}/capsules",
            "DATABASE_POOL": "4",
            "WEB_PROCESSES": "1",
            "MCP_PORT": "0",
            "RATE_READ": "100000",
            "RATE_WRITE": "100000",
            "BEHIND_PROXY": "true",
            "SPT_NOENV": "1",
        }
        first, second = (stack.enter_context(host(place / name, shared)) for name in ("first", "second"))
        first.seed(1)
        (place / "second/media").symlink_to(place / "first/media")  # as a bucket would be
        first.run("web")
        second.run("web")
        url, _ = stack.enter_context(nginx([second.port], data=place / "second"))
        path = published(first, first.seeded["stories"][0])
        late = changing(first, path, [reader_of(each, path) for each in (url, url, second.url)])
        return told("on another machine, without Redis", late, ELSEWHERE)


def kills() -> list[str]:
    with one_machine() as (running, url), dying(running) as die:
        story, other = running.seeded["stories"]
        paths = [published(running, each) for each in (story, other)]
        addresses, late, killed, step = (url, running.url), [], 0, 0
        while killed < KILLS:
            for path in paths * 2:  # until both are files
                assert reader_of(running.url, path)() == 200
            asks = [reader_of(each, paths[0]) for each in addresses]
            if die(story, step):
                killed, step = killed + 1, step + 1
                with Readers(asks).asking() as readers:
                    late.append(readers.last_stale(time.monotonic(), 404))
            else:
                step = 0  # it came to its end before
            for address in addresses:
                assert reader_of(address, paths[0])() == 404, "a page is back after its end"
                assert reader_of(address, paths[1])() == 200, "the page next door is away"
            published(running, story)
        left = [each for each in Path(running.env["DATA_DIR"], "pages/old").rglob("*") if each.is_file()]
        return told(f"killed after its commit, {killed} times", late, ELSEWHERE) + [
            f"left behind: {left}"
        ] * bool(left)


@contextmanager
def dying(running: Service) -> Iterator[Callable[[str, int], bool]]:
    """A function that has a process unpublish a story and die at a step; False where it was done before that."""
    env = {**running.env, "DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", DYING], cwd=ROOT, env=env, **pipes)
    assert process.stdin and process.stdout

    def die(story: str, step: int) -> bool:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps([story, step]) + "\n")
        process.stdin.flush()
        return bool(json.loads(process.stdout.readline()))

    try:
        yield die
    finally:
        process.stdin.close()
        process.wait()


DRILLS = {drill.__name__: drill for drill in (one, two, kills)}


main = partial(run_drills, "pages", DRILLS)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
