"""Two machines, one service: `python -m tests.faults.hosts`.

One runs web and worker, the other web and timer; each has a folder of its own (DATA_DIR). They share PostgreSQL, Redis
and a bucket, which this script starts for itself. Promised: what is published on one is on all pages and lists of the
other; what is unpublished is gone there within 60 s, with Redis and while it is away; an upload goes on where another
host left off; nothing on a local disk matters. Exit status 1 where a promise was broken, 3 where no
PostgreSQL or Redis server is installed (0 with MAY_SKIP=yes).
"""

from __future__ import annotations

import http.cookiejar
import logging
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.faults.tools import end_in_order, not_tried
from tests.support.bucket import bucket
from tests.support.hosts import Host, Redis, host, redis_server, within
from tests.support.postgres import binaries, cluster
from tests.support.sending import announce, jetty, send_slice
from tests.support.smtp import Mailbox

SEEN_WITHIN = 60  # seconds after which an unpublish must be seen everywhere
STILL = 3.0  # seconds
APP_URL = "http://127.0.0.1:8000"  # of the links; nobody listens there
LISTS = ("/", "/api/v2/feed", "/feed.atom", "/north-shore", "/north-shore/feed.atom", "/sitemaps/0.xml")
#: What a host may keep for itself: it is made anew where it is missing.
OWN_FILES = ("static", "queue", "media", "pages", "celerybeat-schedule")
SUBSCRIBE = """
from accounts.models import Workspace
from tests.support.mail import subscribe
subscribe(Workspace.objects.get(name="north-shore"), 3)
"""


class Broken(AssertionError):
    """A promise that did not hold."""


def check(promise: str, kept: object) -> None:
    print(f"{'kept  ' if kept else 'BROKEN'} {promise}", flush=True)
    if not kept:
        raise Broken(promise)


@contextmanager
def two_hosts(place: Path) -> Iterator[tuple[Host, Host, Redis, Mailbox]]:
    with ExitStack() as stack:
        server = stack.enter_context(cluster(int(os.environ.get("FAULTS_POSTGRES_PORT", "0"))))
        with server.as_superuser() as superuser:
            superuser.execute("CREATE DATABASE capsules OWNER capsules")
        broker = stack.enter_context(redis_server(int(os.environ.get("FAULTS_REDIS_PORT", "0"))))
        box = Mailbox()
        box.controller.start()
        stack.callback(box.controller.stop)
        shared = {
            **{name: value for name, value in os.environ.items() if name not in ("DATA_DIR", "PORT")},
            "DATABASE_URL": f"{server.url}/capsules",
            "DATABASE_POOL": "4",
            "WEB_PROCESSES": "1",
            "REDIS_URL": broker.url,
            "STORAGE_URL": stack.enter_context(bucket()).url,
            "EMAIL_URL": f"smtp://127.0.0.1:{box.controller.port}",
            "APP_URL": APP_URL,
            "MCP_PORT": "0",
            "RATE_READ": "100000",
            "RATE_WRITE": "100000",
            "RATE_FEED": "100000",
            "PREMIERE_DELAY": "3",
            "SWEEP_INTERVAL": "2",
            "SPT_NOENV": "1",  # Host.kill finds its processes by their environment
        }
        first = stack.enter_context(host(place / "first", shared))
        second = stack.enter_context(host(place / "second", shared))
        second.seeded = first.seed(4)
        first.manage("shell", "-v0", "-c", SUBSCRIBE)
        first.run("web", "worker")
        second.run("web", "timer")
        yield first, second, broker, box


def published(on: Host, number: int) -> str:
    answer = on.publication("PUT", on.seeded["stories"][number])
    assert answer.status == 200, answer.body
    return str(answer.json()["url"])


def everywhere(on: Host, path: str, *, live: bool) -> bool:
    """Whether page, embed, oEmbed and all lists of this host say that the capsule is live, or that it is not."""
    oembed = "/oembed?" + urllib.parse.urlencode({"url": APP_URL + path})
    status = 200 if live else 404
    pages = [on.call("GET", address).status == status for address in (path, f"{path}/embed", oembed)]
    return all(pages) and all(
        ((path if "api" not in name else path.rsplit("/", 1)[1]) in on.call("GET", name).body.decode())
        is live
        for name in LISTS
    )


def publishing(first: Host, second: Host, box: Mailbox) -> None:
    for number, (here, there) in enumerate([(first, second), (second, first)]):
        path = published(here, number)
        took = within(SEEN_WITHIN, lambda there=there, path=path: everywhere(there, path, live=True))
        check(f"published on one host, on all pages and lists of the other after {took:.1f} s", True)
        blob = re.search(r'http://[^" ]+/capsules/blobs/[^" ]+\.jpeg', there.call("GET", path).body.decode())
        with urllib.request.urlopen(blob[0], timeout=10) as picture:  # type: ignore[index]
            check("its pictures come from the bucket", picture.status == 200)
        if here is first:  # one clip is work enough
            within(90, lambda there=there, path=path: b"og:video" in there.call("GET", path).body)
        within(60, lambda number=number: len(box.taken) >= 3 * (number + 1), "no premiere")
    time.sleep(4)
    check(f"{len(box.taken)} premiere mails to 3 readers of 2 capsules", len(box.taken) == 6)
    check("and nobody got one twice", len({(to, subject_of(raw)) for to, raw in box.taken}) == 6)


def subject_of(raw: bytes) -> str:
    return re.search(rb"^Subject: (.*)$", raw, re.MULTILINE)[1].decode()  # type: ignore[index]


def upload(first: Host, second: Host) -> None:
    """A picture whose slices go to both hosts in turn."""
    content = jetty()
    made = announce(second, content)
    piece = len(content) // 4 + 1
    for number, offset in enumerate(range(0, len(content), piece)):
        send_slice((first, second)[number % 2], made["id"], content[offset : offset + piece], at=offset)
    for on in (first, second):
        within(60, lambda on=on: state_of(on, made["id"]) == "ready", f"the upload is not ready: {made}")
    check("an upload whose slices went to both hosts in turn arrived", True)


def state_of(on: Host, upload: str) -> str:
    token = f"Bearer {on.seeded['token']}"
    return str(on.call("GET", f"/api/v2/uploads/{upload}", Authorization=token).json()["state"])


def signing_in(first: Host, second: Host) -> None:
    jar = http.cookiejar.CookieJar()  # whose cookies belong to an address, not to a port
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    form = browser.open(f"{first.url}/account/login/", timeout=30).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]  # type: ignore[index]
    said = {
        "csrfmiddlewaretoken": token,
        "login": "owner@north-shore.example",
        "password": first.seeded["password"],
    }
    browser.open(f"{first.url}/account/login/", urllib.parse.urlencode(said).encode(), timeout=30).close()
    with browser.open(f"{second.url}/studio", timeout=30) as studio:
        check("signed in on one host, at work on the other", "/account/login" not in studio.geturl())


def views(first: Host, second: Host, path: str) -> None:
    """A reader on each host; both are counted, once."""
    before = views_of(first, path)
    told = re.search(r'data-to="([^"]+)" data-bake="([0-9]+)"', first.call("GET", path).body.decode())
    assert told is not None
    for on, agent in ((first, "Firefox/140.0"), (second, "Safari/605.1"), (first, "Safari/605.1")):
        reader = {"User-Agent": f"Mozilla/5.0 {agent}", "Sec-Fetch-Site": "same-origin"}
        on.call("GET", f"{told[1]}?b={told[2]}", **reader)
    took = within(60, lambda: views_of(second, path) == before + 2, f"{views_of(second, path)} views")
    check(f"two readers on two hosts are two views after {took:.0f} s", True)


def views_of(on: Host, path: str) -> int:
    items = on.call("GET", "/api/v2/feed").json()["items"]
    return next(int(item["views"]) for item in items if item["path"] == path)


def unpublishing(first: Host, second: Host, number: int, when: str) -> None:
    """Unpublishes on the first host while the second one shows the page, again and again."""
    path = published(first, number)
    within(SEEN_WITHIN, lambda: second.call("GET", path).status == 200)
    for _ in range(5):
        assert second.call("GET", path).status == 200  # from its file
    assert first.publication("DELETE", first.seeded["stories"][number]).status == 200
    took = within(SEEN_WITHIN, lambda: second.call("GET", path).status == 404, f"{when}: still there", 0.05)
    check(f"unpublished on one host, the page is gone on the other after {took:.1f} s, {when}", True)
    took += within(
        SEEN_WITHIN - took, lambda: everywhere(second, path, live=False), f"{when}: still in a list"
    )
    check(f"and everything else that names it after {took:.1f} s, {when}", took <= SEEN_WITHIN)
    published(first, number)


def losing_a_disk(lost: Host, other: Host, paths: list[str]) -> None:
    roles = list(lost.children)
    kept = {each.name for each in lost.folder.iterdir()}
    strange = {name for name in kept if not name.startswith(OWN_FILES)}
    assert not any((lost.folder / "media").iterdir())
    check(
        f"on the disk of {lost.folder.name} lies only what is made anew: {', '.join(sorted(kept))}",
        not strange,
    )
    within(SEEN_WITHIN, lambda: settled(lost, other, paths), "the hosts show different pages")
    before = shown(lost, paths)
    lost.lose_everything()
    check("meanwhile the other host serves", all(other.call("GET", path).status == 200 for path in paths))
    lost.run(*roles)
    changed = [path for path, body in shown(lost, paths).items() if body != before[path]]
    check(
        f"its disk was emptied ({', '.join(roles)}); {len(paths)} pages are as before; changed: {changed}",
        not changed,
    )


def shown(on: Host, paths: list[str]) -> dict[str, bytes]:
    return {path: on.call("GET", path).body for path in paths}


def settled(one: Host, other: Host, paths: list[str]) -> bool:
    """Whether both show the same for STILL: what was just published has its clip, and no file is of before."""
    before = shown(one, paths)
    time.sleep(STILL)
    return before == shown(one, paths) == shown(other, paths)


def main() -> int:
    end_in_order()
    if binaries() is None or shutil.which("redis-server") is None:
        return not_tried("NO POSTGRESQL OR REDIS SERVER IS INSTALLED: TWO HOSTS ARE NOT TRIED.")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # the bucket's server would log every request
    place = Path(tempfile.mkdtemp(prefix="capsules-hosts-"))
    steps: list[Callable[[], Any]] = []
    try:
        with two_hosts(place) as (first, second, broker, box):
            steps = [
                lambda: publishing(first, second, box),
                lambda: upload(first, second),
                lambda: signing_in(first, second),
                lambda: views(first, second, published(first, 0)),
                lambda: unpublishing(first, second, 2, "with Redis"),
                lambda: unpublishing(second, first, 2, "with Redis, the other way round"),
                broker.stop,
                lambda: unpublishing(first, second, 2, "while Redis is away"),
                broker.start,
                lambda: losing_a_disk(second, first, [published(first, 0), "/feed.atom"]),
                lambda: losing_a_disk(first, second, [published(second, 1), "/feed.atom"]),
                lambda: unpublishing(first, second, 3, "after all that"),
            ]
            for step in steps:
                step()
    except (AssertionError, OSError) as error:
        print("BROKEN:", repr(error))
        for log in place.glob("*.log"):
            print(f"--- {log.name}\n{log.read_text()[-3000:]}")
        return 1
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
