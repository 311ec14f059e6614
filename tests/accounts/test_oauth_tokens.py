"""Codes and tokens: who may exchange, refresh and give them back, and what a forged one opens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.utils import timezone

from accounts import tokens
from accounts.models import AccessToken, Connection, Grant, RefreshToken, SecurityEvent
from tests.support.oauth import REDIRECT, App, register

pytestmark = pytest.mark.django_db


def test_a_code_needs_its_verifier(app):
    for changes in ({"code_verifier": None}, {"code_verifier": "x" * 50}):
        assert app.exchange(app.code(), **changes).status_code == 400
    code = app.code()
    challenge = Grant.objects.order_by("-pk").first().code_challenge
    assert app.exchange(code, code_verifier=challenge).status_code == 400  # downgraded to plain


@pytest.mark.both_databases
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


NONSENSE = [
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
]


@pytest.mark.both_databases
def test_nonsense_at_the_token_endpoint_is_a_client_error(app):
    for data in NONSENSE:
        answer = app.http.post("/oauth/token", {"client_id": app.client_id, **data})
        assert answer.status_code in (400, 401) and "error" in answer.json(), data


def test_a_request_without_a_grant_type_is_invalid(app):
    for data in ({}, {"grant_type": ""}, {"code": "x"}):
        answer = app.post_token(**data)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request"), data
        assert answer["Content-Type"] == "application/json" and "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_a_client_that_fails_to_say_who_it_is_hears_how(path, client):
    """RFC 6749, 5.2: by the scheme with which it tried. The endpoints know no other."""
    told = register(client, token_endpoint_auth_method="client_secret_basic")
    wrong = base64.b64encode(f"{told['client_id']}:wrong".encode()).decode()
    sent = {"grant_type": "refresh_token", "refresh_token": "x", "token": "x"}
    answer = client.post(path, sent, headers={"Authorization": f"Basic {wrong}"})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")
    assert answer["WWW-Authenticate"] == 'Basic realm="capsules"'


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


@pytest.mark.both_databases
def test_nonsense_at_the_revocation_endpoint_is_a_client_error(client):
    for data in ({}, {"token": "x"}, {"token": "nul\0", "client_id": "nul\0"}):
        assert client.post("/oauth/revoke", data).status_code in (400, 401), data


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
