"""What people do with the instance while others walk through it: in Chromium, and at the shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, expect, sync_playwright

from tests.lived_in import apps, documents
from tests.lived_in.evening import PATIENCE, first_evening
from tests.lived_in.instance import Instance
from tests.lived_in.setting_up import set_up_and_reach_the_admin
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.drawing import draw_picture

COLOURS = {"a-dawn.png": "#b45a3c", "b-noon.png": "#3c7ab4", "c-dusk.png": "#4a3c7a"}
CAPSULE = """
title = "From a folder, {turn}"
{scenes}
"""
SCENE = """
[[scenes]]
text = "Words for {name}."
alt = "A light."
still = "{name}"
animation = "auto"
"""


def visits(instance: Instance, turn: int) -> list[str]:
    """What went wrong. A second turn meets what the first one left behind."""
    place = Path(instance.running.env["DATA_DIR"]).parent / f"visits-{turn}"
    drawn, empty = place / "drawn", place / "empty"
    empty.mkdir(parents=True)
    photographs = draw(drawn, turn)
    wrong = documents.commands_that_fail(instance, empty, drawn)
    if not CHROMIUM:
        print("!!! NO CHROMIUM: nobody signs up, reaches the admin or allows an app.", flush=True)
        return wrong
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        wrong += in_a_browser(browser, instance, turn, photographs, drawn)
        browser.close()
    return wrong


def in_a_browser(
    browser: Browser, instance: Instance, turn: int, photographs: list[str], drawn: Path
) -> list[str]:
    visits: list[Callable[[Page], None]] = [
        lambda page: set_up_and_reach_the_admin(page, instance, turn),
        lambda page: first_evening(page, instance.mailbox, photographs, name=f"Ada{turn}"),
        lambda page: apps.connect_both(page, instance, drawn),
    ]
    wrong = []
    for visit in visits:
        with page_of(browser, instance) as page:
            try:
                visit(page)
            except (AssertionError, Error) as error:
                seen = page.locator("body").inner_text()[:400]
                wrong.append(f"{str(error)[:800]}\nAt {page.url}, which says: {seen!r}")
    return wrong


@contextmanager
def page_of(browser: Browser, instance: Instance) -> Iterator[Page]:
    """A page in a profile of its own."""
    context = browser.new_context(base_url=instance.url, ignore_https_errors=True)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def draw(folder: Path, turn: int) -> list[str]:
    """Photographs, and the capsule.toml that shows them, in a new folder."""
    folder.mkdir()
    scenes = "".join(SCENE.format(name=name) for name in COLOURS)
    (folder / "capsule.toml").write_text(CAPSULE.format(turn=turn, scenes=scenes))
    return [str(draw_picture(folder / name, colour=colour)) for name, colour in COLOURS.items()]
