"""The rules of the studio's scripts and of the readers', case by case, in one browser: `*.cases.js`, each in a page."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

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
        script = without_comments(
            Path(self.translate_path(self.path)).read_text()
        ).encode()  # as it is served
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript")
        self.send_header("Content-Length", str(len(script)))
        self.end_headers()
        self.wfile.write(script)
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def results(browser: Browser) -> Iterator[dict[str, dict[str, str]]]:
    """What came of every case: file → name → error, empty where it holds."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address, found = f"http://127.0.0.1:{server.server_port}", dict[str, dict[str, str]]()
    for file in FILES:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("html[data-page=ready]")
        ran = page.evaluate("async (file) => (await import('/cases/runner.js')).run(`/cases/${file}`)", file)
        found[file] = {case["name"]: case["error"] for case in ran}
        page.close()
    yield found
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("file", FILES)
def test_every_case_has_a_name_of_its_own_and_was_run(results, file):
    assert list(results[file]) == FILES[file]


@pytest.mark.parametrize("file, name", [(file, name) for file, names in FILES.items() for name in names])
def test_case(results, file, name):
    assert not results[file][name]


def test_no_script_reaches_itself_and_the_picture_of_them_is_current():
    now, later = studio_arrows.read(studio_arrows.FOLDER)
    assert studio_arrows.circles(now) == []
    assert PICTURE.read_text() == studio_arrows.svg(now, later)
