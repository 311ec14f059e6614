"""The browser of the tests, where the machine has one."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.test import Client
    from playwright.sync_api import Page

#: The shell has no window to draw, and opens a fresh profile in half the time of the whole browser.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--autoplay-policy=no-user-gesture-required",
]


def log_in(page: Page, url: str) -> None:
    """As the demo's owner, through the login page of the service at `url`."""
    page.goto(f"{url}/account/login/")
    page.fill("[name=login]", "owner@north-shore.example")
    page.fill("[name=password]", "demo-only")
    page.click("main button[type=submit]")
    page.wait_for_url("**/studio/**")


def cookies_of(client: Client, url: str) -> list[Any]:
    """Whoever is signed in by this client, for `BrowserContext.add_cookies` at the service at `url`."""
    return [{"name": name, "value": cookie.value, "url": url} for name, cookie in client.cookies.items()]
