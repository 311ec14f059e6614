"""The `mcp` package's own OAuth client, as a native app uses it: with a callback on this machine and a browser."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)


class Memory(TokenStorage):
    """What the mcp client would keep on disk."""

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


@contextmanager
def listening() -> Iterator[HTTPServer]:
    """Where a native app waits for the browser; `told` is the address it brought."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/callback"):
                self.server.told = f"http://127.0.0.1:{self.server.server_port}{self.path}"  # type: ignore[attr-defined]
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def provider(
    server_url: str, callback: HTTPServer, asked: Queue[str], *, name: str = "Ink for mcp", **options: Any
) -> OAuthClientProvider:
    """The mcp package's OAuth client; the address for the browser goes into `asked`."""

    async def send_to_browser(address: str) -> None:
        asked.put(address)

    async def wait_for_answer() -> AuthorizationCodeResult:
        async with asyncio.timeout(120):  # a test that failed in its browser never brings one
            while not hasattr(callback, "told"):
                await asyncio.sleep(0.05)
        told = dict(parse_qsl(urlsplit(callback.told).query))
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    about = OAuthClientMetadata(
        client_name=name, redirect_uris=[f"http://127.0.0.1:{callback.server_port}/callback"]
    )
    return OAuthClientProvider(
        server_url=server_url,
        client_metadata=about,
        storage=Memory(),
        redirect_handler=send_to_browser,
        callback_handler=wait_for_answer,
        **options,
    )
