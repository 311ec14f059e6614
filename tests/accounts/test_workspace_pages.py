"""Who opens the pages of a workspace and of an account, and that no page reaches what belongs to another."""

from __future__ import annotations

import re

import pytest
from django.core import serializers
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actions import keys
from accounts.models import ApiKey, Connection, Invitation, Membership, User, Workspace
from accounts.oauth.views import lock_connection
from tests.support.markup import parsed, words_of
from tests.support.oauth import App, query_of

pytestmark = pytest.mark.django_db

#: Below /account/workspaces/<workspace>: what is sent, None where it is only opened.
PAGES = {
    "": None,
    "/members": None,
    "/keys": None,
    "/apps": None,
    "/audit-log": None,
    "/webhooks": None,
    "/name-check": None,
    "/title": {"title": "Another title"},
    "/name": {"name": "another-name"},
    "/members/invite": {"email": "new@readers.example", "role": "viewer"},
    "/invitations/{invitation}/withdraw": {},
    "/members/{member}/role": {"role": "admin"},
    "/members/{member}/remove": {},
    "/keys/new": {"label": "Mine", "scopes": "stories:read"},
    "/keys/{key}/revoke": {},
    "/delete": {"name": "north-shore"},
}


def rows() -> str:
    found = [
        *Workspace.objects.all(),
        *Membership.objects.all(),
        *Invitation.objects.all(),
        *ApiKey.objects.all(),
    ]
    return serializers.serialize("json", sorted(found, key=lambda row: (type(row).__name__, str(row.pk))))


@pytest.fixture
def ids(north_shore, owner, person) -> dict[str, object]:
    key, _ = keys.create_api_key(north_shore, by=owner)
    invitation = Invitation.objects.create(
        workspace=north_shore, email="asked@readers.example", role="editor", digest="x", invited_by=owner
    )
    member = Membership.objects.get(workspace=north_shore, user=person("editor"))
    return {"key": key.pk, "invitation": invitation.pk, "member": member.pk}


@pytest.mark.parametrize("who", ["editor", "nobody"])
def test_pages_of_a_workspace_are_not_for_those_who_do_not_manage_it(who, ids, north_shore, person, client):
    if who != "nobody":
        client.force_login(person(who))
    before = rows()
    for path, form in PAGES.items():
        address = f"/account/workspaces/{north_shore.pk}{path.format(**ids)}"
        answer = client.get(address) if form is None else client.post(address, form)
        login = "/login" in answer.get("Location", "")
        assert answer.status_code in (404, 403) or (
            answer.status_code == 302 and (login or form is not None)
        ), path
        assert (who == "nobody") is login, path
        assert rows() == before, path


def test_an_admin_opens_them_and_a_look_changes_nothing(ids, north_shore, person, client):
    client.force_login(person("admin"))
    before = rows()
    for path, form in PAGES.items():
        answer = client.get(f"/account/workspaces/{north_shore.pk}{path.format(**ids)}")
        assert answer.status_code == 200 or form is not None, path
    assert rows() == before


@pytest.mark.parametrize("path", [path for path in PAGES if "{" in path])
def test_rows_of_another_workspace_are_not_reached_through_ones_own(path, ids, harbour, person, client):
    client.force_login(person("stranger"))
    before = rows()
    address = f"/account/workspaces/{harbour.pk}{path.format(**ids)}"
    client.post(address, PAGES[path])
    client.post(address, PAGES[path], follow=True)
    assert rows() == before


def test_an_admin_makes_no_owner_and_touches_none(ids, north_shore, person, client, owner):
    client.force_login(person("admin"))
    before = rows()
    own = Membership.objects.get(workspace=north_shore, user=owner)
    for path, form in [
        (f"/members/{own.pk}/role", {"role": "viewer"}),
        (f"/members/{own.pk}/remove", {}),
        (f"/members/{ids['member']}/role", {"role": "owner"}),
        ("/members/invite", {"email": "new@readers.example", "role": "owner"}),
        ("/delete", {"name": "north-shore"}),
    ]:
        client.post(f"/account/workspaces/{north_shore.pk}{path}", form)
        assert rows() == before, path


def test_nobody_leaves_for_another(ids, person, client):
    client.force_login(person("stranger"))
    before = rows()
    for method in (client.get, client.post):
        assert method(f"/account/memberships/{ids['member']}/leave").status_code == 404
    assert rows() == before


def test_an_app_of_another_person_is_neither_changed_nor_disconnected(owner, person, client):
    App(owner).connect()
    found = Connection.objects.get()
    client.force_login(person("stranger"))
    for path in (f"{found.pk}/disconnect", f"{found.pk}/publishing", "disconnect-all"):
        client.post(f"/account/connected-apps/{path}", {"publishing": "asked", "confirmed": "yes"})
        again = Connection.objects.get()
        assert (again.revoked_at, again.publishing, again.scopes) == (None, found.publishing, found.scopes), (
            path
        )
    assert "Ink" not in client.get("/account/connected-apps").content.decode()
    assert not Connection.objects.live().of(person("stranger")).exists()
    assert User.objects.get(pk=owner.pk).connections.live().exists()


@pytest.mark.parametrize(
    "name, value", [("code", "the-code"), ("refresh_token", "the-token"), ("neither", "x")]
)
def test_an_exchange_waits_for_its_own_connection_alone(name, value, owner):
    App(owner).connect()
    with CaptureQueriesContext(connection) as asked:
        lock_connection(RequestFactory().post("/oauth/token", {name: value}))
    sql = " ".join(query["sql"] for query in asked)
    assert ('."code" = ' in sql) is (name == "code")
    assert ('."token_checksum" = ' in sql) is (name == "refresh_token")
    assert bool(sql) is (name != "neither"), "of nothing it waits for nothing"


def test_an_app_is_known_to_a_person_by_their_own_live_connection_alone(owner, person):
    app = App(owner)
    check_known(app, False)
    App(owner).connect()
    App(person("admin"), client_id=app.client_id).connect()
    check_known(app, False)  # by another app of theirs, or by somebody else who connected it
    app.connect()
    check_known(app, True)
    Connection.objects.update(revoked_at=timezone.now())
    check_known(app, False)


def check_known(app: App, is_known: bool) -> None:
    page = app.browser.get(app.authorize_url("stories:read stories:write connections:write"))
    assert (page.context["connection"] is not None) is is_known
    assert ("connections:write" in page.context["form"].initial["scopes"]) is is_known
    assert bool(page.context["lacking"]) is is_known
    refused = app.browser.get(app.authorize_url(code_challenge_method="plain"))
    if is_known:
        assert query_of(refused)["error"] == "invalid_request"
    else:
        assert refused.status_code == 400 and "Location" not in refused, (
            "nobody is led on before they answered"
        )


@pytest.mark.parametrize(
    ("tab", "page"),
    {
        "Webhooks": "webhooks/new",
        "API keys": "keys/new",
        "Members": "members/invite",
        "Title and name": "name",
    }.items(),
)
def test_the_tab_of_a_form_that_was_refused_is_marked(north_shore, client, owner, tab, page):
    client.force_login(owner)
    answer = client.post(f"/account/workspaces/{north_shore.pk}/{page}", follow=True)
    marked = re.findall(
        r'aria-current="page">([^<]*)</a>', answer.content.decode().partition('class="tabs"')[2]
    )
    assert marked == [tab]


def test_who_changes_a_name_on_the_way_to_publishing_is_led_back(north_shore, client, owner):
    client.force_login(owner)
    path, back = f"/account/workspaces/{north_shore.pk}", "/studio/stories/7/publish"
    page = parsed(client.get(f"{path}?next={back}"))
    assert [link.get("href") for link in page.iter("a") if words_of(link) == "Back to publishing"] == [back]
    assert [it.get("value") for it in page.iter("input") if it.get("name") == "next"] == [back, back]
    refused = client.post(f"{path}/name", {"name": "X", "next": back})
    assert refused["Location"] == f"{path}?next=%2Fstudio%2Fstories%2F7%2Fpublish"
    assert client.post(f"{path}/name", {"name": "n-shore", "next": back})["Location"] == back


@pytest.mark.parametrize(
    "next", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:a", "a"]
)
def test_nobody_is_led_back_to_elsewhere(next, north_shore, client, owner):
    client.force_login(owner)
    path = f"/account/workspaces/{north_shore.pk}"
    assert "Back to publishing" not in client.get(path, {"next": next}).content.decode()
    assert client.post(f"{path}/title", {"title": "North", "next": next})["Location"] == path


def test_the_only_owner_reads_what_to_do_first_and_is_not_asked_to_leave(owner, north_shore, client):
    client.force_login(owner)
    membership = owner.memberships.get(workspace=north_shore)
    page = client.get(f"/account/memberships/{membership.pk}/leave").content.decode()
    assert "A workspace needs at least one owner. Make somebody else an owner first." in page
    for way in ("members", "delete"):
        assert f'href="/account/workspaces/{north_shore.pk}/{way}"' in page
    assert "pill-danger" not in page
