"""Granian with one answer and no application: the least that a page from memory can cost (`run.py` starts it).

    PORT=… FOLDER=… python -m benchmarks.pages.granian_alone

FOLDER has `page`, the bytes, and `headers.json`, a list of names and values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import mp


def answer_at_once(application: Any, *options: Any) -> Callable[[Any, dict[str, Any]], None]:
    """What granian calls for each request, in place of its own wrapper (see `config.web_server.in_turn`)."""
    folder = Path(os.environ["FOLDER"])
    body = (folder / "page").read_bytes()
    headers = [tuple(pair) for pair in json.loads((folder / "headers.json").read_text())]

    def answer(protocol: Any, scope: dict[str, Any]) -> None:
        protocol.response_bytes(200, headers, body)

    return answer


def run_worker(*options: Any) -> None:
    mp._wsgi_call_wrap = answer_at_once  # type: ignore[assignment]
    mp.MPServer._spawn_wsgi_worker(*options)


def nothing(environ: Any, start_response: Any) -> list[bytes]:
    raise AssertionError("no request comes here")


if __name__ == "__main__":
    mp.MPServer(
        "benchmarks.pages.granian_alone:nothing",
        port=int(os.environ["PORT"]),
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        workers=1,
        blocking_threads=1,
        websockets=False,
        log_level=LogLevels.error,
    ).serve(spawn_target=run_worker)
