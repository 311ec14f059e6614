"""The Content-Security-Policy of one answer, where it differs from everybody's."""

from __future__ import annotations

from typing import Any

from csp.decorators import csp_replace, csp_update
from django.http import HttpRequest, HttpResponse

Sources = dict[str, Any]


def allow_more(answer: HttpResponse, sources: Sources) -> HttpResponse:
    """The same answer, which may load these sources besides."""
    csp_update(sources)(lambda request: answer)(HttpRequest())
    return answer


def allow_instead(answer: HttpResponse, sources: Sources) -> HttpResponse:
    """The same answer, with these sources in place of everybody's."""
    csp_replace(sources)(lambda request: answer)(HttpRequest())
    return answer
