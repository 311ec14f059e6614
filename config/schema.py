"""What the OpenAPI document says of every operation alike: the error body, its statuses, examples."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework import serializers

WORDS = {
    400: "The request is not valid; `details` points at every fault.",
    401: "There is no valid credential.",
    403: "The credential, the role or the plan does not allow this.",
    404: "There is no such thing, or none that the caller may know of.",
    409: "The present state does not allow this; `details` names every unmet condition.",
    423: "Busy, still encoding, or suspended.",
    429: "Too many requests, or every publish slot is busy; see Retry-After.",
    500: "Something went wrong on the side of the service.",
}


class DetailSerializer(serializers.Serializer):
    path = serializers.CharField(help_text='Wire name, dots between levels; "" is the whole body.')
    message = serializers.CharField()


class ErrorSerializer(serializers.Serializer):
    error = serializers.CharField(help_text="One English sentence for a person.")
    details = DetailSerializer(many=True, required=False)


def failures(*statuses: int) -> dict[int, OpenApiResponse]:
    """The error answers of an operation."""
    return {status: OpenApiResponse(ErrorSerializer, WORDS[status]) for status in statuses}


def example(name: str, value: Any, *, status: int = 200, request: bool = False) -> OpenApiExample:
    if request:
        return OpenApiExample(name, value, request_only=True)
    return OpenApiExample(name, value, response_only=True, status_codes=[str(status)])


def retry_after(*statuses: int) -> OpenApiParameter:
    return OpenApiParameter(
        "Retry-After",
        int,
        OpenApiParameter.HEADER,
        description="Seconds after which the same call may succeed.",
        response=list(statuses),
    )


def only_documented(endpoints: list[Any]) -> list[Any]:
    """The v2 endpoints; the schema and its page do not describe themselves."""
    return [
        e for e in endpoints if e[0].startswith("/api/v2/") and e[0] not in ("/api/v2/schema", "/api/v2/docs")
    ]


def closed_requests(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """Says of every request body that unknown keys are refused."""
    for name, schema in result["components"]["schemas"].items():
        if name.endswith("Request"):
            schema["additionalProperties"] = False
    return result
