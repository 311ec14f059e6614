"""Connected apps: consent, tokens, the two endpoints, and every way in which a connection ends."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
import time_machine
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from accounts import housekeeping, tokens
from accounts.actions import connections, members, people
from accounts.actions.keys import create_api_key
from accounts.actors import APP_SCOPES
from accounts.models import Application, Connection, Grant, Membership, SecurityEvent, User, Workspace
from config.errors import Conflict
from tests.support.factories import make_story
from tests.support.oauth import ALL, REDIRECT, App, query_of, register
from tests.support.rows import taken_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def connected(once, owner):
    def make() -> tuple[str, dict]:
        app = App(owner).connect()
        return app.client_id, app.tokens

    client_id, tokens = once("connected", make)
    return App(owner, client_id=client_id, tokens=tokens)


@pytest.mark.both_databases
def test_an_app_registers_is_allowed_and_publishes(app, ready_story):
    consent = app.consent()

    told = query_of(consent)
    assert consent["Location"].startswith(f"{REDIRECT}?")
    assert told["state"] == "s1" and told["iss"] == settings.BASE_URL
    answer = app.exchange(told["code"])
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    app.tokens = answer.json()
    assert app.tokens["token_type"] == "Bearer" and app.tokens["expires_in"] == 900
    assert set(app.tokens["scope"].split()) == set(ALL.split())
    published = app.call("PUT", f"/stories/{ready_story.pk}/publication", {"premiereEmailMode": "OFF"})
    assert published.status_code == 200, published.content


def test_an_access_token_is_a_short_jwt_that_names_client_and_connection(connected, owner):
    claims = tokens.verify(connected.tokens["access_token"])

    assert claims["sub"] == str(owner.pk) and claims["client_id"] == connected.client_id
    assert claims["exp"] - claims["iat"] == 15 * 60
    assert claims["connection"] == str(Connection.objects.get().pk)
    assert connected.tokens["refresh_token"].count(".") == 0


@pytest.mark.parametrize("which", ["harbour", "north-shore"])
def test_the_app_acts_in_its_default_workspace(which, app, owner, harbour):
    Membership.objects.create(workspace=harbour, user=owner, role="editor")
    default = owner.memberships.get(workspace__name=which)
    url, ticked = app.authorize_url(), [membership.pk for membership in owner.memberships.all()]
    answer = {"answer": "allow", "workspaces": ticked, "default": default.pk, "scopes": ALL.split()}
    app.tokens = app.exchange(query_of(app.browser.post(url, answer))["code"]).json()

    assert app.call("GET", "/me").json()["workspaceId"] == str(default.workspace_id)


def test_the_list_shows_live_connections_newest_first_exactly_as_in_the_contract(
    app, owner, north_shore, api
):
    app.connect("publications:read connections:read")
    other = register(
        app.http,
        client_name="Quill",
        client_uri="https://quill.example",
        logo_uri="https://quill.example/l.png",
    )
    App(owner, client_id=other["client_id"]).connect(
        "publications:read publications:write", grant="publications:read"
    )

    items = api.get("/connected-apps").json()["items"]

    assert [item["clientName"] for item in items] == ["Quill", "Ink"]
    assert items[0] == {
        "id": str(Connection.objects.get(client__name="Quill").pk),
        "clientName": "Quill",
        "clientUri": "https://quill.example",
        "logoUri": "https://quill.example/l.png",
        "workspaceId": str(north_shore.pk),
        "workspaceName": "North Shore Press",
        "workspaces": [{"id": str(north_shore.pk), "name": "North Shore Press"}],
        "scopes": ["publications:read"],
        "createdAt": items[0]["createdAt"],
        "lastUsedAt": None,
    }
    assert items[1]["clientUri"] is None and items[1]["logoUri"] is None


def test_the_list_takes_the_same_number_of_queries_for_one_app_and_for_many(
    app, owner, api, django_assert_max_num_queries
):
    for number in range(4):
        App(owner, client_id=register(app.http, client_name=f"App {number}")["client_id"]).connect()
    with django_assert_max_num_queries(6):
        assert len(api.get("/connected-apps").json()["items"]) == 4


def test_last_use_is_at_most_a_minute_late_and_written_once_a_minute(connected, api, owner):
    App(owner, client_id=register(connected.http, client_name="Unused")["client_id"]).connect()

    def used() -> str:
        unused, found = (app["lastUsedAt"] for app in api.get("/connected-apps").json()["items"])
        assert unused is None
        return found

    with time_machine.travel(timezone.now(), tick=False) as clock:
        connected.me()
        first = used()
        clock.shift(30)
        connected.me()
        assert used() == first
        clock.shift(31)
        connected.me()
        assert used() > first


def test_disconnecting_ends_access_and_refresh_tokens_with_the_next_request(connected, api):
    connection = Connection.objects.get()
    answer = api.call("DELETE", f"/connected-apps/{connection.pk}")

    assert (answer.status_code, answer.json()) == (200, {"revoked": True})
    refused = connected.call("GET", "/me")
    assert refused.status_code == 401 and "resource_metadata" in refused["WWW-Authenticate"]
    assert connected.refresh().status_code == 400
    assert api.get("/connected-apps").json() == {"items": []}


def test_unknown_foreign_ended_and_malformed_connections_get_the_same_404(connected, api, person):
    connection = Connection.objects.get()
    foreign = api.as_(person("stranger")).call("DELETE", f"/connected-apps/{connection.pk}")
    connections.end(connection, because=Connection.Ended.REVOKED, by=None)
    answers = [
        foreign,
        api.call("DELETE", f"/connected-apps/{connection.pk}"),
        api.call("DELETE", "/connected-apps/6b1a0f0e-0000-4000-8000-000000000000"),
        api.call("DELETE", "/connected-apps/nonsense"),
    ]
    assert {(answer.status_code, answer.content) for answer in answers} == {
        (404, b'{"error":"There is no such connection."}')
    }


def test_consenting_again_changes_the_same_connection(connected, ready_story):
    before = Connection.objects.get()
    old = connected.tokens["access_token"]
    connected.connect("publications:read publications:write", grant="publications:read")

    after = Connection.objects.get()
    assert after.pk == before.pk and after.scopes == ["publications:read"]
    path = f"/stories/{ready_story.pk}/publication"
    assert connected.call("PUT", path, token=old).status_code == 403  # the older token lost it too
    assert connected.call("GET", path, token=old).status_code == 200


def test_denying_tells_the_app_and_connects_nothing(app):
    answer = app.browser.post(app.authorize_url(), {"answer": "deny"})

    told = query_of(answer)
    assert told["error"] == "access_denied" and told["state"] == "s1" and told["iss"] == settings.BASE_URL
    assert not Connection.objects.exists()


@pytest.mark.parametrize("fault", [{}, {"prompt": "none"}], ids=["denied", "refused"])
def test_an_app_with_a_scheme_of_its_own_is_told_by_it(fault, owner, client):
    redirect = "com.example.ink:/callback"
    told = register(client, redirect_uris=["https://ink.example/callback", redirect])
    app = App(owner, client_id=told["client_id"], redirect=redirect)
    answer = app.browser.post(app.authorize_url(**fault), {"answer": "deny"})
    assert answer["Location"].startswith(f"{redirect}?error=")


def test_the_consent_page_asks_in_plain_words_and_leaves_writing_unticked(app):
    page = app.browser.get(app.authorize_url()).content.decode()

    assert "Ink" in page and "ink.example" in page and "North Shore Press" in page
    assert "The app asks to publish in your name" in page
    assert 'value="publications:write"' in page
    for box in page.split("<input")[1:]:
        if ':write"' in box.split(">")[0]:
            assert "checked" not in box.split(">")[0]
    assert page.count("<script") == page.count("sign-out.js") == 1 and "style=" not in page


def test_a_logo_is_told_but_never_shown_by_us(app, owner):
    other = register(app.http, logo_uri="https://quill.example/logo.png", client_name="<img src=x>")
    page = App(owner, client_id=other["client_id"]).browser.get
    shown = page(App(owner, client_id=other["client_id"]).authorize_url()).content.decode()
    assert "logo.png" not in shown and "<img src=x>" not in shown and "&lt;img src=x&gt;" in shown


def test_an_app_that_did_not_ask_to_publish_is_not_offered_it(app):
    page = app.browser.get(app.authorize_url("publications:read")).content.decode()
    assert "publications:write" not in page.split("<form method", 2)[-1]


def test_a_connection_ends_with_what_it_stood_on(connected, owner, north_shore):
    def remove() -> None:
        admin = Membership.objects.get(user__email="admin@north-shore.example")
        Membership.objects.filter(pk=admin.pk).update(role="owner")
        members.remove_member(Membership.objects.get(user=owner), by=admin.user)

    given_back = {"token": connected.tokens["refresh_token"], "client_id": connected.client_id}
    endings = {
        "disabled": lambda: User.objects.filter(pk=owner.pk).update(is_active=False),
        "removed": remove,
        "password": lambda: people.disconnect_apps(owner),
        "staff": lambda: connections.end(Connection.objects.get(), because=Connection.Ended.STAFF, by=None),
        "signed out by the app": lambda: connected.http.post("/oauth/revoke", given_back),
    }
    assert connected.me() == 200
    for how, end in endings.items():
        with taken_back():
            end()
            assert connected.me() == 401, how
            assert connected.refresh().status_code == 400, how
    assert connected.me() == 200


def test_a_member_removed_from_one_of_two_workspaces_keeps_the_app_in_the_other(
    app, owner, north_shore, harbour, api
):
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    app.connect()
    Membership.objects.filter(workspace=north_shore, user=owner).delete()

    item = api.get("/connected-apps").json()["items"][0]
    assert item["workspaceId"] == str(harbour.pk) and len(item["workspaces"]) == 1
    assert app.call("GET", "/me").json()["workspaceId"] == str(harbour.pk)


def test_a_suspended_workspace_refuses_the_apps_writes(connected, north_shore, ready_story):
    north_shore.suspended_at = timezone.now()
    north_shore.save()
    assert connected.call("PUT", f"/stories/{ready_story.pk}/publication").status_code == 423
    assert connected.call("GET", f"/stories/{ready_story.pk}/publication").status_code == 200


# --- The matrix: caller x scope x endpoint x whose workspace ---------------------------------------------------

READ, WRITE = "publications:read", "publications:write"
LIST, CUT = "connections:read", "connections:write"
MATRIX = [
    # role, scopes, endpoint, whose, status
    ("owner", READ, "GET publication", "own", 200),
    ("owner", WRITE, "GET publication", "own", 403),
    ("owner", READ, "PUT publication", "own", 403),
    ("owner", WRITE, "PUT publication", "own", 200),
    ("owner", WRITE, "DELETE publication", "own", 200),
    ("owner", READ, "DELETE publication", "own", 403),
    ("viewer", WRITE, "PUT publication", "own", 403),
    ("owner", READ, "GET publication", "foreign", 404),
    ("owner", WRITE, "PUT publication", "foreign", 404),
    ("owner", READ, "PUT publication", "foreign", 403),  # the scope comes first, whatever the id
    ("owner", WRITE, "DELETE publication", "absent", 404),
    ("owner", READ, "GET publication", "absent", 404),
    ("owner", CUT, "GET me", "own", 200),
    ("owner", LIST, "GET connected-apps", "own", 200),
    ("owner", READ, "GET connected-apps", "own", 403),
    ("owner", CUT, "DELETE connected-app", "own", 200),
    ("owner", LIST, "DELETE connected-app", "own", 403),
    ("owner", CUT, "DELETE connected-app", "foreign", 404),
    ("owner", CUT, "DELETE connected-app", "absent", 404),
]


def test_scope_role_and_workspace_decide_together(person, ready_story, rendered, harbour):
    apps = {key: App(person(key[0])).connect(key[1]) for key in dict.fromkeys(row[:2] for row in MATRIX)}
    absent = "6b1a0f0e-0000-4000-8000-000000000000"
    ids = {("publication", "own"): ready_story.pk}
    ids["publication", "foreign"] = make_story(harbour, rendered).pk
    for whose, who in (("own", "owner"), ("foreign", "stranger")):
        other = App(person(who)).connect(READ)
        ids["connected-app", whose] = Connection.objects.get(client__client_id=other.client_id).pk
    places = {"publication": "/stories/{}/publication", "connected-app": "/connected-apps/{}"}
    for role, scope, endpoint, whose, status in MATRIX:
        app, (method, thing) = apps[role, scope], endpoint.split()
        path = places.get(thing, f"/{thing}").format(ids.get((thing, whose), absent))
        with taken_back():
            answer = app.call(method, path)
            assert answer.status_code == status, (role, scope, endpoint, whose, answer.content)
            if status == 404:
                assert answer.content == app.call(method, places[thing].format(absent)).content


def test_an_api_key_opens_neither_me_nor_the_connected_apps(api, workspace_key):
    for path in ("/me", "/connected-apps"):
        assert api.with_key(workspace_key).get(path).status_code == 401


# --- Housekeeping and the audit log ----------------------------------------------------------------------------


def test_housekeeping_keeps_what_works_and_forgets_what_does_not(connected, app):
    register(app.http, client_name="Never used")
    Application.objects.filter(name="Never used").update(created=timezone.now() - timedelta(days=8))
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        housekeeping.forget_what_expired()
    assert not Application.objects.filter(name="Never used").exists()
    assert not Grant.objects.exists()
    assert connected.refresh().status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=91)):
        housekeeping.forget_what_expired()
    assert Connection.objects.get().ended_because == "idle"


def test_housekeeping_forgets_who_tried_to_log_in(client):
    def known() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM cache")
            return cursor.fetchone()[0]

    cache.clear()
    client.post("/account/login/", {"login": "nobody@example.org", "password": "wrong"})
    assert known() > 0
    housekeeping.forget_what_expired()
    assert known() > 0
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        housekeeping.forget_what_expired()
    assert known() == 0


def test_a_consent_whose_code_was_never_exchanged_ends_by_itself(app, api):
    app.code()
    with time_machine.travel(timezone.now() + timedelta(minutes=2)):
        housekeeping.forget_what_expired()
    assert api.get("/connected-apps").json() == {"items": []}
    assert Connection.objects.get().get_ended_because_display() == "the app did not finish connecting"


def test_the_audit_log_tells_who_connected_and_disconnected_what(connected, owner, north_shore):
    connections.end(Connection.objects.get(), because=Connection.Ended.REVOKED, by=owner)
    told = list(
        SecurityEvent.objects.of_workspace(north_shore)
        .filter(kind__startswith="app")
        .values_list("kind", "user__email")
    )
    assert told == [("app_revoked", owner.email), ("app_connected", owner.email)]


def test_the_end_of_an_app_is_in_the_log_of_each_of_its_workspaces(connected, owner, north_shore, harbour):
    membership = Membership.objects.create(workspace=harbour, user=owner, role="editor")
    connection = Connection.objects.get()
    connection.reaches.create(membership=membership)
    connections.end(connection, because=Connection.Ended.REVOKED, by=owner)
    noted = SecurityEvent.objects.filter(kind="app_revoked").values_list("workspace", flat=True)
    assert set(noted) == {north_shore.pk, harbour.pk}


def test_the_end_of_an_app_that_reaches_no_workspace_is_in_its_persons_log(connected, owner):
    connection = Connection.objects.get()
    connection.reaches.all().delete()
    connections.end(connection, because=Connection.Ended.REVOKED, by=owner)
    assert SecurityEvent.objects.filter(kind="app_revoked", workspace=None, user=owner).exists()


def logged(*kinds: str) -> set[tuple[str, str, str | None, str | None]]:
    rows = SecurityEvent.objects.filter(kind__in=kinds)
    return set(rows.values_list("kind", "subject", "user__email", "workspace__name"))


def test_the_log_of_each_workspace_that_an_app_reaches_says_what_it_may_by_whom(
    app, owner, person, north_shore, harbour
):
    for workspace in (harbour, Workspace.objects.create(name="elsewhere", title="Elsewhere")):
        Membership.objects.create(workspace=workspace, user=owner, role="owner")
    app.connect("publications:write stories:read", workspaces=[north_shore, harbour])
    connection = Connection.objects.get()
    assert connection.scopes == ["stories:read", "publications:write"]
    connections.change_publishing(connection, "prepares", by=owner)
    assert connections.end(connection, because=Connection.Ended.STAFF, by=person("editor"))
    ended_at = Connection.objects.get().revoked_at
    assert not connections.end(connection, because=Connection.Ended.IDLE, by=None)
    assert (Connection.objects.get().revoked_at, Connection.objects.get().ended_because) == (
        ended_at,
        "staff",
    )
    asked, prepares = (
        "“Publish when I asked it to, and tell me”",
        "“Prepare everything; I press Publish myself”",
    )
    assert logged("app_connected", "app_changed", "app_revoked") == {
        (kind, f"Ink: {words}", by.email, name)
        for name in ("north-shore", "harbour")
        for kind, words, by in (
            ("app_connected", f"read capsules, publish ({asked})", owner),
            ("app_changed", f"({prepares})", owner),
            ("app_revoked", "disconnected by staff", person("editor")),
        )
    }


def test_the_log_has_plain_words_for_everything_that_an_app_may_be_given(connected, owner, north_shore):
    membership = Membership.objects.get(workspace=north_shore, user=owner)
    client = Application.objects.get()
    given = {"by": owner, "memberships": [membership], "default": membership, "scopes": APP_SCOPES}
    connections.connect(client, publishing="prepares", **given)
    said = SecurityEvent.objects.filter(kind="app_connected").first().subject
    assert not any(scope in said for scope in APP_SCOPES) and said.endswith("I press Publish myself”)")


def test_a_change_of_an_app_that_reaches_no_workspace_is_in_its_persons_log(connected, owner):
    connection = Connection.objects.get()
    connection.reaches.all().delete()
    connections.change_publishing(connection, None, by=owner)
    assert Connection.objects.get().scopes == ["publications:read", "connections:read", "connections:write"]
    assert logged("app_changed") == {("app_changed", "Ink: it may not publish any more", owner.email, None)}
    told = r"^This app may not publish\. Let it ask you for that permission\.$"
    with pytest.raises(Conflict, match=told):
        connections.change_publishing(connection, "asked", by=owner)


def test_who_left_a_workspace_meanwhile_chooses_again_and_nobody_chooses_for_another(
    connected, owner, person, harbour
):
    own, left = (
        owner.memberships.get(),
        Membership.objects.create(workspace=harbour, user=owner, role="editor"),
    )
    Membership.objects.filter(pk=left.pk).delete()
    before = Connection.objects.values().get()
    for other in (left, person("editor").memberships.get()):
        told = r"^You have just left one of these workspaces\. Please choose again\.$"
        with pytest.raises(Conflict, match=told):
            client = Connection.objects.get().client
            connections.connect(client, by=owner, memberships=[own, other], default=own, scopes=[])
    assert Connection.objects.values().get() == before


def test_an_app_whose_connection_ended_is_connected_anew(connected, owner, person):
    App(person("editor"), client_id=connected.client_id).connect()
    ended = Connection.objects.get(user=owner)
    connections.end(ended, because=Connection.Ended.REVOKED, by=owner)
    assert connected.connect().me() == 200
    assert sorted(Connection.objects.values_list("user__email", "ended_because")) == [
        ("editor@north-shore.example", ""),
        (owner.email, ""),
        (owner.email, "revoked"),
    ]


def test_a_new_password_ends_what_lives_of_one_person(connected, owner, person):
    App(owner).connect(), App(person("editor")).connect()
    ended = Connection.objects.filter(user=owner).first()
    connections.end(ended, because=Connection.Ended.REVOKED, by=None)
    App(owner).connect()
    assert people.disconnect_apps(owner) == 2 and people.disconnect_apps(owner) == 0
    assert sorted(Connection.objects.values_list("user__email", "ended_because")) == [
        ("editor@north-shore.example", ""),
        *[(owner.email, "password")] * 2,
        (owner.email, "revoked"),
    ]
    words = "Ink: disconnected with a changed password"
    assert ("app_revoked", words, owner.email, "north-shore") in logged("app_revoked")


@pytest.mark.both_databases
def test_processes_that_use_a_credential_at_once_write_it_once_a_minute(connected, owner, north_shore):
    key, _ = create_api_key(north_shore, by=owner)
    other, _ = create_api_key(north_shore, by=owner)
    for credential in (key, Connection.objects.get()):
        rows = type(credential).objects
        rows.update(last_used_at=None)
        stale = rows.get(pk=credential.pk)
        with time_machine.travel(timezone.now(), tick=False) as clock:
            first = timezone.now()
            for seconds, used_at in ((0, first), (59, first), (2, first + timedelta(seconds=61))):
                clock.shift(seconds)
                for copy in (rows.get(pk=credential.pk), stale):
                    connections.note_use(copy)
                assert rows.get(pk=credential.pk).last_used_at == used_at, seconds
    other.refresh_from_db()
    assert other.last_used_at is None


def test_the_metadata_says_where_everything_is(client):
    told = client.get("/.well-known/oauth-authorization-server").json()
    assert told["issuer"] == settings.BASE_URL
    assert told["code_challenge_methods_supported"] == ["S256"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert client.options(urlsplit(told[f"{name}_endpoint"]).path).status_code != 404


def test_a_confidential_client_must_show_its_secret(owner, client):
    told = register(client, token_endpoint_auth_method="client_secret_post")
    app = App(owner, client_id=told["client_id"])
    assert app.exchange(app.code()).status_code == 401
    assert app.exchange(app.code(), client_secret="wrong").status_code == 401
    assert app.exchange(app.code(), client_secret=told["client_secret"]).status_code == 200


def test_a_person_without_a_session_logs_in_first_and_comes_back(app, client):
    answer = client.get(app.authorize_url())
    assert answer.status_code == 302 and answer["Location"].startswith(
        "/account/login/?next=/oauth/authorize"
    )


@pytest.mark.both_databases
def test_the_audit_log_finds_the_logins_of_members_by_an_index(north_shore):
    """PostgreSQL reads the whole log where one of two conditions is a subquery."""
    plan = SecurityEvent.objects.of_workspace(north_shore).explain()
    assert "LIST SUBQUERY" not in plan  # SQLite
    assert "hashed SubPlan" not in plan  # PostgreSQL
