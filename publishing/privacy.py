"""/privacy: what is kept how long, from the settings and constants that housekeeping itself goes by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import housekeeping
from accounts.events import keeping as keeping_events
from accounts.people import outgoing
from publishing.moderation import keeping
from publishing.subscribers.actions import CONFIRM_WITHIN

FOREVER = "until the workspace is deleted"


class Kept(NamedTuple):
    what: str
    how_long: str
    why: str


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    context = {"sections": people_data(), "operator": settings.DEFAULT_FROM_EMAIL}
    response = render(None, "moderation/privacy.html", context)
    response["Cache-Control"] = "public, max-age=60"
    return response


def people_data() -> Iterator[tuple[str, list[Kept]]]:
    yield "Readers", readers()
    yield "Subscribers", subscribers()
    yield "Who reports something", reports()
    yield "People with an account", people()
    yield "What they write", drafts()
    yield "What happens in a workspace", events()


def readers() -> list[Kept]:
    return [
        Kept(
            "Reading a capsule",
            "nothing about you",
            "Pages set no cookie. Sums of a day are kept: how many opened it, and how far they read.",
        ),
        Kept(
            "A mark that counts you once a day",
            "until the day ends, in memory only",
            "A hash whose key changes every day.",
        ),
        Kept(
            "The site from which you came",
            FOREVER,
            "As a sum, of a day on which three or more came from it; else only that somebody came.",
        ),
    ]


def subscribers() -> list[Kept]:
    return [
        Kept(
            "Your address, and how you agreed",
            "until you leave",
            "To send what you subscribed to, and to prove it.",
        ),
        Kept(
            "Your address after you left",
            days(settings.LEFT_SUBSCRIBERS_KEPT),
            "Then a keyed hash: no import brings you back.",
        ),
        Kept(
            "An address typed but never confirmed",
            span_words(CONFIRM_WITHIN),
            "So that the link in the mail works.",
        ),
        Kept("Which emails you were sent", days(settings.DELIVERIES_KEPT), "So that none comes twice."),
    ]


def reports() -> list[Kept]:
    return [
        Kept(
            "A mark of your network",
            span_words(keeping.NETWORKS_KEPT),
            "A keyed hash, against floods of reports.",
        ),
        Kept(
            "Your address",
            f"{span_words(keeping.ADDRESSES_KEPT)} after the decision",
            "For the outcome, also of an appeal.",
        ),
        Kept(
            "What you and others wrote about a case",
            f"{span_words(keeping.WORDS_KEPT)} after its end",
            "To answer for decisions. Longer while something is still taken down by it.",
        ),
        Kept(
            "The address of a capsule that was taken down",
            "until its case has ended",
            "So that nobody else publishes under it.",
        ),
        Kept(
            "Kind, reason and times of a case",
            "for good",
            "For the yearly report. Nobody can be found in it.",
        ),
    ]


def people() -> list[Kept]:
    return [
        Kept("Name, address, password as a hash", "until you delete your account", "To sign you in."),
        Kept(
            "A sign-up that was never confirmed",
            days(settings.UNCONFIRMED_KEPT),
            "So that the code in the mail works.",
        ),
        Kept(
            "The audit log, with your sign-ins",
            days(settings.SECURITY_EVENTS_KEPT),
            "So that you can see misuse.",
        ),
        Kept(
            "Connected apps, after their end",
            span_words(housekeeping.ENDED_KEPT),
            "So that you can see what had access.",
        ),
        Kept(
            "Mails to you that wait for the mail server",
            span_words(outgoing.TRIED_FOR),
            "Encrypted, then deleted.",
        ),
    ]


def drafts() -> list[Kept]:
    return [
        Kept("Capsules, pictures and films", FOREVER, "They are yours: export or delete them at any time."),
        Kept(
            "What you put in the trash", span_words(settings.TRASH_RETENTION), "So that you can take it back."
        ),
        Kept("Each saved state of a draft", span_words(settings.REVISION_RETENTION), "Then one a day."),
        Kept(
            "Files that nothing refers to any more",
            span_words(settings.BLOB_RETENTION),
            "Then they are deleted.",
        ),
        Kept(
            "Who published what, when",
            days(settings.PUBLICATION_EVENTS_KEPT),
            "For the people of a workspace.",
        ),
    ]


def events() -> list[Kept]:
    return [
        Kept(
            "What happened to capsules and files, and through which app or key",
            span_words(keeping_events.KEPT),
            "For programs of the workspace. It has no address, and nothing of readers.",
        ),
        Kept(
            "What was sent to webhooks, and how each receiver answered",
            f"{span_words(keeping_events.KEPT)}, at most 1 KiB of an answer",
            "So that the workspace can see what failed, and send it again.",
        ),
    ]


def span_words(span: timedelta) -> str:
    hours = int(span.total_seconds() // 3600)
    return days(span.days) if span >= timedelta(days=2) or hours == 24 else f"{hours} hours"


def days(number: int) -> str:
    """In the largest unit that fits."""
    for unit, size in (("year", 365), ("month", 30)):
        if number >= size and number % size == 0:
            count = number // size
            return f"{count} {unit}{'s' * (count > 1)}"
    return f"{number} day{'s' * (number != 1)}"
