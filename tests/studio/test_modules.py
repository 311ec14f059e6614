"""The rules of the scripts of the studio and of readers, case by case: all files `*.cases.js` in one page."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, CDPSession, Page

from config.static import without_comments
from tests.support import studio_arrows

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "static"
PICTURE = HERE.parents[1] / "docs" / "studio-modules.svg"  # by tests/support/studio_arrows.py
CASE = re.compile(r'^test\(\s*"([^"]+)"', re.MULTILINE)
FILES = {file.name: CASE.findall(file.read_text()) for file in sorted(HERE.glob("*.cases.js"))}


class Files(SimpleHTTPRequestHandler):
    """The scripts under /static, the cases under /cases, and the page that both run in everywhere else."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def translate_path(self, path: str) -> str:
        _, folder, name = f"{path.partition('?')[0]}/".split("/", 2)
        roots = {"static": STATIC, "cases": HERE}
        return str(roots[folder] / name.strip("/") if folder in roots else HERE / "page.html")

    def do_GET(self) -> None:
        if not self.path.startswith("/static/studio/"):
            return super().do_GET()
        file = Path(self.translate_path(self.path))
        script = as_served(file, file.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", str(len(script)))
        self.end_headers()
        self.wfile.write(script)
        return None

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "max-age=600")  # all pages of a profile have the same scripts
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.cache
def as_served(file: Path, changed_at: int) -> bytes:
    return without_comments(file.read_text()).encode()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    """One for all files: what it has fetched and compiled is there for the next. It is drawn a tenth as large: no case
    looks at its dots.
    """
    with browser.new_context(device_scale_factor=0.1) as context:
        page = context.new_page()
        yield page, context.new_cdp_session(page)


@pytest.fixture
def page(tab: tuple[Page, CDPSession], address: str) -> Page:
    page, devtools = tab
    page.goto(address)
    page.wait_for_selector("html[data-page=ready]")
    page.evaluate("sessionStorage.clear()")
    forget = {"origin": address, "storageTypes": "local_storage,indexeddb"}
    devtools.send("Storage.clearDataForOrigin", forget)
    return page


@pytest.mark.parametrize("file", FILES)
def test_every_case_has_a_name_of_its_own_was_run_and_holds(page: Page, file: str) -> None:
    ran = page.evaluate("async (file) => (await import('/cases/runner.js')).run(`/cases/${file}`)", file)
    assert [case["name"] for case in ran] == FILES[file]
    faults = [f"{case['name']}\n{case['error']}" for case in ran if case["error"]]
    assert not faults, "\n\n".join(faults)


def test_no_script_reaches_itself_and_the_picture_of_them_is_current():
    now, later = studio_arrows.read(studio_arrows.FOLDER)
    assert studio_arrows.circles(now) == []
    assert PICTURE.read_text() == studio_arrows.svg(now, later)
