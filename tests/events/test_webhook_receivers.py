"""Receivers that misbehave cost little, and no address inside is ever called."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import tracemalloc

import pytest

from accounts.models import Webhook
from accounts.webhooks import calling, sending
from config.errors import Invalid

pytestmark = pytest.mark.django_db


def test_what_a_bad_receiver_costs_is_bounded(hooks, there, monkeypatch):
    def trickle(handler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.1)

    def huge(handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**10))
        handler.end_headers()
        for _ in range(10**10 // 10**6):
            handler.wfile.write(b"y" * 10**6)

    def inward(handler) -> None:
        handler.send_response(302)
        handler.send_header("Location", "http://169.254.169.254/latest/meta-data")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    told = {}
    hook = hooks.make(there)
    for answer, patience in ((trickle, 0.6), (huge, 60), (inward, 60)):
        monkeypatch.setattr(calling, "EXCHANGE", patience)
        there.answer = answer
        hooks.call("POST", hook, "/test", {}, status=201)
        begun = time.monotonic()
        sending.send_due_webhooks()
        assert time.monotonic() - begun < 9  # a trickle lasts ten
        delivery = hooks.call("GET", hook, "/deliveries?limit=1")["items"][0]
        told[answer.__name__] = (delivery["state"], delivery["attempts"][0]["status"])
        assert len(delivery["attempts"][0]["answer"]) <= 1024
    assert told == {
        "trickle": ("failed", None),
        "huge": ("done", 200),
        "inward": ("failed", 302),
    }


#: Each would reach something of ours, or of the machine's own network.
TRICKS = [
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:a00:1]/",
    "http://0.0.0.0/",
    "http://0/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://[64:ff9b::a00:1]/",
    "http://[2002:a00:1::]/",
    "http://167772161/",
    "http://0x0a000001/",
    "http://012.0.0.1/",
    "http://224.0.0.1/",
]
MALFORMED = [
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:secret@example.com/",
    "https://example.com:22/",
    "https://[::1",
    "https://[fe80::1%25lo]/",
    "gopher://x/",
    "",
    "https://exam\tple.com/",
    "https://example.com/\nhooks",
    "https://example.com/two words",
    "https://example.com/\u00a0",
    "https://example.com/#part",
]


def test_no_address_inside_is_called_at_save_or_at_send(hooks, there, api, monkeypatch, settings):
    for url in [*TRICKS, *MALFORMED]:
        with pytest.raises(Invalid):
            calling.check_url(url)
    refused = api.call("POST", hooks.path, {"url": TRICKS[0]})
    assert (refused.status_code, refused.json()["details"][0]["path"]) == (400, "url")
    hook = hooks.make(there)
    monkeypatch.setattr(socket.socket, "connect", lambda *args: pytest.fail(f"connects to {args[1]}"))
    for url in [*TRICKS, *MALFORMED]:
        Webhook.objects.update(url=url)
        outcome = calling.Caller().call(url, b"{}", {})
        assert outcome.status is None and outcome.error, url
    look_up = socket.getaddrinfo

    def turned(host, *args, **kwargs):
        return look_up("10.0.0.1" if host == "rebound.example" else host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", turned)
    assert calling.Caller().call("http://rebound.example/", b"{}", {}).error == calling.PRIVATE
    settings.FETCH_PRIVATE = []
    assert calling.Caller().call(there.url, b"{}", {}).status is None
    assert api.call("POST", hooks.path, {"url": there.url}).status_code == 400
    settings.DEVELOPMENT = False
    assert api.call("POST", hooks.path, {"url": "http://1.1.1.1/"}).status_code == 400
    assert calling.Caller().call("http://1.1.1.1/", b"{}", {}).error == calling.PRIVATE
    assert hook["url"] == there.url


def test_one_try_takes_no_longer_than_an_exchange_may(hooks, there, monkeypatch):
    """Also where a kept connection turns out to be closed, and where the look-up of the name hangs.

    Of the first the clock leaps instead of waiting, so that a busy machine has seconds for each step.
    """
    clock, leaps, is_over = time.monotonic, [], threading.Event()
    monkeypatch.setattr(time, "monotonic", lambda: clock() + sum(leaps))
    caller = calling.Caller()
    assert caller.call(there.url, b"{}", {}).is_taken

    def close_late(handler) -> None:
        if leaps:
            is_over.wait(60)
        else:
            leaps.append(calling.EXCHANGE - 2)
        handler.close_connection = True

    look_up = socket.getaddrinfo

    def hangs(host, *args, **kwargs):
        if host == "slow.example":
            is_over.wait(60)
        return look_up("127.0.0.1", *args, **kwargs)

    there.answer = close_late
    try:
        outcome = caller.call(there.url, b"{}", {})
        assert (outcome.status, len(there.got)) == (None, 3) and outcome.ms < calling.EXCHANGE * 1300
        monkeypatch.setattr(calling, "EXCHANGE", 2.0)
        monkeypatch.setattr(socket, "getaddrinfo", hangs)
        outcome = caller.call("http://slow.example/", b"{}", {})
        assert outcome.error == "It did not answer within 2.0 seconds."
        assert outcome.ms < 4000, "twice as long, or as long as a connection may take"
    finally:
        is_over.set()


def test_a_name_that_does_not_resolve_is_said_so(monkeypatch):
    def unknown(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert calling.Caller().call("http://nobody.example/", b"{}", {}).error == "Its name does not resolve."


def test_no_address_of_a_webhook_is_in_the_log_of_the_service(hooks, there, caplog):
    """Its path may be a secret, and urllib3 warns of a broken answer with the whole address."""

    def broken(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nnot a header at all\r\n\r\n")
        handler.close_connection = True

    hooks.make(there)
    there.answer = broken
    hooks.tell()
    with caplog.at_level("DEBUG"):
        sending.send_due_webhooks()
    assert len(there.got) == 1 and "/hooks" not in caplog.text


def test_a_gzip_bomb_stays_packed(hooks, there):
    """16 KiB that unpack to 16 MB."""
    packed = gzip.compress(b"0" * 16 * 2**20, 9)
    assert len(packed) > 15_000
    there.text, there.headers, there.status = packed, {"Content-Encoding": "gzip"}, 200
    hook = hooks.make(there)
    hooks.tell()
    tracemalloc.start()
    try:
        sending.send_due_webhooks()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    (delivery,) = hooks.call("GET", hook, "/deliveries")["items"]
    assert delivery["state"] == "done" and len(delivery["attempts"][0]["answer"]) <= 1024 and peak < 2 * 2**20
