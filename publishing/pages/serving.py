"""A thin WSGI application around Django that sends page files, and has Django render what is not there.

These are the pages of capsules, their embeds, and the first pages of the showcase and of profiles. nginx sends the same
files with the same headers (deploy/nginx.conf) and asks here for the rest. What Django is asked for is asked without
anything of the caller, because everybody gets the answer. Everything else goes to Django untouched.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode
from weakref import WeakValueDictionary

from csp.utils import build_policy
from django.conf import settings
from django.utils.http import parse_etags

from accounts.names import reserved_names
from config import metrics, outage
from config.links import is_our_host
from publishing.models.publications import PUBLIC_PATH
from publishing.pages.files import LIST, SHOWCASE, Body, PageFiles, Place, etag_of, stamp_of
from publishing.pages.views import ANY_SITE, CACHE_CONTROL, KEPT_AS

Environ = dict[str, Any]
StartResponse = Callable[..., object]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Headers = list[tuple[str, str]]

LONGEST_TURN = 1.0  # seconds; nginx waits as long for a page that another can stand in for
LONGEST_QUERY = 2000  # characters; a longer one names no edition
MOST_KNOWN = 1000  # Accept-Encoding headers that are remembered
LIST_PATH = re.compile(r"/(?P<workspace>[a-z0-9-]{3,40})?")
EDITION = re.compile(r"[a-z0-9-]{1,50}")
#: What of a request must not reach the rendering of a page that everybody gets.
PERSONAL = (
    "HTTP_COOKIE",
    "HTTP_AUTHORIZATION",
    "HTTP_IF_NONE_MATCH",
    "HTTP_IF_MODIFIED_SINCE",
    "HTTP_RANGE",
    "HTTP_ACCEPT_ENCODING",
    KEPT_AS,
)


class Pages:
    """The WSGI application."""

    def __init__(self, django: Application, files: PageFiles) -> None:
        self.django, self.files = django, files
        self.lock = threading.Lock()
        self.turns: WeakValueDictionary[Place, threading.Lock] = WeakValueDictionary()

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        place = file_asked_for(environ)
        if place is None:
            return self.django(environ, start_response)
        accepted = encodings_of(environ.get("HTTP_ACCEPT_ENCODING", ""))
        body = self.good_file(place, accepted)
        if body is not None:
            metrics.copies.labels("hit").inc()
            return send_page(body, environ, start_response)
        # Of many readers of a new page one renders it; the others find its file.
        with self.turn(place) as is_ours:
            body = self.good_file(place, accepted)
            if body is not None:
                return send_page(body, environ, start_response)
            if not is_ours and (body := self.stale(place, accepted)):
                metrics.copies.labels("stale").inc()
                return send_page(body, environ, start_response)
            return self.render(place, accepted, environ, start_response)

    def good_file(self, place: Place, accepted: tuple[str, ...]) -> Body | None:
        body = self.files.read(place, accepted)
        if body is not None and place.is_list and body.age > settings.LIST_MAX_AGE:
            return None
        return body

    @contextmanager
    def turn(self, place: Place) -> Iterator[bool]:
        """Held by the thread that has this page rendered; the others wait, at most LONGEST_TURN: then it is False, and
        a crowd that reads a page which takes long has it as it was before, where that is there.
        """
        with self.lock:
            turn = self.turns.setdefault(place, threading.Lock())
        is_held = turn.acquire(timeout=LONGEST_TURN)
        try:
            yield is_held
        finally:
            if is_held:
                turn.release()

    def render(
        self, place: Place, accepted: tuple[str, ...], environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Has Django render the page and keeps it; passes on what is not a page, a 404 for instance."""
        metrics.copies.labels("miss").inc()
        with self.files.rendering(place) as folder:
            status, headers, content, edition = self.ask_django(environ)
            if status == HTTPStatus.OK and edition is not None:
                packed = self.keep(place_in(place, edition), folder, content)
                encoding = next(each for each in accepted if each in packed)
                content = packed[encoding]
                body = Body(content, encoding, etag_of(stamp_of(content), len(content)))
                return send_page(body, environ, start_response)
        stale = self.stale(place, accepted) if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        if stale is not None:
            metrics.copies.labels("stale").inc()
            return send_page(stale, environ, start_response)
        start_response(f"{status} {status.phrase}", headers)
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else content]

    def keep(self, place: Place, folder: int | None, content: bytes) -> dict[str, bytes]:
        """The page by encoding. Where there is no room it is sent without being kept."""
        packed = self.files.pack(place, content)
        try:
            self.files.write(place, folder, packed)
        except OSError as error:
            outage.log_unwritten(error)
        return packed

    def stale(self, place: Place, accepted: tuple[str, ...]) -> Body | None:
        """What there is of a page that cannot be rendered: a list past its age, or the page before a change."""
        for wanted in (place, place_in(place, "")):
            for last in (False, True):
                body = self.files.read(wanted, accepted, last=last)
                if body is not None:
                    return body
        return None

    def ask_django(self, environ: Environ) -> tuple[HTTPStatus, Headers, bytes, str | None]:
        """Status, headers and body of the page; of one that may be kept, the edition that it is."""
        edition = edition_in_query(environ["QUERY_STRING"])
        # What is kept for everybody is rendered for nobody: no cookie, no language, no condition.
        asked = {name: value for name, value in environ.items() if name not in PERSONAL}
        query = urlencode({"edition": edition}) if edition else ""
        asked |= {"REQUEST_METHOD": "GET", "QUERY_STRING": query, "wsgi.input": io.BytesIO()}
        told: dict[str, Any] = {}

        def start(status: str, headers: Headers, exc_info: object = None) -> None:
            told.update(status=HTTPStatus(int(status[:3])), headers=headers)

        answer = self.django(asked, start)
        try:
            content = b"".join(answer)
        finally:
            close = getattr(answer, "close", None)
            if close:
                close()
        return told["status"], told["headers"], content, asked.get(KEPT_AS)


# --- Requests --------------------------------------------------------------------------------------------------


def file_asked_for(environ: Environ) -> Place | None:
    """Which file a request is for; None where Django is to answer it."""
    if environ["REQUEST_METHOD"] not in ("GET", "HEAD") or not is_our_host(environ.get("HTTP_HOST", "")):
        return None
    if settings.SECURE_SSL_REDIRECT and not is_secure(environ):
        return None
    path, query = environ["PATH_INFO"], environ["QUERY_STRING"]
    if (found := PUBLIC_PATH.fullmatch(path)) and found["workspace"] not in reserved_names():
        edition = edition_in_query(query)
        name = path[len(found["workspace"]) + 2 :] + (f"~{edition}" if edition else ".html")
        return Place(found["workspace"], name)
    if (found := LIST_PATH.fullmatch(path)) and found["workspace"] not in reserved_names():
        return None if is_other_list(query) else Place(found["workspace"] or SHOWCASE, LIST)
    return None


def is_other_list(query: str) -> bool:
    """Whether it asks for a further page of a list, or for the list in another language than English."""
    if "after" not in query and "language" not in query:
        return False
    asked = parse_qs(query[:LONGEST_QUERY], keep_blank_values=True)
    return "after" in asked or "language" in asked


def place_in(place: Place, edition: str) -> Place:
    """The place of the same page in an edition; "" is the default one."""
    if place.is_list:
        return place
    start = place.name.partition("~")[0].removesuffix(".html")
    return place._replace(name=start + (f"~{edition}" if edition else ".html"))


def edition_in_query(query: str) -> str:
    """The edition that a query asks for; nothing else in a query changes a page."""
    if "edition=" not in query or len(query) > LONGEST_QUERY:
        return ""
    edition = parse_qs(query).get("edition", [""])[-1]
    return edition if EDITION.fullmatch(edition) else ""


def is_secure(environ: Environ) -> bool:
    """Whether the reader came by https: told by the proxy where there is one that does."""
    if settings.SECURE_PROXY_SSL_HEADER:
        name, value = settings.SECURE_PROXY_SSL_HEADER
        if name in environ:
            return bool(environ[name].split(",", 1)[0].strip() == value)
    return bool(environ["wsgi.url_scheme"] == "https")


@lru_cache(MOST_KNOWN)
def encodings_of(accepted: str) -> tuple[str, ...]:
    """Brotli before gzip before none, as far as an Accept-Encoding header admits them."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameter = part.strip().partition(";")
        try:
            weights[name.strip()] = float(parameter.partition("=")[2] or 1) if parameter else 1.0
        except ValueError:
            weights[name.strip()] = 0.0
    admitted = [name for name in ("br", "gzip") if weights.get(name, weights.get("*", 0.0)) > 0]
    return (*admitted, "")


# --- Answers ---------------------------------------------------------------------------------------------------


def send_page(body: Body, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    """The page whole, its headers alone, or 304."""
    headers = [*constant_headers(environ), ("Vary", "Accept-Encoding"), ("ETag", body.etag)]
    wanted = environ.get("HTTP_IF_NONE_MATCH")
    if wanted and is_among(body.etag, parse_etags(wanted)):
        start_response("304 Not Modified", headers)
        return [b""]
    headers += [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body.content)))]
    if body.encoding:
        headers.append(("Content-Encoding", body.encoding))
    start_response("200 OK", headers)
    return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body.content]


def constant_headers(environ: Environ) -> Headers:
    """What Django's middleware puts on every page, in deploy/nginx.conf too; an embed may be framed by any site."""
    framed = environ["PATH_INFO"].count("/") == 3  # /<workspace>/<slug>/embed; a slug may be "embed"
    headers = [
        ("Cache-Control", CACHE_CONTROL),
        ("Content-Security-Policy", policy(framed)),
        ("Cross-Origin-Opener-Policy", str(settings.SECURE_CROSS_ORIGIN_OPENER_POLICY)),
        ("Permissions-Policy", settings.PERMISSIONS_POLICY),
        ("Referrer-Policy", settings.SECURE_REFERRER_POLICY),
        ("X-Content-Type-Options", "nosniff"),
    ]
    if not framed:
        headers.append(("X-Frame-Options", settings.X_FRAME_OPTIONS))
    if settings.SECURE_HSTS_SECONDS and is_secure(environ):
        more = "; includeSubDomains" * settings.SECURE_HSTS_INCLUDE_SUBDOMAINS
        more += "; preload" * settings.SECURE_HSTS_PRELOAD
        headers.append(("Strict-Transport-Security", f"max-age={settings.SECURE_HSTS_SECONDS}{more}"))
    return headers


@lru_cache(2)
def policy(framed: bool) -> str:
    return str(build_policy(replace=ANY_SITE if framed else {}))


def is_among(etag: str, known: list[str]) -> bool:
    """Whether a reader has this very version, by If-None-Match: weak tags count as well, and * is any version."""
    return known == ["*"] or etag in (each.removeprefix("W/") for each in known)
