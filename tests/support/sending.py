"""Large films on their way to a running service by another's tus client, whatever happens to the service."""

from __future__ import annotations

import io
import os
import socket
import struct
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from tusclient.exceptions import TusCommunicationError, TusUploadFailed

from tests.support import media_files
from tests.support.running import Service

PATIENCE = 90  # seconds: a killed server is back after about ten, and its lease lapses after fifteen
SLICE = 8 * 2**20
LOST = (TusCommunicationError, TusUploadFailed, OSError)

Found = TypeVar("Found")


def large_film(folder: Path, size: int) -> Path:
    """A short film of `size` bytes and a few more: players pass over a box that is free."""
    path = media_files.film(folder, size="64x36")
    with path.open("ab") as file:
        file.write(struct.pack(">I4s", size + 8, b"free"))
        for _ in range(size // SLICE):
            file.write(os.urandom(SLICE))
        file.write(os.urandom(size % SLICE))
    return path


def call(running: Service, method: str, path: str, body: object = None) -> Any:
    answer = running.call(method, f"/api/v2{path}", body, Authorization=f"Bearer {running.seeded['token']}")
    assert answer.status < 300, answer.body
    return answer.json()


def jetty() -> bytes:
    """A picture of about a megabyte, as a file."""
    file = io.BytesIO()
    media_files.photo(900, 600).save(file, "PNG")
    return file.getvalue()


def announce(running: Service, content: bytes) -> Any:
    """The upload of this picture, of which nothing has come yet."""
    return call(
        running, "POST", "/uploads", {"kind": "picture", "filename": "jetty.png", "size": len(content)}
    )


def send_slice(running: Service, upload: str, content: bytes, *, at: int) -> None:
    headers = {
        "Authorization": f"Bearer {running.seeded['token']}",
        "Upload-Offset": str(at),
        "Content-Type": "application/offset+octet-stream",
    }
    address = f"{running.url}/api/v2/uploads/{upload}/content"
    request = urllib.request.Request(address, content, headers, method="PATCH")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 204


def until(found: Callable[[], Found], what: str, patience: float = PATIENCE) -> Found:
    """What `found` returns once it is true; asks five times a second. Raises AssertionError after `patience`."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        with suppress(OSError):
            if result := found():
                return result
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {patience} s")


def web_memory(running: Service) -> int:
    """Bytes of the largest web process at its height."""
    peaks = [0]
    for pid, command in running.processes().items():
        if "web_server" in command:
            with suppress(OSError, IndexError):
                status = Path(f"/proc/{pid}/status").read_text()
                peaks.append(int(status.partition("VmHWM:")[2].split()[0]) * 1024)
    return max(peaks)


def tus_client(running: Service, address: str) -> Any:
    from tusclient.client import (
        TusClient,
    )  # late: each process of the tests reads this file, and few of them send

    return TusClient(address, headers={"Authorization": f"Bearer {running.seeded['token']}"})


def send(running: Service, address: str, source: Path, reached: Callable[[int], None]) -> None:
    """Sends slice after slice with tuspy, as often as it takes; tells `reached` each offset before it goes on."""
    client = tus_client(running, address)
    size = source.stat().st_size
    deadline = time.monotonic() + 2 * PATIENCE + size / 10**6
    uploader = client.uploader(str(source), chunk_size=SLICE, url=address)
    while uploader.offset < size:
        assert time.monotonic() < deadline, f"stuck at {uploader.offset}"
        reached(uploader.offset)
        try:
            uploader.upload_chunk()
        except LOST:
            time.sleep(0.5)
            with suppress(*LOST):
                uploader.offset = uploader.get_offset()


def state_once_checked(running: Service, upload: str, patience: float = PATIENCE) -> Any:
    """What the service says of an upload that has come whole, once the worker has looked at it."""

    def looked_at() -> Any:
        state = call(running, "GET", f"/uploads/{upload}")
        return None if state["state"] == "checking" else state

    return until(looked_at, "the worker", patience)


def send_through_a_kill(running: Service, source: Path) -> str:
    """Has a film taken in whose receiver is killed after the first slice; returns its id."""
    before, kills = web_memory(running), [SLICE]

    def kill_at(offset: int) -> None:
        if kills and offset >= kills[0]:
            kills.pop(0)
            until(lambda: running.kill("web_server"), "a web server to kill")

    about = {"kind": "film", "filename": "ferry.mp4", "size": source.stat().st_size}
    begun = call(running, "POST", "/uploads", about)
    send(running, begun["uploadUrl"], source, kill_at)
    told = state_once_checked(running, begun["id"])
    assert told["state"] == "ready", told
    assert not kills and web_memory(running) - before < 100 * 2**20
    return str(told["mediaId"])


class Line:
    """A way to a port of this machine that can be cut for a while, in the middle of a byte stream."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.ends: set[socket.socket] = set()
        self.is_cut = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self.target), timeout=60)
                except OSError:
                    near.close()
                    continue
                self.ends |= {near, far}
                if self.is_cut:
                    self.end_all()
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            self.ends.discard(end)

    def end_all(self) -> None:
        for end in list(self.ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self, seconds: float) -> None:
        """Ends every connection, and lets none through until `seconds` have passed."""
        self.is_cut = True
        self.end_all()
        time.sleep(seconds)
        self.is_cut = False


@contextmanager
def line_to(running: Service) -> Iterator[Line]:
    line = Line(running.port)
    try:
        yield line
    finally:
        line.listener.close()
        line.end_all()
