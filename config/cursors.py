"""Cursors: a position in a list, carried between requests by the caller and signed, so that none can be made up.

A cursor is base64url of version, hour of issue, the position's parts and a truncated HMAC that also covers the list's
name, so that a cursor of one list opens no other. It is valid for a day and changes once an hour.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import struct
import time
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet

from config.errors import Fault, Invalid

Row = TypeVar("Row", bound=Model)

VERSION = 1
LIFE = 24  # hours
HEAD = ">BI"
SIGNATURE = 12  # bytes
FORM = re.compile(r"[A-Za-z0-9_-]{1,200}")


def encode(name: str, parts: str, *values: object) -> str:
    """The cursor of list `name` behind a position; `parts` are struct codes, like "qq" for two numbers."""
    payload = struct.pack(HEAD + parts, VERSION, int(time.time() // 3600), *values)
    signed = payload + signature(settings.SECRET_KEY, name, payload)
    return base64.urlsafe_b64encode(signed).decode().rstrip("=")


def first_rows(rows: QuerySet[Row], limit: int) -> tuple[list[Row], bool]:
    """The first `limit` rows, and whether there are more, for which a list needs a cursor; one query."""
    found = list(rows[: limit + 1])
    return found[:limit], len(found) > limit


def decode(name: str, parts: str, cursor: str) -> tuple[Any, ...]:
    """The position behind a cursor of the list `name`. Raises Invalid, path `cursor`."""
    raw = raw_of(cursor)
    size = struct.calcsize(HEAD + parts)
    payload, given = raw[:size], raw[size:]
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    if len(payload) < size or not any(
        hmac.compare_digest(given, signature(key, name, payload)) for key in keys
    ):
        raise cursor_refusal("This is not a cursor of this list. Send it back unchanged.")
    version, hour, *values = struct.unpack(HEAD + parts, payload)
    if version != VERSION or not 0 <= time.time() // 3600 - hour <= LIFE:
        raise cursor_refusal("This cursor has expired. Start again without one.")
    return tuple(values)


def raw_of(cursor: str) -> bytes:
    """The bytes of a cursor in its one spelling; b"" for anything else."""
    if not FORM.fullmatch(cursor):
        return b""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except binascii.Error:
        return b""
    return raw if base64.urlsafe_b64encode(raw).decode().rstrip("=") == cursor else b""


def signature(secret: str, name: str, payload: bytes) -> bytes:
    # The first list gave all cursors their key.
    key = hashlib.sha256(b"feed cursor" + secret.encode()).digest()
    return hmac.digest(key, name.encode() + b"\0" + payload, "sha256")[:SIGNATURE]


def cursor_refusal(message: str) -> Invalid:
    return Invalid(faults=[Fault("cursor", message)])
