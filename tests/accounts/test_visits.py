"""What a connection tells of itself: when it came, why it was refused, what to do; and how seldom that is written."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import housekeeping, visits
from accounts.actors import Actor
from accounts.authentication import actor_of, note_refused_token
from accounts.models import Connection, PersonalToken
from config.errors import Conflict, Forbidden, Locked, Throttled
from tests.support.oauth import App, one_line

pytestmark = pytest.mark.django_db

Refusal = Connection.Refusal
LIST = "/account/connected-apps"


@pytest.fixture
def seen(monkeypatch):
    """What a process notes, as if it had begun now."""
    fresh = visits.Visits()
    monkeypatch.setattr(visits, "visits", fresh)
    monkeypatch.setattr("accounts.authentication.visits", fresh)
    return fresh


@pytest.fixture
def app(owner) -> App:
    return App(owner).connect("stories:read", resource="http://127.0.0.1:8001/mcp")


@pytest.fixture
def credential(app) -> str:
    return f"connection:{Connection.objects.get().pk}"


def page(app) -> str:
    return one_line(app.browser.get(LIST))


def test_an_app_that_never_came_is_told_apart_from_one_that_asks_for_no_tools(app, seen, credential):
    assert "It has never said hello" in page(app)
    seen.saw(credential, "initialize")
    seen.write()
    assert "never asked for the tools" in page(app)
    seen.saw(credential, "tools/list")
    seen.write(all=True)
    assert "has used none yet" in page(app)
    seen.saw(credential, "tools/call")
    seen.write(all=True)
    assert 'class="message"' not in page(app)


def test_a_refusal_is_shown_with_its_reason_and_what_to_do_until_the_app_works(app, seen, credential):
    seen.saw(credential, "tools/call")
    seen.refused(credential, Refusal.SCOPE, "It may not: Create and edit your capsules.")
    seen.write()
    told = page(app)
    assert "It may not: Create and edit your capsules." in told
    assert "Connect it again from the app, and allow what it asks for." in told
    seen.saw(credential, "tools/call")
    seen.write(all=True)
    assert "It has worked since." in page(app)


def test_a_busy_connection_is_written_once_a_minute(app, seen, credential, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(visits.time, "monotonic", lambda: clock[0])
    written = 0
    for _ in range(20 * 60):  # a call every 100 ms, for two minutes
        seen.saw(credential, "tools/call")
        clock[0] += 0.1
        written += seen.write()
    assert written == 2


def test_a_refusal_of_another_kind_is_written_at_once_and_the_same_is_not(app, seen, credential):
    seen.saw(credential, "initialize")
    assert seen.write() == 1
    seen.saw(credential, "tools/list")
    assert seen.write() == 0
    seen.refused(credential, Refusal.RATE, "Too many calls.")
    assert seen.write() == 1
    seen.refused(credential, Refusal.RATE, "Too many calls.")
    assert seen.write() == 0
    assert seen.write(all=True) == 1 and not seen.waiting, "a process that stops writes what waits"


def test_other_credentials_leave_no_trace(seen):
    for credential in ("user:7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11", "key:1", "connection:1", ""):
        seen.saw(credential, "tools/call")
        seen.refused(credential, Refusal.RATE, "Too many calls.")
    assert not seen.waiting


def test_what_waits_is_bounded(seen, monkeypatch):
    monkeypatch.setattr(visits, "MOST", 2)
    for number in range(5):
        seen.saw(f"connection:7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b1{number}", "tools/call")
    assert len(seen.waiting) == 2


@pytest.mark.parametrize(
    "error, kind",
    [
        (Throttled("x", retry_after=1), Refusal.RATE),
        (Forbidden("x"), Refusal.ROLE),
        (Locked("taken down"), Refusal.SUSPENDED),
        (Locked("busy", retry_after=1), None),
        (Conflict("x"), None),
    ],
)
def test_what_a_person_can_mend_is_told_apart_from_what_the_app_should(error, kind):
    assert visits.refusal_kind(error) == kind


def test_a_missing_permission_is_one_wherever_it_is_found(owner):
    with pytest.raises(Forbidden) as missing:
        Actor(owner, "connection:1", scopes=frozenset()).require_scope("publications:read")
    assert visits.refusal_kind(missing.value) == Refusal.SCOPE


def test_a_token_that_was_not_taken_tells_its_connection_why(app, owner, seen):
    note_refused_token(app.tokens["access_token"])
    assert seen.due(all=True)[Connection.objects.get().pk]["refusal"] == Refusal.TOKEN
    App(owner, client_id=app.client_id).connect("stories:read")
    for_the_api = App(owner, client_id=app.client_id).connect("stories:read").tokens["access_token"]
    note_refused_token(for_the_api)
    assert seen.due(all=True)[Connection.objects.get().pk]["refusal"] == Refusal.AUDIENCE
    for junk in ("", "x", "a.b.c", for_the_api[:-4], "capsules_mcp_x"):
        note_refused_token(junk)
    assert not seen.waiting


def test_an_app_whose_connection_ended_by_itself_is_listed_with_the_reason(app):
    with time_machine.travel(timezone.now() + timedelta(days=100)):
        housekeeping.forget_what_expired()
        app.browser.force_login(app.user)
        assert "Ink: not used for a long time" in page(app)


def test_owners_and_admins_see_the_apps_of_their_workspace(
    app, seen, credential, person, north_shore, harbour
):
    seen.refused(credential, Refusal.ROLE, "Your role does not allow publishing.")
    seen.write()
    browser = Client()
    path = reverse("account_workspace_apps", args=[north_shore.pk])
    for who, status in (("admin", 200), ("editor", 404), ("stranger", 404)):
        browser.force_login(person(who))
        answer = browser.get(path)
        assert answer.status_code == status, who
        if status == 200:
            assert "owner@north-shore.example" in one_line(answer)
            assert "Your role does not allow publishing." in one_line(answer)
    browser.force_login(person("stranger"))
    own = browser.get(reverse("account_workspace_apps", args=[harbour.pk]))
    assert "No app of a member works in this workspace." in one_line(own)


def test_others_do_not_read_why_an_app_was_refused_in_another_workspace(
    app, seen, credential, person, owner, north_shore, harbour
):
    harbour.memberships.create(user=owner, role="editor")
    elsewhere = owner.memberships.get(workspace=harbour)
    Connection.objects.with_reach().get().reaches.create(membership=elsewhere)
    seen.refused(credential, Refusal.ROLE, "Harbour Books is not yours.")
    seen.write()
    browser = Client()
    told = {}
    for who in (person("admin"), owner):
        browser.force_login(who)
        told[who] = one_line(browser.get(reverse("account_workspace_apps", args=[north_shore.pk])))
        assert "ask an owner of the workspace for another role" in told[who]
    assert ["Harbour Books is not yours." in page for page in told.values()] == [False, True]


# --- Personal tokens ---------------------------------------------------------------------------------------------


def make(client, owner, **changes):
    member = owner.memberships.get(workspace__name="north-shore").pk
    form = {
        "name": "My desk",
        "days": "30",
        "workspaces": [member],
        "default": member,
        "scopes": ["stories:read"],
    }
    return client.post(reverse("account_new_token"), {**form, **changes}, follow=True)


def test_a_personal_token_is_shown_once_stored_as_a_digest_and_for_the_mcp_server_alone(owner_page, owner):
    page = owner_page.get(reverse("account_new_token"))
    assert page.status_code == 200
    assert [radio.is_checked for radio in page.context["form"].publishing()] == [True, False, False]
    secret = make(owner_page, owner).context["secret"]
    row = PersonalToken.objects.select_related("connection__client").get()
    assert secret.startswith(row.prefix) and secret not in str(vars(row))
    assert secret not in one_line(owner_page.get(LIST)) and f"{row.prefix}…" in one_line(owner_page.get(LIST))
    actor = actor_of(secret, audience="mcp")
    assert (actor.user, actor.label, actor.scopes) == (owner, "My desk", frozenset({"stories:read"}))
    api = owner_page.get("/api/v2/me", headers={"Authorization": f"Bearer {secret}"})
    assert api.status_code == 401
    client = row.connection.client
    assert row.prefix == secret[: len(PersonalToken.START) + 4]
    assert timedelta(days=29) < row.expires_at - timezone.now() <= timedelta(days=30)
    kind = (client.registration_source, client.client_type, client.authorization_grant_type)
    assert (client.name, client.user, *kind) == ("My desk", owner, "manual", "public", "authorization-code")


def test_a_personal_token_reaches_the_workspaces_that_were_ticked(owner_page, owner, harbour):
    there = harbour.memberships.create(user=owner, role="editor")
    ticked = [member.pk for member in owner.memberships.all()]
    make(owner_page, owner, workspaces=ticked, default=there.pk)
    connection = Connection.objects.with_reach().get()
    assert [workspace.name for workspace in connection.workspaces] == ["harbour", "north-shore"]


def test_a_personal_token_publishes_in_the_form_that_was_chosen(owner_page, owner):
    secret = make(owner_page, owner, scopes=["stories:read", "publications:write:prepares"]).context["secret"]
    assert actor_of(secret, audience="mcp").only_prepares


@pytest.mark.parametrize("end", ["disconnected", "expired", "disabled", "removed"])
def test_a_personal_token_ends(end, owner_page, owner, seen):
    secret = make(owner_page, owner).context["secret"]
    connection = Connection.objects.get()
    if end == "disconnected":
        owner_page.post(f"{LIST}/{connection.pk}/disconnect")
    elif end == "expired":
        PersonalToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "disabled":
        type(owner).objects.update(is_active=False)
    else:
        owner.memberships.all().delete()
    with pytest.raises(Exception, match="not valid"):
        actor_of(secret, audience="mcp")
    note_refused_token(secret)
    assert seen.due()[connection.pk]["refusal"] == Refusal.TOKEN
    housekeeping.forget_what_expired()
    if end == "expired":
        assert Connection.objects.get().get_ended_because_display() == "its personal token has expired"


def test_a_personal_token_in_use_is_no_idle_connection(owner_page, owner):
    make(owner_page, owner, days="365")
    with time_machine.travel(timezone.now() + timedelta(days=200)):
        housekeeping.forget_what_expired()
    assert Connection.objects.live().exists()


@pytest.mark.parametrize(
    "change", [{"name": ""}, {"name": "Capsules"}, {"days": "9999"}, {"scopes": []}, {"workspaces": []}]
)
def test_what_is_missing_in_a_token_is_asked_for(change, owner_page, owner):
    answer = make(owner_page, owner, **change)
    assert answer.status_code == 200 and 'class="fault"' in answer.content.decode()
    assert not PersonalToken.objects.exists()


def test_an_old_login_is_asked_for_the_password_first(client, owner):
    owner.set_password("demo-only")
    owner.save()
    client.force_login(owner)
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        assert client.get(reverse("account_new_token")).status_code == 302
