"""Calling addresses that somebody else chose: files of authors, receivers of webhooks. Bounded, and nowhere but the
public internet and the private networks that FETCH_PRIVATE names.

requests-hardened connects to the very address that was resolved and checked, so a name that turns private between the
two finds nothing. The rule of what may be called is our own.
"""

from __future__ import annotations

import ipaddress
import math
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit

import requests
from django.conf import settings
from django.utils.translation import gettext
from requests.adapters import HTTPAdapter
from requests_hardened import Config, HTTPSession
from requests_hardened.ip_filter_adapter import IPFilterAdapter

from config.addresses import is_public
from config.errors import Fault, Invalid

CONNECT = 10  # seconds
SILENCE = 15  # seconds without a byte

Answer = TypeVar("Answer")


class NotPublic(requests.RequestException):
    """An address that is not called."""


class TimedOut(requests.RequestException):
    """The exchange took too long and was cut off."""


def is_ours(address: str) -> bool:
    """Whether an IP address is in a network that FETCH_PRIVATE names."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    networks = [ipaddress.ip_network(network) for network in settings.FETCH_PRIVATE]
    return any(ip.version == network.version and ip in network for network in networks)


def may_call(address: str) -> bool:
    """Whether an IP address may be called."""
    return is_public(address) or is_ours(address)


def parts_of(address: str, *, path: str, like: str) -> SplitResult:
    """The parts of an address that may be tried. Raises Invalid, `path` naming the field; `like` is an example."""
    wrong = Invalid(faults=[Fault(path, gettext("Must be an address like %(example)s.") % {"example": like})])
    try:
        url = urlsplit(address)
        port = url.port
    except ValueError as error:
        raise wrong from error
    if url.scheme not in ("http", "https") or not is_host(url.hostname or ""):
        raise wrong
    if url.username is not None or url.password is not None:
        raise Invalid(faults=[Fault(path, gettext("Must not contain a user name or a password."))])
    if port is not None and port not in (80, 443) and port < 1024:
        raise Invalid(faults=[Fault(path, gettext("This port is not allowed."))])
    return url


def is_host(name: str) -> bool:
    """Whether there can be a host of this name: each part between its dots has letters, and not too many. Never with
    the zone of an address (%eth0), which is one of this machine's networks.
    """
    return (
        len(name) <= 253
        and "%" not in name
        and all(0 < len(part) <= 63 for part in name.removesuffix(".").split("."))
    )


def addresses_of(host: str, port: int) -> list[str]:
    """The IP addresses of a host now; none where its name does not resolve."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class PublicAdapter(IPFilterAdapter):
    """Connects only to addresses that `allowed` admits, and remembers its sockets, so that they can be cut off."""

    def __init__(self, scheme: str, allowed: Callable[[str], bool]) -> None:
        # The library's own rule comes first; it would refuse this machine also where a test allows it.
        super().__init__(is_https_proto=scheme == "https", allow_loopback=allowed("127.0.0.1"))
        self.scheme, self.allowed = scheme, allowed
        self.sockets: list[socket.socket] = []
        self.until = math.inf  # by time.monotonic(); `cut_off` sets it

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> Any:
        return in_time(self.until, lambda: self.resolved(request, *args, **kwargs))

    def resolved(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        """Where a request goes to: the address that its name has now."""
        if settings.FETCH_PRIVATE and (private := self.private(request)):
            return self.pinned(private, request, *args, **kwargs)
        host, pool = super().build_connection_pool_key_attributes(request, *args, **kwargs)
        if not self.allowed(host["host"].strip("[]")):
            raise NotPublic
        return host, pool

    def private(self, request: requests.PreparedRequest) -> str | None:
        """The address of a host in one of our own networks, which the library would refuse."""
        url = urlsplit(request.url or "")
        found = addresses_of(url.hostname or "", url.port or 443)
        return found[0] if found and is_ours(found[0]) and self.allowed(found[0]) else None

    def pinned(self, address: str, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> Any:
        """As the library pins a public address."""
        host, pool = HTTPAdapter.build_connection_pool_key_attributes(self, request, *args, **kwargs)
        url = urlsplit(request.url)
        request.headers["Host"] = url.netloc
        if self.scheme == "https":
            pool["assert_hostname"] = pool["server_hostname"] = url.hostname
        host["host"] = address
        return host, pool

    def get_connection_with_tls_context(self, *args: object, **kwargs: object) -> Any:
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        sockets = self.sockets

        class Watched(pool.ConnectionCls):  # type: ignore[name-defined]
            def __setattr__(self, name: str, value: Any) -> None:
                super().__setattr__(name, value)
                if name == "sock" and value is not None:  # with TLS first the bare one, then another
                    sockets.append(value)

        if not getattr(pool, "watched", False):  # it is kept for the next request to the same address
            pool.ConnectionCls, pool.watched = Watched, True
        return pool


def in_time(until: float, work: Callable[[], Answer]) -> Answer:
    """What `work` returns. Nothing ends the look-up of a name, so it goes on in a thread that nobody waits for.

    Raises TimedOut at `until`, and what `work` raises.
    """
    if until == math.inf:
        return work()
    done: Future[Answer] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name="look up a name", daemon=True).start()
    wait([done], max(0.0, until - time.monotonic()))
    if not done.done():
        raise TimedOut
    return done.result()


@contextmanager
def cut_off(adapters: Collection[PublicAdapter], seconds: float) -> Iterator[threading.Event]:
    """Ends connections after so many seconds: time-outs of sockets know only of silence. What it yields is set then.
    A name that is still being looked up is not waited for any longer.

    Raises TimedOut, because what came before looks like a short answer.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        for adapter in adapters:
            for sock in adapter.sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    for adapter in adapters:
        adapter.until = time.monotonic() + seconds
    try:
        yield late
    finally:
        timer.cancel()
        for adapter in adapters:
            adapter.until = math.inf
    if late.is_set():
        raise TimedOut


def session(adapters: Mapping[str, PublicAdapter], *, agent: str) -> HTTPSession:
    config = Config(
        ip_filter_enable=False,  # the adapters filter, by our own rule too
        ip_filter_allow_loopback_ips=False,
        never_redirect=True,
        default_timeout=(CONNECT, SILENCE),
        user_agent_override=agent,
    )
    client = HTTPSession(config)
    client.trust_env = False  # neither a proxy nor credentials of the machine
    for scheme, adapter in adapters.items():
        client.mount(f"{scheme}://", adapter)
    return client
