"""What may be asked for by hand, how much of it, and how long what was sent is kept."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts import checks, housekeeping
from accounts.events import numbering
from accounts.models import Webhook, WebhookDelivery, WorkspaceEvent
from accounts.webhooks import actions, dispatching, measures, sending
from tests.support.hooks import numbers

pytestmark = pytest.mark.django_db


def test_no_more_than_so_many_events_are_replayed_at_once(hooks, there, monkeypatch):
    assert actions.MOST_REPLAYED == 10_000, "as docs/webhooks.md promises"
    monkeypatch.setattr(actions, "MOST_REPLAYED", 2)
    hooks.tell(4)  # before it is made: only a replay brings them
    hook = hooks.make(there)
    refused = hooks.call("POST", hook, "/replay", {"after": 1}, status=409)
    assert refused["error"] == "At most 2 events are replayed at once; these are 3."
    assert hooks.call("POST", hook, "/replay", {"after": 2}) == {"count": 2}


def test_nothing_more_is_asked_for_while_too_much_waits(hooks, there, monkeypatch):
    monkeypatch.setattr(actions, "MOST_WAITING", 3)
    there.status = 500
    hook = hooks.make(there)
    hooks.tell(3)
    sending.send_due_webhooks()
    assert hooks.call("POST", hook, "/replay", {"after": 2}) == {"count": 1}
    for what, body in (("/replay", {"after": 2}), ("/test", {})):
        assert "wait already" in hooks.call("POST", hook, what, body, status=409)["error"]
    WebhookDelivery.objects.update(next_attempt_at=timezone.now() - timedelta(seconds=1))
    there.status, there.got = 204, []
    Webhook.objects.update(next_at=timezone.now() - timedelta(seconds=1))
    sending.send_due_webhooks()
    assert numbers(there) == [1, 2, 3, 3]
    assert hooks.call("POST", hook, "/test", {}, status=201)


def test_what_was_sent_goes_with_its_events_and_tests_after_as_long(hooks, there):
    hook = hooks.make(there)
    hooks.tell()
    hooks.call("POST", hook, "/test", {}, status=201)
    sending.send_due_webhooks()
    assert WebhookDelivery.objects.count() == 2
    soon = timezone.now() - timedelta(days=29)
    WebhookDelivery.objects.update(created_at=soon)
    WorkspaceEvent.objects.update(at=soon)
    housekeeping.forget_what_expired()
    assert WebhookDelivery.objects.count() == 2
    old = timezone.now() - timedelta(days=31)
    WebhookDelivery.objects.update(created_at=old)
    WorkspaceEvent.objects.update(at=old)
    housekeeping.forget_what_expired()
    assert WebhookDelivery.objects.count() == 0 and hooks.call("GET", hook)["state"] == "on"


def test_the_operator_is_warned_of_private_networks(settings):
    settings.FETCH_PRIVATE = []
    assert checks.private_networks_are_named_on_purpose() == []
    settings.FETCH_PRIVATE = ["10.1.0.0/16"]
    (warning,) = checks.private_networks_are_named_on_purpose()
    assert warning.id.endswith("W002") and "10.1.0.0/16" in warning.msg


@pytest.mark.both_databases
def test_after_a_restore_nothing_is_sent_before_an_owner_says_so(hooks, there, mailoutbox):
    hook = hooks.make(there)
    off = hooks.make(there)
    hooks.call("PATCH", off, body={"state": "off"})
    there.status = 500
    hooks.tell(2)
    sending.send_due_webhooks()
    call_command("hold_webhooks", because="Restored to 03:14.", stdout=(told := io.StringIO()))
    assert "1 webhooks are off" in told.getvalue()
    there.status, there.got = 204, []
    WebhookDelivery.objects.filter(state="waiting").update(
        next_attempt_at=timezone.now() - timedelta(seconds=1)
    )
    sending.send_due_webhooks()
    assert there.got == [] and {state for _, state, _ in hooks.states(hook)} == {"failed"}
    (mail,) = mailoutbox
    assert "Restored to 03:14." in mail.body
    hooks.call("PATCH", hook, body={"state": "on"})
    hooks.call("POST", hook, "/replay", {"after": 0})
    sending.send_due_webhooks()
    assert numbers(there) == [1, 2]


def test_metrics_tell_of_late_webhooks_but_not_of_dead_receivers(hooks, there):
    assert (measures.lag()[""], measures.waiting()[""]) == (0, 0)
    past = timezone.now() - timedelta(minutes=10)
    hook = hooks.make(there)
    hooks.tell(2)
    WorkspaceEvent.objects.update(at=past)
    assert 600 <= measures.lag()[""] < 700, "nobody has looked at it"
    numbering.number_events(hooks.workspace.pk)
    assert 600 <= measures.lag()[""] < 700, "it has its number, and no delivery"
    dispatching.dispatch_due()
    assert measures.lag()[""] < 60 and measures.waiting()[""] == 2
    WebhookDelivery.objects.update(created_at=past)
    assert 600 <= measures.lag()[""] < 700
    there.status = 500
    sending.send_due_webhooks()
    assert measures.lag()[""] == 0 and measures.waiting()[""] == 2, "the receiver is dead"
    assert hooks.call("GET", hook)["state"] == "failing"
