"""The editor while everything around it fails: `python -m tests.faults.editor [--runs N] [--seed S] [--minutes M]`.

An author types into the real editor in a real browser, over a quick line or a slow one, so that keys meet saves under
way. Between words, at random: the web server is killed (kill -9), the network goes away, the tab is closed or reloaded,
the session ends. At the end of a run every word that was typed
must be in its scene, or in a kept draft of the history; and it says how many characters were lost. It runs on SQLite,
or on the PostgreSQL and Redis of the environment. Exit status 1 where a character was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from tests.support.chromium import CHROMIUM, FLAGS, cookies_of
from tests.support.running import Service, service

WORDS = 10  # typed in a run
SCENES = 3
LATENCIES = [0, 150, 400]  # ms
PATIENCE = 90_000  # ms until a page is there, or everything is saved
TRIES = 6  # of which each signs in anew
SAVED = ".save-state[data-state=saved]"


@dataclass
class Author:
    """Somebody at a browser of their own, with one capsule open."""

    running: Service
    browser: Browser
    dice: random.Random
    story: Any
    typed: list[tuple[int, str]] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    latency: int = 0
    context: BrowserContext = field(init=False)
    page: Page = field(init=False)

    def begin(self) -> None:
        self.latency = self.dice.choice(LATENCIES)
        self.context = self.browser.new_context(viewport={"width": 1440, "height": 900})
        self.context.set_default_timeout(PATIENCE)
        self.sign_in()
        self.open()

    def sign_in(self) -> None:
        from django.test import Client

        from accounts.models import User

        client = Client()
        client.force_login(User.objects.get(email="owner@north-shore.example"))
        self.context.add_cookies(cookies_of(client, self.running.url))

    def open(self) -> None:
        """Opens the editor, however long the server takes to come back."""
        self.page = self.context.new_page()
        self.slow_down()
        self.visit(lambda: self.page.goto(f"{self.running.url}/studio/stories/{self.story.pk}"))

    def slow_down(self) -> None:
        line = {"offline": False, "latency": self.latency, "downloadThroughput": -1, "uploadThroughput": -1}
        self.context.new_cdp_session(self.page).send("Network.emulateNetworkConditions", line)

    def visit(self, go: Any) -> None:
        deadline = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < deadline:
            with suppress(Error):
                go()
                self.page.wait_for_selector("html[data-studio=ready]", timeout=15_000)
                return
            time.sleep(0.5)
            self.sign_in()  # a late answer to the ended session may have taken the new cookie along
        raise AssertionError("The editor did not open.")

    def type(self, number: int) -> None:
        scene = self.dice.randrange(SCENES)
        word = f"w{number}-{self.dice.randrange(16**6):06x} "
        self.page.locator("#strip [role=option]").nth(scene).click()
        self.page.locator("#inspector h2").get_by_text(f"Scene {scene + 1} of {SCENES}").wait_for()
        self.page.locator("#field-text").focus()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(word, delay=self.dice.choice([0, 5, 20]))
        self.typed.append((scene, word))

    def suffer(self) -> None:
        chosen = self.dice.choice(["nothing", "nothing", "kill", "offline", "close", "reload", "signed out"])
        self.faults[chosen] += 1
        time.sleep(self.dice.choice([0, 0, 0.05, 0.5, 1.2]))
        match chosen:
            case "kill":
                self.running.kill("web_server")
            case "offline":
                self.context.set_offline(True)
            case "close":
                self.online()
                self.page.close()
                self.open()
            case "reload":
                self.online()
                self.visit(self.page.reload)
            case "signed out":
                self.sign_out()

    def online(self) -> None:
        """A page can be opened only by somebody with a network and a session."""
        self.context.set_offline(False)
        self.slow_down()
        self.sign_in()

    def sign_out(self) -> None:
        from django.contrib.sessions.models import Session

        Session.objects.all().delete()
        self.context.clear_cookies()

    def finish(self) -> None:
        for _ in range(TRIES):
            self.online()
            self.page.keyboard.press("Control+s")
            with suppress(Error):
                self.page.wait_for_selector(SAVED, timeout=PATIENCE / TRIES)
                return
        raise AssertionError(f"it said: {self.page.locator('.save-state').inner_text()}")

    def lost(self) -> tuple[int, int]:
        """Characters that are nowhere, and characters that are in the history only."""
        rows = list(self.story.scenes.order_by("position").values_list("text", flat=True))
        history = json.dumps(list(self.story.revisions.values_list("content", flat=True)))
        missing = [word for scene, word in self.typed if word.strip() not in rows[scene]]
        nowhere = [word for word in missing if word.strip() not in history]
        if nowhere:
            print(
                f"lost {nowhere} of {self.typed}, with {self.latency} ms, after {self.faults}; left: {rows}"
            )
        return sum(map(len, nowhere)), sum(map(len, missing)) - sum(map(len, nowhere))


def run(running: Service, browser: Browser, seed: int) -> tuple[Author, tuple[int, int]]:
    from accounts.models import Workspace
    from tests.support import factories

    story = factories.make_draft(
        Workspace.objects.get(name="north-shore"), title=f"Run {seed}", scenes=SCENES
    )
    author = Author(running, browser, random.Random(seed), story)
    author.begin()
    try:
        for number in range(WORDS):
            author.type(number)
            author.suffer()
            if author.dice.random() < 0.3:
                author.online()
        author.finish()
        return author, author.lost()
    finally:
        author.context.close()


def main(runs: int, seed: int, minutes: float) -> int:
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright runs an event loop in this thread
    faults: Counter[str] = Counter()
    characters = lost = kept = broken = done = 0
    end = time.monotonic() + minutes * 60
    print(f"seed {seed}, {runs} runs of {WORDS} words", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="capsules-editor-") as folder,
        own_service(Path(folder)) as running,
        sync_playwright() as playwright,
    ):
        os.environ |= {name: running.env[name] for name in ("DATA_DIR", "REDIS_PREFIX", "DEBUG", "PORT")}
        os.environ["DATABASE_URL"] = running.env.get("DATABASE_URL", "")
        set_up_django()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for number in range(runs):
            if (began := time.monotonic()) > end:
                break
            done += 1
            try:
                author, (gone, in_history) = run(running, browser, seed + number)
            except (AssertionError, Error) as error:
                broken += 1
                print(f"run {seed + number}: did not come to its end: {str(error)[:300]}", flush=True)
                continue
            faults += author.faults
            characters += sum(len(word) for _, word in author.typed)
            lost, kept = lost + gone, kept + in_history
            words = f"{gone} lost, {in_history} in the history only"
            print(f"run {seed + number}: {words}; {time.monotonic() - began:.0f} s", flush=True)
    told = ", ".join(f"{count} x {what}" for what, count in sorted(faults.items()))
    print(f"{done - broken} of {done} runs; {told}")
    print(f"{characters} characters typed, {lost} lost, {kept} in the history only")
    return int(bool(lost or broken))


@contextmanager
def own_service(folder: Path) -> Iterator[Service]:
    os.environ.setdefault("SHARED_FOLDER", str(folder))
    data = folder / "data"
    data.mkdir()
    with service(data, stories=0, RATE_AUTHOR="100000") as running:
        yield running


def set_up_django() -> None:
    import django

    if not os.environ["DATABASE_URL"]:
        del os.environ["DATABASE_URL"]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600, help="no run begins after so many")
    given = parser.parse_args()
    sys.exit(main(given.runs, given.seed, given.minutes))
