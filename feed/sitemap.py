"""The sitemap, written ahead: gzipped sections of listed capsules, of which only the changed ones are written again.

A section is a range of publication ids. One that outgrows the protocol is split; one that empties is dropped, and its
range goes to the one before. Memory does not grow with the number of capsules.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from capsules import storage
from feed import sitemap_xml
from feed.models import Card, SitemapChange, SitemapSection
from feed.sitemap_xml import Edition
from publishing.models import Publication

ADDRESSES = 10_000  # in one section; the protocol allows 50,000, but a smaller one is sooner written again
BYTES = 50_000_000  # of one section before gzip; the protocol allows 52,428,800
CHUNK = 1000  # cards read at once
CHANGES = 10_000  # changes taken up in one run
BUDGET = 20  # seconds of writing in one run; the rest waits for the next
QUICK = 1000  # capsules of a section that a request may write itself


def write_changed(*, only_quick: bool = False) -> int:
    """Writes the sections that hold a change, the oldest change first, for BUDGET seconds; returns how many.

    With `only_quick`, large sections are left to the task.
    """
    written, deadline = 0, time.monotonic() + BUDGET
    for section, end, changes in stale_sections():
        if time.monotonic() > deadline:
            break
        if only_quick and not is_quick(section.first, end):
            continue
        if fill_section(section, end, deadline):
            SitemapChange.objects.filter(pk__in=changes).delete()
            written += 1
    return written


def stale_sections() -> list[tuple[SitemapSection, int | None, list[int]]]:
    """(section, end of its range, ids of its changes) of those that were never written or hold changes."""
    SitemapSection.objects.get_or_create(first=0)
    sections = list(SitemapSection.objects.all())
    firsts = [section.first for section in sections]
    changes: dict[int, list[int]] = {index: [] for index, section in enumerate(sections) if not section.name}
    noted = SitemapChange.objects.order_by("pk").values_list("pk", "publication_id")
    for id, publication_id in noted[:CHANGES]:
        changes.setdefault(bisect_right(firsts, publication_id) - 1, []).append(id)
    ends = [*firsts[1:], None]
    return [(sections[index], ends[index], ids) for index, ids in changes.items()]


def is_quick(first: int, end: int | None) -> bool:
    return not cards_between(first, end)[QUICK : QUICK + 1].exists()


def fill_section(section: SitemapSection, end: int | None, deadline: float) -> bool:
    """Writes the section of the ids below `end` (None: all), and new ones where it overflows, until `deadline`.

    False where another writer was quicker. It may have read less than we have, so our changes stay for the next run.
    """
    files = list(section_files(section.first, entries(section.first, end), deadline))
    with transaction.atomic():
        return replace(section, files)


class Entry(NamedTuple):
    """One capsule: `addresses` <url>s."""

    publication_id: int
    xml: bytes
    addresses: int


class SectionFile(NamedTuple):
    """A stored section: `name` names its blob; empty where it is left for the next run."""

    first: int
    name: str
    addresses: int


def section_files(first: int, rest: Iterator[Entry], deadline: float) -> Iterator[SectionFile]:
    """Writes all entries into as many files as it takes; at least one, and after `deadline` no further one."""
    entry = next(rest, None)
    while True:
        with tempfile.TemporaryDirectory(prefix="capsules-sitemap-") as folder:
            path = Path(folder) / "section.xml.gz"
            addresses, left = write_section(path, first, entry, rest)
            yield SectionFile(first, storage.put(storage.blobs(), path, "xml.gz"), addresses)
        if left is None:
            return
        first, entry = left.publication_id, left
        if time.monotonic() > deadline:
            yield SectionFile(first, "", 0)
            return


def write_section(
    path: Path, first: int, entry: Entry | None, rest: Iterator[Entry]
) -> tuple[int, Entry | None]:
    """Writes `entry` and what follows as far as it fits: (addresses written, the entry that did not fit)."""
    with path.open("wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as out:
        size = out.write(sitemap_xml.HEAD.encode())
        addresses = 0
        if first == 0:
            size += out.write(sitemap_xml.showcase().encode())
            addresses += 1
        while entry and (not addresses or fits(entry, addresses, size)):
            size += out.write(entry.xml)
            addresses += entry.addresses
            entry = next(rest, None)
        out.write(sitemap_xml.FOOT.encode())
    return addresses, entry


def fits(entry: Entry, addresses: int, size: int) -> bool:
    return addresses + entry.addresses <= ADDRESSES and size + len(entry.xml) <= BYTES


def replace(section: SitemapSection, files: list[SectionFile]) -> bool:
    """Replaces the section by the files; False where another writer has replaced it already."""
    own, *more = files
    now = timezone.now()
    current = SitemapSection.objects.filter(pk=section.pk, version=section.version)
    if not own.addresses:
        return bool(current.delete()[0])
    modified_at = section.modified_at if own.name == section.name else now
    done = current.update(
        name=own.name, addresses=own.addresses, modified_at=modified_at, version=section.version + 1
    )
    if done:
        SitemapSection.objects.bulk_create(
            SitemapSection(first=file.first, name=file.name, addresses=file.addresses, modified_at=now)
            for file in more
        )
    return bool(done)


def entries(first: int, end: int | None) -> Iterator[Entry]:
    """Every listed capsule of the range by id, read in chunks."""
    last = first - 1
    while chunk := list(cards_between(last + 1, end)[:CHUNK]):
        editions = editions_by_story(chunk)
        for card in chunk:
            own = editions[card.story_id]
            yield Entry(card.pk, sitemap_xml.capsule(card, own).encode(), 1 + len(own))
        last = chunk[-1].pk


def cards_between(first: int, end: int | None) -> QuerySet[Card]:
    cards = Card.objects.filter(pk__gte=first).order_by("pk").select_related("workspace")
    return cards if end is None else cards.filter(pk__lt=end)


def editions_by_story(cards: list[Card]) -> dict[object, list[Edition]]:
    """By story: the shown editions that were baked."""
    found: dict[object, list[Edition]] = defaultdict(list)
    shown = Publication.objects.shown_editions_of([card.story_id for card in cards])
    fields = (
        "story__capsule",
        "story__edition_name",
        "live_bake__content__language",
        "live_bake__created_at",
    )
    for capsule_id, name, language, updated_at in shown.values_list(*fields):
        found[capsule_id].append(Edition(name, language, updated_at))
    return found
