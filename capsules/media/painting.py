"""Asks the painter, in a process of its own, to read or draw a picture."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from capsules.media.child import Child, Limits, Pulse, wait_for
from capsules.media.errors import MediaRefused
from config.json_types import JsonObject

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from capsules.painter.tasks import main
main(*sys.argv[1:])
"""
LIMITS = Limits(seconds=180, cpu_seconds=90, address_space=2 << 30, file_size=256 << 20)


class Painter(Child):
    """One task of the painter. After it ended, `answer()` is what it made."""

    def __init__(
        self,
        task: str,
        limits: Limits,
        arguments: dict[str, object],
        *,
        on_percent: Callable[[int], None] = lambda percent: None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._on_percent = on_percent
        self._said: JsonObject = {}
        command = [sys.executable, "-I", "-c", PROGRAM, task, json.dumps(arguments)]
        super().__init__(command, limits, hear=self._listen, pass_fds=pass_fds)

    def answer(self) -> dict[str, object]:
        """Raises MediaRefused for a picture we do not take, and EncodeFailed."""
        if "refused" in self._said:
            raise MediaRefused(self._said["refused"])
        if failure := self.failure():
            raise failure
        return self._said["done"]

    def lost_its_reader(self) -> bool:
        """Whether it stopped because nobody took its frames any more: then the other end knows why."""
        return self.process.returncode == errno.EPIPE

    def _listen(self, line: bytes) -> None:
        self._said = json.loads(line)
        if "percent" in self._said:
            self._on_percent(self._said["percent"])


def paint(task: str, pulse: Pulse, limits: Limits = LIMITS, **arguments: object) -> Any:
    """Run one task and return what it says. Raises MediaRefused, EncodeFailed, and what `pulse` raises."""
    with Painter(task, limits, arguments, on_percent=pulse.reach) as painter:
        wait_for([painter], limits.seconds, pulse.beat)
        return painter.answer()
