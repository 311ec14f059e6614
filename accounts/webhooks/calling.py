"""One exchange with a receiver: at most 15 seconds in all, no redirects, at most 64 KiB of its answer."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult

import requests
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from requests_hardened.ip_filter import InvalidIPAddress
from urllib3.exceptions import HTTPError

from config import outbound
from config.errors import Fault, Invalid
from config.json_types import JsonObject
from config.moments import on_wire
from config.outbound import CONNECT, NotPublic, PublicAdapter, TimedOut, is_ours, may_call

logger = logging.getLogger(__name__)

EXCHANGE = 15  # seconds, for whatever one try needs
READ = 64 * 1024  # bytes of an answer
KEPT = 1024  # characters of an answer
LONGEST_WAIT = timedelta(days=1)  # that a receiver may ask for
AGENT = "Capsules (webhooks)"
LIKE = "https://example.com/hooks"
OUR_FAULT = "Something went wrong in our service."
PRIVATE = _("This address is not on the public internet, so it is never called.")


@dataclass(frozen=True)
class Outcome:
    """What became of one try. `error` is None where there was an answer."""

    status: int | None
    error: str | None
    ms: int
    answer: str = ""
    retry_after: timedelta | None = None

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    def as_attempt(self, at: datetime) -> JsonObject:
        told = {"status": self.status, "error": self.error, "ms": self.ms, "answer": self.answer}
        return {"at": on_wire(at), **told}


def check_url(url: str) -> None:
    """Raises Invalid for an address that is never called. A name that does not resolve now may do so later."""
    parts = receiver_parts(url)
    host = (parts.hostname or "").rstrip(".")  # localhost. is localhost, and no resolver knows it
    found = outbound.addresses_of(host, parts.port or (443 if parts.scheme == "https" else 80))
    if any(not may_call(address) for address in found):
        raise Invalid(faults=[Fault("url", str(PRIVATE))])
    plain = parts.scheme == "http" and not settings.DEVELOPMENT
    if plain and not (found and all(is_ours(address) for address in found)):
        raise Invalid(faults=[Fault("url", gettext("Must begin with https://."))])


def receiver_parts(url: str) -> SplitResult:
    """Raises Invalid."""
    # urlsplit leaves out tabs and ends of lines.
    if any(sign.isspace() or not sign.isprintable() for sign in url):
        raise Invalid(faults=[Fault("url", gettext("Must not contain spaces."))])
    if "#" in url:
        raise Invalid(faults=[Fault("url", gettext("Must not contain a #: what follows is never sent."))])
    return outbound.parts_of(url, path="url", like=LIKE)


class Caller:
    """Calls one receiver again and again, by one connection where it keeps it open."""

    def __init__(self) -> None:
        plain = may_call if settings.DEVELOPMENT else is_ours
        self.adapters = {"http": PublicAdapter("http", plain), "https": PublicAdapter("https", may_call)}
        self.client = outbound.session(self.adapters, agent=AGENT)

    def close(self) -> None:
        self.client.close()

    def call(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        begun = time.monotonic()
        until = begun + EXCHANGE
        try:
            receiver_parts(url)
            known = bool(self.adapters["https"].sockets or self.adapters["http"].sockets)
            try:
                answer, text = self.exchange(url, body, headers, until=until)
            except requests.ConnectionError:
                if not known:
                    raise
                self.forget_sockets()  # the receiver closed a connection that it had kept open
                answer, text = self.exchange(url, body, headers, until=until)
        except Exception as error:
            return Outcome(None, failure_words(error), elapsed(begun))
        wait = wait_of(answer.headers.get("Retry-After", ""))
        return Outcome(answer.status_code, None, elapsed(begun), text, wait)

    def forget_sockets(self) -> None:
        for adapter in self.adapters.values():
            adapter.sockets.clear()
            adapter.poolmanager.clear()

    def exchange(
        self, url: str, body: bytes, headers: Mapping[str, str], *, until: float
    ) -> tuple[requests.Response, str]:
        """An answer, and how it begins. Raises TimedOut at `until`, and what the libraries raise."""
        left = until - time.monotonic()
        if left <= 0:
            raise TimedOut
        self.client.cookies.clear()
        with outbound.cut_off(self.adapters.values(), left) as late:
            try:
                answer = self.client.post(
                    url,
                    data=body,
                    headers={**headers, "Accept-Encoding": "identity", "Accept": "*/*"},
                    stream=True,
                    allow_redirects=False,
                    timeout=(min(CONNECT, left), left),
                )
                return answer, read(answer)
            except Exception as error:
                if late.is_set():
                    raise TimedOut from error
                raise


def read(answer: requests.Response) -> str:
    """The beginning of an answer, as it came: what is packed is not unpacked."""
    found = b""
    while len(found) < READ and (piece := answer.raw.read1(READ - len(found))):
        found += piece
    if len(found) < READ:
        answer.raw.release_conn()  # it was read to its end
    else:
        answer.close()
    return found[: KEPT * 4].decode(errors="replace").replace("\0", "�")[:KEPT]


def failure_words(error: Exception) -> str:
    """What went wrong, without what the machine says: it names our own addresses."""
    if isinstance(error, TimedOut | requests.Timeout):
        return f"It did not answer within {EXCHANGE} seconds."
    if isinstance(error, NotPublic | InvalidIPAddress):
        return str(PRIVATE)
    if isinstance(error, Invalid):
        return error.in_words()
    if isinstance(error, requests.exceptions.SSLError):
        return "Its certificate is not valid, or it does not speak TLS."
    if any(isinstance(each, socket.gaierror) for each in causes(error)):
        return "Its name does not resolve."
    if isinstance(error, requests.RequestException | HTTPError | OSError | ValueError):
        return "The connection failed."
    logger.error("A call to a receiver failed by a fault of ours", exc_info=error)
    return OUR_FAULT


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def elapsed(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)


def wait_of(header: str) -> timedelta | None:
    """Until when Retry-After asks to wait, at most a day; None where it says nothing that we understand."""
    wait: timedelta | None = None
    with suppress(ValueError, TypeError, OverflowError):
        if header.strip().isascii() and header.strip().isdigit():
            wait = timedelta(seconds=min(int(header), 10**6))
        elif header:
            moment = parsedate_to_datetime(header)
            wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - timezone.now()
    return None if wait is None else min(max(wait, timedelta()), LONGEST_WAIT)
