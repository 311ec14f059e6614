"""The rules of webhooks one by one: who opens their pages, when a try comes again, what turns one off, what is due."""

from __future__ import annotations

import uuid
from datetime import timedelta
from functools import partial

import pytest
import requests
import time_machine
from django.db.models.functions import Now
from django.utils import timezone
from jsonschema import Draft202012Validator

from accounts.actors import Actor
from accounts.events import numbering, reading
from accounts.events.document import webhooks_described
from accounts.events.types import DELIVERED
from accounts.models import (
    Membership,
    User,
    Webhook,
    WebhookDelivery,
    Workspace,
    WorkspaceEvent,
    WorkspaceLog,
)
from accounts.webhooks import actions, calling, dispatching, mail, rounds, sending, signing
from accounts.webhooks.calling import Outcome
from config.errors import Conflict, Fault, Gone, Invalid, NotFound

pytestmark = pytest.mark.django_db
TAKEN, REFUSED, GONE = Outcome(204, None, 1), Outcome(500, None, 1), Outcome(410, None, 1)


def make(workspace: Workspace, **fields) -> Webhook:
    hook = Webhook(workspace=workspace, url="https://ink.example/secret-path", **fields)
    signing.give_keys(hook)
    hook.save(force_insert=True)
    return hook


@pytest.fixture
def hook(north_shore) -> Webhook:
    return make(north_shore)


def tell(workspace: Workspace, *types: str) -> list[WorkspaceEvent]:
    for type in types:
        WorkspaceEvent.objects.create(workspace=workspace, type=type, data={})
    numbering.number_events(workspace.pk)
    return list(WorkspaceEvent.objects.filter(workspace=workspace).order_by("sequence"))


# --- Who -----------------------------------------------------------------------------------------------------------

URL = "https://ink.example/hooks"
PAGES = {
    "": None,
    "/{hook}": None,
    "/new": {"url": URL},
    "/{hook}/change": {"url": URL},
    "/{hook}/secret": {},
    "/{hook}/test": {"type": "webhook.test"},
    "/{hook}/replay": {"after": "0"},
    "/{hook}/switch": {},
    "/{hook}/delete": {},
}


@pytest.mark.parametrize("who", ["admin", "editor", "stranger", "nobody"])
def test_the_pages_of_webhooks_are_for_owners_and_admins(
    who, north_shore, harbour, person, client, monkeypatch
):
    monkeypatch.setattr(actions, "check_url", lambda url: None)  # which asks the network
    monkeypatch.setattr(actions, "wake", lambda task: None)
    if who != "nobody":
        client.force_login(person(who))
    for path, form in PAGES.items():
        Webhook.objects.all().delete()
        hook = make(north_shore)
        before = Webhook.objects.values().get()
        root = f"/account/workspaces/{north_shore.pk}/webhooks"
        address = root + path.format(hook=hook.pk)
        answer = client.get(address) if form is None else client.post(address, form)
        if who == "admin":
            assert answer.status_code in (200, 302), path
            if form is not None and path != "/new":
                posts_on = Webhook.objects.values().first() != before or WebhookDelivery.objects.exists()
                assert posts_on or path == "/{hook}/replay", path
        else:
            assert answer.status_code == (302 if who == "nobody" else 404), path
            assert list(Webhook.objects.values()) == [before] and not WebhookDelivery.objects.exists(), path
        if who == "stranger" and "{hook}" in path:  # by a workspace of their own
            mine = address.replace(str(north_shore.pk), str(harbour.pk))
            answer = client.get(mine) if form is None else client.post(mine, form, follow=True)
            assert URL not in answer.content.decode() and "secret-path" not in answer.content.decode()
            assert list(Webhook.objects.values()) == [before], path


def test_a_page_that_changes_something_takes_a_post(north_shore, hook, owner, client):
    client.force_login(owner)
    before = list(Webhook.objects.values())
    for path, form in PAGES.items():
        if form is not None:
            client.get(f"/account/workspaces/{north_shore.pk}/webhooks{path.format(hook=hook.pk)}")
    assert list(Webhook.objects.values()) == before and not WebhookDelivery.objects.exists()


def test_only_owners_who_are_active_hear_that_one_was_turned_off(hook, north_shore, owner, mailoutbox):
    away = User.objects.create_user("away@north-shore.example", "x", is_active=False)
    Membership.objects.create(workspace=north_shore, user=away, role="owner")
    mail.tell_owners(hook, "It is gone.")
    assert [told.to for told in mailoutbox] == [[owner.email]]
    assert "ink.example" in mailoutbox[0].subject and "secret-path" not in mailoutbox[0].body
    page = f"/account/workspaces/{north_shore.pk}/webhooks/{hook.pk}"
    assert f'{page}"' in mailoutbox[0].alternatives[0].content  # a button


# --- When a try comes again ------------------------------------------------------------------------------------------


def delivery(hook: Webhook, event: WorkspaceEvent | None = None, **fields) -> WebhookDelivery:
    sample = None if event else {"id": "evt_x", "type": "webhook.test"}
    type = event.type if event else "webhook.test"
    return WebhookDelivery.objects.create(webhook=hook, event=event, type=type, sample=sample, **fields)


@pytest.mark.parametrize("tries, minutes", list(enumerate([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440])))
def test_the_waits_between_tries_grow(tries, minutes):
    for _ in range(20):
        assert 0.8 <= sending.retry_wait(tries, REFUSED) / timedelta(minutes=minutes) <= 1.2
    asks = Outcome(503, None, 1, retry_after=timedelta(hours=30))
    assert sending.retry_wait(tries, asks) == timedelta(hours=30)
    at_once = Outcome(503, None, 1, retry_after=timedelta(0))
    assert sending.retry_wait(tries, at_once) >= 0.8 * timedelta(minutes=minutes)


@pytest.mark.parametrize(
    "tries, is_test, outcome, state",
    [
        (0, False, TAKEN, "done"),
        (9, False, TAKEN, "done"),
        (0, False, REFUSED, "waiting"),
        (8, False, REFUSED, "waiting"),
        (9, False, REFUSED, "failed"),
        (0, True, REFUSED, "failed"),
        (0, True, TAKEN, "done"),
        (0, False, Outcome(301, None, 1), "waiting"),
        (0, False, Outcome(None, "It timed out.", 1), "waiting"),
    ],
)
def test_what_a_try_makes_of_a_delivery(tries, is_test, outcome, state, hook, north_shore):
    event = None if is_test else tell(north_shore, "story.restored")[0]
    row = delivery(hook, event, tries=tries)
    sending.note_try(row, outcome, timezone.now())
    assert (row.state, row.tries, len(row.attempts)) == (state, tries + 1, 1)
    assert (row.next_attempt_at is None) is (state != "waiting") and (row.finished_at is None) is (
        state == "waiting"
    )


@pytest.mark.parametrize(
    "is_test, tries, overtaken", [(True, 0, True), (False, 0, False), (False, 1, False), (False, 2, True)]
)
def test_when_a_later_event_may_overtake(is_test, tries, overtaken, hook, north_shore):
    row = delivery(hook, None if is_test else tell(north_shore, "story.restored")[0], tries=tries)
    assert sending.may_be_overtaken(row) is overtaken


def test_what_waits_behind_a_failure_waits_until_it_may_overtake(hook, north_shore):
    first, second, third = (delivery(hook, event) for event in tell(north_shore, *["story.restored"] * 3))
    test = delivery(hook)
    later = timezone.now() + timedelta(hours=1)

    def sent() -> list[WebhookDelivery]:
        return sending.sendable(hook)

    assert sent() == [first, second, third, test]
    WebhookDelivery.objects.filter(pk=first.pk).update(next_attempt_at=later, tries=1)
    assert sent() == [test], "in order, and tests at once"
    WebhookDelivery.objects.filter(pk=first.pk).update(tries=3)
    assert sent() == [second, third, test], "it was overtaken"
    WebhookDelivery.objects.filter(pk=second.pk).update(state="done", next_attempt_at=None)
    assert sent() == [third, test]
    WebhookDelivery.objects.filter(pk=first.pk).update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    assert sent() == [first, third, test]


# --- What turns one off ----------------------------------------------------------------------------------------------

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.mark.parametrize(
    "failing, last, outcomes, state",
    [
        (None, None, [TAKEN], "on"),
        (None, None, [REFUSED], "failing"),
        (None, None, [REFUSED, TAKEN], "on"),
        (5 * DAY, HOUR, [TAKEN], "on"),
        (5 * DAY - HOUR, HOUR, [REFUSED], "failing"),
        (5 * DAY, HOUR, [REFUSED], "off"),
        (5 * DAY, 29 * HOUR, [REFUSED], "off"),
        (5 * DAY, 31 * HOUR, [REFUSED], "failing"),
        (5 * DAY, HOUR, [], "off"),
        (None, None, [GONE], "off"),
        (None, None, [TAKEN, GONE, TAKEN], "off"),
    ],
)
def test_what_a_webhook_learns_from_tries(failing, last, outcomes, state, hook, north_shore, mailoutbox):
    now = timezone.now()
    hook.failing_since, hook.last_failure_at = failing and now - failing, last and now - last
    waits = delivery(hook, tell(north_shore, "story.restored")[0])
    done = delivery(hook, state="done", next_attempt_at=None)
    sending.learn_from(hook, outcomes)
    found = Webhook.objects.get()
    assert (found.state, len(mailoutbox)) == (state, state == "off")
    assert bool(found.last_success_at) is (TAKEN in outcomes)
    waits.refresh_from_db()
    done.refresh_from_db()
    assert (waits.state, done.state) == ("failed" if state == "off" else "waiting", "done")
    assert bool(found.off_because) is (state == "off") and found.next_at is None


def test_an_owner_who_turns_it_off_gets_no_mail_and_on_again_it_begins_anew(hook, owner, mailoutbox):
    by = Actor.by_token(owner)
    actions.change_webhook(hook, {"state": "off"}, by=by)
    assert not mailoutbox and Webhook.objects.get().state == "off"
    Webhook.objects.update(off_because="Gone.", failing_since=Now())
    actions.change_webhook(hook, {"state": "on"}, by=by)
    found = Webhook.objects.get()
    assert (found.state, found.off_because, found.failing_since) == ("on", "", None)


def test_another_address_begins_anew_and_gets_at_once_what_waits(hook, north_shore, owner, mailoutbox):
    failing = timezone.now() - timedelta(days=5)
    hook.failing_since, hook.last_failure_at = failing, timezone.now() - timedelta(hours=20)
    hook.save()
    waits = delivery(hook, *tell(north_shore, "story.restored"), tries=8)
    WebhookDelivery.objects.update(next_attempt_at=timezone.now() + timedelta(hours=4))
    change = partial(actions.change_webhook, hook, by=Actor.by_token(owner))
    assert change({"url": hook.url, "description": "The same."}).state == "failing"
    assert not sending.sendable(hook) and Webhook.objects.get().next_at is None
    changed = change({"url": "https://other.example/hooks"})
    assert changed.state == "on" and sending.sendable(changed) == [waits]
    assert list(Webhook.objects.due()) == [hook]
    sending.learn_from(changed, [REFUSED])
    assert Webhook.objects.get().state == "failing" and not mailoutbox


# --- What is due, and what is told to whom ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields, suspended, due",
    [
        ({"next_at": -HOUR}, False, True),
        ({"next_at": HOUR}, False, False),
        ({"next_at": None}, False, False),
        ({"next_at": -HOUR, "is_on": False}, False, False),
        ({"next_at": -HOUR}, True, False),
        ({"next_at": -HOUR, "lease_until": HOUR, "lease_token": uuid.uuid4()}, False, False),
        ({"next_at": None, "lease_until": -HOUR, "lease_token": uuid.uuid4()}, False, True),
    ],
)
def test_which_webhook_is_due(fields, suspended, due, hook, north_shore):
    now = timezone.now()
    moments = {name: now + value if isinstance(value, timedelta) else value for name, value in fields.items()}
    Webhook.objects.update(**moments)
    Workspace.objects.filter(pk=north_shore.pk).update(suspended_at=now if suspended else None)
    assert Webhook.objects.due().exists() is due


def test_each_new_event_is_delivered_once_to_each_webhook_that_wants_it(hook, north_shore, harbour):
    some = make(north_shore, types=["story.trashed"])
    off, elsewhere = make(north_shore, is_on=False), make(harbour)
    tell(north_shore, "story.restored", "story.trashed")
    assert dispatching.dispatch_due() == 3
    told = {
        each: [row.type for row in each.deliveries.order_by("pk")] for each in (hook, some, off, elsewhere)
    }
    assert told == {
        hook: ["story.restored", "story.trashed"],
        some: ["story.trashed"],
        off: [],
        elsewhere: [],
    }
    assert dispatching.dispatch_due() == 0
    assert set(Webhook.objects.filter(next_at__isnull=False)) == {hook, some}, "the others need no look"


def test_a_look_comes_no_later_because_more_came(hook):
    soon, far = timezone.now() - HOUR, timezone.now() + HOUR
    for at, after in ((soon, soon), (far, None), (None, None)):
        Webhook.objects.update(next_at=at)
        dispatching.look_at({hook.pk})
        found = Webhook.objects.get().next_at
        assert found == after if after else found <= timezone.now()


# --- What is replayed ------------------------------------------------------------------------------------------------


def replayed(hook: Webhook, owner: User, **asked) -> list[int]:
    before = list(hook.deliveries.values_list("pk", flat=True))
    count = actions.replay(hook, **asked, by=Actor.by_token(owner))
    fresh = hook.deliveries.exclude(pk__in=before).order_by("pk")
    numbers = list(fresh.values_list("event__sequence", flat=True))
    assert count == len(numbers)
    return numbers


def test_what_a_replay_by_number_brings(hook, north_shore, harbour, owner, monkeypatch):
    monkeypatch.setattr(actions, "wake", lambda task: None)
    tell(harbour, "story.restored")
    tell(north_shore, "story.restored", "story.trashed", "story.restored")
    dispatching.dispatch(north_shore.pk)
    assert replayed(hook, owner, after=0) == [1, 2, 3]
    assert replayed(hook, owner, after=1, until=2) == [2]
    assert replayed(hook, owner, until=1) == [1]
    Webhook.objects.update(types=["story.trashed"])
    assert replayed(Webhook.objects.get(), owner, after=0) == [2]


def test_what_failed_is_replayed_unless_it_was_delivered_since(hook, north_shore, owner, monkeypatch):
    monkeypatch.setattr(actions, "wake", lambda task: None)
    now = timezone.now()
    failed = {"state": "failed", "next_attempt_at": None, "finished_at": now - HOUR}
    done = {"state": "done", "next_attempt_at": None, "finished_at": now - HOUR}
    one, two, three, four = tell(north_shore, *["story.restored"] * 4)
    dispatching.dispatch(north_shore.pk)
    WebhookDelivery.objects.all().delete()
    delivery(hook, one, **failed)
    delivery(hook, two, **failed)
    delivery(hook, two, **done)  # by hand, since
    delivery(hook, three, **failed | {"finished_at": now - 3 * HOUR})
    delivery(hook, four, **done)
    delivery(hook, **failed)  # a test
    other = make(north_shore)
    theirs = delivery(other, four, **failed)
    assert replayed(hook, owner, failed_since=now - 2 * HOUR) == [1]
    with pytest.raises(Invalid):
        actions.replay(hook, deliveries=[theirs.pk], by=Actor.by_token(owner))
    assert replayed(other, owner, deliveries=[theirs.pk]) == [4]


@pytest.mark.parametrize(
    "asked", [{}, {"after": 0, "deliveries": []}, {"until": 3, "failed_since": timezone.now()}]
)
def test_a_replay_is_asked_for_in_one_way(asked, hook, owner):
    with pytest.raises(Invalid):
        actions.replay(hook, **asked, by=Actor.by_token(owner))


def test_a_replay_that_ends_before_it_begins_is_refused_at_its_end(hook, owner):
    with pytest.raises(Invalid) as refused:
        actions.replay(hook, after=41, until=29, by=Actor.by_token(owner))
    assert [path for path, _ in refused.value.faults] == ["until"]
    assert actions.replay(hook, after=41, until=41, by=Actor.by_token(owner)) == 0, "nothing was missed"


def test_nothing_is_asked_of_a_webhook_that_is_off(hook, owner):
    Webhook.objects.update(is_on=False)
    by = Actor.by_token(owner)
    for ask in (lambda: actions.replay(hook, after=0, by=by), lambda: actions.send_test(hook, by=by)):
        with pytest.raises(Conflict):
            ask()
    assert not WebhookDelivery.objects.exists()


def test_a_sample_has_a_type_that_there_is(hook, owner):
    with pytest.raises(Invalid):
        actions.send_test(hook, "story.read", by=Actor.by_token(owner))


# --- Signatures and the log ------------------------------------------------------------------------------------------


def test_whichever_secret_a_receiver_has_signs_for_a_day_however_often_it_is_replaced(hook):
    given = [
        signing.opened(hook.secret, signing.PURPOSE),
        *(signing.replace_secret(hook)[0] for _ in range(5)),
    ]
    at = timezone.now() + timedelta(hours=23)
    signed = signing.headers(hook, "evt_x", b"{}", at=at)["webhook-signature"].split()
    assert {signing.Signer(secret).sign("evt_x", at, "{}") for secret in given} == set(signed[:-1])
    with pytest.raises(Conflict):
        signing.replace_secret(hook)
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        signing.replace_secret(hook)
    assert len(hook.old_secrets) == 1


def test_who_deletes_what_somebody_deleted_just_now_hears_so(hook, owner):
    by = Actor.by_token(owner)
    seen = Webhook.objects.get(pk=hook.pk)
    actions.delete_webhook(hook, by=by)
    seen.workspace = hook.workspace
    replay = partial(actions.replay, after=0)
    for change in (actions.delete_webhook, actions.replace_secret, actions.send_test, replay):
        with pytest.raises(NotFound):
            change(seen, by=by)


@pytest.mark.parametrize("type", DELIVERED)
def test_a_sample_is_as_its_schema_says_and_names_who_asked(type, hook, owner):
    sample = actions.send_test(hook, type, by=Actor.by_token(owner)).sample
    assert (sample["data"]["via"], sample["sequence"]) == ("token", None)
    documented = webhooks_described({"components": {"schemas": {}}})
    of_type = documented["webhooks"][type]["post"]["requestBody"]["content"]["application/json"]["schema"]
    Draft202012Validator({**documented, **of_type}).validate(sample)


@pytest.mark.parametrize(
    "after, types, limit, numbers, next_after",
    [
        (None, (), 2, [3, 4], 4),
        (2, (), 9, [3, 4, 5], None),
        (4, (), 9, [5], None),
        (5, (), 9, [], None),
        (None, ("story.trashed",), 9, [4], 5),
        (None, ("story.deleted",), 9, [], 5),
        (1, (), 9, None, None),
    ],
)
def test_the_pages_of_the_log(after, types, limit, numbers, next_after, north_shore, harbour):
    tell(harbour, "story.restored")
    events = tell(north_shore, *["story.restored"] * 3, "story.trashed", "story.restored")
    WorkspaceEvent.objects.filter(pk__in=[event.pk for event in events[:2]]).delete()
    WorkspaceLog.objects.filter(pk=north_shore.pk).update(forgotten=2)
    if numbers is None:
        with pytest.raises(Gone):
            reading.events_after(north_shore, after=after, types=types, limit=limit)
        return
    page = reading.events_after(north_shore, after=after, types=types, limit=limit)
    assert ([item["sequence"] for item in page.items], page.next_after, page.oldest) == (
        numbers,
        next_after,
        3,
    )


# --- What a receiver answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header, seconds",
    [
        ("", None),
        ("0", 0),
        ("90", 90),
        (" 90 ", 90),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
        ("86401", 86400),
        ("9" * 30, 86400),
        ("Wed, 01 May 2030 10:01:00 GMT", 60),
        ("Wed, 01 May 2030 09:59:00 GMT", 0),
        ("Wed, 01 May 2030 12:01:00 +0200", 60),
        ("Sat, 04 May 2030 10:00:00 GMT", 86400),
    ],
)
def test_how_long_a_receiver_asks_to_wait(header, seconds):
    with time_machine.travel("2030-05-01T10:00:00Z", tick=False):
        found = calling.wait_of(header)
    assert found == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize(
    "error, words",
    [
        (calling.TimedOut(), "did not answer within 15 seconds"),
        (requests.ReadTimeout(), "did not answer within 15 seconds"),
        (calling.NotPublic(), "not on the public internet"),
        (Invalid(faults=[Fault("url", "Must not contain spaces.")]), "Must not contain spaces."),
        (requests.exceptions.SSLError("secret"), "certificate"),
        (requests.ConnectionError("secret"), "The connection failed."),
        (OSError("secret"), "The connection failed."),
        (ValueError("secret"), "The connection failed."),
        (KeyError("secret"), calling.OUR_FAULT),
    ],
)
def test_what_went_wrong_is_told_without_what_the_machine_says(error, words):
    told = calling.failure_words(error)
    assert words in told and "secret" not in told


@pytest.mark.parametrize(
    "status, taken", [(199, False), (200, True), (204, True), (299, True), (300, False), (None, False)]
)
def test_which_answers_take_an_event(status, taken):
    assert Outcome(status, None, 1).is_taken is taken


@pytest.mark.parametrize(
    "url, development, words",
    [
        ("https://ink.example/hooks", False, ""),
        ("http://ink.example/hooks", True, ""),
        ("http://ink.example/hooks", False, "https://"),
        ("https://ink.example/a b", False, "spaces"),
        ("https://ink.example/a\tb", False, "spaces"),
        ("https://ink.example/a#b", False, "#"),
        ("https://127.0.0.1/", False, ""),
        ("http://127.0.0.1/", False, ""),
        ("https://10.0.0.1/", False, "public internet"),
        ("https://[::1]/", False, "public internet"),
        ("https://10.0.0.1./", False, "public internet"),
        ("ftp://ink.example/", False, "an address like"),
        ("https://ink..example/", False, "an address like"),
        ("https://.ink.example/", False, "an address like"),
        (f"https://{'i' * 64}.example/", False, "an address like"),
        ("https://ink.example./hooks", False, ""),
    ],
)
def test_which_address_a_webhook_may_have(url, development, words, settings):
    settings.DEVELOPMENT = development  # and 127.0.0.0/8 is named as ours, by every test here
    if not words:
        calling.check_url(url)
        return
    with pytest.raises(Invalid) as refused:
        calling.check_url(url)
    [fault] = refused.value.faults
    assert fault.path == "url" and words in fault.message


def test_a_refused_address_is_told_at_its_field_and_nothing_is_changed(hook, north_shore, owner, client):
    client.force_login(owner)
    root = f"/account/workspaces/{north_shore.pk}/webhooks"
    for path in ("new", f"{hook.pk}/change"):
        page = client.post(f"{root}/{path}", {"url": "https://10.0.0.1/"})
        assert page.status_code == 200 and "url" in page.context["form"].errors
        assert "not on the public internet" in page.content.decode()
    assert Webhook.objects.get().url == hook.url


def test_without_a_sender_of_its_own_a_process_sends_at_once(hook, north_shore, monkeypatch):
    sent: list[str] = []
    own = rounds.Rounds()
    monkeypatch.setattr(rounds, "own", own)
    monkeypatch.setattr(rounds, "send_due_webhooks", lambda: sent.append("here"))
    rounds.wake_rounds()
    assert sent == ["here"] and not own.look.is_set()
    own.runs = True
    rounds.wake_rounds()
    assert sent == ["here"] and own.look.is_set()


@pytest.mark.parametrize(
    "method, path",
    [("DELETE", ""), ("POST", "/secret"), ("PATCH", ""), ("POST", "/test"), ("POST", "/replay")],
)
def test_a_call_refuses_what_it_does_not_know(method, path, hook, north_shore, api):
    before = list(Webhook.objects.values())
    address = f"/workspaces/{north_shore.pk}/webhooks/{hook.pk}{path}"
    for answer in (api.call(method, address, {"unknown": 1}), api.call(method, f"{address}?unknown=1", {})):
        assert answer.status_code == 400 and "unknown" in answer.content.decode()
    for page in ("", "/deliveries"):
        listed = api.get(f"/workspaces/{north_shore.pk}/webhooks/{hook.pk}{page}?unknown=1")
        assert listed.status_code == 400
    assert list(Webhook.objects.values()) == before


def test_deliveries_are_listed_page_by_page_by_state_and_of_this_webhook(hook, north_shore, api):
    rows = [delivery(hook, state=state, next_attempt_at=None) for state in ("done", "failed", "done")]
    delivery(make(north_shore), state="done", next_attempt_at=None)
    path = f"/workspaces/{north_shore.pk}/webhooks/{hook.pk}/deliveries"
    newest = [str(row.pk) for row in reversed(rows)]

    def listed(query: str) -> tuple[list[str], str | None]:
        told = api.get(f"{path}?{query}").json()
        return [item["id"] for item in told["items"]], told["nextCursor"]

    first, cursor = listed("limit=2")
    assert first == newest[:2] and cursor
    assert listed(f"limit=2&cursor={cursor}") == (newest[2:], None)
    assert listed("limit=3") == (newest, None)
    assert listed("state=failed") == ([newest[1]], None)
