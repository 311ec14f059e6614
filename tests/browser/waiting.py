"""Waiting for something in a page. Playwright's own way evaluates text in the page, which its policy forbids."""

from __future__ import annotations

import time
from typing import TypeVar

from playwright.sync_api import FloatRect, Frame, FrameLocator, Locator, Page, Route

Thing = TypeVar("Thing")
PATIENCE = 60.0  # seconds: for whatever a page is to show, on a busy machine


def until(page: Page | Frame, expression: str) -> None:
    """Returns when the JavaScript expression is true. Raises AssertionError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never came true: {expression}"
        time.sleep(0.03)


def becomes(page: Page, expression: str, value: object) -> None:
    """Returns when the JavaScript function has this value. Raises AssertionError after PATIENCE, with its last one."""
    deadline = time.monotonic() + PATIENCE
    while (last := page.evaluate(expression)) != value:
        assert time.monotonic() < deadline, f"never {value!r}, at last {last!r}"
        time.sleep(0.03)


#: What the editor keeps in this browser, as text: changes and files that the service does not have yet.
KEPT = """async () => {
  const db = await new Promise((then, fail) => {
    const asked = indexedDB.open('capsules-studio');
    asked.onsuccess = () => then(asked.result);
    asked.onerror = fail;
  });
  const rows = [];
  for (const store of db.objectStoreNames) {
    const asked = db.transaction(store).objectStore(store).getAll();
    rows.push(...await new Promise((then) => { asked.onsuccess = () => then(asked.result); }));
  }
  db.close();
  return JSON.stringify(rows);
}"""


def shown_stage(page: Page) -> FrameLocator:
    """The page on the stage of the editor: the one that is shown, where its next one is being drawn behind it."""
    return page.frame_locator(".stage-dressed:not(.stage-next)")


def ready(page: Page) -> None:
    """Returns when the editor listens."""
    page.wait_for_selector("html[data-studio=ready]")


def at_rest(what: Locator, milliseconds: int = 300) -> FloatRect:
    """Where it is on the page, once it has not moved for so long. Raises AssertionError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    before = None
    while (box := what.bounding_box()) is None or box != before:
        assert time.monotonic() < deadline, f"{what} never came to rest"
        before = box
        what.page.wait_for_timeout(milliseconds)
    return box


def resize(page: Page, width: int, height: int) -> None:
    """Gives the window another size; returns when it has chosen the files of its pictures and begun to fetch them."""
    page.set_viewport_size({"width": width, "height": height})
    drawn_twice(page)


def drawn_twice(page: Page) -> None:
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def come(page: Page, things: list[Thing], count: int = 1) -> Thing:
    """What a handler of the page adds as the `count`th. Raises AssertionError where it does not within PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while len(things) < count:
        assert time.monotonic() < deadline, f"{len(things)} of {count} came"
        page.wait_for_timeout(30)
    return things[count - 1]


class Held:
    """Holds back the requests of a page for an address until they are let go."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.routes, self.over = page, list[Route](), False
        page.route(address, self.take)

    def take(self, route: Route) -> None:
        self.routes.append(route)
        if self.over:
            route.continue_()

    def get(self, count: int = 1) -> Route:
        """The request that came as the `count`th. Raises AssertionError where it does not within PATIENCE."""
        return come(self.page, self.routes, count)

    def let_go(self) -> None:
        """Lets the first go as soon as it is there, and all others."""
        self.get()
        self.over = True
        for route in self.routes[:]:
            route.continue_()
