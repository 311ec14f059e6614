"""The whole service under a day's mix: `python -m benchmarks.load [--minutes 3] [--rate 60]`.

Of RATE requests a second, 70 in a hundred are pages, 15 the feed, 10 reads of the API, 5 publishes. Besides, two
publishes wait for their encodes at all times, and ten editors save a scene every two seconds. One publish in eight is
in the workspace whose pages are read, and makes all of them anew; the others are elsewhere. It prints p50 and p99 by
kind, what was not 200, the memory of the web processes and the connections to the database. Aims: no 5xx, p99 of GETs
below 500 ms, memory that does not grow, connections within DATABASE_POOL. It starts the service on data of its own:
SQLite, or the PostgreSQL and Redis of the environment.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.databases import fresh_database
from tests.support.callers import Caller
from tests.support.hosts import Host, end_in_order, host

MIX = {"page": 70, "feed": 15, "read": 10, "publish": 5}
GETS = ("page", "feed", "read")
READERS, EDITORS, SLOW, LIVE, ELSEWHERE = 24, 10, 2, 12, 7
SLOW_FOR = 6.0  # seconds that a slow publish waits
SAVES_EVERY = 2.0  # seconds
LOOKS_EVERY = 5.0  # seconds
TOKEN = "load"


@dataclass
class Seen:
    """What the callers met."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)  # MB of all web processes
    connections: list[float] = field(default_factory=list)  # to the database
    ended: threading.Event = field(default_factory=threading.Event)

    def ask(self, kind: str, ask: Callable[[], tuple[int, bytes]]) -> bytes:
        began = time.perf_counter()
        status, body = ask()
        self.took[kind].append(time.perf_counter() - began)
        self.statuses[f"{kind} {status}"] += 1
        return body


@dataclass(frozen=True)
class Own:
    """A story that is published again and again, and a token of its owner."""

    story: str
    token: str


# --- Who calls ---------------------------------------------------------------------------------------------------


def reader(machine: Host, seen: Seen, paths: list[str], own: list[Own], every: float) -> None:
    """One of READERS, who together keep the rate: whoever is late asks at once."""
    caller = Caller(machine.url, machine.seeded["token"])
    authors = {each.token: Caller(machine.url, each.token) for each in own}
    due = time.monotonic() + random.random() * every
    while not seen.ended.wait(max(0.0, due - time.monotonic())):
        due += every
        kind = random.choices(list(MIX), list(MIX.values()))[0]
        agent = {"User-Agent": f"Mozilla/5.0 Firefox/{random.randrange(140)}.0", "Accept-Encoding": "br"}
        story, author = (each := random.choice(own)).story, authors[each.token]
        asks: dict[str, Callable[[], tuple[int, bytes]]] = {
            "page": lambda agent=agent: caller.ask("GET", random.choice(paths), **agent),
            "feed": lambda: caller.ask("GET", "/api/v2/feed?limit=12"),
            "read": lambda story=story, by=author: by.ask("GET", f"/api/v2/stories/{story}/publication"),
            "publish": lambda story=story, by=author: by.ask("PUT", f"/api/v2/stories/{story}/publication"),
        }
        seen.ask(kind, asks[kind])


def editor(machine: Host, seen: Seen, number: int) -> None:
    caller = Caller(machine.url, machine.seeded["token"])
    made = {"title": f"Draft {number}", "scenes": [{"text": "The first words."}]}
    story = json.loads(caller.ask("POST", "/api/v2/stories", made)[1])["id"]
    scenes = json.loads(caller.ask("GET", f"/api/v2/stories/{story}/scenes")[1])["items"]
    address = f"/api/v2/stories/{story}/scenes/{scenes[0]['id']}"
    words = 0
    while not seen.ended.wait(SAVES_EVERY):
        words += 1
        seen.ask("save", lambda words=words: caller.ask("PATCH", address, {"text": f"{words} words."}))


def slow_publisher(machine: Host, seen: Seen, story: str) -> None:
    """A publish that waits for an encode, again and again."""
    from django.db import connection

    caller = Caller(machine.url, machine.seeded["token"])
    while not seen.ended.is_set():
        held = hold(story)
        timer = threading.Timer(SLOW_FOR, let_go, [held])
        timer.start()
        seen.ask("slow", lambda: caller.ask("PUT", f"/api/v2/stories/{story}/publication"))
        timer.join()
    connection.close()


def hold(story: str) -> int:
    """An encode without an end in the latest preview of a story."""
    import uuid
    from datetime import timedelta

    from django.utils import timezone

    from capsules.models import Encode, Story

    latest = Story.objects.get(pk=story).latest_preview
    assert latest
    held = Encode.objects.create(
        kind="still",
        recipe=f"held {uuid.uuid4()}",
        sources=[],
        state="running",
        lease_token=uuid.uuid4(),
        lease_until=timezone.now() + timedelta(hours=1),
    )
    latest.encodes.add(held)
    return int(held.pk)


def let_go(held: int) -> None:
    from django.db import connection

    from capsules.models import Encode

    done = Encode.objects.filter(kind="still", state="done").first()
    assert done
    Encode.objects.filter(pk=held).update(state="done", progress=100, outputs=done.outputs, lease_until=None)
    Encode.objects.get(pk=held).previews.clear()
    connection.close()


def looker(machine: Host, seen: Seen) -> None:
    """Memory and connections over time."""
    while not seen.ended.wait(LOOKS_EVERY):
        seen.memory.append(memory(machine))
        told = machine.call("GET", "/metrics", Authorization=f"Bearer {TOKEN}").body.decode().splitlines()
        named = [line for line in told if line.startswith("capsules_database_connections{")]
        seen.connections.append(sum(float(line.split()[-1]) for line in named if "waiting" not in line))


def memory(machine: Host) -> float:
    """MB that the web processes have for themselves, shared pages divided (PSS)."""
    total = 0
    for pid, command in machine.processes().items():
        if "web_server" in command:
            with suppress(OSError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                total += int(rollup.partition("Pss:")[2].split()[0])
    return total / 1024


# --- The run -------------------------------------------------------------------------------------------------------


def own_environment() -> dict[str, str]:
    shared = {name: value for name, value in os.environ.items() if name not in ("DATA_DIR", "PORT")}
    if url := os.environ.get("DATABASE_URL", ""):
        shared["DATABASE_URL"] = fresh_database(url, "_load")
    rates = dict.fromkeys(("RATE_READ", "RATE_WRITE", "RATE_AUTHOR", "RATE_FEED"), "10000000")
    return {
        **shared,
        **rates,
        "METRICS_TOKEN": TOKEN,
        "REDIS_PREFIX": "capsules-load:",
        "MCP_PORT": "0",
        "SPT_NOENV": "1",
    }


def elsewhere() -> list[Own]:
    """ELSEWHERE workspaces with a story each, over the media that are there."""
    from accounts import tokens
    from capsules.models import Encode
    from tests.support import factories

    made = []
    rendered = factories.render_media()
    for number in range(ELSEWHERE):
        workspace = factories.make_workspace(f"press-{number}", plan="pro", roles=["owner"])
        story = factories.make_story(workspace, rendered, title=f"Press {number}")
        made.append(Own(str(story.pk), tokens.issue(workspace.memberships.get(role="owner").user)))
    assert not Encode.objects.unfinished().exists()
    return made


def run(machine: Host, minutes: float, rate: float) -> Seen:
    machine.run("web", "worker", "timer")
    os.environ.update(machine.env)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    stories = machine.seeded["stories"]
    live, slow = stories[:LIVE], stories[LIVE + 1 :]
    own = [Own(stories[LIVE], machine.seeded["token"]), *elsewhere()]
    paths = [machine.publication("PUT", story, {"premiereEmailMode": "OFF"}).json()["url"] for story in live]
    for path in paths * 3:
        machine.call("GET", path)
    seen, every = Seen(), READERS / rate
    callers: list[tuple[Callable[..., None], Any]] = [
        *[(reader, (machine, seen, paths, own, every))] * READERS,
        *[(editor, (machine, seen, number)) for number in range(EDITORS)],
        *[(slow_publisher, (machine, seen, story)) for story in slow],
        (looker, (machine, seen)),
    ]
    threads = [threading.Thread(target=who, args=what, daemon=True) for who, what in callers]
    for thread in threads:
        thread.start()
    time.sleep(60 * minutes)
    seen.ended.set()
    for thread in threads:
        thread.join(30)
    return seen


def report(seen: Seen, minutes: float) -> bool:
    """Prints what was seen; whether the aims were met."""
    for kind, took in sorted(seen.took.items()):
        p99 = statistics.quantiles(took, n=100)[98] if len(took) > 1 else took[0]
        rate = len(took) / minutes / 60
        print(
            f"{kind:8} {len(took):6} ({rate:5.1f}/s)  p50 {1000 * statistics.median(took):7.1f} ms  "
            f"p99 {1000 * p99:7.1f} ms  max {1000 * max(took):7.1f} ms"
        )
    others = {what: n for what, n in seen.statuses.items() if what.split()[1] not in ("200", "201")}
    gets = [seconds for kind in GETS for seconds in seen.took[kind]]
    p99 = statistics.quantiles(gets, n=100)[98]
    third = max(1, len(seen.memory) // 3)
    early, late = statistics.median(seen.memory[third : 2 * third]), statistics.median(seen.memory[-third:])
    print(f"not 200 or 201: {others or 'none'}")
    print(f"GET p99 {1000 * p99:.0f} ms (aim: below 500)")
    minute = round(60 / LOOKS_EVERY)
    print(
        "memory of the web processes, MB at each minute:", *(f"{held:.0f}" for held in seen.memory[::minute])
    )
    print(f"in the second third {early:.0f} MB, in the last {late:.0f} MB")
    print(f"connections to the database: at most {max(seen.connections):.0f}")
    failed = sum(n for what, n in others.items() if what.split()[1][0] in "05")
    return not failed and p99 < 0.5 and late < early * 1.05


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--rate", type=float, default=60, help="requests a second of the mix")
    options = parser.parse_args()
    place = tempfile.TemporaryDirectory(prefix="capsules-load-", ignore_cleanup_errors=True)
    with place, host(Path(place.name, "machine"), own_environment()) as machine:
        machine.seed(LIVE + 1 + SLOW)
        seen = run(machine, options.minutes, options.rate)
    return 0 if report(seen, options.minutes) else 1


if __name__ == "__main__":
    sys.exit(main())
