"""A receiver of webhooks on this machine: it notes what comes, and answers as a test says."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOOKS = 0.02  # seconds between two looks whether it is over; half a second where nobody says


@dataclass
class Got:
    path: str
    headers: dict[str, str]
    body: bytes
    at: float


@dataclass
class Receiver:
    """`status`, `headers` and `text` of its answers; `answer` may write one by itself."""

    port: int = 0
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    text: bytes = b""
    answer: Callable[[Any], None] | None = None
    got: list[Got] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks"


@contextmanager
def receiver() -> Iterator[Receiver]:
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            told.got.append(Got(self.path, headers, body, time.time()))
            if told.answer is not None:
                told.answer(self)
                return
            self.send_response(told.status)
            for name, value in {"Content-Length": str(len(told.text)), **told.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(told.text)

        def log_message(self, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *args: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    told.port = server.server_port
    threading.Thread(target=server.serve_forever, args=[LOOKS], daemon=True).start()
    yield told
    server.shutdown()
    server.server_close()
