"""From a 401 to a published capsule by an app that describes itself by a document, with consent in a real browser.

The client is the unmodified one of the `mcp` package. Its pictures come by address and through an upload link.
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
    """A web server with a text that looks like a picture, and three that are: the still of the seeded capsules."""
    for name in ("moon.png", "sea.png", "own.png"):
        draw_picture(tmp_path / name, SEEDED)
    (tmp_path / "words.png").write_text("no picture")
    server = HTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", tmp_path
    server.shutdown()
    server.server_close()


async def by_upload_link(call, path):
    """The media id of a file that an app has on its disk."""
    link = await call("create_upload_link")
    async with httpx2.AsyncClient(timeout=60) as http:
        answer = await http.put(f"{link['url']}/{path.name}", content=path.read_bytes())
    while (media := await call("get_media", upload=answer.json()["id"])).get("retry_after"):
        await asyncio.sleep(media["retry_after"])
    return media["media_id"]


async def a_capsule(client, web, folder, title):
    """Makes, previews and publishes one; the answers of the tools that a test looks at."""

    async def call(name, **arguments):
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    own = await by_upload_link(call, folder / "own.png")
    scenes = [
        {"text": "The first picture comes by its address.", "alt": "A moon.", "media_url": f"{web}/moon.png"},
        {"text": "The second one too.", "alt": "A moon, redder.", "media_url": f"{web}/sea.png"},
        {"text": "This one is none.", "media_url": f"{web}/words.png"},
        {"text": "This one comes from a disk.", "alt": "A moon.", "media_id": own},
        {"text": "The last one too.", "alt": "A moon.", "media_id": own, "finale": True},
    ]
    made = await call("create_story", title=title, language="en", scenes=scenes)
    refused = made["scenes"][2]["id"]
    assert not (await call("check_readiness", story=made["id"]))["ready"]
    await call("remove_scene", story=made["id"], scene=refused)
    while (built := await call("build_preview", story=made["id"]))["state"] == "building":
        pass
    assert built["ready"], built["faults"]
    return made, await call("publish_story", story=made["id"], premiere_email_mode="OFF")


def test_an_app_with_a_document_publishes_pictures_by_address_and_by_upload_link(server, page, album):
    asked: Queue[str] = Queue()
    web, folder = album
    with listening() as callback, ThreadPoolExecutor(1) as apart:

        async def work():
            document = CLIENT_DOCUMENT["client_id"]
            auth = provider(server.url, callback, asked, name="Quill", client_metadata_url=document)
            async with (
                httpx2.AsyncClient(auth=auth, timeout=120) as http,
                Client(streamable_http_client(server.url, http_client=http)) as client,
            ):
                return await a_capsule(client, web, folder, "By address")

        result = apart.submit(asyncio.run, work())
        page.goto(asked.get(timeout=60))
        assert "Quill" in page.inner_text("main") and "quill.example" in page.inner_text("main")
        for scope in ("stories:write", "publications:write"):
            page.check(f"input[value='{scope}']")
        page.click("button[value=allow]")
        page.wait_for_url("**/callback?**")
        made, published = result.result(timeout=240)
    assert [each["state"] for each in made["media"]] == ["ready", "ready", "refused"]
    assert published["link"] == f"{server.service.url}/north-shore/by-address"
    page.goto(published["link"])
    assert "The first picture comes by its address." in page.content()
