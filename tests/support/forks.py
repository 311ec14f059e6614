"""Programs that are run each in a fork of one Python that has loaded what they share: to start one takes ten times as
long.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from tests.support.running import ROOT

PATIENCE = 60  # seconds until a program is killed that should have ended
#: All that a process of the service has loaded before it does anything; its settings are those of the environment.
SERVICE = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
from config.processes import load
load()
"""
EACH = """
import json, os, signal, sys, tempfile

for changes, program in json.load(sys.stdin):
    out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    if not os.fork():
        signal.alarm({patience})
        os.environ.update(changes)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        exec(program)
        break
    code = os.waitstatus_to_exitcode(os.wait()[1])
    said = [os.pread(file.fileno(), 1 << 20, 0).decode() for file in (out, err)]
    print(json.dumps([code, *said]), flush=True)
"""


@dataclass
class Ended:
    code: int
    out: str
    err: str


def run_each(
    programs: Iterable[tuple[dict[str, str], str]],
    env: dict[str, str],
    *,
    loaded: str,
    patience: int = PATIENCE,
) -> list[Ended]:
    """How each program ended, with its changes of the environment, after `loaded` was run once."""
    asked = list(programs)
    run = subprocess.run(
        [sys.executable, "-c", loaded + EACH.format(patience=patience)],
        cwd=ROOT,
        env=env,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=patience * (len(asked) + 1),
        check=False,
    )
    ended = [Ended(*json.loads(line)) for line in run.stdout.splitlines()]
    assert len(ended) == len(asked), run.stderr
    return ended
