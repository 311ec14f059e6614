"""The MCP server's own process, which AI apps talk to: uvicorn, one event loop, no sessions.

    python -m config.mcp_server [--host 127.0.0.1]

It shares nothing with the web processes but the database, so neither can take a thread from the other.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import uvicorn
from django.conf import settings

from config import stopping
from config.database import limit_statements
from config.processes import call_process, load
from config.web_server import host_of_command_line, raise_file_limit


def main() -> None:
    run(host_of_command_line())


def run(host: str) -> None:
    call_process("mcp_server")
    raise_file_limit()
    load()
    limit_statements()
    from accounts import visits
    from capsules import alive
    from config.mcp import make_application

    application = make_application()
    alive.start("mcp")
    visits.start_writing()
    # uvicorn sends itself the signal again once it has ended: by this the block below is left, and not the process.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit())
    try:
        serve(application, host)
    finally:
        stopping.begin()


def serve(application: Any, host: str) -> None:
    uvicorn.run(
        application,
        host=host,
        port=settings.MCP_PORT,
        backlog=256,
        limit_concurrency=settings.MCP_CONNECTIONS,
        # Longer than clients and proxies keep a connection: what they send while it is being closed is lost.
        timeout_keep_alive=settings.CLIENT_PATIENCE,
        timeout_graceful_shutdown=settings.STOP_PATIENCE,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
    )


if __name__ == "__main__":
    main()
