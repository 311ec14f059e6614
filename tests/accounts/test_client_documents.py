"""Clients that describe themselves by a document: who makes us fetch it, from where, and what the person is shown."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from datetime import timedelta

import pytest
import time_machine
from django.core.checks import run_checks
from django.db import connection
from django.utils import timezone
from oauth2_provider import cimd

from accounts.oauth import documents
from config import addresses
from tests.support.oauth import REDIRECT, App, one_line

pytestmark = pytest.mark.django_db


def test_a_client_document_is_never_fetched_from_an_inner_address(app):
    for client_id in (
        "https://127.0.0.1/client.json",
        "https://localhost/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
        "https://10.0.0.8:8443/client.json",
        "https://[::ffff:127.0.0.1]/c",
    ):
        answer = app.browser.get(app.authorize_url(client_id=client_id))
        assert answer.status_code == 400, client_id
        assert not documents.Application.objects.filter(client_id=client_id).exists(), client_id


def test_the_service_does_not_start_where_the_library_asks_another_rule(monkeypatch):
    def found() -> list[str]:
        return [fault.id for fault in run_checks() if fault.id == "accounts.E001"]

    assert found() == []
    with monkeypatch.context() as patch:
        patch.setattr(cimd, "_ip_is_public", lambda address: True)
        assert found() == ["accounts.E001"]
    with monkeypatch.context() as patch:  # a release that asks by another name
        patch.setattr(cimd, "_resolve_and_validate", lambda hostname, port: [])
        assert found() == ["accounts.E001"]


DOCUMENT = "https://quill.example/client.json"


def serve_document(monkeypatch: pytest.MonkeyPatch, **changes: object) -> list[str]:
    """Stands in for the public web, which tests cannot reach; returns the addresses that were asked for."""
    asked: list[str] = []

    def fetch(fetcher: object, client_id: str) -> tuple[dict, int]:
        asked.append(client_id)
        document = {
            "client_id": DOCUMENT,
            "client_name": "Quill",
            "client_uri": "https://quill.example",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "none",
        }
        return {**document, **changes}, 300

    monkeypatch.setattr(documents.SafeMetadataFetcher, "fetch", fetch)
    return asked


def test_a_client_that_describes_itself_by_a_document_connects_and_is_asked_once(owner, monkeypatch, api):
    asked = serve_document(monkeypatch)
    app = App(owner, client_id=DOCUMENT).connect()
    assert app.me() == 200 and app.refresh().status_code == 200
    assert asked == [DOCUMENT]
    item = api.get("/connected-apps").json()["items"][0]
    assert (item["clientName"], item["clientUri"]) == ("Quill", "https://quill.example")
    documents.Application.objects.update(cimd_expires_at=timezone.now())
    app.browser.get(app.authorize_url())
    assert asked == [DOCUMENT] * 2


def test_a_document_is_kept_as_long_as_it_says_and_then_renewed(app, monkeypatch):
    now = timezone.now()
    for seconds, told, fetched, known in (
        (0, "Quill", [DOCUMENT], "Quill"),
        (290, "Pen", [], "Quill"),
        (310, "Pen", [DOCUMENT], "Pen"),
    ):
        asked = serve_document(monkeypatch, client_name=told)
        with time_machine.travel(now + timedelta(seconds=seconds), tick=False):
            assert app.browser.get(app.authorize_url(client_id=DOCUMENT)).status_code == 200
        assert asked == fetched
        client = documents.Application.objects.get(client_id=DOCUMENT)
        assert client.name == known and client.registration_source == "cimd"


def test_a_document_out_of_reach_is_left_alone_for_a_minute_and_others_are_not(app, monkeypatch):
    now = timezone.now()
    asked = serve_document(monkeypatch, client_secret="x")
    other = DOCUMENT.replace("client", "other")
    for seconds, client_id in ((0, DOCUMENT), (50, DOCUMENT), (50, other), (70, DOCUMENT)):
        with time_machine.travel(now + timedelta(seconds=seconds), tick=False):
            app.browser.get(app.authorize_url(client_id=client_id))
    assert asked == [DOCUMENT, other, DOCUMENT]


def test_where_too_many_documents_are_being_fetched_none_is_waited_for(app, monkeypatch):
    asked = serve_document(monkeypatch)
    with ExitStack() as busy:
        for _ in range(4):
            busy.enter_context(documents.slots)
        assert app.browser.get(app.authorize_url(client_id=DOCUMENT)).status_code == 400
        assert asked == []
    assert app.browser.get(app.authorize_url(client_id=DOCUMENT)).status_code == 200


def test_the_longest_address_names_a_document_and_a_longer_one_does_not():
    longest = DOCUMENT + "x" * (255 - len(DOCUMENT))
    assert documents.is_document_id(longest) and not documents.is_document_id(longest + "x")


WRONG = [
    {"client_id": "https://quill.example/other.json"},
    {"token_endpoint_auth_method": "client_secret_post"},
    {"client_secret": "x"},
    {"redirect_uris": ["javascript:alert(1)"]},
    {"redirect_uris": []},
]


def test_a_wrong_client_document_makes_no_client_and_is_not_asked_for_again_at_once(app, monkeypatch):
    for number, changes in enumerate(WRONG):
        address = f"https://quill.example/{number}.json"
        asked = serve_document(monkeypatch, **{"client_id": address, **changes})
        for _ in range(2):
            assert app.browser.get(app.authorize_url(client_id=address)).status_code == 400, changes
        assert asked == [address], changes


FROM_STRANGERS = [
    {"grant_type": "refresh_token", "refresh_token": "x"},
    {"grant_type": "authorization_code", "code": "x", "response_type": "code"},
    {"grant_type": "refresh_token", "refresh_token": "x", "response_type": "code"},
    {"token": "x", "response_type": "code"},
    {"token": "x"},
]


def test_a_stranger_never_makes_the_service_fetch_a_document(app, client, monkeypatch):
    asked = serve_document(monkeypatch)
    page = app.authorize_url(client_id=DOCUMENT)
    client.get(page)
    client.post(page, {"answer": "allow"})
    for data in FROM_STRANGERS:
        for path in ("/oauth/token", "/oauth/revoke"):
            client.post(path, {**data, "client_id": DOCUMENT})
            client.post(f"{path}?response_type=code&client_id={DOCUMENT}", {**data, "client_id": DOCUMENT})
        assert asked == [], data


@pytest.mark.django_db(transaction=True)
def test_a_document_is_fetched_while_no_transaction_is_open_and_without_a_connection(owner, monkeypatch):
    open_then: list[bool] = []

    def fetch(fetcher: object, client_id: str) -> tuple[dict, int]:
        open_then.append(connection.in_atomic_block or connection.connection is not None)
        raise documents.CIMDError("away")

    monkeypatch.setattr(documents.SafeMetadataFetcher, "fetch", fetch)
    app = App(owner)
    app.browser.get(app.authorize_url(client_id=DOCUMENT))
    assert open_then == [False]


NO_DOCUMENTS = [
    "https://сlaude.ai/client.json",  # its first letter is Cyrillic
    "https://claude\u200b.ai/client.json",
    "https://quill.example:8443/client.json",
    "https://claude.ai@quill.example/client.json",
    "https://quill.example",
    "https://*.quill.example/c",
    "https://quill.example/ü",
    "HTTPS://quill.example/client.json",
    "http://quill.example/client.json",
]


def test_only_a_plain_address_in_ascii_names_a_document(app, monkeypatch):
    for client_id in NO_DOCUMENTS:
        asked = serve_document(monkeypatch, client_id=client_id)
        assert app.browser.get(app.authorize_url(client_id=client_id)).status_code == 400, client_id
        assert asked == [], client_id
        assert not documents.Application.objects.filter(client_id=client_id).exists(), client_id


INNER = [
    "127.0.0.1",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b:1::1",
    "64:ff9b::a00:1",
    "ff02::1",
    "224.0.0.1",
    "192.88.99.1",
    "2002:a00:1::",
    "169.254.169.254",
    "100.64.0.1",
    "fd00::1",
    "0.0.0.0",  # noqa: S104
    "2001:0:a00:1::1",
    "240.0.0.1",
    "255.255.255.255",
    "fe80::1%eth0",
    "nonsense",
]


@pytest.mark.parametrize("inner", ["127.0.0.1", "::ffff:10.0.0.1", "nonsense"])
def test_a_host_that_resolves_to_an_inner_address_is_never_connected_to(inner, app, monkeypatch):
    def resolve(host: str, port: int, **kwargs: object) -> list[tuple]:
        family = socket.AF_INET6 if ":" in inner else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (inner, port))]

    def connect(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"connected to {inner}")

    monkeypatch.setattr(cimd.socket, "getaddrinfo", resolve)
    monkeypatch.setattr(cimd.urllib3, "HTTPSConnectionPool", connect)
    assert app.browser.get(app.authorize_url(client_id=DOCUMENT)).status_code == 400


def test_addresses_of_the_public_net_are_public_and_others_are_not():
    outer = ["93.184.216.34", "1.1.1.1", "2606:4700::6810:85e5", "2a00:1450:4001:830::200e"]
    assert [address for address in [*INNER, *outer] if addresses.is_public(address)] == outer


# --- What the person is shown ----------------------------------------------------------------------------------


def test_the_page_names_both_hosts_and_warns_where_they_differ(app, monkeypatch):
    serve_document(monkeypatch)
    page = one_line(app.browser.get(app.authorize_url(client_id=DOCUMENT)))
    assert (
        "goes to <strong>ink.example</strong>" in page
        and "described at <strong>quill.example</strong>" in page
    )
    assert "These are two different sites" in page


def test_the_page_does_not_warn_where_a_document_sends_the_answer_home(app, monkeypatch):
    home = "https://quill.example/cb"
    serve_document(monkeypatch, redirect_uris=[home])
    page = one_line(app.browser.get(app.authorize_url(client_id=DOCUMENT, redirect_uri=home)))
    assert "goes to <strong>quill.example</strong>" in page and "two different sites" not in page


def test_a_document_may_send_the_answer_to_a_program_on_the_device(app, monkeypatch):
    serve_document(monkeypatch, redirect_uris=["http://127.0.0.1/cb"])
    where = "http://127.0.0.1:51004/cb"
    page = one_line(app.browser.get(app.authorize_url(client_id=DOCUMENT, redirect_uri=where)))
    assert "a program on your own device" in page and "described at <strong>quill.example</strong>" in page
