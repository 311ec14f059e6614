"""Fetching a file from an address that an author gave: bounded, and every redirect is a new request with the same
checks (`config.outbound`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import requests
from requests_hardened import HTTPSession
from requests_hardened.ip_filter import InvalidIPAddress
from urllib3.exceptions import HTTPError

from capsules import putting_off
from capsules.uploads.creating import check_address
from config.errors import Invalid, TooLarge
from config.outbound import CONNECT, SILENCE, NotPublic, PublicAdapter, TimedOut, cut_off, may_call, session

REDIRECTS = 3
HEADERS = 30  # seconds until the headers are there
TOTAL = 120  # seconds
PIECE = 1 << 16
AGENT = "Capsules (media fetch)"

UNREACHABLE = "This address could not be reached. Check it, or download the file and upload it."
NOT_PUBLIC = "This address is not on the public internet. Download the file and upload it."
TOO_SLOW = "This address sends too slowly. Download the file and upload it."


def fetch(
    address: str,
    target: Path,
    *,
    limit: int,
    beat: Callable[[], None] = lambda: None,
    allowed: Callable[[str], bool] = may_call,
) -> int:
    """Writes what an address answers to the file `target`; returns its bytes.

    `allowed` says of an IP address whether it may be asked. Raises Invalid, TooLarge, OSError where our disk is full,
    and what `beat` raises.
    """
    deadline = time.monotonic() + TOTAL
    adapters = {scheme: PublicAdapter(scheme, allowed) for scheme in ("http", "https")}
    with session(adapters, agent=AGENT) as client:
        try:
            for _ in range(REDIRECTS + 1):
                check_address(address)
                with cut_off(adapters.values(), HEADERS):
                    answer = request_file(client, address)
                with answer:
                    if answer.is_redirect:
                        address = urljoin(address, answer.headers["Location"])
                        continue
                    return save_answer(answer, target, limit, deadline, beat)
        except TimedOut as error:
            raise Invalid(TOO_SLOW) from error
        except (NotPublic, InvalidIPAddress) as error:
            raise Invalid(NOT_PUBLIC) from error
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            if putting_off.is_full_disk(error):
                raise  # nothing is wrong with the address
            raise Invalid(UNREACHABLE) from error
    raise Invalid("This address redirects too many times.")


def request_file(client: HTTPSession, address: str) -> requests.Response:
    # Bytes as they are: what is packed would be unpacked without a bound.
    headers = {"Accept-Encoding": "identity", "Accept": "image/*, video/*, */*;q=0.1"}
    client.cookies.clear()
    return client.get(
        address, stream=True, allow_redirects=False, timeout=(CONNECT, SILENCE), headers=headers
    )


def save_answer(
    answer: requests.Response, target: Path, limit: int, deadline: float, beat: Callable[[], None]
) -> int:
    if answer.status_code != 200:
        raise Invalid(
            f"This address answered with an error ({answer.status_code}). Check it, or upload the file."
        )
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Invalid("This address sends the file compressed. Download the file and upload it.")
    too_large = TooLarge(f"This file has more than {limit // 10**6} MB, the most we take. Make it smaller.")
    if answer.headers.get("Content-Length", "").isdecimal() and int(answer.headers["Content-Length"]) > limit:
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
