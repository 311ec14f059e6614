"""What programs and staff read is English, whatever language the pages of account and studio speak."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from config.words.languages import ENGLISH

ALWAYS_ENGLISH = ("/api/", "/account/api/", "/admin/")


class English:
    """Under ALWAYS_ENGLISH; those that speak MCP, without Django's middleware, do the same for every call."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(ALWAYS_ENGLISH):
            return self.get_response(request)
        with translation.override(ENGLISH):
            return self.get_response(request)
