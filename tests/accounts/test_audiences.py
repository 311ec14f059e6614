"""Two resources, the API and the MCP server: a token is for one of them and refused by the other."""

from __future__ import annotations

import time
from datetime import timedelta
from io import StringIO

import jwt
import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed

from accounts import tokens
from accounts.actors import PUBLICATIONS_READ
from accounts.authentication import actor_of
from accounts.models import Connection, Grant, RefreshToken
from accounts.people.sessions import studio_token
from config.mcp import TOOLS
from tests.support.oauth import query_of

pytestmark = pytest.mark.django_db

API, MCP = settings.TOKEN_AUDIENCE, settings.MCP_URL


def audience(token: str) -> str:
    return jwt.decode(token, options={"verify_signature": False})["aud"]


def accepted_by(token: str) -> set[str]:
    accepted = set()
    for name in ("api", "mcp"):
        try:
            actor_of(token, audience=name)
            accepted.add(name)
        except AuthenticationFailed:
            pass
    return accepted


@pytest.mark.parametrize("asked, aud, name", [(None, API, "api"), (API, API, "api"), (f"{MCP}/", MCP, "mcp")])
def test_a_token_is_for_the_resource_that_was_asked_for_also_after_refreshes(asked, aud, name, app):
    answer = app.exchange(app.code(resource=asked), resource=asked)
    assert answer.status_code == 200, answer.content
    for _ in range(2):
        app.tokens = answer.json()
        assert audience(app.tokens["access_token"]) == aud and accepted_by(app.tokens["access_token"]) == {
            name
        }
        answer = app.refresh()
    assert app.me() == (200 if name == "api" else 401)
    assert Grant.objects.get().resource == [aud]
    assert {tuple(row.resource) for row in RefreshToken.objects.all()} == {(aud,)}


def test_a_refresh_may_name_the_same_resource_and_no_other(app):
    app.tokens = app.exchange(app.code(resource=MCP)).json()
    told = app.refresh(resource=API)
    assert told.status_code == 400 and told.json()["error"] == "invalid_target"
    assert told.json()["error_description"] == f"This was allowed for {MCP} only."
    assert app.refresh(resource=MCP).status_code == 200  # nothing was used up


def test_a_code_is_exchanged_for_its_resource_only(app):
    code = app.code(resource=MCP)
    assert app.exchange(code, resource=API).json()["error"] == "invalid_target"
    assert audience(app.exchange(code, resource=MCP).json()["access_token"]) == MCP


def test_one_resource_at_a_time_and_only_ours(app):
    app.connect()
    for resources in ([API, MCP], ["https://elsewhere.example"], [MCP, "https://elsewhere.example"]):
        url = app.authorize_url() + "".join(f"&resource={resource}" for resource in resources)
        told = query_of(app.browser.get(url))
        assert told["error"] == "invalid_target", resources
        assert "protected_resources" in told["error_description"]


def test_what_was_allowed_before_there_were_two_is_for_the_api(app):
    app.connect()
    RefreshToken.objects.update(resource=[])
    app.tokens = app.refresh().json()
    assert accepted_by(app.tokens["access_token"]) == {"api"}


def test_an_own_token_is_for_one_resource_too(owner):
    out = StringIO()
    call_command("issue_token", owner.email, "--audience", "mcp", stdout=out)
    assert accepted_by(out.getvalue().strip()) == {"mcp"}
    assert accepted_by(tokens.issue(owner)) == {"api"}


def test_both_resources_describe_themselves(client):
    server = client.get("/.well-known/oauth-authorization-server").json()
    assert server["protected_resources"] == [API, MCP]
    assert "stories:write" in server["scopes_supported"]
    for path, resource in [("api/v2", API), ("mcp", MCP)]:
        told = client.get(f"/.well-known/oauth-protected-resource/{path}").json()
        assert told["resource"] == resource and told["authorization_servers"] == [settings.BASE_URL]


def test_an_ai_app_is_made_to_ask_only_for_what_some_tool_needs(client):
    told = client.get("/.well-known/oauth-protected-resource/mcp").json()["scopes_supported"]
    needed = {tool.scope for tool in TOOLS if tool.scope}
    assert sorted(told) == sorted({*needed, PUBLICATIONS_READ})  # get_story shows the publication with it


@pytest.mark.parametrize(
    "changes", [{"exp": "2000000000"}, {"exp": 2e9}, {"exp": True}, {"iat": 1.5}, {"iat": "1"}]
)
def test_times_of_another_type_are_refused(changes, owner):
    claims = tokens.verify(tokens.issue(owner))
    key = tokens.keys()[0]
    header = {"typ": tokens.TYPE, "kid": key.id}
    good = jwt.encode({**claims, "exp": int(time.time()) + 60}, key.private, "ES256", headers=header)
    bad = jwt.encode({**claims, **changes}, key.private, "ES256", headers=header)
    zipped = jwt.encode(claims, key.private, "ES256", headers={**header, "zip": "DEF"})
    assert accepted_by(good) == {"api"} and accepted_by(bad) == accepted_by(zipped) == set()


# --- Scopes that are missing, narrowed, or asked for again -----------------------------------------------------


def test_a_refresh_that_asks_for_more_gets_what_was_granted(app):
    asked = "publications:read publications:write connections:read"
    app.connect(asked, grant="publications:read connections:read")
    again = app.refresh(scope=asked)
    assert again.status_code == 200, again.content
    assert again.json()["scope"] == "publications:read connections:read"
    app.tokens = again.json()
    nothing = app.refresh(scope="publications:write")
    assert nothing.status_code == 400 and nothing.json()["error"] == "invalid_scope"


def test_a_later_consent_narrows_the_refresh_of_an_older_token(app):
    app.connect("publications:read publications:write")
    older = app.tokens["refresh_token"]
    app.code("publications:read publications:write", grant="publications:read")
    assert app.refresh(older).json()["scope"] == "publications:read"


def test_a_missing_scope_is_told_so_that_an_app_can_ask_for_it(app, ready_story):
    app.connect("publications:read connections:read")
    refused = app.call("PUT", f"/stories/{ready_story.pk}/publication")
    assert refused.status_code == 403
    challenge = refused["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge and "resource_metadata=" in challenge
    assert 'scope="publications:read publications:write connections:read"' in challenge


# --- The token of a page ---------------------------------------------------------------------------------------


def test_a_page_gets_a_token_that_dies_with_its_session(owner, rf):
    browser = Client()
    owner.set_password("a-long-enough-secret")
    owner.save()
    browser.post("/account/login/", {"login": owner.email, "password": "a-long-enough-secret"})
    request = rf.post("/studio/token")
    request.user, request.session = owner, browser.session
    token = studio_token(request)
    assert actor_of(token).via == "studio" and actor_of(token).user == owner
    assert jwt.decode(token, options={"verify_signature": False})["exp"] - time.time() <= 3600
    assert Client().get("/api/v2/me", headers={"Authorization": f"Bearer {token}"}).status_code == 200

    kept = Session.objects.get(session_key=browser.session.session_key)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert accepted_by(token) == set()
    kept.save()
    assert accepted_by(token) == {"api"}

    browser.post("/account/logout/")
    assert accepted_by(token) == set()


# --- How connections end by themselves -------------------------------------------------------------------------


def test_a_connection_ends_a_year_after_the_last_consent_however_often_it_refreshes(app):
    now = timezone.now()
    app.connect()
    for days in (80, 160, 240, 320, 364):
        with time_machine.travel(now + timedelta(days=days)):
            answer = app.refresh()
            assert answer.status_code == 200, days
            app.tokens = answer.json()
    with time_machine.travel(now + timedelta(days=366)):
        assert app.refresh().status_code == 400
    assert Connection.objects.get().ended_because == "expired"


def test_a_new_consent_starts_the_year_anew(app):
    app.connect()
    Connection.objects.update(consented_at=timezone.now() - timedelta(days=364))
    app.connect()
    assert timezone.now() - Connection.objects.get().consented_at < timedelta(minutes=1)
