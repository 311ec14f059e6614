"""`python -m tests.lived_in [--short | serve]`: see the package."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time

from tests.faults.tools import end_in_order
from tests.lived_in.instance import Instance, lived_in
from tests.lived_in.visits import visits
from tests.lived_in.walk import Walk, threads

FULL, SHORT = (200_000, 300), (5_000, 40)  # subscribers, capsules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=["run", "serve"], default="run")
    parser.add_argument("--short", action="store_true", help="fewer rows and people, and once")
    options = parser.parse_args()
    end_in_order()
    began = time.monotonic()
    with lived_in(*(SHORT if options.short else FULL)) as instance:
        print(f"Built and serving at {instance.url} after {time.monotonic() - began:.0f} s.", flush=True)
        if options.what == "serve":
            return serve(instance)
        turns = 1 if options.short else 2
        wrong = [find for turn in range(1, turns + 1) for find in run(instance, turn, of=turns)]
    print(f"{len(wrong)} finds after {time.monotonic() - began:.0f} s.")
    return int(bool(wrong))


def run(instance: Instance, turn: int, *, of: int) -> list[str]:
    """What is wrong, said as it is found. A second turn meets what the first one left behind."""
    walk = Walk(instance.told, instance.url, instance.tls, is_last=turn == of, is_short=of == 1)
    with threads(1) as beside:
        people = beside.submit(visits, instance, turn)
        found = walk.run()
        wrong = [str(find) for find in found if not find.is_known] + people.result()
    wrong += instance.unready()
    known = sorted({f"{find.route}: {find.what}" for find in found if find.is_known})
    print(f"Turn {turn}: {walk.summary()}")
    print(f"{len(known)} that are known and waiting for their mend.")
    for find in wrong:
        print(f"WRONG  {find}", flush=True)
    return wrong


def serve(instance: Instance) -> int:
    print("owner@, admin@, editor@, viewer@north-shore.example; bare@capsules.example is staff.")
    print(f"Everybody's password: {instance.told['facts']['password']}")
    print("Ctrl-C ends it and forgets everything.", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    try:
        code = main()
    except (KeyboardInterrupt, SystemExit):
        print("Ended before it was over.", flush=True)
        os._exit(130)  # what it started is gone; threads that still ask for it need not be waited for
    sys.exit(code)
