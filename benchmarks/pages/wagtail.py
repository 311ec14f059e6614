"""The same mix of public pages from Capsules and from Wagtail, which PyPI brings: requests a second, as a ratio.

    DATA_DIR=... python -m benchmarks.pages.wagtail

It takes PAGES live capsules under DATA_DIR (`manage.py demo` makes some) and makes as many Wagtail pages, each with the
SCENES pictures and texts of a capsule, in a folder of its own. Both are served by the same waitress with one process,
from SQLite, and read in turn by wrk, which asks for all pages one after the other. Wagtail is taken as it comes, with
nothing before it that keeps pages: so is Django in "Capsules, without page files". It needs wrk.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.pages import run
from benchmarks.stage import live_capsules
from tests.support.ports import free_port

PAGES, SCENES = 12, 5
#: Asks for the paths of a file in turn.
IN_TURN = """
local paths, at = {{}}, 0
for line in io.lines("{paths}") do paths[#paths + 1] = line end
request = function() at = at % #paths + 1; return wrk.format("GET", paths[at]) end
"""
MODELS = """
from wagtail.admin.panels import FieldPanel
from wagtail.blocks import StructBlock, TextBlock
from wagtail.fields import StreamField
from wagtail.images.blocks import ImageChooserBlock
from wagtail.models import Page


class HomePage(Page):
    pass


class StoryPage(Page):
    body = StreamField([("scene", StructBlock([("picture", ImageChooserBlock()), ("text", TextBlock())]))])
    content_panels = [*Page.content_panels, FieldPanel("body")]
"""
TEMPLATE = """{% extends "base.html" %}{% load wagtailcore_tags wagtailimages_tags %}
{% block content %}<h1>{{ page.title }}</h1>
{% for scene in page.body %}<section>
{% srcset_image scene.value.picture width-{480,960,1600} format-webp sizes="100vw" loading="lazy" %}
{{ scene.value.text|linebreaks }}</section>{% endfor %}{% endblock %}
"""
SETTINGS = """
from .base import *
DEBUG, ALLOWED_HOSTS, SECRET_KEY = False, ["*"], "of a benchmark"
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
"""
FILL = """
import io
from django.core.files.images import ImageFile
from PIL import Image as Picture
from wagtail.images.models import Image
from home.models import HomePage, StoryPage

home = HomePage.objects.get()
for number in range({pages}):
    scenes = []
    for scene in range({scenes}):
        file = io.BytesIO()
        Picture.linear_gradient("L").resize((1600, 900)).rotate(30 * scene).save(file, "JPEG")
        picture = Image(title=f"{{number}}-{{scene}}", file=ImageFile(file, f"{{number}}-{{scene}}.jpg"))
        picture.save()
        scenes.append(("scene", {{"picture": picture, "text": "The boat comes in. " * 12}}))
    page = StoryPage(title=f"Capsule {{number}}", slug=f"capsule-{{number}}", body=scenes)
    home.add_child(instance=page)
"""


def capsules() -> list[str]:
    live = [story["url"] for story in live_capsules()]
    if len(live) < PAGES:
        raise SystemExit(f"There are {len(live)} live capsules in DATA_DIR; {PAGES} are needed.")
    return live[:PAGES]


def wagtail(stack: ExitStack) -> tuple[str, str]:
    """The address of the first of its pages, once they are all served, and its version."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capsules-wagtail-")))
    python, site = folder / "venv/bin/python", folder / "pages"

    def do(*command: str | Path) -> str:
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "pages.settings.benchmark"}
        done = subprocess.run(command, cwd=site, env=env, check=True, capture_output=True, text=True)
        return done.stdout

    site.mkdir()
    do(sys.executable, "-m", "venv", folder / "venv")
    do(python, "-m", "pip", "install", "-q", "wagtail", "waitress")
    do(folder / "venv/bin/wagtail", "start", "pages", site)
    (site / "home/models.py").write_text(MODELS)
    (site / "home/templates/home/story_page.html").write_text(TEMPLATE)
    (site / "pages/settings/benchmark.py").write_text(SETTINGS)
    for command in (["makemigrations", "home"], ["migrate"], ["collectstatic", "--no-input"]):
        do(python, "manage.py", *command)
    do(python, "manage.py", "shell", "-c", FILL.format(pages=PAGES, scenes=SCENES))
    port = free_port()
    server = [
        str(python),
        "-m",
        "waitress",
        f"--listen=127.0.0.1:{port}",
        "--threads=4",
        "pages.wsgi:application",
    ]
    run.start(stack, server, DJANGO_SETTINGS_MODULE="pages.settings.benchmark", PYTHONPATH=str(site))
    version = do(python, "-c", "import wagtail; print(wagtail.__version__)").strip()
    return run.answering(port, "/capsule-0/"), version


def measure(url: str, paths: list[str], folder: Path) -> float:
    """Requests a second, over all paths in turn."""
    for path in paths:  # so that what is made once is made, and all answer 200
        run.fetch(f"{url}{path}")
    (folder / "paths").write_text("\n".join(paths))
    (folder / "wrk.lua").write_text(IN_TURN.format(paths=folder / "paths"))
    return run.measure(url, "-s", str(folder / "wrk.lua")).rate


def main() -> None:
    if shutil.which("wrk") is None:
        raise SystemExit("SKIPPED: wrk is not installed, so nothing was measured.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        paths = capsules()
        page, version = wagtail(stack)
        served = {
            "Capsules": (run.served(stack, paths[0]), paths),
            "Capsules, without page files": (run.django(stack, paths[0]), paths),
            f"Wagtail {version}": (page, [f"/capsule-{number}/" for number in range(PAGES)]),
        }
        measured: dict[str, list[float]] = {}
        for _ in range(run.ROUNDS):
            for name, (url, its_paths) in served.items():
                origin = f"http://{urlsplit(url).netloc}"
                measured.setdefault(name, []).append(measure(origin, its_paths, folder))
    *ours, theirs = [(name, statistics.median(rates)) for name, rates in measured.items()]
    for name, rate in ours:
        print(f"{name:34}{rate:10.0f} requests/s, {rate / theirs[1]:.2f} of {theirs[0]}")
    print(f"{theirs[0]:34}{theirs[1]:10.0f} requests/s")


if __name__ == "__main__":
    main()
