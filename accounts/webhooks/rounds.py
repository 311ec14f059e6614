"""The sender of a process: rounds over the due webhooks, each served in a thread of its own.

Quick webhooks and slow ones have room of their own, and one that turns out to be slow leaves the room of the quick at
once. So an endpoint that is dead or slow costs the others nothing, in its workspace and elsewhere. A thread that waits
for a receiver holds no connection of the database.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import Webhook
from accounts.webhooks.dispatching import dispatch_due
from accounts.webhooks.sending import SLOW, Turn, send_due_webhooks, serve_webhook
from config import stopping

logger = logging.getLogger(__name__)

ROOM = {False: 8, True: 56}  # webhooks that a process serves at once: quick ones, and slow ones
SHORTEST = 0.05  # seconds between two rounds


class Rounds:
    def __init__(self) -> None:
        self.turns: dict[uuid.UUID, Turn] = {}  # under way
        self.slow: set[uuid.UUID] = set()  # whose last turn was
        self.served: dict[uuid.UUID, float] = {}  # when the last turn ended, of those that are due
        self.crowded = {False: False, True: False}  # whether quick ones, slow ones wait for room
        self.look = threading.Event()
        self.runs = False

    def begin(self) -> None:
        """Makes new deliveries, and serves the due webhooks for which there is room, whoever waited longest first."""
        dispatch_due()
        due = dict(Webhook.objects.due().order_by("next_at").values_list("pk", "failing_since"))
        self.served = {pk: at for pk, at in list(self.served.items()) if pk in due}
        crowded = {False: False, True: False}
        for pk in sorted(due, key=lambda pk: self.served.get(pk, 0.0)):
            if pk in self.turns:
                continue
            slow = due[pk] is not None or pk in self.slow
            if self.serving(slow) < ROOM[slow]:
                self.turns[pk] = turn = Turn(slow, others_wait=lambda slow: self.crowded[slow])
                threading.Thread(target=self.serve, args=[pk, turn], name="webhook").start()
            else:
                crowded[slow] = True
        self.crowded = crowded

    def serving(self, slow: bool) -> int:
        return sum(turn.is_slow == slow for turn in list(self.turns.values()))

    def serve(self, pk: uuid.UUID, turn: Turn) -> None:
        try:
            serve_webhook(pk, turn)
        except Exception:
            logger.exception("Webhook %s could not be served; a later round tries again", pk)
        finally:
            connection.close()
            (self.slow.add if turn.longest > SLOW else self.slow.discard)(pk)
            self.served[pk] = time.monotonic()
            del self.turns[pk]  # before the next round begins, which would leave it out
            self.look.set()

    def run(self, interval: float) -> None:
        """One round; returns when told to look, when a try is due, or after `interval` seconds."""
        begun, wait = timezone.now(), interval
        self.look.clear()
        try:
            self.begin()
            room = SLOW if any(self.crowded.values()) else interval  # when one may be known to be slow
            wait = min(interval, room, until_next(begun))
        except Exception:
            logger.exception("A round of the webhooks failed; the next one follows")
        connection.close()
        self.look.wait(max(wait, SHORTEST))

    def run_forever(self, interval: float) -> None:
        self.runs = True
        while not stopping.has_begun():
            self.run(interval)


def until_next(begun: datetime) -> float:
    """Seconds until a webhook is due that was not at `begun`: whoever serves the others looks for more itself."""
    next_at = Webhook.objects.on().filter(next_at__gt=begun, workspace__suspended_at__isnull=True)
    soonest = next_at.order_by("next_at").values_list("next_at", flat=True).first()
    return (soonest - timezone.now()).total_seconds() if soonest else float("inf")


own = Rounds()  # of this process


def wake_rounds() -> None:
    """Has the sender of this process look now; without one, it sends here."""
    if own.runs:
        own.look.set()
    else:
        send_due_webhooks()


def send_forever() -> None:
    own.run_forever(settings.SWEEP_INTERVAL)
