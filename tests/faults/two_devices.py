"""A film of a phone, whose tabs are closed on the way: `python -m tests.faults.two_devices [--megabytes N]`.

An author sends a film of 300 MB for a scene and closes the tab at 14 %; another device says that it is on its way. A
second tab of the same browser goes on, and is closed while the film is being checked; then the worker gets kill -9.
Promised: the film arrives in its scene, once, and the other device shows it without a reload. Exit status 1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, sync_playwright

from tests.faults.editor import own_service, set_up_django
from tests.support.chromium import CHROMIUM, FLAGS, cookies_of
from tests.support.sending import large_film

PATIENCE = 300_000  # ms
CLOSED_AT = 14  # percent
LINE = 12 * 2**20  # bytes a second, so that the tab can be closed in time


class Device:
    """A browser of its own that is signed in."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        from django.test import Client

        from accounts.models import User

        client = Client()
        client.force_login(User.objects.get(email="owner@north-shore.example"))
        context.add_cookies(cookies_of(client, url))
        context.set_default_timeout(PATIENCE)
        self.context, self.url = context, url

    def open(self, scene: Any, line: int = -1) -> Page:
        page = self.context.new_page()
        pace = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": line}
        self.context.new_cdp_session(page).send("Network.emulateNetworkConditions", pace)
        page.goto(f"{self.url}/studio/stories/{scene.story_id}#{scene.key}")
        page.wait_for_selector("html[data-studio=ready]")
        return page


def wait_for(page: Page, words: str) -> None:
    print(f"  {words}", flush=True)
    page.locator("#inspector .media-field").get_by_text(words).first.wait_for()


def send_and_close(device: Device, scene: Any, film: Path) -> None:
    page = device.open(scene, LINE)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add a film").click()
    chooser.value.set_files(str(film))
    percent = f"Number(document.querySelector('#inspector .upload progress')?.value) >= {CLOSED_AT}"
    page.wait_for_function(f"() => {percent}")
    page.close()
    print(f"  the tab is closed at {CLOSED_AT} %", flush=True)


def run(running: Any, browser: Any, film: Path) -> list[str]:
    from accounts.models import Workspace
    from capsules.models import Upload
    from tests.support import factories

    workspace = Workspace.objects.get(name="north-shore")
    scene = factories.make_draft(workspace, title="Two devices", scenes=2).scenes.get(position=1)
    sender, other = (Device(browser.new_context(), running.url) for _ in range(2))
    send_and_close(sender, scene, film)
    shown = other.open(scene)
    wait_for(shown, "is on its way")
    again = sender.open(scene)
    wait_for(again, "is being checked")
    again.close()
    print(f"  the tab is closed; kill -9 of {running.kill('celery')} worker processes", flush=True)
    wait_for(shown, f"Film: {film.name}")
    scene.refresh_from_db()
    uploads = list(Upload.objects.filter(story=scene.story_id).values_list("state", flat=True))
    broken = [] if scene.version == 2 else [f"the scene was changed {scene.version - 1} times"]
    broken += [] if scene.still_id else ["the film brought no still"]
    return broken + ([] if uploads == ["ready"] else [f"uploads: {uploads}"])


def main(size: int) -> int:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs an event loop in this thread
    with (
        tempfile.TemporaryDirectory(prefix="capsules-devices-") as folder,
        own_service(Path(folder)) as running,
        sync_playwright() as playwright,
    ):
        os.environ |= {name: running.env[name] for name in ("DATA_DIR", "REDIS_PREFIX", "DEBUG", "PORT")}
        os.environ["DATABASE_URL"] = running.env.get("DATABASE_URL", "")
        set_up_django()
        film = large_film(Path(folder), size)
        browser, began = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS), time.monotonic()
        broken = run(running, browser, film)
        print(f"  {size / 10**6:.0f} MB, {time.monotonic() - began:.0f} s")
    print("\n".join(f"BROKEN: {each}" for each in broken) or "The film arrived in its scene, once.")
    return int(bool(broken))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=300)
    sys.exit(main(parser.parse_args().megabytes * 10**6))
