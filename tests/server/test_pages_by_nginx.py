"""Page files on the running service: sent by two web processes, and by nginx, with the same bytes and headers."""

from __future__ import annotations

import gzip
import http.client
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest

from tests.support.nginx import nginx
from tests.support.running import START, Service, service
from tests.support.sending import until

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="NO NGINX")
OF_REQUESTS = {"Date", "Server", "Connection", "X-Request-Id", "Accept-Ranges", "Strict-Transport-Security"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    with service(folder, stories=3, BEHIND_PROXY="true", PUBLISH_LEASE="3") as running:
        yield running


@pytest.fixture(scope="module")
def by_nginx(running: Service) -> Iterator[int]:
    """The port of nginx in front of the service."""
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
    for _ in range(5):
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


@pytest.mark.skipif(os.geteuid() != 0, reason="nginx RUNS AS SOMEBODY ELSE FOR root ALONE")
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
    whole = ask(running.port, blob)[2]
    for port in (running.port, by_nginx):
        for wanted, part in (("0-0", whole[:1]), ("-1", whole[-1:]), ("0-1", whole[:2]), ("3-", whole[3:])):
            status, _, body = ask(port, blob, Range=f"bytes={wanted}")
            assert (status, body) == (206, part), (port, wanted)
        for wanted in ("-0", f"{len(whole)}-"):
            assert ask(port, blob, Range=f"bytes={wanted}")[0] == 416, (port, wanted)
        assert "immutable" in ask(port, blob)[1]["Cache-Control"]
