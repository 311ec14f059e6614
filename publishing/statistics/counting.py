"""From what pages told to sums in rows, each reader once a day.

A note is what one reader did with one capsule in the last second. What of it is new today becomes changes of sums, and
these go to the database in one transaction. A batch of notes has an id, so that one whose answer was lost comes again
without being counted twice: neither among the marks nor in the database.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from config.database import give_way
from publishing.models import Publication, ReadSource, ViewFlush
from publishing.statistics import marks, sums
from publishing.statistics.keeping import FEWEST
from publishing.statistics.marks import Full, Known, Turn
from publishing.statistics.sums import OPENED, Change, Changes

logger = logging.getLogger(__name__)

READERS_OF_A_NETWORK = 50  # who count of one network, capsule and day: made-up names do not count without end
PAGES_A_MINUTE = 30  # more, and a network and agent are no reader
MINUTE = 60  # seconds
PATIENCE = 0.5  # seconds that a batch waits for rows of others
DAY = 86400  # seconds; programs are known for a day of UTC, wherever their pages are from
ROBOT = "robot"
NAMED = "named"


class Page(NamedTuple):
    """What is read: a publication, in the edition whose bake is shown."""

    publication: int
    edition: int


@dataclass(frozen=True)
class Note:
    """What one reader did. `reader`, `network`, `program` and `source` are marks: of reader and page, of network and
    publication, of network and agent, of publication and the site they came from. `facts`: OPENED, READ, FINISHED,
    and the places of scenes in `SceneOrder`.
    """

    page: Page
    day: date
    day_ends: float  # seconds since 1970
    at: float
    reader: str
    network: str
    program: str
    surface: int
    facts: frozenset[str]
    host: str = ""
    source: str = ""

    def and_then(self, later: Note) -> Note:
        return replace(self, facts=self.facts | later.facts)


@dataclass
class Batch:
    """Notes of one process that are counted together. `changes`: once the marks were asked."""

    process: str
    notes: Collection[Note]
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    changes: Changes | None = None
    failures: int = 0


def count(batch: Batch) -> None:
    """Counts what is new. May be called again after any error."""
    if batch.changes is None and batch.notes:
        batch.changes = changes_of(batch)
    if batch.changes:
        add(batch.changes, batch.id)


def changes_of(batch: Batch) -> Changes:
    latest = f"batch-{batch.process}"
    with marks.turn() as turn:
        before = turn.get([latest]).get(latest)
        # The last try was written down, and only its answer lost: the marks know these readers already.
        if before and before.text.startswith(str(batch.id)):
            return changes_from(before.text.partition(" ")[2])
        notes = list(salted(batch.notes, turn))
        counting = Counting(turn, notes)
        for note in notes:
            counting.take(note)
        told = [[*change, n] for change, n in counting.changes.items() if n]
        text = f"{batch.id} {json.dumps(told)}"
        # Long enough for every retry of this batch.
        until = max((note.at for note in batch.notes), default=0.0) + 10 * MINUTE
        try:
            turn.put({**counting.news, latest: Known(text, until)})
        except Full:
            logger.warning("There is no room for today's readers: %d reads are not counted", len(batch.notes))
            return Counter()
        return counting.changes


def changes_from(text: str) -> Changes:
    return Counter({Change(*values[:-1]): values[-1] for values in json.loads(text)})


def is_possible() -> bool:
    """Whether anything can be counted now: a batch that cannot is to blame itself then."""
    try:
        with marks.turn():
            add(Counter(), uuid.uuid4())
    except Exception:
        return False
    return True


def salted(notes: Iterable[Note], turn: Turn) -> Iterable[Note]:
    """Notes with marks that nobody can make again once their day's salt is gone, not even with SECRET_KEY."""
    salts: dict[float, str] = {}

    def hashed(mark: str, until: float) -> str:
        if until not in salts:
            salts[until] = turn.salt(until)
        return hashlib.blake2b(mark.encode(), key=salts[until].encode(), digest_size=12).hexdigest()

    for note in notes:
        yield replace(
            note,
            reader=hashed(note.reader, note.day_ends),
            network=hashed(note.network, note.day_ends),
            program=hashed(note.program, (note.at // DAY + 1) * DAY),
            source=note.source and hashed(note.source, note.day_ends),
        )


class Counting:
    """One turn with the marks: what is known, what is new, and how the sums change."""

    def __init__(self, turn: Turn, notes: Collection[Note]) -> None:
        asked = {mark for note in notes for mark in (note.reader, note.network, note.program, note.source)}
        self.known = turn.get(asked - {""})
        self.news: dict[str, Known] = {}
        self.changes: Changes = Counter()

    def of(self, mark: str) -> str:
        found = self.news.get(mark) or self.known.get(mark)
        return found.text if found else ""

    def take(self, note: Note) -> None:
        before, paces = self.of(note.reader), self.of(note.program)
        if paces == ROBOT or (not before and not self.has_room(note)):
            return
        surface, *facts = (before or str(note.surface)).split(" ")
        new = note.facts - set(facts)
        if not new:
            return
        self.news[note.reader] = Known(" ".join([surface, *facts, *sorted(new)]), note.day_ends)
        changes = list(changes_by(replace(note, surface=int(surface)), new))
        self.changes.update(changes)
        if note.host and OPENED in new:
            self.hide_source(note)
        self.keep_pace(note, paces, changes)

    def hide_source(self, note: Note) -> None:
        """A site from which fewer than FEWEST readers came is counted among the others: no row ever names it."""
        known = self.of(note.source)
        if known == NAMED:
            return
        editions = [*known.split(), str(note.page.edition)]  # of the readers who came from there so far
        day, others = note.day.isoformat(), ReadSource.OTHERS
        if len(editions) < FEWEST:
            self.changes[source_change(note.page, day, note.host)] -= 1
            self.changes[source_change(note.page, day, others)] += 1
            self.news[note.source] = Known(" ".join(editions), note.day_ends)
            return
        for edition in editions[:-1]:
            page = Page(note.page.publication, int(edition))
            self.changes[source_change(page, day, others)] -= 1
            self.changes[source_change(page, day, note.host)] += 1
        self.news[note.source] = Known(NAMED, note.day_ends)

    def has_room(self, note: Note) -> bool:
        """Whether one more reader of the note's network counts."""
        readers = int(self.of(note.network) or 0)
        if readers >= READERS_OF_A_NETWORK:
            return False
        self.news[note.network] = Known(str(readers + 1), note.day_ends)
        return True

    def keep_pace(self, note: Note, paces: str, changes: list[Change]) -> None:
        """Takes back what a program did in the last minute that opened more pages than anybody reads in it."""
        steps = [step for step in json.loads(paces or "[]") if step[0] > note.at - MINUTE]
        steps.append([note.at, *note.page, changes])
        if len({tuple(step[1:3]) for step in steps}) <= PAGES_A_MINUTE:
            self.news[note.program] = Known(json.dumps(steps), note.at + MINUTE)
            return
        self.news[note.program] = Known(ROBOT, note.day_ends)
        self.changes.subtract(Change(*change) for step in steps for change in step[3])


def changes_by(note: Note, facts: Iterable[str]) -> Iterable[Change]:
    day = note.day.isoformat()
    for fact in facts:
        yield Change(*note.page, day, note.surface, fact)
        if fact == OPENED:
            yield source_change(note.page, day, note.host)


def source_change(page: Page, day: str, host: str) -> Change:
    return Change(*page, day, sums.SOURCE, host)


def add(changes: Mapping[Change, int], flush_id: uuid.UUID) -> bool:
    """Adds changes to the sums, once for each flush id; returns whether this call did it.

    Publications that are gone are left out. Raises OperationalError where others hold a row for too long.
    """
    with transaction.atomic():
        give_way(PATIENCE)  # to whoever deletes what was read: this batch comes again
        # The id is written with the sums: a batch that comes again finds it and adds nothing.
        if ViewFlush.objects.filter(id=flush_id).exists():
            return False
        ViewFlush.objects.create(id=flush_id, applied_at=timezone.now())
        # A reader may have had the page open when it was deleted; its sum would break a foreign key.
        living = workspaces_of({pk for change in changes for pk in (change.publication, change.edition)})
        kept = {
            change: number
            for change, number in changes.items()
            if number and change.publication in living and change.edition in living
        }
        added = sums.add_days(kept)
        sums.add_sources(kept)
        sums.add_views(views_of(kept))
        sums.add_totals(added, living)
    return True


def workspaces_of(publications: Collection[int]) -> dict[int, uuid.UUID]:
    """The workspace of each of these publications that is there."""
    ordered, found = sorted(publications), dict[int, uuid.UUID]()
    for start in range(0, len(ordered), sums.ROWS):
        part = Publication.objects.filter(pk__in=ordered[start : start + sums.ROWS])
        found.update(part.values_list("pk", "story__workspace"))
    return found


def views_of(changes: Mapping[Change, int]) -> Counter[int]:
    """How often each publication was opened."""
    views: Counter[int] = Counter()
    for change, number in changes.items():
        if change.surface != sums.SOURCE and change.fact == OPENED:
            views[change.publication] += number
    return views
