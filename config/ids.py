"""Which row is meant: identifiers and numbers as addresses, forms and tools give them."""

from __future__ import annotations

import re
import uuid

from django.db.models import QuerySet

from config.database import Of, Row, only
from config.errors import NotFound

NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


def uuid_of(text: str | None) -> uuid.UUID | None:
    """The identifier of this spelling, the one that we give; None for any other text."""
    try:
        key = uuid.UUID(text or "")
    except ValueError:
        return None
    return key if str(key) == str(text).lower() else None


def number_of(text: str) -> int | None:
    """The number of these digits; None for signs, digits of other scripts and numbers of ten digits."""
    return int(text) if NUMBER.fullmatch(text) else None


def row_of(rows: QuerySet[Of, Row], id: str | int | uuid.UUID, missing: str, *, by: str = "pk") -> Row:
    """The row of this identifier. Raises NotFound with the sentence `missing`, the same for every reason."""
    key = uuid_of(id) if isinstance(id, str) else id
    row = only(rows.filter(**{by: key})) if key else None
    if row is None:
        raise NotFound(missing)
    return row
