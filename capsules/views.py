"""Blobs over HTTP, where the storage is this machine's disk: immutable, with byte ranges."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path
from typing import IO

from django.core.files.storage import FileSystemStorage, Storage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from whitenoise.responders import MissingFileError, Response, SlicedFile, StaticFile

from accounts.actors import Actor
from accounts.authentication import ApiKeyAuthentication, BearerAuthentication
from accounts.models import User
from accounts.people.staff import may_work
from capsules import storage
from capsules.models import HiddenBlob
from config.errors import CapsulesError

NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.(avif|webp|jpeg|mp4|webm)")
TYPES = {
    "avif": "image/avif",
    "webp": "image/webp",
    "jpeg": "image/jpeg",
    "mp4": "video/mp4",
    "webm": "video/webm",
}


ONE_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class Blob(StaticFile):
    """WhiteNoise's file, with the ranges of RFC 9110: it refuses a range of one byte, and takes the last 0 for all."""

    def get_range_response(
        self, range_header: str, base_headers: list[tuple[str, str]], file_handle: IO[bytes] | None
    ) -> Response:
        """Raises ValueError for what is not a single range, which is then ignored."""
        size = int(dict(base_headers)["Content-Length"])
        start, end = range_of(range_header, size)
        if start > end:
            answer: Response = self.get_range_not_satisfiable_response(file_handle, size)
            return answer
        headers = [pair for pair in base_headers if pair[0] != "Content-Length"]
        headers += [
            ("Content-Range", f"bytes {start}-{end}/{size}"),
            ("Content-Length", str(end - start + 1)),
        ]
        part: object = SlicedFile(file_handle, start, end) if file_handle else None
        return Response(HTTPStatus.PARTIAL_CONTENT, headers, part)


def range_of(header: str, size: int) -> tuple[int, int]:
    """The first and the last byte of a file that a Range header asks for; the last before the first where none can be
    sent. Raises ValueError for anything but one range.
    """
    found = ONE_RANGE.fullmatch(header.strip())
    if found is None or found[0] == "bytes=-" or (all(found.groups()) and int(found[1]) > int(found[2])):
        raise ValueError(header)
    if not found[1]:
        return max(size - int(found[2]), 0), size - 1
    return int(found[1]), min(int(found[2]), size - 1) if found[2] else size - 1


def blob_in(files: Storage, name: str, *, cached: str) -> Blob | None:
    """The blob of this name; None where it is not there. The one question to the disk is the one for size and time."""
    if not isinstance(files, FileSystemStorage):
        return None
    path = Path(files.path(name))
    headers = [
        ("Content-Type", TYPES[path.suffix[1:]]),
        ("Cache-Control", cached),
        ("Access-Control-Allow-Origin", "*"),
        ("ETag", f'"{path.stem}"'),
    ]
    try:
        return Blob(str(path), headers)
    except MissingFileError:
        return None


def may_see(request: HttpRequest, name: str) -> bool:
    """Whether the caller may look at a blob that was taken down: by the session, a token or a key."""
    rows = HiddenBlob.objects.filter(name=name)
    try:
        found = credential_of(request)
    except (APIException, CapsulesError):
        return False
    return found is not None and (rows if may_work(found) else rows.visible_to(found)).exists()


def credential_of(request: HttpRequest) -> Actor | User | None:
    """Whoever calls. Raises AuthenticationFailed for a credential that is not valid."""
    person = request.user  # before the line below, which puts its own there
    asked = Request(request, authenticators=[BearerAuthentication(), ApiKeyAuthentication()])
    if isinstance(asked.auth, Actor):
        return asked.auth
    return person if isinstance(person, User) and person.is_active else None


@require_safe
def blob(request: HttpRequest, name: str) -> HttpResponseBase:
    """One blob, whole or by range, to be cached for a year; 404 for a name that no blob has.

    What was taken down is there for members and staff alone, and in no cache. Of a bucket, the way there.
    """
    if not NAME.fullmatch(name):
        raise Http404
    if not isinstance(storage.blobs(), FileSystemStorage):
        # Mails and other sites name it so if it was on a disk before. Whether it is there, the bucket says.
        return redirect(storage.blobs().url(name))
    found = blob_in(storage.blobs(), name, cached="public, max-age=31536000, immutable")
    if found is None:
        found = blob_in(storage.hidden(), name, cached="private, no-store")
        if found is None or not may_see(request, name):
            raise Http404
    try:
        answer = found.get_response(str(request.method), request.META)
    except FileNotFoundError as error:  # it was taken down or collected since the look at it
        raise Http404 from error
    fields = dict(answer.headers)
    if answer.file is None:
        return HttpResponse(status=answer.status, headers=fields)
    # A type among the headers would give way to what Django guesses from the name, which a part of a file has not.
    return FileResponse(
        answer.file, status=answer.status, content_type=fields.pop("Content-Type"), headers=fields
    )
