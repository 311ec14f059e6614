"""The walk of everything: every address of every route, as everybody, against a running service."""

from __future__ import annotations

import http.client
import re
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from tests.lived_in.answers import JSON_PATHS, Answer, faults

WALKERS = 4  # at once: a route has three places in a process
HOPS = 5  # redirects that one address may lead through
SLOW = 30.0  # seconds in which every page begins, however busy the machine is
READY = 90  # seconds that the service may take for its first sweep
NOBODY = "nobody"
READYZ = "/readyz"
#: Whoever follows somebody else's link to a new password is signed out: it comes last, and in the last walk only.
SIGNS_OUT = "/account/password/reset/key/{uidb36}-{key}/"
#: What is known and being mended, by route and by what is found there. Take a line out with the mend: one that hides
#: nothing is a find.
WAITING: tuple[tuple[str, str], ...] = ()
#: Routes whose first address answers 404 to everybody who walks, and why.
NOT_FOUND = {
    "/api{_0}": "what no other route of the API answers",
    "/account/api/app/v1/account/phone": "nobody has a phone number here",
    "/metrics": "asks for a token that no person has",
    "/studio/qr": "draws only what its query names",
    "/studio/stories/{story}/film-frames": "draws only the film that its query names",
}
#: Who opens every row of which routes; the others open the fullest one of each.
THOROUGH = {"owner": r"/(?!admin/|api/)", "staff": r"/admin/", "owner (API)": r"/api/"}
#: Where cookies are not asked for, and where all who are not staff are the same: who opens these in a browser.
ALIKE = {"/api/": f"{NOBODY}|owner", "/admin/": f"{NOBODY}|owner|staff.*"}
#: Whose pages are Django's own, which answers HEAD and OPTIONS as it answers GET.
BY_GET = "/admin/"
LOGIN = "/account/login/"
#: Who is enough for a short walk: everybody else with a browser sees what one of these sees.
FEW = ("viewer", "editor", "owner", "owner, signed in last week", "staff", "staff without a factor")


@dataclass
class Find:
    """Something that is wrong, and where."""

    route: str
    who: str
    what: str
    path: str

    @property
    def is_known(self) -> bool:
        return any(re.match(route, self.route) and re.match(what, self.what) for route, what in WAITING)

    def __str__(self) -> str:
        return f"{self.route}  as {self.who}: {self.what}  ({self.path})"


@dataclass
class Walker:
    """One person at one browser: follows redirects one at a time and keeps cookies."""

    who: str
    base: str
    source: str  # the address it comes from: limits are counted by address
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    tls: ssl.SSLContext | None = None
    seen: dict[str, Answer] = field(default_factory=dict)
    times: list[tuple[float, str]] = field(default_factory=list)  # seconds until an answer begins
    places: set[str] = field(default_factory=set)
    line: http.client.HTTPConnection | None = None

    def ask(self, method: str, path: str) -> Answer:
        """One answer; once more on a new connection where the server had closed the old one.

        Status 0: none came, or what came is no answer.
        """
        for last in (False, True):
            self.line = self.line or self.connect()
            began = time.monotonic()
            try:
                self.line.request(method, path, headers=self.sent(path))
                answer = self.line.getresponse()
                self.times.append((time.monotonic() - began, f"{method} {path} as {self.who}"))
                body = answer.read()
                break
            except (http.client.HTTPException, OSError) as error:
                self.line.close()
                self.line = None
                if last or not isinstance(error, ConnectionError):
                    return Answer(method, path, 0, {}, repr(error)[:200].encode())
        headers = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            self.line = None
        return Answer(method, path, answer.status, headers, body)

    def connect(self) -> http.client.HTTPConnection:
        url = urlsplit(self.base)
        assert url.hostname
        own: dict[str, Any] = {"timeout": 60, "source_address": (self.source, 0)}
        if url.scheme == "https":
            return http.client.HTTPSConnection(url.hostname, url.port, context=self.tls, **own)
        return http.client.HTTPConnection(url.hostname, url.port, **own)

    def sent(self, path: str) -> dict[str, str]:
        """A person's browser sends its cookies; an app its token, and to the sign-in API its session."""
        accept = "application/json" if path.startswith(JSON_PATHS) else "text/html,*/*;q=0.8"
        plain = {"Accept": accept, "User-Agent": "Walker/1.0", **self.headers}
        if path.startswith("/account/api/") and self.cookies:
            return plain | {"X-Session-Token": next(iter(self.cookies.values()))}
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return plain | ({"Cookie": cookies} if cookies else {})

    def open(self, path: str) -> Iterator[tuple[Answer, list[str]]]:
        """The answer at this address and at every one it leads to, each once, with what is wrong with it."""
        asked = path
        for _ in range(HOPS):
            if path in self.seen or (path != asked and self.led_here(path)):
                return
            answer = self.seen[path] = self.ask("GET", path)
            yield answer, list(faults(answer))
            where = urljoin(self.base + path, answer.headers.get("location", ""))
            if (
                not 300 <= answer.status < 400
                or answer.status == 304
                or not where.startswith(self.base + "/")
            ):
                return
            path = where.removeprefix(self.base).partition("#")[0]
        yield answer, [f"leads on for more than {HOPS} redirects"]

    def led_here(self, path: str) -> bool:
        """Whether another address led to this one, with another `next`; from then on it did."""
        before = len(self.places)
        self.places.add(re.sub(r"(?<=[?&]next=)[^&]*", "", path))
        return len(self.places) == before


@contextmanager
def threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Waits for them; not where this one is told to end."""
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def location(answer: Answer) -> str:
    return answer.headers.get("location", "")


def is_for(walker: Walker, template: str) -> bool:
    """An app asks the API; a browser everything, and what is alike for many only as one of them."""
    if walker.headers:
        return template.startswith("/api/v2/")
    return all(
        re.fullmatch(some, walker.who) for prefix, some in ALIKE.items() if template.startswith(prefix)
    )


def unused(finds: list[Find]) -> Iterator[Find]:
    for route, what in WAITING:
        if not any(re.match(route, find.route) and re.match(what, find.what) for find in finds):
            yield Find(route, NOBODY, f"nothing is found here any more: take “{what}” out of WAITING", "")


@dataclass
class Walk:
    """Everybody's way through everything that `told` (tests.lived_in.fill) has addresses of."""

    told: dict[str, Any]
    base: str
    tls: ssl.SSLContext | None = None
    is_last: bool = True
    is_short: bool = False
    finds: list[Find] = field(default_factory=list)
    walkers: list[Walker] = field(default_factory=list)

    def run(self) -> list[Find]:
        """Everything that is wrong, what is known included, and what this module says is known and is not there."""
        places = (f"127.0.1.{number}" for number in range(1, 250))
        browsers = {NOBODY: {}, **self.told["cookies"]}
        for who in [NOBODY, *FEW] if self.is_short else browsers:
            self.walkers.append(Walker(who, self.base, next(places), cookies=browsers[who], tls=self.tls))
        for who, headers in self.told["headers"].items():
            self.walkers.append(
                Walker(f"{who} (API)", self.base, next(places), headers=headers, tls=self.tls)
            )
        with threads(WALKERS) as pool:
            for finds in pool.map(self.walk, sorted(self.walkers, key=lambda one: one.who not in THOROUGH)):
                self.finds += finds
        self.finds += [*self.ready(), *self.kept_by_caches(), *self.slow(), *self.holes()]
        self.finds += [*unused(self.finds)]
        return self.finds

    def ready(self) -> Iterator[Find]:
        """Its answer once the worker has swept: before that a service rightly says that it is not ready."""
        if all(route["route"] != READYZ for route in self.told["routes"]):
            return
        deadline = time.monotonic() + READY
        while (answer := self.walkers[0].ask("GET", READYZ)).status == 503 and time.monotonic() < deadline:
            time.sleep(0.5)
        for what in faults(answer):
            yield Find(READYZ, NOBODY, what, READYZ)

    def walk(self, walker: Walker) -> list[Find]:
        finds = []
        for route in sorted(self.told["routes"], key=lambda one: one["route"] == SIGNS_OUT):
            template = route["route"]
            if template == READYZ or not is_for(walker, template):
                continue
            if template == SIGNS_OUT and not self.is_last:
                continue
            if template == SIGNS_OUT and walker.cookies and walker.ask("GET", "/account/").status != 200:
                finds.append(Find("/account/", walker.who, "was signed out on the way", "/account/"))
            is_thorough = bool(re.match(THOROUGH.get(walker.who, "$"), template))
            first, *others = route["addresses"]
            for path in [first, *(others if is_thorough else [])]:
                for answer, wrong in walker.open(path):
                    finds += [Find(template, walker.who, what, answer.path) for what in wrong]
                if path in walker.seen and walker.seen[path].status == 405:
                    break  # said before anybody looks for the row
            is_open = walker.who == NOBODY and walker.seen[first].status == 200
            if (is_thorough or is_open) and not template.startswith(BY_GET):
                finds += [
                    Find(template, walker.who, what, first) for what in self.asked_otherwise(walker, first)
                ]
        return finds

    def asked_otherwise(self, walker: Walker, path: str) -> Iterator[str]:
        """HEAD says what GET says; OPTIONS and HEAD never fail."""
        for method in ("HEAD", "OPTIONS"):
            answer = walker.ask(method, path)
            for what in faults(answer):
                yield f"{method}: {what}"
            if method == "HEAD" and answer.body:
                yield "HEAD has a body"

    def kept_by_caches(self) -> Iterator[Find]:
        """Pages that nobody gets without a login, and that a cache may keep for the next one all the same."""
        public = {path for path, answer in self.walkers[0].seen.items() if answer.status == 200}
        for walker in self.walkers[1:]:
            for path, answer in walker.seen.items():
                known = path in self.walkers[0].seen
                said = answer.headers.get("cache-control", "")
                if known and path not in public and answer.status == 200 and "no-store" not in said:
                    yield Find(path, walker.who, f"private, and a cache may keep it ({said})", path)

    def holes(self) -> Iterator[Find]:
        """Routes whose first address, of the fullest row, answers 404 to everybody: nothing of them was walked."""
        for route in self.told["routes"]:
            template, first = route["route"], route["addresses"][0]
            answers = [walker.seen[first] for walker in self.walkers if first in walker.seen]
            answered = any(one.status != 404 and LOGIN not in location(one) for one in answers)
            if answers and not answered and template not in NOT_FOUND:
                yield Find(template, "everybody", "404: give this route a row that answers", first)
            elif answered and template in NOT_FOUND:
                yield Find(template, "everybody", "answers, and NOT_FOUND says that it does not", first)

    def slow(self) -> Iterator[Find]:
        for seconds, what in self.times():
            if seconds > SLOW:
                yield Find(what, "", f"took {seconds:.1f} s", "")

    def times(self) -> list[tuple[float, str]]:
        """Seconds and what took them, the slowest first."""
        return sorted((one for walker in self.walkers for one in walker.times), reverse=True)

    def summary(self) -> str:
        statuses = Counter(answer.status for walker in self.walkers for answer in walker.seen.values())
        spread = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
        slowest = "; ".join(f"{seconds:.1f} s {what}" for seconds, what in self.times()[:3])
        asked = f"{len(self.times())} requests to {len(self.told['routes'])} routes as {len(self.walkers)} callers"
        return f"{asked}: {spread}.\nSlowest: {slowest}."
