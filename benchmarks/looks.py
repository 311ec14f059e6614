"""The sheets of docs/looks: `python -m benchmarks.looks PHOTOGRAPHS [--data FOLDER] [--to FOLDER]`.

Starts the service with the demo, brings the capsule of the folder PHOTOGRAPHS (a `capsule.toml` and files that
`manage.py import_capsule` takes) in each of the four themes, its film upright, and photographs each on five screens:
of the twelve of the demo the opening and another scene, of the photographs every scene. With --data the service keeps
what it made there, so that the next run begins at once. Look at the sheets: a machine has measured them already
(`tests/browser/test_contrast.py`, `test_words_beside_subjects.py`).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli_w
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.support import media_files
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.ports import free_port

DOCS = Path("docs/looks")
SCREENS = [(360, 740), (390, 844), (768, 1024), (1440, 900), (844, 390)]
THEMES = {
    "night": {"theme": "night"},
    "day": {"theme": "day", "accent": "#2b5d9b", "face": "sans"},
    "paper": {"theme": "paper", "accent": "#b5432a"},
    "ink": {"theme": "ink", "face": "slab"},
}
HEIGHT, GAP = 300, 8  # of an upright picture on a sheet and beside it, in pixels
QUALITY = 58
CAPSULES = 12  # of the demo
PATIENCE = 900  # seconds until everything is rendered, on a machine that has much else to do
OURS = "photographs-"  # how the slugs of our own capsules begin
OWNER, WORKSPACE = "owner@north-shore.example", "north-shore"
STAND = "(number) => document.getElementById(`scene-${number}`).scrollIntoView({behavior: 'instant'})"
READY = """(number) => {
  const picture = document.querySelector(`#scene-${number} .shot img`);
  return picture.complete && picture.naturalWidth > 2;
}"""


class Service:
    """`manage.py serve --demo` on ports and data of its own."""

    def __init__(self, data: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        own = {"DATA_DIR": str(data), "PORT": str(port), "MCP_PORT": "0", "BASE_URL": self.url}
        self.env = {**os.environ, **own}
        self.manage = [sys.executable, "manage.py"]

    @contextlib.contextmanager
    def running(self) -> Iterator[Service]:
        process = subprocess.Popen([*self.manage, "serve", "--demo"], env=self.env, stdout=subprocess.DEVNULL)
        try:
            yield self
        finally:
            process.terminate()
            process.wait(60)

    def run(self, *arguments: str) -> str:
        told = subprocess.run(
            [*self.manage, *arguments], env=self.env, check=True, capture_output=True, text=True
        )
        return told.stdout.strip()

    def live(self) -> list[str]:
        """The paths of the capsules of the demo that can be read."""
        try:
            stories = json.loads(self.run("demo", "--json"))["stories"]
        except (subprocess.CalledProcessError, json.JSONDecodeError):
            return []  # it has no tables yet
        live = [story["url"] for story in stories if story["state"] == "live" and story["editionOf"] is None]
        return [path for path in live if OURS not in path]  # of an earlier run

    def wait_for_demo(self) -> list[str]:
        deadline = time.monotonic() + PATIENCE
        while len(paths := self.live()) < CAPSULES:
            if time.monotonic() > deadline:
                raise SystemExit("The demo did not become ready.")
            time.sleep(2)
        return paths

    def publish(self, story: str, slug: str, token: str) -> str:
        """Makes a story live; returns its path."""
        address = f"{self.url}/api/v2/stories/{story}"
        self.call("POST", f"{address}/previews", token, {})
        body = {"premiereEmailMode": "OFF", "slug": slug, "unlisted": True}
        return str(self.call("PUT", f"{address}/publication", token, body)["url"])

    def call(self, method: str, address: str, token: str, body: dict[str, object]) -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)


def with_look(folder: Path, look: dict[str, str], target: Path) -> None:
    """A copy of a capsule's folder in a look, with its film upright and nothing that its author chose of pictures."""
    shutil.copytree(folder, target, copy_function=shutil.copyfile)
    manifest = target / "capsule.toml"
    content = tomllib.loads(manifest.read_text())
    content["look"] = look
    for scene in content["scenes"]:
        scene.pop("focus", None)
        film = scene.get("animation", "")
        if film not in ("", "auto"):
            scene.pop("still", None)
            make_upright(target / film)
    manifest.write_text(tomli_w.dumps(content))


def make_upright(film: Path) -> None:
    made = film.with_name(f"upright-{film.name}")
    chain = "crop=floor(ih*9/32)*2:ih,scale=720:1280"
    media_files.ffmpeg(made, f"-i SOURCE -an -vf {chain}", source=film)
    made.replace(film)


def bring_photographs(service: Service, folder: Path) -> list[str]:
    """The capsule of a folder, live in every theme; its paths."""
    token = service.run("issue_token", OWNER)
    paths = []
    for name, look in THEMES.items():
        with tempfile.TemporaryDirectory() as kept:
            with_look(folder, look, Path(kept, "capsule"))
            told = service.run("import_capsule", str(Path(kept, "capsule")), "--workspace", WORKSPACE)
        paths.append(service.publish(told.split()[-1], f"{OURS}{name}-{int(time.time())}", token))
    return paths


# --- Photographing ------------------------------------------------------------------------------------------------


def shots(browser: Browser, url: str, screen: tuple[int, int], wanted: list[int] | None) -> list[Image.Image]:
    """Scenes of a capsule as a reader sees them; all where nothing is `wanted`."""
    width, height = screen
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=1, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(url, wait_until="load")
    count = page.locator(".scene").count()
    made = []
    for number in wanted or range(1, count + 1):
        page.evaluate(STAND, number)
        page.wait_for_function(READY, arg=number, timeout=60_000)
        page.wait_for_timeout(300)
        made.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    context.close()
    return made


def sheet(rows: list[list[Image.Image]], height: int) -> Image.Image:
    """Rows of pictures, each as high as the others."""
    small = [
        [
            shot.resize((round(shot.width * height / shot.height), height), Image.Resampling.LANCZOS)
            for shot in row
        ]
        for row in rows
    ]
    width = max(sum(shot.width + GAP for shot in row) for row in small) + GAP
    made = Image.new("RGB", (width, len(small) * (height + GAP) + GAP), "#808080")
    for line, row in enumerate(small):
        left = GAP
        for shot in row:
            made.paste(shot, (left, GAP + line * (height + GAP)))
            left += shot.width + GAP
    return made


def draw(browser: Browser, service: Service, drawn: list[str], photographs: list[str], to: Path) -> None:
    """A sheet of the demo for each screen, and one of the photographs."""
    to.mkdir(parents=True, exist_ok=True)
    for screen in SCREENS:
        name = "x".join(map(str, screen))
        upright = screen[0] < screen[1]
        across = 12 if upright else 6
        height = HEIGHT if upright else HEIGHT // 2 if screen[1] < 500 else HEIGHT * 2 // 3
        demo = [shot for path in drawn for shot in shots(browser, service.url + path, screen, [1, 3])]
        save(
            sheet([demo[at : at + across] for at in range(0, len(demo), across)], height),
            to / f"demo-{name}.webp",
        )
        own = [shots(browser, service.url + path, screen, None) for path in photographs]
        save(sheet(own, height), to / f"photographs-{name}.webp")


def save(picture: Image.Image, path: Path) -> None:
    picture.save(path, quality=QUALITY, method=6)
    print(f"{path} {path.stat().st_size // 1000} kB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photographs", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--to", type=Path, default=DOCS)
    asked = parser.parse_args()
    with contextlib.ExitStack() as stack:
        data = asked.data or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(Service(data.resolve()).running())
        drawn = service.wait_for_demo()
        photographs = bring_photographs(service, asked.photographs)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        draw(browser, service, drawn, photographs, asked.to)
        browser.close()


if __name__ == "__main__":
    main()
