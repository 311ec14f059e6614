"""What the OpenAPI document says of every operation alike: the error body, its statuses, examples."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import yaml
from django.conf import settings
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from config.json_types import JsonObject

WORDS = {
    400: "The request is not valid; `details` points at every fault.",
    401: "There is no valid credential.",
    403: "The credential, the role or the plan does not allow this.",
    404: "There is no such thing, or none that the caller may know of.",
    412: "Somebody else changed it since; nothing was written. Of a PATCH, `Location` names the "
    "revision that keeps your words.",
    413: "The body is too large.",
    409: "The present state does not allow this; `details` names every unmet condition.",
    410: "It has expired.",
    411: "There is no Content-Length.",
    415: "The Content-Type is another than this address takes.",
    423: "Busy, still encoding, or suspended.",
    429: "Too many requests, or every publish slot is busy; see Retry-After.",
    500: "Something went wrong on the side of the service.",
}


#: What each refusal looks like, where an operation shows none of its own (`refusals_shown`).
REFUSALS: dict[int, dict[str, object]] = {
    400: {
        "error": "The request is not valid.",
        "details": [{"path": "colour", "message": "There is no field of this name."}],
    },
    401: {"error": "The bearer token is not valid. It may have expired."},
    403: {"error": "Your role in this workspace does not allow writing."},
    409: {"error": "This is not possible in the present state."},
    412: {
        "error": "This scene was changed meanwhile by Ines Okafor. Your version is kept in the history.",
        "details": [{"path": "text", "message": "Changed at 14:02 UTC."}],
    },
    410: {"error": "This upload has expired. Please start it again."},
    411: {"error": "Say how many bytes follow: this address needs a Content-Length header."},
    413: {"error": "The request body is larger than 512 KiB."},
    415: {"error": "The Content-Type of a slice is application/offset+octet-stream."},
    423: {"error": "This workspace is suspended. Nothing can be changed in it."},
    429: {"error": "Too many requests: at most 240 a minute. Please slow down."},
    500: {
        "error": "Something went wrong on our side. Please try again; if it stays, quote reference 5f0c1b2a9d3e."
    },
    503: {"error": "The service cannot reach its data at the moment. Please try again in a few seconds."},
    507: {
        "error": "The service has no space left to save this; reading still works. Please try again later."
    },
}


UNCHANGED = {304: OpenApiResponse(None, "The caller has it already.")}


class DetailSerializer(serializers.Serializer):
    path = serializers.CharField(help_text='Wire name, dots between levels; "" is the whole body.')
    message = serializers.CharField()


class ErrorSerializer(serializers.Serializer):
    error = serializers.CharField(help_text="One English sentence for a person.")
    details = DetailSerializer(many=True, required=False)


def failures(*statuses: int) -> dict[int, OpenApiResponse]:
    """The error answers of an operation."""
    return {status: OpenApiResponse(ErrorSerializer, WORDS[status]) for status in statuses}


def example(name: str, value: object, *, status: int = 200, request: bool = False) -> OpenApiExample:
    if request:
        return OpenApiExample(name, value, request_only=True)
    return OpenApiExample(name, value, response_only=True, status_codes=[str(status)])


def header(name: str, description: str, pattern: str = "") -> OpenApiParameter:
    """A request header that is optional."""
    schema = {"type": "string", **({"pattern": pattern} if pattern else {})}
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description, required=False)


IF_MATCH = header(
    "If-Match",
    "The version that this changes, from ETag, with or without quotes. Without it the last writer wins.",
    r'^(\*|(W/)?"?[0-9]{1,9}([-;][\w-]+)?"?( *, *(W/)?"?[0-9]{1,9}([-;][\w-]+)?"?)*)$',
)
IDEMPOTENCY_KEY = header(
    "Idempotency-Key",
    "1 to 255 visible ASCII characters. A repeated call under one key is not done twice.",
    "^[!-~]{1,255}$",
)


def operation(
    id: str,
    summary: str,
    tag: str,
    answer: object,
    shown: object,
    *,
    refusals: Sequence[int] = (),
    refused: Mapping[int, object] | None = None,
    description: str = "",
    may_miss: bool = True,
    parameters: Sequence[Any] = (),
    request: object = None,
    sent: object = None,
    status: int = 200,
    unchanged: bool = False,
    repeated: bool = False,
    or_csv: bool = False,
) -> Callable[[object], Any]:
    """One documented operation: `answer` with the example `shown`, every refusal with an example, a request with
    the example `sent`. 400, 401, 403, 429 and 500 are refusals of all, and 404 of all that `may_miss` something;
    `refused` shows one of its own for a status, and `refusals_shown` the usual one elsewhere.
    """
    if IDEMPOTENCY_KEY in parameters:
        refusals = [*refusals, 409, 423]  # the key belongs to another call, or the first one still runs
    statuses = sorted({400, 401, 403, 429, 500, *refusals, *([404] if may_miss else [])})
    return extend_schema(
        operation_id=id,
        summary=summary,
        description=description or None,
        tags=[tag],
        parameters=list(parameters),
        request=request,
        responses={
            **successes(answer, status, unchanged, repeated),
            **({(status, "text/csv"): OpenApiTypes.STR} if or_csv else {}),
            **failures(*statuses),
        },
        examples=examples_of(shown, status, refused or {}, sent, repeated),
    )


def successes(answer: object, status: int, unchanged: bool, repeated: bool) -> dict[int, OpenApiResponse]:
    # Without `forced_singular_serializer`, the answer of an action called `list` would be described as an array.
    done = {status: OpenApiResponse(forced_singular_serializer(answer))}
    if repeated:
        done[200] = OpenApiResponse(forced_singular_serializer(answer), "It was there already.")
    return {**done, **UNCHANGED} if unchanged else done


def examples_of(
    shown: object, status: int, refused: Mapping[int, object], sent: object, repeated: bool
) -> list[OpenApiExample]:
    examples = [example("Success", shown, status=status)]
    examples += [example(f"Refused with {code}", value, status=code) for code, value in refused.items()]
    if sent is not None:
        examples.append(example("Request", sent, request=True))
    if repeated:
        examples.append(example("There already", shown))
    return examples


class Document(NamedTuple):
    """The OpenAPI document in one format, ready to send."""

    content: bytes
    content_type: str
    etag: str


_reading = threading.Lock()


def documents() -> dict[str, Document]:
    """The committed document by format. Generating it takes a tenth of a second and is not safe between threads."""
    with _reading:  # of many who ask at once, one reads it
        return read_documents()


@cache
def read_documents() -> dict[str, Document]:
    content = (settings.BASE_DIR / "docs/openapi.yaml").read_bytes()
    # libyaml's loader, where it is built in, is ten times as quick.
    safe = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(content, safe)  # noqa: S506
    as_json = json.dumps(data).encode()
    return {
        kind: Document(each, content_type, f'"{hashlib.sha256(each).hexdigest()[:20]}"')
        for kind, each, content_type in (
            ("yaml", content, "application/vnd.oai.openapi; charset=utf-8"),
            ("json", as_json, "application/vnd.oai.openapi+json"),
        )
    }


def only_documented(endpoints: list[Any]) -> list[object]:
    """The v2 endpoints; the schema and its page do not describe themselves."""
    return [
        e for e in endpoints if e[0].startswith("/api/v2/") and e[0] not in ("/api/v2/schema", "/api/v2/docs")
    ]


def closed_requests(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Says of every request body that unknown keys are refused."""
    for name, schema in result["components"]["schemas"].items():
        if name.endswith("Request"):
            schema["additionalProperties"] = False
    return result


#: What an address has an identifier of, by the part before it.
THINGS = {
    "connected-apps": "connection",
    "media": "media",
    "previews": "preview",
    "revisions": "revision",
    "scenes": "scene",
    "stories": "story",
    "uploads": "upload",
    "versions": "version",
    "webhooks": "webhook",
    "workspaces": "workspace",
}


def named(path: str) -> dict[str, str]:
    """The things that an address names, in order, by the names of their parameters."""
    parts = path.split("/")
    return {part.strip("{}"): THINGS[before] for before, part in pairwise(parts) if part.startswith("{")}


def addresses_described(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Says of every part of an address what it is, and of a 404 what there may be none of.

    An address that names nothing takes a workspace from query or body.
    """
    for path, operations in result["paths"].items():
        things = named(path)
        missing = {"error": f"There is no such {[*things.values(), 'workspace'][len(things) - 1]}."}
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    kind = "number" if parameter["name"] == "number" else "identifier"
                    parameter["description"] = f"The {things[parameter['name']]} {kind}."
            show_refusal(operation["responses"].get("404", {}), 404, missing)
    return result


def answers_described(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Gives every answer a description, which OpenAPI asks for and drf-spectacular may leave empty."""
    for operations in result["paths"].values():
        for operation in operations.values():
            for answer in operation["responses"].values():
                answer["description"] = answer.get("description") or "It is done."
    return result


def refusals_shown(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Shows the usual refusal of each status where an operation shows none of its own."""
    for operations in result["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) in REFUSALS:
                    show_refusal(answer, int(status), REFUSALS[int(status)])
    return result


def show_refusal(answer: JsonObject, status: int, value: Mapping[str, object]) -> None:
    """Shows this refusal in an answer that has a body and shows none."""
    content = answer.get("content", {}).get("application/json")
    if content is not None and "examples" not in content:
        content["examples"] = {f"RefusedWith{status}": {"value": value, "summary": f"Refused with {status}"}}
