"""Floods of one route at a time: `python -m tests.faults.floods [short] [ROUTE …]`.

60 clients from 60 addresses ask for one costly route as fast as they are answered: publishing, previews, searching,
lists, exports, sign-in, oEmbed, uploads, what pages tell; by nginx, then the service alone. Meanwhile others read a
page of the flooded workspace and one of a workspace next door, ask for /health, read and change a draft, publish and
upload a picture.

Promised by nginx: a page next door answers with a p99 below 100 ms, the page of the flooded workspace, /health, a read
and a change of a draft below a second, a publish and an upload succeed within 15 s. Promised at both doors: nobody gets
a 5xx but 503 with Retry-After. Exit status 1 where that does not hold, 3 where nginx is missing. It runs on SQLite, or
on the PostgreSQL and Redis of the environment. The route `nothing` is a flood of nobody, to compare with.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tests.faults.tools import not_tried
from tests.support.agents import BROWSER
from tests.support.nginx import nginx
from tests.support.running import ROOT, Service, service
from tests.support.sending import announce, jetty, send_slice, until

CLIENTS = 60
NICE = 7  # weighs what CPUWeight=20 does beside 100
#: The service takes the processor after nginx, as its units say. A nice value alone counts within one session only,
#: where the kernel has groups of sessions (autogroup, which Debian switches on).
AFTER_NGINX = ("nice", "-n", str(NICE), "sh", "-c", f'echo {NICE} >/proc/self/autogroup; exec "$@"', "sh")
STORIES = 4
NOTHING = "nothing"  # the flood of nobody: what the machine takes by itself
P99 = {"page next door": 0.1, "publish": 15.0, "upload": 15.0}  # seconds by nginx; of all other things one
WITHIN = 15.0  # seconds in which a publish and an upload of others succeed, told to come back meanwhile
#: A workspace that nobody publishes in meanwhile, with one capsule.
NEXT_DOOR = """
import json
from accounts import tokens
from tests.support import factories
workspace = factories.make_workspace("quiet-cove", title="Quiet Cove", plan="pro", roles=["owner"])
story = factories.make_story(workspace, factories.render_media(), title="Ebb")
print(json.dumps({"token": tokens.issue(workspace.memberships.get().user), "story": str(story.pk)}))
"""
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


def login(number: int, nth: int) -> Ask:
    who = {"email": f"{uuid.uuid4().hex}@readers.example", "password": "not the one"}
    kind = {"Content-Type": "application/json"}
    return "POST", "/account/api/app/v1/auth/login", json.dumps(who).encode(), kind


def floods_of(running: Service) -> list[Flood]:
    """Every costly route. Rates for one caller are out of reach here, so that they stop no flood."""
    stories, token = running.seeded["stories"], {"Authorization": f"Bearer {running.seeded['token']}"}
    cookie = {"Cookie": signed_in(running)}
    path = running.publication("GET", stories[0]).json()["url"]
    page = quote(
        f"http://127.0.0.1:{running.env['PORT']}{path}", safe=""
    )  # as APP_URL has it, at either door
    told = re.search(r'data-to="([^"]+)"', running.call("GET", path).body.decode())
    assert told
    story = [f"/api/v2/stories/{id}" for id in stories]

    def get(path: str, headers: dict[str, str]) -> Callable[[int, int], Ask]:
        return lambda number, nth: ("GET", path, b"", headers)

    def post(path: Callable[[int], str], body: Any) -> Callable[[int, int], Ask]:
        return lambda number, nth: ("POST", path(number), json.dumps(body(number, nth)).encode(), token)

    def upload(number: int, nth: int) -> Ask:
        body = {"kind": "film", "filename": f"{number}.mp4", "size": len(MEGABYTE)}
        return "POST", "/api/v2/uploads", json.dumps(body).encode(), token

    def read(number: int, nth: int) -> Ask:
        fields = urlencode({"b": "1", "e": "", "s": "page", "o": "1", "k": "1,2", "h": f"site-{nth}.example"})
        agent = {"User-Agent": f"{BROWSER} {number}", "Content-Type": "application/x-www-form-urlencoded"}
        return "POST", told[1], fields.encode(), agent

    return [
        Flood(NOTHING, get("/api/v2/health", {})),
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
        Flood("subscribers", get(f"/subscribers/{running.seeded['workspace']}/export.csv", cookie)),
        Flood("studio", get(f"/studio/stories/{stories[0]}", cookie)),
        Flood("sign-in", login),
        Flood("oembed", get(f"/oembed?url={page}", {})),
        Flood("upload", upload),
        Flood("reads", read),
        Flood("upload link", lambda n, nth: ("PUT", "/studio/up/nobody-made-this/film.mp4", MEGABYTE, {})),
    ]


def attack(port: int, flood: Flood, until: float, results: Any) -> None:
    """In a process of its own: all clients, each from its own address, until the time is over."""
    os.setsid()  # elsewhere in life: here they take no more of nginx's time than the service does
    os.nice(NICE)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICE))
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

    clients = 0 if flood.name == NOTHING else CLIENTS
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
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


class Others:
    """What people beside the flood do at one door: seconds that each thing took, and what went wrong."""

    def __init__(self, at: Service, pages: dict[str, str], seconds: float) -> None:
        self.picture = jetty()  # before anything is timed: to draw it takes this process a sixth of a second
        self.at, self.pages, self.seconds = at, pages, seconds
        self.waited: dict[str, list[float]] = defaultdict(list)
        self.faults: list[str] = []

    def run(self) -> None:
        """Each in a thread of its own, so that what is slow holds up nothing else."""
        self.end = time.monotonic() + self.seconds
        neighbour = self.at.seeded["neighbour"]
        token = {"Authorization": f"Bearer {neighbour['token']}"}
        story = f"/api/v2/stories/{neighbour['story']}"
        asked: dict[str, Ask] = {
            **{name: ("GET", path, b"", {}) for name, path in self.pages.items()},
            "health": ("GET", "/api/v2/health", b"", {}),
            "read": ("GET", f"{story}/publication", b"", token),
            "write": ("PATCH", story, b'{"summary": "Another one."}', token),
        }
        threads = [threading.Thread(target=self.look, args=pair) for pair in asked.items()]
        threads += [threading.Thread(target=self.publish), threading.Thread(target=self.upload)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def look(self, name: str, ask: Ask) -> None:
        method, path, body, headers = ask
        connection = http.client.HTTPConnection("127.0.0.1", self.at.port, timeout=60)
        while time.monotonic() < self.end or not self.waited[name]:
            before = time.perf_counter()
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.waited[name].append(time.perf_counter() - before)
            if answer.status != 200:
                self.faults.append(f"{name} {answer.status} {content[:120]!r}")
            time.sleep(0.02)

    def publish(self) -> None:
        self.repeat("publish", lambda: published(self.at, self.at.seeded["neighbour"]["story"]))

    def upload(self) -> None:
        def upload() -> None:
            send_slice(self.at, announce(self.at, self.picture)["id"], self.picture, at=0)

        self.repeat("upload", upload)

    def repeat(self, name: str, deed: Callable[[], object]) -> None:
        """Does it again and again; whoever is told to come back comes back."""
        while time.monotonic() < self.end or not self.waited[name]:
            before, told = time.monotonic(), ""
            while time.monotonic() < before + WITHIN:
                try:
                    deed()
                    break
                except (OSError, AssertionError) as error:
                    told = repr(error)
                    time.sleep(0.5)
            else:
                self.faults.append(f"{name} did not succeed within {WITHIN:.0f} s: {told}")
            self.waited[name].append(time.monotonic() - before)
            time.sleep(0.2)


def published(at: Service, story: str) -> str:
    """The address of the page; an AssertionError where it was not published."""
    answer = at.publication("PUT", story)
    assert answer.status == 200, (answer.status, answer.body[:200])
    return str(answer.json()["url"])


def p99(measured: list[float]) -> float:
    if len(measured) == 1:
        return measured[0]
    return statistics.quantiles(measured, n=100, method="inclusive")[98]


def check(door: str, at: Service, flood: Flood, pages: dict[str, str], seconds: float) -> list[str]:
    """What did not hold under one flood; prints the figures."""
    others = Others(at, pages, seconds - 1)
    with flooded(at, flood, seconds) as results:
        time.sleep(0.5)
        others.run()
        statuses, theirs = results.get(timeout=90)
    slowest = {name: p99(measured) for name, measured in others.waited.items()}
    figures = ", ".join(f"{name} {took * 1000:.0f} ms" for name, took in slowest.items())
    rate = sum(count for count in statuses.values()) / seconds
    print(f"{door}: {flood.name:12} {rate:6.0f}/s {statuses}; others' p99: {figures}", flush=True)
    slow = [f"{name} p99 {took:.2f} s" for name, took in slowest.items() if took >= P99.get(name, 1.0)]
    held = [*theirs, *others.faults[:3], *(slow if door == "nginx" else [])]
    return [f"{door}: {flood.name}: {fault}" for fault in held]


def next_door(running: Service) -> dict[str, str]:
    """Makes a workspace that has nothing to do with the flood; its story and the token of its owner."""
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", NEXT_DOOR]
    made = subprocess.run(command, cwd=ROOT, env=running.env, check=True, capture_output=True, timeout=300)
    return dict(json.loads(made.stdout))


def kept(running: Service, page: str) -> str:
    """The address of a page that is a file from now on: with its clip, which the worker makes after a publish."""
    until(lambda: b"og:video" in running.call("GET", page).body, f"{page} has no clip")
    time.sleep(2)  # until the web servers have heard of it (publishing.pages.changes.LOOK_EVERY)
    for _ in range(3):
        assert running.call("GET", page).status == 200
    return page


@contextmanager
def served(folder: Path) -> Iterator[tuple[dict[str, Service], dict[str, str]]]:
    """The service by its doors, and the pages that others read."""
    options = {f"RATE_{name}": "10000000" for name in ("FEED", "TOKEN", "AUTHOR", "WRITE", "READ")} | {
        "WEB_PROCESSES": "2",
        "BEHIND_PROXY": "true",
        "UPLOADS_OPEN": "1000000",
    }
    with ExitStack() as stack:
        running = stack.enter_context(service(folder, stories=STORIES, start=False, **options))
        running.start(*AFTER_NGINX)
        quiet = next_door(running)
        there = running.call(
            "PUT",
            f"/api/v2/stories/{quiet['story']}/publication",
            {},
            Authorization=f"Bearer {quiet['token']}",
        )
        pages = {
            "page": kept(running, published(running, running.seeded["stories"][0])),
            "page next door": kept(running, there.json()["url"]),
        }
        doors = {}
        if shutil.which("nginx"):
            url, _ = stack.enter_context(nginx([running.port], data=folder))
            doors["nginx"] = Service(running.env, int(url.rpartition(":")[2]), running.seeded)
        yield doors | {"alone": running}, pages


def main(names: list[str], *, short: bool) -> int:
    seconds = 3.0 if short else 8.0
    folder = tempfile.TemporaryDirectory(prefix="capsules-floods-", ignore_cleanup_errors=True)
    faults = []
    with folder, served(Path(folder.name)) as (doors, pages):
        for door, at in doors.items():
            for flood in floods_of(at):
                if not names or flood.name in names:
                    faults += check(door, at, flood, pages, seconds)
    for fault in faults:
        print("BROKEN", fault)
    print("floods:", "broken" if faults else "held")
    if "nginx" not in doors:
        return int(bool(faults)) or not_tried("NGINX IS NOT INSTALLED: THE SERVICE ALONE WAS FLOODED.")
    return int(bool(faults))


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main([name for name in given if name != "short"], short="short" in given))
