"""/privacy: what is kept how long, by the settings and constants that housekeeping itself goes by."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import housekeeping
from accounts.events import keeping as keeping_events
from accounts.people import outgoing
from publishing.moderation import keeping
from publishing.subscribers.actions import CONFIRM_WITHIN


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    context = {"kept": how_long(), "operator": settings.DEFAULT_FROM_EMAIL}
    response = render(None, "moderation/privacy.html", context)
    response["Cache-Control"] = "public, max-age=60"
    return response


def how_long() -> dict[str, str]:
    """In words, by the names that the page has for it."""
    return {
        "left_subscribers": days_words(settings.LEFT_SUBSCRIBERS_KEPT),
        "unconfirmed_subscribers": span_words(CONFIRM_WITHIN),
        "deliveries": days_words(settings.DELIVERIES_KEPT),
        "networks": span_words(keeping.NETWORKS_KEPT),
        "reporters": span_words(keeping.ADDRESSES_KEPT),
        "case_words": span_words(keeping.WORDS_KEPT),
        "unconfirmed_people": days_words(settings.UNCONFIRMED_KEPT),
        "audit_log": days_words(settings.SECURITY_EVENTS_KEPT),
        "ended_apps": span_words(housekeeping.ENDED_KEPT),
        "waiting_mails": span_words(outgoing.TRIED_FOR),
        "trash": span_words(settings.TRASH_RETENTION),
        "revisions": span_words(settings.REVISION_RETENTION),
        "unused_files": span_words(settings.BLOB_RETENTION),
        "publication_events": days_words(settings.PUBLICATION_EVENTS_KEPT),
        "events": span_words(keeping_events.KEPT),
    }


def span_words(span: timedelta) -> str:
    hours = int(span.total_seconds() // 3600)
    return days_words(span.days) if span >= timedelta(days=2) or hours == 24 else f"{hours} hours"


def days_words(number: int) -> str:
    """In the largest unit that fits."""
    for unit, size in (("year", 365), ("month", 30)):
        if number >= size and number % size == 0:
            count = number // size
            return f"{count} {unit}{'s' * (count > 1)}"
    return f"{number} day{'s' * (number != 1)}"
