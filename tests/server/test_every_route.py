"""The service as `make run` starts it (SQLite, the embedded broker): the walk of everything."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.lived_in.walk import NOBODY, THOROUGH, Walk
from tests.support.running import ROOT, service


def test_who_sees_most_finds_a_page_with_a_way_on_at_every_route(tmp_path):
    """As four callers, to some rows; `.ci/run` sends everybody to all of them, through nginx and on PostgreSQL, and
    lets a newcomer spend a first evening there.
    """
    own = {"REQUIRE_STAFF_MFA": "true", "METRICS_TOKEN": "m" * 40}
    with service(tmp_path, stories=None, start=False, **own) as running:  # type: ignore[arg-type]
        fill = [sys.executable, "-m", "tests.lived_in.fill", "60", "6"]
        filled = subprocess.run(fill, cwd=ROOT, env=running.env, capture_output=True, text=True, timeout=300)
        assert filled.returncode == 0, filled.stderr[-3000:]
        running.start()
        walk = Walk(json.loads(filled.stdout), running.url, only=(NOBODY, *THOROUGH), every=20)
        finds = [find for find in walk.run() if not find.is_known]
    assert not finds, "\n".join([*map(str, finds), walk.summary()])
