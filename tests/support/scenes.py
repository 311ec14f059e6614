"""What a window shows of a capsule, scene by scene."""

from __future__ import annotations

import io
from collections.abc import Iterator

from PIL import Image
from playwright.sync_api import Page

STILL = """() => Promise.all([document.fonts.ready,
  ...[...document.images].map((one) => { one.loading = 'eager'; return one.decode().catch(() => {}); })])"""


def scenes_of(page: Page, address: str) -> Iterator[Image.Image]:
    """A picture of the window at each scene."""
    page.goto(address)
    page.evaluate(STILL)
    for number in range(page.locator("section.scene").count()):
        page.evaluate(
            "(n) => document.querySelectorAll('section.scene')[n].scrollIntoView({behavior: 'instant'})",
            number,
        )
        page.evaluate(STILL)
        page.wait_for_timeout(150)
        yield Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
