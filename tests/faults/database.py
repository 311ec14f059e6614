"""PostgreSQL goes away under traffic: `python -m tests.faults.database [--short] [stopped frozen restarted crowded]`.

stopped    the server is stopped
frozen     it stands still (SIGSTOP), so that connections are made and nobody answers
restarted  it is restarted while everybody calls
crowded    all its connections are in use by others

It runs a PostgreSQL server of its own and the whole service on it. Promised: pages are 200 throughout, from files;
everything else answers within 3 s and never with 500, but for what waits for a server that stands still: that is
answered when it goes on, or by nginx after its proxy_read_timeout; all is well within 10 s after the fault; a premiere
that fell due meanwhile is sent within two sweeps. Exit status 1 where a promise was broken, 3 where no PostgreSQL
server is installed (0 with MAY_SKIP=yes).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tests.faults.tools import end_in_order, not_tried
from tests.support.postgres import Cluster, binaries, cluster

ANSWER_WITHIN = 3.0  # seconds
WAITS = 60.0  # seconds that a caller waits for an answer
NEED_NO_DATABASE = ("page", "health")
WELL_WITHIN = 10.0
SWEEP = 3  # seconds
SUBSCRIBE = """
from accounts.models import Workspace
from django.utils import timezone
from publishing.models import Subscriber
Subscriber.objects.create(
    workspace=Workspace.objects.get(name="north-shore"), email="reader@readers.example", source="form", consent="asked",
    confirmed_at=timezone.now(),
)
"""


@dataclass
class Seen:
    """One answer: of what, when it was asked, how long it took."""

    kind: str
    at: float
    status: int
    took: float


@dataclass
class Traffic:
    """Everybody calls, each kind in a thread of its own, until it is stopped."""

    service: Any
    pages: list[str]
    more: dict[str, Callable[[], Any]] = field(default_factory=dict)
    rests: dict[str, float] = field(default_factory=dict)  # seconds between two calls of a kind
    seen: list[Seen] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        story, other = self.service.seeded["stories"][0], self.service.seeded["neighbour"]["story"]
        calls: dict[str, Callable[[], Any]] = {
            **{f"page {path}": lambda path=path: self.get(path) for path in self.pages},
            "feed": lambda: self.get("/api/v2/feed"),
            "showcase": lambda: self.get("/"),
            "login": lambda: self.get("/account/login/"),
            "health": lambda: self.get("/api/v2/health"),
            "read": lambda: self.service.publication("GET", story, timeout=WAITS),
            "publish": lambda: self.service.publication("PUT", other, timeout=WAITS),
            **self.more,
        }
        self.threads = [threading.Thread(target=self.call, args=pair) for pair in calls.items()]
        for thread in self.threads:
            thread.start()

    def get(self, path: str) -> Any:
        return self.service.call("GET", path, timeout=WAITS)

    def call(self, kind: str, ask: Callable[[], Any]) -> None:
        while not self.ended.is_set():
            at = time.monotonic()
            try:
                status = ask().status
            except OSError:
                status = 0
            self.seen.append(Seen(kind.split()[0], at, status, time.monotonic() - at))
            self.ended.wait(self.rests.get(kind, 0.1))

    def stop(self) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()


def stopped(server: Cluster, seconds: float) -> None:
    server.stop()
    time.sleep(seconds)
    server.start()


def frozen(server: Cluster, seconds: float) -> None:
    server.freeze()
    time.sleep(seconds)
    server.thaw()


def restarted(server: Cluster, seconds: float) -> None:
    server.restart()


def crowded(server: Cluster, seconds: float) -> None:
    server.fill()
    time.sleep(seconds)
    server.empty()


FAULTS = {fault.__name__: fault for fault in (stopped, frozen, restarted, crowded)}
FROZEN = "PostgreSQL frozen"  # what waits for it is answered when it goes on


def tried(
    name: str, fault: Callable[[], object], traffic: Traffic, fine: tuple[int, ...] = (200, 423, 503)
) -> list[str]:
    """Carries one fault out; returns the promises that it broke. `fine`: what may be answered meanwhile."""
    began = time.monotonic()
    fault()
    over = time.monotonic()
    time.sleep(WELL_WITHIN / 2)
    wait_until(lambda: well_since(traffic, over) is not None, WELL_WITHIN)
    broken = []
    seen = [each for each in traffic.seen if each.at >= began]
    well = well_since(traffic, over)
    if well is None or well - over > WELL_WITHIN:
        broken.append(f"not well {WELL_WITHIN} s after it was over")
    for each in seen:
        is_apart = each.kind in NEED_NO_DATABASE
        if each.status not in ((200,) if is_apart else fine):
            broken.append(f"{each.kind} answered {each.status}")
        if each.took > ANSWER_WITHIN and each.at < over and (is_apart or name != FROZEN):
            broken.append(f"{each.kind} took more than {ANSWER_WITHIN:.0f} s")
    tally = Counter(f"{each.kind} {each.status}" for each in seen)
    slowest = {
        apart: max(each.took for each in seen if (each.kind in NEED_NO_DATABASE) is apart)
        for apart in (True, False)
    }
    print(
        f"{name}: {over - began:.0f} s, slowest page or health {slowest[True]:.2f} s, "
        f"slowest other {slowest[False]:.1f} s, well after {(well or 0) - over:.1f} s"
    )
    print("   " + ", ".join(f"{what} x {count}" for what, count in sorted(tally.items())), flush=True)
    return [f"{name}: {what} ({count} x)" for what, count in Counter(broken).items()]


def well_since(traffic: Traffic, over: float) -> float | None:
    """From when on every kind of request succeeds, after `over`; None where one does not yet."""
    last: dict[str, Seen] = {}
    failed = over
    for each in list(traffic.seen):
        last[each.kind] = each
        if each.at >= over and each.status not in (200, 423):
            failed = max(failed, each.at + each.took)
    fine = all(each.at > failed and each.status in (200, 423) for each in last.values())
    return failed if fine else None


def wait_until(outcome: Callable[[], Any], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not outcome():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def settle(service: Any, pages: list[str]) -> None:
    """Returns once these pages are files that nothing changes."""
    for path in pages:  # a clip that is ready would make its page anew
        wait_until(lambda path=path: b"og:video" in service.call("GET", path).body, 90)
    for path in pages * 2:
        assert service.call("GET", path).status == 200


def late_premiere(server: Cluster, service: Any, delay: int) -> list[str]:
    """A premiere falls due while the server is away; says how long after it was back the mail was out."""
    shell = [sys.executable, "manage.py", "shell", "-v0", "-c", SUBSCRIBE]
    subprocess.run(shell, env=service.env, check=True, cwd=Path(__file__).parents[2])
    live = service.publication("PUT", service.seeded["stories"][2])
    assert live.status == 200
    server.stop()
    time.sleep(delay + 1)
    server.start()
    back = time.monotonic()
    outbox = Path(service.env["DATA_DIR"], "outbox")
    wait_until(lambda: any(outbox.glob("*reader@readers.example*.eml")), 2 * SWEEP + 10)
    took = time.monotonic() - back
    # Its clip changes the version of all pages of the workspace: not while the next fault begins.
    wait_until(lambda: b"og:video" in service.call("GET", live.json()["url"]).body, 90)
    print(f"premiere: sent {took:.1f} s after the server was back; a sweep is every {SWEEP} s", flush=True)
    return [f"premiere: sent only {took:.1f} s after"] if took > 2 * SWEEP + 2 else []


def folder_of_its_own() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="capsules-faults-", ignore_cleanup_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="about 40 s, lists grow old sooner")
    parser.add_argument("faults", nargs="*", help=", ".join(FAULTS))
    options = parser.parse_args()
    end_in_order()
    if binaries() is None:
        return not_tried(
            "NO POSTGRESQL SERVER IS INSTALLED (initdb): THE FAULTS OF THE DATABASE ARE NOT TRIED."
        )
    broken: list[str] = []
    seconds, delay = (4.0, 3) if options.short else (40.0, 10)
    with cluster(int(os.environ.get("FAULTS_POSTGRES_PORT", "0"))) as server, folder_of_its_own() as folder:
        os.environ["DATABASE_URL"] = f"{server.url}/postgres"
        os.environ.pop("REDIS_URL", None)
        from tests.support.running import service

        own = {"SWEEP_INTERVAL": str(SWEEP), "PREMIERE_DELAY": str(delay), "DATABASE_POOL": "6"}
        if options.short:
            own["LIST_MAX_AGE"] = "1"
        with service(Path(folder), stories=4, RATE_FEED="100000", PUBLISH_LEASE="4", **own) as running:
            pages = [
                running.publication("PUT", story).json()["url"] for story in running.seeded["stories"][:2]
            ]
            settle(running, pages)
            if not options.faults:
                broken += late_premiere(server, running, delay)
            traffic = Traffic(running, pages)
            traffic.start()
            try:
                wait_until(lambda: well_since(traffic, 0.0) is not None and len(traffic.seen) > 30, 20)
                for name in options.faults or FAULTS:
                    fault = partial(FAULTS[name], server, seconds)
                    broken += tried(f"PostgreSQL {name}", fault, traffic)
            finally:
                traffic.stop()
            log = Path(folder, "service.log").read_text()
            print(f"log: {len(log.splitlines())} lines")
            Path(tempfile.gettempdir(), "capsules-faults-database.log").write_text(log)
    for each in broken:
        print("BROKEN:", each)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
