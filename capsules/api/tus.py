"""What addresses that speak tus 1.0 have in common: headers, versions, and bodies that are read as they come."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from rest_framework import exceptions
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.errors import Fault, Invalid

TUS = "1.0.0"
EXTENSIONS = "termination"  # DELETE; uploads begin by POST /uploads with JSON
SLICE_TYPE = "application/offset+octet-stream"
NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
PLACE = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


class LengthRequired(exceptions.APIException):
    status_code = 411
    default_detail = "Say how many bytes follow: this address needs a Content-Length header."


class TusVersion(exceptions.APIException):
    status_code = 412
    default_detail = "This address speaks tus 1.0.0."


class Unread(BaseParser):
    """Leaves the body alone: the view reads it as it comes."""

    media_type = "*/*"

    def parse(self, stream: object, media_type: str | None = None, parser_context: object = None) -> Any:
        raise AssertionError("The content of an upload is read by its view.")


class SpeaksTus(APIView):
    """A viewset of the protocol: checks the version of a request if it names one, and names ours in every answer."""

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        if request.headers.get("Tus-Resumable", TUS) != TUS:
            raise TusVersion

    def finalize_response(self, request: Request, response: Any, *args: object, **kwargs: object) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Tus-Resumable"] = TUS
        response["Cache-Control"] = "no-store"
        if response.status_code == TusVersion.status_code:
            response["Tus-Version"] = TUS
        return response


class SaysWhatItCan(APIView):
    """OPTIONS of a viewset, without a credential: which tus is spoken here, and how large a file may be."""

    extensions = EXTENSIONS

    def get_authenticators(self) -> list[Any]:
        return [] if self.is_asked else super().get_authenticators()

    def get_permissions(self) -> list[Any]:
        return [] if self.is_asked else list(super().get_permissions())

    @property
    def is_asked(self) -> bool:
        return getattr(self.request, "method", None) == "OPTIONS"

    def capabilities(self, request: Request, **ids: str) -> Response:
        told = {
            "Tus-Resumable": TUS,
            "Tus-Version": TUS,
            "Tus-Extension": self.extensions,
            "Tus-Max-Size": str(max(settings.MAX_BYTES.values())),
        }
        return Response(status=204, headers=told)


def content_length(request: Request) -> int:
    """Raises LengthRequired: without a length the server would read a chunked body as empty."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not NUMBER.fullmatch(length):
        raise LengthRequired
    return int(length)


def header_number(request: Request, name: str) -> int:
    """Raises Invalid."""
    text = request.headers.get(name, "")
    if not PLACE.fullmatch(text):
        raise Invalid(faults=[Fault(name, "This header must be a number of bytes.")])
    return int(text)
