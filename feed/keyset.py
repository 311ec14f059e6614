"""Paging that costs the same at any depth: rows behind a position, and cursors that carry one between requests.

A cursor is base64url of version, hour of issue, sort key, id and a truncated HMAC that also covers the list's name,
so that a cursor of one list opens no other. It is valid for a day.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Model, QuerySet, Value

from config.errors import Fault, Invalid

VERSION = 1
LIFE = 24  # hours
PAYLOAD = struct.Struct(">BIqq")
SIGNATURE = 12  # bytes
FORM = re.compile(r"[A-Za-z0-9_-]{44}")

Row = TypeVar("Row", bound=Model)


class Position(NamedTuple):
    """The last row that was shown: its sort key and, among equal keys, its id."""

    key: int
    id: int


@dataclass(frozen=True)
class Page(Generic[Row]):
    rows: list[Row]
    next_cursor: str | None  # None on the last page


def page(rows: QuerySet[Row], *, name: str, limit: int, position_of: Callable[[Row], Position]) -> Page[Row]:
    """The first `limit` of `rows`, and the cursor of list `name` that leads on; one query."""
    found = list(rows[: limit + 1])
    shown = found[:limit]
    more = len(found) > limit
    return Page(shown, encode(name, position_of(shown[-1])) if more else None)


def before(first: str, second: str, *values: Any) -> Func:
    """The condition `(first, second) < (values)`: one step into an index on both columns.

    The same written with OR makes PostgreSQL read every row of an equal key that was shown before.
    """
    return Func(
        tuple_of(F(first), F(second)),
        tuple_of(*(Value(value) for value in values)),
        template="%(expressions)s",
        arg_joiner=" < ",
        output_field=models.BooleanField(),
    )


def tuple_of(*parts: Any) -> Func:
    return Func(*parts, template="(%(expressions)s)", output_field=models.IntegerField())


def encode(name: str, position: Position) -> str:
    """The cursor behind `position` in the list `name`: 44 characters. It changes once an hour, not at each request."""
    payload = PAYLOAD.pack(VERSION, int(time.time() // 3600), *position)
    signed = payload + signature(settings.SECRET_KEY, name, payload)
    return base64.urlsafe_b64encode(signed).decode()


def decode(name: str, cursor: str) -> Position:
    """The position behind a cursor of the list `name`. Raises Invalid, path `cursor`."""
    raw = base64.urlsafe_b64decode(cursor) if FORM.fullmatch(cursor) else b""
    payload, given = raw[: PAYLOAD.size], raw[PAYLOAD.size :]
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    if not raw or not any(hmac.compare_digest(given, signature(key, name, payload)) for key in keys):
        raise refused("This is no cursor of this list. Take it from nextCursor as it is.")
    version, hour, key, id = PAYLOAD.unpack(payload)
    if version != VERSION or not 0 <= time.time() // 3600 - hour <= LIFE:
        raise refused("This cursor has expired. Start again without one.")
    return Position(key, id)


def signature(secret: str, name: str, payload: bytes) -> bytes:
    key = hashlib.sha256(b"feed cursor" + secret.encode()).digest()
    return hmac.digest(key, name.encode() + b"\0" + payload, "sha256")[:SIGNATURE]


def refused(message: str) -> Invalid:
    return Invalid(faults=[Fault("cursor", message)])
