"""The API speaks JSON whatever the Accept header asks for."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request


class AlwaysJson(BaseContentNegotiation):
    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> object:
        return renderers[0], renderers[0].media_type
