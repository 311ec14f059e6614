"""Log lines that can be put together: every request and task has an id, which is in each of its lines.

The id travels from a request to the tasks that it wakes, is the `X-Request-ID` of the answer, and the reference that an
error's body quotes.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from pythonjsonlogger.json import JsonFormatter

access = logging.getLogger("config.access")
request_id: ContextVar[str] = ContextVar("request_id", default="")
FORM = re.compile(r"[A-Za-z0-9._-]{8,64}")
SECRET_PARTS = frozenset(["token", "key", "uidb36", "code", "secret"])  # of an address
HEADER = "capsules_request_id"  # of a task's message


def new_id() -> str:
    return secrets.token_hex(8)


class WithRequestId(logging.Filter):
    """Puts the id of what is being done into each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)  # Django writes some lines after the middleware has ended
        record.request_id = request_id.get() or getattr(request, "id_in_logs", "")
        return True


class WarningOfStrangers(logging.Filter):
    """One line of a warning, without the trace, where Django logs an error though nothing is wrong here: robots name
    hosts that are not ours by the thousand.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = record.exc_text = record.stack_info = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


class WithoutSecretAddresses(logging.Filter):
    """Replaces the address of a request in what Django says of it: some of our addresses are secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            told = address_told(request)
            if isinstance(record.args, tuple):
                record.args = tuple(told if value == request.path else value for value in record.args)
            record.request = f"{request.method} {told}"
        return True


class PlainFormatter(logging.Formatter):
    """Text for a person, with the id at the end where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        id = getattr(record, "request_id", "")
        return f"{line} [{id}]" if id else line


class JsonLines(JsonFormatter):
    """One JSON object a line: time, level, logger, message, request_id, and exc_info where there is a traceback."""

    def __init__(self) -> None:
        super().__init__(
            "%(asctime)s %(levelname)s %(name)s %(message)s %(request_id)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
        )


class RequestId:
    """The outermost middleware: gives each request its id, tells it in the answer, and writes the access log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.monotonic()
        id = request_id_of(request)
        request.id_in_logs = id  # type: ignore[attr-defined]
        token = request_id.set(id)
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = request_id.get()
            if settings.ACCESS_LOG:
                log_access(request, response, time.monotonic() - began)
            return response
        finally:
            request_id.reset(token)


def request_id_of(request: HttpRequest) -> str:
    """The one that our proxy gave it, else a new one: nobody else writes into our log."""
    told = request.headers.get("X-Request-ID", "") if settings.BEHIND_PROXY else ""
    return told if FORM.fullmatch(told) else new_id()


def log_access(request: HttpRequest, response: HttpResponse, took: float) -> None:
    """Without query and address: readers are nobody's business."""
    facts = {
        "method": request.method,
        "path": request.path if response.status_code < 400 and is_open(request) else address_told(request),
        "status": response.status_code,
        "seconds": round(took, 4),
    }
    access.info("%(method)s %(path)s %(status)s %(seconds)s s", facts, extra=facts)


def is_open(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and SECRET_PARTS.isdisjoint(match.kwargs)


def address_told(request: HttpRequest) -> str:
    """The route alone: a part of the path may be a secret, also where it was mistyped and leads nowhere."""
    match = request.resolver_match
    return f"/{match.route}" if match is not None else "(no such address)"


# --- Tasks -----------------------------------------------------------------------------------------------------


@before_task_publish.connect
def send_along(headers: dict[str, object] | None = None, **kwargs: object) -> None:
    if headers is not None and request_id.get():
        headers[HEADER] = request_id.get()


@task_prerun.connect
def take_over(task: Any = None, **kwargs: object) -> None:
    told = getattr(task.request, HEADER, None) or (task.request.headers or {}).get(HEADER)
    request_id.set(told or new_id())


@task_postrun.connect
def forget_request(**kwargs: object) -> None:
    request_id.set("")
