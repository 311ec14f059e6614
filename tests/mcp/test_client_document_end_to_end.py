"""From a 401 to a capsule by an app that describes itself by a document, with consent in a real browser.

The client is the unmodified one of the `mcp` package. Its pictures come by their addresses.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from queue import Queue

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.conftest import CLIENT_DOCUMENT
from tests.support.drawing import draw_picture
from tests.support.factories import SEEDED
from tests.support.sdk_client import listening, provider


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def album(tmp_path):
    """A web server with a text that looks like a picture, and one that is: the still of the seeded capsules."""
    draw_picture(tmp_path / "moon.png", SEEDED)
    (tmp_path / "words.png").write_text("no picture")
    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_app_with_a_document_makes_a_capsule_of_pictures_by_their_addresses(server, page, album):
    asked: Queue[str] = Queue()
    scenes = [{"text": "It comes.", "media_url": f"{album}/{name}"} for name in ("moon.png", "words.png")]
    with listening() as callback, ThreadPoolExecutor(1) as apart:

        async def work():
            document = CLIENT_DOCUMENT["client_id"]
            auth = provider(server.url, callback, asked, name="Quill", client_metadata_url=document)
            async with (
                httpx2.AsyncClient(auth=auth, timeout=120) as http,
                Client(streamable_http_client(server.url, http_client=http)) as client,
            ):
                given = {"title": "By address", "language": "en", "scenes": scenes}
                return await client.call_tool("create_story", given)

        result = apart.submit(asyncio.run, work())
        page.goto(asked.get(timeout=60))
        assert "Quill" in page.inner_text("main") and "quill.example" in page.inner_text("main")
        page.check("input[value='stories:write']")
        page.click("button[value=allow]")
        page.wait_for_url("**/callback?**")
        made = result.result(timeout=240)
    assert [each["state"] for each in made.structured_content["media"]] == ["ready", "refused"]
