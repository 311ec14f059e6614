"""Writers whose service is killed under them: `python -m tests.faults.authoring [--short]`.

At each step (upload, settle, preview, restore) the web server, then the worker, gets kill -9 at moments spread over the
step. The writer repeats what was not answered, as any client does: slices from where HEAD says, a PATCH under its
If-Match, everything else under its Idempotency-Key. Promised: each step happens once and whole; what was answered with
2xx is there afterwards; every preview is rendered; and after housekeeping there is no file without a row, no row
without its file. Exit status 1 where a promise was broken. It runs on SQLite, or on the PostgreSQL and Redis of the
environment.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from tests.support.running import DATABASE, ROOT, Answer, Service, service

PATIENCE = 150  # seconds: a killed server is back after ten, what a killed worker held is free after sixty
SLICE = 1 << 18
BUSY = (423, 429, 502, 503)
TEXTS = ["one", "two", "three"]

#: Prints what housekeeping leaves that nobody refers to, and what is referred to and not there.
LEFT = """
import json
from datetime import timedelta
from django.conf import settings
settings.BLOB_RETENTION = timedelta(seconds=-60)
from accounts.models import IdempotentAnswer
from capsules import garbage, housekeeping, storage
from capsules.models import Encode, Upload, UploadPart
housekeeping.forget_what_is_old()
garbage.collect()
originals, blobs = set(garbage.walk(storage.originals())), set(garbage.walk(storage.blobs()))
found = {
    "parts of uploads": list(garbage.walk(storage.parts())),
    "rows of parts": list(UploadPart.objects.values_list("name", flat=True)),
    "originals without a row": sorted(originals - garbage.originals_in_use()),
    "media without a file": sorted(garbage.originals_in_use() - originals),
    "blobs without a row": sorted(blobs - garbage.blobs_in_use()),
    "renditions without a file": sorted(garbage.blobs_in_use() - blobs),
    "uploads under way": [str(u) for u in Upload.objects.under_way()],
    "encodes that failed": [str(e) for e in Encode.objects.filter(state="failed")],
    "encodes of nobody": [str(e) for e in Encode.objects.unreferenced()],
    "calls that never ended": IdempotentAnswer.objects.filter(status=None).count(),
}
print(json.dumps(found))
"""


#: Ends when nothing is rendered any more: what a killed worker held is taken up when its lease ends, also where
#: nobody wants it by then.
RENDERED = """
import time
from django.conf import settings
from capsules.models import Encode
deadline = time.monotonic() + settings.ENCODE_LEASE + 90
while Encode.objects.filter(state__in=["queued", "running"]).exists() and time.monotonic() < deadline:
    time.sleep(1)
"""


@dataclass
class Writer:
    """Somebody who writes one story, whatever happens to the service; `broken` has the promises it found broken."""

    running: Service
    story: str = ""
    broken: list[str] = field(default_factory=list)
    repeated: int = 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        token = {"Authorization": f"Bearer {self.running.seeded['token']}"}
        return self.running.call(method, f"/api/v2{path}", body, **token, **headers, timeout=30)

    def steadily(self, what: Callable[[], Answer]) -> Answer:
        """The first answer that is neither silence nor "busy"."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                answer = what()
                if answer.status not in BUSY:
                    return answer
            except OSError:
                pass
            self.repeated += 1
            time.sleep(0.5)
        raise AssertionError(f"no answer in {PATIENCE} s")

    def once(self, path: str, body: Any = None) -> Any:
        """A POST that is done once, however often it has to be sent."""
        headers = {"Idempotency-Key": uuid.uuid4().hex, "Content-Type": "application/json"}
        answer = self.steadily(lambda: self.ask("POST", path, body, **headers))
        assert answer.status < 300, (path, answer.status, answer.body)
        return answer.json()

    def read(self, path: str) -> Any:
        answer = self.steadily(lambda: self.ask("GET", path))
        assert answer.status == 200, (path, answer.status, answer.body)
        return answer.json()

    def draft(self) -> Any:
        return self.read(f"/stories/{self.story}/draft")

    def change(self, scene: dict[str, Any], fields: dict[str, Any]) -> None:
        """A PATCH under the version that the writer knows: repeated after it was done, it is told so by 412."""
        path = f"/stories/{self.story}/scenes/{scene['id']}"
        headers = {"If-Match": f'"{scene["version"]}"', "Content-Type": "application/json"}
        answer = self.steadily(lambda: self.ask("PATCH", path, fields, **headers))
        assert answer.status in (200, 412), (answer.status, answer.body)

    def until(self, what: str, found: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not found():
            if time.monotonic() > deadline:
                self.broken.append(f"{what}: not within {PATIENCE} s")
                return
            time.sleep(1)

    def expect(self, promise: str, kept: bool, found: object) -> None:
        if not kept:
            self.broken.append(f"{promise}: {found}")


def picture() -> bytes:
    """A picture like no other, of about 700 kB."""
    packed = io.BytesIO()
    Image.frombytes("RGB", (480, 480), os.urandom(480 * 480 * 3)).save(packed, "PNG")
    return packed.getvalue()


def upload(writer: Writer, kill: Callable[[], None]) -> None:
    """A picture in slices; every slice that was acknowledged stays."""
    data = picture()
    kill()
    begun = writer.once("/uploads", {"kind": "picture", "filename": "a.png", "size": len(data)})
    path, offset = f"/uploads/{begun['id']}", 0
    while offset < len(data):
        taken = writer.steadily(lambda at=offset: send(writer, path, data, at))
        told = writer.steadily(lambda: writer.ask("HEAD", f"{path}/content"))
        arrived = int(told.headers.get("upload-offset", told.headers.get("Upload-Offset", "-1")))
        acknowledged = min(offset + SLICE, len(data)) if taken.status == 204 else offset
        writer.expect("an acknowledged slice stays", arrived >= acknowledged, (arrived, acknowledged))
        offset = arrived
    writer.until(
        "an upload is looked into", lambda: writer.read(path)["state"] not in ("receiving", "checking")
    )
    told_all = writer.read(path)
    writer.expect("a whole upload is taken", told_all["state"] == "ready", told_all)
    story = writer.read(f"/stories/{writer.story}/draft")
    writer.expect("an upload changes no draft", len(story["scenes"]) == len(TEXTS), story)


def send(writer: Writer, path: str, data: bytes, offset: int) -> Answer:
    import urllib.error
    import urllib.request

    headers = {
        "Authorization": f"Bearer {writer.running.seeded['token']}",
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": str(offset),
    }
    address = f"{writer.running.url}/api/v2{path}/content"
    piece = data[offset : offset + SLICE]
    request = urllib.request.Request(address, piece, headers, method="PATCH")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, dict(error.headers), error.read())


def settle(writer: Writer, kill: Callable[[], None]) -> None:
    """Another focus for each scene; its encodes are asked for once the pictures were left alone."""
    before = writer.draft()
    focus = [round(int.from_bytes(os.urandom(2)) / 65536, 3), 0.5]
    kill()
    for scene in before["scenes"]:
        writer.change(scene, {"focus": focus})
    after = writer.draft()
    writer.expect(
        "each change is done once", after["story"]["revision"] == before["story"]["revision"] + 3, after
    )
    writer.expect(
        "what was answered stays", all(s["focus"] == focus for s in after["scenes"]), after["scenes"]
    )
    asked = ("done", "running", "failed")
    writer.until(
        "pictures settle", lambda: all(rendering(scene) in asked for scene in writer.draft()["scenes"])
    )


def rendering(scene: dict[str, Any]) -> str:
    return str((scene["rendering"]["still"] or {}).get("state"))


def preview(writer: Writer, kill: Callable[[], None]) -> None:
    """A change, and a preview of it, which is frozen once and rendered whole."""
    draft = writer.draft()
    writer.change(draft["scenes"][0], {"text": f"Words {uuid.uuid4().hex}"})
    before = writer.read(f"/stories/{writer.story}/previews?limit=50")["items"]
    kill()
    made = writer.once(f"/stories/{writer.story}/previews")
    after = writer.read(f"/stories/{writer.story}/previews?limit=50")["items"]
    writer.expect("a preview is built once", len(after) == len(before) + 1, (len(before), len(after)))
    path = f"/stories/{writer.story}/previews/{made['number']}"
    writer.until("a preview is rendered", lambda: writer.read(path)["state"] != "building")
    writer.expect("a preview is whole", writer.read(path)["state"] == "ready", writer.read(path))


def restore(writer: Writer, kill: Callable[[], None]) -> None:
    """The first draft, brought back over a later one, which the history keeps."""
    draft = writer.draft()
    words = f"Later words {uuid.uuid4().hex}"
    writer.change(draft["scenes"][1], {"text": words})
    before = writer.draft()
    first = writer.read(f"/stories/{writer.story}/revisions?limit=50")["items"]
    named = next(kept["number"] for kept in first if kept["kind"] == "named")
    kill()
    writer.once(f"/stories/{writer.story}/revisions/{named}/restore")
    after = writer.draft()
    texts = [scene["text"] for scene in after["scenes"]]
    writer.expect("an earlier draft comes back whole", texts == TEXTS, texts)
    writer.expect(
        "it is brought back once", after["story"]["revision"] == before["story"]["revision"] + 1, after
    )
    kept = writer.read(f"/stories/{writer.story}/revisions?limit=50")["items"]
    newest = next(each["number"] for each in kept if each["kind"] == "restored")
    content = writer.read(f"/stories/{writer.story}/revisions/{newest}")["content"]
    writer.expect("the draft before it is kept", content["scenes"][1]["text"] == words, content)


STEPS = {step.__name__: step for step in (upload, settle, preview, restore)}
VICTIMS = {"web": "web_server", "worker": "celery"}


def tried(writer: Writer, name: str, victim: str, delay: float) -> None:
    """One step, with a kill `delay` seconds after it has begun."""
    killed = threading.Event()

    def strike() -> None:
        time.sleep(delay)
        if writer.running.kill(VICTIMS[victim]):
            killed.set()

    striker = threading.Thread(target=strike)
    began, repeated, broken = time.monotonic(), writer.repeated, len(writer.broken)
    STEPS[name](writer, striker.start)
    striker.join()
    writer.expect("something was killed", killed.is_set(), victim)
    outcome = "kept  " if len(writer.broken) == broken else "BROKEN"
    took = time.monotonic() - began
    print(
        f"{outcome} {name}, {victim} killed after {delay:.2f} s: {took:.0f} s, {writer.repeated - repeated} repeats",
        flush=True,
    )
    writer.until("both are back", lambda: len(victims(writer.running)) == len(VICTIMS))


def victims(running: Service) -> set[str]:
    commands = list(running.processes().values())
    names = {"web": "web_server", "worker": "celery"}
    return {victim for victim, name in names.items() if any(name in command for command in commands)}


def begin(running: Service) -> Writer:
    """A story with three scenes of one picture, whose first draft has a name."""
    writer = Writer(running)
    scenes = writer.read(f"/stories/{running.seeded['stories'][0]}/scenes")["items"]
    still = scenes[0]["still"]["id"]
    words = [{"text": text, "still": still, "animation": "auto"} for text in TEXTS]
    writer.story = writer.once("/stories", {"title": "Under fire", "scenes": words})["id"]
    writer.once(f"/stories/{writer.story}/revisions", {"label": "Start"})
    return writer


def left_behind(running: Service) -> dict[str, Any]:
    """What is not as it should be after housekeeping; the service is stopped."""
    found = json.loads(shell(running, LEFT).splitlines()[-1])
    return {what: each for what, each in found.items() if each}


def shell(running: Service, program: str) -> str:
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", program]
    done = subprocess.run(command, env=running.env, check=True, cwd=ROOT, capture_output=True, text=True)
    return done.stdout


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="one kill a step and process instead of three")
    delays = [0.15] if parser.parse_args().short else [0.0, 0.2, 0.8]
    limits = {"RATE_AUTHOR": "1000000", "SWEEP_INTERVAL": "3", "SETTLE": "1"}
    with tempfile.TemporaryDirectory(prefix="capsules-faults-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder, "tmp")
        scratch.mkdir()
        with service(Path(folder), stories=1, TMPDIR=str(scratch), **limits) as running:
            writer = begin(running)
            for name in STEPS:
                for victim in VICTIMS:
                    for delay in delays:
                        tried(writer, name, victim, delay)
            writer.until("all is rendered", lambda: not unfinished(writer))
            shell(running, RENDERED)
            running.stop()
            left = left_behind(running)
    writer.expect("nothing is left behind", not left, left)
    kind = "PostgreSQL" if DATABASE else "SQLite"
    print(
        f"{len(STEPS) * len(VICTIMS) * len(delays)} kills on {kind}, {writer.repeated} repeats; left behind: {left}"
    )
    for each in writer.broken:
        print("BROKEN:", each[:600])
    return 1 if writer.broken else 0


def unfinished(writer: Writer) -> list[str]:
    """What is still rendered, of the story and of its latest preview."""
    states = [rendering(scene) for scene in writer.draft()["scenes"]]
    latest = writer.read(f"/stories/{writer.story}/previews/latest")
    return [state for state in [*states, latest["state"]] if state in ("queued", "running", "building")]


if __name__ == "__main__":
    sys.exit(main())
