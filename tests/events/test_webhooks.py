"""Webhooks: who may, what is sent and how it is signed, what is tried again and when, and what is never called."""

from __future__ import annotations

import base64
import json
from datetime import timedelta

import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection
from django.utils import timezone
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from accounts.actions import keys, workspaces
from accounts.actors import KEY_SCOPES
from accounts.idempotency import TOLD_ONCE
from accounts.models import AccountMail, SecurityEvent, Webhook, WebhookDelivery, WorkspaceEvent
from accounts.webhooks import dispatching, sending
from tests.support import openapi
from tests.support.hooks import later, numbers
from tests.support.moderation import make_staff
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


# --- What is sent -----------------------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_under_one_key_a_sample_and_a_replay_are_sent_once(hooks, there, api):
    hook = hooks.make(there)
    hooks.tell(3)
    dispatching.dispatch(hooks.workspace.pk)
    for what, body, sent in (("/test", {}, 1), ("/replay", {"after": 1}, 2)):
        path, before = f"{hooks.path}/{hook['id']}{what}", WebhookDelivery.objects.count()
        first, again = (api.call("POST", path, body, headers={"Idempotency-Key": what}) for _ in range(2))
        assert first.status_code < 300 and first.json() == again.json()
        assert again["Idempotency-Replayed"] == "true"
        assert WebhookDelivery.objects.count() == before + sent


def test_what_answers_with_a_secret_takes_no_key_and_says_why(hooks, there, api):
    hook = hooks.make(there)
    kept = Webhook.objects.values().get()
    for path, body in ((hooks.path, {"url": there.url}), (f"{hooks.path}/{hook['id']}/secret", {})):
        refused = api.call("POST", path, body, headers={"Idempotency-Key": "k"})
        assert refused.status_code == 400
        assert refused.json()["details"] == [{"path": "Idempotency-Key", "message": TOLD_ONCE}]
    assert Webhook.objects.values().get() == kept


def test_an_event_arrives_as_the_log_has_it_and_its_signatures_verify(hooks, there, api, live_story):
    before = WorkspaceEvent.objects.count()
    assert before > 0
    hook = hooks.make(there, types=["story.unpublished"], description="Our site")
    assert (hook["state"], hook["types"], hook["lastSuccessAt"]) == ("on", ["story.unpublished"], None)
    api.call("PUT", f"/stories/{live_story.pk}/visibility", {"visibility": "unlisted"})
    api.unpublish(live_story)
    sending.send_due_webhooks()
    (got,) = there.got
    raw = api.get(f"/workspaces/{hooks.workspace.pk}/events?type=story.unpublished").content
    assert got.body in raw
    assert json.loads(got.body)["id"] == got.headers["webhook-id"]

    check = Verifier(hook["secret"]).verify
    assert check(got.body, got.headers)["type"] == "story.unpublished"
    versions = [each.split(",")[0] for each in got.headers["webhook-signature"].split()]
    assert versions == ["v1", "v1a"]
    signed = base64.b64decode(got.headers["webhook-signature"].split("v1a,")[1])
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(hook["publicKey"].removeprefix("whpk_")))
    content = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    public.verify(signed, content)
    assert hooks.call("GET", hook)["lastSuccessAt"]
    sending.send_due_webhooks()
    assert len(there.got) == 1


def test_an_event_is_delivered_as_it_was_told_whatever_happened_since(hooks, there, api, live_story):
    hooks.make(there, types=["story.visibility_changed", "story.unpublished"])
    api.call("PUT", f"/stories/{live_story.pk}/visibility", {"visibility": "unlisted"})
    api.call("PATCH", f"/stories/{live_story.pk}", {"title": "Another title"})
    api.unpublish(live_story, "?releaseSlug=true")
    sending.send_due_webhooks()
    changed, unpublished = (json.loads(got.body)["data"]["story"] for got in there.got)
    assert changed["url"].endswith("/north-shore/small-voyages") and changed["title"] == "Small voyages"
    assert (unpublished["url"], unpublished["title"]) == (None, "Another title")


def test_for_a_day_after_a_new_secret_both_sign(hooks, there, settings):
    hook = hooks.make(there)
    new = hooks.call("POST", hook, "/secret", {})["secret"]
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]  # what is sealed can be read after a change of it
    settings.SECRET_KEY = "another one of the service, of more than fifty characters"
    hooks.tell()
    sending.send_due_webhooks()
    for secret in (hook["secret"], new):
        Verifier(secret).verify(there.got[0].body, there.got[0].headers)
    with later(hours=25):
        hooks.tell()
        sending.send_due_webhooks()
        Verifier(new).verify(there.got[1].body, there.got[1].headers)
        with pytest.raises(WebhookVerificationError):
            Verifier(hook["secret"]).verify(there.got[1].body, there.got[1].headers)


@pytest.mark.both_databases
def test_tests_deliveries_and_replays(hooks, there, api):
    hooks.tell(2)  # before it was made: not for it
    hook = hooks.make(there)
    delivery = hooks.call("POST", hook, "/test", {"type": "story.trashed"}, status=201)
    assert (delivery["type"], delivery["sequence"]) == ("story.trashed", None)
    sending.send_due_webhooks()
    assert [json.loads(got.body)["type"] for got in there.got] == ["story.trashed"]
    assert numbers(there) == [None]
    there.got.clear()
    hooks.tell(4)
    sending.send_due_webhooks()
    assert numbers(there) == [3, 4, 5, 6]
    page = hooks.call("GET", hook, "/deliveries?limit=3&state=done")
    assert [row["sequence"] for row in page["items"]] == [6, 5, 4]
    again = hooks.call("GET", hook, f"/deliveries?limit=1&cursor={page['nextCursor']}")["items"][0]
    assert again["sequence"] == 3 and again["attempts"][0]["status"] == 204

    first = [got.headers["webhook-id"] for got in there.got]
    there.got.clear()
    assert hooks.call("POST", hook, "/replay", {"after": 3, "until": 5}) == {"count": 2}
    assert hooks.call("POST", hook, "/replay", {"deliveries": [again["id"]]}) == {"count": 1}
    assert hooks.call("POST", hook, "/replay", {"after": 0}) == {"count": 6}
    sending.send_due_webhooks()
    assert numbers(there) == [4, 5, 3, 1, 2, 3, 4, 5, 6]
    assert there.got[0].headers["webhook-id"] == first[1]
    there.status = 500
    hooks.tell()
    sending.send_due_webhooks()
    hooks.call("PATCH", hook, body={"state": "off"})
    assert hooks.states(hook)[-1] == (7, "failed", 1)
    assert "Turn it on" in hooks.call("POST", hook, "/replay", {"after": 0}, status=409)["error"]
    hooks.tell()  # while it is off: for a replay
    hooks.call("PATCH", hook, body={"state": "on"})
    there.status, there.got = 200, []
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    assert hooks.call("POST", hook, "/replay", {"failedSince": since}) == {"count": 1}
    sending.send_due_webhooks()
    assert numbers(there) == [7]
    assert hooks.call("POST", hook, "/replay", {"failedSince": since}) == {"count": 0}
    for body in ({"failedSince": since[:10]}, {"failedSince": since[:19]}, {"deliveries": "1"}):
        (path,) = body
        assert hooks.call("POST", hook, "/replay", body, status=400)["details"][0]["path"] == path
    for body in ({}, {"after": 1, "failedSince": since}, {"deliveries": ["1"]}, {"deliveries": []}):
        hooks.call("POST", hook, "/replay", body, status=400)
    (none,) = hooks.call("POST", hook, "/replay", {"deliveries": []}, status=400)["details"]
    assert none["message"] == "At least 1 of them."
    (unknown,) = hooks.call("GET", hook, "/deliveries?state=sent", status=400)["details"]
    assert unknown["message"] == "Must be one of waiting, done, failed."


# --- What is tried again ----------------------------------------------------------------------------------------


def test_a_receiver_that_was_down_for_two_hours_gets_everything(hooks, there):
    hook = hooks.make(there)
    there.status = 503
    hooks.tell(5)
    sending.send_due_webhooks()
    now = timezone.now()
    for minute in (1, 10, 50, 119):
        with time_machine.travel(now + timedelta(minutes=minute), tick=True):
            sending.send_due_webhooks()
    assert numbers(there)[:4] == [1, 1, 1, 2], "the second waits until the first had failed three times"
    there.status, there.got = 200, []
    for hour in (6, 12):
        with time_machine.travel(now + timedelta(hours=hour), tick=True):
            sending.send_due_webhooks()
    assert sorted(numbers(there)) == [1, 2, 3, 4, 5]
    assert {state for _, state, _ in hooks.states(hook)} == {"done"}
    assert hooks.call("GET", hook)["state"] == "on"


@pytest.mark.parametrize("status, sent", [(200, [1, 2]), (503, [])])
def test_a_test_that_is_taken_brings_what_waits_for_its_next_try(hooks, there, status, sent):
    hook = hooks.make(there)
    there.status = 503
    hooks.tell(2)
    for _ in range(2):  # the second try comes after seconds, the third after minutes
        with time_machine.travel(timezone.now() + timedelta(seconds=10), tick=True):
            sending.send_due_webhooks()
    there.status, there.got = status, []
    hooks.call("POST", hook, "/test", status=201)
    sending.send_due_webhooks()
    assert [number for number in numbers(there) if number] == sent


def test_a_receiver_says_when_to_come_again(hooks, there):
    hooks.make(there)
    there.status, there.headers = 429, {"Retry-After": "3600"}
    hooks.tell()
    sending.send_due_webhooks()
    wait = WebhookDelivery.objects.get().next_attempt_at - timezone.now()
    assert 3500 < wait.total_seconds() <= 3600


@pytest.mark.both_databases
def test_a_webhook_is_turned_off_and_owners_hear_of_it(hooks, there, mailoutbox):
    gone, other = hooks.make(there), hooks.make(there, types=["workspace.resumed"])
    there.status = 410
    hooks.tell(2)
    sending.send_due_webhooks()
    assert [hooks.call("GET", hook)["state"] for hook in (gone, other)] == ["off", "on"]
    assert {state for _, state, _ in hooks.states(gone)} == {"failed"} and len(there.got) == 1
    assert [mail.to for mail in mailoutbox] == [["owner@north-shore.example"]]
    assert "127.0.0.1" in mailoutbox[0].subject and "/hooks" not in mailoutbox[0].body.replace(
        "/webhooks", ""
    )
    assert AccountMail.objects.count() == 0


def test_a_receiver_that_changes_things_itself_is_told_through_what(hooks, there, api, live_story, owner):
    """Whoever answers an event with a change sees its own name in the next one, and can stop."""
    key = keys.create_api_key(hooks.workspace, by=owner, label="Own receiver", scopes=KEY_SCOPES)[1]
    hooks.make(there, types=["story.visibility_changed"])
    path = f"/stories/{live_story.pk}/visibility"
    api.call("PUT", path, {"visibility": "unlisted"})
    for level in ("public", "unlisted"):
        sending.send_due_webhooks()
        data = json.loads(there.got[-1].body)["data"]
        if data["label"] != "Own receiver":
            api.with_key(key).call("PUT", path, {"visibility": level})
    assert [json.loads(got.body)["data"]["label"] for got in there.got] == ["", "Own receiver"]


# --- Who, and how many ------------------------------------------------------------------------------------------


def test_a_new_webhook_says_where_it_is_and_a_sample_promises_no_address(hooks, there, api):
    """As the document has it: the header is promised for the one, and not for the other."""
    made = api.call("POST", hooks.path, {"url": there.url})
    read = api.get(made["Location"].removeprefix("/api/v2"))
    assert read.json()["id"] == made.json()["id"]
    sample = api.call("POST", f"{hooks.path}/{made.json()['id']}/test", {})
    paths = openapi.document()["paths"]
    for path, answer in (("", made), ("/{webhook}/test", sample)):
        promised = paths[f"/api/v2/workspaces/{{workspace}}/webhooks{path}"]["post"]["responses"]["201"]
        assert ("Location" in answer) == ("Location" in promised.get("headers", {})), path


def test_webhooks_are_for_owners_and_admins_and_for_keys_with_the_scope(
    hooks, there, api, person, owner, caplog
):
    hook = hooks.make(there)
    one = f"{hooks.path}/{hook['id']}"
    reads = [("GET", hooks.path), ("GET", one), ("GET", f"{one}/deliveries")]
    writes = [
        ("POST", hooks.path, {"url": there.url}, 201),
        ("PATCH", one, {"description": "x"}, 200),
        ("POST", f"{one}/secret", {}, 200),
        ("POST", f"{one}/test", {}, 201),
        ("POST", f"{one}/replay", {"after": 0}, 200),
    ]
    for who, expected in (("admin", None), ("editor", 403), ("stranger", 404)):
        caller = api.as_(person(who))
        for method, path in reads:
            assert caller.call(method, path).status_code == (expected or 200), (who, path)
        for method, path, body, status in writes:
            assert caller.call(method, path, body).status_code == (expected or status), (who, path)
        if expected:
            assert caller.call("DELETE", one).status_code == expected
    for scope in ("webhooks:read", "webhooks:write", "events:read"):
        caller = api.with_key(keys.create_api_key(hooks.workspace, by=owner, scopes=[scope])[1])
        allowed = scope == "webhooks:read"
        assert caller.call("GET", one).status_code == (200 if allowed else 403), scope
        allowed = scope == "webhooks:write"
        assert caller.call("PATCH", one, {"state": "on"}).status_code == (200 if allowed else 403), scope
    with pytest.raises(KeyError, match="code"):  # apps cannot even ask
        App(owner).connect("webhooks:read")
    theirs = api.as_(person("stranger"))
    elsewhere = person("stranger").default_workspace_id
    assert theirs.get(f"/workspaces/{elsewhere}/webhooks/{hook['id']}").status_code == 404
    twice = ["story.trashed", "story.restored", "story.trashed"]
    types = {"types": ["story.trashed", "story.restored"]}
    assert api.call("PATCH", one, {"types": twice}).json()["types"] == types["types"]
    for body in ({"types": []}, {"types": ["nothing"]}, {"url": there.url, "colour": 1}, {"url": 5}):
        assert api.call("POST", hooks.path, {"url": there.url, **body}).status_code == 400, body
    for _ in range(8):
        hooks.make(there)
    assert api.call("POST", hooks.path, {"url": there.url}).status_code == 409
    assert hooks.call("DELETE", hook)["id"] == hook["id"]
    assert api.get(one).status_code == 404
    shown = caplog.text + "".join(SecurityEvent.objects.values_list("subject", flat=True))
    stored = json.dumps(list(Webhook.objects.values("secret", "private_key", "old_secrets")))
    assert "whsec_" not in shown + stored and "/hooks" not in shown


def test_a_suspended_workspace_is_logged_and_its_deliveries_wait(hooks, there):
    hooks.make(there)
    staff = make_staff()
    workspaces.suspend(hooks.workspace, by=staff)
    sending.send_due_webhooks()
    assert there.got == []
    workspaces.resume(hooks.workspace, by=staff)
    sending.send_due_webhooks()
    assert [json.loads(got.body)["type"] for got in there.got] == ["workspace.suspended", "workspace.resumed"]


@pytest.mark.both_databases
def test_a_sender_that_died_or_was_overtaken_loses_nothing(hooks, there):
    hook = hooks.make(there)
    hooks.tell(3)
    dispatching.dispatch_due()
    dead = Webhook.objects.due().take(hook["id"], sending.LEASE, next_at=None)
    assert Webhook.objects.due().count() == 0 and sending.send_due_webhooks() == 0
    past = timezone.now() - timedelta(seconds=1)
    Webhook.objects.filter(pk=hook["id"]).update(lease_until=past)
    assert sending.send_due_webhooks() == 3
    assert sending.record_tries(dead, []) is None
    sending.let_go(dead)
    assert numbers(there) == [1, 2, 3]
    assert connection.vendor in ("sqlite", "postgresql")
