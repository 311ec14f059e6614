"""A newcomer with a phone, from sign-up to a live capsule: `python -m benchmarks.newcomer [--film FOLDER]`.

Starts the service on data of its own, with a mail server that takes the code of the sign-up, and drives Chromium by
touch on 390 × 844 pixels, of which a keyboard takes the lower 336 while a text has the focus. A tap takes a second, a
letter 0.3, and a swipe to what is not in sight a second. Three photographs and an upright film get a sentence each,
the capsule a title. Prints the seconds from the sign-up's page to "It is live", how many of them the newcomer waited,
and the taps between two sentences. With --film it keeps a picture of the screen before each tap. Aimed at: 180 seconds,
and one tap between two sentences. Exit status 1 where that is missed, 3 where a tool is missing.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Error, FileChooser, Locator, Page, expect, sync_playwright

from tests.faults.tools import not_tried
from tests.support import media_files
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.running import service
from tests.support.smtp import Mailbox

WIDTH, HEIGHT, KEYBOARD = 390, 844, 336
PHONE = {"viewport": {"width": WIDTH, "height": HEIGHT}, "has_touch": True, "is_mobile": True}
TAP, LETTER, SWIPE = 1.0, 0.3, 1.0  # seconds of a person
PATIENCE = 120.0  # seconds until a person gives up
SECONDS, TAPS = 180, 1  # aimed at
EMAIL = "ada@newcomers.example"
SIGN_UP = {
    "Your name": "Ada",
    "Title of your workspace": "Almanac",
    "Email": EMAIL,
    "Password": "four-lights-1",
}
TITLE = "A day in four lights"
SENTENCES = ["Dawn comes slowly.", "Noon is loud.", "Dusk turns blue.", "At night it rains."]
TYPES = "() => Boolean(document.activeElement?.matches('textarea, input:not([type=radio], [type=checkbox])'))"
SHRINKS = "() => document.querySelector('meta[name=viewport]').content.includes('resizes-content')"
#: A browser whose keyboard lies over the page tells so, and brings the field into what is left.
COVERED = """() => {
  Object.defineProperty(window, 'visualViewport', {
    value: Object.assign(new EventTarget(), {height: innerHeight, offsetTop: 0, scale: 1}), configurable: true,
  });
}"""
RISE = "(height) => { visualViewport.height = height; visualViewport.dispatchEvent(new Event('resize')); }"
REVEAL = """(height) => {
  const field = document.activeElement;
  const {bottom} = field.getBoundingClientRect();
  if (bottom > height) scrollBy(0, bottom - height + 16);
}"""
#: Where a finger can reach an element: its middle is in what the keyboard leaves free, and nothing lies over it.
REACHED = """(one, height) => {
  const {left, right, top, bottom} = one.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const hit = document.elementFromPoint(x, y);
  return y < height && (one.contains(hit) || hit?.closest('label')?.contains(one) || false);
}"""


class Newcomer:
    """A person with a phone: what they tap and type, at their pace, and what they wait for."""

    def __init__(self, page: Page, film: Path | None) -> None:
        self.page, self.film = page, film
        self.taps = self.swipes = self.letters = self.pictures = 0
        self.waited = 0.0
        self.began = time.monotonic()
        self.last_sentence: int | None = None
        self.between: list[int] = []

    @property
    def free(self) -> int:
        """Pixels of the screen that the keyboard leaves."""
        return HEIGHT - KEYBOARD if self.page.evaluate(TYPES) else HEIGHT

    @contextmanager
    def waiting(self) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.waited += time.monotonic() - began

    def find(self, wanted: Locator) -> None:
        """Waits until something is there to be tapped, and swipes to it where it is not in sight."""
        with self.waiting():
            expect(wanted).to_be_visible(timeout=PATIENCE * 1000)
            expect(wanted).to_be_enabled(timeout=PATIENCE * 1000)
        self.settle()
        if wanted.evaluate(REACHED, self.free):
            return
        time.sleep(SWIPE)
        self.swipes += 1
        wanted.evaluate("(one) => one.scrollIntoView({block: 'center', behavior: 'instant'})")

    def tap(self, wanted: Locator) -> None:
        self.find(wanted)
        self.picture("tap", wanted)
        time.sleep(TAP)
        self.taps += 1
        wanted.tap(timeout=PATIENCE * 1000)
        self.settle()

    def button(self, words: str) -> None:
        self.tap(self.page.get_by_role("button", name=words, exact=True).filter(visible=True).first)

    def choose(self, wanted: Locator, files: list[Path]) -> None:
        """Taps what opens the phone's photographs, each of the files, and that these are all."""
        with self.page.expect_file_chooser(timeout=PATIENCE * 1000) as chooser:
            self.tap(wanted)
        chosen: FileChooser = chooser.value
        time.sleep(TAP * (len(files) + 1))
        self.taps += len(files) + 1
        chosen.set_files(files)

    def type(self, words: str) -> None:
        """Types into what has the focus."""
        assert self.page.evaluate(TYPES), f"nothing takes the words “{words}”"
        for letter in words:
            time.sleep(LETTER)
            self.page.keyboard.type(letter)
        self.letters += len(words)
        self.picture("typed")

    def sentence(self, words: str) -> None:
        if self.last_sentence is not None:
            self.between.append(self.taps - self.last_sentence)
        self.type(words)
        self.last_sentence = self.taps

    def settle(self) -> None:
        """The keyboard comes and goes with the focus."""
        time.sleep(0.2)
        try:
            self.keyboard()
        except Error:  # the page is leaving
            self.page.wait_for_load_state()
            self.keyboard()

    def keyboard(self) -> None:
        free, shrinks = self.free, self.page.evaluate(SHRINKS)
        height = free if shrinks else HEIGHT
        if self.page.evaluate("innerHeight") != height:
            self.page.set_viewport_size({"width": WIDTH, "height": height})
        if self.page.evaluate("visualViewport.height") != free:
            self.page.evaluate(RISE, free)
        if free < HEIGHT:
            time.sleep(0.3)
            self.page.evaluate(
                "() => document.activeElement.scrollIntoView({block: 'nearest'})"
                if shrinks
                else f"() => ({REVEAL})({free})"
            )

    def picture(self, what: str, wanted: Locator | None = None) -> None:
        """Keeps the screen as the person sees it: the keyboard over it, and a ring where they tap."""
        if self.film is None:
            return
        self.pictures += 1
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        screen = Image.new("RGB", (WIDTH, HEIGHT), "#b8bcc4")
        screen.paste(shot.crop((0, 0, WIDTH, min(shot.height, self.free))), (0, 0))
        box = wanted.bounding_box() if wanted else None
        if box:
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            ImageDraw.Draw(screen).ellipse((x - 22, y - 22, x + 22, y + 22), outline="#e0218a", width=4)
        screen.save(self.film / f"{self.pictures:03}-{what}-{time.monotonic() - self.began:05.1f}.png")


def drawn(folder: Path) -> list[Path]:
    """Three photographs as large as those of a phone, and an upright film with sound."""
    sizes = {"dawn": (4032, 3024), "noon": (3024, 4032), "dusk": (4032, 3024)}
    photographs = [
        media_files.saved(folder, f"{name}.jpg", media_files.photo(96, 72).resize(size), quality=85)
        for name, size in sizes.items()
    ]
    return [*photographs, media_files.film(folder, "night.mp4", size="1080x1920", rate=30, seconds=6)]


def sign_up(newcomer: Newcomer, mailbox: Mailbox) -> None:
    page = newcomer.page
    for label, words in SIGN_UP.items():
        newcomer.tap(page.get_by_role("textbox", name=label))
        newcomer.type(words)
    newcomer.button("Sign up")
    with newcomer.waiting():
        page.wait_for_url("**/account/confirm-email/", timeout=PATIENCE * 1000)
        code = mailbox.code_for(EMAIL, PATIENCE)
    newcomer.tap(page.get_by_label("Code"))
    newcomer.type(code)
    newcomer.button("Confirm")


def write(newcomer: Newcomer) -> None:
    """The title, and a sentence for each scene, from one to the next."""
    page = newcomer.page
    newcomer.button("Add a title")
    newcomer.type(TITLE)
    for number, words in enumerate(SENTENCES):
        newcomer.tap(page.locator("#inspector").get_by_role("button", name="Next scene"))
        expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of {len(SENTENCES)}")
        newcomer.sentence(words)
    newcomer.button("Done")


def publish(newcomer: Newcomer) -> None:
    page = newcomer.page
    newcomer.tap(page.locator(".foot a"))
    dialog = page.locator("#dialog")
    newcomer.tap(dialog.get_by_text("No email"))
    newcomer.tap(dialog.locator(".pill-accent"))
    with newcomer.waiting():
        expect(dialog).to_contain_text("It is live", timeout=PATIENCE * 1000)
    newcomer.settle()
    newcomer.picture("live")


def go(newcomer: Newcomer, address: str, mailbox: Mailbox, files: list[Path]) -> float:
    """The whole way; returns its seconds."""
    page = newcomer.page
    page.goto(f"{address}/")
    page.get_by_role("link", name="Make a capsule").first.tap()
    page.wait_for_url("**/account/signup/**")
    newcomer.settle()
    newcomer.began = time.monotonic()
    sign_up(newcomer, mailbox)
    newcomer.button("Start with photographs and films")
    page.wait_for_selector("html[data-studio=ready]")
    newcomer.choose(page.locator("#stage-start button"), files)
    write(newcomer)
    publish(newcomer)
    return time.monotonic() - newcomer.began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--film", type=Path)
    film = parser.parse_args().film
    if CHROMIUM is None:
        return not_tried("CHROMIUM IS NOT INSTALLED: NOTHING WAS MEASURED.")
    if film:
        film.mkdir(parents=True, exist_ok=True)
    mailbox = Mailbox()
    mailbox.controller.start()
    mail = {"EMAIL_URL": f"smtp://127.0.0.1:{mailbox.controller.port}"}
    with (
        tempfile.TemporaryDirectory() as kept,
        service(Path(kept), stories=None, **mail) as running,
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as pictures,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(**PHONE).new_page()
        page.add_init_script(f"({COVERED})()")
        newcomer = Newcomer(page, film)
        seconds = go(newcomer, running.url, mailbox, drawn(Path(pictures)))
        browser.close()
    mailbox.controller.stop()
    most = max(newcomer.between)
    print(
        f"{seconds:.0f} s from the sign-up to a live capsule (aim: {SECONDS}), {newcomer.waited:.0f} of them waiting"
    )
    print(f"{newcomer.taps} taps, {newcomer.swipes} swipes, {newcomer.letters} letters")
    print(f"taps between two sentences: {newcomer.between} (aim: {TAPS})")
    return int(seconds > SECONDS or most > TAPS)


if __name__ == "__main__":
    sys.exit(main())
