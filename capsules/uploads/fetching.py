"""Fetching a file from an address that an author gave: bounded, and from nowhere but the public internet.

requests-hardened connects to the very address that was resolved and checked, so a name that turns private between the
two finds nothing. The rule of what is public is our own, and every redirect is a new request with the same checks.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests
from requests_hardened import Config, HTTPSession
from requests_hardened.ip_filter import InvalidIPAddress
from requests_hardened.ip_filter_adapter import IPFilterAdapter
from urllib3.exceptions import HTTPError

from capsules.uploads.creating import check_address
from config.addresses import is_public
from config.errors import Invalid, TooLarge

REDIRECTS = 3
CONNECT = 10  # seconds
SILENCE = 15  # seconds without a byte
HEADERS = 30  # seconds until the headers are there
TOTAL = 120  # seconds
PIECE = 1 << 16
AGENT = "Capsules (media fetch)"

UNREACHABLE = "This address could not be reached. Check it, or download the file and upload it."
NOT_PUBLIC = "This address is not on the public internet. Download the file and upload it."
TOO_SLOW = "This address sends too slowly. Download the file and upload it."


class Refused(requests.RequestException):
    """An address that is not public."""


def fetch(
    address: str,
    target: Path,
    *,
    limit: int,
    beat: Callable[[], None] = lambda: None,
    allowed: Callable[[str], bool] = is_public,
) -> int:
    """Writes what an address answers to the file `target`; returns its bytes.

    `allowed` says of an IP address whether it may be asked. Raises Invalid, TooLarge, and what `beat` raises.
    """
    deadline = time.monotonic() + TOTAL
    adapters = {scheme: PublicAdapter(scheme, allowed) for scheme in ("http", "https")}
    with session(adapters) as client:
        try:
            for _ in range(REDIRECTS + 1):
                check_address(address)
                with cut_off(adapters.values()):
                    answer = ask(client, address)
                with answer:
                    if answer.is_redirect:
                        address = urljoin(address, answer.headers["Location"])
                        continue
                    return save(answer, target, limit, deadline, beat)
        except (Refused, InvalidIPAddress) as error:
            raise Invalid(NOT_PUBLIC) from error
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            raise Invalid(UNREACHABLE) from error
    raise Invalid("This address redirects too many times.")


def ask(client: HTTPSession, address: str) -> requests.Response:
    # Bytes as they are: what is packed would be unpacked without a bound.
    headers = {"Accept-Encoding": "identity", "Accept": "image/*, video/*, */*;q=0.1"}
    client.cookies.clear()
    return client.get(
        address, stream=True, allow_redirects=False, timeout=(CONNECT, SILENCE), headers=headers
    )


def save(
    answer: requests.Response, target: Path, limit: int, deadline: float, beat: Callable[[], None]
) -> int:
    if answer.status_code != 200:
        raise Invalid(
            f"This address answered with an error ({answer.status_code}). Check it, or upload the file."
        )
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Invalid("This address sends the file compressed. Download the file and upload it.")
    too_large = TooLarge(f"This file has more than {limit // 10**6} MB, the most we take. Make it smaller.")
    if answer.headers.get("Content-Length", "").isdigit() and int(answer.headers["Content-Length"]) > limit:
        raise too_large
    size = 0
    with target.open("wb") as out:
        while chunk := answer.raw.read1(PIECE):
            size += len(chunk)
            if size > limit:
                raise too_large
            if time.monotonic() > deadline:
                raise Invalid(TOO_SLOW)
            out.write(chunk)
            beat()
    return size


class PublicAdapter(IPFilterAdapter):
    """Connects only to addresses that `allowed` admits, and remembers its sockets, so that they can be cut off."""

    def __init__(self, scheme: str, allowed: Callable[[str], bool]) -> None:
        # The library's own rule comes first; it would refuse this machine also where a test allows it.
        super().__init__(is_https_proto=scheme == "https", allow_loopback=allowed("127.0.0.1"))
        self.allowed = allowed
        self.sockets: list[socket.socket] = []

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> Any:
        host, pool = super().build_connection_pool_key_attributes(*args, **kwargs)
        if not self.allowed(host["host"].strip("[]")):
            raise Refused
        return host, pool

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        sockets = self.sockets

        class Watched(pool.ConnectionCls):  # type: ignore[name-defined]
            def __setattr__(self, name: str, value: Any) -> None:
                super().__setattr__(name, value)
                if name == "sock" and value is not None:  # with TLS first the bare one, then another
                    sockets.append(value)

        pool.ConnectionCls = Watched
        return pool


@contextmanager
def cut_off(adapters: Iterable[PublicAdapter]) -> Iterator[None]:
    """Ends connections whose headers take longer than HEADERS: time-outs of sockets know only of silence.

    Raises Invalid then, because what came before looks like a short answer.
    """
    late = threading.Event()

    def end() -> None:
        late.set()
        for adapter in adapters:
            for sock in adapter.sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(HEADERS, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if late.is_set():
        raise Invalid(TOO_SLOW)


def session(adapters: Mapping[str, PublicAdapter]) -> HTTPSession:
    config = Config(
        ip_filter_enable=False,  # the adapters filter, by our own rule too
        ip_filter_allow_loopback_ips=False,
        never_redirect=True,
        default_timeout=(CONNECT, SILENCE),
        user_agent_override=AGENT,
    )
    client = HTTPSession(config)
    client.trust_env = False  # neither a proxy nor credentials of the machine
    for scheme, adapter in adapters.items():
        client.mount(f"{scheme}://", adapter)
    return client
