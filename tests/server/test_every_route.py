"""The walk of everything (tests.lived_in) over the service as `make run` starts it: SQLite, the embedded broker."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.lived_in.walk import Walk
from tests.support.running import ROOT, service


def test_everybody_finds_a_page_with_a_way_on_at_every_route(tmp_path):
    with service(
        tmp_path, stories=None, start=False, REQUIRE_STAFF_MFA="true", METRICS_TOKEN="m" * 40
    ) as running:
        fill = [sys.executable, "-m", "tests.lived_in.fill", "300", "12"]
        filled = subprocess.run(fill, cwd=ROOT, env=running.env, capture_output=True, text=True, timeout=300)
        assert filled.returncode == 0, filled.stderr[-3000:]
        running.start()
        walk = Walk(json.loads(filled.stdout), running.url)
        finds = [find for find in walk.run() if not find.is_known]
        assert not finds, "\n".join([*map(str, finds), walk.summary()])
