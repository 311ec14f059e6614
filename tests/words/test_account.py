"""The account in a language that nobody speaks, en-XA: whatever it says is in a catalogue, or somebody's own words."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.shortcuts import render
from django.test import Client
from django.utils import timezone

from accounts import names
from accounts.actions import connections, keys, members, workspaces
from accounts.actions.events import in_english
from accounts.actors import KEY_SCOPES
from accounts.events.types import sample
from accounts.models import (
    ApiKey,
    Connection,
    Invitation,
    Membership,
    SecurityEvent,
    User,
    Webhook,
    WebhookDelivery,
    Workspace,
    WorkspaceEvent,
)
from accounts.oauth import redirects
from accounts.people.totp import current_codes
from accounts.webhooks import actions as webhooks
from accounts.webhooks import mail as webhook_mail
from accounts.webhooks import pages as webhook_pages
from accounts.webhooks.sending import GIVEN_UP_WORDS, GONE_WORDS
from config import outage
from config.errors import CapsulesError, Stale, Unavailable
from config.texts import check_characters, check_one_line, check_title
from config.views import server_error, unavailable
from publishing.models import Delivery, MailServer, Premiere, Subscriber, Suppression
from publishing.subscribers import csv_files
from publishing.subscribers.addresses import normalised
from tests.support.oauth import ALL, App, register
from tests.support.unmarked import Unmarked

pytestmark = pytest.mark.django_db
THEIRS = "Ακτή του βορρά"  # words of people, in letters that none of ours has
KEPT = (
    "ό,τι έγινε"  # what was said in English when it was kept: errors of the API, answers of servers, the log
)
PASSWORD = "a-long-enough-secret"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"
STORIES = "stories:read stories:write publications:write"
#: Programs, addresses, types of events, secrets; dates, which Babel writes.
OF_PROGRAMS = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w.-]+|ChatGPT|Claude|Chrome|Linux|north-shore|cursor:|\b[a-z]+\.(?:example|com)\b|\b[a-z]+\.[a-z_]+\b"
    r"|\b[A-Z2-7]{32}\b|\bcapsules_[\w-]+|\b[A-Z0-9]{4}-[A-Z0-9]{4}\b|\b\d+ [A-Z][a-z]+ \d{4}\b|“[\w.]+”"
)
#: Where we read roles, ends and events, which are ours: elsewhere a list to choose from holds names.
OPTIONS = re.compile(r"<option[^>]*>([^<]*)</option>")
SAID_BY_ROWS = re.compile(r'data-(?:label|doing|done)="([^"]*)"')


def plain(text: str) -> list[str]:
    """Words in Latin letters; `text` is of a page or a mail."""
    looked = Unmarked()
    looked.feed(OF_PROGRAMS.sub("", text))
    looked.close()
    for words in OPTIONS.findall(text) + SAID_BY_ROWS.findall(text):
        looked.look(OF_PROGRAMS.sub("", words), "option or data")
    return looked.found


class Walk:
    """Pages in the states that a person meets; what they say in Latin letters is kept by the name of the state."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}
        self.client = Client(headers={"user-agent": BROWSER})

    def see(self, name: str, answer: Any, status: int = 200) -> str:
        """Where it leads on, its target is looked at. Returns the page."""
        SecurityEvent.objects.update(subject=KEPT)
        while answer.status_code == 302:
            answer = self.client.get(answer["Location"])
        assert answer.status_code == status, (name, answer.status_code)
        text: str = answer.content.decode()
        self.keep(name, text)
        return text

    def keep(self, name: str, text: str) -> None:
        assert name not in self.found
        self.found[name] = plain(text.replace(BROWSER, ""))

    def get(self, name: str, path: str, status: int = 200, **more: Any) -> str:
        return self.see(name, self.client.get(path, **more), status)

    def post(self, name: str, path: str, form: dict[str, Any] | None = None, status: int = 200) -> str:
        return self.see(name, self.client.post(path, form or {}), status)

    def sign_in(self, user: User) -> None:
        user.set_password(PASSWORD)
        user.save()
        answer = self.client.post("/account/login/", {"login": user.email, "password": PASSWORD})
        assert answer.status_code == 302
        assert self.client.post("/account/reauthenticate/", {"password": PASSWORD}).status_code == 302

    def end(self) -> None:
        wrong = {name: words for name, words in self.found.items() if words}
        assert wrong == {}


@pytest.fixture
def walk(spoken, north_shore, harbour):
    """Looks at pages; at the end of the test nothing on them may have been in Latin letters."""
    Workspace.objects.update(title=THEIRS)
    User.objects.update(name=THEIRS)
    cache.clear()  # of how often something was asked
    walk = Walk()
    yield walk
    walk.end()


def test_whoever_comes_in(walk, person, monkeypatch, mailoutbox):
    wrong = {"login": "nobody@example.org", "password": "wrong"}
    walk.get("sign in", "/account/login/")
    walk.post("sign in, nothing typed", "/account/login/")
    walk.post("sign in, refused", "/account/login/", wrong)
    walk.get("sign up", "/account/signup/")
    walk.post("sign up, nothing typed", "/account/signup/")
    new = {"email": "anna@example.com", "password1": "12345678", "name": "a.example.com"}
    walk.post("sign up, refused", "/account/signup/", {**new, "workspace_title": "=?"})
    walk.post("sign up, a common password", "/account/signup/", {**new, "password1": "password1"})
    walk.post("sign up, own words", "/account/signup/", {**new, "name": "Harbour", "password1": "harbour1"})
    new = {"email": "anna@example.com", "password1": PASSWORD}
    assert 'name="code"' in walk.post("code", "/account/signup/", new)
    walk.post("wrong code", "/account/confirm-email/", {"code": "WRONG"})
    walk.client.cookies.clear()
    known = {**new, "email": person("owner").email}
    walk.post("code, of somebody who has an account", "/account/signup/", known)
    walk.client.cookies.clear()
    monkeypatch.setattr("accounts.people.signup.SIGN_UPS", 0)
    walk.post("too many sign-ups", "/account/signup/", {**new, "email": "anne@example.com"}, 429)
    walk.get("reset", "/account/password/reset/")
    walk.post("reset, no address", "/account/password/reset/", {"email": "none"})
    walk.post("reset, asked", "/account/password/reset/", {"email": person("owner").email})
    walk.get("reset, bad link", "/account/password/reset/key/1-none/")
    link = re.search(r"http\S+(/account/password/reset/key/\S+)", mailoutbox[-1].body)[1]
    walk.get("reset, link", link)
    own = walk.client.get(link)["Location"]
    walk.post("reset, refused", own, {"password1": "ab", "password2": "other"})
    walk.post("reset, done", own, {"password1": PASSWORD, "password2": PASSWORD})
    walk.get("closed", "/account/inactive/")
    secret = invite(person("owner"), "anne@example.com")
    walk.get("invitation", f"/account/invitations/{secret}")
    user = person("viewer")
    user.set_password(PASSWORD)
    user.save()
    TOTP.activate(user, generate_totp_secret())
    walk.post("second factor", "/account/login/", {"login": user.email, "password": PASSWORD})
    walk.post("second factor, refused", "/account/2fa/authenticate/", {"code": "000"})
    walk.keep("mails", "\n".join(f"{mail.subject}\n{mail.body}" for mail in mailoutbox))


def invite(by: User, email: str) -> str:
    """The secret of an invitation."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Invitation, "new_secret", staticmethod(lambda: f"secret-{email}"))
        members.invite(by.workspaces.get(name="north-shore"), email, role="editor", by=by)
    return f"secret-{email}"


def test_a_persons_own_pages(walk, person, mailoutbox, django_capture_on_commit_callbacks):
    owner = person("owner")
    walk.sign_in(owner)
    walk.get("account", "/account/")
    walk.post("profile, refused", "/account/profile", {"name": "www.example.com"})
    walk.post("profile", "/account/profile", {"name": THEIRS})
    walk.get("password", "/account/password/change/")
    typed = {"oldpassword": "wrong", "password1": "ab", "password2": "other"}
    walk.post("password, refused", "/account/password/change/", typed)
    walk.get("addresses", "/account/email/")
    walk.post("addresses, refused", "/account/email/", {"email": "none", "action_add": ""})
    walk.get("reauthenticate", "/account/reauthenticate/")
    walk.post("reauthenticate, refused", "/account/reauthenticate/", {"password": "wrong"})
    assert walk.client.post("/account/reauthenticate/", {"password": PASSWORD}).status_code == 302
    walk.get("second factors, none", "/account/2fa/")
    walk.get("authenticator app", "/account/2fa/totp/activate/")
    walk.post("authenticator app, refused", "/account/2fa/totp/activate/", {"code": "000000"})
    secret = walk.client.get("/account/2fa/totp/activate/").context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        walk.post("authenticator app, on", "/account/2fa/totp/activate/", {"code": current_codes(secret)[1]})
    walk.get("second factors", "/account/2fa/")
    walk.get("recovery codes", "/account/2fa/recovery-codes/")
    walk.get("new recovery codes", "/account/2fa/recovery-codes/generate/")
    with django_capture_on_commit_callbacks(execute=True):
        walk.post("recovery codes, made", "/account/2fa/recovery-codes/generate/")
    walk.get("security keys, none", "/account/2fa/webauthn/")
    walk.get("new security key", "/account/2fa/webauthn/add/")
    key = Authenticator.objects.create(user=owner, type="webauthn", data={"name": THEIRS, "credential": {}})
    for page in ("", f"keys/{key.pk}/edit/", f"keys/{key.pk}/remove/"):
        walk.get(f"security keys, {page}", f"/account/2fa/webauthn/{page}")
    key.delete()
    change_what_one_signs_in_with(walk, owner, mailoutbox)


def change_what_one_signs_in_with(walk: Walk, owner: User, mailoutbox: Any) -> None:
    """They end the second factor, change the address and the password, and have no workspace."""
    walk.get("no authenticator app", "/account/2fa/totp/deactivate/")
    walk.post("authenticator app, off", "/account/2fa/totp/deactivate/")
    Client().post("/account/login/", {"login": owner.email, "password": PASSWORD})
    walk.get("sessions", "/account/sessions/")
    walk.post("address, asked", "/account/email/", {"email": "other@example.com", "action_add": ""})
    walk.get("address, to confirm", "/account/email/")
    code = re.search(r"^[A-Z0-9]{4}-[A-Z0-9]{4}$", mailoutbox[-1].body, re.MULTILINE)[0]
    walk.post("address, confirmed", "/account/confirm-email/", {"code": code})
    log(owner)
    walk.get("account, busy", "/account/")
    typed = {"oldpassword": PASSWORD, "password1": f"{PASSWORD}s", "password2": f"{PASSWORD}s"}
    walk.post("password, changed", "/account/password/change/", typed)
    lonely = User.objects.create_user("lonely@example.com", PASSWORD, name=THEIRS)
    walk.client.logout()
    walk.sign_in(lonely)
    walk.get("account, no workspace", "/account/")
    walk.get("sign out", "/account/logout/")
    for number, mail in enumerate(mailoutbox):
        walk.keep(f"mail {number}", f"{mail.subject}\n{mail.body}")
        walk.keep(f"mail {number} as HTML", mail.alternatives[0][0])


def log(by: User, workspace: Workspace | None = None) -> None:
    """Every kind of entry, of everybody who can be named."""
    for kind in SecurityEvent.Kind:
        SecurityEvent.objects.create(kind=kind, user=by, workspace=workspace, subject=KEPT)
    SecurityEvent.objects.create(kind="key_revoked", workspace=workspace, user=None, subject=KEPT)


def test_connected_apps(walk, person, harbour):
    owner = person("owner")
    walk.sign_in(owner)
    walk.get("no app", "/account/connected-apps")
    walk.get("how to connect one", "/account/connect-an-app")
    walk.get("new token", "/account/connected-apps/new-token")
    walk.post("new token, refused", "/account/connected-apps/new-token", {"name": "\u200b", "days": "90"})
    Membership.objects.create(workspace=harbour, user=owner, role="editor")
    here, there = owner.memberships.order_by("pk").values_list("pk", flat=True)
    typed = {"name": THEIRS, "days": "30", "workspaces": [here], "default": here, "scopes": ["stories:read"]}
    path = "/account/connected-apps/new-token"
    walk.post("new token, of this service", path, {**typed, "name": "Capsules", "default": there})
    walk.post("new token, made", path, typed)
    app = App(owner, client_id=register(Client(), client_name=THEIRS)["client_id"])
    walk.get("consent", app.authorize_url(STORIES))
    walk.see("consent, refused", walk.client.post(app.authorize_url(STORIES), {"answer": "allow"}), 400)
    bad = walk.client.get(app.authorize_url(STORIES, redirect_uri="https://evil.example/"))
    walk.keep(
        "consent, bad request", bad.content.decode().replace("Mismatching redirect URI.", "")
    )  # for programs
    app.connect(f"{STORIES} publications:read", grant="stories:read publications:write")
    walk.get("consent, lacking", app.authorize_url(f"{ALL} {STORIES} events:read"))
    walk.get("consent, connected", app.authorize_url("stories:read"))
    for place in ("http://127.0.0.1:9/cb", "cursor://x/cb"):
        told = register(Client(), client_name=THEIRS, redirect_uris=[place])
        other = App(owner, client_id=told["client_id"])
        walk.get(f"consent, answer goes to {place}", other.authorize_url(redirect_uri=place))
    request = walk.client.get("/account/").wsgi_request
    for place in ("http://127.0.0.1:9/cb", "https://other.example/cb"):
        client = {"display_name": THEIRS, "document_host": "ink.example"}
        goes_to = redirects.destination(place)
        context = {"client": client, "goes_to": goes_to, "elsewhere": goes_to.kind == "site", "user": owner}
        page = render(request, "accounts/consent.html", context)
        walk.see(f"consent, described elsewhere than {place}", page)
    connection = Connection.objects.get(client__client_id=app.client_id)
    walk.get("apps, used never", "/account/connected-apps")
    now = timezone.now()
    for name, fields in {
        "said hello": {"handshake_at": now},
        "asked for tools": {"listed_at": now},
        "used": {"called_at": now, "last_used_at": now},
        **{kind: {"refusal": kind, "refused_at": now + timedelta(1)} for kind in Connection.Refusal.values},
        "works again": {"refused_at": now - timedelta(1), "called_at": now},
    }.items():
        Connection.objects.filter(pk=connection.pk).update(**fields, refusal_words=KEPT)
        walk.get(f"apps, {name}", "/account/connected-apps")
    walk.get("connect an app, with apps", "/account/connect-an-app")
    walk.get("apps of the workspace", f"/account/workspaces/{connection.workspaces[0].pk}/apps")
    change_and_end(walk, app, connection, here)


def change_and_end(walk: Walk, app: App, connection: Connection, here: int) -> None:
    """They change how it publishes, and end it in every way."""
    change = f"/account/connected-apps/{connection.pk}/publishing"
    walk.post("prepares", change, {"publishing": "prepares"})
    again = {"answer": "allow", "workspaces": [here], "default": here, "scopes": ["stories:read"]}
    walk.see("consent, silent about publishing", walk.client.post(app.authorize_url(STORIES), again), 400)
    walk.post("publishes, unknown", change, {"publishing": "x"})
    walk.post("publishes no more", change, {"publishing": ""})
    walk.post("publishes, refused", change, {"publishing": "asked"})
    walk.post("disconnected", f"/account/connected-apps/{connection.pk}/disconnect")
    for why in Connection.Ended.values:
        Connection.objects.filter(pk=connection.pk).update(ended_because=why)
        walk.get(f"ended: {why}", "/account/connected-apps")
    walk.post("all disconnected", "/account/connected-apps/disconnect-all")
    Membership.objects.filter(user=app.user).delete()
    walk.get("consent, no workspace", app.authorize_url(STORIES))


def test_a_workspace_of_ones_own(walk, person, north_shore, settings):
    owner, viewer = person("owner"), person("viewer")
    walk.sign_in(owner)
    here = f"/account/workspaces/{north_shore.pk}"
    walk.get("settings", here)
    walk.post("title, refused", f"{here}/title", {"title": "www.example.com"})
    walk.post("title", f"{here}/title", {"title": THEIRS})
    walk.post("name, refused", f"{here}/name", {"name": "X"})
    walk.post("name, reserved", f"{here}/name", {"name": "account"})
    walk.post("name", f"{here}/name", {"name": "north-shore"})
    for name in ("north-shores", "api"):
        walk.keep(f"name check {name}", walk.client.get(f"{here}/name-check?name={name}").json()["message"])
    walk.get("members", f"{here}/members")
    walk.post("invited", f"{here}/members/invite", {"email": "new@example.com", "role": "editor"})
    walk.post("invited too often", f"{here}/members/invite", {"email": "new@example.com", "role": "editor"})
    walk.post("invited, a member", f"{here}/members/invite", {"email": viewer.email, "role": "editor"})
    walk.post("invited, no address", f"{here}/members/invite", {"email": "none", "role": "editor"})
    invitation = Invitation.objects.get()
    walk.post("withdrawn", f"{here}/invitations/{invitation.pk}/withdraw")
    there = viewer.memberships.get(workspace=north_shore)
    for role in ("owner", "admin", "viewer", "editor"):
        walk.post(f"role {role}", f"{here}/members/{there.pk}/role", {"role": role})
    walk.get("remove", f"{here}/members/{there.pk}/remove")
    for path in ("keys/{}/revoke", "invitations/{}/withdraw"):
        walk.post(path, f"{here}/{path.format(person('owner').pk)}", status=404)
    walk.post("removed", f"{here}/members/{there.pk}/remove")
    own = owner.memberships.get(workspace=north_shore)
    walk.get("leave", f"/account/memberships/{own.pk}/leave")
    walk.post("leave, the last owner", f"/account/memberships/{own.pk}/leave")
    walk.get("no key", f"{here}/keys")
    walk.post("key, refused", f"{here}/keys/new")
    walk.post("key, made", f"{here}/keys/new", {"label": THEIRS, "days": "90", "scopes": KEY_SCOPES})
    keys.create_api_key(north_shore, by=owner, label=THEIRS)
    ApiKey.objects.filter(expires_at=None).update(last_used_at=timezone.now())
    walk.post("key, revoked", f"{here}/keys/{ApiKey.objects.exclude(expires_at=None).get().pk}/revoke")
    log(owner, north_shore)
    walk.get("audit log", f"{here}/audit-log")
    SecurityEvent.objects.all().delete()
    walk.get("audit log, empty", f"{here}/audit-log")
    walk.get("no app", f"{here}/apps")
    go_on(walk, here, owner, viewer, north_shore, settings)


def go_on(walk: Walk, here: str, owner: User, viewer: User, north_shore: Workspace, settings: Any) -> None:
    """It is suspended, then its name is claimed, and somebody joins and leaves."""
    workspaces.suspend(north_shore, by=owner)
    walk.get("suspended", f"{here}/members")
    settings.INVITATIONS_A_DAY = 0
    workspaces.resume(north_shore, by=owner)
    walk.post("invited, too many", f"{here}/members/invite", {"email": "a@example.com", "role": "editor"})
    settings.INVITATIONS_A_DAY = 100
    workspaces.suspend(north_shore, by=owner)
    walk.post("invited, suspended", f"{here}/members/invite", {"email": "late@example.com", "role": "editor"})
    names.claim(north_shore)
    Workspace.objects.filter(pk=north_shore.pk).update(plan="free", suspended_at=None)
    walk.get("settings, claimed", here)
    walk.post("name, claimed", f"{here}/name", {"name": "south-shore"})
    secret = invite(owner, "late@example.com")
    walk.get("somebody else's invitation", f"/account/invitations/{secret}")
    walk.post("somebody else's invitation, accepted", f"/account/invitations/{secret}/accept")
    secret = invite(owner, viewer.email)
    walk.client.logout()
    walk.sign_in(viewer)
    walk.get("own invitation", f"/account/invitations/{secret}")
    answer = walk.client.post(f"/account/invitations/{secret}/accept")
    walk.keep("joined", "\n".join(str(told) for told in messages_of(walk.client, answer)))
    own = viewer.memberships.get(workspace=north_shore)
    walk.post("left", f"/account/memberships/{own.pk}/leave")


def messages_of(client: Client, answer: Any) -> list[object]:
    return list(client.get(answer["Location"]).context["messages"])


def test_webhooks(walk, person, north_shore, settings, mailoutbox, monkeypatch):
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]
    owner = person("owner")
    walk.sign_in(owner)
    start = f"/account/workspaces/{north_shore.pk}/webhooks"
    walk.get("none", start)
    for url in (
        "",
        "http://10.0.0.1/hooks",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/#a",
        "http://127.0.0.1:9/",
        "ftp://x",
        "https://u:p@x/",
    ):
        walk.post(f"refused: {url}", f"{start}/new", {"url": url})
    walk.post("made", f"{start}/new", {"url": "http://127.0.0.1:8088/a", "description": THEIRS})
    hook = Webhook.objects.get()
    here = f"{start}/{hook.pk}"
    walk.get("one", here)
    walk.get("some", start)
    walk.post("new secret", f"{here}/secret")
    walk.post("sample", f"{here}/test", {"type": "webhook.test"})
    event = WorkspaceEvent.objects.create(
        workspace=north_shore, type="story.restored", data=sample("story.restored")
    )
    tried = {"at": "2026-11-24T10:00:00Z", "status": None, "error": KEPT, "ms": 12, "answer": "No"}
    for state in WebhookDelivery.State.values:
        due = timezone.now() + timedelta(hours=1) if state == "waiting" else None
        more = {"attempts": [tried], "tries": 1, "state": state, "next_attempt_at": due}
        WebhookDelivery.objects.create(webhook=hook, event=event, type=event.type, **more)
    type(hook).objects.update(
        last_success_at=timezone.now(), failing_since=timezone.now(), types=[event.type]
    )
    walk.get("deliveries", here)
    walk.get("failing", start)
    walk.get("older", f"{here}?before=1")
    use_webhook(walk, start, hook, monkeypatch)
    webhook_mail.tell_owners(hook, str(GONE_WORDS))
    walk.keep("mail", f"{mailoutbox[-1].subject}\n{mailoutbox[-1].body}")


def use_webhook(walk: Walk, start: str, hook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    """They replay, change, switch and delete."""
    here = f"{start}/{hook.pk}"
    monkeypatch.setattr(webhook_pages, "SHOWN", 1)
    walk.get("many", here)
    monkeypatch.setattr(webhooks, "MOST_REPLAYED", -1)
    walk.post("replay, too much", f"{here}/replay", {"failed": "24"})
    monkeypatch.setattr(webhooks, "MOST_REPLAYED", 10)
    walk.post("replay, refused", f"{here}/replay", {"after": "x"})
    walk.post("replay", f"{here}/replay", {"failed": "24"})
    walk.post("replay, an unknown one", f"{here}/replay", {"delivery": "0"})
    walk.post("change, refused", f"{here}/change", {"url": ""})
    walk.post("changed", f"{here}/change", {"url": "http://127.0.0.1:8088/b"})
    walk.post("off", f"{here}/switch")
    walk.post("sample, off", f"{here}/test", {"type": "webhook.test"})
    for why in (GONE_WORDS, GIVEN_UP_WORDS):
        type(hook).objects.update(off_because=in_english(why))
        walk.get(f"off, {why}", here)
    walk.post("on", f"{here}/switch")
    walk.get("delete", f"{here}/delete")
    monkeypatch.setattr(webhooks, "MOST", 1)
    monkeypatch.setattr(webhooks, "MOST_WAITING", 0)
    walk.post("sample, too many wait", f"{here}/test", {"type": "webhook.test"})
    walk.post("too many", f"{start}/new", {"url": "http://127.0.0.1:8088/c"})


def test_subscribers(walk, person, live_story, north_shore, monkeypatch):
    Workspace.objects.update(title=THEIRS)
    type(live_story).objects.update(title=THEIRS)
    walk.sign_in(person("owner"))
    here = f"/subscribers/{north_shore.pk}"
    premiere = Premiere.objects.get()
    walk.get("premiere", here)
    reader = {"workspace": north_shore, "source": "form", "consent": "-", "confirmed_at": timezone.now()}
    for state in Delivery.State.values:
        subscriber = Subscriber.objects.create(email=f"{state}@example.com", **reader)
        due = timezone.now() if state == "pending" else None
        Delivery.objects.create(
            premiere=premiere,
            subscriber=subscriber,
            email=subscriber.email,
            state=state,
            next_try_at=due,
            error=KEPT,
        )
    Suppression.objects.create(email="sent@example.com", reason="bounce")
    for state in Premiere.State.values:
        Premiere.objects.update(state=state, note=KEPT)
        walk.get(f"premiere {state}", here)
    MailServer.objects.update_or_create(pk=1, defaults={"paused_until": timezone.now() + timedelta(hours=1)})
    for mode in Premiere.Mode.values:
        Premiere.objects.update(mode=mode)
        walk.get(f"premiere {mode}", here)
    Premiere.objects.all().delete()
    Workspace.objects.update(name_claimed_at=None)
    walk.get("no premiere", here)
    walk.post("import, no file", f"{here}/import")
    walk.post("deleted, no address", f"{here}/delete", {"email": "ουδέν"})
    walk.post("deleted", f"{here}/delete", {"email": "sent@example.com"})
    walk.post("deleted, unknown", f"{here}/delete", {"email": "unknown@example.com"})
    walk.post(
        "imported",
        f"{here}/import",
        {"file": csv("email,consent\na@example.com,yes\nουδέν,yes\nb@example.com,")},
    )
    many = "\n".join(["email", *(f"{number}" for number in range(30))])
    walk.post("imported, much refused", f"{here}/import", {"file": csv(many)})
    monkeypatch.setattr(csv_files, "LARGEST", 100)
    for text in ("name\na", b"\xff\xfe", "a" * 101, '"\0'):
        walk.post(f"import refused {text!r}", f"{here}/import", {"file": csv(text)})


def csv(text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("list.csv", text.encode() if isinstance(text, str) else text)


def test_what_is_deleted_for_good(walk, person, north_shore, mailoutbox):
    owner = person("owner")
    walk.sign_in(owner)
    here = f"/account/workspaces/{north_shore.pk}/delete"
    walk.get("account, with a workspace", "/account/delete")
    walk.get("workspace", here)
    names.claim(north_shore)
    walk.post("workspace, typed wrong", here, {"typed": "other"}, 409)
    walk.post("workspace, deleted", here, {"typed": "north-shore"})
    walk.get("account", "/account/delete")
    walk.post("account, typed wrong", "/account/delete", {"typed": "other"}, 409)
    walk.post("account, deleted", "/account/delete", {"typed": owner.email})
    walk.keep("mail", f"{mailoutbox[-1].subject}\n{mailoutbox[-1].body}")


def test_what_went_wrong(walk, person, settings):
    walk.get("nothing here", "/account/nothing", 404)
    walk.sign_in(person("owner"))
    walk.get("a form's answer", "/account/profile", 405)
    walk.get("a broken request", "/account/?next=%00", 400)
    strict = Client(enforce_csrf_checks=True)
    walk.see("not sent", strict.post("/account/login/", {"login": "a"}), 403)
    settings.FORM_LIMIT = 1
    walk.post("too large", "/account/login/", {"login": "a"}, 413)
    request = HttpRequest()
    for template in ("403.html", "429.html"):
        walk.see(template, render(request, template))
    walk.see("404, framed", render(None, "404.html", {"framed": True}))
    walk.see("404, of a publisher", render(None, "404.html", {"publisher": Workspace.objects.first()}))
    for words in (outage.AWAY, outage.BUSY, outage.READ_ONLY, outage.FULL):
        walk.keep(f"away: {words}", unavailable(request, Unavailable(words)).content.decode())
    try:
        raise RuntimeError
    except RuntimeError:
        text = server_error(request).content.decode()
    walk.keep("unexpected", re.sub(r"\b[0-9a-f]{8,}\b", "", text))
    for error in [CapsulesError, *CapsulesError.__subclasses__()]:
        if error.__module__ == "config.errors" and error is not Stale:
            walk.keep(f"{error}", str(error()))


@pytest.mark.parametrize(
    "check, text",
    [
        *((check_characters, text) for text in ("\0", "\x01", "\u202e")),
        (check_one_line, "1\n2"),
        *((check_title, text) for text in ("\n", "=?", "www.example")),
        (normalised, "ουδέν"),
        (normalised, "1" * 400),
        (normalised, '"1"@example.com'),
    ],
)
def test_what_is_said_of_a_text_that_is_refused(check, text, spoken):
    with pytest.raises((ValidationError, ValueError)) as refused:
        check(text)
    words = getattr(refused.value, "messages", [str(refused.value)])
    assert plain(" ".join(words).replace(text[:80], "")) == []


def test_the_log_is_in_english_whatever_language_a_page_has(spoken, person, client):
    owner = person("owner")
    App(owner).connect(STORIES, grant="stories:read publications:write")
    connections.end(Connection.objects.get(), because=Connection.Ended.REVOKED, by=owner)
    subjects = SecurityEvent.objects.filter(user=owner).values_list("subject", flat=True)
    assert "Ink: disconnected by its owner" in subjects
    assert any("Publish when I asked it to, and tell me" in subject for subject in subjects)


def test_a_word_that_is_not_marked_is_found(walk):
    for words in ('<p title="Bye">Ĥéļļó</p>', "<option>Owner</option>", '<td data-label="State">1</td>'):
        assert plain(words)
    assert plain(f'<p title="Ɓýé">{THEIRS}</p><time>2026</time><code>claude mcp</code> Claude') == []


def test_words_of_people_are_no_markup_inside_our_sentences(north_shore, person, harbour):
    cache.clear()
    Workspace.objects.update(title="<b>x</b>")
    User.objects.update(name="<b>x</b>")
    owner = person("owner")
    secret = invite(owner, "anne@example.com")
    app = App(owner, client_id=register(Client(), client_name="<b>x</b>")["client_id"]).connect(STORIES)
    start = f"/account/workspaces/{north_shore.pk}"
    own = owner.memberships.get(workspace=north_shore)
    member = person("viewer").memberships.get()
    paths = [f"/account/memberships/{own.pk}/leave", f"{start}/members/{member.pk}/remove", f"{start}/apps"]
    paths += [
        "/account/",
        "/account/connected-apps",
        "/account/connect-an-app",
        f"/account/invitations/{secret}",
    ]
    for path in [*paths, app.authorize_url(STORIES)]:
        page = app.browser.get(path).content.decode()
        assert "&lt;b&gt;x&lt;/b&gt;" in page, path
        assert "<b>x" not in page, path
