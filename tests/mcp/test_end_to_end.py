"""From a 401 to a published capsule: the unmodified SDK client in the example app, with consent in a real browser."""

from __future__ import annotations

import subprocess
import sys
from runpy import run_path

import pytest
from mcp.shared.exceptions import MCPError

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
still = "one.png"
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
    """What is encoded of this picture, and of a capsule that shows it four times, the seeded capsules have already."""
    draw_picture(tmp_path / "one.png", SEEDED)
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
    """In the old protocol; in the new one test_client_document_end_to_end does. What it lacks it asks for by name."""
    (folder / "capsule.toml").write_text(f'title = "From a folder"\n{SCENES}')
    app = started(server, folder, "legacy")
    for needs in (0, 1):
        page.goto(consent_address(app))
        assert page.get_by_role("status").filter(has_text="but it needs:").count() == needs
        for scope in ("stories:write", "publications:write") if needs else ():
            page.check(f"input[value='{scope}']")
        page.click("button[value=allow]")
        page.wait_for_url("**/callback?**")
    told, complaints = app.communicate("3\n", timeout=240)
    assert app.returncode == 0, told + complaints
    link = told.rsplit("Published: ", 1)[1].strip()
    assert link == f"{server.service.url}/north-shore/from-a-folder"
    page.goto(link)
    assert "The first thought of a small voyage." in page.content()


def test_the_example_that_is_refused_ends_in_words():
    refused = MCPError(-32001, "not granted the permission stories:write")
    program = run_path(str(ROOT / "examples/make_a_capsule_as_an_app.py"))
    with pytest.raises(SystemExit, match="refused: not granted the permission stories:write"):
        program["end_in_words"](program["innermost"](ExceptionGroup("", [refused])))
