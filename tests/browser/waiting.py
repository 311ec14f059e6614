"""Waiting for something in a page. Playwright's own way evaluates text in the page, which its policy forbids."""

from __future__ import annotations

import time

from playwright.sync_api import Frame, Page

PATIENCE = 20.0  # seconds


def until(page: Page | Frame, expression: str) -> None:
    """Returns when the JavaScript expression is true. Raises AssertionError after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never came true: {expression}"
        time.sleep(0.03)
