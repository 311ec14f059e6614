"""nginx before a service that says 503: pages stand in for pages, and everything else has the service's own words."""

from __future__ import annotations

import http.client
import re
import shutil
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from publishing.pages.files import SUFFIXES, pack, write_file
from tests.support.nginx import nginx
from tests.support.ports import free_port
from tests.support.running import ROOT

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="NO NGINX")
LIVE, LAST, NEVER = "/north-shore/live", "/north-shore/last", "/north-shore/never"
CONF = (ROOT / "deploy/nginx.conf").read_text()
OURS = b"our words"
NO_PAGES = [
    "/admin/capsules/asset/",
    "/subscribe/north-shore",
    "/confirm/a-secret",
    "/account/login/",
    "/studio",
    "/studio/up/a-secret",
    "/api/v2/feed",
    "/api/v2/uploads/x/content",
    "/media/0000.jpg",
    "/feed.atom",
    "/north-shore/feed.atom",
    "/oembed",
    "/",
    "/north-shore",
    NEVER,
    "/r/1",
]


def test_what_a_page_tells_of_its_reader_is_in_no_log_nor_while_nobody_takes_it(tmp_path):
    with nginx([free_port()], logs=tmp_path) as (url, _):
        for path in ("/r/7?b=1", "/R/7", "/subscribe/"):
            line = http.client.HTTPConnection(url.removeprefix("http://"), timeout=20)
            line.request("GET", path)
            assert line.getresponse().status in (502, 503)
            line.close()
    lines = (tmp_path / "capsules.log").read_text().splitlines()
    assert [line.split()[3] for line in lines] == ["/R", "/subscribe"]


class SaysAway(BaseHTTPRequestHandler):
    """503 in words of its own, as the service answers while its database is away."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(float(self.headers.get("X-Slow", 0)))
        self.send_response(503)
        self.send_header("Retry-After", "17")
        self.send_header("Content-Length", str(len(OURS)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(OURS)

    do_GET = do_HEAD = do_POST = answer  # noqa: N815 - as http.server names them

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def away(data: Path) -> Iterator[int]:
    """The port of nginx with one page live, one among the last, before a service that says 503."""
    for start in (f"live{LIVE}", f"last{LAST}"):
        for ending in ("", "/embed"):
            for encoding, content in pack(f"the page{ending}".encode(), 1).items():
                path = data / "pages" / f"{start}{ending}.html{SUFFIXES[encoding]}"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, content)
    with ThreadingHTTPServer(("127.0.0.1", 0), SaysAway) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with nginx([server.server_port], data=data) as (url, _):
            yield int(url.rpartition(":")[2])
        server.shutdown()


def ask(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    connection.request(
        method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    answer = connection.getresponse()
    told = answer.status, {**dict(answer.getheaders()), "Date": ""}, answer.read()
    connection.close()
    return told


@pytest.mark.parametrize("ending", ["", "/embed"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("accepted", ["identity", "gzip"])
def test_a_page_that_stands_in_has_every_header_of_a_live_one(ending, method, accepted, away):
    live = ask(away, LIVE + ending, method, Accept_Encoding=accepted)
    assert live[0] == 200 and "Permissions-Policy" in live[1] and "Strict-Transport-Security" in live[1]
    assert ask(away, LAST + ending, method, Accept_Encoding=accepted) == live
    assert ask(away, LAST + ending, If_None_Match=live[1]["ETag"], Accept_Encoding=accepted)[0] == 304


def test_a_page_stands_in_where_the_service_takes_more_than_a_second(away):
    began = time.monotonic()
    assert ask(away, LAST, X_Slow="8")[::2] == (200, b"the page")
    assert 0.9 < time.monotonic() - began < 7.5
    assert ask(away, NEVER, X_Slow="2")[::2] == (503, OURS)  # for which there is none


def test_a_page_that_was_rendered_meanwhile_is_sent_though_the_one_before_is_gone(away, data):
    last, live = (data / f"pages/{name}/north-shore/anew.html" for name in ("last", "live"))
    write_file(last, b"as it was")
    another_reader = threading.Timer(0.3, lambda: (write_file(live, b"anew"), last.unlink()))
    another_reader.start()
    assert ask(away, "/north-shore/anew", X_Slow="4", Accept_Encoding="identity")[::2] == (200, b"anew")
    another_reader.join()


def test_the_default_page_stands_in_for_its_edition(away):
    for path in (LIVE, LAST):
        assert ask(away, f"{path}?edition=classroom")[::2] == (200, b"the page")


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_what_is_no_page_says_in_its_own_words_that_something_is_away(method, away):
    for path in NO_PAGES:
        status, headers, body = ask(away, path, method)
        assert (status, headers.get("Retry-After")) == (503, "17"), path
        assert body == (b"" if method == "HEAD" else OURS), path


@pytest.mark.parametrize("path", [LIVE, LAST])
def test_a_form_that_is_sent_to_a_page_is_answered_by_the_service(path, away):
    assert ask(away, path, "POST")[::2] == (503, OURS)


def test_only_the_location_of_pages_takes_the_answer_of_the_service_away():
    [taken] = re.findall(r"^  location (\S+) \{[^}]*proxy_intercept_errors on;", CONF, re.MULTILINE)
    assert taken == "@page"
    assert CONF.count("proxy_intercept_errors") == 1
