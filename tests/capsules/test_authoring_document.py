"""docs/authoring.md, command by command, against the real service; an upload whose receivers are killed, and an encode
that is ended by a stop.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support import factories
from tests.support.media_files import film, photo
from tests.support.running import ROOT, START, Service, service
from tests.support.sending import call, large_film, send, send_through_kills, state_once_checked, until

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
    film(folder, "crossing.mp4")
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
    own = {"WEB_PROCESSES": "2", "UPLOAD_CHECK_LEASE": "12", "STOP_PATIENCE": "6"}
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


def test_a_stop_in_the_middle_of_an_encode_answers_the_publish_and_the_next_start_ends_both(
    running, tmp_path
):
    photo(640, 400).save(tmp_path / "jetty.jpg")
    story = story_of(running, tmp_path / "jetty.jpg")
    with ThreadPoolExecutor(1) as caller:
        waiting = caller.submit(running.publication, "PUT", story, {})
        until(lambda: "running" in renderings(running, story), "an encode", START)
        assert not waiting.done(), waiting.result().body
        running.process.terminate()
        answer = waiting.result(60)
    assert answer.status in (423, 503) and int(answer.headers["retry-after"]) > 0, answer.body
    assert running.process.wait(60) == 0
    assert not running.processes()
    running.start()
    began = time.monotonic()
    while (again := running.publication("PUT", story, {})).status != 200:
        assert again.status in (409, 423) and time.monotonic() < began + 180, again.body
        time.sleep(1)
    assert renderings(running, story) == {"done"}


def story_of(running: Service, picture: Path) -> str:
    """A story of three scenes, whose pictures move slowly; its preview is asked for."""
    about = {"kind": "picture", "filename": picture.name, "size": picture.stat().st_size}
    upload = call(running, "POST", "/uploads", about)
    send(running, upload["uploadUrl"], picture, lambda offset: None)
    still = state_once_checked(running, upload["id"])["mediaId"]
    texts = ["Every voyage starts with a jetty.", "Halfway over, the engine drops.", "Then the harbour."]
    scenes = [{"text": text, "still": still, "animation": "auto"} for text in texts]
    story = call(running, "POST", "/stories", {"title": "Small voyages", "scenes": scenes})["id"]
    call(running, "POST", f"/stories/{story}/previews")
    return str(story)


def renderings(running: Service, story: str) -> set[str]:
    scenes = call(running, "GET", f"/stories/{story}/scenes")["items"]
    return {part["state"] for scene in scenes for part in scene["rendering"].values() if part}
