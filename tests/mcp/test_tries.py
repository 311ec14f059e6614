"""A model that tries to publish without its person, over hosts of each kind, with every permission: the short form."""

from __future__ import annotations

from tests.faults import app_publishes
from tests.mcp.conftest import OTHERS, PREMIERE_DELAY, TRIES


def test_nothing_goes_live_without_a_person_behind_it(server, monkeypatch, capsys):
    monkeypatch.setattr(app_publishes, "DELAY", PREMIERE_DELAY)
    tries = app_publishes.tries_of(server.service.seeded["stories"][OTHERS:], TRIES)
    assert app_publishes.played(server, tries) == 0, capsys.readouterr().out
