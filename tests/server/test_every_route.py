"""The service as `make run` starts it (SQLite, the embedded broker): the walk of everything, and a first evening."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.lived_in.evening import PATIENCE, first_evening
from tests.lived_in.walk import NOBODY, THOROUGH, Walk
from tests.support.drawing import draw_picture
from tests.support.running import ROOT, Service, service
from tests.support.smtp import Mailbox


@dataclass
class Home:
    running: Service
    told: dict[str, Any]
    mailbox: Mailbox


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    mailbox = Mailbox()
    mailbox.controller.start()
    settings = {
        "REQUIRE_STAFF_MFA": "true",
        "METRICS_TOKEN": "m" * 40,
        "EMAIL_URL": f"smtp://127.0.0.1:{mailbox.controller.port}",
    }
    with service(tmp_path_factory.mktemp("home"), stories=None, start=False, **settings) as running:
        fill = [sys.executable, "-m", "tests.lived_in.fill", "60", "6"]
        filled = subprocess.run(fill, cwd=ROOT, env=running.env, capture_output=True, text=True, timeout=300)
        assert filled.returncode == 0, filled.stderr[-3000:]
        running.start()
        yield Home(running, json.loads(filled.stdout), mailbox)
    mailbox.controller.stop()


def test_who_sees_most_finds_a_page_with_a_way_on_at_every_route(home):
    """As four callers, to some rows; `.ci/run` sends everybody to all of them, through nginx and on PostgreSQL."""
    walk = Walk(home.told, home.running.url, only=(NOBODY, *THOROUGH), every=6)
    finds = [find for find in walk.run() if not find.is_known]
    assert not finds, "\n".join([*map(str, finds), walk.summary()])


def test_a_newcomer_signs_up_publishes_and_deletes_the_account_in_one_evening(
    home, browser: Browser, tmp_path
):
    photographs = [str(draw_picture(tmp_path / "dawn.png"))] * 3  # rendered once
    context = browser.new_context(base_url=home.running.url)
    context.set_default_timeout(PATIENCE)
    first_evening(context.new_page(), home.mailbox, photographs)
    context.close()
