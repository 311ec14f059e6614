"""A model that tries to publish without its person, over every host and with every permission: the short form."""

from __future__ import annotations

import pytest

from tests.faults import app_publishes
from tests.mcp.running import started


@pytest.mark.parametrize("count", [36])
def test_nothing_goes_live_without_a_person_behind_it(count, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(app_publishes, "DELAY", 20)
    env = app_publishes.environment()
    with started(tmp_path, stories=count, **env) as server:
        assert app_publishes.played(server, app_publishes.tries_of(server.service.seeded["stories"])) == 0, (
            capsys.readouterr().out
        )
