"""`python -m tests.mcp.reference PORT`: a server with the conformance suite's own tools, to judge our stack by.

Everything between the socket and those functions is what `config.mcp` puts together for the product: the gate, the
look-up of credentials, the transport, the wording of results and refusals.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import uvicorn


def make_application() -> Any:
    """The whole application, as `config.mcp.make_application` puts it together."""
    import django

    django.setup()
    from config.mcp import behind_gate, make_server
    from tests.mcp.reference_tools import PROMPTS, RESOURCES, TOOLS

    return behind_gate(make_server(TOOLS, RESOURCES, PROMPTS), TOOLS, RESOURCES)


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    uvicorn.run(make_application(), port=int(sys.argv[1]), log_config=None, access_log=False, ws="none")


if __name__ == "__main__":
    main()
