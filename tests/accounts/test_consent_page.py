"""What the consent page tells a person about an app, whatever the app says about itself."""

from __future__ import annotations

import json

import pytest

from accounts.oauth import client_names
from tests.support.oauth import App, one_line, register

pytestmark = pytest.mark.django_db


def shown(owner, told, redirect_uri):
    app = App(owner, client_id=told["client_id"])
    answer = app.browser.get(app.authorize_url(redirect_uri=redirect_uri))
    assert answer.status_code == 200
    return one_line(answer)


@pytest.mark.parametrize(
    "registered, requested, words",
    [
        (
            ["https://ink.example/cb", "https://beta.ink.example/cb"],
            "https://beta.ink.example/cb",
            "<strong>beta.ink.example</strong>",
        ),
        (
            ["https://ink.example/cb", "cursor://x/cb"],
            "cursor://x/cb",
            "<strong>whichever app on your device opens “cursor:” links</strong>",
        ),
        (
            ["https://ink.example/cb", "http://127.0.0.1/cb"],
            "http://127.0.0.1:9/cb",
            "<strong>a program on your own device</strong>",
        ),
    ],
)
def test_the_page_tells_where_this_answer_goes_not_where_another_might(
    registered, requested, words, owner, client
):
    page = shown(owner, register(client, redirect_uris=registered), requested)
    assert f"Your answer goes to {words}" in page
    assert "<strong>ink.example</strong>" not in page


@pytest.mark.parametrize(
    "uris",
    [
        ["https://claude.ai/api/cb", "https://evil.example/cb"],
        ["https://claude.ai/cb", "https://evilclaude.ai/cb"],
        ["https://a.claude.ai/cb", "https://b.claude.ai/cb"],
    ],
)
def test_a_registration_has_one_site(uris, client):
    answer = client.post(
        "/oauth/register", json.dumps({"redirect_uris": uris}), content_type="application/json"
    )
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_redirect_uri"


@pytest.mark.parametrize(
    "name",
    [
        "\u200b",
        "Claude\u200b",
        "\u202eedualC",
        "a\x07",
        "\u3164",
        "\u2800",
        "a\u2028b",
        "\ue000 logo",
        "\u0301",
        "Capsules",
        "CAPSULES",
        "Сарsulеѕ",
        "Ｃａｐｓｕｌｅｓ",
        "C.a.p.s.u.l.e.s",
        "Claude (verified by Capsules)",
        "Capsu1es",
    ],
)
def test_a_name_that_hides_something_or_is_ours_cannot_be_registered(name, client):
    body = json.dumps({"client_name": name, "redirect_uris": ["https://ink.example/cb"]})
    answer = client.post("/oauth/register", body, content_type="application/json")
    assert answer.status_code == 400, answer.content
    assert "client_name" in answer.json()["error_description"]


@pytest.mark.parametrize(
    "name", ["Ink", "Émile’s App", "Quill 2.0 – 写作", "日本", "مكتب", "★ Notes", "Capsule helper"]
)
def test_a_name_in_any_language_can_be_registered(name, client):
    assert register(client, client_name=name)["client_name"] == name


@pytest.mark.parametrize(
    "double", ["Claude", "CLAUDE", "Сlaude", "CIaude", "C1aude", "Clаudе", "Çlaude", "Ｃlaude", "Claude."]
)
def test_the_page_warns_of_a_name_that_looks_like_that_of_a_connected_app(double, owner, client):
    App(owner, client_id=register(client, client_name="Claude")["client_id"]).connect()
    page = shown(owner, register(client, client_name=double), "https://ink.example/callback")
    assert "another app with the same name, or one that looks like it" in page


def test_different_names_are_not_taken_for_one_another(owner, client):
    App(owner, client_id=register(client, client_name="Claude")["client_id"]).connect()
    page = shown(owner, register(client, client_name="Claudia"), "https://ink.example/callback")
    assert "another app with the same name" not in page
    assert not client_names.look_alike("", "")
    assert client_names.look_alike("★", "★") and not client_names.look_alike("★", "☆")


def test_the_list_of_apps_names_every_place_that_answers_may_go_to(owner, client):
    told = register(client, redirect_uris=["https://ink.example/cb", "cursor://x/cb", "http://127.0.0.1/cb"])
    app = App(owner, client_id=told["client_id"], redirect="https://ink.example/cb").connect()
    assert "ink.example, cursor:, this device" in app.browser.get("/account/connected-apps").content.decode()
