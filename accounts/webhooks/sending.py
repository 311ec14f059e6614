"""Sending: a worker takes one webhook at a time and sends what it waits for, in the order of the log.

A later event overtakes an earlier one only once that one failed OVERTAKEN times. Tries are recorded in batches: who
dies before has sent some twice, under the same id, and lost none. Who takes which webhook when: `rounds`.
"""

from __future__ import annotations

import logging
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge

from cryptography.fernet import InvalidToken
from django.db import transaction
from django.db.models import DateTimeField, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.events.reading import body
from accounts.models import Webhook, WebhookDelivery
from accounts.webhooks import mail, signing
from accounts.webhooks.calling import OUR_FAULT, Caller, Outcome
from accounts.webhooks.dispatching import dispatch_due
from config import stopping
from config.database import release_connection
from config.leases import NO_LEASE

logger = logging.getLogger(__name__)

State = WebhookDelivery.State
RETRIES = [
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
]
JITTER = 0.2  # of each wait, either way
OVERTAKEN = 3  # failed tries of an event after which later ones go first
GIVEN_UP = timedelta(days=5)  # of nothing but failures, until a webhook is turned off
#: Without a try, longer than between any two of one event: failures count anew after it.
QUIET = timedelta(hours=30)
GONE = 410  # how a receiver says that it wants no more
LEASE = 60  # seconds a sender may be silent
TURN = 10.0  # seconds of one webhook, then others; less where others wait
SLOW = 0.5  # seconds of a call, from which on a webhook is slow
BATCH, RECORDED = 50, 1.0  # tries, and seconds, after which they are recorded
FAULT_WAIT = timedelta(seconds=5)  # until a webhook is looked at again whose turn ended in an error of ours
UNSIGNED = (
    "It could not be signed: our key to its secret has changed. Make a new webhook, or ask the operator."
)
#: Kept in English, and told in the language of whoever reads it.
GIVEN_UP_WORDS = _("Nothing was taken for five days.")
GONE_WORDS = _("The receiver answered 410 (gone).")


# --- One webhook ------------------------------------------------------------------------------------------------


@dataclass
class Turn:
    """One webhook that is being served. `slow`: as it was known when it began; `longest`: seconds of its calls."""

    slow: bool = False
    others_wait: Callable[[bool], bool] = lambda slow: False
    called_at: float | None = None
    longest: float = 0.0

    @property
    def is_slow(self) -> bool:
        called_at = self.called_at
        under_way = 0.0 if called_at is None else time.monotonic() - called_at
        return self.slow or max(self.longest, under_way) > SLOW

    def attempt(self, hook: Webhook, delivery: WebhookDelivery, caller: Caller, *, at: datetime) -> Outcome:
        self.called_at = begun = time.monotonic()
        outcome = attempt(hook, delivery, caller, at=at)
        self.called_at, self.longest = None, max(self.longest, time.monotonic() - begun)
        return outcome


def serve_webhook(pk: uuid.UUID, turn: Turn | None = None) -> int:
    """Sends what a webhook waits for, for at most TURN seconds; returns how many were taken."""
    hook = Webhook.objects.due().take(pk, LEASE, next_at=None)
    if hook is None:
        return 0
    try:
        taken = send(hook, turn or Turn())
    except Exception:
        let_go(hook, again_at=timezone.now() + FAULT_WAIT)
        raise
    let_go(hook)
    return taken


def send(hook: Webhook, turn: Turn) -> int:
    caller, taken, until = Caller(), 0, time.monotonic() + TURN
    try:
        now: Webhook | None = hook
        while now is not None and (due := sendable(now)):
            count = send_deliveries(now, due, caller, turn)
            taken += count or 0
            over = time.monotonic() > until or stopping.has_begun() or turn.others_wait(turn.is_slow)
            if count is None or over:
                break
            now = hook.held().first()  # as it is by now; None: it was deleted, or another worker took over
    finally:
        caller.close()
    return taken


def sendable(hook: Webhook) -> list[WebhookDelivery]:
    """What may be sent now, in order: as far as each one before is taken, or failed OVERTAKEN times, or is a test."""
    waiting = hook.deliveries.waiting().select_related("event").order_by("pk")
    now, free = timezone.now(), Q(tries__gte=OVERTAKEN) | Q(event=None)
    passed = list(waiting.filter(free, next_attempt_at__lte=now)[:BATCH])
    heads = []
    for delivery in waiting.exclude(free)[:BATCH]:
        if delivery.next_attempt_at is None or delivery.next_attempt_at > now:
            break
        heads.append(delivery)
    return list(merge(passed, heads, key=lambda delivery: delivery.pk))[:BATCH]


def send_deliveries(hook: Webhook, due: list[WebhookDelivery], caller: Caller, turn: Turn) -> int | None:
    """Sends one after the other and records what became of them; returns how many were taken, None where another
    worker took over or the webhook is off. The first that fails and may not be overtaken ends it.
    """
    tried: list[tuple[WebhookDelivery, datetime, Outcome]] = []
    begun = time.monotonic()
    release_connection()
    for delivery in due:
        if stopping.has_begun() or time.monotonic() - begun > RECORDED:
            break
        at = timezone.now()
        outcome = turn.attempt(hook, delivery, caller, at=at)
        tried.append((delivery, at, outcome))
        if outcome.status == GONE or (not outcome.is_taken and not may_be_overtaken(delivery)):
            break
    return record_tries(hook, tried)


def may_be_overtaken(delivery: WebhookDelivery) -> bool:
    return delivery.event is None or delivery.tries + 1 >= OVERTAKEN


def attempt(hook: Webhook, delivery: WebhookDelivery, caller: Caller, *, at: datetime) -> Outcome:
    try:
        content = body(delivery)
        headers = signing.headers(hook, delivery.event_id_on_wire, content, at=at)
    except InvalidToken:
        logger.error("Webhook %s cannot be signed: SECRET_KEY changed without SECRET_KEY_FALLBACKS", hook.pk)
        return Outcome(None, UNSIGNED, 0)
    except Exception:
        logger.exception("A delivery to webhook %s could not be made", hook.pk)
        return Outcome(None, OUR_FAULT, 0)
    return caller.call(hook.url, content, headers)


@transaction.atomic
def record_tries(hook: Webhook, tried: list[tuple[WebhookDelivery, datetime, Outcome]]) -> int | None:
    """Writes what became of tries, as long as the lease holds and the webhook is on."""
    row = Webhook.objects.select_for_update().filter(pk=hook.pk, lease_token=hook.lease_token).first()
    if row is None or not row.is_on:
        return None
    for delivery, at, outcome in tried:
        note_try(delivery, outcome, at)
    fields = ["state", "tries", "attempts", "next_attempt_at", "finished_at"]
    WebhookDelivery.objects.bulk_update([delivery for delivery, _, _ in tried], fields)
    outcomes = [outcome for delivery, _, outcome in tried if delivery.event is not None]
    taken = sum(outcome.is_taken for outcome in outcomes)
    learn_from(row, outcomes)
    if any(delivery.event is None and outcome.is_taken for delivery, _, outcome in tried):
        make_due(row)  # the receiver works again, as somebody has just tried
    if row.is_on:
        row.renew(LEASE)
    return taken if row.is_on else None


def make_due(hook: Webhook) -> None:
    """Has nothing of a locked webhook wait for its hour any more."""
    now = timezone.now()
    hook.deliveries.waiting().filter(next_attempt_at__gt=now).update(next_attempt_at=now)


def note_try(delivery: WebhookDelivery, outcome: Outcome, at: datetime) -> None:
    """Notes one try on its delivery: it is over, or comes again."""
    told = outcome.as_attempt(at)
    if outcome.is_taken:
        delivery.end(State.DONE, told)
    elif delivery.event is None or delivery.tries >= len(RETRIES):
        delivery.end(State.FAILED, told)
    else:
        delivery.put_off(retry_wait(delivery.tries, outcome), told)


def retry_wait(tries: int, outcome: Outcome) -> timedelta:
    """Until the next try after `tries` earlier ones and this: ever longer, and longer still where a receiver asks.

    Never sooner because it asks: a receiver that says "at once" while it is down would use up all its tries.
    """
    planned = RETRIES[tries] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  # no secret
    return max(planned, outcome.retry_after or timedelta())


def learn_from(hook: Webhook, outcomes: list[Outcome]) -> None:
    """What a locked webhook learns from tries: since when it fails, and whether it is turned off."""
    now = timezone.now()
    for outcome in outcomes:
        if outcome.is_taken:
            hook.failing_since, hook.last_success_at = None, now
        else:
            quiet = hook.last_failure_at is None or now - hook.last_failure_at > QUIET
            hook.failing_since = now if quiet else hook.failing_since or now
            hook.last_failure_at = now
    hook.save(update_fields=["failing_since", "last_failure_at", "last_success_at"])
    if any(outcome.status == GONE for outcome in outcomes):
        turn_off(hook, str(GONE_WORDS))
    elif hook.failing_since is not None and now - hook.failing_since >= GIVEN_UP:
        turn_off(hook, str(GIVEN_UP_WORDS))


def turn_off(hook: Webhook, why: str = "") -> None:
    """Turns a locked webhook off; what waits has failed, and a replay brings it. `why`: of the service, by mail."""
    hook.is_on, hook.off_because, hook.next_at = False, why, None
    Webhook.objects.filter(pk=hook.pk).update(is_on=False, off_because=why, next_at=None, **NO_LEASE)
    hook.deliveries.waiting().update(state=State.FAILED, next_attempt_at=None, finished_at=timezone.now())
    if why:
        mail.tell_owners(hook, why)


@transaction.atomic
def turn_all_off(why: str) -> int:
    """Turns every webhook off that is on; returns how many."""
    hooks = list(Webhook.objects.on().select_for_update(of=("self",)).select_related("workspace"))
    for hook in hooks:
        turn_off(hook, why[:200])
    return len(hooks)


def let_go(hook: Webhook, *, again_at: datetime | None = None) -> None:
    """Gives a webhook back, to be looked at at `again_at`, or else when its next try is due, or earlier where more came
    meanwhile.
    """
    if again_at is not None:
        hook.drop(next_at=again_at)
        return
    waiting = hook.deliveries.waiting().order_by("pk").values_list("next_attempt_at", flat=True)
    free = Q(tries__gte=OVERTAKEN) | Q(event=None)
    due = [*waiting.exclude(free)[:1], *waiting.filter(free).order_by("next_attempt_at")[:1]]
    soonest = min((at for at in due if at is not None), default=None)
    then = Value(soonest, output_field=DateTimeField())
    hook.held().update(next_at=Coalesce("next_at", then), **NO_LEASE)


# --- All of them ------------------------------------------------------------------------------------------------


def send_due_webhooks() -> int:
    """Sends all that is due, one webhook after the other in this thread; returns how many were taken."""
    dispatch_due()
    return sum(serve_webhook(pk) for pk in list(Webhook.objects.due().values_list("pk", flat=True)))
