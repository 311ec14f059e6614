"""What waitress does with one connection, where the service needs it otherwise.

A request that waitress itself refuses gets a JSON body, as the API promises; a body that breaks off is answered, and
so is one for which there is no room; and once the process was told to stop, each answer is the last of its connection.
"""

from __future__ import annotations

import json
import shutil
import socket
import struct
import tempfile
import time
from contextlib import suppress
from typing import Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import BadRequest, Error

from config import stopping

CUT_SHORT = "The request body was cut short."
TWO_ENDS = "Content-Length and Transfer-Encoding say where this request ends."
NO_ROOM = "The service has no space left for this. Please try again later."
IN_MEMORY = 2**20  # bytes of a body for which nobody asks about the disk
TIME_TO_ASK = 1.0  # seconds from a connection to its first byte, while the process ends
SPARED = 20  # bodies leave one part in so many of the disk to everything else


class Answer(WSGITask):
    def build_response_header(self) -> bytes:
        if stopping.has_begun():
            # A proxy keeps connections, and fails a request that it sends on one which is being closed.
            self.request.headers["CONNECTION"] = "close"
        return super().build_response_header()


class InsufficientStorage(Error):
    code = 507
    reason = "Insufficient Storage"


class Refusal(ErrorTask):
    """`{error}` in place of the library's plain text."""

    def execute(self) -> None:
        error = self.request.error
        body = json.dumps({"error": f"{error.reason}: {error.body}"}).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class Parser(HTTPRequestParser):
    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        # A proxy that goes by the other would send a stranger's next request as ours. Waitress takes the coding out of
        # the headers of HTTP/1.1, and leaves it there otherwise.
        is_coded = self.chunked or "TRANSFER_ENCODING" in self.headers
        if is_coded and "CONTENT_LENGTH" in self.headers:
            raise ParsingError(TWO_ENDS)


class Channel(HTTPChannel):
    parser_class = Parser
    task_class = Answer
    error_task_class = Refusal
    request: Any

    def readable(self) -> bool:
        if self.socket is None:
            return False
        if self.will_close:
            # Who takes nothing has a socket that is never writable, which is where waitress closes it. And what is
            # still in the system's buffer must not keep the connection for minutes.
            with suppress(OSError):  # it has been closed meanwhile
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.handle_close()
            return False
        return bool(super().readable())

    def writable(self) -> bool:
        # Waitress asks this once more of what `readable` has closed, whose number may be the next connection's by then.
        return self.socket is not None and bool(super().writable())

    def handle_read(self) -> None:
        if self.is_in_body() and self.has_ended():
            self.refuse(BadRequest(CUT_SHORT))
        else:
            super().handle_read()

    def received(self, data: bytes) -> bool:
        taken = super().received(data)
        # Waitress writes a body down before anybody asks whose it is: without an end, strangers could fill the disk.
        if self.is_in_body() and self.request.body_bytes_received > IN_MEMORY and not has_room():
            self.refuse(InsufficientStorage(NO_ROOM))
        return bool(taken)

    def is_in_body(self) -> bool:
        return self.request is not None and self.request.headers_finished and not self.request.completed

    def has_ended(self) -> bool:
        """Whether the client sends no more, although it may still read."""
        try:
            return self.socket.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return False  # which the reading finds out

    def refuse(self, error: object) -> None:
        with self.requests_lock:
            request, self.request = self.request, None
            request.error, request.completed = error, True
            self.requests.append(request)
            if len(self.requests) == 1:
                self.server.add_task(self)

    def close_if_idle(self) -> None:
        """Closes the connection unless a request or an answer is on its way. Called in the loop's thread.

        Who has only just connected gets a moment to ask: a proxy fails a POST whose connection is reset.
        """
        is_new = time.time() < self.creation_time + TIME_TO_ASK
        if not (self.requests or self.request or self.total_outbufs_len or is_new):
            self.will_close = True


def has_room() -> bool:
    disk = shutil.disk_usage(tempfile.gettempdir())
    return disk.free > disk.total / SPARED
