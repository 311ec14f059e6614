"""Fetching a file from an address: what is asked, what never is, and how much is taken. Only this machine is asked."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.db import connection

from capsules.models import Asset, Upload
from capsules.uploads import checking, fetching
from config.addresses import is_public
from config.errors import Invalid, TooLarge
from tests.support import media_files
from tests.support.checking import check_uploads

LIMIT = 2 * 10**6


def here_only(address: str) -> bool:
    """What these tests may ask: this machine, and nothing else."""
    return address == "127.0.0.1"


class Server(BaseHTTPRequestHandler):
    asked: list[tuple[str, dict[str, str]]] = []
    picture = b""
    is_over = threading.Event()

    def do_GET(self) -> None:
        Server.asked.append((self.path, dict(self.headers)))
        getattr(self, self.path.strip("/").replace("-", "_").split("?")[0])()

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def picture_png(self) -> None:
        self.answer(200, Server.picture, Content_Length=str(len(Server.picture)), Set_Cookie="a=b")

    def chunked(self) -> None:
        self.answer(200, b"", Transfer_Encoding="chunked")
        for place in range(0, 5000, 1000):
            self.wfile.write(b"3e8\r\n" + Server.picture[place : place + 1000] + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def exactly_as_large(self) -> None:
        self.answer(200, b"x" * LIMIT, Content_Length=str(LIMIT))

    def without_a_length(self) -> None:
        self.answer(200, b"x" * LIMIT, Content_Length="many", Content_Encoding="Identity")

    def three_times(self) -> None:
        self.answer(302, Location="twice")

    def twice(self) -> None:
        self.answer(302, Location="to-picture")

    def a_part(self) -> None:
        self.answer(206, b"half")

    def nowhere(self) -> None:
        self.answer(302)

    def stalls(self) -> None:
        self.answer(200, b"half", Content_Length="100")
        Server.is_over.wait(20)

    def gone(self) -> None:
        self.answer(410)

    def to_picture(self) -> None:
        self.answer(302, Location="/picture-png", Set_Cookie="a=b")

    def to_itself(self) -> None:
        self.answer(302, Location="/to-itself")

    def to_metadata(self) -> None:
        self.answer(302, Location="http://169.254.169.254/latest/meta-data")

    def to_file(self) -> None:
        self.answer(302, Location="file:///etc/passwd")

    def says_too_much(self) -> None:
        self.answer(200, Content_Length=str(LIMIT + 1))

    def endless(self) -> None:
        self.answer(200)
        for _ in range(1000):
            self.wfile.write(b"x" * 10_000)

    def packed(self) -> None:
        self.answer(200, gzip.compress(bytes(10**7)), Content_Encoding="gzip")

    def short(self) -> None:
        self.answer(200, b"half", Content_Length="100")

    def drips(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for _ in range(200):
            self.wfile.write(b"X: y\r\n")
            time.sleep(0.05)

    def log_message(self, *args: object) -> None:
        pass

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def nothing_asked(tmp_path) -> None:
    Server.asked.clear()
    Server.picture = media_files.saved(tmp_path, "a.png", media_files.photo(64, 64)).read_bytes()


def fetch(address: str, tmp_path, **kwargs) -> bytes:
    target = tmp_path / "fetched"
    size = fetching.fetch(address, target, limit=LIMIT, **{"allowed": here_only, **kwargs})
    assert target.stat().st_size == size
    return target.read_bytes()


@pytest.mark.parametrize("path", ["picture-png", "three-times"])
def test_a_file_is_fetched_as_it_is(path, server, tmp_path):
    assert fetch(f"{server}/{path}", tmp_path) == Server.picture
    for _, headers in Server.asked:
        assert headers["User-Agent"] == fetching.AGENT
        assert headers["Accept-Encoding"] == "identity"
        assert headers["Accept"] == "image/*, video/*, */*;q=0.1"
        assert "Cookie" not in headers
        assert "Authorization" not in headers


def test_neither_a_proxy_nor_credentials_of_this_machine_are_used(server, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login service password of-the-machine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody answers there
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert fetch(f"{server}/picture-png", tmp_path) == Server.picture
    assert "Authorization" not in Server.asked[-1][1]


@pytest.mark.parametrize("path", ["exactly-as-large", "without-a-length"])
def test_a_file_may_have_as_many_bytes_as_we_take(path, server, tmp_path):
    assert len(fetch(f"{server}/{path}", tmp_path)) == LIMIT


def test_an_address_that_falls_silent_is_not_waited_for(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "SILENCE", 0.3)
    Server.is_over.clear()
    started = time.monotonic()
    with pytest.raises(Invalid, match="could not be reached"):
        fetch(f"{server}/stalls", tmp_path)
    assert time.monotonic() - started < 15
    Server.is_over.set()


def test_a_file_in_chunks_is_fetched(server, tmp_path):
    assert fetch(f"{server}/chunked", tmp_path) == Server.picture[:5000]


@pytest.mark.parametrize(
    "path, sentence",
    [
        ("gone", "answered with an error (410). Check it, or upload the file."),
        ("a-part", "answered with an error (206)"),
        ("nowhere", "answered with an error (302)"),
        ("to-itself", "redirects too many times"),
        ("to-metadata", "not on the public internet"),
        ("to-file", "Must be an address like"),
        ("says-too-much", "more than 2 MB"),
        ("endless", "more than 2 MB"),
        ("packed", "sends the file compressed"),
        ("short", "could not be reached"),
    ],
)
def test_what_an_address_may_not_do_ends_in_a_sentence(path, sentence, server, tmp_path):
    with pytest.raises((Invalid, TooLarge)) as refused:
        fetch(f"{server}/{path}", tmp_path)
    words = " ".join([str(refused.value), *(fault.message for fault in refused.value.faults)])
    assert sentence in words
    assert sum(file.stat().st_size for file in tmp_path.glob("fetched*")) <= LIMIT
    assert len(Server.asked) == {"to-itself": 1 + 3}.get(path, 1)


def test_a_full_disk_of_ours_is_no_fault_of_the_address(server):
    with pytest.raises(OSError, match="No space left"):
        fetching.fetch(f"{server}/picture-png", Path("/dev/full"), limit=LIMIT, allowed=here_only)


def test_headers_that_never_end_are_cut_off(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "HEADERS", 0.5)
    started = time.monotonic()
    with pytest.raises(Invalid):
        fetch(f"{server}/drips", tmp_path)
    assert time.monotonic() - started < 9


def test_a_body_that_takes_too_long_is_cut_off(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TOTAL", 0)
    with pytest.raises(Invalid, match="too slowly"):
        fetch(f"{server}/picture-png", tmp_path)


@contextmanager
def nobody_connects(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Connections are noted instead of made: none of these addresses is ever asked, whatever breaks."""
    tried: list[object] = []

    def connect(self: socket.socket, address: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        yield tried


NOT_PUBLIC = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",  # noqa: S104
    "localhost",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.88.99.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:10.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[64:ff9b::a00:1]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fec0::1]",
    "[ff02::1]",
]


def test_nothing_but_the_public_net_is_asked(tmp_path, monkeypatch):
    with nobody_connects(monkeypatch) as tried:
        for address in (f"{scheme}://{host}/a.png" for host in NOT_PUBLIC for scheme in ("http", "https")):
            with pytest.raises(Invalid):
                fetch(address, tmp_path, allowed=is_public)
            assert tried == [], address


def test_a_name_that_turns_private_is_asked_at_the_address_that_was_checked(server, tmp_path, monkeypatch):
    """The first look-up answers this machine, which the test allows; every later one another host."""
    real, answers = socket.getaddrinfo, iter(["127.0.0.1"])
    port = int(server.rpartition(":")[2])

    def look_up(host: str, *args: object, **kwargs: object):
        return real(next(answers, "10.0.0.1") if host == "turns.example" else host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert fetch(f"http://turns.example:{port}/picture-png", tmp_path) == Server.picture
    with nobody_connects(monkeypatch) as tried, pytest.raises(Invalid):
        fetch(f"http://turns.example:{port}/picture-png", tmp_path)
    assert tried == []


@pytest.mark.django_db(transaction=True)
def test_an_upload_by_address_becomes_media_or_says_why_not(server, api, monkeypatch, settings):
    def outcome(path: str) -> dict:
        body = {"kind": "picture", "sourceUrl": f"{server}/{path}"}
        begun = api.call("POST", "/uploads", body)
        assert begun.status_code == 201, begun.content
        assert (begun.json()["state"], begun.json()["uploadUrl"]) == ("checking", None)
        check_uploads()
        return api.get(f"/uploads/{begun.json()['id']}").json()

    refused = outcome("picture-png")
    assert (refused["state"], refused["error"]) == ("refused", fetching.NOT_PUBLIC)
    assert Server.asked == []
    real = fetching.fetch
    monkeypatch.setattr(fetching, "fetch", lambda *a, **k: real(*a, **k, allowed=here_only))
    taken = outcome("picture-png?size=large")
    assert taken["state"] == "ready", taken
    asset = Asset.objects.get(pk=taken["mediaId"])
    assert (asset.filename, asset.bytes) == ("picture-png", len(Server.picture))
    assert taken["size"] == taken["offset"] == asset.bytes
    assert outcome("gone")["error"].startswith("This address answered with an error (410).")
    settings.MEDIA_QUOTA = {"pro": asset.bytes + 1}
    assert (outcome("picture-png?size=large&another")["state"], Asset.objects.count()) == ("refused", 1)
    settings.MEDIA_QUOTA = {"pro": 2 * asset.bytes}
    assert outcome("picture-png?size=large&another")["state"] == "ready", "to the last byte"
    settings.MAX_BYTES = {"picture": asset.bytes - 1, "film": asset.bytes}
    words = "This file has more than 0 MB, the most we take. Make it smaller."
    assert outcome("picture-png")["error"] == words
    assert not Upload.objects.under_way().exists()


@pytest.mark.django_db(transaction=True)
def test_no_connection_of_the_database_is_held_while_a_file_is_fetched(server, api, monkeypatch):
    """Each beat gives it back."""
    real, held = fetching.fetch, []

    def fetch_here(*args, beat, **more):
        def beats() -> None:
            beat()
            held.append(connection.connection is not None)

        return real(*args, beat=beats, allowed=here_only, **more)

    monkeypatch.setattr(fetching, "fetch", fetch_here)
    monkeypatch.setattr(checking, "BEAT", 0)
    api.call("POST", "/uploads", {"kind": "picture", "sourceUrl": f"{server}/picture-png"})
    check_uploads()
    assert Upload.objects.get().state == "ready"
    assert held and not any(held)


def by_address(api, number: int):
    return api.call(
        "POST", "/uploads", {"kind": "picture", "sourceUrl": f"https://pictures.example/{number}.png"}
    )


@pytest.mark.parametrize("was_tried", [False, True])
def test_an_address_that_nobody_fetches_now_can_be_cancelled(was_tried, api, monkeypatch):
    address = f"/uploads/{by_address(api, 1).json()['id']}/content"
    if was_tried:  # and is put off

        def fails(*args, **kwargs):
            raise OSError("Our storage does not answer.")

        monkeypatch.setattr(checking.fetching, "fetch", fails)
        check_uploads()
        assert Upload.objects.get().lease_until is not None
    assert api.call("DELETE", address).status_code == 204
    assert not Upload.objects.exists()


def test_an_address_that_is_being_fetched_is_not_cancelled(api):
    upload = by_address(api, 1).json()["id"]
    Upload.objects.take(upload, 60)
    assert api.call("DELETE", f"/uploads/{upload}/content").status_code == 423


@pytest.mark.parametrize("address", ["http://[::1/b.jpg", "http://℀.example/b.jpg"])
def test_what_is_no_address_is_refused_also_where_no_filename_is_given(address, api):
    answer = api.call("POST", "/uploads", {"kind": "picture", "sourceUrl": address})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json()["details"]] == ["sourceUrl"]
