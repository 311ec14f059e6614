"""A mail server that takes no recipient at the first try, as many do against spam: everybody gets their mail soon."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F

from publishing.mail.transport import Refused
from publishing.models import Delivery, MailServer, Premiere
from publishing.premieres import sweeping
from tests.support.mail import subscribe, sweep_at

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 5  # minutes until the server takes what it refused


class Greylist:
    """Answers as a greylisting server does, by a clock in minutes that the test turns."""

    def __init__(self, refusal: str) -> None:
        self.refusal = refusal
        self.minute = 0
        self.seen: dict[str, int] = {}

    def __call__(self, stage: str, to: str, count: int) -> str | None:
        if stage != "RCPT" or self.minute - self.seen.setdefault(to, self.minute) >= PATIENCE:
            return None
        return self.refusal

    def turn(self, minutes: int) -> None:
        """Lets that time pass, for the server and for everything that we wait for."""
        self.minute += minutes
        past = timedelta(minutes=minutes)
        Delivery.objects.filter(next_try_at__isnull=False).update(next_try_at=F("next_try_at") - past)
        MailServer.objects.filter(paused_until__isnull=False).update(paused_until=F("paused_until") - past)


def minutes_until_done(greylist: Greylist) -> int:
    sweep_at()
    while Premiere.objects.get().state == "sending" and greylist.minute < 120:
        greylist.turn(1)
        sweeping.send_due_premieres()
    return greylist.minute


@pytest.mark.parametrize(
    "refusal, recipients, minutes",
    [
        ("451 4.7.1 Greylisting in action, please come back later", 500, 10),
        ("451 Temporarily not available", 120, 20),
    ],
    ids=["4.7.1", "unnamed"],
)
def test_a_list_behind_a_greylisting_server_is_out_within_half_an_hour(
    refusal, recipients, minutes, live_story, north_shore, mailbox
):
    emails = subscribe(north_shore, recipients)
    mailbox.answer = greylist = Greylist(refusal)
    assert minutes_until_done(greylist) <= minutes
    assert mailbox.addresses == emails
    assert Premiere.objects.get().counts() == {"sent": recipients}


def test_after_a_pause_those_are_asked_again_first_that_led_to_it(live_story, north_shore, mailbox):
    subscribe(north_shore, 30)
    asked: list[str] = []

    def later(stage: str, to: str, count: int) -> str | None:
        if stage == "RCPT":
            asked.append(to)
        return "451 4.3.2 system busy" if stage == "RCPT" else None

    mailbox.answer = later
    sweep_at()
    for _ in range(4):
        MailServer.objects.update(paused_until=None)
        sweeping.send_due_premieres()
    rounds = [asked[i : i + 10] for i in range(0, 50, 10)]
    assert rounds[0] == rounds[1] == rounds[2] == rounds[3]
    assert not set(rounds[4]) & set(rounds[0]), "then it is the others' turn"


def test_which_temporary_refusals_are_about_one_recipient():
    for code, text, theirs in (
        (450, "4.1.2 domain not found", True),
        (450, "4.2.0 Recipient address rejected: Greylisted", True),
        (452, "4.2.2 mailbox full", True),
        (451, "4.7.1 try again", True),
        (451, "Graylisted for 300 seconds", True),
        (450, "4.7.0 grey listed", True),
        (451, "4.7.10 other", False),
        (451, "4.3.0 out of memory", False),
        (451, "later", False),
        (554, "5.7.1 greylist", False),
    ):
        assert Refused(code, text).is_of_the_recipient is theirs, (code, text)
