"""Child processes that read files we do not trust: limited, watched, and never left behind."""

from __future__ import annotations

import mmap
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from capsules.media.errors import EncodeFailed, Interrupted, NoRoom
from capsules.media.facts import Progress

JAIL = Path(__file__).with_name("jail.py")
TICK = 0.5  # seconds between two calls of the progress function
LOG_READ = 4 << 20  # bytes
LOG_TAIL = 4000  # bytes of the log that staff get to see
OUT_OF_MEMORY = re.compile(
    rb"Cannot allocate memory|MemoryError|Resource temporarily unavailable|malloc of size"
)
OUT_OF_TIME = re.compile(rb"received signal 24|Received > 3 system signals")  # ffmpeg catches SIGXCPU
TOO_DETAILED = (
    "This file has more detail than a phone can load. Use one that is shorter, smaller or less grainy."
)
NO_ROOM = re.compile(rb"No space left on device")
NOISE = re.compile(r"^Svt\[info\].*\n?", re.MULTILINE)


@dataclass(frozen=True)
class Limits:
    """What a child may use before it is stopped."""

    seconds: float  # on the clock
    cpu_seconds: int
    address_space: int  # bytes
    file_size: int  # bytes, of each file it writes
    nice: int = 5  # readers come before encodes; 0 where a person waits


class TimedOut(EncodeFailed):
    """By the clock, or by the computing time it used."""

    default = "Encoding this file took too long and was stopped."


class Child:
    """One running command. As a context manager it kills the command on the way out, whatever happened.

    The kernel kills it too when the thread that started it ends, so start and wait in the same thread.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        limits: Limits,
        *,
        hear: Callable[[bytes], None] = lambda line: None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self.hear = hear
        self._pending = b""
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        bounds = (os.getpid(), limits.address_space, limits.cpu_seconds, limits.file_size, limits.nice)
        self.process = subprocess.Popen(  # noqa: S603 - see above
            [sys.executable, "-I", "-S", JAIL, *map(str, bounds), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={},
            pass_fds=pass_fds,
            start_new_session=True,  # Ctrl-C in a terminal is for us, not for it
        )
        self.output = cast("IO[bytes]", self.process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.output.close()
        self._log.close()

    def read(self) -> bool:
        """Take what it printed and pass each whole line to `hear`. False at the end."""
        chunk = os.read(self.output.fileno(), 65536)
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        for line in lines:
            self.hear(line)
        return bool(chunk)

    def log(self) -> bytes:
        """What it wrote to its log so far; of a very long one, the end."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - LOG_READ))
        return self._log.read()

    def detail(self) -> str:
        """The end of the log, for staff."""
        text = NOISE.sub("", self.log().decode(errors="replace"))
        return f"exit status {self.process.returncode}\n{text[-LOG_TAIL:]}"

    def failure(self) -> EncodeFailed | None:
        """What to raise for the way it ended; None when it ended well."""
        status = self.process.returncode
        if status == 0:
            return None
        if status == -signal.SIGXCPU or OUT_OF_TIME.search(self.log()):
            return TimedOut(detail=self.detail())
        if status in (-signal.SIGKILL, -signal.SIGTERM):
            return Interrupted(detail=self.detail())
        if NO_ROOM.search(self.log()) or self._cannot_log():
            return NoRoom(detail=self.detail())
        return EncodeFailed(self._reason(status), detail=self.detail())

    def _cannot_log(self) -> bool:
        """Whether the disk is full: then its log, which is there too, may lack the words that say so."""
        log, size = self._log.fileno(), self._log.seek(0, os.SEEK_END)
        try:
            os.pwrite(log, bytes(mmap.PAGESIZE), size)
        except OSError:
            return True
        finally:
            os.ftruncate(log, size)
        return False

    def out_of_memory(self) -> bool:
        return bool(OUT_OF_MEMORY.search(self.log()))

    def _reason(self, status: int) -> str:
        if status == -signal.SIGXFSZ:
            return TOO_DETAILED
        if self.out_of_memory():
            return "Encoding this file needs more memory than is allowed."
        return "The encoder crashed on this file." if status < 0 else EncodeFailed.default


class Pulse:
    """Tells a progress function the percentage done, about twice a second for as long as the work goes on."""

    def __init__(self, progress: Progress = lambda percent: None) -> None:
        self._progress = progress
        self._percent = 0
        self._last = -TICK

    def reach(self, percent: int) -> None:
        """So much is done; it will be told with the next beat. Never goes back, never says 100 too early."""
        self._percent = max(self._percent, min(percent, 99))

    def beat(self) -> None:
        now = time.monotonic()
        if now - self._last >= TICK:
            self._progress(self._percent)
            self._last = now

    def done(self) -> None:
        self._progress(100)


def wait_for(children: Sequence[Child], seconds: float, beat: Callable[[], None] = lambda: None) -> None:
    """Wait until all children ended, passing on what they print and beating at least each half second.

    Raises TimedOut after `seconds`, and what `beat` raises; their context managers then kill the children.
    """
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.output, selectors.EVENT_READ, child)
        while selector.get_map():
            for key, _ in selector.select(TICK):
                if not key.data.read():
                    selector.unregister(key.fileobj)
            beat()
            _check(deadline, children)
    for child in children:
        while child.process.poll() is None:  # it closed its output, but is still there
            time.sleep(0.01)
            beat()
            _check(deadline, children)


def _check(deadline: float, children: Sequence[Child]) -> None:
    if time.monotonic() > deadline:
        raise TimedOut(detail="\n".join(child.detail() for child in children))
