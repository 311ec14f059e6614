"""An AI app without the AI: it makes a capsule from a folder through the MCP server, and publishes it if you say so.

    python examples/make_a_capsule_as_an_app.py http://127.0.0.1:8001/mcp FOLDER

The folder has a capsule.toml and the pictures and films that it names (README, "Your own capsule"). Everything about
connecting (discovery, registration, your consent in the browser, tokens) is done by the `mcp` package.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
import tomllib
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp.shared.exceptions import MCPError

MODES = {"1": "FULL", "2": "TEASER", "3": "OFF"}


class Memory(TokenStorage):
    """A real app keeps these where nobody else can read them, and connects once."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class Callback(BaseHTTPRequestHandler):
    """Takes what the browser brings back; its other requests (an icon) are none of ours."""

    def do_GET(self) -> None:
        if urlsplit(self.path).path != "/callback":
            self.send_error(404)
            return
        self.server.told.append(dict(parse_qsl(urlsplit(self.path).query)))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"Done. You can close this window and go back to the app.\n")

    def log_message(self, *args: Any) -> None:
        """The address carries the code, which belongs into no log."""


def authorization(server_url: str, callback: HTTPServer) -> OAuthClientProvider:
    async def open_browser(address: str) -> None:
        print(f"Opening your browser. If nothing opens, go to:\n{address}", flush=True)
        webbrowser.open(address)

    async def wait_for_answer() -> AuthorizationCodeResult:
        while not callback.told:  # type: ignore[attr-defined]
            await asyncio.sleep(0.1)
        told = callback.told.pop()  # type: ignore[attr-defined]
        if "code" not in told:
            raise SystemExit(f"You said no: {told.get('error')}")
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    about = OAuthClientMetadata(
        client_name="Folder app", redirect_uris=[f"http://127.0.0.1:{callback.server_port}/callback"]
    )
    return OAuthClientProvider(
        server_url=server_url,
        client_metadata=about,
        storage=Memory(),
        redirect_handler=open_browser,
        callback_handler=wait_for_answer,
    )


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool; ends the program with the server's own words where it refuses."""
    result = await client.call_tool(name, arguments)
    if result.is_error or result.structured_content is None:
        raise SystemExit(f"{name}: {getattr(result.content[0], 'text', '')}")
    return result.structured_content


async def upload(client: Client, folder: Path, names: list[str]) -> dict[str, str]:
    """Sends files through upload links; returns their media ids by name."""
    uploads: dict[str, str] = {}
    async with httpx2.AsyncClient(timeout=300) as http:
        for first in range(0, len(names), 10):  # a link takes ten files
            link = await call(client, "create_upload_link")
            for name in names[first : first + 10]:
                content = (folder / name).read_bytes()
                answer = await http.put(f"{link['url']}/{quote(name)}", content=content)
                answer.raise_for_status()
                uploads[name] = answer.json()["id"]
    found = {}
    for name, id in uploads.items():
        while (media := await call(client, "get_media", upload=id))["state"] in ("receiving", "checking"):
            await asyncio.sleep(media["retry_after"])
        if media["state"] != "ready":
            raise SystemExit(f"{name}: {media['error']}")
        print(f"Uploaded {name}", flush=True)
        found[name] = media["media_id"]
    return found


def files_of(capsule: dict[str, Any]) -> list[str]:
    """The names of all files that the scenes show, each once."""
    return list(dict.fromkeys(name for scene in capsule["scenes"] if (name := file_of(scene))))


def file_of(scene: dict[str, Any]) -> str:
    animation = scene.get("animation", "")
    return str(animation if animation not in ("", "auto") else scene.get("still", ""))


def scene_for(scene: dict[str, Any], media: dict[str, str]) -> dict[str, Any]:
    """A scene of the folder as create_story takes it."""
    kept = {name: scene[name] for name in ("text", "title", "alt", "focus", "finale") if name in scene}
    return kept | ({"media_id": media[file_of(scene)]} if file_of(scene) else {})


async def make(client: Client, folder: Path) -> str:
    """The id of a new capsule with a finished preview."""
    capsule = tomllib.loads((folder / "capsule.toml").read_text())
    media = await upload(client, folder, files_of(capsule))
    own = {name: capsule[name] for name in ("title", "summary", "author") if name in capsule}
    scenes = [scene_for(scene, media) for scene in capsule["scenes"]]
    made = await call(client, "create_story", **own, language=capsule.get("language", "en"), scenes=scenes)
    print(f"Made {made['id']}", flush=True)
    while (preview := await call(client, "build_preview", story=made["id"]))["state"] == "building":
        print(f"Rendering, {preview['percent']} %", flush=True)
    for fault in preview["faults"]:
        print(f"Missing: {fault['path']}: {fault['message']}", flush=True)
    if not preview["ready"]:
        raise SystemExit(f"Mend it in the studio: {preview['preview_url']}")
    return str(made["id"])


def ask_mode() -> str | None:
    print(
        "Publish it? Who gets the premiere email?  1: the full story  2: a teaser  3: nobody  else: do not publish"
    )
    return MODES.get(input("> ").strip())


async def work(options: argparse.Namespace, callback: HTTPServer) -> None:
    auth = authorization(options.server, callback)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=120) as http,
        Client(streamable_http_client(options.server, http_client=http), mode=options.mode) as client,
    ):
        story = await make(client, options.folder)
        if mode := ask_mode():
            published = await call(client, "publish_story", story=story, premiere_email_mode=mode)
            if published.get("needs_person"):
                print(f"Ready. You press Publish yourself: {published['link']}", flush=True)
            else:
                print(f"Published: {published['link']}", flush=True)


def innermost(error: BaseException) -> BaseException:
    """The first of the errors that task groups wrap in groups."""
    return innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def end_in_words(error: BaseException) -> None:
    """Ends the program where the service refused, for one because you did not allow what a tool needs."""
    if isinstance(error, MCPError):
        raise SystemExit(f"The service refused: {error}") from None
    if isinstance(error, SystemExit):
        raise error from None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", help="address of the MCP server, http://127.0.0.1:8001/mcp")
    parser.add_argument("folder", type=Path, help="a folder with a capsule.toml")
    parser.add_argument("--mode", default="auto", choices=["auto", "legacy"], help="which protocol to speak")
    with HTTPServer(("127.0.0.1", 0), Callback) as callback:
        callback.told = []  # type: ignore[attr-defined]
        threading.Thread(target=callback.serve_forever, daemon=True).start()
        try:
            asyncio.run(work(parser.parse_args(), callback))
        except (MCPError, BaseExceptionGroup) as group:
            end_in_words(innermost(group))
            raise
        finally:
            callback.shutdown()


if __name__ == "__main__":
    main()
