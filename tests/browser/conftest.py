"""A real browser at a real server: Chromium, page files and Django in threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, connections
from playwright.sync_api import Browser, Page

from capsules import worker
from capsules.actions import encodes
from capsules.models import Encode, Story
from capsules.uploads import checking
from publishing.pages.files import page_files
from publishing.pages.serving import Pages
from tests.browser.waiting import ready
from tests.support import factories


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = (
        False  # it closes once every request is answered: none writes into the next test's database
    )
    request_queue_size = 64

    def finish_request(self, request, client_address) -> None:
        super().finish_request(request, client_address)
        connections.close_all()


class Quiet(WSGIRequestHandler):
    timeout = 30  # seconds that a browser may leave a connection idle

    def handle(self) -> None:
        with suppress(
            TimeoutError, ConnectionError
        ):  # nothing was asked, or nobody waits for the answer any more
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(settings, transactional_db) -> Iterator[str]:
    """The address of the service: page files, Django and static files on a port of their own."""
    page_files().drop_all()  # of the tests before
    cache.clear()  # of how often the tests before have signed up
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = True
    server = make_server("127.0.0.1", 0, WSGIHandler(), Server, Quiet)
    settings.APP_URL = f"http://127.0.0.1:{server.server_port}"
    server.set_app(Pages(WSGIHandler(), page_files()))
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
    """Opens an address in a fresh browser profile; `width`, `height` and what `Browser.new_context` takes.

    People with a phone prefer it light here and those at a desk dark, so that both are looked at.
    """
    contexts = []

    def opened(url: str, *, width: int = 1440, height: int = 900, **options) -> Tab:
        options.setdefault("color_scheme", "light" if width < 960 else "dark")
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        tab = Tab(context.new_page())
        tab.page.goto(url)
        return tab

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def ready_story(north_shore, rendered) -> Story:
    """A capsule of two films, a still that the camera moves, and a finale; never published."""
    return factories.make_story(north_shore, rendered, films=2)


# --- The studio ---


@pytest.fixture
def workers(rendered) -> Iterator[None]:
    """Checks uploads, settles scenes and renders films as the worker does; its pictures were rendered before."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            checking.check_due()
            encodes.settle_due()
            factories.finish_encodes(rendered)
            worker.run_due(Encode.objects.filter(kind=Encode.Kind.FILM))
        connection.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.fixture
def photographs(tmp_path) -> list[str]:
    colours = {"a-dawn.png": "#b45a3c", "b-noon.png": "#3c7ab4", "c-dusk.png": "#4a3c7a"}
    return [str(factories.draw_picture(tmp_path / name, colour=colour)) for name, colour in colours.items()]


@pytest.fixture
def studio(site, settings, client, person, open_tab) -> Callable[..., Page]:
    """Opens an address of the site as somebody, or signed out, in a browser of their own."""
    settings.BASE_URL = site
    settings.SETTLE = 0

    def opened(path: str, who: str | None = "owner", **options) -> Page:
        if who:
            client.force_login(person(who))
        cookies = [
            {"name": name, "value": cookie.value, "url": site} for name, cookie in client.cookies.items()
        ]
        client.cookies.clear()
        options.setdefault("reduced_motion", "reduce")  # pictures that move cost half the time of a test
        tab = open_tab("about:blank", **options)
        tab.page.context.add_cookies(cookies)
        tab.page.goto(site + path)
        tab.page.complaints = tab.complaints
        return tab.page

    return opened


@pytest.fixture
def edit(studio) -> Callable[..., Page]:
    """Opens a story in the editor and waits until it listens."""

    def opened(story: Story, who: str = "owner", **options) -> Page:
        page = studio(f"/studio/stories/{story.pk}", who, **options)
        ready(page)
        return page

    return opened
