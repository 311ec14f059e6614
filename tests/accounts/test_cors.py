"""Which of our addresses a page of another origin may call, and what a browser is told about them."""

from __future__ import annotations

import pytest

from accounts.oauth import cors

pytestmark = pytest.mark.django_db


def test_browser_apps_may_call_the_token_endpoint_and_the_api_but_not_the_consent_page(client):
    asked = {"Origin": "https://ink.example", "Access-Control-Request-Method": "POST"}
    for path in ("/oauth/token", "/oauth/register", "/oauth/revoke", "/api/v2/me"):
        answer = client.options(path, headers=asked)
        assert answer.status_code == 204 and answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer
    assert "Access-Control-Allow-Origin" not in client.options("/oauth/authorize", headers=asked)
    refused = client.get("/api/v2/me", headers={"Origin": "https://ink.example"})
    assert "WWW-Authenticate" in refused["Access-Control-Expose-Headers"]


def test_a_browser_learns_what_an_app_may_send_and_read_and_no_more(client):
    origin = {"Origin": "https://ink.example"}

    def told(answer) -> dict[str, str]:
        return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}

    preflight = client.options("/api/v2/me", headers={**origin, "Access-Control-Request-Method": "PUT"})
    assert (preflight.status_code, preflight.content) == (204, b"")
    assert told(preflight) == {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": cors.METHODS,
        "Access-Control-Allow-Headers": cors.SENT_HEADERS,
        "Access-Control-Max-Age": "3600",
    }
    answer = client.get("/api/v2/health", headers={**origin, "Access-Control-Request-Method": "GET"})
    assert answer.json() and told(answer) == {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": cors.SHOWN_HEADERS,
    }
    assert client.options("/api/v2/health", headers=origin).status_code != 204
    # A cache keeps the feed, and must not give a page of another origin what nobody's page asked for.
    assert [client.get("/api/v2/feed", headers=sent)["Vary"] for sent in ({}, origin)] == ["Origin"] * 2
    assert told(client.get("/api/v2/health")) == told(client.get("/explore", headers=origin)) == {}
