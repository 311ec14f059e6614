"""A running service with its MCP server, and the ways in which tests call it."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.support.ports import free_port
from tests.support.running import A_FEW, ROOT, START, Service, service

#: For clients of http: to read what a machine trusts takes longer than a call.
UNUSED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass
class Server:
    """The service and its MCP server."""

    service: Service
    port: int
    seeded: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def story(self) -> str:
        return str(self.service.seeded["stories"][0])

    def wait(self, port: int | None = None) -> None:
        deadline = time.monotonic() + START
        while time.monotonic() < deadline:
            try:
                health = f"http://127.0.0.1:{port or self.port}/health"
                if httpx2.get(health, verify=UNUSED).json() == {"status": "ok"}:
                    return
            except httpx2.TransportError:
                time.sleep(0.1)
        raise AssertionError("The MCP server did not start.")

    @asynccontextmanager
    async def client(
        self, who: str = "own", *, port: int | None = None, timeout: float = 60, **options: Any
    ) -> AsyncIterator[Client]:
        """The SDK's own client, with the token of `who`."""
        headers = {"Authorization": f"Bearer {self.seeded[who]}"}
        url = self.url if port is None else f"http://127.0.0.1:{port}/mcp"
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, verify=UNUSED) as http,
            Client(streamable_http_client(url, http_client=http), **options) as client,
        ):
            yield client

    def call(
        self, name: str, arguments: dict[str, Any] | None = None, who: str = "own", **options: Any
    ) -> Any:
        """The result of one tool; with `options`, through the SDK's own client."""
        if not options:
            answer = self.post(called(name, **arguments or {}), who)
            assert answer.status_code == 200, answer.text
            # A call that waits is answered by a stream, at whose end the result is.
            last = answer.text.rstrip().rpartition("\n")[2].removeprefix("data: ")
            return CallToolResult.model_validate(json.loads(last)["result"])

        async def work() -> CallToolResult:
            async with self.client(who, **options) as client:
                return await client.call_tool(name, arguments or {})

        return run(work)

    def post(
        self, body: Any, who: str | None = "own", *, port: int | None = None, **headers: str
    ) -> httpx2.Response:
        """One raw request."""
        token = {"Authorization": f"Bearer {self.seeded.get(who, who)}"} if who else {}
        accept = {"Accept": "application/json, text/event-stream"}
        content = {"content": body} if isinstance(body, bytes) else {"json": body}
        with httpx2.Client(timeout=60, verify=UNUSED) as client:
            return client.post(
                self.url if port is None else f"http://127.0.0.1:{port}/mcp",
                headers={"Content-Type": "application/json", **accept, **token, **headers},
                **content,
            )


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    with ThreadPoolExecutor(1) as apart:  # Playwright's own loop may run in this thread
        return apart.submit(asyncio.run, work()).result()


def rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def called(name: str, **arguments: Any) -> dict[str, Any]:
    return rpc("tools/call", name=name, arguments=arguments)


@contextmanager
def another(server: Server, *command: str, **env: str) -> Iterator[int]:
    """The port of one more process on the data, and for the tokens, of `server`: an MCP server, or `command PORT`."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", *(command or ["config.mcp_server"]), *([str(port)] if command else [])],
        cwd=ROOT,
        env={**os.environ, **server.service.env, "MCP_PORT": str(port), "MCP_URL": server.url, **env},
        start_new_session=True,
    )
    try:
        server.wait(port)
        yield port
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def started(folder: Path, *, stories: int = 3, **env: str) -> Iterator[Server]:
    """A service with data of its own in `folder`, and its MCP server."""
    port = free_port()
    own = {"MCP_PORT": str(port), "RATE_AUTHOR": "100000", "WEB_PROCESSES": "1", **env}
    with service(folder, stories=A_FEW, start=False, **own) as running:
        seed = [sys.executable, "-m", "tests.mcp.seed", str(max(0, stories - A_FEW))]
        done = subprocess.run(seed, cwd=ROOT, env=running.env, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode()
        seeded = json.loads(done.stdout)
        running.seeded["stories"] += seeded.pop("stories")
        running.start()
        server = Server(running, port, seeded)
        server.wait()
        yield server
