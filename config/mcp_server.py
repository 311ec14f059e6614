"""The MCP server's own process, which AI apps talk to: granian, one event loop, no sessions.

    python -m config.mcp_server [--host 127.0.0.1]

It shares nothing with the web processes but the database, so neither can take a thread from the other.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from django.conf import settings
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels

from config.processes import die_with_parent
from config.web_server import FOR_THIS_MACHINE, is_loopback


def make_application() -> Any:
    """Called by granian in the process that serves."""
    import django

    die_with_parent()  # else the port stays taken when the one that starts it again was killed
    django.setup()
    from config.database import limit_statements
    from config.mcp import make_application

    limit_statements()
    return make_application()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    if settings.DEVELOPMENT and not is_loopback(options.host):
        parser.error(FOR_THIS_MACHINE)
    Granian(
        "config.mcp_server:make_application",
        factory=True,
        address=options.host,
        port=settings.MCP_PORT,
        interface=Interfaces.ASGI,
        http=HTTPModes.auto,
        workers=1,
        backlog=256,
        backpressure=settings.MCP_CONNECTIONS,
        respawn_failed_workers=True,
        workers_kill_timeout=settings.STOP_PATIENCE,
        websockets=False,
        log_level=LogLevels.error,
    ).serve()


if __name__ == "__main__":
    main()
