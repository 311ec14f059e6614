"""Changes of what pages show: written down in the transaction that makes them, followed by every machine.

The process that made a change has followed it before the change is answered. All web processes look for changes once
a second, which finds those of other machines, and those whose process was killed between its commit and its next step.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Coalesce, Now

from config import outage
from publishing.models import PageChange, Publication
from publishing.pages.files import SHOWCASE, PageFiles, page_files

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0  # seconds
#: How far back each look goes at least: rows are seen when their transactions end, which may be later than others'.
WINDOW = timedelta(minutes=10)
LATEST = timedelta(seconds=15)  # few rows, and enough for all transactions but long ones
KEPT = timedelta(days=1)  # a machine that was away for longer begins with empty folders
#: What decides how pages look, besides what is in the database.
SOURCES = ("templates", "static", "config", "accounts", "capsules", "publishing", "feed", "locale")


def renew(workspace: str) -> None:
    """Has every machine render the pages of a workspace, or the SHOWCASE, anew.

    Call it in the transaction that changes what they show.
    """
    change = PageChange.objects.create(workspace=workspace)
    transaction.on_commit(lambda: follow(page_files(), workspace, {str(change.pk)}), robust=True)


def follow(files: PageFiles, workspace: str, changes: set[str]) -> None:
    """Does on this machine what changes of a workspace ask for, unless it is done already. Raises OSError."""
    try:
        with files.locked(workspace, mode="r+") as marks:
            if changes.issubset(marks.read().split()):
                return
            known, public = known_changes(workspace)
            files.renew(workspace, public)
            marks.seek(0)
            marks.truncate()
            marks.write(" ".join(known | changes))
    except FileNotFoundError:
        return  # no page of it has been kept here


def known_changes(workspace: str) -> tuple[set[str], set[str]]:
    """The latest changes, which a renewal now includes, and the slugs that can be read; of editions, <slug>~<edition>.

    Where the database cannot tell what was withdrawn, everything counts as withdrawn.
    """
    try:
        rows = PageChange.objects.filter(workspace=workspace, changed_at__gt=Now() - WINDOW)
        known = {str(pk) for pk in rows.values_list("pk", flat=True)}
        return known, set() if workspace == SHOWCASE else public_names(workspace)
    except DatabaseError:
        logger.exception("Pages of %s are dropped: the database does not say what is public", workspace)
        return set(), set()


def public_names(workspace: str) -> set[str]:
    live = Publication.objects.live().filter(story__workspace__name=workspace)
    slugs = {story: str(slug) for story, slug in live.values_list("story", "slug")}
    shown = Publication.objects.shown_editions_of(live.order_by().values("story")).order_by()
    editions = shown.values_list("story__capsule", "story__edition_name")
    return set(slugs.values()) | {
        f"{slugs[capsule]}~{name}" for capsule, name in editions if capsule in slugs
    }


class Look:
    """The looks of one process. All times are the database's: the machine's clock may be wrong."""

    def __init__(self, files: PageFiles) -> None:
        self.files = files
        self.since = datetime.fromtimestamp(time.time(), UTC) - KEPT
        self.seen: dict[str, tuple[str, datetime]] = {}  # the changes since then
        self.to_follow: dict[str, set[str]] = {}  # changes by workspace, until that has succeeded

    def begin(self) -> None:
        """Makes the folders right for this release, and for what happened while nobody looked."""
        self.files.make_folders()
        looked_at = self.files.looked_at()
        # By this machine's clock, so rows are kept for another day.
        kept_since = time.time() - KEPT.total_seconds()
        if looked_at < kept_since:
            self.files.drop_all()
            looked_at = kept_since + KEPT.total_seconds() / 2  # long enough ago by any clock
        self.since = datetime.fromtimestamp(looked_at, UTC) - WINDOW
        try:
            self.files.take_over(release(), looked_at)
        except OSError as error:  # pages are not kept then
            outage.log_unwritten(error)

    def again(self) -> None:
        """Follows what changed. Raises DatabaseError, and OSError once all that can be followed is."""
        now, error = self.look(), None
        for workspace, changes in list(self.to_follow.items()):
            try:
                follow(self.files, workspace, changes)
                del self.to_follow[workspace]
            except OSError as failure:  # of one workspace: what others withdrew has to go all the same
                error = failure
        if error:
            raise error
        with suppress(FileNotFoundError):
            os.utime(self.files.root / "release", (now.timestamp(),) * 2)

    def look(self) -> datetime:
        """Finds what is to follow; returns when that was.

        Rows are counted, and loaded where there are others than before: those of the latest seconds, or all of them
        where these do not explain the count, because a long transaction has ended.
        """
        rows = PageChange.objects.filter(changed_at__gt=self.since)
        told = rows.aggregate(count=Count("pk"), now=Coalesce(Max(Now()), Now()))
        if told["count"] != len(self.seen):
            loaded = load(rows.filter(changed_at__gt=Now() - LATEST))
            if told["count"] != len(self.seen | loaded):
                loaded = load(rows)
            for change, (workspace, _) in loaded.items():
                if change not in self.seen:
                    self.to_follow.setdefault(workspace, set()).add(change)
            self.seen |= loaded
        now: datetime = told["now"]
        if now - self.since > 2 * WINDOW:
            self.since = now - WINDOW
            self.seen = {change: row for change, row in self.seen.items() if row[1] > self.since}
        return now

    def run(self) -> None:
        is_begun, is_well = False, True
        while True:
            try:
                if not is_begun:
                    self.begin()
                    is_begun = True
                self.again()
                is_well = True
            except Exception:
                if is_well:
                    logger.exception("Changes of pages cannot be followed; this is tried again every second")
                is_well = False
            finally:
                connection.close()
            time.sleep(LOOK_EVERY)


def load(rows: QuerySet[PageChange]) -> dict[str, tuple[str, datetime]]:
    """By their ids: whose pages changed, and when."""
    return {str(pk): (name, at) for pk, name, at in rows.values_list("pk", "workspace", "changed_at")}


def watch() -> None:
    """Looks at the changes from now on, in a thread of this process."""
    page_files().make_folders()
    threading.Thread(target=Look(page_files()).run, name="page changes", daemon=True).start()


def release() -> str:
    """A digest of the code, templates, static files and settings that pages are made of."""
    shown = (settings.APP_URL, settings.BASE_URL, settings.STORAGE_URL, settings.SERVICE_NAME)
    digest = hashlib.sha256(repr(shown).encode())
    for folder in SOURCES:
        for path in sorted((settings.BASE_DIR / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                stat = path.stat()
                digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def forget_old_changes() -> int:
    return PageChange.objects.filter(changed_at__lt=Now() - 2 * KEPT).delete()[0]
