"""Tools of the MCP server, called in this process as somebody's app calls them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from mcp import Client
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp_types import ElicitResult

from accounts.actors import Actor
from accounts.mcp.tools import ScopedTool
from config.mcp import make_server


def ask(tool: ScopedTool, by: Actor, **arguments: Any) -> Any:
    """What the SDK gets of a tool."""
    return awaited(by, lambda: tool.run(arguments, None))


def awaited(by: Actor, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """What `work` comes to for an app of this person."""
    token = AccessToken(token="", client_id="x", scopes=[], claims={"actor": by})
    before = auth_context_var.set(AuthenticatedUser(token))
    try:
        # In a thread of its own: this one may have the event loop of a browser.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(copy_context().run, lambda: asyncio.run(work())).result()
    finally:
        auth_context_var.reset(before)


def through_client(by: Actor, work: Callable[[Client], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    """What `work` gets of the whole server in this process, through the SDK's own client."""

    async def connected() -> Any:
        async with Client(make_server(), **options) as client:
            return await work(client)

    return awaited(by, connected)


def call(tool: ScopedTool, by: Actor, **arguments: Any) -> dict[str, Any]:
    """What a tool answers to an app of this person."""
    result = ask(tool, by, **arguments)
    assert not result.is_error, result.content
    return dict(json.loads(result.content[-1].text))


def refusal(tool: ScopedTool, by: Actor, **arguments: Any) -> dict[str, Any]:
    """What a tool that refuses says to an app of this person."""
    result = ask(tool, by, **arguments)
    assert result.is_error, result.content
    return dict(result.structured_content)


def person_who(action: str, **content: str) -> tuple[Any, list[Any]]:
    """Answers questions as a person does; the list has what they were asked."""
    asked: list[Any] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params)
        return ElicitResult(action=action, content=content or None)  # type: ignore[arg-type]

    return answer, asked
