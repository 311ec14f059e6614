"""Blobs over HTTP, where the storage is this machine's disk: immutable, with byte ranges."""

from __future__ import annotations

import re
from pathlib import Path

from django.core.files.storage import FileSystemStorage
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe
from whitenoise.responders import StaticFile

from capsules import storage

NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}\.(avif|webp|jpeg|mp4|webm)")
TYPES = {
    "avif": "image/avif",
    "webp": "image/webp",
    "jpeg": "image/jpeg",
    "mp4": "video/mp4",
    "webm": "video/webm",
}


@require_safe
def blob(request: HttpRequest, name: str) -> HttpResponseBase:
    """One blob, whole or by range, to be cached for a year; 404 for a name that no blob has."""
    files = storage.blobs()
    if not NAME.fullmatch(name) or not isinstance(files, FileSystemStorage) or not files.exists(name):
        raise Http404
    path = Path(files.path(name))
    headers = [
        ("Content-Type", TYPES[path.suffix[1:]]),
        ("Cache-Control", "public, max-age=31536000, immutable"),
        ("Access-Control-Allow-Origin", "*"),
        ("ETag", f'"{path.stem}"'),
    ]
    answer = StaticFile(str(path), headers).get_response(str(request.method), request.META)
    fields = dict(answer.headers)
    if answer.file is None:
        return HttpResponse(status=answer.status, headers=fields)
    # A type among the headers would give way to what Django guesses from the name, which a part of a file has not.
    return FileResponse(
        answer.file, status=answer.status, content_type=fields.pop("Content-Type"), headers=fields
    )
