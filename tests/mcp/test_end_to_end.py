"""From a 401 to a published capsule: the unmodified SDK client in the example app, with consent in a real browser."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.drawing import draw_picture
from tests.support.factories import SEEDED
from tests.support.running import ROOT

SCENES = """
[[scenes]]
text = "The first thought of a small voyage."
alt = "A moon."
still = "one.png"
animation = "auto"

[[scenes]]
text = "The second one looks back to the harbour."
still = "two.png"
animation = "auto"

[[scenes]]
text = "The third one is out at sea."
still = "one.png"
animation = "auto"

[[scenes]]
text = "And the end."
still = "one.png"
finale = true
"""


@pytest.fixture
def folder(tmp_path):
    """What is encoded of these pictures, and of a capsule of four of them, the seeded capsules have already."""
    for name in ("one.png", "two.png"):
        draw_picture(tmp_path / name, SEEDED)
    return tmp_path


def started(server, folder, mode):
    return subprocess.Popen(
        [sys.executable, "examples/make_a_capsule_as_an_app.py", server.url, str(folder), "--mode", mode],
        cwd=ROOT,
        env={**server.service.env, "BROWSER": "true"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def consent_address(app):
    app.stdout.readline()
    return app.stdout.readline().strip()


def test_an_app_registers_is_allowed_uploads_makes_and_publishes(server, page, folder):
    """In the old protocol; in the new one test_client_document_end_to_end does."""
    (folder / "capsule.toml").write_text(f'title = "From a folder"\n{SCENES}')
    app = started(server, folder, "legacy")
    page.goto(consent_address(app))
    for scope in ("stories:write", "publications:write"):
        page.check(f"input[value='{scope}']")
    page.click("button[value=allow]")
    page.wait_for_url("**/callback?**")
    told, complaints = app.communicate("3\n", timeout=240)
    assert app.returncode == 0, told + complaints
    link = told.rsplit("Published: ", 1)[1].strip()
    assert link == f"{server.service.url}/north-shore/from-a-folder"
    page.goto(link)
    assert "The first thought of a small voyage." in page.content()


def test_an_app_that_lacks_a_permission_asks_for_it_by_name_and_ends_in_words(server, page, folder):
    (folder / "capsule.toml").write_text(f'title = "Not allowed"\n{SCENES}')
    app = started(server, folder, "auto")
    for needs in (0, 1):
        page.goto(consent_address(app))
        lacks = page.get_by_role("status").filter(has_text="but it needs:")
        assert lacks.count() == needs
        page.click("button[value=allow]")
        page.wait_for_url("**/callback?**")
    _, complaints = app.communicate(timeout=240)
    assert (app.returncode, "Traceback" in complaints) == (1, False), complaints
    assert "not granted the permission stories:write" in complaints
    assert "Create and edit your capsules" in complaints
