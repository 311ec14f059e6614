"""What every API request passes before routing (host, framing, strict JSON), and headers of every answer."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from functools import cache
from typing import NoReturn

from csp.constants import HEADER
from csp.middleware import CSPMiddleware, PolicyParts
from csp.utils import build_policy
from django.conf import settings
from django.core.exceptions import BadRequest, DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.utils.deprecation import MiddlewareMixin

from config.api import NO_BODY, error_response
from config.errors import CapsulesError, Fault, Invalid, TooLarge, first
from config.texts import UNSTORABLE

#: A slice of a file: its view reads the body as it comes, checks how long it is, and takes whatever bytes it has.
STREAMED_BODY = re.compile(r"/api/v2/uploads/[^/]+/content")
STORIES = "/api/v2/stories"
CREDENTIALS = ("Authorization", "x-api-key")
#: How bodies begin that hold JSON, but are not it.
NOT_PLAIN = {
    codecs.BOM_UTF8: "The body begins with a byte order mark. Send it without.",
    b"\x1f\x8b": "The body is compressed with gzip. Send it as it is.",
}


#: Where bodies are JSON: the API, and signing in without a browser.
JSON_PATHS = ("/api/", "/account/api/")


class SecurityPolicy(CSPMiddleware):
    """Says the content security policy of an answer; for those that ask for none of their own it is built once.

    No answer goes without: `csp_exempt` is not looked at.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if settings.DEBUG or self.get_policy_parts(request, response) != PolicyParts():
            return super().process_response(request, response)
        response.setdefault(HEADER, usual_policy())
        return response


@cache
def usual_policy() -> str:
    return str(build_policy())


class UsualHeaders(MiddlewareMixin):
    """Says on every answer what no page of the service ever asks for; and that no cache keeps it, where it does not say
    how long it may be kept, as public pages and files do.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        response.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        response.setdefault("Cache-Control", "no-store")
        return response


class ApiGate(MiddlewareMixin):
    """Under JSON_PATHS: refuses a bad Host, broken framing and anything but strict JSON, and leaves the parsed body as
    `request.api_body`. It leaves the body of an upload alone, and does nothing elsewhere.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not request.path.startswith(JSON_PATHS):
            return None
        try:
            request.get_host()
            if not is_streamed(request):
                body = read_body(request)
                request.api_body = value = parse_json(body)  # type: ignore[attr-defined]
                # The API says itself which of its fields has a text that cannot be stored.
                if b"\\ud" in body.lower() and not request.path.startswith("/api/"):
                    check_text(value)
        except DisallowedHost:
            return error_response(Invalid("The Host header names no host of this service."))
        except CapsulesError as error:
            return error_response(error)
        return None


def is_streamed(request: HttpRequest) -> bool:
    return request.method == "PATCH" and STREAMED_BODY.fullmatch(request.path) is not None


def takes_stories(path: str) -> bool:
    """A story with its scenes is larger than anything else that the API takes, its publication is not."""
    return f"{path}/".startswith(f"{STORIES}/") and not path.endswith("/publication")


def body_limit(request: HttpRequest) -> int:
    """In bytes. Bodies are parsed before anybody asks who sends them: without a credential none may be large."""
    is_large = takes_stories(request.path) and any(name in request.headers for name in CREDENTIALS)
    return int(settings.STORY_BODY_LIMIT if is_large else settings.API_BODY_LIMIT)


def read_body(request: HttpRequest) -> bytes:
    """The whole body, as long as `body_limit` allows. Raises Invalid, TooLarge.

    The web server has read it whole, also one that came in chunks, and says its length.
    """
    limit = body_limit(request)
    # Only what came later than the contract says 413; for everything else it says 400.
    kind = TooLarge if takes_stories(request.path) else Invalid
    too_large = kind(f"The request body is larger than {limit // 1024} KiB.")
    declared = request.META.get("CONTENT_LENGTH") or ""
    if declared and not declared.isdecimal():
        raise Invalid("The Content-Length header is not a number.")
    if declared and int(declared) > limit:
        raise too_large
    try:
        body = request.body
    except (UnreadablePostError, BadRequest, OSError, ValueError, RuntimeError) as error:
        raise Invalid("The request body was cut short.") from error
    if len(body) > limit:
        raise too_large
    if declared and len(body) < int(declared):
        raise Invalid("The request body was cut short.")
    return body


def parse_json(body: bytes) -> object:
    """The JSON value of a body: UTF-8, no duplicate keys, no NaN, not nested deeper than API_DEPTH_LIMIT.

    Returns NO_BODY for an empty body. Raises Invalid.
    """
    if not body.strip():
        return NO_BODY
    for beginning, why in NOT_PLAIN.items():
        if body.startswith(beginning):
            raise not_json(why)
    try:
        value = json.loads(body.decode(), object_pairs_hook=unique_keys, parse_constant=refuse_constant)
    except UnicodeDecodeError as error:
        raise not_json("The body is not UTF-8.") from error
    except RecursionError as error:
        raise not_json("The body is nested too deep.") from error
    except ValueError as error:
        raise not_json("The body is not JSON.") from error
    check_depth(value)
    return value


def check_text(value: object) -> None:
    """Raises Invalid for half of a surrogate pair, which keys never have."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise not_json("The body has half of a surrogate pair.") from error


def not_json(message: str) -> Invalid:
    return Invalid("The request body is not acceptable JSON.", faults=[Fault("", message)])


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if UNSTORABLE.search("".join(value)):
        raise not_json("A key of the body has a character that cannot be stored.")
    if len(value) == len(pairs):  # nearly always, and quickly: strangers may send a hundred thousand of these
        return value
    # Counted in one pass: comparing each key with all others takes seconds for 8,000 keys in 64 KiB.
    twice = sorted(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
    raise Invalid(
        "The request body is not acceptable JSON.",
        faults=first([Fault(key, "This key is in the body more than once.") for key in twice]),
    )


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def check_depth(value: object) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > settings.API_DEPTH_LIMIT:
            raise not_json("The body is nested too deep.")
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
