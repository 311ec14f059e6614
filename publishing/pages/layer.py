"""The page layer: a thin WSGI application around Django that answers for public pages from final bytes in memory.

These are the pages of capsules, and the first pages of the showcase and of profiles.

A copy is made of what Django answered for the page, headers and all, and of the same bytes compressed. It is good as
long as the version of the workspace's pages is the one that it was rendered under (`page_versions`), and for
PAGE_MAX_AGE at most, so that a change that nobody announced is seen as well. While the database is away, the last good
copy is shown for as long as STALE_PAGES. Everything else goes to Django untouched.
"""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode
from weakref import WeakValueDictionary

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import parse_etags

from accounts.names import reserved_names
from config import metrics
from publishing.models.publications import PUBLIC_PATH
from publishing.pages import versions as page_versions
from publishing.pages.encodings import Body, Headers, best_encoding, encoded
from publishing.pages.views import KEPT_AS

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Answer = tuple[int, Headers, bytes]
Key = tuple[str, str]  # a path, and the scheme by which the reader came

COUNTED_AT_ONCE = 200  # hits; to count each would take half as long as the hit itself
ASK_AGAIN = 2.0  # seconds between two tries to renew a page while the database is away
LONGEST_TURN = 5.0  # seconds
MEMORY = 64 * 1024 * 1024  # bytes of page copies in one process
LONGEST_QUERY = 2000  # characters; a longer one names no edition
READS = frozenset(["GET", "HEAD"])
MOST_KNOWN = 1000  # hosts or Accept-Encoding headers that are remembered
LONGEST_HEADER = 300  # characters that are looked at, and the longest host that may be ours
#: What of a request must not reach the rendering of a page that everybody gets.
PERSONAL = (
    "HTTP_COOKIE",
    "HTTP_AUTHORIZATION",
    "HTTP_IF_NONE_MATCH",
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_RANGE",
    "HTTP_ACCEPT_ENCODING",
)
LIST_PATH = re.compile(r"/(?P<workspace>[a-z0-9-]{3,40})?")
LISTS_QUALITY = 5


@dataclass
class Copy:
    """A rendered page: its bodies by encoding ("", "gzip", "br"), and when and from what it was made."""

    raw: bytes
    bodies: dict[str, Body]
    publication: int | None  # whose views it counts; a list counts none
    version: object
    rendered_at: float
    good_until: float = 0.0  # by time.monotonic(); then Django is asked again
    is_stale: bool = False  # Django could not say whether it is still right

    @property
    def size(self) -> int:
        return sum(len(body.content) for body in self.bodies.values())

    @property
    def age(self) -> float:
        return time.monotonic() - self.rendered_at


@dataclass
class Page:
    """The copies of one address, by edition; "" is the default one, and what unknown names lead to."""

    workspace: str
    editions: frozenset[str]
    copies: dict[str, Copy]

    @property
    def size(self) -> int:
        return sum(copy.size for copy in self.copies.values())

    def edition_for(self, query: str) -> str:
        edition = edition_of(query)
        return edition if edition in self.editions else ""

    def good_copy(self, query: str, version: object) -> Copy | None:
        """The copy that a query asks for, where it was rendered under this version and is not too old."""
        copy = self.copies.get(self.edition_for(query))
        if copy is None or copy.version != version or time.monotonic() > copy.good_until:
            return None
        return copy


class ListPage(Page):
    """The first page of a list. Its further pages, which a cursor names, are not kept."""

    def good_copy(self, query: str, version: object) -> Copy | None:
        return None if is_further(query) else super().good_copy("", version)


class PageLayer:
    """A WSGI application. `config.web_server` asks `hit` before it wakes another thread."""

    def __init__(self, django: Application) -> None:
        self.django = django
        self.versions = page_versions.versions()
        self.pages: dict[Key, Page] = {}
        self.size = 0
        self.hits = 0  # that are not counted yet
        self.lock = threading.Lock()
        self.turns: WeakValueDictionary[Key, threading.Lock] = WeakValueDictionary()
        self.hosts: dict[str, bool] = {}
        self.choices: dict[str, str] = {}

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        answer = self.hit(environ)
        if answer is None:
            self.count_hits()
            if not self.is_for_page(environ):
                return self.django(environ, start_response)
            answer = self.page(environ)
        status, headers, content = answer
        start_response(f"{status} {HTTPStatus(status).phrase}", headers.copy())
        return [content]

    def hit(self, environ: Environ) -> Answer | None:
        """The answer from memory, without waiting for anything; None where there is none."""
        page = self.pages.get((environ["PATH_INFO"], scheme_of(environ)))
        if page is None or environ["REQUEST_METHOD"] not in READS or not self.known_host(environ):
            return None
        copy = page.good_copy(environ["QUERY_STRING"], self.versions.at_hand(page.workspace))
        return self.answer_from(copy, environ) if copy else None

    def is_for_page(self, environ: Environ) -> bool:
        """Whether a request is for what may be kept. Everything else goes to Django untouched."""
        if environ["REQUEST_METHOD"] not in READS:
            return False
        if settings.SECURE_SSL_REDIRECT and scheme_of(environ) != "https":
            return False
        path = environ["PATH_INFO"]
        is_kept = is_public(path) or (is_list(path) and not is_further(environ["QUERY_STRING"]))
        return is_kept and self.known_host(environ)

    def page(self, environ: Environ) -> Answer:
        """The page from its copy, or rendered now; of many who ask at once, one has it rendered."""
        key = (environ["PATH_INFO"], scheme_of(environ))
        copy, _ = self.good_copy(key, environ)
        if copy is None:
            with self.turn(key):
                copy, version = self.good_copy(key, environ)
                if copy is None:
                    metrics.copies.labels("miss").inc()
                    return self.render(key, version, environ)
        return self.answer_from(copy, environ)

    def good_copy(self, key: Key, environ: Environ) -> tuple[Copy | None, object]:
        """The copy that a request asks for, if there is a good one, and the version that makes it so."""
        version = self.versions.of(workspace_of(key))
        page = self.pages.get(key)
        return page.good_copy(environ["QUERY_STRING"], version) if page else None, version

    @contextmanager
    def turn(self, key: Key) -> Iterator[None]:
        """Held by the thread that has this page rendered; the others wait, at most LONGEST_TURN."""
        with self.lock:
            turn = self.turns.setdefault(key, threading.Lock())
        is_held = turn.acquire(timeout=LONGEST_TURN)
        try:
            yield
        finally:
            if is_held:
                turn.release()

    def answer_from(self, copy: Copy, environ: Environ) -> Answer:
        """The answer from a copy that was there, counted."""
        if copy.is_stale:
            metrics.copies.labels("stale").inc()
        else:
            self.hits += 1
            if self.hits >= COUNTED_AT_ONCE:
                self.count_hits()
        return self.answer(copy, environ)

    def count_hits(self) -> None:
        hits, self.hits = self.hits, 0
        metrics.copies.labels("hit").inc(hits)

    def answer(self, copy: Copy, environ: Environ) -> Answer:
        """The page from its copy: whole, its headers alone, or 304."""
        body = copy.bodies[self.encoding(environ.get("HTTP_ACCEPT_ENCODING", ""))]
        is_head = environ["REQUEST_METHOD"] == "HEAD"
        stale = (
            [("Cache-Status", f"pages; hit; ttl={settings.PAGE_MAX_AGE - copy.age:.0f}")]
            if copy.is_stale
            else []
        )
        wanted = environ.get("HTTP_IF_NONE_MATCH")
        if wanted and is_among(body.etag, parse_etags(wanted)):
            return HTTPStatus.NOT_MODIFIED, body.headers_304 + stale, b""
        return HTTPStatus.OK, body.headers + stale, b"" if is_head else body.content

    def render(self, key: Key, version: object, environ: Environ) -> Answer:
        """Has Django render the page and keeps it; passes on what is not a page, a 404 for instance."""
        page, edition = self.pages.get(key), edition_of(environ["QUERY_STRING"])
        old = page.copies.get(edition) if page else None
        if old is not None and old.version == version:
            old.good_until = (
                time.monotonic() + settings.PAGE_MAX_AGE
            )  # the other threads go on with it meanwhile
        status, headers, content, kept = self.ask_django(environ, edition)
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            content = b"" if environ["REQUEST_METHOD"] == "HEAD" else content
            return self.stale(page, version, environ) or (status, headers, content)
        if kept is None or status != HTTPStatus.OK:
            self.forget(key)
            return status, headers, b"" if environ["REQUEST_METHOD"] == "HEAD" else content
        publication, shown, editions = kept
        old = page.copies.get(shown) if page else None
        if old is not None and old.raw == content and old.publication == publication:
            bodies = old.bodies
        else:
            # A list changes with every publish: its best packing would cost more than its rendering.
            bodies = encoded(content, headers, quality=LISTS_QUALITY if is_list(key[0]) else 11)
        now = time.monotonic()
        copy = Copy(content, bodies, publication, version, now, good_until=now + settings.PAGE_MAX_AGE)
        self.keep(key, editions, shown, copy)
        return self.answer(copy, environ)

    def stale(self, page: Page | None, version: object, environ: Environ) -> Answer | None:
        """The last good copy while the database cannot be asked, for STALE_PAGES seconds at most.

        Nobody can unpublish a page meanwhile, and a change just before has changed the version.
        """
        copy = page.copies.get(page.edition_for(environ["QUERY_STRING"])) if page else None
        if copy is None or copy.version != version or copy.age > settings.STALE_PAGES:
            return None
        copy.is_stale, copy.good_until = True, time.monotonic() + ASK_AGAIN
        return self.answer_from(copy, environ)

    def ask_django(self, environ: Environ, edition: str) -> tuple[HTTPStatus, Headers, bytes, Any]:
        """Status, headers and body of the page in an edition, and what the view says of it."""
        asked = {name: value for name, value in environ.items() if name not in PERSONAL}
        query = urlencode({"edition": edition}) if edition else ""
        asked |= {"REQUEST_METHOD": "GET", "QUERY_STRING": query, "wsgi.input": io.BytesIO()}
        asked.pop(KEPT_AS, None)
        told: dict[str, Any] = {}

        def start(status: str, headers: Headers, exc_info: Any = None) -> None:
            told.update(status=HTTPStatus(int(status[:3])), headers=headers)

        answer = self.django(asked, start)
        try:
            content = b"".join(answer)
        finally:
            close = getattr(answer, "close", None)
            if close:
                close()
        return told["status"], told["headers"], content, asked.get(KEPT_AS)

    def keep(self, key: Key, editions: frozenset[str], edition: str, copy: Copy) -> None:
        """Keeps a copy, and those of other editions that are as new; the oldest pages are dropped to make room."""
        with self.lock:
            page = self.pages.pop(key, None)
            copies = page.copies if page else {}
            self.size -= page.size if page else 0
            fresh = {name: each for name, each in copies.items() if name in editions or not name}
            kind = ListPage if is_list(key[0]) else Page
            self.pages[key] = kind(workspace_of(key), editions, {**fresh, edition: copy})
            self.size += self.pages[key].size
            while self.size > MEMORY and len(self.pages) > 1:
                self.size -= self.pages.pop(next(iter(self.pages))).size

    def forget(self, key: Key) -> None:
        with self.lock:
            page = self.pages.pop(key, None)
            self.size -= page.size if page else 0

    def known_host(self, environ: Environ) -> bool:
        """Whether Django would accept the Host header; if not, Django is asked, and refuses it."""
        host = environ.get("HTTP_HOST", "")
        if len(host) > LONGEST_HEADER:
            return False
        known = self.hosts.get(host)
        if known is None:
            domain, _ = split_domain_port(host)
            known = bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)
            remember(self.hosts, host, known)
        return known

    def encoding(self, accepted: str) -> str:
        accepted = accepted[:LONGEST_HEADER]
        chosen = self.choices.get(accepted)
        if chosen is None:
            chosen = best_encoding(accepted)
            remember(self.choices, accepted, chosen)
        return chosen


def is_among(etag: str, known: list[str]) -> bool:
    """Whether a reader has this very version, by If-None-Match: weak tags count as well, and * is any version."""
    return known == ["*"] or etag in (each.removeprefix("W/") for each in known)


def is_public(path: str) -> bool:
    """Whether a path can be a capsule's: its first segment is a name that a workspace may have."""
    match = PUBLIC_PATH.fullmatch(path)
    return match is not None and match["workspace"] not in reserved_names()


def is_list(path: str) -> bool:
    """Whether a path is the showcase's or can be a profile's."""
    match = LIST_PATH.fullmatch(path)
    return match is not None and match["workspace"] not in reserved_names()


def is_further(query: str) -> bool:
    return "after" in query and "after" in parse_qs(query[:LONGEST_QUERY], keep_blank_values=True)


def workspace_of(key: Key) -> str:
    """By whose version a copy is judged: that of a workspace, or of the list of all."""
    return key[0].split("/", 2)[1] or page_versions.SHOWCASE


def scheme_of(environ: Environ) -> str:
    """http or https: from the proxy's header where there is a proxy that sets it."""
    if settings.SECURE_PROXY_SSL_HEADER:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        if name in environ:
            return "https" if environ[name].split(",", 1)[0].strip() == value else "http"
    return str(environ["wsgi.url_scheme"])


def edition_of(query: str) -> str:
    """The edition that a query asks for; nothing else in a query changes a page."""
    if "edition=" not in query or len(query) > LONGEST_QUERY:
        return ""
    return parse_qs(query).get("edition", [""])[-1]


def remember(known: dict[str, Any], key: str, value: Any) -> None:
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[key] = value
