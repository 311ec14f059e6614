"""What nginx allows one address, and for how long it waits: with the configuration that is deployed."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import ssl
import threading
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.urls import reverse

from tests.lived_in.instance import self_signed
from tests.support.nginx import nginx
from tests.support.running import ROOT

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="NO NGINX")
CONF = (ROOT / "deploy/nginx.conf").read_text()
STORY = uuid.UUID(int=1)
PUBLICATION = f"/api/v2/stories/{STORY}/publication"
CONTENT = "/api/v2/uploads/x/content"


class Upstream(ThreadingHTTPServer):
    """Answers 200; a request with X-Wait only once `open` is set. `waiting` counts those."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.open = threading.Event()
        self.waiting = threading.Semaphore(0)

    def handle_error(self, request: object, client_address: object) -> None:
        """nginx was ended with connections open."""


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "X-Wait" in self.headers:
            self.server.waiting.release()
            self.server.open.wait(60)
        self.send_response(200)
        self.send_header("X-Told", str(self.headers.get_all("X-Forwarded-For")))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815 - as http.server names them

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.open.set()
        server.shutdown()


@pytest.fixture(scope="module")
def port(upstream: Upstream) -> Iterator[int]:
    slower = {"rate=50r/s": "rate=1r/s", "rate=20r/s": "rate=1r/s"}  # than a busy machine asks
    with nginx([upstream.server_port], mcp=upstream.server_port, changed=slower) as (url, _):
        yield int(url.rpartition(":")[2])


def connect(port: int, source: str) -> http.client.HTTPConnection:
    """From one of the loopback addresses."""
    return http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(source, 0))


def ask(connection: http.client.HTTPConnection, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    connection.request(method, path, headers={"Host": "127.0.0.1"})
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()


def refused_after(port: int, method: str, path: str, source: str) -> tuple[int, dict[str, str], bytes]:
    """How many requests in a row were answered before one was not, and its headers and body."""
    connection = connect(port, source)
    for number in range(2000):
        status, headers, body = ask(connection, method, path)
        if status != 200:
            assert status == 429
            return number, headers, body
    return 2000, {}, b""


@pytest.mark.parametrize(
    ("number", "method", "path", "burst"),
    [
        (2, "POST", "/account/login/", 40),
        (3, "POST", "/account/signup/", 40),
        (4, "POST", "/account/api/app/v1/auth/login", 40),
        (5, "POST", "/subscribe/north-shore", 40),
        (6, "POST", "/oauth/token", 60),
        (7, "POST", "/oauth/register", 60),
        (8, "PATCH", f"/api/v2/stories/{STORY}", 100),
        (9, "PUT", PUBLICATION, 100),
        (10, "POST", reverse("studio_publish", args=[STORY]), 100),
        (11, "POST", "/mcp", 200),
        (12, "POST", "/r/1", 500),
        (13, "GET", "/r/1", 500),
    ],
)
def test_one_address_may_do_so_much_in_a_row_and_others_as_much_again(number, method, path, burst, port):
    taken, headers, body = refused_after(port, method, path, f"127.0.0.{number}")
    assert burst < taken < 2000
    assert (headers["Retry-After"], headers["Cache-Control"]) == ("3", "no-store")
    assert list(headers).count("Content-Type") == 1
    if path.startswith(("/api", "/account/api", "/oauth", "/mcp")):
        assert headers["Content-Type"] == "application/json"
        assert "slow down" in json.loads(body)["error"]
    else:
        assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert ask(connect(port, f"127.0.1.{number}"), method, path)[0] == 200


@pytest.mark.parametrize(
    "path", ["/account/login/", "/subscribe/north-shore", "/api/v2/feed", "/studio", "/"]
)
def test_who_only_reads_is_not_counted(path, port):
    connection = connect(port, "127.0.0.20")
    assert {ask(connection, "GET", path)[0] for _ in range(120)} == {200}


@pytest.mark.parametrize(
    ("number", "method", "path", "most"),
    [
        (30, "GET", "/api/v2/feed", 100),
        (31, "GET", "/studio", 100),
        (32, "PATCH", CONTENT, 20),
        (33, "PUT", "/studio/up/secret/ferry.mp4", 20),
        (34, "POST", reverse("studio_from_folder", args=[STORY]), 20),
        (35, "GET", "/static/studio.js", 128),  # what a browser may ask for at once by HTTP/2, and more
    ],
)
def test_one_address_has_so_many_requests_under_way(number, method, path, most, port, upstream):
    upstream.open.clear()
    with ExitStack() as stack:
        stack.callback(upstream.open.set)
        for _ in range(most):
            source = (f"127.0.0.{number}", 0)
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60, source))
            head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Wait: 1\r\n\r\n"
            connection.sendall(head.encode())
        for _ in range(most):
            assert upstream.waiting.acquire(timeout=60)
        status, headers, _ = ask(connect(port, f"127.0.0.{number}"), method, path)
        if path.startswith("/static/"):
            assert status == 200
        else:
            assert (status, headers["Retry-After"]) == (429, "3")
        assert ask(connect(port, f"127.0.1.{number}"), method, path)[0] == 200


def test_the_service_is_told_the_address_of_the_sender_and_nothing_that_the_sender_claims(port):
    connection = connect(port, "127.0.0.41")
    connection.request("GET", "/account/", headers={"Host": "127.0.0.1", "X-Forwarded-For": "192.0.2.1"})
    assert connection.getresponse().headers["X-Told"] == "['127.0.0.41']"


@pytest.mark.parametrize("method", ["FOO", "PROPFIND", "LOCK", "TRACE"])
@pytest.mark.parametrize("path", ["/api/v2/feed", "/north-shore/small-voyages", "/mcp", "/media/x.jpg"])
def test_a_method_that_nobody_knows_never_reaches_the_service(method, path, port):
    status, headers, _ = ask(connect(port, "127.0.0.40"), method, path)
    assert status == 405
    if method != "TRACE":  # which nginx refuses before it has read the configuration
        assert "GET" in headers["Allow"]
        assert headers["Content-Type"].startswith(
            "application/json" if path in ("/api/v2/feed", "/mcp") else "text/html"
        )


def test_a_service_that_is_silent_is_given_up_where_nothing_may_take_long(upstream):
    upstream.open.clear()
    with nginx([upstream.server_port], changed={"proxy_read_timeout 30s": "proxy_read_timeout 100ms"}) as (
        url,
        _,
    ):
        at = int(url.rpartition(":")[2])
        for path in ("/api/v2/feed", "/studio", "/account/login/", f"/studio/stories/{STORY}"):
            connection = connect(at, "127.0.0.1")
            connection.request("GET", path, headers={"Host": "127.0.0.1", "X-Wait": "1"})
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Retry-After"]) == (503, "3"), path
            assert (b'"error"' in answer.read()) == path.startswith("/api"), path
    upstream.open.set()


@pytest.fixture(scope="module")
def by_tls(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """nginx knows whom a connection asks before it has read anything, as by TLS it does."""
    certificate = self_signed(tmp_path_factory.mktemp("tls"))
    by_name = {"server_name 127.0.0.1;": "server_name capsules.example;"}
    with nginx([upstream.server_port], certificate, mcp=upstream.server_port, changed=by_name) as (url, _):
        yield int(url.rpartition(":")[2])


def raw(port: int, head: str) -> tuple[http.client.HTTPResponse, bytes]:
    """What nginx answers to these bytes."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), 60) as plain,
        trusting.wrap_socket(plain, server_hostname="capsules.example") as connection,
    ):
        connection.sendall(f"{head}\r\n\r\n".encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer, answer.read()


@pytest.mark.parametrize("path", ["/api/v2/feed", "/account/api/app/v1/config", "/mcp", "/studio/new"])
@pytest.mark.parametrize(
    ("head", "status", "words"),
    [
        ("GET PATH HTTP/1.1\r\nHost: capsules.example\r\nHost: capsules.example", 400, "request"),
        ("POST PATH HTTP/1.1\r\nHost: capsules.example\r\nContent-Length: 99999999", 413, "larger"),
        (f"GET PATH?{'x' * 9_000} HTTP/1.1\r\nHost: capsules.example", 414, "too long"),
        (
            f"GET PATH HTTP/1.1\r\nHost: capsules.example\r\nX-Long: {'x' * 9_000}",
            431,
            "sent too much|too large",
        ),
        (
            "POST PATH HTTP/1.1\r\nHost: capsules.example\r\nTransfer-Encoding: gzip",
            501,
            "not supported here",
        ),
        ("GET PATH HTTP/2.0\r\nHost: capsules.example", 505, "not supported here"),
    ],
)
def test_what_nginx_refuses_it_tells_programs_in_json(path, head, status, words, by_tls):
    answer, body = raw(by_tls, head.replace("PATH", path))
    assert (answer.status, answer.headers.get_all("Cache-Control")) == (status, ["no-store"])
    if path == "/studio/new":
        assert answer.headers.get_all("Content-Type") == ["text/html; charset=utf-8"]
        told = body.decode()
    else:
        assert answer.headers.get_all("Content-Type") == ["application/json"]
        told = json.loads(body)["error"]
    assert re.search(words, told)


@pytest.mark.parametrize(
    ("head", "way"),
    [
        ("GET /studio HTTP/1.1\r\nHost: capsules.example\r\nHost: capsules.example", "/"),
        ("BREW /studio HTTP/1.1\r\nHost: capsules.example", "/"),
        ("POST /studio HTTP/1.1\r\nHost: capsules.example\r\nContent-Length: 99999999", "/"),
        (f"GET /studio?{'x' * 9_000} HTTP/1.1\r\nHost: capsules.example", "/"),
        (f"GET /studio HTTP/1.1\r\nHost: capsules.example\r\nX-Long: {'x' * 9_000}", ""),
    ],
)
def test_a_page_of_nginx_is_read_on_a_phone_and_at_night_and_leads_on(head, way, by_tls):
    page = raw(by_tls, head)[1].decode()
    assert page.startswith('<!doctype html><html lang="en"><meta charset="utf-8">')
    for part in ("width=device-width", 'content="light dark"', "<h1>", f"<a href='{way}'>"):
        assert part in page, part


def test_all_pages_of_nginx_look_alike():
    pages = [line for line in CONF.splitlines() if "<title>" in line]
    assert len(pages) == 8 and all(line.startswith('  default "$page_start<title>') for line in pages)


@pytest.mark.parametrize("path", ["/a%00b", "/%zz", "/a/../../b", "/api/v2/%00"])
def test_an_address_that_cannot_be_one_is_answered_in_words(path, by_tls):
    answer, body = raw(by_tls, f"GET {path} HTTP/1.1\r\nHost: capsules.example")
    assert answer.status == 400 and re.search(b"could not be read|no valid HTTP", body)


SLOW = re.compile(r"^ +location (?:[~=] )?(\S+) \{[^{}]*proxy_read_timeout 330s;", re.MULTILINE)


@pytest.mark.parametrize(
    ("path", "is_slow"),
    [
        (PUBLICATION, True),
        (reverse("studio_publish", args=[STORY]), True),
        (reverse("studio_export", args=[STORY]), True),
        (reverse("studio_from_folder", args=[STORY]), True),
        (reverse("studio_send", args=["secret"]), True),
        (CONTENT, True),
        ("/mcp", True),
        ("/admin/capsules/story/", True),
        (f"/api/v2/stories/{STORY}", False),
        (f"{PUBLICATION}/history", False),
        (reverse("studio_editor", args=[STORY]), False),
        ("/api/v2/uploads", False),
        ("/account/login/", False),
    ],
)
def test_nginx_waits_long_for_publishes_and_files_alone(path, is_slow):
    assert any(re.match(pattern, path) for pattern in SLOW.findall(CONF)) is is_slow
    assert CONF.count("proxy_read_timeout") == len(SLOW.findall(CONF)) + 2
