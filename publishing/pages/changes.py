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
from django.db.models.functions import Now
from django.utils import timezone

from config import outage
from publishing.models import PageChange, Publication
from publishing.pages.files import SHOWCASE, PageFiles, page_files

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0  # seconds
#: How far back each look goes: rows are seen when their transactions end, which may be later than others'.
WINDOW = timedelta(minutes=10)
KEPT = timedelta(days=1)  # a machine that was away for longer begins with empty folders
#: What decides how pages look, besides what is in the database.
SOURCES = ("templates", "static", "config", "accounts", "capsules", "publishing", "feed")


def renew(workspace: str) -> None:
    """Has every machine render the pages of a workspace, or the SHOWCASE, anew.

    Call it in the transaction that changes what they show.
    """
    change = PageChange.objects.create(workspace=workspace)
    transaction.on_commit(lambda: follow(page_files(), workspace, str(change.pk)), robust=True)


def follow(files: PageFiles, workspace: str, change: str) -> None:
    """Does on this machine what a change asks for, unless it is done already. Raises OSError."""
    try:
        with files.locked(workspace, mode="r+") as marks:
            if change in marks.read().split():
                return
            known, public = known_changes(workspace, change)
            files.renew(workspace, public)
            marks.seek(0)
            marks.truncate()
            marks.write(" ".join(known))
    except FileNotFoundError:
        return  # no page of it has been kept here


def known_changes(workspace: str, change: str) -> tuple[set[str], set[str]]:
    """The changes that a renewal now includes, and the slugs that can be read; of editions, <slug>~<edition>.

    Where the database cannot tell what was withdrawn, everything counts as withdrawn.
    """
    try:
        rows = PageChange.objects.filter(workspace=workspace, changed_at__gt=Now() - WINDOW)
        known = {str(pk) for pk in rows.values_list("pk", flat=True)}
        return known | {change}, set() if workspace == SHOWCASE else public_names(workspace)
    except DatabaseError:
        logger.exception("Pages of %s are dropped: the database does not say what is public", workspace)
        return {change}, set()


def public_names(workspace: str) -> set[str]:
    live = Publication.objects.live().filter(story__workspace__name=workspace)
    slugs = {story: str(slug) for story, slug in live.values_list("story", "slug")}
    shown = Publication.objects.filter(
        story__capsule__workspace__name=workspace, story__shown=True, live_bake__isnull=False
    )
    editions = shown.values_list("story__capsule", "story__edition_name")
    return set(slugs.values()) | {
        f"{slugs[capsule]}~{name}" for capsule, name in editions if capsule in slugs
    }


class Look:
    """The looks of one process."""

    def __init__(self, files: PageFiles) -> None:
        self.files = files
        self.seen: set[str] = set()
        self.since = timezone.now() - KEPT

    def begin(self) -> None:
        """Makes the folders right for this release, and for what happened while nobody looked."""
        self.files.make_folders()
        looked_at = datetime.fromtimestamp(self.files.looked_at(), UTC)
        if looked_at < self.since:
            self.files.drop_all()
            looked_at = timezone.now()
        self.since = max(looked_at - WINDOW, self.since)
        try:
            self.files.take_over(release(), looked_at.timestamp())
        except OSError as error:  # pages are not kept then
            outage.log_unwritten(error)

    def again(self) -> None:
        """Follows what changed. Raises DatabaseError, OSError."""
        rows = PageChange.objects.filter(changed_at__gt=self.since)
        changes = {str(pk): workspace for pk, workspace in rows.values_list("pk", "workspace")}
        began = timezone.now()
        for change, workspace in changes.items():
            if change not in self.seen:
                follow(self.files, workspace, change)
        self.seen, self.since = set(changes), began - WINDOW
        with suppress(FileNotFoundError):
            os.utime(self.files.root / "release")

    def run(self) -> None:
        self.begin()
        is_well = True
        while True:
            try:
                self.again()
                is_well = True
            except Exception:
                if is_well:
                    logger.exception("Changes of pages cannot be followed; this is tried again every second")
                is_well = False
            finally:
                connection.close()
            time.sleep(LOOK_EVERY)


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
