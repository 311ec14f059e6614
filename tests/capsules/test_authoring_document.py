"""docs/authoring.md, command by command, against the real service."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import factories, media_files
from tests.support.running import ROOT, service

DOCUMENT = Path(ROOT, "docs/authoring.md").read_text()
COMMANDS = re.findall(r"```bash\n(.*?)```", DOCUMENT, flags=re.DOTALL)


def test_the_document_takes_no_more_than_twelve_calls():
    uploads = DOCUMENT.count("\nupload ")
    outside = sum(commands.count("curl ") for commands in COMMANDS[1:]) - 1  # reading the page is not a call
    assert uploads * 2 + outside <= 12


@pytest.mark.skipif(shutil.which("jq") is None, reason="NO JQ: the document's commands need it.")
def test_three_photographs_and_a_film_become_a_live_page(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    for name, colour in (("jetty", "#46507a"), ("harbour", "#7a4650"), ("lights", "#507a46")):
        factories.draw_picture(files / f"{name}.jpg", (640, 360), colour=colour)
    media_files.film(files, size="320x180", seconds=3).rename(files / "crossing.mp4")
    data = tmp_path / "data"
    data.mkdir()
    with service(data, stories=0) as running:
        script = "set -euo pipefail\n" + "\n".join(COMMANDS)
        env = {**running.env, "BASE": running.url, "TOKEN": running.seeded["token"]}
        outcome = subprocess.run(
            ["bash", "-c", script], cwd=files, env=env, capture_output=True, text=True, timeout=240
        )
        assert outcome.returncode == 0, outcome.stdout[-2000:] + outcome.stderr[-2000:]
    page = (files / "page.html").read_text()
    assert "Halfway over, the engine drops to a murmur." in page and "<video" in page
