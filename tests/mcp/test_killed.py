"""The MCP server is killed, and is back by itself."""

from __future__ import annotations

import sys

from tests.mcp.conftest import METRICS_TOKEN
from tests.mcp.running import called

MCP = f"mcp_server\n {sys.executable} manage.py serve"  # the service's own, and not what other tests start beside it


def test_a_killed_mcp_server_comes_back(server):
    service, story = server.service, server.story
    assert service.kill(MCP) >= 1
    server.wait()
    assert not server.call("list_stories").is_error
    assert server.post(called("get_story", story=story)).status_code == 200
    metrics = service.call("GET", "/metrics", Authorization=f"Bearer {METRICS_TOKEN}").body.decode()
    assert 'capsules_process_age_seconds{process="mcp ' in metrics
