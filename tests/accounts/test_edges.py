"""Who may what by role, scope and state; what is kept how long; what a name may be: each rule with its edges."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import jwt
import pytest
import time_machine
from allauth.account.models import EmailAddress
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIRequestFactory

from accounts import housekeeping, names, throttling, tokens
from accounts.actions import erasing, keys, members
from accounts.actors import KEY_SCOPES, SCOPES, Actor, MissingScope
from accounts.models import (
    ApiKey,
    Application,
    Connection,
    Grant,
    IdempotentAnswer,
    Invitation,
    Membership,
    RateWindow,
    RefreshToken,
    RetiredName,
    SecurityEvent,
    User,
    Workspace,
)
from accounts.pages import views
from accounts.people import sealing
from accounts.throttling import RateExceeded
from accounts.views import MeViewSet
from config.errors import Conflict
from tests.support.oauth import App

pytestmark = pytest.mark.django_db
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)

# --- Roles, keys, invitations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("who, manages, writes, publishes, sees", [
    ("owner", True, True, True, True), ("admin", True, True, True, True), ("editor", False, True, True, True),
    ("viewer", False, False, False, True), ("stranger", False, False, False, False),
])  # fmt: skip
def test_what_each_role_may(who, manages, writes, publishes, sees, north_shore, harbour, person):
    actor, pk = Actor.by_token(person(who)), north_shore.pk
    assert (actor.may_manage(pk), actor.may_write_in(pk), actor.may_publish_in(pk)) == (
        manages,
        writes,
        publishes,
    )
    assert actor.workspaces().filter(pk=pk).exists() is sees
    staff = Actor.by_staff(person(who))
    assert staff.may_manage(pk) and staff.may_write_in(pk) and staff.may_publish_in(pk)
    assert set(staff.workspaces()) == {north_shore, harbour}
    narrow = Actor(person(who), "x", workspace_ids=frozenset({harbour.pk}))
    assert (
        not narrow.may_manage(pk) and not narrow.may_write_in(pk) and north_shore not in narrow.workspaces()
    )


@pytest.mark.parametrize("scope", SCOPES)
def test_a_credential_may_what_it_was_granted(scope, owner):
    Actor.by_token(owner).require_scope(scope)
    Actor(owner, "x", scopes=frozenset({scope})).require_scope(scope)
    with pytest.raises(MissingScope) as refused:
        Actor(owner, "x", scopes=frozenset(SCOPES) - {scope}, via="app").require_scope(scope)
    assert refused.value.wanted == list(SCOPES) and scope in refused.value.headers["WWW-Authenticate"]
    with pytest.raises(MissingScope) as refused:
        Actor(owner, "x", scopes=frozenset(), via="key").require_scope(scope)
    assert not refused.value.headers


def test_an_action_that_does_not_say_which_scope_it_takes_answers_nobody(owner):
    class Forgotten(MeViewSet):
        scopes = {}

    request = APIRequestFactory().get("/", headers={"authorization": f"Bearer {tokens.issue(owner)}"})
    answers = [views.as_view({"get": "retrieve"})(request) for views in (MeViewSet, Forgotten)]
    assert [answer.status_code for answer in answers] == [200, 500]


@pytest.mark.parametrize("change, works", [
    ({}, True), ({"expires_at": HOUR}, True), ({"expires_at": -SECOND}, False), ({"revoked_at": -HOUR}, False),
    ("inactive", False), ("left", False), ("elsewhere", False),
])  # fmt: skip
def test_which_keys_work(change, works, north_shore, harbour, owner):
    key, _ = keys.create_api_key(north_shore, by=owner)
    if change == "inactive":
        User.objects.filter(pk=owner.pk).update(is_active=False)
    elif change in ("left", "elsewhere"):
        Membership.objects.filter(user=owner).delete()
        if change == "elsewhere":
            Membership.objects.create(user=owner, workspace=harbour, role="owner")
    else:
        ApiKey.objects.update(**{name: timezone.now() + age for name, age in change.items()})
    assert ApiKey.objects.working().exists() is works
    assert Actor.by_key(key).workspace_ids == {north_shore.pk} and Actor.by_key(key).scopes <= set(KEY_SCOPES)


@pytest.mark.parametrize("giver, gives", [
    ("owner", {"owner", "admin", "editor", "viewer"}), ("admin", {"admin", "editor", "viewer"}),
    ("editor", set()), ("viewer", set()), ("stranger", set()),
])  # fmt: skip
def test_an_invitation_is_good_while_its_giver_could_give_the_role(giver, gives, north_shore, person):
    by, soon = person(giver), timezone.now() + HOUR
    for role in Membership.Role.values:
        about = {"email": f"{role}@b.example", "role": role, "digest": role, "expires_at": soon}
        Invitation.objects.create(workspace=north_shore, invited_by=by, **about)
    open_ones = Invitation.objects.open()
    assert set(open_ones.values_list("role", flat=True)) == gives
    Invitation.objects.filter(role="viewer").update(expires_at=timezone.now() - SECOND)
    assert set(open_ones.values_list("role", flat=True)) == gives - {"viewer"}, "one is late"
    User.objects.filter(pk=by.pk).update(is_active=False)
    assert not open_ones.exists(), "its giver is no more"


def test_a_connection_lives_while_its_person_and_a_workspace_are_there(owner, north_shore):
    App(owner).connect()
    live = Connection.objects.live()
    assert live.exists() and live.of(owner).exists()
    for spoil, mend in [
        (
            lambda: Connection.objects.update(revoked_at=timezone.now()),
            lambda: Connection.objects.update(revoked_at=None),
        ),
        (lambda: User.objects.update(is_active=False), lambda: User.objects.update(is_active=True)),
        (lambda: Membership.objects.filter(user=owner).delete(), lambda: None),
    ]:
        spoil()
        assert not live.exists()
        mend()


@pytest.mark.parametrize("claimed, suspended, public", [
    (True, False, True), (True, True, False), (False, False, False), (False, True, False),
])  # fmt: skip
def test_which_workspaces_are_public(claimed, suspended, public, north_shore):
    now = timezone.now()
    Workspace.objects.update(
        name_claimed_at=now if claimed else None, suspended_at=now if suspended else None
    )
    assert Workspace.objects.public().filter(pk=north_shore.pk).exists() is public


# --- Names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, told", [
    ("a-good-name", ""), ("abc", ""), ("a" * 40, ""), ("ab", "3 to 40"), ("a" * 41, "3 to 40"), ("Abc", "3 to 40"),
    ("a_b", "3 to 40"), ("ab\n", "3 to 40"), ("studio", "reserved"), ("api", "reserved"), ("mcp", "reserved"),
    ("www", "reserved"), ("static", "reserved"), ("media", "reserved"), ("north-shore", "claimed"),
    ("gone", "claimed"),
    ("harbour", ""),
])  # fmt: skip
def test_which_names_a_workspace_may_take(name, told, north_shore, harbour):
    Workspace.objects.filter(pk=north_shore.pk).update(name_claimed_at=timezone.now())
    RetiredName.objects.create(name="gone")
    fault = names.name_fault(name)
    assert told in fault and bool(told) is bool(fault)


def test_of_those_that_may_still_claim_a_name_the_oldest_has_it(north_shore, harbour):
    older, newer = sorted((north_shore, harbour), key=lambda workspace: workspace.created_at)
    Workspace.objects.filter(pk__in=[older.pk, newer.pk]).update(name="shore")
    assert Workspace.objects.named("shore") == older
    Workspace.objects.filter(pk=newer.pk).update(name_claimed_at=timezone.now())
    assert Workspace.objects.named("shore") == newer
    assert Workspace.objects.named("sea") is None


def test_a_claimed_name_is_one_workspaces_forever(north_shore, harbour):
    names.claim(north_shore)
    claimed = Workspace.objects.get(pk=north_shore.pk).name_claimed_at
    names.claim(Workspace.objects.get(pk=north_shore.pk))
    assert Workspace.objects.get(pk=north_shore.pk).name_claimed_at == claimed is not None
    for taken in ("north-shore", "studio"):
        Workspace.objects.filter(pk=harbour.pk).update(name=taken)
        with pytest.raises(Conflict):
            names.claim(Workspace.objects.get(pk=harbour.pk))
    assert not Workspace.objects.get(pk=harbour.pk).name_claimed_at
    assert names.suggest("North Shore") == "north-shore-2" and names.suggest("!") == "workspace"


# --- Rates ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "per, unit, reset", [(60, "a minute", 30), (3600, "an hour", 3570), (86400, "a day", 86370)]
)
def test_a_caller_has_so_many_calls_in_a_window_and_is_told_when_it_ends(per, unit, reset):
    with time_machine.travel("2030-05-01T10:30:30Z", tick=False) as clock:
        for _ in range(2):
            throttling.check_rate("test", "me", per=per, limit=2)
        throttling.check_rate("test", "other", per=per, limit=2)
        throttling.check_rate("other", "me", per=per, limit=2)
        with pytest.raises(RateExceeded) as refused:
            throttling.check_rate("test", "me", per=per, limit=2)
        error = refused.value
        assert f"at most 2 {unit}" in str(error) and error.retry_after == reset
        assert error.headers == {
            "RateLimit-Policy": f'"test";q=2;w={per}', "RateLimit": f'"test";r=0;t={reset}', "RateLimit-Limit": "2",
            "RateLimit-Remaining": "0", "RateLimit-Reset": str(reset),
        }  # fmt: skip
        clock.shift(reset - 1)
        with pytest.raises(RateExceeded):
            throttling.check_rate("test", "me", per=per, limit=2)
        throttling.forget_old_windows()
        clock.shift(1)
        throttling.check_rate("test", "me", per=per, limit=2)
        clock.shift(4 * per)
        throttling.forget_old_windows()
        assert not RateWindow.objects.exists()


@pytest.mark.parametrize("per", [throttling.HOUR, throttling.DAY])
def test_an_hour_and_a_day_are_the_last_ones_and_not_those_of_the_clock(per):
    """Whoever is refused does not wait longer for having tried."""

    def tried(times: int = 1) -> list[int]:
        refused = []
        for _ in range(times):
            try:
                throttling.check_rate("test", "me", per=per, limit=5)
            except RateExceeded as error:
                refused.append(error.retry_after)
        return refused

    with time_machine.travel("2030-05-01T23:58:30Z", tick=False) as clock:
        assert tried(3) == []
        clock.shift(60)
        assert tried(7) == [per - 90] * 5, "until the first three are over"
        clock.shift(60)
        assert tried(90) == [per - 150] * 90, "the clock's hour and day are new"
        throttling.forget_old_windows()
        assert RateWindow.objects.count() == 2
        clock.shift(per - 150)
        assert tried(4) == [60]
        clock.shift(60)
        assert tried(3) == [per - 60]


@pytest.mark.parametrize("forwarded, behind, address", [
    ("", False, "192.0.2.1"), ("203.0.113.9", False, "192.0.2.1"), ("203.0.113.9", True, "203.0.113.9"),
    ("1.1.1.1, 203.0.113.9", True, "203.0.113.9"), ("", True, ""), ("2001:db8::5", True, "2001:db8::/64"),
    ("::ffff:203.0.113.9", True, "203.0.113.9"), ("fe80::1%eth0", True, "fe80::/64"), ("x:y", True, "x:y"),
])  # fmt: skip
def test_whose_call_it_is(forwarded, behind, address, settings):
    settings.BEHIND_PROXY = behind
    assert throttling.address_of({"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": forwarded}) == address
    assert len(throttling.network_in("x" * 65)) == 32 and throttling.network_in("x" * 64) == "x" * 64


@pytest.mark.parametrize("method, rate", [
    ("GET", "read"), ("HEAD", "read"), ("OPTIONS", "read"), ("POST", None), ("PUT", None), ("PATCH", None),
    ("DELETE", None),
])  # fmt: skip
def test_reads_and_writes_have_rates_of_their_own(method, rate, owner):
    request = SimpleNamespace(auth=Actor.by_token(owner), method=method)
    for throttle, writes in (
        (throttling.CredentialThrottle(), "write"),
        (throttling.AuthorThrottle(), "author"),
    ):
        RateWindow.objects.all().delete()
        throttle.allow_request(request, None)
        assert RateWindow.objects.get().key == f"{rate or writes}:user:{owner.pk}"


# --- Access tokens --------------------------------------------------------------------------------------------------


def signed(owner: User, headers: dict | None = None, key=None, **claims: object) -> str:
    payload = jwt.decode(tokens.issue(owner), options={"verify_signature": False}) | claims
    payload = {name: value for name, value in payload.items() if value is not None}
    own = tokens.keys()[0]
    head = {"typ": tokens.TYPE, "kid": own.id} | (headers or {})
    return jwt.encode(payload, key or own.private, algorithm="ES256", headers=head)


@pytest.mark.parametrize("change", [
    {"exp": None}, {"iat": None}, {"iss": None}, {"aud": None}, {"sub": None}, {"jti": None}, {"exp": 1},
    {"exp": "9e9"},
    {"exp": 9e9}, {"iss": "https://elsewhere.example"}, {"aud": "https://elsewhere.example"}, {"iat": 9_999_999_999},
    {"headers": {"typ": "JWT"}}, {"headers": {"kid": "x"}}, {"headers": {"crit": ["x"], "x": 1}},
    {"headers": {"zip": "DEF"}},
    {"key": "other"},
])  # fmt: skip
def test_a_token_that_is_not_ours_now_and_for_this_is_refused(change, owner):
    assert tokens.verify(signed(owner))["sub"] == str(owner.pk)
    if change.get("key"):
        change = {"key": tokens.signing_key("another secret").private}
    with pytest.raises(jwt.InvalidTokenError):
        tokens.verify(signed(owner, **change))


def test_a_token_is_for_one_resource_and_outlives_a_change_of_the_key(owner, settings):
    token = tokens.issue(owner, audience="mcp")
    with pytest.raises(jwt.InvalidAudienceError):
        tokens.verify(token)
    assert tokens.verify(token, audience="mcp")
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key of the service, longer than fifty characters"
    settings.SECRET_KEY_FALLBACKS = [old]
    assert tokens.verify(token, audience="mcp") and len(tokens.jwks()["keys"]) == 2
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(jwt.InvalidTokenError):
        tokens.verify(token, audience="mcp")
    assert tokens.own_claims(token) is None and tokens.own_claims("nonsense") is None
    late = tokens.issue(owner, ttl=-HOUR)
    assert tokens.own_claims(late)["sub"] == str(owner.pk)
    assert all("d" not in key and key["alg"] == "ES256" for key in tokens.jwks()["keys"])


def test_what_is_sealed_after_a_change_of_the_key_needs_no_older_one(settings):
    before = sealing.seal("Before.", b"a test")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key " * 5
    after = sealing.seal("After.", b"a test")
    assert [sealing.opened(each, b"a test") for each in (before, after)] == ["Before.", "After."]
    settings.SECRET_KEY_FALLBACKS = []
    assert sealing.opened(after, b"a test") == "After."
    for sealed, purpose in ((after, b"another"), (before, b"a test")):
        with pytest.raises(InvalidToken):
            sealing.opened(sealed, purpose)


# --- What is forgotten when -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("age, left", [(-HOUR, 1), (HOUR, 0)])
def test_what_expired_is_kept_for_its_time(age, left, owner, north_shore):
    now = timezone.now()
    security = now - timedelta(days=settings.SECURITY_EVENTS_KEPT) - age
    SecurityEvent.objects.all().delete()
    SecurityEvent.objects.create(kind="login", at=security)
    IdempotentAnswer.objects.create(
        user=owner,
        credential="x",
        key="k",
        request="r",
        lease_until=now,
        at=now - settings.IDEMPOTENCY_RETENTION - age,
    )
    Invitation.objects.create(
        workspace=north_shore,
        email="a@b.example",
        role="viewer",
        digest="x",
        invited_by=owner,
        expires_at=now - age,
    )
    housekeeping.forget_what_expired()
    counts = [
        SecurityEvent.objects.filter(at=security).count(),
        IdempotentAnswer.objects.count(),
        Invitation.objects.count(),
    ]
    assert counts == [left] * 3


@pytest.mark.parametrize("age, left", [(-HOUR, 1), (HOUR, 0)])
def test_connections_and_codes_are_known_for_a_while_after_their_end(age, left, owner):
    App(owner).connect()
    now = timezone.now()
    Connection.objects.update(revoked_at=now - housekeeping.ENDED_KEPT - age)
    housekeeping.forget_what_expired()
    assert Connection.objects.count() == left and not RefreshToken.objects.exists()
    Connection.objects.all().delete()
    App(owner).connect()
    Grant.objects.update(expires=now - housekeeping.CODES_KEPT - age)
    housekeeping.forget_what_expired()
    assert Grant.objects.count() == left


@pytest.mark.parametrize("age, source, left", [
    (HOUR, "dcr", 0), (-HOUR, "dcr", 1), (HOUR, "cimd", 0), (HOUR, "manual", 1), (HOUR, "connected", 1),
])  # fmt: skip
def test_an_app_that_nobody_connects_is_forgotten_after_a_week(age, source, left, owner):
    app = App(owner)
    if source == "connected":
        app.connect()
    else:
        Application.objects.update(registration_source=source)
    Application.objects.update(created=timezone.now() - housekeeping.REGISTRATIONS_KEPT - age)
    housekeeping.forget_unused_clients(timezone.now())
    assert Application.objects.count() == left


@pytest.mark.parametrize("change, stays", [
    ({}, False), ({"created_at": -HOUR}, True), ({"last_login": HOUR}, True), ({"is_staff": True}, True),
    ({"is_superuser": True}, True), ("verified", True),
    ("two addresses", True), ("no address", True), ("published", True),
])  # fmt: skip
def test_a_sign_up_that_nobody_confirmed_is_forgotten(change, stays, settings):
    now = timezone.now()
    limit = now - timedelta(days=settings.UNCONFIRMED_KEPT)
    user = User.objects.create_user("new@people.example", "x")
    fields = {"created_at": limit - HOUR}
    if isinstance(change, dict):
        if "created_at" in change:
            fields["created_at"] = limit + HOUR
        fields |= {
            name: now if name == "last_login" else value
            for name, value in change.items()
            if name != "created_at"
        }
    User.objects.filter(pk=user.pk).update(**fields)
    EmailAddress.objects.filter(user=user).delete()
    if change != "no address":
        EmailAddress.objects.create(user=user, email=user.email, verified=change == "verified", primary=True)
    if change == "two addresses":
        EmailAddress.objects.create(user=user, email="other@people.example", verified=True)
    workspace = Workspace.objects.create(
        name="new-one", title="New", name_claimed_at=now if change == "published" else None
    )
    Membership.objects.create(workspace=workspace, user=user, role="owner")
    assert housekeeping.forget_unconfirmed(now) == (not stays)
    assert User.objects.filter(pk=user.pk).exists() is stays
    assert Workspace.objects.filter(pk=workspace.pk).exists() is stays


# --- What ends with a workspace or a person -------------------------------------------------------------------------


def test_with_a_workspace_end_the_connections_that_reached_nothing_else(north_shore, harbour, owner):
    Membership.objects.create(workspace=harbour, user=owner, role="owner")
    reached = ([north_shore], [north_shore, harbour], [harbour])
    made = []
    for workspaces in reached:
        App(owner).connect(workspaces=workspaces)
        made.append(Connection.objects.exclude(pk__in=made).get().pk)
    erasing.erase_workspace(north_shore, by=owner)
    assert [Connection.objects.get(pk=pk).revoked_at is None for pk in made] == [False, True, True]


def test_only_ones_own_workspaces_hold_one_back(north_shore, harbour, person):
    assert list(erasing.owned_alone(person("owner"))) == [north_shore]
    assert list(erasing.owned_alone(person("editor"))) == []
    Membership.objects.filter(user=person("editor")).update(role="owner")
    assert list(erasing.owned_alone(person("owner"))) == []


def test_a_removal_is_on_record(north_shore, owner, person):
    members.remove_member(Membership.objects.get(user=person("editor")), by=owner)
    event = SecurityEvent.objects.get(kind="member_removed")
    assert (event.subject, event.workspace) == (person("editor").email, north_shore)


@pytest.mark.django_db
def test_whoever_has_no_default_workspace_chooses_in_words_and_without_any_is_not_asked(client, owner):
    client.force_login(owner)
    User.objects.filter(pk=owner.pk).update(default_workspace=None)
    page = client.get("/account/").content.decode()
    assert '<option value="" selected>None</option>' in page and "-----" not in page
    owner.memberships.all().delete()
    assert "Default workspace" not in client.get("/account/").content.decode()


@pytest.mark.django_db
def test_a_profile_saves_its_own_fields_alone(client, owner, monkeypatch):
    clean = views.cleaned

    def cleaned_while_staff_close_the_account(form: object) -> dict[str, object]:
        User.objects.filter(pk=owner.pk).update(is_active=False, token_generation=7)
        return clean(form)

    client.force_login(owner)
    monkeypatch.setattr(views, "cleaned", cleaned_while_staff_close_the_account)
    client.post("/account/profile", {"name": "Ines", "default_workspace": ""})
    found = User.objects.get(pk=owner.pk)
    assert (found.name, found.default_workspace) == ("Ines", None)
    assert (found.is_active, found.token_generation) == (False, 7)
