"""How often one caller may call, counted in the database so that every process sees the same number."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import connection
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.actors import Actor
from accounts.models import RateWindow
from config.errors import Throttled

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class RateExceeded(Throttled):
    """Carries the RateLimit headers (draft-ietf-httpapi-ratelimit-headers)."""

    def __init__(self, rate: str, limit: int, reset: int) -> None:
        super().__init__(f"Too many requests: at most {limit} a minute. Please slow down.", retry_after=reset)
        self.headers = {
            "RateLimit-Policy": f'"{rate}";q={limit};w=60',
            "RateLimit": f'"{rate}";r=0;t={reset}',
            "RateLimit-Limit": str(limit),
            "RateLimit-Remaining": "0",
            "RateLimit-Reset": str(reset),
        }


def count(key: str, minute: int) -> int:
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


def check_rate(rate: str, caller: str) -> None:
    """Counts one call of `caller` against RATES[rate]. Raises RateExceeded (429)."""
    now = time.time()
    limit = settings.RATES[rate]
    if count(f"{rate}:{caller}", int(now // 60)) > limit:
        raise RateExceeded(rate, limit, reset=60 - int(now % 60))


def address_of(environ: Mapping[str, Any]) -> str:
    """The caller's address: behind our proxy the one that the proxy saw, which it wrote last."""
    if settings.BEHIND_PROXY:
        return str(environ.get("HTTP_X_FORWARDED_FOR", "")).rsplit(",", 1)[-1].strip()
    return str(environ.get("REMOTE_ADDR", ""))


class CredentialThrottle(BaseThrottle):
    """RATES["read"] and RATES["write"] a minute for one credential."""

    def allow_request(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, Actor):
            check_rate("read" if request.method in SAFE_METHODS else "write", request.auth.credential)
        return True


class AddressThrottle(BaseThrottle):
    """RATES["feed"] a minute for one address of an anonymous caller."""

    def allow_request(self, request: Request, view: Any) -> bool:
        check_rate("feed", address_of(request.META))
        return True


def forget_old_windows() -> int:
    """Deletes windows nobody counts in any more; returns how many."""
    deleted, _ = RateWindow.objects.filter(minute__lt=int(time.time() // 60) - 2).delete()
    return deleted
