"""Taken down is gone everywhere: `python -m tests.faults.takedown [sqlite postgresql redis]`.

sqlite      one machine on SQLite, two web processes, nginx before them
postgresql  two machines over one PostgreSQL database, without Redis, nginx before the second one
redis       the same with Redis

A capsule is frozen, and its workspace suspended, while readers ask for everything that shows it: page, embed, a shown
edition, Markdown, oEmbed, showcase, profile, feeds, sitemap, pictures, films and its clip by their names; of each
service, and of nginx. Meanwhile others republish, and readers report it, each from another network. Promised, counted
from the moment at which staff press the button: everything is gone within 60 s, with Redis within 2 s; when it is
lifted, the same bytes and ETags are there again, and its premiere is as it was. Exit status 1 where one was broken.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from tests.faults.takedown_staff import EDITION
from tests.faults.tools import NotTried, run_drills
from tests.support.hosts import Host, host, redis_server
from tests.support.nginx import nginx
from tests.support.postgres import binaries, cluster
from tests.support.running import ROOT, Service, service

WITHIN = {"sqlite": 60.0, "postgresql": 60.0, "redis": 2.0}  # seconds
KINDS = ("jpeg", "avif", "mp4", "webm")
LISTS = {
    "showcase": "/",
    "profile": "/north-shore",
    "Atom": "/feed.atom",
    "JSON feed": "/feed.json",
    "llms.txt": "/llms.txt",
    "profile's Atom": "/north-shore/feed.atom",
    "profile's JSON feed": "/north-shore/feed.json",
    "feed": "/api/v2/feed",
    "sitemap": "/sitemaps/0.xml",
}
#: Nothing is refused for its rate, and the premiere is not due before the end.
PACE = {"RATE_READ": "1000000", "RATE_WRITE": "1000000", "PREMIERE_DELAY": "3600"}
READERS = 4  # threads
AFTER = 2.0  # seconds without a stale answer before it counts as gone


@dataclass
class Place:
    """One address at one server, asked all the time: (when it was asked, whether it showed the capsule)."""

    name: str
    server: Service
    path: str
    mark: bytes | None  # in the body of a list; None: its status tells
    seen: list[tuple[float, bool]] = field(default_factory=list)

    def ask(self) -> tuple[bool, bytes, str]:
        answer = self.server.call("GET", self.path, timeout=30)
        shows = answer.status == 200 and (self.mark is None or self.mark in answer.body)
        return shows, answer.body, answer.headers.get("ETag", "")


def places(servers: dict[str, Service], path: str, app_url: str) -> list[Place]:
    files = files_of(next(iter(servers.values())), path)
    slug = path.rsplit("/", 1)[1].encode()
    found = []
    for server, service_ in servers.items():
        for what, address in {
            "page": path,
            "embed": f"{path}/embed",
            "Markdown": f"{path}.md",
            "page without a choice of editions": f"{path}?edition=none",
            "shown edition": f"{path}?edition={EDITION}",
            "oEmbed": f"/oembed?url={quote(app_url + path)}",
            **files,
        }.items():
            found.append(Place(f"{what} of {server}", service_, address, None))
        for what, address in LISTS.items():
            found.append(Place(f"{what} of {server}", service_, address, slug))
    return found


def files_of(server: Service, path: str) -> dict[str, str]:
    """The addresses of a picture of each kind, of a film of each kind, and of the clip, as the page names them."""
    page = until_it_has(server, path, b"og:video").decode()  # the clip comes after the publish
    clip = re.search(r'property="og:video" content="[^"]*(/media/[^"]+)"', page)
    stage = page[page.index("<body") :]
    names = {kind: re.search(rf"/media/[0-9a-f]{{2}}/[0-9a-f]{{64}}\.{kind}", stage) for kind in KINDS}
    assert clip and all(names.values()), (clip, names)
    return {kind: found[0] for kind, found in names.items() if found} | {"clip": clip[1]}


def until_it_has(server: Service, path: str, words: bytes) -> bytes:
    most = time.monotonic() + 180
    while words not in (body := server.call("GET", path).body):
        assert time.monotonic() < most, f"no {words.decode()} on the page"
        time.sleep(0.5)
    return body


@contextmanager
def readers(everything: list[Place]) -> Iterator[None]:
    ended = threading.Event()

    def read(mine: list[Place]) -> None:
        while not ended.is_set():
            for place in mine:
                began = time.monotonic()
                place.seen.append((began, place.ask()[0]))
            ended.wait(0.01)

    threads = [threading.Thread(target=read, args=(everything[n::READERS],)) for n in range(READERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


@dataclass
class Load:
    """What goes on beside: somebody republishes, and readers report the capsule, each from another network."""

    running: Service
    link: str
    answers: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    def go_on(self, ended: threading.Event) -> None:
        for number in count(1):
            if ended.wait(0.2):
                return
            answer = self.running.publication("PUT", self.running.seeded["neighbour"]["story"], timeout=60)
            self.answers[f"republishes {answer.status}"] += 1
            began = time.monotonic()
            self.answers[f"reports {self.report(number)}"] += 1
            self.slowest = max(self.slowest, time.monotonic() - began)

    def report(self, number: int) -> int:
        form = urlencode({"link": self.link, "why": "spam"}).encode()
        network = f"198.51.{number // 200}.{number % 200 + 1}"
        kind = "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind, "X-Forwarded-For": network, "X-Forwarded-Proto": "http"}
        request = Request(f"{self.running.url}/report", form, headers)
        try:
            with urlopen(request, timeout=60) as answer:
                return int(answer.status)
        except HTTPError as error:
            return error.code


@contextmanager
def under_load(load: Load) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=load.go_on, args=(ended,))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def until(everything: list[Place], shows: bool, pressed: float, most: float) -> dict[str, float]:
    """By place, the seconds after `pressed` at which the last wrong answer was asked for."""
    while True:
        time.sleep(0.1)
        last = {
            place.name: max(
                (at - pressed for at, was in place.seen if at > pressed and was is not shows), default=0.0
            )
            for place in everything
        }
        asked = min(max((at for at, _ in place.seen), default=0.0) for place in everything)
        worst = max(last.values())
        if asked > pressed + worst + AFTER or time.monotonic() - pressed > most + 20:
            return last


@contextmanager
def staff(running: Service) -> Iterator[Callable[[str, str], Any]]:
    env = {**running.env, "DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.takedown_staff"], cwd=ROOT, env=env, **pipes
    )
    assert process.stdin and process.stdout
    assert process.stdout.readline() == "ready\n"

    def press(what: str, story: str = "") -> Any:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps([what, story]) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    try:
        yield press
    finally:
        process.stdin.close()
        process.wait()


def drill(name: str, running: Service, servers: dict[str, Service]) -> list[str]:
    with staff(running) as press:
        story, edition = press("stage", "")
        for each in (story, edition):
            answer = running.publication(
                "PUT", each, {} if each == edition else {"premiereEmailMode": "TEASER"}
            )
            assert answer.status == 200, answer.body
        assert running.publication("PUT", running.seeded["neighbour"]["story"]).status == 200
        path = f"/north-shore/{running.publication('GET', story).json()['slug']}"
        everything = places(servers, path, running.env["APP_URL"])
        settle(everything)
        known = {place.name: place.ask()[1:] for place in everything}, premiere_of(running, story)
        assert known[1]["state"] == "scheduled", known[1]
        load, broken = Load(running, path), []
        with under_load(load):
            for down, up in (("freeze", "lift"), ("suspend", "resume")):
                broken += down_and_up(name, everything, lambda what: press(what, story), down, up)
                after = {place.name: place.ask()[1:] for place in everything}, premiere_of(running, story)
                broken += [
                    f"{name}: {what} is not as it was after {up}" for what in differences(known, after)
                ]
    print(
        f"{name}, beside it: {dict(load.answers)}, the slowest report took {load.slowest:.2f} s", flush=True
    )
    # Of a suspended workspace nothing can be reported: nothing of it is published.
    if set(load.answers) - {"republishes 200", "reports 200", "reports 404"} or len(load.answers) < 2:
        broken.append(f"{name}: others were in the way of each other")
    return broken


def settle(everything: list[Place]) -> None:
    """Waits until everything shows the capsule and stays as it is."""
    most = time.monotonic() + 180
    while not all(place.ask()[0] for place in everything):
        assert time.monotonic() < most, [place.name for place in everything if not place.ask()[0]]
        time.sleep(0.2)
    time.sleep(5)


def down_and_up(
    name: str, everything: list[Place], press: Callable[[str], float], down: str, up: str
) -> list[str]:
    """Presses both buttons under the eyes of readers; returns what was gone too late."""
    most = WITHIN[name]
    with readers(everything):
        time.sleep(1)
        pressed = time.monotonic()
        took = press(down)
        gone = until(everything, False, pressed, most)
        pressed = time.monotonic()
        press(up)
        back = until(everything, True, pressed, most)
    worst = sorted(gone.items(), key=lambda each: -each[1])[:3]
    print(
        f"{name}, {down}: the action took {took:.2f} s; last of {len(everything)} places gone after "
        f"{worst[0][1]:.2f} s ({', '.join(f'{what} {when:.2f}' for what, when in worst)}); back after "
        f"{max(back.values()):.2f} s",
        flush=True,
    )
    return [f"{name}: {what} {when:.1f} s after {down}" for what, when in gone.items() if when > most]


def differences(before: tuple[dict[str, Any], Any], after: tuple[dict[str, Any], Any]) -> list[str]:
    """What has other bytes or another ETag than before. Lists move with what others publish."""
    own = [name for name in before[0] if name.rpartition(" of ")[0] not in LISTS]
    changed = [name for name in own if before[0][name] != after[0][name]]
    return changed + (["the premiere"] if before[1] != after[1] else [])


def premiere_of(running: Service, story: str) -> Any:
    token = running.seeded["token"]
    answer = running.call("GET", f"/api/v2/stories/{story}/premiere", Authorization=f"Bearer {token}")
    return answer.json()


def sqlite() -> list[str]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capsules-down-")))
        # The links of both servers lead to one address, where nobody has to listen.
        shared = {
            "BEHIND_PROXY": "true",
            "WEB_PROCESSES": "2",
            "RATE_FEED": "1000000",
            "DATABASE_URL": "",
            **PACE,
        }
        shared |= {"REDIS_URL": "", "APP_URL": "http://127.0.0.1:8000"}
        running = stack.enter_context(service(folder, stories=1, **shared))
        url, _ = stack.enter_context(nginx([running.port], data=folder))
        return drill(
            "sqlite", running, {"the service": running, "nginx": Service({}, int(url.rpartition(":")[2]))}
        )


@contextmanager
def two_machines(redis_url: str) -> Iterator[tuple[Host, dict[str, Service]]]:
    with ExitStack() as stack:
        server = stack.enter_context(cluster())
        place = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="capsules-down-", ignore_cleanup_errors=True)
            )
        )
        with server.as_superuser() as superuser:
            superuser.execute("CREATE DATABASE capsules OWNER capsules")
        shared = {
            **{n: value for n, value in os.environ.items() if n not in ("DATA_DIR", "PORT", "REDIS_URL")},
            "DATABASE_URL": f"{server.url}/capsules",
            "DATABASE_POOL": "4",
            "WEB_PROCESSES": "1",
            "MCP_PORT": "0",
            "RATE_FEED": "1000000",
            **PACE,
            "BEHIND_PROXY": "true",
            "SPT_NOENV": "1",
            "APP_URL": "http://127.0.0.1:8000",
            **({"REDIS_URL": redis_url} if redis_url else {}),
        }
        first, second = (stack.enter_context(host(place / name, shared)) for name in ("first", "second"))
        first.seed(1)
        (place / "second/media").symlink_to(place / "first/media")  # as a bucket would be
        first.run("web", "worker")
        second.run("web", "timer")
        url, _ = stack.enter_context(nginx([second.port], data=place / "second"))
        nginx_ = Service({}, int(url.rpartition(":")[2]))
        yield first, {"the first": first, "the second": second, "nginx": nginx_}


def postgresql() -> list[str]:
    if binaries() is None:
        raise NotTried("NO POSTGRESQL SERVER IS INSTALLED: TWO MACHINES ARE NOT TRIED.")
    with two_machines("") as (first, servers):
        return drill("postgresql", first, servers)


def redis() -> list[str]:
    if binaries() is None or shutil.which("redis-server") is None:
        raise NotTried("NO POSTGRESQL OR REDIS SERVER IS INSTALLED: IT IS NOT TRIED.")
    with redis_server(0) as broker, two_machines(broker.url) as (first, servers):
        return drill("redis", first, servers)


DRILLS = {each.__name__: each for each in (sqlite, postgresql, redis)}


main = partial(run_drills, "takedown", DRILLS)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
