"""A new version under load: `python -m tests.faults.rolling [short]`.

Two web servers behind nginx, with the configuration of deploy/nginx.conf, get pages, reads, publishes and new drafts
while one after the other is stopped (SIGTERM) and started again, as for a new version. Promised: no request fails; a
publish that waits for its encodes, a slice of an upload and a premiere that are under way end well, and nobody gets a
second mail. It works on SQLite, or on the PostgreSQL and Redis of the environment. Exit status 1 where a promise was
broken, 3 where nginx is not installed (0 with MAY_SKIP=yes).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.databases import fresh_database
from tests.faults.tools import end_in_order, not_tried
from tests.support.callers import Caller
from tests.support.hosts import Host, host, within
from tests.support.media_files import photo
from tests.support.nginx import nginx
from tests.support.smtp import Mailbox

ROUNDS = 2
REST = 3.0  # seconds between two restarts: more than nginx's fail_timeout
MAILS = 16
WRITES = ("publish", "draft")  # nginx takes 20 in a second from one address, and all of these come from one
PIECE = 32 * 1024
SUBSCRIBE = f"""
from accounts.models import Workspace
from tests.support.mail import subscribe
subscribe(Workspace.objects.get(name="north-shore"), {MAILS})
"""
#: An encode that never ends, in the preview of a story; and its end.
HOLD = """
import uuid
from datetime import timedelta
from django.utils import timezone
from capsules.models import Encode, Story
held = Encode.objects.create(kind="still", recipe="held", sources=[], state="running", lease_token=uuid.uuid4(),
    lease_until=timezone.now() + timedelta(hours=1))
Story.objects.get(pk="{story}").latest_preview.encodes.add(held)
"""
LET_GO = """
import time
from pathlib import Path
from capsules.models import Encode
while not Path("{flag}").exists():  # to start a shell takes longer than a server that stops would wait
    time.sleep(0.2)
done = Encode.objects.filter(kind="still", state="done").first()
Encode.objects.filter(recipe="held").update(state="done", progress=100, outputs=done.outputs, lease_until=None)
"""


@dataclass
class Traffic:
    """Each call in a thread of its own, again and again, until it is stopped."""

    calls: dict[str, tuple[Caller, Callable[[Caller], tuple[int, bytes]]]]
    seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)
    ended: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.threads = [threading.Thread(target=self.call, args=(kind,), daemon=True) for kind in self.calls]
        for thread in self.threads:
            thread.start()

    def call(self, kind: str) -> None:
        caller, ask = self.calls[kind]
        name = kind.split()[0]
        while not self.ended.is_set():
            began = time.monotonic()
            status, body = ask(caller)
            took = time.monotonic() - began
            self.seen[name, status] += 1
            self.slowest[name] = max(took, self.slowest.get(name, 0.0))
            if not 200 <= status < 300:
                self.failed.append(f"{name} {status} after {took:.2f} s: {body[:200]!r}")
            self.ended.wait(0.2 if name in WRITES else 0.05)

    def stop(self) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()


def own_environment(box: Mailbox) -> dict[str, str]:
    shared = {name: value for name, value in os.environ.items() if name not in ("DATA_DIR", "PORT")}
    if url := os.environ.get("DATABASE_URL", ""):
        shared["DATABASE_URL"] = fresh_database(url, "_rolling")
    return {
        **shared,
        "EMAIL_URL": f"smtp://127.0.0.1:{box.controller.port}",
        "APP_URL": "http://127.0.0.1:8000",
        "BEHIND_PROXY": "true",
        "DATABASE_POOL": "8",
        "WEB_PROCESSES": "1",
        "REDIS_PREFIX": "capsules-rolling:",
        "MCP_PORT": "0",
        **dict.fromkeys(("RATE_READ", "RATE_WRITE", "RATE_AUTHOR", "RATE_FEED"), "1000000"),
        "PREMIERE_DELAY": "1",
        "MAIL_RATE": "0",
        "SWEEP_INTERVAL": "2",
        "SPT_NOENV": "1",
    }


@contextmanager
def staged(place: Path) -> Iterator[tuple[list[Host], str, Mailbox]]:
    """Two web servers and a worker on one machine, behind nginx."""
    with ExitStack() as stack:
        box = Mailbox()
        box.controller.start()
        stack.callback(box.controller.stop)
        shared = own_environment(box)
        first = stack.enter_context(host(place / "machine", shared))
        second = Host(first.folder, shared)
        second.seeded = first.seed(6)
        stack.callback(second.end)
        first.manage("shell", "-v0", "-c", SUBSCRIBE)
        first.run("web", "worker")
        second.run("web")
        url, errors = stack.enter_context(nginx([first.port, second.port]))
        try:
            yield [first, second], url, box
        finally:
            if errors.exists():
                print("".join(f"nginx: {line}\n" for line in errors.read_text().splitlines()[-5:]), end="")


def traffic_to(url: str, seeded: dict[str, Any]) -> Traffic:
    token = seeded["token"]
    page = publish(Caller(url, token), seeded["stories"][0])
    ids = seeded["stories"]
    return Traffic(
        {
            **{f"page {number}": (Caller(url, token), lambda c: c.ask("GET", page)) for number in range(3)},
            "feed": (Caller(url, token), lambda c: c.ask("GET", "/api/v2/feed")),
            "showcase": (Caller(url, token), lambda c: c.ask("GET", "/")),
            "read": (Caller(url, token), lambda c: c.ask("GET", f"/api/v2/stories/{ids[0]}/publication")),
            "publish 1": (Caller(url, token), lambda c: put(c, ids[1])),
            "publish 2": (Caller(url, token), lambda c: put(c, ids[2])),
            "draft": (Caller(url, token), lambda c: c.ask("POST", "/api/v2/stories", {"title": "A draft"})),
        }
    )


def put(caller: Caller, story: str, mode: str = "OFF") -> tuple[int, bytes]:
    return caller.ask("PUT", f"/api/v2/stories/{story}/publication", {"premiereEmailMode": mode})


def publish(caller: Caller, story: str) -> str:
    status, body = put(caller, story)
    assert status == 200, body
    return str(json.loads(body)["url"])


def slow_slice(caller: Caller) -> tuple[int, bytes]:
    """A picture sent in one slice that takes some seconds; its bytes trickle in."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "jetty.png")
        photo(700, 500).save(source)
        content = source.read_bytes()
    announced = {"kind": "picture", "filename": "jetty.png", "size": len(content)}
    status, body = caller.ask("POST", "/api/v2/uploads", announced)
    assert status == 201, body
    upload = json.loads(body)["id"]

    def trickle() -> Iterator[bytes]:
        for start in range(0, len(content), PIECE):
            yield content[start : start + PIECE]
            time.sleep(8 * PIECE / len(content))

    headers = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    headers["Content-Length"] = str(len(content))
    return caller.ask("PATCH", f"/api/v2/uploads/{upload}/content", trickle(), **headers)


def restart(web: Host, during: Callable[[], None]) -> float:
    """Seconds without this web server."""
    began = time.monotonic()
    process = web.children.pop("web")
    process.terminate()
    time.sleep(2)
    during()
    assert process.wait(60) == 0, "the web server did not end by itself"
    web.run("web")
    took = time.monotonic() - began
    time.sleep(REST)
    return took


def rolled(webs: list[Host], url: str, box: Mailbox, rounds: int) -> Iterator[tuple[str, Any]]:
    """Promises, and whether they were kept."""
    first, seeded = webs[0], webs[0].seeded
    token, held, told = seeded["token"], seeded["stories"][3], seeded["stories"][4]
    first.manage("shell", "-v0", "-c", HOLD.format(story=held))
    traffic, flag = traffic_to(url, seeded), first.folder / "let-go"
    with ThreadPoolExecutor(4) as pool:
        pool.submit(first.manage, "shell", "-v0", "-c", LET_GO.format(flag=flag))
        waiting: Future[tuple[int, bytes]] = pool.submit(put, Caller(first.url, token), held)
        time.sleep(3)
        assert not waiting.done(), waiting.result()
        for number in range(rounds):
            sent = pool.submit(slow_slice, Caller(first.url if number else url, token))
            time.sleep(1)
            for web in webs:
                took = restart(web, flag.touch)
                so_far = f"{sum(traffic.seen.values())} requests so far, {len(traffic.failed)} failed"
                print(f"       restarted {web.port} in {took:.1f} s; {so_far}", flush=True)
            yield "a slice of an upload that was under way", sent.result(60)[0] == 204
        status, body = waiting.result(60)
        yield (
            f"a publish that waited for encodes while its server stopped: {status} {body[:80]!r}",
            status == 200,
        )
    yield from restarted_worker(first, box, told)
    traffic.stop()
    total = sum(traffic.seen.values())
    print(
        f"       {total} requests: "
        + ", ".join(f"{k} {s} x {n}" for (k, s), n in sorted(traffic.seen.items()))
    )
    print("       slowest: " + ", ".join(f"{kind} {took:.2f} s" for kind, took in traffic.slowest.items()))
    yield f"{len(traffic.failed)} of {total} requests failed {traffic.failed[:3] or ''}", not traffic.failed


def restarted_worker(machine: Host, box: Mailbox, story: str) -> Iterator[tuple[str, Any]]:
    """The worker is stopped while mails go out, and another takes over."""
    box.delay = 0.4
    assert machine.publication("PUT", story, {"premiereEmailMode": "FULL"}).status == 200
    within(60, lambda: len(box.taken) >= 3, "no mail goes out")
    began = time.monotonic()
    machine.end("worker")
    took, before = time.monotonic() - began, len(box.taken)
    yield (
        f"the worker ended {took:.1f} s after its SIGTERM, with {before} of {MAILS} mails sent",
        before < MAILS,
    )
    machine.run("worker")
    within(90, lambda: len(box.taken) >= MAILS, f"{len(box.taken)} mails")
    time.sleep(3)
    yield (
        f"{len(box.taken)} mails to {MAILS} readers, none twice",
        len(box.taken) == MAILS and not box.twice(),
    )
    count = "from publishing.models import Delivery; print(Delivery.objects.exclude(state='sent').count())"
    yield "every one is recorded as sent", machine.manage("shell", "-v0", "-c", count).strip() == "0"


def main(short: bool) -> int:
    end_in_order()
    if shutil.which("nginx") is None:
        return not_tried("NGINX IS NOT INSTALLED: THE ROLLING RESTART IS NOT TRIED.")
    place = Path(tempfile.mkdtemp(prefix="capsules-rolling-"))
    try:
        with staged(place) as (webs, url, box):
            broken = 0
            for promise, kept in rolled(webs, url, box, 1 if short else ROUNDS):
                print(f"{'kept  ' if kept else 'BROKEN'} {promise}", flush=True)
                broken += not kept
        return int(bool(broken))
    finally:
        for log in place.glob("*.log"):
            print(f"log: {len(log.read_text().splitlines())} lines; the last: {log.read_text()[-600:]}")
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main("short" in sys.argv[1:]))
