"""docs/authoring.md, command by command, against the real service; and an upload whose receivers are killed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import factories, media_files
from tests.support.running import ROOT, Service, service
from tests.support.sending import large_film, send_through_kills, until

DOCUMENT = Path(ROOT, "docs/authoring.md").read_text()
COMMANDS = "\n".join(re.findall(r"```bash\n(.*?)```", DOCUMENT, flags=re.DOTALL))
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="NO JQ: the document's commands need it.")
#: What a used workspace has: pictures of these names, and the very same bytes under other names.
CROWD = """
LINK=$(curl -sS --fail "$BASE/api/v2/uploads/links" -H "Authorization: Bearer $TOKEN" -d '{}' | jq -r .url)
for name in jetty harbour lights; do curl -sS --fail -T other-$name.png $LINK/$name.png; done
for name in jetty harbour lights; do curl -sS --fail -T $name.jpg $LINK/IMG_$name.jpg; done
curl -sS --fail -T crossing.mp4 $LINK/VID_0001.mp4
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, colour in (("jetty", "#46507a"), ("harbour", "#7a4650"), ("lights", "#507a46")):
        factories.draw_picture(folder / f"{name}.jpg", colour=colour)
        factories.draw_picture(folder / f"other-{name}.png", (200, 150), colour=colour)
    media_files.film(folder, "crossing.mp4")
    return folder


def run(script: str, files: Path, running: Service, **env: str) -> subprocess.CompletedProcess[str]:
    env = {**running.env, "BASE": running.url, "TOKEN": running.seeded["token"], **env}
    return subprocess.run(
        ["bash", "-c", script], cwd=files, env=env, capture_output=True, text=True, timeout=240
    )


def page_of_the_document(files: Path, running: Service) -> str:
    """Runs the document as it is written; returns the address that it made."""
    outcome = run(COMMANDS, files, running)
    assert outcome.returncode == 0, outcome.stdout[-2000:] + outcome.stderr[-2000:]
    page = (files / "page.html").read_text()
    assert "Halfway over, the engine drops to a murmur." in page and "<video" in page
    return outcome.stdout.strip()


def let_nobody_make_the_clip(running: Service) -> None:
    """The social clip, which the worker makes after a publish: test_bucket looks at one."""
    asked = "SELECT id FROM capsules_encode WHERE kind = 'clip'"
    until(lambda: running.sql(asked), "the clip is asked for")
    running.sql("UPDATE capsules_encode SET state = 'failed', lease_token = NULL WHERE kind = 'clip'")


def test_the_document_takes_no_more_than_nine_calls_besides_asking_whether_a_file_is_ready():
    uploads = COMMANDS.count("\nupload ")
    others = len(re.findall(r"^(?:api|json) ", COMMANDS, flags=re.MULTILINE))
    assert (uploads, others) == (4, 5)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service, in whose first workspace there is nothing."""
    own = {"WEB_PROCESSES": "2", "UPLOAD_CHECK_LEASE": "12"}
    with service(tmp_path_factory.mktemp("data"), stories=0, **own) as running:
        yield running


@needs_jq
def test_the_document_makes_a_live_page_in_an_empty_and_in_a_crowded_workspace_where_it_was_run_before(
    files, running
):
    first = page_of_the_document(files, running)
    let_nobody_make_the_clip(running)
    assert run(CROWD, files, running).returncode == 0
    assert page_of_the_document(files, running) != first


@needs_jq
def test_a_refusal_ends_the_documents_commands_and_is_shown(files, running):
    assert "not valid" in run(COMMANDS, files, running, TOKEN="nonsense").stderr
    (files / "lights.jpg").write_text("No picture.")
    refused = run(COMMANDS, files, running)
    assert refused.returncode != 0 and "picture" in refused.stderr


def test_a_film_arrives_whole_though_its_receivers_are_killed(running, tmp_path):
    """In a bucket too: test_bucket."""
    source = large_film(tmp_path, 30 * 10**6)
    send_through_kills(running, source)
    media = Path(running.env["DATA_DIR"], "media")
    size = source.stat().st_size
    (original,) = (path for path in (media / "originals").rglob("*.mp4") if path.stat().st_size == size)
    assert original.read_bytes() == source.read_bytes()
    until(lambda: not any(path.is_file() for path in (media / "parts").rglob("*")), "no part")
