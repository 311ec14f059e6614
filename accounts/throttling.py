"""How often one caller may call, counted in the database so that every process sees the same number."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections.abc import Mapping
from itertools import accumulate

from django.conf import settings
from django.db import connection
from django.db.models import F
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.actors import Actor
from accounts.models import RateWindow
from config import outage
from config.errors import Throttled

HOUR, DAY = 3600, 86400  # seconds
LONGEST_ADDRESS = 64  # characters; RateWindow.key has room for no more
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
READS = ("read", "feed")  # the rates of calls that change nothing


class RateExceeded(Throttled):
    """Carries the RateLimit headers (draft-ietf-httpapi-ratelimit-headers)."""

    def __init__(self, rate: str, limit: int, reset: int, per: int = 60) -> None:
        unit = {HOUR: "an hour", DAY: "a day"}.get(per, "a minute")
        super().__init__(f"Too many requests: at most {limit} {unit}. Please slow down.", retry_after=reset)
        self.headers = {
            "RateLimit-Policy": f'"{rate}";q={limit};w={per}',
            "RateLimit": f'"{rate}";r=0;t={reset}',
            "RateLimit-Limit": str(limit),
            "RateLimit-Remaining": "0",
            "RateLimit-Reset": str(reset),
        }


def count_call(key: str, minute: int) -> int:
    """Counts one more call and returns how many that makes: one atomic statement on SQLite and on PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {RateWindow._meta.db_table} (key, minute, count) VALUES (%s, %s, 1) "  # noqa: S608
            "ON CONFLICT (key, minute) DO UPDATE SET count = "
            f"{RateWindow._meta.db_table}.count + 1 RETURNING count",
            [key, minute],
        )
        row = cursor.fetchone()
    return int(row[0])


def check_rate(rate: str, caller: str, *, per: int = 60, limit: int | None = None) -> None:
    """Counts one call of `caller` against `limit`, or RATES[rate], in the last `per` seconds, which are whole minutes:
    the one that runs and those before it. Raises RateExceeded (429).
    """
    now = time.time()
    limit = settings.RATES[rate] if limit is None else limit
    key, minute = f"{rate}:{caller}", int(now // 60)
    last = minute + per // 60 - 1  # in which this call counts; its row goes once that is over
    counts: dict[int, int] = {}
    with outage.note(needed=rate not in READS):
        counts = {last: count_call(key, last)}
        if per > 60:
            counts = counts_before(key, minute, last) | counts
            if sum(counts.values()) > limit:  # else whoever tries again and again would be refused forever
                take_back(key, last)
    if (over := sum(counts.values()) - limit) > 0:
        raise RateExceeded(rate, limit, reset=minute_of_next(counts, over) * 60 - int(now), per=per)


def counts_before(key: str, minute: int, last: int) -> dict[int, int]:
    """The calls of earlier minutes that still count, by the last minute in which they do, the oldest first."""
    rows = RateWindow.objects.filter(key=key, minute__gte=minute, minute__lt=last).order_by("minute")
    return dict(rows.values_list("minute", "count"))


def take_back(key: str, last: int) -> None:
    """A call that was refused does not count."""
    row = RateWindow.objects.filter(key=key, minute=last)
    row.update(count=F("count") - 1)
    row.filter(count=0).delete()


def minute_of_next(counts: Mapping[int, int], over: int) -> int:
    """The first minute in which one more call is taken: so many of these calls do not count any more."""
    ended = zip(counts, accumulate(counts.values()), strict=True)
    return next(last for last, calls in ended if calls >= over) + 1


def address_of(environ: Mapping[str, object]) -> str:
    """What tells callers apart: behind our proxy the address that the proxy saw, which it wrote last."""
    if settings.BEHIND_PROXY:
        # The last one: a caller writes whatever it likes before what our proxy adds.
        return network_in(str(environ.get("HTTP_X_FORWARDED_FOR", "")).rsplit(",", 1)[-1].strip())
    return network_in(str(environ.get("REMOTE_ADDR", "")))


def network_in(address: str) -> str:
    """The part of an address that its owner cannot vary: a whole IPv4 address, the /64 of an IPv6 one."""
    if ":" in address:
        try:
            ip = ipaddress.IPv6Address(address.partition("%")[0])
        except ValueError:
            pass
        else:
            # The same caller counts once, whichever of two notations its address comes in.
            return str(ip.ipv4_mapped or ipaddress.IPv6Network((ip, 64), strict=False))
    if len(address) > LONGEST_ADDRESS:
        return short_digest(address)
    return address


def short_digest(text: str) -> str:
    """What an address is counted by: it fits into RateWindow.key, and the table does not say whose it is."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class CredentialThrottle(BaseThrottle):
    """RATES["read"] and RATES["write"] a minute for one credential."""

    write_rate = "write"

    def allow_request(self, request: Request, view: object) -> bool:
        if isinstance(request.auth, Actor):
            check_rate("read" if request.method in SAFE_METHODS else self.write_rate, request.auth.credential)
        return True


class AuthorThrottle(CredentialThrottle):
    """RATES["read"] and, for writes of drafts and media, RATES["author"] a minute for one credential."""

    write_rate = "author"


class AddressThrottle(BaseThrottle):
    """RATES["feed"] a minute for one address of an anonymous caller."""

    def allow_request(self, request: Request, view: object) -> bool:
        check_rate("feed", address_of(request.META))
        return True


def forget_old_windows() -> int:
    """Deletes windows nobody counts in any more; returns how many."""
    # A request that began in the last minute may still count in its window.
    deleted, _ = RateWindow.objects.filter(minute__lt=int(time.time() // 60) - 2).delete()
    return deleted
