"""docs/authoring.md, command by command, against the real service."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import factories
from tests.support.media_files import film
from tests.support.running import ROOT, Service, service

DOCUMENT = Path(ROOT, "docs/authoring.md").read_text()
COMMANDS = "\n".join(re.findall(r"```bash\n(.*?)```", DOCUMENT, flags=re.DOTALL))
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="NO JQ: the document's commands need it.")
#: What a used workspace has: a picture of such a name, and the very same bytes under another name.
CROWD = """
LINK=$(curl -sS --fail "$BASE/api/v2/uploads/links" -H "Authorization: Bearer $TOKEN" -d '{}' | jq -r .url)
curl -sS --fail -T other.png $LINK/jetty.jpg
curl -sS --fail -T harbour.jpg $LINK/IMG_0001.jpg
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, colour in (("jetty", "#46507a"), ("harbour", "#7a4650"), ("lights", "#507a46")):
        factories.draw_picture(folder / f"{name}.jpg", colour=colour)
    factories.draw_picture(folder / "other.png", (200, 150))
    film(folder, "crossing.mp4")
    return folder


def run(script: str, files: Path, running: Service, **env: str) -> subprocess.CompletedProcess[str]:
    env = {**running.env, "BASE": running.url, "TOKEN": running.seeded["token"], **env}
    return subprocess.run(
        ["bash", "-c", script], cwd=files, env=env, capture_output=True, text=True, timeout=240
    )


def test_the_document_takes_no_more_than_nine_calls_besides_asking_whether_a_file_is_ready():
    uploads = COMMANDS.count("\nupload ")
    others = len(re.findall(r"^(?:api|json) ", COMMANDS, flags=re.MULTILINE))
    assert (uploads, others) == (4, 5)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service, in whose first workspace there is nothing."""
    with service(tmp_path_factory.mktemp("data"), stories=0, WEB_PROCESSES="1") as running:
        yield running


@needs_jq
def test_a_refusal_ends_the_documents_commands_and_is_shown(files, running):
    assert "not valid" in run(COMMANDS, files, running, TOKEN="nonsense").stderr
    (files / "jetty.jpg").write_text("No picture.")
    refused = run(COMMANDS, files, running)
    assert refused.returncode != 0 and "picture" in refused.stderr


@needs_jq
def test_the_document_makes_a_live_page_in_a_workspace_that_has_other_files(files, running):
    assert run(CROWD, files, running).returncode == 0
    outcome = run(COMMANDS, files, running)
    assert outcome.returncode == 0, outcome.stdout[-2000:] + outcome.stderr[-2000:]
    assert outcome.stdout.startswith(running.url)
    page = (files / "page.html").read_text()
    assert "Halfway over, the engine drops to a murmur." in page and "<video" in page
