"""How a function becomes a resource of the MCP server."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from accounts.mcp.tools import in_thread
from config.api import error_from
from config.errors import NotFound


@dataclass(frozen=True)
class ReadableResource:
    """Serves what `read`, a function that uses the database, returns for addresses of the form `uri`."""

    uri: str
    name: str
    title: str
    description: str
    read: Callable[..., str]
    scope: str | None
    mime_type: str = "text/markdown"

    def reader(self) -> Callable[..., object]:
        @functools.wraps(self.read)
        async def read(**arguments: object) -> str:
            try:
                text: str = await in_thread("read", self.read, **arguments)
            except NotFound as error:
                raise ResourceNotFoundError(str(error)) from error
            except Exception as exc:
                refusal = error_from(exc)
                told = " ".join([str(refusal), *(fault.message for fault in refusal.faults)])
                raise ResourceError(told) from exc
            return text

        return read
