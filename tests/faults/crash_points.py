"""Every place where a deed can end: `python -m tests.faults.crash_points [--short] [DEED …]`, on DATABASE_URL.

Each deed runs once for each SQL statement, commit and outside effect in it (a message to the broker, a file stored or
renamed, a call to a receiver, a mail handed over), in a process forked for it which ends there; and once more for each
statement with the connection to the database lost there. Then the leases lapse, the sweeps run, and what is left is
looked at (`crash_looks`): nothing half, nothing twice, the log has each deed once and no gap, and page, API, feed and
sitemap show the same version under the same link. At last the deed is done again, and must come out whole. It asks no
clock and no chance. The short form is of publish and delivery: it ends them at each place that has more behind it than
the one before (what stands in a transaction that never ends was never there), and loses the connection at each tenth.
`--jobs 2` shares the places among two processes with a database each. Exit status 1 where a promise was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.faults.crash_deeds import DEEDS, Deed, trash
from tests.faults.crash_world import KILL, LOSE, OUTSIDE, Points, World, counted
from tests.faults.databases import drop_database, own_database
from tests.support.smtp import Mailbox

SAMPLE = 10  # of the short form: at each tenth place the connection is lost, too

# --- The runs ---------------------------------------------------------------------------------------------------


def in_child(world: World, deed: Deed, about: Any, points: Points) -> int:
    """Does the deed in a forked process; returns its exit status: 0 done, DIED, 1 an error."""
    from django.db import connections

    connections.close_all()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        with counted(points):
            deed.do(world, about)
        status = 0
    except Exception:
        if points.at == 0:
            traceback.print_exc()
    finally:
        if points.at == 0:
            Path(os.environ["DATA_DIR"], "points").write_text(json.dumps([points.names, points.differ]))
        os._exit(status)


def try_deed(
    world: World, name: str, deed: Deed, *, short: bool, part: int = 0, parts: int = 1
) -> tuple[int, list[str]]:
    """Each place of one deed, or one part of them; returns how many runs there were, and what was wrong."""
    about = begun(world, deed)
    if in_child(world, deed, about, Points()) != 0:
        return 0, [f"{name}: it fails without any fault"]
    names, differ = json.loads(Path(os.environ["DATA_DIR"], "points").read_text())
    wrong, runs = [f"{name}, whole: {each}" for each in after(world, deed, about)], 0
    for number, (how, at) in enumerate(ends(names, differ, short=short), 1):
        if number % parts != part:
            continue
        about = begun(world, deed)
        in_child(world, deed, about, Points(at, how))
        runs += 1
        found = after(world, deed, about)
        wrong += [f"{name}, {how} at {at} of {len(names)} ({names[at - 1]}): {each}" for each in found]
    return runs, wrong


def ends(names: list[str], differ: list[int], *, short: bool) -> Iterator[tuple[str, int]]:
    """How and at which place each run ends."""
    for at in differ if short else range(1, len(names) + 1):
        yield KILL, at
    for at, place in enumerate(names, 1):
        if not is_outside(place) and not (short and at % SAMPLE):
            yield LOSE, at


def is_outside(place: str) -> bool:
    """Whether no connection to the database can be lost there."""
    when, _, what = place.partition(" ")
    return place == "broker" or (when in ("before", "after") and what in OUTSIDE)


def begun(world: World, deed: Deed) -> Any:
    about = deed.begin(world)
    world.note()
    return about


def after(world: World, deed: Deed, about: Any) -> list[str]:
    """What is wrong after the sweep, and after the deed was done again."""
    world.sweep()
    wrong = deed.look(world, about)
    if not deed.done(world, about):
        deed.do(world, about)
        world.sweep()
        wrong += [f"done again: {each}" for each in deed.look(world, about)]
        if not deed.done(world, about):
            wrong.append("it cannot be done again")
    clear(world, about)
    return wrong


def clear(world: World, about: Any) -> None:
    from capsules.models import Story

    if isinstance(about, Story):
        trash(world, about)


def main(names: list[str], box: Mailbox, *, short: bool, part: int = 0, parts: int = 1) -> int:
    import django

    django.setup()
    from django.db import connection

    # A pool has threads and sockets of its own, which do not go through a fork.
    connection.settings_dict.setdefault("OPTIONS", {}).pop("pool", None)

    from tests.support.receiver import receiver

    names = names or (["publish", "delivery"] if short else list(DEEDS))
    total, broken = 0, 0
    with receiver() as there:
        world = World(there, box)
        for name in names:
            begun = time.monotonic()
            runs, wrong = try_deed(world, name, DEEDS[name], short=short, part=part, parts=parts)
            total, broken = total + runs, broken + len(wrong)
            print(
                f"{name:10} {runs:4} places, {len(wrong)} violations, {time.monotonic() - begun:.0f} s",
                flush=True,
            )
            for each in wrong[:20]:
                print(f"    {each}", flush=True)
    print(f"{total} places, {broken} violations")
    return int(broken > 0 or total == 0)


def share(deeds: list[str], jobs: int, *, short: bool) -> int:
    """The same in so many processes at once."""
    command = [sys.executable, "-m", "tests.faults.crash_points", *deeds, *(["--short"] if short else [])]
    running = [
        subprocess.Popen([*command, "--part", str(part), "--parts", str(jobs)]) for part in range(jobs)
    ]
    return max([process.wait() for process in running])


def prepare(box: Mailbox) -> Path:
    """A migrated database and folders of its own, before Django reads its settings."""
    folder = Path(tempfile.mkdtemp(prefix="capsules-crash-"))
    os.environ |= {
        "DATABASE_URL": own_database(os.environ.get("DATABASE_URL", ""), f"_crash_{os.getpid()}", folder),
        "DATA_DIR": str(folder),
        "DEBUG": "true",
        "FETCH_PRIVATE": "127.0.0.0/8",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PREMIERE_DELAY": "0",
        "EMAIL_URL": f"smtp://127.0.0.1:{box.controller.port}",
        "MAIL_RATE": "0",
    }
    os.environ.setdefault("SHARED_FOLDER", str(folder))
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("deeds", nargs="*")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    asked = parser.parse_args()
    if asked.jobs > 1:
        sys.exit(share(asked.deeds, asked.jobs, short=asked.short))
    box = Mailbox()
    own = prepare(box)
    box.controller.start()
    try:
        sys.exit(main(asked.deeds, box, short=asked.short, part=asked.part, parts=asked.parts))
    finally:
        box.controller.stop()
        if os.environ["DATABASE_URL"].startswith("postgres"):
            drop_database(os.environ["DATABASE_URL"])
        shutil.rmtree(own, ignore_errors=True)
