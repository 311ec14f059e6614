"""Apps that run in a browser may call the API and the OAuth endpoints: with a token, never with a cookie."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

OPEN_PATHS = ("/api/v2/", "/oauth/token", "/oauth/register", "/oauth/revoke", "/.well-known/")
SHOWN_HEADERS = (
    "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, "
    "ETag, Location, Draft-Revision, Upload-Offset, Upload-Length, Idempotency-Replayed, "
    "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size"
)
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
SENT_HEADERS = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Upload-Offset, Upload-Link, Tus-Resumable, "
    "MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id"
)


class OpenCors:
    """`Access-Control-Allow-Origin: *` where a credential travels in a header, and answers to preflights there.

    Credentials mode stays off, so a browser sends no cookie along. The consent page is not among the paths.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(OPEN_PATHS):
            return self.get_response(request)
        from_page = "Origin" in request.headers
        preflight = (
            from_page and request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        )
        response = HttpResponse(status=204) if preflight else self.get_response(request)
        # Or a cache would give a page an answer that lacks what follows.
        patch_vary_headers(response, ["Origin"])
        if not from_page:
            return response
        response["Access-Control-Allow-Origin"] = "*"
        if preflight:
            response["Access-Control-Allow-Methods"] = METHODS
            response["Access-Control-Allow-Headers"] = SENT_HEADERS
            response["Access-Control-Max-Age"] = "3600"
        else:
            response["Access-Control-Expose-Headers"] = SHOWN_HEADERS
        return response
