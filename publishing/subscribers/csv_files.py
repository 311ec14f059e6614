"""Subscribers as CSV, in and out."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from django.db.models import QuerySet
from django.utils.translation import gettext

from accounts.models import Workspace
from config.database import release_connection
from config.errors import Invalid
from config.texts import unix_breaks
from publishing.models import Subscriber

LEFT = "left"
COLUMNS = ("email", "state", "consent", "confirmed_at", "unsubscribed_at")
LARGEST = 10 * 1024 * 1024  # bytes
BATCH = 1000  # subscribers that are read at once
SEPARATOR = re.compile(r'"?sep=([,;|\t])"?\s*', re.IGNORECASE)  # a first line that is for Excel alone
#: Where a spreadsheet begins to take text for a formula: also behind what it takes for the end of a cell. One whose
#: numbers have commas parts by semicolons whatever the file does. No formula closes a bracket that it did not open, so
#: a smiley ;-) is none.
BEGINS = r"(?:^|(?<=[;\t\r\n]))"
SIGN = r"(?=[=+@\t\r]|-(?!\)))"
FORMULA = re.compile(BEGINS + SIGN)
GUARDED = re.compile(f"{BEGINS}'{SIGN}")


def read_rows(content: bytes, *, consent: str = "") -> list[tuple[str, str]]:
    """(address, proof of consent) of each row; `consent` is the proof for rows without one.

    The first line names the columns: `email`, and `consent` if wanted; rows whose `state` says that they left, as in
    our own export, and empty ones are passed over. Raises Invalid.
    """
    if len(content) > LARGEST:
        raise Invalid(gettext("The file is larger than %(most)s MB.") % {"most": LARGEST // 1024 // 1024})
    try:
        text = unix_breaks(content.decode("utf-8-sig"))
        first_line, _, rest = text.partition("\n")
        named = SEPARATOR.fullmatch(first_line)
        delimiter = named[1] if named else delimiter_of(first_line)
        rows = csv.DictReader(io.StringIO(rest if named else text), delimiter=delimiter)
        rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or []]
        if "email" not in rows.fieldnames:
            raise Invalid(gettext("The first line of the file must name a column “email”."))
        return [
            (row["email"], (row.get("consent", "").strip() or consent).replace("\0", ""))
            for row in map(plain_row, rows)
            if any(map(str.strip, row.values())) and row.get("state", "").strip().lower() != LEFT
        ]
    except UnicodeDecodeError as error:
        raise Invalid(gettext("The file is not UTF-8.")) from error
    except csv.Error as error:
        raise Invalid(gettext("The file is not a CSV file: %(error)s.") % {"error": error}) from error


def delimiter_of(first_line: str) -> str:
    """Spreadsheets write semicolons or tabs where the comma is part of numbers."""
    return max(",;\t", key=first_line.count)


def plain_row(row: dict[str, str]) -> dict[str, str]:
    return {key: unguard_formula(value) for key, value in row.items() if isinstance(value, str)} | {
        "email": unguard_formula(row.get("email") or "")
    }


def lines(workspace: Workspace) -> Iterator[str]:
    """All subscribers of a workspace, as many lines at once as were read at once: each piece is sent by itself."""
    yield csv_text([COLUMNS])
    for batch in batches(Subscriber.objects.filter(workspace=workspace)):
        yield csv_text(map(cells_of, batch))


def batches(rows: QuerySet[Subscriber]) -> Iterator[list[Subscriber]]:
    """All rows. No connection is held while a batch is on its way to a reader, who may be slow."""
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = batch[-1].pk
        release_connection()
        yield batch


def cells_of(subscriber: Subscriber) -> tuple[str | None, ...]:
    return (
        subscriber.email,
        "subscribed" if subscriber.is_active else LEFT,
        subscriber.consent,
        subscriber.confirmed_at.isoformat(),
        subscriber.unsubscribed_at.isoformat() if subscriber.unsubscribed_at else None,
    )


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([guard_formula(value) for value in row] for row in rows)
    return out.getvalue()


def guard_formula(value: object) -> object:
    """A spreadsheet takes some first characters for a formula; an apostrophe makes it text again."""
    return FORMULA.sub("'", value) if isinstance(value, str) else value


def unguard_formula(value: str) -> str:
    """The opposite of `guard_formula`."""
    return GUARDED.sub("", value)
