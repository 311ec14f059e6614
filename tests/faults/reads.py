"""Scripted readers and robots at a service that is killed half-way: are the sums right, is anybody's name kept?

    python -m tests.faults.reads [--readers 10000]          with DATABASE_URL and REDIS_URL, or without both

Each reader has an address and an agent of its own, comes from somewhere, opens the page, the embed or the mail's link,
reads some scenes, and often comes again. Robots open it too, by script and by image. Half-way everything is killed with
-9 while others read, and the marks are forgotten, as a restart of Redis does: what was answered in the last second
before may be lost, nothing before it is, and nothing counts twice. Readers come by
nginx where that is installed, which asks the service for a page no more often while they tell what they read. Then
database, Redis, logs (those of nginx too), page files, all of DATA_DIR and a backup are searched.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import redis

from tests.support.agents import BROWSER, ROBOTS
from tests.support.nginx import nginx
from tests.support.running import ROOT, Service, service

TOKEN = "a-token-for-prometheus"
SCENES, ADDRESS, AGENT = 4, "127.77", "Palimpsest"
SECONDS = 3.0  # of reading before the kill
SETTLED = 15  # seconds after a publish in which its pages may be made anew
FEW = 5  # pages that may be, when ranks change
LOST = 2.0  # seconds before a kill of which nothing is promised: one of the batch, one to count it
HOSTS = ["", "", "news.example", "search.example"]
THREADS = 8


@dataclass
class Reader:
    number: int
    surface: str
    host: str
    reached: list[int]
    visits: int

    @property
    def address(self) -> str:
        high, low = divmod(self.number, 250)
        return f"{ADDRESS}.{high}.{low + 1}"

    @property
    def headers(self) -> dict[str, str]:
        return {
            "User-Agent": f"{BROWSER} {AGENT}/{self.number}",
            "X-Forwarded-For": self.address,
            "Content-Type": "application/x-www-form-urlencoded",
        }


@dataclass
class Truth:
    opened: int = 0
    read: int = 0
    finished: int = 0
    scenes: Counter[int] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)

    def take(self, reader: Reader) -> None:
        self.opened += 1
        self.read += 2 in reader.reached
        self.finished += SCENES in reader.reached
        self.scenes.update(reader.reached)
        self.surfaces[reader.surface] += 1
        self.sources[reader.host] += 1


def readers_of(count: int) -> list[Reader]:
    chance = random.Random(29)
    return [
        Reader(
            number,
            chance.choice(["page", "page", "embed", "mail"]),
            chance.choice(HOSTS),
            list(range(1, chance.randint(1, SCENES) + 1)),
            chance.choice([1, 1, 1, 2, 3]),
        )
        for number in range(count)
    ]


def ask(port: int, page: str, readers: list[Reader]) -> None:
    """Has the page opened as often as there are readers, and nothing told."""
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: open_page(port, page), readers))


def open_page(port: int, page: str) -> None:
    """From an address that is no reader's: nginx's log has whoever asks for pages, as long as its operator keeps it."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    line.request("GET", page)
    answer = line.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    line.close()


def read(port: int, path: str, reader: Reader, visit: int, page: str = "") -> None:
    if page:
        open_page(port, page)
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(reader.address, 0))
    surface = reader.surface if visit == 0 else "page"
    opened = {"b": "1", "e": "", "s": surface, "h": reader.host, "o": "1"}
    scenes = {"b": "1", "e": "", "s": surface, "h": reader.host, "k": ",".join(map(str, reader.reached[1:]))}
    for fields in (opened, scenes):
        line.request("POST", path, urlencode(fields), reader.headers)
        answer = line.getresponse()
        answer.read()
        if answer.status != 204:
            raise http.client.HTTPException(answer.status)
    line.close()


def kill_while_reading(running: Service, door: int, path: str, readers: list[Reader]) -> tuple[int, int]:
    """Kills everything under its readers; returns how many of them must be counted, and how many may be."""
    started: list[int] = []
    answered: list[float] = []
    waiting, killed = iter(readers), threading.Event()

    def go() -> None:
        for reader in waiting:
            if killed.is_set():
                return
            started.append(reader.number)
            with suppress(OSError, http.client.HTTPException):
                read(door, path, reader, 0)
                answered.append(time.monotonic())

    threads = [threading.Thread(target=go) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    at = time.monotonic()
    running.kill()
    killed.set()
    for thread in threads:
        thread.join()
    return sum(then < at - LOST for then in answered), len(started)


def robots(running: Service, path: str) -> None:
    ours = {"Sec-Fetch-Site": "same-origin"}
    for number, agent in enumerate(ROBOTS):
        headers = {"User-Agent": agent, "X-Forwarded-For": f"{ADDRESS}.200.{number + 1}", **ours}
        assert running.call("GET", f"{path}?b=1&e=", **headers).status == 200
        line = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
        line.request("POST", path, urlencode({"b": "1", "e": "", "s": "page", "o": "1", "k": "2"}), form)
        assert line.getresponse().status == 204
        line.close()
    ahead = {
        **ours,
        "User-Agent": BROWSER,
        "X-Forwarded-For": f"{ADDRESS}.201.1",
        "Sec-Purpose": "prefetch;prerender",
    }
    assert running.call("GET", f"{path}?b=1&e=", **ahead).status == 200


def told(running: Service, story: str) -> dict:
    headers = {"Authorization": f"Bearer {running.seeded['token']}"}
    return running.call("GET", f"/api/v2/stories/{story}/statistics", **headers).json()


def check(what: str, holds: bool) -> None:
    print(f"{'ok ' if holds else 'NOT'}  {what}", flush=True)
    assert holds, what


def compare(numbers: dict, truth: Truth) -> None:
    totals = {"opened": truth.opened, "read": truth.read, "finished": truth.finished}
    check(
        f"totals {numbers['totals']}, error {abs(numbers['totals']['opened'] - truth.opened)}",
        numbers["totals"] == totals,
    )
    reached = [scene["reached"] for scene in numbers["scenes"]]
    check(f"scenes {reached}", reached == [truth.scenes[number] for number in range(1, SCENES + 1)])
    check(f"surfaces {numbers['surfaces']}", numbers["surfaces"] == dict(truth.surfaces))
    sources = {row["host"] or "": row["opened"] for row in numbers["sources"]}
    check(f"sources {sources}", sources == dict(truth.sources))


def kept(running: Service, marks: dict[str, bytes]) -> dict[str, bytes]:
    """Everything that lies anywhere, by where."""
    found = {
        str(path): path.read_bytes()
        for path in Path(running.env["DATA_DIR"]).rglob("*")
        if path.is_file() and "static" not in path.parts and "media" not in path.parts
    }
    return {**found, "backup": backup(running), **{f"marks {name}": value for name, value in marks.items()}}


def backup(running: Service) -> bytes:
    """The database as deploy/backup.sh keeps it, to be read."""
    folder = Path(running.env["DATA_DIR"], "backup")
    env = {**running.env, "PYTHON": sys.executable, "ENV_FILE": ""}
    subprocess.run(["deploy/backup.sh", str(folder)], cwd=ROOT, env=env, check=True, capture_output=True)
    [kept] = folder.glob("*/database.*")
    if kept.suffix == ".dump":  # which is compressed
        return subprocess.run(["pg_restore", "--file=-", str(kept)], check=True, capture_output=True).stdout
    return kept.read_bytes()


def marks_of(running: Service) -> tuple[set[str], dict[str, bytes]]:
    """The marks, and what holds them."""
    if running.env.get("REDIS_URL"):
        client = redis.Redis.from_url(running.env["REDIS_URL"])
        prefix = running.env["REDIS_PREFIX"] + "reads:"
        names = [name.decode() for name in client.keys(f"{prefix}*")]
        values = {name: client.get(name) or b"" for name in names if "turn" not in name}
        return {name.removeprefix(prefix) for name in names}, {
            "redis": "\n".join(names).encode() + b"".join(values.values())
        }
    files = list(Path("/dev/shm").glob(f"capsules-{os.getuid()}-*/marks*"))  # noqa: S108
    data = {str(path): path.read_bytes() for path in files}
    return {
        mark for text in data.values() for mark in re.findall(r"[0-9a-f]{24}", text.decode("latin-1"))
    }, data


def search(running: Service) -> None:
    marks, data = marks_of(running)
    everything = kept(running, data)
    size = sum(map(len, everything.values()))
    for what in (ADDRESS.encode() + b".", AGENT.encode(), b"Chrome/130"):
        places = [where for where, content in everything.items() if what in content]
        check(
            f"{what.decode()!r} in none of {len(everything)} places, {size / 1e6:.1f} MB {places[:3]}",
            not places,
        )
    short = {mark.encode() for mark in marks if re.fullmatch(r"[0-9a-f]{24}", mark)}
    words = {
        where: set(re.findall(rb"[0-9a-f]{24}", content))
        for where, content in everything.items()
        if where not in ("marks redis",) and not where.startswith("marks ")
    }
    places = [where for where, found in words.items() if found & short]
    check(f"{len(short)} marks outside of memory: none {places[:3]}", bool(short) and not places)


def forget(running: Service) -> None:
    if running.env.get("REDIS_URL"):
        client = redis.Redis.from_url(running.env["REDIS_URL"])
        for name in client.keys(f"{running.env['REDIS_PREFIX']}reads:*"):
            client.delete(name)


def published(running: Service, story: str) -> tuple[str, str]:
    """The path of the page of a story, and where it tells what is read, once it is published."""
    page = re.sub("^https?://[^/]+", "", running.publication("PUT", story).json()["url"])
    match = re.search(r'data-to="([^"]+)"', running.call("GET", page).body.decode())
    assert match is not None
    return page, match[1]


def asked_for_pages(running: Service) -> float:
    """How often the service itself was asked for a page."""
    time.sleep(2)  # processes tell of their counts now and then
    running.call("GET", "/api/v2/health")
    told = running.call("GET", "/metrics", Authorization=f"Bearer {TOKEN}").body.decode()
    return sum(
        float(n) for n in re.findall(r"^capsules_page_copies_total\{[^}]*\} (\S+)$", told, re.MULTILINE)
    )


def compare_hits(running: Service, door: int, page: str, path: str, readers: list[Reader]) -> None:
    """Whether page files are found as often by readers who tell what they read as by those who do not."""
    time.sleep(SETTLED)
    ask(door, page, readers)
    before = asked_for_pages(running)
    ask(door, page, readers)
    silent = asked_for_pages(running)
    visit_all(door, path, readers, page)
    telling = asked_for_pages(running)
    visits = sum(reader.visits for reader in readers)
    print(f"pages asked of the service: {silent - before:.0f} of {len(readers)} while nobody tells anything")
    check(f"{telling - silent:.0f} of {visits} while everybody does", telling - silent <= FEW)


def visit_all(door: int, path: str, readers: list[Reader], page: str = "") -> None:
    for visit in range(3):  # nobody comes again within the second in which processes count
        again = [reader for reader in readers if reader.visits > visit]
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda reader, visit=visit: read(door, path, reader, visit, page), again))
        time.sleep(2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--readers", type=int, default=10_000)
    count = parser.parse_args().readers
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        own = {"BEHIND_PROXY": "true", "METRICS_TOKEN": TOKEN}
        running = stack.enter_context(service(Path(folder), stories=2, **own))
        door = running.port
        if shutil.which("nginx"):
            (logs := Path(folder, "nginx")).mkdir()
            url, _ = stack.enter_context(nginx([running.port], data=Path(folder), logs=logs))
            door = int(url.rpartition(":")[2])
        story, other = running.seeded["stories"]
        (page, path), (_, read_at_the_kill) = published(running, story), published(running, other)
        readers, truth, began = readers_of(count), Truth(), time.monotonic()
        if door == running.port:
            visit_all(door, path, readers[: count // 2])
        else:
            compare_hits(running, door, page, path, readers[: count // 2])
        robots(running, path)
        least, most = kill_while_reading(running, door, read_at_the_kill, readers)
        forget(running)
        running.start()
        visit_all(door, path, readers[count // 2 :])
        robots(running, path)
        for reader in readers:
            truth.take(reader)
        time.sleep(1 + LOST)
        print(
            f"{count} readers, {4 * len(ROBOTS)} robots, a kill in between: {time.monotonic() - began:.0f} s"
        )
        compare(told(running, story), truth)
        killed = told(running, other)["totals"]
        check(f"of {most} at the kill {killed}, at least {least}", least <= killed["opened"] <= most)
        check("no more finished than opened", killed["finished"] <= killed["read"] <= killed["opened"])
        search(running)


if __name__ == "__main__":
    main()
