"""Signing up, logging in and managing a workspace, through the pages that people use."""

from __future__ import annotations

import html
import json
import re
import time
from datetime import timedelta

import pytest
import time_machine
from allauth.account.utils import user_display
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, hotp_value
from django.test import Client
from django.utils import timezone

from accounts import names
from accounts.actions import keys, members, workspaces
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, User, Workspace
from accounts.people.totp import current_codes
from accounts.signals import workspace_changed
from config.errors import Conflict, Forbidden
from tests.support.factories import Api
from tests.support.oauth import App
from tests.support.smtp import code_in

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-enough-secret"


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def log_in(client: Client, email: str, password: str = PASSWORD):
    return client.post("/account/login/", {"login": email, "password": password})


def sign_up(client: Client, email: str, **more: str):
    return client.post("/account/signup/", {"email": email, "password1": PASSWORD, **more})


# --- Signing up and logging in ---------------------------------------------------------------------------------


def test_a_sign_up_makes_a_workspace_and_confirms_the_address_by_mail(client, mailoutbox):
    sign_up(client, "Ada@Example.com", name="Ada", workspace_title="Ada's Almanac")
    user = User.objects.get(email="ada@example.com")
    assert client.get("/account/").status_code == 302  # not before the address is confirmed

    assert mailoutbox[0].body.endswith("\nCapsules") and "Hello from" not in mailoutbox[0].body
    ((page, kind),) = mailoutbox[0].alternatives
    assert kind == "text/html" and code_in(mailoutbox[0].body) in page
    confirmed = client.post("/account/confirm-email/", {"code": code_in(mailoutbox[0].body)})
    assert (confirmed.status_code, confirmed["Location"]) == (302, "/studio")
    assert "Ada&#x27;s Almanac" in client.get("/account/").content.decode()
    workspace = user.default_workspace
    assert user.name == "Ada"
    assert (workspace.name, workspace.title, workspace.plan) == ("adas-almanac", "Ada's Almanac", "free")
    assert user.memberships.get().role == "owner"


@pytest.mark.parametrize("field", ["name", "workspace_title"])
def test_a_name_and_a_title_have_120_characters_and_no_address(field, client):
    for text, status in (("x" * 121, 200), ("Visit evil.example", 200), ("x" * 120, 302)):
        assert sign_up(client, "ada@example.com", **{field: text}).status_code == status
    user = User.objects.get(email="ada@example.com")
    assert (user.name if field == "name" else user.default_workspace.title) == "x" * 120


@pytest.mark.parametrize("title, owned", [("", []), ("Own Almanac", ["Own Almanac"])])
def test_who_was_invited_gets_a_workspace_of_their_own_where_they_name_one(
    title, owned, client, owner, north_shore
):
    members.invite(north_shore, "ada@example.com", role="viewer", by=owner)
    sign_up(client, "ada@example.com", name="Ada", workspace_title=title)
    found = Workspace.objects.filter(memberships__user__email="ada@example.com")
    assert list(found.values_list("title", flat=True)) == owned


def test_a_sign_up_with_a_known_address_looks_alike_and_mails_its_owner(client, owner, mailoutbox):
    known = sign_up(client, owner.email)
    unknown = sign_up(Client(), "new@example.com")
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert mailoutbox[0].to == [owner.email] and "already" in mailoutbox[0].body


def test_a_login_answers_alike_for_a_known_and_an_unknown_address(owner):
    with_password(owner)
    pages = [
        re.sub(r'value="[^"]*"|nonce="[^"]*"', "", log_in(Client(), email, "wrong-password").content.decode())
        for email in (owner.email, "nobody@example.com")
    ]
    assert pages[0] == pages[1] and "not correct" in pages[0]
    noted = SecurityEvent.objects.filter(kind="login_failed").order_by("pk")
    assert list(noted.values_list("user", flat=True)) == [owner.pk, None]


def test_a_password_is_reset_by_mail_and_ends_what_was_asked(client, owner, mailoutbox):
    app = App(owner).connect()
    api = Api(Client(), owner)
    headers = api.headers()
    client.post("/account/password/reset/", {"email": owner.email})
    link = re.search(r"https?://[^/]+(/account/password/reset/key/\S+)", mailoutbox[0].body)[1]
    form = client.get(link)["Location"]
    client.post(form, {"password1": PASSWORD, "password2": PASSWORD, "disconnect": "on"})

    assert app.me() == 401
    assert SecurityEvent.objects.filter(kind="password_changed", user=owner).count() == 1
    assert client.get("/api/v2/me", headers=headers).status_code == 401  # first-party tokens of before
    assert log_in(Client(), owner.email).status_code == 302


@pytest.mark.parametrize("ticked", [True, False])
def test_a_changed_password_disconnects_apps_where_ticked(ticked, client, owner):
    app = App(owner).connect()
    with_password(owner)
    log_in(client, owner.email)
    new = {"oldpassword": PASSWORD, "password1": "another-long-secret", "password2": "another-long-secret"}
    client.post("/account/password/change/", {**new, **({"disconnect": "on"} if ticked else {})})
    assert app.me() == (401 if ticked else 200)


def test_a_person_is_called_by_name_or_by_address(owner):
    assert user_display(owner) == "Owner"
    assert user_display(User(email="ada@example.com")) == "ada@example.com"


def test_a_second_factor_is_asked_for_and_kept_encrypted(client, owner):
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(owner, secret)
    with_password(owner)
    assert secret not in str(list(Authenticator.objects.values()))

    answer = log_in(client, owner.email)
    assert answer["Location"].startswith("/account/2fa/authenticate")
    assert client.get("/account/").status_code == 302
    assert "Use a security key" not in client.get(answer["Location"]).content.decode(), "there is none"
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    assert client.post("/account/2fa/authenticate/", {"code": code}).status_code == 302
    assert client.get("/account/").status_code == 200


STEP = 30  # seconds of a code


def totp(secret: str, steps: int = 0) -> str:
    """The code of now on a phone whose clock is so many steps off."""
    return f"{hotp_value(secret, int(time.time()) // STEP + steps):06d}"


def factor(browser: Client, code: str) -> bool:
    """Whether the code is taken after the password."""
    browser.post("/account/2fa/authenticate/", {"code": code})
    return browser.get("/account/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_the_code_that_set_up_an_authenticator_is_not_taken_again(client, owner):
    with_password(owner)
    log_in(client, owner.email)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        page = client.get("/account/2fa/totp/activate/")
        secret = page.context["form"].secret
        assert 'href="otpauth://totp/' in page.content.decode(), "for a phone, which cannot photograph itself"
        code = totp(secret, 1)
        assert client.post("/account/2fa/totp/activate/", {"code": code}).status_code == 302
        assert Authenticator.objects.filter(user=owner, type="totp").exists()
        noted = SecurityEvent.objects.filter(kind="mfa_changed", user=owner)
        assert {event.subject for event in noted} == {"Recovery codes", "Authenticator app"}
        again = Client()
        assert log_in(again, owner.email)["Location"].startswith("/account/2fa/authenticate")
        for _ in range(4):
            assert not factor(again, code)
            clock.shift(STEP - 1)
        assert factor(again, totp(secret, 1))


@pytest.mark.parametrize("off", [-1, 1])
def test_a_code_is_taken_from_a_phone_a_few_seconds_off_and_only_once(off, owner):
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(owner, secret)
    with_password(owner)
    with time_machine.travel("2026-11-21T10:00:00Z", tick=False) as clock:
        first, again = Client(), Client()
        for browser in (first, again):
            log_in(browser, owner.email)
        code = totp(secret, off)
        assert not factor(first, totp(secret, 2)) and not factor(first, totp(secret, -2))
        assert factor(first, code)
        for _ in range(4):
            assert not factor(again, code)
            clock.shift(STEP - 1)
        assert factor(again, totp(secret, off))


@pytest.mark.parametrize("page", ["login", "reauthenticate", "add"])
def test_what_is_no_passkey_is_refused_in_words(page, client, owner):
    if page != "login":
        with_password(owner)
        log_in(client, owner.email)
        client.post("/account/reauthenticate/", {"password": PASSWORD})
        Authenticator.objects.create(user=owner, type="webauthn", data={"name": "Key"})
    client.raise_request_exception = False
    for told in ('{"id":1}', "[" * 5000, "[1]", '{"id":"AA","rawId":"AA","response":{}}'):
        answer = client.post(f"/account/2fa/webauthn/{page}/", {"credential": told})
        assert answer.status_code == 400 and "the request is broken" in answer.content.decode(), told


def headless(path: str, body: dict, **headers: str):
    address = f"/account/api/app/v1/{path}"
    return Client().post(address, json.dumps(body), content_type="application/json", headers=headers)


def bearer_of(token: str) -> int:
    return Client().get("/api/v2/me", headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_login_without_a_browser_gets_the_apis_bearer_token_until_it_signs_out(owner):
    with_password(owner)
    answer = headless("auth/login", {"email": owner.email, "password": PASSWORD})

    assert answer.status_code == 200, answer.content
    meta = answer.json()["meta"]
    assert meta["expires_in"] == 3600 and bearer_of(meta["access_token"]) == 200
    renewed = headless("tokens/refresh", {"refresh_token": meta["refresh_token"]}).json()["data"][
        "access_token"
    ]
    assert bearer_of(renewed) == 200
    for active, status in ((False, 400), (True, 200)):
        User.objects.update(is_active=active)
        assert headless("tokens/refresh", {"refresh_token": meta["refresh_token"]}).status_code == status
    Client().delete("/account/api/app/v1/auth/session", headers={"X-Session-Token": meta["session_token"]})
    assert bearer_of(meta["access_token"]) == bearer_of(renewed) == 401
    assert headless("tokens/refresh", {"refresh_token": meta["refresh_token"]}).status_code == 400


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("clock_stands")
def test_the_code_by_which_an_app_set_up_an_authenticator_is_not_taken_again(owner):
    with_password(owner)
    who, path = {"email": owner.email, "password": PASSWORD}, "account/authenticators/totp"
    told = {"X-Session-Token": headless("auth/login", who).json()["meta"]["session_token"]}
    assert headless("auth/reauthenticate", {"password": PASSWORD}, **told).status_code == 200
    secret = Client().get(f"/account/api/app/v1/{path}", headers=told).json()["meta"]["secret"]
    code, other, _ = current_codes(secret)
    added = headless(path, {"code": code}, **told)
    assert added.status_code == 200, added.content
    begun = headless("auth/login", who)
    assert begun.status_code == 401
    told = {"X-Session-Token": begun.json()["meta"]["session_token"]}
    assert headless("auth/2fa/authenticate", {"code": code}, **told).status_code == 400
    assert headless("auth/2fa/authenticate", {"code": other}, **told).status_code == 200


def test_phone_numbers_that_nobody_has_here_have_no_address_for_apps(owner):
    with_password(owner)
    meta = headless("auth/login", {"email": owner.email, "password": PASSWORD}).json()["meta"]
    told = {"X-Session-Token": meta["session_token"]}
    answer = Client().get("/account/api/app/v1/account/phone", headers=told)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")


def test_a_login_without_a_browser_needs_the_second_factor_too(owner):
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(owner, secret)
    with_password(owner)
    refused = headless("auth/login", {"email": owner.email, "password": "wrong-password"})
    assert refused.status_code == 400 and "access_token" not in refused.content.decode()
    half = headless("auth/login", {"email": owner.email, "password": PASSWORD})
    assert half.status_code == 401 and "access_token" not in half.content.decode()
    session = half.json()["meta"]["session_token"]
    code = f"{hotp_value(secret, int(time.time()) // 30):06d}"
    whole = headless("auth/2fa/authenticate", {"code": code}, **{"X-Session-Token": session})
    assert bearer_of(whole.json()["meta"]["access_token"]) == 200


ENTRANCES = ["/account/login/", "/account/signup/", "/account/password/reset/"]
PAGES = [
    "/account/", "/account/email/", "/account/password/change/", "/account/2fa/", "/account/2fa/totp/activate/",
    "/account/sessions/", "/account/connected-apps", "/account/logout/", "/account/2fa/webauthn/add/",
]  # fmt: skip


def test_every_entrance_and_page_of_a_person_opens_in_our_design_without_inline_code(client, owner):
    with_password(owner)
    pages = [(path, client.get(path)) for path in ENTRANCES]
    log_in(client, owner.email)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    for path, page in [*pages, *((path, client.get(path)) for path in PAGES)]:
        html = page.content.decode()
        assert page.status_code == 200 and "accounts.css" in html, path
        assert " style=" not in html and "<style" not in html and " onclick=" not in html, path
        assert not re.search(r"<script(?![^>]*(src=|application/json))", html), path


# --- Workspaces ------------------------------------------------------------------------------------------------


def test_a_provisional_name_comes_from_the_title_and_avoids_what_is_taken(owner):
    taken = workspaces.make_workspace("Night Letters", by=owner)
    names.claim(taken)
    assert workspaces.make_workspace("Night Letters", by=owner).name == "night-letters-2"
    assert workspaces.make_workspace("Admin", by=owner).name == "admin-2"
    assert workspaces.make_workspace("日", by=owner).name.startswith("workspace")


def test_title_and_name_change_until_the_name_is_claimed(owner_page, north_shore):
    heard = []
    receiver = lambda workspace, **kwargs: heard.append((workspace.title, workspace.name))  # noqa: E731
    workspace_changed.connect(receiver)
    base = f"/account/workspaces/{north_shore.pk}"
    owner_page.post(f"{base}/title", {"title": "North & Shore"})
    owner_page.post(f"{base}/name", {"name": "n-shore"})
    assert heard == [("North & Shore", "north-shore"), ("North & Shore", "n-shore")]
    workspace_changed.disconnect(receiver)
    names.claim(Workspace.objects.get(pk=north_shore.pk))
    owner_page.post(f"{base}/name", {"name": "later"})
    assert Workspace.objects.get(pk=north_shore.pk).name == "n-shore"


def test_what_changes_of_a_workspace_is_on_its_record(owner, north_shore):
    workspaces.change_title(north_shore, "South Shore", by=owner)
    workspaces.change_name(north_shore, "south-shore", by=owner)
    workspaces.change_words(north_shore, about="We sail.", links=[], by=owner)
    workspaces.change_time_zone(north_shore, "Europe/Oslo", by=owner)
    workspaces.change_picture(north_shore, "", by=owner)
    events = SecurityEvent.objects.of_workspace(north_shore).filter(kind="workspace_changed", user=owner)
    wanted = [
        "title: South Shore",
        "name: south-shore",
        "words and links",
        "time zone: Europe/Oslo",
        "picture",
    ]
    assert list(events.order_by("pk").values_list("subject", flat=True)) == wanted
    north_shore.refresh_from_db()
    assert (north_shore.title, north_shore.name) == ("South Shore", "south-shore")
    assert (north_shore.about, north_shore.time_zone) == ("We sail.", "Europe/Oslo")


def test_the_page_tells_whether_a_name_is_available(owner_page, north_shore, harbour):
    names.claim(harbour)
    for name, available in (("fresh", True), ("admin", False), ("NO", False), ("harbour", False)):
        told = owner_page.get(f"/account/workspaces/{north_shore.pk}/name-check", {"name": name}).json()
        assert told["available"] is available, name


def test_somebody_is_invited_by_mail_signs_up_and_joins(
    owner_page, north_shore, mailoutbox, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        owner_page.post(
            f"/account/workspaces/{north_shore.pk}/members/invite",
            {"email": "New@Example.com", "role": "editor"},
        )
    link = re.search(r"https?://[^/]+(/account/invitations/\S+)", mailoutbox[0].body)[1]
    assert link.rsplit("/", 1)[1] not in str(list(Invitation.objects.values()))

    guest = Client()
    sign_up(guest, "new@example.com")
    guest.post("/account/confirm-email/", {"code": code_in(mailoutbox[1].body)})
    assert "Join North Shore Press" in guest.get(link).content.decode()
    guest.post(f"{link}/accept")
    user = User.objects.get(email="new@example.com")
    assert user.memberships.get().role == "editor" and user.default_workspace == north_shore
    assert guest.get(link).status_code == 404


def test_an_invited_newcomer_is_told_who_invites_and_signs_up_with_the_address_filled_in(
    owner_page, north_shore, mailoutbox, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        owner_page.post(
            f"/account/workspaces/{north_shore.pk}/members/invite",
            {"email": "new+1@example.com", "role": "editor"},
        )
    link = re.search(r"https?://[^/]+(/account/invitations/\S+)", mailoutbox[0].body)[1]
    guest = Client()
    page = guest.get(link).content.decode()
    assert "invites new+1@example.com" in page and "as editor" in page
    sign_up = html.unescape(re.search(r'href="(/account/signup/[^"]+)"', page)[1])
    form = guest.get(sign_up).content.decode()
    assert 'value="new+1@example.com"' in form and f'value="{link}"' in form


def test_an_invitation_opens_for_its_address_only(owner, north_shore, person):
    invitation = members.invite(north_shore, "new@example.com", role="editor", by=owner)
    with pytest.raises(Forbidden):
        members.accept(invitation, by=person("stranger"))


def test_the_last_owner_stays_and_admins_make_no_owners(person, north_shore):
    own = Membership.objects.get(user=person("owner"))
    for refused in (
        lambda: members.remove_member(own, by=person("owner")),
        lambda: members.change_role(own, "editor", by=person("owner")),
    ):
        with pytest.raises(Conflict):
            refused()
    for refused in (
        lambda: members.change_role(
            Membership.objects.get(user=person("editor")), "owner", by=person("admin")
        ),
        lambda: members.remove_member(own, by=person("admin")),
        lambda: members.invite(north_shore, "x@example.com", role="owner", by=person("admin")),
        lambda: members.change_role(own, "owner", by=person("editor")),
    ):
        with pytest.raises(Forbidden):
            refused()


def test_an_admin_unmakes_no_owner(person, north_shore):
    second = User.objects.create_user("second@north-shore.example")
    own = Membership.objects.create(workspace=north_shore, user=second, role="owner")
    with pytest.raises(Forbidden, match="Only an owner"):
        members.change_role(own, "viewer", by=person("admin"))
    own.refresh_from_db()
    assert own.role == "owner"


def test_who_left_a_workspace_does_not_have_it_as_their_default(person):
    editor = person("editor")
    assert editor.default_workspace is not None
    members.remove_member(Membership.objects.get(user=editor), by=person("owner"))
    editor.refresh_from_db()
    assert editor.default_workspace is None


def test_a_removed_member_loses_keys_apps_and_pages_at_once(owner_page, person, north_shore, ready_story):
    admin = person("admin")
    _, key = keys.create_api_key(north_shore, by=admin)
    app = App(admin).connect()
    membership = Membership.objects.get(user=admin)
    owner_page.post(f"/account/workspaces/{north_shore.pk}/members/{membership.pk}/remove")
    assert Api(Client()).with_key(key).state(ready_story).status_code == 401
    assert app.me() == 401
    assert app.browser.get(f"/account/workspaces/{north_shore.pk}").status_code == 404


def test_a_key_is_shown_once_listed_by_its_prefix_and_revoked(owner_page, north_shore, ready_story):
    base = f"/account/workspaces/{north_shore.pk}/keys"
    form = {"label": "Nightly script", "days": "30", "scopes": ["publications:read"]}
    page = owner_page.post(f"{base}/new", form, follow=True).content.decode()
    secret = re.search(r"capsules_[\w-]{43}", page)[0]
    api = Api(Client()).with_key(secret)
    assert api.state(ready_story).status_code == 200

    listed = owner_page.get(base).content.decode()
    assert secret not in listed and secret[:13] in listed and "Nightly script" in listed
    key = ApiKey.objects.get()
    assert key.expires_at - timezone.now() < timedelta(days=30)
    owner_page.post(f"{base}/{key.pk}/revoke")
    assert api.state(ready_story).status_code == 401
    with time_machine.travel(timezone.now() + timedelta(days=31)):
        assert api.state(ready_story).status_code == 401


def test_the_audit_log_shows_the_workspace_its_own_events_only(owner_page, north_shore, harbour, person):
    keys.create_api_key(harbour, by=person("stranger"), label="foreign key")
    keys.create_api_key(north_shore, by=person("owner"), label="own key")
    page = owner_page.get(f"/account/workspaces/{north_shore.pk}/audit-log").content.decode()
    assert "own key" in page and "foreign key" not in page and "Signed in" in page


def test_a_person_disconnects_an_app_or_all_on_a_page(owner):
    one, two = App(owner).connect(), App(owner).connect()
    page = one.browser.get("/account/connected-apps").content.decode()
    assert page.count("Ink</h2>") == 2 and "Publish when I asked it to, and tell me" in page
    one.browser.post("/account/connected-apps/disconnect-all")
    assert one.me() == two.me() == 401
    three = App(owner).connect()
    form = re.search(
        r"/account/connected-apps/\S+/disconnect", one.browser.get("/account/connected-apps").content.decode()
    )
    one.browser.post(form[0])
    assert three.me() == 401


def test_staff_find_and_disconnect_apps(owner, django_user_model):
    app = App(owner).connect()
    staff = Client()
    staff.force_login(django_user_model.objects.create_superuser("staff@capsules.example", "x"))
    found = staff.get("/admin/accounts/connection/", {"q": owner.email}).content.decode()
    id = re.search(r'name="_selected_action" value="([^"]+)"', found)[1]
    staff.post("/admin/accounts/connection/", {"action": "revoke", "_selected_action": id})
    assert app.me() == 401
    for model in ("application", "securityevent", "user", "workspace", "apikey"):
        assert staff.get(f"/admin/accounts/{model}/").status_code == 200
    for hidden in ("accesstoken", "refreshtoken", "grant"):
        assert staff.get(f"/admin/accounts/{hidden}/").status_code == 404


def test_who_is_no_staff_is_refused_at_the_admin_without_a_traceback_in_the_log(owner_page, caplog):
    with caplog.at_level("WARNING", logger="django.request"):  # whatever the settings keep of it
        answer = owner_page.get("/admin/login/?next=/admin/")
    assert answer.status_code == 403
    assert [record.exc_info for record in caplog.records if record.exc_info] == []


def test_staff_come_in_by_the_same_door_as_everybody(client):
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.status_code == 302 and answer["Location"].startswith("/account/login/")


def test_sign_up_says_the_rules_of_a_password_once_and_only_them(client):
    for page in (client.get("/account/signup/"), client.post("/account/signup/", {"password1": "12345"})):
        words = page.content.decode()
        assert words.count("At least 8 characters, not only digits") == 1 and "<ul><li>" not in words
        assert "signs you out" not in words


def test_a_change_of_the_password_says_that_it_signs_out_elsewhere(client, owner):
    with_password(owner)
    log_in(client, owner.email)
    page = client.get("/account/password/change/").content.decode()
    assert page.count("A new password signs you out everywhere else.") == 1


def test_what_describes_a_field_of_the_sign_up_is_on_its_page(client):
    page = client.get("/account/signup/").content.decode()
    described = re.findall(r'aria-describedby="([^"]+)"', page)
    assert described and all(f'id="{id}"' in page for id in described)
