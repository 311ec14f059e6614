"""What the processes of one web server counted, added up by whichever of them is asked.

Each process counts in its own memory, and now and then leaves its figures in a file for the others: in the memory of
the machine where there is a place for that, so that a full disk is not met. Where a file cannot be written, the others
miss these figures, and nothing else happens.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

LEFT_EVERY = 10.0  # seconds between two files of a process that nobody asks, however many requests it answers
IN_MEMORY = Path("/dev/shm")  # noqa: S108  # a folder that somebody else made there is not used
ENDING = ".json"

#: Values by family, name of the sample, and labels.
Figures = dict[tuple[str, str, tuple[tuple[str, str], ...]], float]


class SharedCounts(Collector):
    """The figures of `registry` in this process, plus those of all others of this web server.

    A count that was told never falls, as Prometheus expects: whoever is asked leaves its figures for the others before
    it tells them, and takes over those of processes that ended.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self.lock = threading.Lock()
        self.of_the_dead: Figures = {}
        self.is_first_look = True
        self.left_at = -LEFT_EVERY  # by time.monotonic()
        self.could_write = True

    def collect(self) -> Iterable[Metric]:
        with self.lock:
            with self.failures_logged():
                self.take_over()
                self.leave()
            total = self.own()
            with self.failures_logged():
                for file in counts_folder().glob(f"*{ENDING}"):
                    if file.stem != str(os.getpid()):
                        add_counts(read_counts(file), to=total)
        return self.as_families(total)

    def leave_now_and_then(self) -> None:
        """To be called after each request; costs some milliseconds every LEFT_EVERY."""
        if time.monotonic() - self.left_at < LEFT_EVERY or not self.lock.acquire(blocking=False):
            return
        try:
            with self.failures_logged():
                if self.is_first_look:
                    self.take_over()
                self.leave()
        finally:
            self.lock.release()

    def own(self) -> Figures:
        figures: Figures = {}
        for family in self.registry.collect():
            for sample in family.samples:
                figures[family.name, sample.name, tuple(sorted(sample.labels.items()))] = sample.value
        add_counts(self.of_the_dead, to=figures)
        return figures

    def leave(self) -> None:
        self.left_at = time.monotonic()
        target = counts_folder() / f"{os.getpid()}{ENDING}"
        unfinished = target.with_suffix(".unfinished")
        try:
            unfinished.write_text(json.dumps([[*key, value] for key, value in self.own().items()]))
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)

    def take_over(self) -> None:
        """Adds the counts of processes that ended, among them one that had this process's number, to our own."""
        for file in counts_folder().glob(f"*{ENDING}"):
            is_ours = file.stem == str(os.getpid())
            if not self.is_first_look if is_ours else is_alive(int(file.stem)):
                continue
            claimed = file.with_suffix(f".of-{os.getpid()}")
            try:
                file.rename(claimed)  # which one process alone can do
            except FileNotFoundError:
                continue
            gauges = {family.name for family in self.registry.collect() if family.type == "gauge"}
            left = {key: value for key, value in read_counts(claimed).items() if key[0] not in gauges}
            add_counts(left, to=self.of_the_dead)
            claimed.unlink()
        self.is_first_look = False

    def as_families(self, figures: Figures) -> Iterator[Metric]:
        for family in self.registry.collect():
            told = Metric(family.name, family.documentation, family.type)
            for (name, sample, labels), value in figures.items():
                if name == family.name:
                    told.add_sample(sample, dict(labels), value)
            yield told

    @contextmanager
    def failures_logged(self) -> Iterator[None]:
        """One line when files begin to fail; whoever is asked then tells what it can."""
        try:
            yield
        except OSError as error:
            if self.could_write:
                logger.warning("Web processes cannot leave their metrics for each other: %s", error)
            self.could_write = False
        else:
            self.could_write = True


def counts_folder() -> Path:
    """Where the processes of this web server leave their files. Raises OSError where there can be none."""
    for_memory = f"capsules-{os.getuid()}-{settings.PORT}-{zlib.crc32(str(settings.DATA_DIR).encode()):08x}"
    on_disk = settings.DATA_DIR / f"metrics-{settings.PORT}"
    found = IN_MEMORY / for_memory if os.access(IN_MEMORY, os.W_OK) else on_disk
    found.mkdir(mode=0o700, exist_ok=True)
    if found.is_symlink() or found.stat().st_uid != os.getuid():
        found = on_disk
        found.mkdir(mode=0o700, exist_ok=True)
    return found


def add_counts(figures: Figures, *, to: Figures) -> None:
    for key, value in figures.items():
        to[key] = to.get(key, 0.0) + value


def read_counts(file: Path) -> Figures:
    """What a process left; nothing where the file is gone or was damaged by a power cut."""
    figures: Figures = {}
    try:
        for family, sample, labels, value in json.loads(file.read_bytes()):
            figures[family, sample, tuple((name, text) for name, text in labels)] = value
    except (FileNotFoundError, ValueError):
        return {}
    return figures


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
