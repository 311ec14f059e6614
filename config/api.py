"""How the API speaks: the error body, wire names, strict types, and the order in which a request is checked."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import extend_schema_field
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.viewsets import ViewSet

from config import cursors, outage
from config.errors import (
    CapsulesError,
    Conflict,
    Fault,
    Forbidden,
    Gone,
    Invalid,
    Locked,
    NoSpace,
    NotFound,
    Stale,
    Throttled,
    TooLarge,
    Unavailable,
)
from config.ids import uuid_of
from config.json_types import JsonMapping, JsonObject
from config.logs import new_id, request_id

logger = logging.getLogger(__name__)

DEFAULT_LIMIT = 10  # entries of a list
MAX_LIMIT = 50
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)  # RFC 3339
NO_BODY: object = object()  # what `request.api_body` is when the request carries none

STATUS: dict[type[CapsulesError], int] = {
    Invalid: 400,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Gone: 410,
    Stale: 412,
    TooLarge: 413,
    Locked: 423,
    Throttled: 429,
    Unavailable: 503,
    NoSpace: 507,
    CapsulesError: 500,
}


# --- Errors ----------------------------------------------------------------------------------------------------


def error_body(error: CapsulesError) -> JsonObject:
    """`{error}` or `{error, details: [{path, message}]}`."""
    body: dict[str, object] = {"error": str(error)}
    if error.faults:
        body["details"] = [{"path": fault.path, "message": fault.message} for fault in error.faults]
    return body


def error_status(error: CapsulesError) -> int:
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def error_headers(error: CapsulesError) -> dict[str, str]:
    headers = dict(getattr(error, "headers", {}))
    if error.retry_after is not None:
        headers["Retry-After"] = str(max(1, error.retry_after))
    return headers


def error_response(error: CapsulesError) -> HttpResponse:
    """The answer for an error met outside a view."""
    return as_json(error_body(error), status=error_status(error), headers=error_headers(error))


def as_json(body: Mapping[str, object], **options: Any) -> JsonResponse:
    """JSON as the views of the API write it."""
    return JsonResponse(body, json_dumps_params={"separators": (",", ":"), "ensure_ascii": False}, **options)


def exception_handler(exc: Exception, context: JsonMapping) -> Response:
    """The one place where an exception of a view becomes an answer."""
    if isinstance(exc, CapsulesError):
        return Response(error_body(exc), status=error_status(exc), headers=error_headers(exc))
    if isinstance(exc, Http404):
        return exception_handler(NotFound(), context)
    if isinstance(exc, PermissionDenied):
        return exception_handler(Forbidden(), context)
    if isinstance(exc, exceptions.APIException):
        headers = {"WWW-Authenticate": exc.auth_header} if hasattr(exc, "auth_header") else {}
        if isinstance(exc, exceptions.MethodNotAllowed):
            headers["Allow"] = ", ".join(context["view"].allowed_methods)
        return Response({"error": str(exc.detail)}, status=exc.status_code, headers=headers)
    return exception_handler(error_from(exc), context)


def error_from(exc: Exception) -> CapsulesError:
    """What a caller is told of an exception: itself, the outage that it means, or the reference of its log line."""
    if isinstance(exc, CapsulesError):
        return exc
    return outage.answer_for(exc) or CapsulesError(unexpected(exc))


def unexpected(exc: BaseException | None) -> str:
    """Logs what nobody foresaw under a reference, and returns the sentence that carries it."""
    reference = request_id.get() or new_id()
    logger.error("Unexpected error, reference %s", reference, exc_info=exc)
    told = gettext(
        "Something went wrong on our side. Please try again; if it stays, quote reference %(reference)s."
    )
    return told % {"reference": reference}


@csrf_exempt
def not_found(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """Any path under /api/ that no route answers."""
    return error_response(NotFound("There is no such address in this API."))


# --- Bodies ----------------------------------------------------------------------------------------------------


NEEDED = {"required": "This is needed.", "null": "Must not be null."}


class OfOneType(serializers.Field):
    """Takes values of one JSON type only, where DRF's own fields would convert others."""

    json_type: ClassVar[type]
    wrong_type: ClassVar[str]
    default_error_messages: ClassVar = {
        **NEEDED,
        "blank": "Must not be empty.",
        "max_length": "At most {max_length} characters.",
        "min_length": "At least {min_length} characters.",
        "max_value": "At most {max_value}.",
        "min_value": "At least {min_value}.",
    }

    def run_validation(self, data: object = serializers.empty) -> object:
        if data is not serializers.empty and data is not None and type(data) is not self.json_type:
            raise serializers.ValidationError(self.wrong_type)
        return super().run_validation(data)


class Text(OfOneType, serializers.CharField):
    """A JSON string; DRF's own would take 0 for "0" and strip spaces."""

    json_type = str
    wrong_type = "Must be a string."

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)


class Flag(OfOneType, serializers.BooleanField):
    """A JSON boolean; DRF's own would take "yes" and 1 for true."""

    json_type = bool
    wrong_type = "Must be true or false."


class Whole(OfOneType, serializers.IntegerField):
    """A JSON number without a fraction; DRF's own would take "1" and true."""

    json_type = int
    wrong_type = "Must be a whole number."


class Number(OfOneType, serializers.FloatField):
    """A JSON number; DRF's own would take "1" and true."""

    json_type = float
    wrong_type = "Must be a number."

    def run_validation(self, data: object = serializers.empty) -> object:
        is_whole = type(data) is int and abs(data) < 1e300
        return super().run_validation(float(data) if is_whole else data)  # type: ignore[arg-type]


class List(OfOneType, serializers.ListField):
    """A JSON array."""

    json_type = list
    wrong_type = "Must be a list."
    default_error_messages: ClassVar = {
        "max_length": "At most {max_length} of them.",
        "min_length": "At least {min_length} of them.",
    }


class Moment(OfOneType, serializers.DateTimeField):
    """A moment by RFC 3339, with its zone; DRF's own would take a day, and an hour of no zone."""

    json_type = str
    wrong_type = "Must be a moment like 2026-11-18T17:04:05Z."
    default_error_messages: ClassVar = {"invalid": wrong_type}

    def to_internal_value(self, value: Any) -> Any:
        if not MOMENT.fullmatch(value):
            self.fail("invalid", format="RFC 3339")
        return super().to_internal_value(value)


class Choice(OfOneType, serializers.ChoiceField):
    """One of a few JSON strings."""

    json_type = str
    wrong_type = "Must be a string."
    default_error_messages: ClassVar = {"invalid_choice": "Must be one of the listed values."}

    def run_validation(self, data: object = serializers.empty) -> object:
        if isinstance(data, str) and data not in self.choices:
            raise serializers.ValidationError(f"Must be one of {', '.join(map(str, self.choices))}.")
        return super().run_validation(data)


class WholeNumber(serializers.IntegerField):
    """An integer as a query parameter writes it; DRF's own would take "5.0", " 5" and "١٠" too."""

    default_error_messages: ClassVar = {
        "invalid": "Must be a whole number.",
        "max_value": "At most {max_value}.",
        "min_value": "At least {min_value}.",
    }

    def to_internal_value(self, data: Any) -> int:
        if not re.fullmatch(r"-?[0-9]{1,100}", str(data), re.ASCII):
            self.fail("invalid")
        return int(data)


# What drf-spectacular would map to a plain string needs its format said.
@extend_schema_field({"type": "string", "format": "uuid"})
class Id(Text):
    """One of our identifiers, in its one spelling; its value is a UUID."""

    def to_internal_value(self, data: object) -> object:
        text = super().to_internal_value(data)
        value = uuid_of(text)
        if value is None:
            raise serializers.ValidationError("Must be an identifier.")
        return value

    def to_representation(self, value: object) -> str:
        return str(value)


class ListOfObjects(serializers.ListSerializer):
    """A JSON array of objects."""

    default_error_messages: ClassVar = {**NEEDED, "not_a_list": List.wrong_type}


@cache
def snake_case(name: str) -> str:
    """The name in Python of a name on the wire."""
    return re.sub(r"[A-Z]", lambda match: "_" + match[0].lower(), name)


# No docstring on the class: it would describe every subclass in the OpenAPI document.
class WireSerializer(serializers.Serializer):
    # Fields are declared by their wire name (camelCase) and read the attribute of that name in snake_case.

    default_error_messages: ClassVar = {**NEEDED, "invalid": "Must be a JSON object."}

    class Meta:
        list_serializer_class = ListOfObjects

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        for name, field in fields.items():
            snake = snake_case(name)
            if field.source is None and snake != name:
                field.source = snake
        return fields

    def to_internal_value(self, data: object) -> object:
        # At the top, `check` names unknown keys; here those of the objects inside.
        if self.parent is not None and isinstance(data, dict):
            unknown = {key: ["There is no field of this name."] for key in data if key not in self.fields}
            try:
                value = super().to_internal_value(data)
            except serializers.ValidationError as error:
                raise serializers.ValidationError({**error.detail, **unknown}) from error  # type: ignore[dict-item]
            if unknown:
                raise serializers.ValidationError(unknown)
            return value
        return super().to_internal_value(data)


@extend_schema_field({"type": "string", "pattern": f"^{cursors.FORM.pattern}$"})
class Cursor(Text):
    """A place in a list of ours."""


class ListQuerySerializer(WireSerializer):
    limit = WholeNumber(required=False, default=DEFAULT_LIMIT, min_value=1, max_value=MAX_LIMIT)
    cursor = Cursor(required=False, default=None, help_text="Taken from a previous nextCursor.")


def list_serializer(
    name: str, item: type[serializers.Serializer], *, help_text: str | None = None
) -> type[WireSerializer]:
    """The answer of a list of ours, under its name in the OpenAPI document; `help_text` is that of its cursor."""
    # Before the cursor: the document tells fields in the order in which they are made.
    items = item(many=True)
    cursor = serializers.CharField(allow_null=True, help_text=help_text)
    return type(name, (WireSerializer,), {"items": items, "nextCursor": cursor})


def parsed(serializer_class: type[serializers.Serializer], request: Request) -> JsonObject:
    """The validated body by snake_case names; absent fields are absent. An empty body counts as {}.

    Raises Invalid with one fault for every offence, unknown keys included.
    """
    body = request.api_body  # type: ignore[attr-defined]
    return check(serializer_class, {} if body is NO_BODY else body)


def query(
    serializer_class: type[serializers.Serializer], request: Request, *, strict: bool = True
) -> JsonObject:
    """The validated query by snake_case names. An unknown parameter is refused unless `strict` is False.

    Raises Invalid.
    """
    repeated = [name for name, values in request.query_params.lists() if len(values) > 1]
    values = request.query_params.dict()
    if not strict:
        known = serializer_class().fields
        values = {name: value for name, value in values.items() if name in known}
        repeated = [name for name in repeated if name in known]
    faults = [Fault(name, "This parameter is given more than once.") for name in repeated]
    try:
        asked = check(serializer_class, values)
    except Invalid as refused:
        faults += [fault for fault in refused.faults if fault.path not in repeated]
    if faults:
        raise Invalid(faults=faults)
    return asked


def check(serializer_class: type[serializers.Serializer], data: object) -> JsonObject:
    """`data` as the serializer understands it. Raises Invalid, one fault an offence, unknown keys included."""
    if not isinstance(data, dict):
        raise Invalid(faults=[Fault("", "Must be a JSON object.")])
    serializer = serializer_class(data=data)
    unknown = [Fault(key, "There is no field of this name.") for key in data if key not in serializer.fields]
    if not serializer.is_valid() or unknown:
        raise Invalid(faults=[*unknown, *faults_of(serializer.errors)])
    return dict(serializer.validated_data)


def faults_of(errors: Any, path: str = "") -> Iterator[Fault]:
    """DRF's nested errors, one Fault a message."""
    if isinstance(errors, Mapping):
        for key, value in errors.items():
            own = key == api_settings.NON_FIELD_ERRORS_KEY  # what is wrong with the whole of it
            yield from faults_of(value, path if own else f"{path}.{key}" if path else str(key))
    elif isinstance(errors, list) and errors and isinstance(errors[0], Mapping | list):
        for index, value in enumerate(errors):
            yield from faults_of(value, f"{path}.{index}" if path else str(index))
    else:
        yield from (Fault(path, str(message)) for message in errors)


# --- Views -----------------------------------------------------------------------------------------------------


class ApiViewSet(ViewSet):
    """A viewset that checks in the order of the status table: method, credential, rate, permission."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        if request.method is None or request.method.lower() not in self.action_map:
            raise exceptions.MethodNotAllowed(str(request.method))
        self.perform_authentication(request)
        self.check_throttles(request)
        self.check_permissions(request)

    @property
    def allowed_methods(self) -> list[str]:
        return sorted(method.upper() for method in self.action_map)
