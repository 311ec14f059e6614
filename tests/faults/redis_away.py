"""Redis goes away under traffic: `python -m tests.faults.redis_away [--short] [stopped frozen flushed]`.

stopped   the server is killed, and is empty when it is back
frozen    it stands still (SIGSTOP): connections are made and nobody answers
flushed   it forgets everything: tasks on their way, marks of readers

It runs a Redis server of its own and the whole service on it, with the database of the environment. Promised: nobody
notices. Pages, feed, lists, forms, signing in, reads and publishes are answered as ever, within 3 s. Exit status 1
where that did not hold, 3 where no Redis server is installed (0 with MAY_SKIP=yes).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import redis

from tests.faults.database import Traffic, folder_of_its_own, settle, tried, wait_until, well_since
from tests.faults.floods import signed_in
from tests.faults.tools import end_in_order, not_tried
from tests.support.hosts import Redis, redis_server
from tests.support.running import Answer, service

SIGN_IN_EVERY = 3.0  # seconds: an address may try only so often


def stopped(server: Redis, seconds: float) -> None:
    server.stop()
    time.sleep(seconds)
    server.start()


def frozen(server: Redis, seconds: float) -> None:
    server.freeze()
    time.sleep(seconds)
    server.thaw()


def flushed(server: Redis, seconds: float) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
    time.sleep(seconds)


FAULTS: dict[str, Callable[[Redis, float], None]] = {
    fault.__name__: fault for fault in (stopped, frozen, flushed)
}


def sign_in(running: Any) -> Answer:
    cookies = signed_in(running)
    return running.call("GET", "/studio", Cookie=cookies)  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="4 s each instead of 20")
    parser.add_argument("faults", nargs="*", help=", ".join(FAULTS))
    options = parser.parse_args()
    end_in_order()
    if shutil.which("redis-server") is None:
        return not_tried("NO REDIS SERVER IS INSTALLED: NOTHING IS TRIED WITHOUT REDIS.")
    seconds, broken = 4.0 if options.short else 20.0, []
    own = {"RATE_FEED": "100000", "PUBLISH_LEASE": "4", "SWEEP_INTERVAL": "3"}
    with ExitStack() as stack:
        server, folder = stack.enter_context(redis_server()), stack.enter_context(folder_of_its_own())
        running = stack.enter_context(service(Path(folder), stories=2, REDIS_URL=server.url, **own))
        pages = [running.publication("PUT", story).json()["url"] for story in running.seeded["stories"]]
        settle(running, pages)
        traffic = Traffic(running, pages, {"sign-in": partial(sign_in, running)}, {"sign-in": SIGN_IN_EVERY})
        traffic.start()
        stack.callback(traffic.stop)
        wait_until(lambda: well_since(traffic, 0.0) is not None and len(traffic.seen) > 30, 30)
        for name in options.faults or FAULTS:
            broken += tried(f"Redis {name}", partial(FAULTS[name], server, seconds), traffic, (200, 423))
    for each in broken:
        print("BROKEN:", each)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
