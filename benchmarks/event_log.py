"""What the log of a workspace costs: `python -m benchmarks.event_log [--seconds 10]`, on DATABASE_URL (PostgreSQL).

1. An event in a transaction, by many threads: in one workspace, with the event's number taken later (what the product
   does) or from a locked counter in the transaction, and each thread in a workspace of its own, where nobody waits.
2. A first publish and a PATCH of a scene, in turns with the log and without it.

The transactions stay open for 10 ms after the event, as those of a publish do that goes on to its history and pages.
Exit status 1 where changes of one workspace take a tenth longer than those apart, or a deed does with the log.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from unittest import mock

import django

HOLD = 0.01  # seconds a transaction goes on after its event
MOST = 1.1  # times what it takes without the log
RATE, THREADS = 50, 12  # changes a second, threads
TURNS = 5  # so that whatever else the machine does falls on each kind alike


def paced(seconds: float, change: Callable[[int], None]) -> list[float]:
    """Seconds that each change took, counted from when it was due; RATE a second."""
    from django.db import connection

    begun, lock, took = time.monotonic() + 0.2, threading.Lock(), []
    numbers = iter(range(int(RATE * seconds)))

    def work(thread: int) -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                break
            due = begun + number / RATE
            time.sleep(max(0, due - time.monotonic()))
            change(thread)
            took.append(time.monotonic() - due)
        connection.close()

    threads = [threading.Thread(target=work, args=[thread]) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def compare_numbering(seconds: float) -> list[str]:
    """Returns which limits were passed."""
    from django.db import transaction
    from django.db.models import F

    from accounts.events.emitting import emit
    from accounts.events.types import sample
    from accounts.models import Workspace, WorkspaceLog
    from tests.support import factories

    workspaces = [factories.make_workspace(f"bench-{thread}", roles=["owner"]) for thread in range(THREADS)]
    one = workspaces[0]
    for each in workspaces:
        WorkspaceLog.objects.create(workspace=each)
    data = sample("story.restored")

    def later(thread: int, among: Sequence[Workspace] = workspaces[:1]) -> None:
        with transaction.atomic():
            emit(among[thread % len(among)], "story.restored", data)
            time.sleep(HOLD)

    def locked(thread: int) -> None:
        with transaction.atomic():
            WorkspaceLog.objects.filter(pk=one.pk).update(last=F("last") + 1)
            emit(one, "story.restored", data)
            time.sleep(HOLD)

    apart = functools.partial(later, among=workspaces)
    kinds = {"in workspaces of their own": apart, "numbered later": later, "locked counter": locked}
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(TURNS):
        for name, change in kinds.items():
            took[name] += paced(seconds / TURNS, change)
    medians = {name: summarize(name, each) for name, each in took.items()}
    number_all(one.pk)
    ratio = medians["numbered later"] / medians["in workspaces of their own"]
    print(f"in one workspace: {ratio:.3f} times as long", flush=True)
    return [] if ratio <= MOST else [f"changes wait {ratio:.2f} times as long in one workspace"]


def number_all(workspace: uuid.UUID) -> None:
    """Numbers the events of a workspace anew, and says how long that took."""
    from accounts.events import numbering
    from accounts.models import WorkspaceEvent, WorkspaceLog

    begun = time.monotonic()
    count = WorkspaceEvent.objects.unnumbered().filter(workspace=workspace).count()
    WorkspaceLog.objects.update(last=0)
    numbering.number_events(workspace)
    print(f"numbering {count} events: {(time.monotonic() - begun) * 1000:.0f} ms", flush=True)


def summarize(name: str, took: list[float]) -> float:
    """Returns the median, in milliseconds."""
    middle, high = statistics.median(took) * 1000, sorted(took)[int(len(took) * 0.95)] * 1000
    print(f"{name}: {len(took)} changes, median {middle:.1f} ms, p95 {high:.1f} ms", flush=True)
    return middle


def compare_deeds(rounds: int) -> list[str]:
    """Returns which limits were passed."""
    from accounts.actors import Actor
    from capsules import telling
    from capsules.actions import scenes
    from publishing import actions
    from tests.support import factories

    rendered = factories.render_media()
    workspace = factories.make_workspace("deeds", roles=["owner"])
    by = Actor.by_token(workspace.memberships.get().user)
    took: dict[tuple[str, bool], list[float]] = {}
    for number in range(2 * rounds):
        logged = bool(number % 2)
        story = factories.make_story(workspace, rendered, title=f"Story {number}")
        with mock.patch.object(telling, "emit", telling.emit if logged else lambda *args: None):
            begun = time.monotonic()
            actions.publish(story, request=actions.PublishRequest(), by=by)
            took.setdefault(("publish", logged), []).append(time.monotonic() - begun)
            begun = time.monotonic()
            scenes.update_scene(story, story.scenes.first().key, {"text": f"Another {number}."}, by=by)
            took.setdefault(("PATCH", logged), []).append(time.monotonic() - begun)
    wrong = []
    for deed in ("publish", "PATCH"):
        with_log, without = (statistics.median(took[deed, logged]) * 1000 for logged in (True, False))
        print(
            f"{deed}: {with_log:.1f} ms with, {without:.1f} ms without the log, ratio {with_log / without:.3f}"
        )
        if with_log > MOST * without:
            wrong.append(f"{deed} takes {with_log / without:.2f} times as long with the log")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    wrong = [*compare_numbering(asked.seconds), *compare_deeds(asked.rounds)]
    for each in wrong:
        print(f"BEYOND THE LIMIT: {each}")
    return int(bool(wrong))


if __name__ == "__main__":
    from tests.faults.databases import fresh_database

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["DATABASE_URL"] = fresh_database(os.environ["DATABASE_URL"], "_bench")
    sys.exit(main())
