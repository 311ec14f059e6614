"""Pages behind an address that only one person was sent: they are copied nowhere, and tell nobody where they were."""

from __future__ import annotations

from django.http import HttpResponse


def keep_private(answer: HttpResponse) -> HttpResponse:
    """The same answer, which no cache keeps, no search engine lists and no link gives away as where it was followed."""
    answer["Cache-Control"] = "no-store"
    answer["Referrer-Policy"] = "no-referrer"
    answer["X-Robots-Tag"] = "noindex"
    return answer
