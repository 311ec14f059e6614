"""Metrics, readiness and logs say what is wrong: `python -m tests.faults.symptoms`.

It kills the worker, blocks the queue of encodes, fills the disk (a small tmpfs, which takes root), has the mail server
refuse, and slows one route down, one after the other. Each time something that reads only /metrics, /readyz and the log
must name it, and nothing else; afterwards it must see nothing. It works on SQLite, or on the PostgreSQL and Redis of
the environment. Exit status 1 where something was not named, or something else was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.faults.databases import fresh_database
from tests.faults.tools import end_in_order, not_tried
from tests.support.hosts import Host, host, within
from tests.support.smtp import Mailbox

TOKEN = "symptoms"
ROOM = 300  # MB of the disk
NEEDED = 64 * 2**20  # bytes; below, /readyz speaks
#: As deploy/alerts.yaml has them, but for a service whose sweeps come every two seconds.
SWEPT, WAITED, SLOW = 15.0, 12.0, 2.5  # seconds
NAMED_WITHIN = 90  # seconds
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
SUBSCRIBE = """
from accounts.models import Workspace
from tests.support.mail import subscribe
subscribe(Workspace.objects.get(name="north-shore"), 12)
"""
QUEUE = "from capsules.models import Encode; Encode.objects.create(kind='still', recipe='{}', sources=[])"
EMPTY = "from capsules.models import Encode; Encode.objects.filter(recipe='waiting').delete()"
SEND_AGAIN = "from publishing.mail import pauses; pauses.open_again()"
#: The web server, with a feed that takes its time.
SLOWED = """
import time
from config import middleware, web_server

usual = middleware.UsualHeaders.__call__

def slowly(self, request):
    time.sleep(4 * (request.path == "/api/v2/feed"))
    return usual(self, request)

middleware.UsualHeaders.__call__ = slowly
web_server.main()
"""

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Watcher:
    """The operator of the service, who sees what it says about itself and nothing else."""

    def __init__(self, machine: Host) -> None:
        self.machine = machine
        self.read = 0  # bytes of the log
        self.before: Samples = {}

    def look(self) -> dict[str, str]:
        """What is wrong, by name, and what says so."""
        samples, ready = self.metrics(), self.readiness()
        found = {}
        age, waited = self.value(samples, "sweep_age_seconds"), self.value(samples, "encode_wait_seconds")
        if age > SWEPT or "sweep" in ready:
            found["dead worker"] = f"capsules_sweep_age_seconds {age:.0f}"
        elif waited > WAITED:
            found["stuck queue"] = (
                f"capsules_encode_wait_seconds {waited:.0f}, and the sweep is {age:.0f} s old"
            )
        if "storage" in ready:
            room = self.value(samples, "disk_free_bytes") / 2**20
            found["full disk"] = f"/readyz: {ready['storage']}; capsules_disk_free_bytes {room:.0f} MB"
        paused = self.value(samples, "mail_pause_seconds")
        if paused:
            logged = [line for line in self.news() if "Premieres pause" in line]
            found["refusing mail server"] = f"capsules_mail_pause_seconds {paused:.0f} {logged[-1:] or ''}"
        for route, share in self.slow_routes(samples).items():
            found[f"slow route {route}"] = f"capsules_request_seconds: {share:.0%} took over {SLOW} s"
        self.before = samples
        return found

    def metrics(self) -> Samples:
        answer = self.machine.call("GET", "/metrics", Authorization=f"Bearer {TOKEN}")
        assert answer.status == 200, answer
        lines = SAMPLE.findall(answer.body.decode())
        return {(name, tuple(sorted(LABEL.findall(labels)))): float(number) for name, labels, number in lines}

    def readiness(self) -> dict[str, str]:
        return dict(self.machine.call("GET", "/readyz").json().get("reasons", {}))

    def news(self) -> list[str]:
        """Messages of the log since the last look."""
        with self.machine.log.open("rb") as log:
            log.seek(self.read)
            lines = log.read().decode(errors="replace").splitlines()
            self.read = log.tell()
        return [json.loads(line)["message"] for line in lines if line.startswith("{")]

    def value(self, samples: Samples, name: str) -> float:
        return max((n for (key, _), n in samples.items() if key == f"capsules_{name}"), default=0.0)

    def slow_routes(self, samples: Samples) -> dict[str, float]:
        """Routes of which more than one in a hundred GETs since the last look took longer than SLOW, and how many."""
        quick: dict[str, float] = {}
        total: dict[str, float] = {}
        for (name, labels), number in samples.items():
            of = dict(labels)
            if not name.startswith("capsules_request_seconds_") or of.get("method") != "GET":
                continue
            since = number - self.before.get((name, labels), 0.0)
            if name.endswith("_count"):
                total[of["route"]] = total.get(of["route"], 0.0) + since
            elif of.get("le") == str(SLOW):
                quick[of["route"]] = quick.get(of["route"], 0.0) + since
        shares = {route: 1 - quick.get(route, 0.0) / all for route, all in total.items() if all > 0}
        return {route: share for route, share in shares.items() if share > 0.01}


# --- What is broken --------------------------------------------------------------------------------------------


@contextmanager
def dead_worker(machine: Host, box: Mailbox) -> Iterator[None]:
    machine.children["worker"].kill()
    machine.children["worker"].wait()
    yield
    machine.run("worker")


@contextmanager
def stuck_queue(machine: Host, box: Mailbox) -> Iterator[None]:
    """A worker that sweeps and takes no encode."""
    machine.end("worker")
    machine.run("worker", ENCODE_SLOTS="0")
    machine.manage("shell", "-v0", "-c", QUEUE.format("waiting"))
    yield
    machine.end("worker")
    machine.manage("shell", "-v0", "-c", EMPTY)
    machine.run("worker")


@contextmanager
def full_disk(machine: Host, box: Mailbox) -> Iterator[None]:
    filling = machine.folder / "filling"
    room = shutil.disk_usage(machine.folder).free
    with filling.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room - NEEDED // 4)
    yield
    filling.unlink()


@contextmanager
def refusing_mail_server(machine: Host, box: Mailbox) -> Iterator[None]:
    box.answer = lambda stage, address, count: "454 4.7.1 Not today"
    story = machine.seeded["stories"][0]
    assert machine.publication("PUT", story, {"premiereEmailMode": "FULL"}).status == 200
    yield
    box.answer = lambda stage, address, count: None
    machine.manage("shell", "-v0", "-c", SEND_AGAIN)
    within(90, lambda: box.taken, "the mails do not go out afterwards")


@contextmanager
def slow_route(machine: Host, box: Mailbox) -> Iterator[None]:
    machine.end("web")
    machine.run("web", program=SLOWED)
    for _ in range(3):
        machine.call("GET", "/api/v2/feed")
    yield
    machine.end("web")
    machine.run("web")


FAULTS: dict[str, Callable[[Host, Mailbox], object]] = {
    "dead worker": dead_worker,
    "stuck queue": stuck_queue,
    "full disk": full_disk,
    "refusing mail server": refusing_mail_server,
    "slow route /api/v2/feed": slow_route,
}


def tried(name: str, machine: Host, box: Mailbox) -> bool:
    """Breaks one thing; whether it was named, alone, and was gone once it was mended."""
    watcher = Watcher(machine)
    seen: dict[str, str] = {}

    def names_it() -> bool:
        seen.clear()
        seen.update(watcher.look())
        return name in seen

    watcher.look()
    with FAULTS[name](machine, box):  # type: ignore[attr-defined]
        try:
            took = within(NAMED_WITHIN, names_it, every=2)
        except AssertionError:
            print(f"BROKEN {name}: not named within {NAMED_WITHIN} s, but {seen}", flush=True)
            return False
        alone = set(seen) == {name}
        print(f"{'named ' if alone else 'BROKEN'} {name} after {took:.0f} s: {seen}", flush=True)
    try:
        took = within(NAMED_WITHIN, lambda: not watcher.look(), every=2)
    except AssertionError:
        print(f"BROKEN {name}: still named after it was mended: {watcher.look()}", flush=True)
        return False
    print(f"       and nothing {took:.0f} s after it was mended", flush=True)
    return alone


# --- The service -----------------------------------------------------------------------------------------------


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A tmpfs of ROOM MB in this folder; False where it cannot be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}m", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)


@contextmanager
def staged(place: Path) -> Iterator[tuple[Host, Mailbox, bool]]:
    with ExitStack() as stack:
        box = Mailbox()
        box.controller.start()
        stack.callback(box.controller.stop)
        is_small = stack.enter_context(small_disk(place / "disk"))
        shared = {name: value for name, value in os.environ.items() if name not in ("DATA_DIR", "PORT")}
        if url := os.environ.get("DATABASE_URL", ""):
            shared["DATABASE_URL"] = fresh_database(url, "_symptoms")
        shared |= {
            "EMAIL_URL": f"smtp://127.0.0.1:{box.controller.port}",
            "METRICS_TOKEN": TOKEN,
            "LOG_FORMAT": "json",
            "REDIS_PREFIX": "capsules-symptoms:",
            "DATABASE_POOL": "8",
            "WEB_PROCESSES": "1",
            "MCP_PORT": "0",
            "PREMIERE_DELAY": "1",
            "SWEEP_INTERVAL": "2",
            "SPT_NOENV": "1",
        }
        machine = stack.enter_context(host(place / "disk/machine", shared))
        machine.log = place / "machine.log"  # not on the disk that is filled
        machine.seed(1)
        machine.manage("shell", "-v0", "-c", SUBSCRIBE)
        machine.run("web", "worker", "timer")
        within(
            60,
            lambda: machine.call("GET", "/readyz").status == 200,
            "the service does not get ready",
            every=1,
        )
        yield machine, box, is_small


def main(names: list[str]) -> int:
    end_in_order()
    place = Path(tempfile.mkdtemp(prefix="capsules-symptoms-"))
    results, skipped = [], 0
    try:
        with staged(place) as (machine, box, is_small):
            for name in names or FAULTS:
                if name == "full disk" and not is_small:
                    skipped = not_tried("NO SMALL DISK CAN BE MOUNTED HERE: THE FULL DISK IS NOT TRIED.")
                    continue
                results.append(tried(name, machine, box))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return skipped if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
