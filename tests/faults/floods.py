"""Floods of one route at a time: `python -m tests.faults.floods [short] [ROUTE …]`.

60 clients from 60 addresses ask for one costly route as fast as they are answered: publishing, previews, searching,
lists, exports, sign-in, oEmbed, uploads; all by nginx. Meanwhile the page of a capsule answers others with a p99 below
100 ms, /health, an uncached read and a change of a draft below a second; nobody gets a 5xx but 503 with Retry-After.
Exit status 1 where that does not hold. It runs on SQLite, or on the PostgreSQL and Redis of the environment.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tests.support.nginx import nginx
from tests.support.running import Service, service

CLIENTS = 60
STORIES = 4
FEWEST = 10  # looks of others at each thing
P99 = {"page": 0.1}  # seconds, of everybody else; of all other things one
OWNER, PASSWORD = "owner@north-shore.example", "demo-only"  # whom tests.support.seed makes
MEGABYTE = b"\0" * (1 << 20)

Ask = tuple[str, str, bytes, dict[str, str]]  # method, path, body, headers


@dataclass
class Flood:
    """One route, and how client `number` asks for it the nth time."""

    name: str
    ask: Callable[[int, int], Ask]


@dataclass
class Seen:
    """What the answers were: statuses of the flood, and what must not happen."""

    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def note(self, status: int, headers: Any, path: str) -> None:
        self.statuses[status] += 1
        if status >= 500 and not (status == 503 and headers.get("Retry-After")):
            self.faults.append(f"{status} for {path}")


def signed_in(running: Service) -> str:
    """The cookies of the owner's web session."""
    page = running.call("GET", "/account/login/")
    token = cookie_in(page.headers["set-cookie"], "csrftoken")
    form = urlencode({"login": OWNER, "password": PASSWORD, "csrfmiddlewaretoken": token})
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={token}"}
    connection.request("POST", "/account/login/", form, headers)
    answer = connection.getresponse()
    assert answer.status == 302, answer.read()[:500]
    sessions = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
    return f"sessionid={cookie_in(' '.join(sessions), 'sessionid')}"


def cookie_in(header: str, name: str) -> str:
    found = re.search(rf"{name}=(\w+)", header)
    assert found, header
    return found[1]


def floods_of(running: Service) -> list[Flood]:
    """Every costly route. Rates for one caller are out of reach here, so that they stop no flood."""
    stories, token = running.seeded["stories"], {"Authorization": f"Bearer {running.seeded['token']}"}
    cookie = {"Cookie": signed_in(running)}
    page = quote(running.url + running.publication("GET", stories[0]).json()["url"], safe="")
    story = [f"/api/v2/stories/{id}" for id in stories]

    def get(path: str, headers: dict[str, str]) -> Callable[[int, int], Ask]:
        return lambda number, nth: ("GET", path, b"", headers)

    def post(path: Callable[[int], str], body: Any) -> Callable[[int, int], Ask]:
        return lambda number, nth: ("POST", path(number), json.dumps(body(number, nth)).encode(), token)

    def upload(number: int, nth: int) -> Ask:
        body = {"kind": "film", "filename": f"{number}.mp4", "size": len(MEGABYTE)}
        return "POST", "/api/v2/uploads", json.dumps(body).encode(), token

    def login(number: int, nth: int) -> Ask:
        who = {"email": f"{uuid.uuid4().hex}@readers.example", "password": "not the one"}
        kind = {"Content-Type": "application/json"}
        return "POST", "/account/api/app/v1/auth/login", json.dumps(who).encode(), kind

    return [
        Flood("publish", lambda n, _: ("PUT", f"{story[1 + n % (STORIES - 1)]}/publication", b"{}", token)),
        Flood("preview", post(lambda n: f"{story[n % STORIES]}/previews", lambda n, nth: {})),
        Flood("search", lambda n, nth: ("GET", f"/api/v2/stories?q={n}{nth}", b"", token)),
        Flood("feed", get("/api/v2/feed", {})),
        Flood("showcase", get("/", {})),
        Flood("profile", get("/north-shore", {})),
        Flood("atom", get("/feed.atom", {})),
        Flood("sitemap", get("/sitemap.xml", {})),
        Flood("schema", get("/api/v2/schema", {})),
        Flood("export", get(f"/studio/stories/{stories[0]}/export", cookie)),
        Flood("subscribers", get("/subscribers/north-shore/export.csv", cookie)),
        Flood("studio", get(f"/studio/stories/{stories[0]}", cookie)),
        Flood("sign-in", login),
        Flood("oembed", get(f"/oembed?url={page}", {})),
        Flood("upload", upload),
        Flood("upload link", lambda n, nth: ("PUT", "/studio/up/nobody-made-this/film.mp4", MEGABYTE, {})),
    ]


def attack(port: int, flood: Flood, until: float, results: Any) -> None:
    """In a process of its own: all clients, each from its own address, until the time is over."""
    seen, lock = Seen(), threading.Lock()

    def client(number: int) -> None:
        source = (f"127.0.1.{1 + number}", 0)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=source)
        for nth in range(1_000_000):
            if time.time() > until:
                return
            method, path, body, headers = flood.ask(number, nth)
            try:
                connection.request(method, path, body or None, headers)
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                with lock:
                    seen.statuses[type(error).__name__] += 1  # type: ignore[index]
                continue
            with lock:
                seen.note(answer.status, answer.headers, path)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put((dict(seen.statuses), seen.faults[:5]))


@contextmanager
def flooded(running: Service, flood: Flood, seconds: float) -> Iterator[Any]:
    """The flood runs inside the block; the queue then has what its clients saw."""
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(
        target=attack, args=(running.port, flood, time.time() + seconds, results), daemon=True
    )
    process.start()
    try:
        yield results
    finally:
        process.join(90)
        process.kill()


def others(running: Service, page: str, seconds: float) -> tuple[dict[str, list[float]], list[str]]:
    """Seconds that people beside the flood waited, by what they asked for; and what went wrong for them."""
    neighbour = running.seeded["neighbour"]
    token = {"Authorization": f"Bearer {neighbour['token']}"}
    asked: dict[str, Ask] = {
        "page": ("GET", page, b"", {}),
        "health": ("GET", "/api/v2/health", b"", {}),
        "read": ("GET", f"/api/v2/stories/{neighbour['story']}/publication", b"", token),
        "write": ("PATCH", f"/api/v2/stories/{neighbour['story']}", b'{"summary": "Another one."}', token),
    }
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
    waited: dict[str, list[float]] = {name: [] for name in asked}
    faults, end = [], time.monotonic() + seconds
    while time.monotonic() < end or len(waited["page"]) < FEWEST:
        for name, (method, path, body, headers) in asked.items():
            before = time.perf_counter()
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            waited[name].append(time.perf_counter() - before)
            if answer.status != 200:
                faults.append(f"{name} {answer.status} {content[:120]!r}")
        time.sleep(0.02)
    return waited, faults


def p99(measured: list[float]) -> float:
    return statistics.quantiles(measured, n=100, method="inclusive")[98]


def check(running: Service, flood: Flood, page: str, seconds: float) -> list[str]:
    """What did not hold under one flood; prints the figures."""
    with flooded(running, flood, seconds) as results:
        time.sleep(0.5)
        waited, faults = others(running, page, seconds - 1)
        statuses, theirs = results.get(timeout=90)
    slowest = {name: p99(measured) for name, measured in waited.items()}
    figures = ", ".join(f"{name} {took * 1000:.0f} ms" for name, took in slowest.items())
    rate = sum(count for count in statuses.values()) / seconds
    print(f"{flood.name:12} {rate:6.0f}/s {statuses}; others' p99: {figures}", flush=True)
    slow = [f"{name} p99 {took:.2f} s" for name, took in slowest.items() if took >= P99.get(name, 1.0)]
    return [f"{flood.name}: {fault}" for fault in [*theirs, *faults[:3], *slow]]


def main(names: list[str], *, short: bool) -> int:
    seconds = 3.0 if short else 8.0
    options = {f"RATE_{name}": "10000000" for name in ("FEED", "TOKEN", "AUTHOR")} | {
        "WEB_PROCESSES": "2",
        "BEHIND_PROXY": "true",
        "UPLOADS_OPEN": "1000000",
    }
    folder = tempfile.TemporaryDirectory(prefix="capsules-floods-", ignore_cleanup_errors=True)
    faults = []
    with folder, ExitStack() as stack:
        running = stack.enter_context(service(Path(folder.name), stories=STORIES, **options))
        page = running.publication("PUT", running.seeded["stories"][0]).json()["url"]
        through = running
        if shutil.which("nginx"):
            url, _ = stack.enter_context(nginx([running.port], data=Path(folder.name)))
            through = Service(running.env, int(url.rpartition(":")[2]), running.seeded)
        else:
            print("\n!!! NGINX IS NOT INSTALLED: THE SERVICE ALONE IS FLOODED.\n")
        for flood in floods_of(through):
            if not names or flood.name in names:
                faults += check(through, flood, page, seconds)
    for fault in faults:
        print("BROKEN", fault)
    print("floods:", "broken" if faults else "held")
    return int(bool(faults))


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main([name for name in given if name != "short"], short="short" in given))
