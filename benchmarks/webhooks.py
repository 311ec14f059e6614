"""How soon webhooks are told: `python -m benchmarks.webhooks [--events 1000] [--rate 25]`, on DATABASE_URL.

Ten webhooks, of which one takes connections and never answers. Each event is told in a transaction of its own; counted
is the time from its commit until the receiver has it. It needs PostgreSQL, where it makes a database of its own. Exit
status 1 where something did not arrive, or 95 of 100 not within two seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import threading
import time
from typing import Any

import django

HEALTHY = 9
PATIENCE = 60  # seconds after the last event
MOST = 2.0  # seconds, p95


def told(workspace: Any, events: int, rate: float) -> dict[str, float]:
    """Tells the log of so many events, `rate` a second; returns when each was committed, by its id."""
    from django.db import transaction

    from accounts.events.emitting import emit
    from accounts.events.types import sample
    from accounts.webhooks import rounds

    committed = {}
    begun = time.monotonic()
    for number in range(events):
        time.sleep(max(0, begun + number / rate - time.monotonic()))
        with transaction.atomic():
            event = emit(workspace, "story.restored", sample("story.restored"))
        committed[event.wire_id] = time.time()
        rounds.own.look.set()  # what the task does that a commit wakes
    return committed


def run(events: int, rate: float) -> bool:
    from accounts.actors import Actor
    from accounts.webhooks import actions, rounds
    from tests.support import factories
    from tests.support.receiver import receiver

    workspace = factories.make_workspace("hooks", roles=["owner"])
    by = Actor.by_token(workspace.memberships.get().user)
    dead = socket.create_server(("127.0.0.1", 0), backlog=512)
    with receiver() as there:
        for number in range(HEALTHY):
            actions.make_webhook(workspace, url=f"{there.url}/{number}", by=by)
        actions.make_webhook(workspace, url=f"http://127.0.0.1:{dead.getsockname()[1]}/", by=by)
        threading.Thread(target=rounds.own.run_forever, args=[1.0], daemon=True).start()
        committed = told(workspace, events, rate)
        end = time.monotonic() + PATIENCE
        while len(there.got) < HEALTHY * events and time.monotonic() < end:
            time.sleep(0.2)
        return report(there.got, committed, HEALTHY * events)


def report(got: list[Any], committed: dict[str, float], expected: int) -> bool:
    """Whether it held."""
    took = sorted(each.at - committed[each.headers["webhook-id"]] for each in got)
    once = {(each.path, each.headers["webhook-id"]) for each in got}
    by_path: dict[str, list[int]] = {}
    for each in got:
        by_path.setdefault(each.path, []).append(json.loads(each.body)["sequence"])
    in_order = all(numbers == sorted(numbers) for numbers in by_path.values())
    print(
        f"{len(once)} of {expected} arrived, {len(got) - len(once)} of them twice; in order: {in_order}",
        flush=True,
    )
    middle, high = took[len(took) // 2], took[int(len(took) * 0.95)]
    print(
        f"from commit to receiver: median {middle:.2f} s, p95 {high:.2f} s, longest {took[-1]:.2f} s",
        flush=True,
    )
    return len(once) == expected and in_order and high <= MOST


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=25)
    asked = parser.parse_args()
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    os._exit(0 if run(asked.events, asked.rate) else 1)  # without waiting for the dead receiver


if __name__ == "__main__":
    from tests.faults.databases import fresh_database

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["FETCH_PRIVATE"] = "127.0.0.0/8"
    os.environ["DATABASE_URL"] = fresh_database(os.environ["DATABASE_URL"], "_hooks")
    main()
