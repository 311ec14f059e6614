"""The real server: framing that only a socket can break, nginx before it, and kill -9 in the middle of a publish."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path

import pytest

from capsules.views import TYPES
from tests.support.nginx import nginx
from tests.support.running import DATABASE, ROOT, START, Service, service
from tests.support.sending import until

LEASE = 3  # seconds
SEVERAL = {} if DATABASE else {"WEB_PROCESSES": "2"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    own = {"PUBLISH_LEASE": str(LEASE), "WEB_THREADS": "4", "BEHIND_PROXY": "true", **SEVERAL}
    with service(tmp_path_factory.mktemp("service"), stories=3, **own) as running:  # type: ignore[arg-type]
        yield running


def head(running: Service, *lines: str) -> bytes:
    story = running.seeded["stories"][0]
    start = [f"PUT /api/v2/stories/{story}/publication HTTP/1.1", "Host: 127.0.0.1", "Connection: close"]
    return "\r\n".join([*start, f"x-api-key: {running.seeded['key']}", *lines, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def test_a_chunked_body_is_read_whole(running):
    chunks = b'6\r\n{"slug\r\n11\r\n": "from-chunks"}\r\n0\r\n\r\n'
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + chunks)
    assert status(answer) == 200
    assert b'"slug":"from-chunks"' in answer


def test_who_tries_the_service_out_as_root_is_not_warned_of_it_after_it_said_that_it_runs(running):
    until(lambda: running.call("GET", "/readyz").status == 200, "a worker", START)  # the worker is there
    assert "SecurityWarning" not in Path(running.env["DATA_DIR"], "service.log").read_text()


def test_what_the_processes_are_forked_from_has_no_connection_and_no_thread(running):
    """A fork would share the connection, and lack the thread."""
    master, _ = master_and_workers(running)
    for pid, sockets in ((running.process.pid, 0), (master, 1)):  # the one it listens at
        assert [task.name for task in Path(f"/proc/{pid}/task").iterdir()] == [str(pid)]
        files = [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir() if int(file.name) > 2]
        assert sum(file.startswith("socket:") for file in files) == sockets, files
        assert not [file for file in files if "sqlite" in file]


def test_a_worker_that_dies_is_replaced_and_none_outlives_a_killed_master(running):
    """The workers of a killed one would go on serving on its port, with the code of yesterday."""
    master, workers = master_and_workers(running)
    dead = min(workers)
    os.kill(dead, signal.SIGKILL)
    another = until(lambda: master_and_workers(running)[1] - workers, "another worker", START)
    workers = workers - {dead} | another
    os.kill(master, signal.SIGKILL)
    until(lambda: not workers & set(running.processes()), "the end of the workers", START)
    until(lambda: running.call("GET", "/api/v2/health").status == 200, "their successors", START)


ORPHAN = """
import os, signal, time
from config.processes import die_with_parent
parent = os.getpid()
if os.fork():
    os.kill(parent, signal.SIGKILL)
while os.getppid() == parent:
    time.sleep(0.01)
die_with_parent(parent)
print("It lives on.")
"""


def test_a_process_whose_parent_was_killed_before_it_asked_to_be_told_ends_as_well():
    orphan = subprocess.run([sys.executable, "-c", ORPHAN], cwd=ROOT, stdout=subprocess.PIPE, timeout=60)
    assert (orphan.returncode, orphan.stdout) == (-signal.SIGKILL, b""), (
        "both had ended: no one wrote any more"
    )


def master_and_workers(running: Service) -> tuple[int, set[int]]:
    web = {pid: parent(pid) for pid, name in running.processes().items() if "web_server" in name}
    [master] = [pid for pid, above in web.items() if above == running.process.pid]
    return master, set(web) - {master}


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("path", ["/api/v2/health", "/api/v2/me", "/account/login/", "/no/such/page"])
def test_an_answer_to_head_has_no_body_which_would_be_the_next_answer_of_the_connection(running, path):
    question = f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    answers = running.raw(question + b"\r\n" + question + b"Connection: close\r\n\r\n")
    assert re.fullmatch(rb"(HTTP/1\.1 [^\r]+\r\n([A-Za-z-]+: [^\r]*\r\n)+\r\n){2}", answers), answers[-300:]


CUT_SHORT = [b'f\r\n{"slug": "cu', b'f\r\n{"slug": "cut1"\r\n', b"zz\r\n{}\r\n0\r\n\r\n", b""]


@pytest.mark.parametrize("body", CUT_SHORT)
def test_a_chunked_body_cut_short_publishes_nothing(running, body):
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + body, half_close=True)
    assert status(answer) == 400, answer[:200]
    assert b'{"error":' in answer
    assert b"cut" not in running.publication("GET", running.seeded["stories"][0]).body


def test_a_body_shorter_than_declared_publishes_nothing(running):
    answer = running.raw(head(running, "Content-Length: 40") + b'{"slug": "cut3"}', half_close=True)
    assert status(answer) == 400, answer[:200]
    assert b'{"error":' in answer
    assert b"cut" not in running.publication("GET", running.seeded["stories"][0]).body


@pytest.mark.parametrize(
    "line", ["Content-Length: -1", "Content-Length: abc", "Content-Length: 2\r\nContent-Length: 3"]
)
def test_a_senseless_length_is_a_400(running, line):
    assert status(running.raw(head(running, line) + b"{}", half_close=True)) == 400


def test_a_huge_chunked_body_is_a_400(running):
    chunk = b"ffff\r\n" + b" " * 0xFFFF + b"\r\n"
    answer = running.raw(head(running, "Transfer-Encoding: chunked") + chunk * 2 + b"0\r\n\r\n")
    assert status(answer) == 400


def test_what_goes_wrong_outside_the_api_is_told_in_our_design(running):
    for method, path, status in (
        ("GET", "/none/none", 404),
        ("POST", "/none", 403),  # no form of ours
        ("GET", "/favicon.ico", 200),
    ):
        answer = running.call(method, path, {} if method == "POST" else None)
        assert answer.status == status
        if status != 200:
            styles = re.findall(r'<link rel="stylesheet" href="([^"]+)"', answer.body.decode())
            assert styles
            assert {running.call("GET", style).status for style in styles} == {200}
    for path in ("/none/none", "/none/none/embed", "/oembed"):
        refused = running.call("POST", path, {})
        assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")
    missing = running.call("DELETE", "/api/v2/none")
    assert (missing.status, missing.headers["content-type"]) == (404, "application/json")


def slow_senders(running: Service, count: int) -> list[socket.socket]:
    """Connections that have sent half of a body."""
    senders = [socket.create_connection(("127.0.0.1", running.port), timeout=60) for _ in range(count)]
    for connection in senders:
        connection.sendall(head(running, "Content-Length: 21") + b'{"slug": ')
    return senders


def test_bodies_that_come_slowly_hold_no_thread_and_are_taken_in_the_end(running):
    story = running.seeded["stories"][0]
    page = running.publication("PUT", story, {"slug": "slow-body"}).json()["url"]
    held = slow_senders(running, 40)
    with ThreadPoolExecutor(4) as readers:
        paths = [page, "/api/v2/health", "/north-shore", "/none/none"] * 10
        answers = list(readers.map(lambda path: running.call("GET", path, timeout=30), paths))
    assert [answer.status for answer in answers] == [200, 200, 200, 404] * 10
    held[0].sendall(b'"slow-body"}')
    assert status(held[0].recv(65536)) == 200
    for connection in held:
        connection.close()


def test_what_the_server_itself_refuses_is_json_too(running):
    for line, expected, *version in (
        ("Content-Length: abc", 400),
        ("Transfer-Encoding: gzip", 501),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400),
        ("X: " + "x" * 33_000, 431),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", 400, b"HTTP/1.0"),
    ):
        answer = running.raw(head(running, line).replace(b"HTTP/1.1", *version or [b"HTTP/1.1"]))
        assert status(answer) == expected, answer[:200]
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
        assert b"content-type: application/json" in answer.lower()


# --- Page files: sent by two web processes, and by nginx, with the same bytes and headers ------------------------

NGINX = shutil.which("nginx")
OF_REQUESTS = {"Date", "Server", "Connection", "X-Request-Id", "Accept-Ranges", "Strict-Transport-Security"}


@pytest.fixture(scope="module")
def by_nginx(running: Service) -> Iterator[int]:
    """The port of nginx in front of the service."""
    if NGINX is None:
        pytest.skip("NO NGINX")
    folder = Path(running.env["DATA_DIR"])
    with nginx([running.port], data=folder) as (url, _):
        yield int(url.rpartition(":")[2])


def ask(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers={"Host": "127.0.0.1", **headers})
    answer = connection.getresponse()
    told = answer.status, {n.title(): v for n, v in answer.getheaders()}, answer.read()
    connection.close()
    return told


def without(headers: dict[str, str]) -> dict[str, object]:
    kept = {name: value for name, value in headers.items() if name not in OF_REQUESTS}
    policy = kept.pop("Content-Security-Policy", "")
    return {**kept, "policy": sorted(policy.split("; "))}


def keep(running: Service, port: int, path: str) -> None:
    """Reads a page until it is a file: while the worker makes its clip, a rendering may be older than a change."""
    kept = Path(running.env["DATA_DIR"], "pages/live", f"{path[1:]}.html")
    for _ in range(100):
        assert ask(port, path)[0] == 200
        if kept.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"{path} is never kept")


@pytest.fixture(scope="module")
def published(running: Service) -> str:
    return str(running.publication("PUT", running.seeded["stories"][0]).json()["url"])


@pytest.fixture
def page(running: Service, published: str) -> str:
    """A live page that is a file, as its embed is."""
    for ending in ("", "/embed"):
        keep(running, running.port, published + ending)
    return published


@contextmanager
def frozen(running: Service) -> Iterator[None]:
    """No process of the service does anything."""
    pids = list(running.processes())
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def without_web(running: Service) -> Iterator[None]:
    """No web server runs, and what would start another one waits."""
    assert running.process is not None
    os.kill(running.process.pid, signal.SIGSTOP)
    try:
        while running.kill("web_server"):
            time.sleep(0.05)
        yield
    finally:
        os.kill(running.process.pid, signal.SIGCONT)
        until(lambda: running.call("GET", "/api/v2/health").status == 200, "a web server", START)


def test_nginx_sends_what_the_service_sends(running, by_nginx, page):
    asked = [*product((page, f"{page}/embed"), ("GET", "HEAD"), ("identity", "gzip"))]
    expected = [ask(running.port, path, method, Accept_Encoding=form) for path, method, form in asked]
    with frozen(running):
        sent = [ask(by_nginx, path, method, Accept_Encoding=form) for path, method, form in asked]
    for how, (status, headers, body), (of_service, *rest) in zip(asked, sent, expected, strict=True):
        assert (status, without(headers), body) == (of_service, without(rest[0]), rest[1]), how
        assert "Set-Cookie" not in headers and "Last-Modified" not in headers, how
        if how[1:] == ("GET", "gzip"):
            assert gzip.decompress(body).startswith(b"<!doctype html>")


def test_nginx_knows_the_etag_of_the_service(running, by_nginx, page):
    etag = ask(running.port, page)[1]["Etag"]
    with frozen(running):
        for known in (etag, f'"other", W/{etag}', "*"):
            status, headers, body = ask(by_nginx, page, If_None_Match=known)
            assert (status, body, headers["Etag"]) == (304, b"", etag)
        assert ask(by_nginx, page, If_None_Match='"other"')[0] == 200
        assert ask(by_nginx, page, Range="bytes=0-5")[0] == 200
        assert ask(by_nginx, page, If_Modified_Since="Wed, 01 Jan 2090 00:00:00 GMT")[0] == 200


def test_what_is_no_plain_page_goes_to_the_service(running, by_nginx, page):
    assert ask(by_nginx, page, "POST")[0] == 405
    assert ask(by_nginx, page, "POST")[1]["Allow"] == "GET, HEAD"
    assert ask(by_nginx, f"{page}?edition=none")[2] == ask(running.port, page)[2]
    assert ask(by_nginx, "/api/v2/health")[0] == 200
    assert ask(by_nginx, "/")[0] == 200
    assert ask(by_nginx, "/r/1?b=1", User_Agent="Mozilla/5.0", Sec_Fetch_Site="same-origin")[0] == 200
    assert ask(by_nginx, "/r/1", "POST", User_Agent="Mozilla/5.0")[0] == 400
    for path in ("/~list", "/north-shore/~list", f"{page}.html", f"{page}.html.gz", "/%2e%2e/release"):
        assert ask(by_nginx, path)[0] in (400, 404), path


def test_nginx_refuses_another_host(by_nginx, page):
    assert ask(by_nginx, page, Host="evil.example")[0] == 400


def test_the_first_request_after_each_change_gets_the_new_state_from_every_process(running, by_nginx, page):
    story = running.seeded["stories"][0]
    for _ in range(2):
        assert running.publication("DELETE", story).status == 200
        ports = (by_nginx, *[running.port] * 4)  # each a connection of its own, to either process
        assert [ask(port, page)[0] for port in ports] == [404] * 5
        assert running.publication("PUT", story).status == 200
        assert [ask(port, page)[0] for port in ports] == [200] * 5


def test_without_the_service_nginx_sends_live_pages_and_those_before_a_change_next_door(
    running, by_nginx, page
):
    other = running.seeded["stories"][1]
    before = ask(by_nginx, page)[2]
    path = running.publication("PUT", other).json()["url"]
    keep(running, by_nginx, path)
    gone = running.publication("PUT", running.seeded["stories"][2]).json()["url"]
    assert ask(by_nginx, gone)[0] == 200
    assert running.publication("DELETE", running.seeded["stories"][2]).status == 200
    with without_web(running):
        assert ask(by_nginx, page)[::2] == (200, before)
        assert ask(by_nginx, path)[0] == 200
        for missing in (gone, "/north-shore/none", "/"):
            status, headers, _ = ask(by_nginx, missing)
            assert (status, headers["Retry-After"]) == (503, "3")
        for other in ("/api/v2/feed", "/account/login/", "/studio/up/a-secret", "/subscribe/north-shore"):
            for method in ("GET", "POST"):
                status, headers, _ = ask(by_nginx, other, method)
                assert (status, headers["Retry-After"]) == (503, "3"), other
    time.sleep(1.5)
    assert ask(by_nginx, page)[0] == 200 and ask(by_nginx, gone)[0] == 404


def blob_of(running: Service, page: str) -> str:
    """The address of a picture or film of this page."""
    text = ask(running.port, page)[2].decode()
    return "/media/" + text.partition("/media/")[2].partition('"')[0].split(" ")[0]


@pytest.mark.skipif(
    NGINX is None or os.geteuid() != 0, reason="NO nginx, OR NOT root, FOR WHOM ALONE IT RUNS AS ANOTHER"
)
def test_what_nginx_may_not_read_it_asks_the_service_for(running, page):
    """As where nobody has made www-data a member of the group capsules."""
    folder = Path(running.env["DATA_DIR"])
    folder.chmod(0o750)
    with nginx([running.port], data=folder, user="nobody nogroup") as (url, _):
        port = int(url.rpartition(":")[2])
        for path in (page, f"{page}/embed", blob_of(running, page)):
            assert ask(port, path)[::2] == ask(running.port, path)[::2], path
        assert ask(port, "/media/")[::2] == ask(running.port, "/media/")[::2]


def test_nginx_sends_films_by_range(running, by_nginx, page):
    blob = blob_of(running, page)
    _, said, whole = ask(running.port, blob)
    kind = said["Content-Type"]
    assert kind == TYPES[blob.rpartition(".")[2]]
    for port in (running.port, by_nginx):
        for wanted, part in (("0-0", whole[:1]), ("-1", whole[-1:]), ("0-1", whole[:2]), ("3-", whole[3:])):
            status, headers, body = ask(port, blob, Range=f"bytes={wanted}")
            assert (status, headers["Content-Type"], body) == (206, kind, part), (port, wanted)
        for wanted in ("-0", f"{len(whole)}-"):
            assert ask(port, blob, Range=f"bytes={wanted}")[0] == 416, (port, wanted)
        assert ask(port, blob)[1]["Cache-Control"] == "public, max-age=31536000, immutable"
    for missing in ("/media/../capsules.sqlite3", "/media/aa/" + "a" * 64 + ".avif"):
        assert ask(running.port, missing)[0] == 404, missing


# --- kill -9 ---------------------------------------------------------------------------------------------------


@contextmanager
def publishing(running: Service, story: str) -> Iterator[None]:
    """Somebody publishes the story again and again under new slugs, for the time of a `with` block."""
    stop = threading.Event()

    def publish() -> None:
        while not stop.is_set():
            with suppress(OSError):
                running.publication("PUT", story, {"slug": f"s{random.randrange(10**6)}"})

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        yield
    finally:
        stop.set()
        publisher.join()


@pytest.mark.parametrize("victim", ["web_server", "celery"])
def test_a_killed_publish_leaves_nothing_half_and_a_later_one_succeeds_within_the_lease(running, victim):
    """At any moment; a drill (tests/faults/crash_points.py) ends a publish at every statement."""
    story = running.seeded["stories"][2]
    with publishing(running, story):
        time.sleep(random.uniform(0.05, 0.6))
        until(lambda: running.kill(victim), f"a {victim} to kill", START)
    assert_whole(running, story)
    check_a_later_one_succeeds(running, story)


def assert_whole(running: Service, story: str) -> None:
    """Either published, and the page opens, or not, and it does not."""
    state = until(lambda: running.publication("GET", story), "the state", START)
    body = json.loads(state.body)
    assert state.status == 200
    if body["isPublished"]:
        assert until(lambda: running.call("GET", body["url"]), "the page", START).status == 200
    else:
        assert body["url"] is None


def check_a_later_one_succeeds(running: Service, story: str) -> None:
    """One that is asked for while the lease of the killed one holds may be told to wait, and no other."""
    begun = time.monotonic()
    while True:
        asked = time.monotonic()
        answer = until(lambda: running.publication("PUT", story), "an answer", START)
        if answer.status == 200:
            return
        assert answer.status == 423 and asked - begun < LEASE + 1, answer.body
        time.sleep(0.2)


def test_views_are_counted_even_when_the_server_stops_right_after(running):
    """And the database is busy for longer than it takes requests. The last here: nobody starts it again."""
    page = running.publication("PUT", running.seeded["stories"][1]).json()["url"]
    told = re.search(r'data-to="([^"]+)"', running.call("GET", page).body.decode())[1]
    ours = {"Sec-Fetch-Site": "same-origin", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}
    for number in range(5):
        reader = {**ours, "X-Forwarded-For": f"127.0.1.{number}"}
        assert running.call("GET", f"{told}?b=1", **reader).status == 200
    assert running.process is not None
    with running.busy():
        running.process.terminate()
        time.sleep(4)
    running.process.wait(120)  # as long as it takes
    publication = int(told.rpartition("/")[2])
    counted = f"SELECT views FROM publishing_viewcount WHERE publication_id = {publication}"  # noqa: S608
    assert running.sql(counted) == [(5,)]
