"""What the OAuth server refuses: redirect tricks, downgrades, replays, forged tokens, frames and forgeries of forms."""

from __future__ import annotations

import json
import re

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import AccessToken, Application, Connection, Grant
from accounts.oauth import redirects
from tests.support.oauth import App, query_of, register

pytestmark = pytest.mark.django_db


# --- Redirect addresses ----------------------------------------------------------------------------------------


TRICKS = [
    "https://ink.example/callback/more",
    "https://ink.example/callback/",
    "https://ink.example/",
    "https://ink.example/callback?next=evil",
    "https://ink.example/callback?",
    "https://ink.example/callback#part",
    "https://ink.example/callback#",
    "https://ink.example/CALLBACK",
    "https://INK.example/callback",
    "HTTPS://ink.example/callback",
    "https://evil@ink.example/callback",
    "https://ink.example@evil.example/callback",
    "https://ink.example:8443/callback",
    "https://ink.example:443/callback",
    "https://ink.example/x/%2e%2e/callback",
    "https://ink.example/x/../callback",
    "https://ink.example/callback/%2E",
    "https://ink.example\\@evil.example/callback",
    "https://ink.example.evil.example/callback",
    "https://sub.ink.example/callback",
    "http://ink.example/callback",
    "//ink.example/callback",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://ink.example/callback;x=1",
    "https://ink.example/callback\n",
    " https://ink.example/callback",
    "https://ink.example/cal%6Cback",
]
#: What a page or a library could take for another, before ours is asked.
ASKED = [
    "https://ink.example/callback/more",
    "https://ink.example/callback#",
    "https://ink.example.evil.example/callback",
    "javascript:alert(1)",
    "https://ink.example/callback\n",
    " https://ink.example/callback",
]


def test_only_the_registered_redirect_address_is_answered(app):
    client = Application.objects.get(client_id=app.client_id)
    assert client.redirect_uri_allowed(app.redirect)
    assert [trick for trick in TRICKS if client.redirect_uri_allowed(trick)] == []
    answers = {trick: app.browser.get(app.authorize_url(redirect_uri=trick)) for trick in ASKED}
    url = app.authorize_url(redirect_uri=TRICKS[0])
    answers["allowed"] = app.browser.post(url, {"answer": "allow"})
    for trick, answer in answers.items():
        assert answer.status_code == 400 and "Location" not in answer, trick
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "registered, requested, allowed",
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", True),
        ("http://[::1]/cb", "http://[::1]:9/cb", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/other", False),
        ("com.example.app:/cb", "com.example.app:/cb", True),
    ],
)
def test_native_apps_choose_their_port_and_nothing_else(registered, requested, allowed, owner, client):
    told = register(client, redirect_uris=[registered])
    app = App(owner, client_id=told["client_id"], redirect=requested)
    answer = app.consent()
    if not allowed:
        assert answer.status_code == 400 and "Location" not in answer
        return
    assert answer["Location"].startswith(f"{requested}?code=")
    assert app.exchange(query_of(answer)["code"]).status_code == 200


DANGEROUS = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x",
    "http://ink.example/cb",
    "http://10.0.0.1/cb",
    "https://user:pass@ink.example/cb",
    "https://ink.example/cb#frag",
    "https://ink.example/../cb",
    "https://ink.example/%2E%2E/cb",
    "https://",
    "https:/ink.example/cb",
    "ink.example/cb",
    "",
    "https://ink.example/c b",
    "intent://scan#Intent",
    "https://*.ink.example/cb",
    "https://ink..example/cb",
    "https://-ink.example/cb",
    "https://ink.example:0/cb",
    "http://127.0.0.1:0/cb",
    "ms-msdt:/id",
    "search-ms://query",
    "moz-extension://x/cb",
    "x:/y",
    "evilapp://cb",
]


def test_a_dangerous_redirect_address_cannot_be_registered(client):
    assert [uri for uri in DANGEROUS if not redirects.redirect_fault(uri)] == []
    for uri in ("javascript:alert(1)", "http://ink.example/cb", ""):
        body = json.dumps({"redirect_uris": [uri]})
        answer = client.post("/oauth/register", body, content_type="application/json")
        assert answer.status_code == 400, uri


def connect_and_forget(app: App) -> None:
    """The person knows the app; no code is left of it."""
    app.connect()
    Grant.objects.all().delete()


# --- Requests --------------------------------------------------------------------------------------------------


S256 = [
    ({"code_challenge": None, "code_challenge_method": None}, ""),
    ({"code_challenge": None}, ""),
    ({"code_challenge_method": "plain"}, "The code_challenge_method must be S256."),
    ({"code_challenge_method": None}, "The code_challenge_method must be S256."),
    ({"code_challenge_method": "s256"}, ""),
    ({"code_challenge": "short"}, "The code_challenge is not a SHA-256 hash in base64url."),
]


def test_a_request_without_s256_is_refused(app):
    connect_and_forget(app)
    for changes, why in S256:
        told = query_of(app.consent(**changes))
        assert told["error"] == "invalid_request" and "code" not in told, changes
        assert told["iss"] == settings.BASE_URL, changes
        assert why in told["error_description"], "in our words, or those of the library"
    assert not Grant.objects.exists()


def test_nonsense_at_the_consent_page_is_a_client_error(app):
    for query in ("", "?client_id=nul%00", "?%", "?client_id=x&client_id=y", "?client_id=%ff"):
        assert app.browser.get(f"/oauth/authorize{query}").status_code == 400, query


def test_what_is_not_offered_is_refused_to_the_apps_face(app):
    app.connect()
    for changes in ({"response_type": "token"}, {"response_type": None}, {"scope": "everything"}):
        answer = app.browser.get(app.authorize_url(**changes))
        assert answer.status_code == 302 and "error" in query_of(answer), changes


def test_nobody_is_sent_on_to_an_app_that_they_never_connected(app, person):
    App(person("admin"), client_id=app.client_id).connect()
    faults = [{"response_type": "token"}, {"scope": "everything"}, {"code_challenge": "short"}]
    for changes in (*faults, {"prompt": "none"}):
        answer = app.browser.get(app.authorize_url(**changes))
        assert answer.status_code == 400 and "Location" not in answer, changes
        assert "This app cannot be connected" in answer.content.decode(), changes
    denied = app.browser.post(app.authorize_url(), {"answer": "deny"})
    assert query_of(denied)["error"] == "access_denied", "whoever answered goes back to the app"


def test_an_app_that_wants_no_page_is_told_that_there_is_always_one(app):
    app.connect()
    for prompt in ("none", "login none"):
        told = query_of(app.browser.get(app.authorize_url(prompt=prompt)))
        assert (told["error"], told["state"]) == ("interaction_required", "s1")
        assert told["error_description"] == "Access is only given by a person, on a page."


def test_nothing_skips_the_consent_page(app):
    app.connect()
    for extra in ({"prompt": "none"}, {"approval_prompt": "auto"}):
        answer = app.browser.get(app.authorize_url(**extra))
        assert "code=" not in answer.headers.get("Location", ""), extra
    assert not Grant.objects.filter(used_at__isnull=True).exists()


# --- The consent page ------------------------------------------------------------------------------------------


def test_consent_needs_the_forms_own_secret(app, owner):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner)
    app.browser = strict
    assert app.consent().status_code == 403
    assert not Connection.objects.exists()
    page = app.browser.get(app.authorize_url()).content.decode()
    secret = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
    answer = app.browser.post(app.authorize_url(), {"answer": "deny", "csrfmiddlewaretoken": secret})
    assert query_of(answer)["error"] == "access_denied"


def test_an_app_is_told_of_what_it_was_given_and_not_of_what_it_asked_for(app):
    told = app.exchange(app.code("publications:read publications:write", grant="publications:read")).json()
    assert told["scope"] == "publications:read"
    assert AccessToken.objects.get().scope == "publications:read"


def test_the_page_says_that_an_app_is_connected_already(app):
    again = "This app is connected already."
    assert again not in app.browser.get(app.authorize_url()).content.decode()
    app.connect()
    assert again in app.browser.get(app.authorize_url()).content.decode()
    nothing_ticked = app.browser.post(app.authorize_url(), {"answer": "allow"})
    assert nothing_ticked.status_code == 400 and again in nothing_ticked.content.decode()


NOT_TO_GRANT = [
    {"scopes": ["publications:read"]},
    {"workspaces": "own", "scopes": ["publications:read"]},
    {"workspaces": "own", "default": "own"},
    {"workspaces": "own", "default": "own", "scopes": ["connections:write"]},
    {"workspaces": "foreign", "default": "foreign", "scopes": ["publications:read"]},
]


def test_only_what_was_asked_in_ones_own_workspaces_can_be_granted(app, owner, person):
    ids = {"own": owner.memberships.get().pk, "foreign": person("stranger").memberships.get().pk}
    for answer in NOT_TO_GRANT:
        form = {name: ids[value] if isinstance(value, str) else value for name, value in answer.items()}
        refused = app.browser.post(app.authorize_url("publications:read"), {"answer": "allow", **form})
        assert refused.status_code == 400 and not Connection.objects.exists(), answer


def test_a_second_client_of_the_same_name_gets_nothing_of_the_first(app, owner):
    app.connect()
    double = App(owner)
    assert double.client_id != app.client_id

    page = double.browser.get(double.authorize_url())
    assert page.status_code == 200  # it is asked for, whatever the first was granted
    assert "another app with the same name" in page.content.decode()
    assert double.refresh(app.tokens["refresh_token"]).status_code == 400
    double.connect("publications:read")
    assert Connection.objects.live().count() == 2
