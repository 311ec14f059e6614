"""A real browser at a real server: Chromium, the page layer and Django in threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from playwright.sync_api import Browser, Page

from publishing.pages.layer import PageLayer


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 64

    def finish_request(self, request, client_address) -> None:
        super().finish_request(request, client_address)
        connections.close_all()


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(settings, transactional_db) -> Iterator[str]:
    """The address of the service: page layer, Django and static files on a port of their own."""
    cache.clear()  # of how often the tests before have signed up
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = True
    server = make_server("127.0.0.1", 0, WSGIHandler(), Server, Quiet)
    settings.APP_URL = f"http://127.0.0.1:{server.server_port}"
    server.set_app(PageLayer(WSGIHandler()))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield settings.APP_URL
    server.shutdown()
    server.server_close()
    thread.join()


class Tab:
    """A page that remembers what it asked for and what it complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on(
            "console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def films(self) -> list[str]:
        return [url for url in self.requests if url.endswith((".mp4", ".webm"))]


@pytest.fixture
def open_tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens an address in a fresh browser profile; `width`, `height` and what `Browser.new_context` takes."""
    contexts = []

    def opened(url: str, *, width: int = 1440, height: int = 900, **options) -> Tab:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        tab = Tab(context.new_page())
        tab.page.goto(url)
        return tab

    yield opened
    for context in contexts:
        context.close()
