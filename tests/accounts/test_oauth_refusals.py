"""What the OAuth server refuses: redirect tricks, downgrades, replays, forged tokens, frames and forgeries of forms."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import AccessToken, Connection, Grant, RefreshToken, SecurityEvent
from accounts.oauth import redirects
from tests.support.oauth import REDIRECT, App, query_of, register

pytestmark = pytest.mark.django_db


@pytest.fixture
def app(owner):
    return App(owner)


# --- Redirect addresses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trick",
    [
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
    ],
)
def test_only_the_registered_redirect_address_is_answered(trick, app):
    for method in (app.browser.get, app.browser.post):
        answer = method(
            app.authorize_url(redirect_uri=trick), {"answer": "allow"} if method == app.browser.post else {}
        )
        assert answer.status_code == 400 and "Location" not in answer
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "registered, requested, allowed",
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", True),
        ("http://127.0.0.1:8000/cb", "http://127.0.0.1:51004/cb", True),
        ("http://localhost:3118/callback", "http://localhost:3118/callback", True),
        ("http://[::1]/cb", "http://[::1]:9/cb", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51004/other", False),
        ("http://127.0.0.1/cb", "http://localhost:51004/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:0/cb", False),
        ("cursor://anysphere.cursor/oauth/callback", "cursor://anysphere.cursor/oauth/callback", True),
        ("com.example.app:/cb", "com.example.app:/cb", True),
        ("com.example.app:/cb", "com.example.app:/cb2", False),
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


@pytest.mark.parametrize(
    "uri",
    [
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
    ],
)
def test_a_dangerous_redirect_address_cannot_be_registered(uri, client):
    body = json.dumps({"redirect_uris": [uri]})
    answer = client.post("/oauth/register", body, content_type="application/json")
    assert answer.status_code == 400
    assert redirects.fault(uri)


# --- PKCE and codes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, why",
    [
        ({"code_challenge": None, "code_challenge_method": None}, ""),
        ({"code_challenge": None}, ""),
        ({"code_challenge_method": "plain"}, "The code_challenge_method must be S256."),
        ({"code_challenge_method": None}, "The code_challenge_method must be S256."),
        ({"code_challenge_method": "s256"}, ""),
        ({"code_challenge": "short"}, "The code_challenge is not a SHA-256 hash in base64url."),
    ],
)
def test_a_request_without_s256_is_refused(changes, why, app):
    answer = app.consent(**changes)
    told = query_of(answer)
    assert told["error"] == "invalid_request" and "code" not in told and told["iss"] == settings.BASE_URL
    assert why in told["error_description"], "in our words, or those of the library"
    assert not Grant.objects.exists() and not Connection.objects.exists()


def test_a_code_needs_its_verifier(app):
    for changes in ({"code_verifier": None}, {"code_verifier": "x" * 50}):
        assert app.exchange(app.code(), **changes).status_code == 400
    code = app.code()
    challenge = Grant.objects.order_by("-pk").first().code_challenge
    assert app.exchange(code, code_verifier=challenge).status_code == 400  # downgraded to plain


def test_a_replayed_code_ends_the_tokens_it_gave(app):
    code = app.code()
    app.tokens = app.exchange(code).json()
    assert app.me() == 200

    assert app.exchange(code).status_code == 400
    assert app.me() == 401
    assert app.refresh().status_code == 400
    assert Connection.objects.get().ended_because == "reuse"


@pytest.mark.parametrize("changes", [{"redirect_uri": "https://ink.example/other"}, {"redirect_uri": None}])
def test_a_code_is_exchanged_for_the_same_redirect_address_only(changes, owner, client):
    told = register(client, redirect_uris=[REDIRECT, "https://ink.example/other"])
    app = App(owner, client_id=told["client_id"])
    assert app.exchange(app.code(), **changes).status_code == 400


def test_a_code_of_another_client_is_refused(app, owner):
    thief = App(owner)
    code = app.code()
    assert thief.exchange(code, code_verifier=app.verifier).status_code == 400
    assert app.exchange(code).status_code == 200


def test_a_used_code_in_the_hands_of_another_client_ends_nothing(app, owner):
    code = app.code()
    app.tokens = app.exchange(code).json()
    assert App(owner).exchange(code, code_verifier=app.verifier).status_code == 400
    assert app.me() == 200


def test_a_code_lives_a_minute(app):
    code = app.code()
    Grant.objects.update(expires=timezone.now())
    assert app.exchange(code).status_code == 400


# --- Refresh tokens --------------------------------------------------------------------------------------------


def test_a_refresh_rotates_and_the_old_token_ends_the_connection(app):
    app.connect()
    old = app.tokens["refresh_token"]
    rotated = app.refresh()
    assert rotated.status_code == 200 and rotated.json()["refresh_token"] != old
    app.tokens = rotated.json()
    assert app.me() == 200

    assert app.refresh(old).json()["error"] == "invalid_grant"
    assert app.me() == 401 and app.refresh().status_code == 400


def test_a_refresh_token_of_another_client_is_refused_and_stays_good(app, owner):
    app.connect()
    thief = App(owner)
    assert thief.refresh(app.tokens["refresh_token"]).status_code == 400
    assert app.refresh().status_code == 200


def test_a_used_refresh_token_in_the_hands_of_another_client_ends_nothing(app, owner):
    app.connect()
    old, app.tokens = app.tokens["refresh_token"], app.refresh().json()
    assert App(owner).refresh(old).status_code == 400
    assert app.me() == 200


def test_tokens_that_follow_one_another_are_one_family_to_the_library(app, owner):
    app.connect()
    app.tokens = app.refresh().json()
    assert app.refresh().status_code == 200
    App(owner).connect()
    families = RefreshToken.objects.order_by("pk").values_list("token_family", flat=True)
    assert None not in families
    assert [families[0] == family for family in families] == [True, True, True, False]


def test_a_refresh_cannot_widen_the_scope(app):
    app.connect("publications:read connections:read")
    wider = app.refresh(scope="publications:read publications:write")
    assert wider.json()["scope"] == "publications:read"
    app.tokens = wider.json()
    narrower = app.refresh(scope="publications:read")
    assert narrower.status_code == 200 and narrower.json()["scope"] == "publications:read"


def test_tokens_for_another_resource_are_refused(app):
    asked = query_of(app.browser.get(app.authorize_url(resource="https://elsewhere.example/")))
    assert asked["error"] == "invalid_target" and "protected_resources" in asked["error_description"]
    assert app.exchange(app.code(), resource="https://elsewhere.example/").json()["error"] == "invalid_target"
    app.tokens = app.exchange(
        app.code(resource=settings.TOKEN_AUDIENCE), resource=settings.TOKEN_AUDIENCE
    ).json()
    assert app.me() == 200


def test_an_app_cannot_give_back_the_tokens_of_another(app, owner):
    app.connect()
    other = App(owner)
    answer = other.http.post(
        "/oauth/revoke", {"token": app.tokens["refresh_token"], "client_id": other.client_id}
    )
    assert answer.status_code == 200 and app.me() == 200


def test_tokens_are_kept_with_whose_they_are_and_what_they_came_from(app, owner, person):
    app.connect()
    other = App(person("editor"), client_id=app.client_id).connect()
    first = RefreshToken.objects.get(user=owner)
    app.tokens = app.refresh().json()
    second = RefreshToken.objects.filter(user=owner).exclude(pk=first.pk).get()
    access = AccessToken.objects.filter(user=owner).latest("pk")
    for row in (first, second, access):
        assert row.connection.user == owner and row.application.client_id == app.client_id
        assert row.resource == [settings.TOKEN_AUDIENCE]
    assert access.source_refresh_token == first and second.access_token == access
    assert first.token_family == second.token_family is not None
    assert RefreshToken.objects.get(user=other.user).token_family != first.token_family


def test_of_two_codes_only_the_exchanged_one_is_used_up(app):
    first = app.code()
    verifier, second = app.verifier, app.code()
    assert app.exchange(second).status_code == 200
    app.verifier = verifier
    assert app.exchange(first).status_code == 200


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_token_that_is_given_back_ends_the_connection_of_its_person_alone(kind, app, person):
    app.connect()
    other = App(person("editor"), client_id=app.client_id).connect()

    def give_back(token: str) -> int:
        return app.http.post("/oauth/revoke", {"token": token, "client_id": app.client_id}).status_code

    assert give_back("never-issued") == 200
    assert (app.me(), other.me()) == (200, 200)
    assert give_back(other.tokens[kind]) == 200
    assert (app.me(), other.me()) == (200, 401)
    assert SecurityEvent.objects.get(kind="app_revoked").user == person("editor")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"grant_type": "password", "username": "owner@north-shore.example", "password": "demo-only"},
        {"grant_type": "client_credentials"},
        {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "x"},
        {"grant_type": "authorization_code"},
        {"grant_type": "authorization_code", "code": "nul\0"},
        {"grant_type": "refresh_token", "refresh_token": "ü\0"},
        {"grant_type": "refresh_token"},
        {"grant_type": "nonsense"},
        {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "unknown"},
        {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "nul\0"},
        {"grant_type": "authorization_code", "code": "x", "client_id": "https://127.0.0.1/client.json"},
    ],
)
def test_nonsense_at_the_token_endpoint_is_a_client_error(data, app):
    answer = app.http.post("/oauth/token", {"client_id": app.client_id, **data})
    assert answer.status_code in (400, 401) and "error" in answer.json()


@pytest.mark.parametrize(
    "query", ["", "?client_id=nul%00", "?%", "?client_id=x&client_id=y", "?client_id=%ff"]
)
def test_nonsense_at_the_consent_page_is_a_client_error(query, app):
    assert app.browser.get(f"/oauth/authorize{query}").status_code == 400


@pytest.mark.parametrize(
    "changes", [{"response_type": "token"}, {"response_type": None}, {"scope": "everything"}]
)
def test_what_is_not_offered_is_refused_to_the_apps_face(changes, app):
    answer = app.browser.get(app.authorize_url(**changes))
    assert answer.status_code == 302 and "error" in query_of(answer)


def test_an_app_that_wants_no_page_is_told_that_there_is_always_one(app):
    for prompt in ("none", "login none"):
        told = query_of(app.browser.get(app.authorize_url(prompt=prompt)))
        assert (told["error"], told["state"]) == ("interaction_required", "s1")
        assert told["error_description"] == "Access is only given by a person, on a page."


@pytest.mark.parametrize("extra", [{"prompt": "none"}, {"approval_prompt": "auto"}])
def test_nothing_skips_the_consent_page(extra, app):
    app.connect()
    answer = app.browser.get(app.authorize_url(**extra))
    assert "code=" not in answer.headers.get("Location", "")
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


def test_the_consent_page_stands_in_no_frame_and_no_cache(app):
    page = app.browser.get(app.authorize_url())
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert "no-store" in page["Cache-Control"]


@pytest.mark.parametrize(
    "answer",
    [
        {"scopes": ["publications:read"]},
        {"workspaces": "own", "scopes": ["publications:read"]},
        {"workspaces": "own", "default": "own"},
        {"workspaces": "own", "default": "own", "scopes": ["connections:write"]},
        {"workspaces": "foreign", "default": "foreign", "scopes": ["publications:read"]},
    ],
)
def test_only_what_was_asked_in_ones_own_workspaces_can_be_granted(answer, app, owner, person):
    ids = {"own": owner.memberships.get().pk, "foreign": person("stranger").memberships.get().pk}
    form = {key: ids.get(value, value) if isinstance(value, str) else value for key, value in answer.items()}
    refused = app.browser.post(app.authorize_url("publications:read"), {"answer": "allow", **form})
    assert refused.status_code == 400 and not Connection.objects.exists()


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


# --- Forged access tokens --------------------------------------------------------------------------------------


def forged(claims: dict, key: object, algorithm: str | None, **header: object) -> str:
    header = {"typ": "at+jwt", "kid": tokens.keys()[0].id, **header}
    return jwt.encode(claims, key, algorithm=algorithm, headers=header)


def b64(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


def signed_hs256(claims: dict, key: bytes) -> str:
    """By hand: PyJWT refuses to take a public key for a secret."""
    signed = f"{b64({'typ': 'at+jwt', 'alg': 'HS256', 'kid': tokens.keys()[0].id})}.{b64(claims)}"
    mac = hmac.new(key, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def test_forged_and_foreign_access_tokens_are_refused(app, owner):
    app.connect()
    good = app.tokens["access_token"]
    claims = tokens.verify(good)
    ours = tokens.keys()[0].private
    other = ec.generate_private_key(ec.SECP256R1())
    public = ours.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    foreign = App(owner).connect()
    forgeries = {
        "alg none": f"{b64({'typ': 'at+jwt', 'alg': 'none', 'kid': tokens.keys()[0].id})}.{b64(claims)}.",
        "HS256 with the public key": signed_hs256(claims, public),
        "wrong typ": forged(claims, ours, "ES256", typ="JWT"),
        "no typ": forged(claims, ours, "ES256", typ=None),
        "wrong audience": forged({**claims, "aud": "https://elsewhere.example"}, ours, "ES256"),
        "wrong issuer": forged({**claims, "iss": "https://elsewhere.example"}, ours, "ES256"),
        "foreign kid": forged(claims, other, "ES256", kid="foreign"),
        "our kid, foreign key": forged(claims, other, "ES256"),
        "jku": forged(claims, other, "ES256", jku="https://elsewhere.example/jwks.json"),
        "embedded jwk": forged(claims, other, "ES256", jwk={"kty": "EC"}),
        "expired": forged({**claims, "exp": int(time.time()) - 1}, ours, "ES256"),
        "no connection": forged({k: v for k, v in claims.items() if k != "connection"}, ours, "ES256"),
        "another user": forged({**claims, "sub": "6b1a0f0e-0000-4000-8000-000000000000"}, ours, "ES256"),
        "refresh token": app.tokens["refresh_token"],
        "cut": good[:-4],
    }
    assert app.me() == 200 and foreign.me() == 200
    assert {name: app.me(token) for name, token in forgeries.items()} == dict.fromkeys(forgeries, 401)


def test_an_access_token_in_the_address_is_no_credential(app):
    app.connect()
    assert app.http.get(f"/api/v2/me?access_token={app.tokens['access_token']}").status_code == 401


# --- Giving tokens back ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [{}, {"token": "x"}, {"token": "nul\0", "client_id": "nul\0"}])
def test_nonsense_at_the_revocation_endpoint_is_a_client_error(data, client):
    assert client.post("/oauth/revoke", data).status_code in (400, 401)


# --- Secrets at rest -------------------------------------------------------------------------------------------


def test_no_secret_stands_in_a_column_a_log_or_the_admin(
    app, owner, caplog, django_user_model, workspace_key
):
    from django.apps import apps

    caplog.set_level("DEBUG", logger="")
    told = register(app.http, token_endpoint_auth_method="client_secret_post")
    code = app.code()
    app.tokens = app.exchange(code).json()
    app.tokens = {"first": app.tokens, **app.refresh().json()} | {"used": app.tokens["refresh_token"]}
    secrets = [
        code,
        app.tokens["used"],
        app.tokens["refresh_token"],
        app.tokens["access_token"],
        app.tokens["first"]["access_token"],
        told["client_secret"],
        workspace_key,
        app.verifier,
    ]
    rows = [str(row) for model in apps.get_models() for row in model._base_manager.values()]
    staff = django_user_model.objects.create_superuser("staff@capsules.example", "demo-only")
    app.browser.force_login(staff)
    pages = []
    for model, id in [("connection", Connection.objects.get().pk), ("application", None), ("apikey", None)]:
        for path in (f"/admin/accounts/{model}/", id and f"/admin/accounts/{model}/{id}/change/"):
            if path:
                page = app.browser.get(path)
                assert page.status_code == 200, path
                pages.append(page.content.decode())
    for secret in secrets:
        for place in (rows, pages, [caplog.text]):
            assert not any(secret in text for text in place)
    assert (
        RefreshToken.objects.filter(token="").count() == 2 and AccessToken.objects.filter(token="").exists()
    )
