"""Tools of the MCP server, called in this process as somebody's app calls them."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from accounts.actors import Actor
from accounts.mcp.tools import ScopedTool


def ask(tool: ScopedTool, by: Actor, **arguments: Any) -> Any:
    """What the SDK gets of a tool."""
    token = AccessToken(token="", client_id="x", scopes=[], claims={"actor": by})
    before = auth_context_var.set(AuthenticatedUser(token))
    try:
        # In a thread of its own: this one may have the event loop of a browser.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(copy_context().run, asyncio.run, tool.run(arguments, None)).result()
    finally:
        auth_context_var.reset(before)


def call(tool: ScopedTool, by: Actor, **arguments: Any) -> dict[str, Any]:
    """What a tool answers to an app of this person."""
    result = ask(tool, by, **arguments)
    assert not result.is_error, result.content
    return dict(json.loads(result.content[-1].text))
