"""A real browser at a real server: Chromium, page files and Django in threads of this process."""

from __future__ import annotations

import re
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer

import pytest
from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connection, connections
from playwright.sync_api import Browser, BrowserContext, Error, Page, ViewportSize

from accounts.models import Workspace
from capsules import worker
from capsules.actions import encodes
from capsules.models import Encode, Story
from publishing.pages.files import page_files
from publishing.pages.serving import Pages
from tests.browser.axe import with_axe
from tests.browser.waiting import PATIENCE, ready
from tests.conftest import keep_publish
from tests.support import factories
from tests.support.checking import check_uploads
from tests.support.chromium import cookies_of
from tests.support.kept import Kept, empty_database, given, keep

VERSIONED = ("/static/", "/media/")
AGE = re.compile(r"max-age=\d+")


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = (
        False  # it closes once every request is answered: none writes into the next test's database
    )

    def __init__(self, listening: socket.socket, app: Callable[..., Iterable[bytes]]) -> None:
        super().__init__(listening.getsockname(), Quiet, bind_and_activate=False)
        self.socket.close()
        self.socket = listening.dup()
        self.server_name, self.server_port = listening.getsockname()
        self.setup_environ()
        self.set_app(app)
        self.open: set[socket.socket] = set()

    def process_request(self, request, client_address) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """Waits for what is asked, and not for connections on which nothing was."""
        for request in tuple(self.open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RD)
        super().server_close()

    def finish_request(self, request, client_address) -> None:
        super().finish_request(request, client_address)
        connections.close_all()


class Quiet(WSGIRequestHandler):
    """Keeps a browser's connection open, as nginx does, and with it the thread and its connection to the database."""

    timeout = 30  # seconds that a browser may leave a connection idle
    wbufsize = -1  # an answer's status, headers and body go out together

    def handle(self) -> None:
        with suppress(
            TimeoutError, ConnectionError
        ):  # nothing was asked, or nobody waits for the answer any more
            super().handle()

    def handle_one_request(self) -> None:
        super().handle_one_request()
        self.wfile.flush()

    def finish(self) -> None:
        with suppress(ConnectionError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:
        pass


def fresh(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """Lets a browser ask again for what has no versioned name: the next test has something else at its address."""

    def answered(environ: dict, start_response: Callable) -> Iterable[bytes]:
        def begun(status: str, headers: list[tuple[str, str]], *rest: object):
            if not environ["PATH_INFO"].startswith(VERSIONED):
                headers = [(name, AGE.sub("max-age=0", value)) for name, value in headers]
            return start_response(status, headers, *rest)

        return app(environ, begun)

    return answered


@pytest.fixture(scope="session")
def listening() -> Iterator[socket.socket]:
    """One port for all tests: what a browser has of the static files is good in the next."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield listening


@pytest.fixture
def site(settings, transactional_db, listening) -> Iterator[str]:
    """The address of the service: page files, Django and static files."""
    page_files().drop_all()  # of the tests before
    cache.clear()  # of how often the tests before have signed up
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = True
    settings.WHITENOISE_MAX_AGE = 3600  # seconds, as nginx says of their versioned names
    server = Server(listening, with_axe(fresh(Pages(WSGIHandler(), page_files()))))
    settings.APP_URL = f"http://127.0.0.1:{server.server_port}"
    looks = 0.05  # seconds between two looks whether it is to stop
    thread = threading.Thread(target=server.serve_forever, args=(looks,), daemon=True)
    thread.start()
    yield settings.APP_URL
    server.shutdown()
    server.server_close()
    thread.join()


class Tab:
    """A page that remembers what it complained about and, `with_requests`, what it asked for."""

    def __init__(self, page: Page, *, with_requests: bool) -> None:
        self.page = page
        self.complaints: list[str] = []
        if with_requests:  # each is told by Playwright three times: an eighth of what the editor's page costs
            self.requests: list[str] = []
            page.on("request", lambda request: self.requests.append(request.url))
        page.on(
            "console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def films(self) -> list[str]:
        return [url for url in self.requests if url.endswith((".mp4", ".webm"))]


class Profiles:
    """Profiles of the browser, each taken by one test at a time and empty but for what it has fetched.

    In a profile that was never used a page of fifty scripts costs twice as much: all are fetched and compiled.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.free: defaultdict[str, list[BrowserContext]] = defaultdict(list)
        self.taken: list[tuple[str, BrowserContext]] = []

    def take(self, site: str, *, viewport: ViewportSize, color_scheme: str, **options: object) -> Page:
        """A page of a free profile with these other options of `Browser.new_context`: windows of all sizes share it."""
        key = repr(sorted(options.items()))
        context = self.free[key].pop() if self.free[key] else self.browser.new_context(**options)
        self.taken.append((key, context))
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        forget = {"origin": site, "storageTypes": "local_storage,indexeddb"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", forget)
        return page

    def give_back(self) -> None:
        for key, context in self.taken:
            with suppress(Error):  # its test has closed it
                for page in context.pages:
                    page.close()
                context.set_offline(False)
                context.unroute_all()
                context.clear_cookies()
                context.clear_permissions()
                self.free[key].append(context)
        self.taken.clear()


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    return Profiles(browser)


@pytest.fixture
def open_tab(profiles: Profiles, listening: socket.socket) -> Iterator[Callable[..., Tab]]:
    """Opens an address in a profile of its own; `width`, `height` and what `Browser.new_context` takes.

    People with a phone prefer it light here and those at a desk dark, so that both are looked at. Unless it `plays`,
    films and cameras have been paused by the button of the page, which leaves the motion of turns: a film that plays
    costs more than all that a test does.
    """
    site = "http://{}:{}".format(*listening.getsockname())

    def opened(
        url: str,
        *,
        width: int = 1440,
        height: int = 900,
        plays: bool = True,
        with_requests: bool = False,
        **options,
    ) -> Tab:
        options.setdefault("color_scheme", "light" if width < 960 else "dark")
        viewport: ViewportSize = {"width": width, "height": height}
        tab = Tab(profiles.take(site, viewport=viewport, **options), with_requests=with_requests)
        if not plays:
            tab.page.add_init_script("sessionStorage.setItem('motion', 'pause')")
        if url != tab.page.url:
            tab.page.goto(url)
        return tab

    yield opened
    profiles.give_back()


@pytest.fixture(scope="session")
def kept_story(django_db_blocker, kept_shore, rendered) -> Kept:
    with django_db_blocker.unblock(), empty_database(kept_shore):
        return keep(lambda: factories.make_story(Workspace.objects.get(), rendered, films=2).pk)


@pytest.fixture(scope="session")
def kept_publish(django_db_blocker, kept_shore, kept_story) -> Kept:
    return keep_publish(django_db_blocker, kept_shore, kept_story)


@pytest.fixture
def ready_story(north_shore, rendered, kept_story) -> Story:
    """A capsule of two films, a still that the camera moves, and a finale; never published."""
    made = given(kept_story, lambda: factories.make_story(north_shore, rendered, films=2).pk)
    story = Story.objects.get(pk=made)
    story.workspace = north_shore
    return story


# --- The studio ---


@pytest.fixture
def workers(rendered) -> Iterator[None]:
    """Checks uploads, settles scenes and renders films as the worker does; its pictures were rendered before."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            check_uploads()
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
        cookies = cookies_of(client, site)
        client.cookies.clear()
        options.setdefault("reduced_motion", "reduce")  # pictures that move cost half the time of a test
        options.setdefault("width", 1200)  # a desk; each dot is drawn several times by the processor
        options.setdefault("height", 750)
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
