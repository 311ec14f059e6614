"""The MCP server is killed: readers, writers and premieres notice nothing, and it is back by itself."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from tests.faults.app_publishes import premieres_sent
from tests.mcp.conftest import METRICS_TOKEN, OTHERS
from tests.mcp.running import Server, called
from tests.support.running import Service

SUBSCRIBERS = 3
MCP = f"mcp_server\n {sys.executable} manage.py serve"  # the service's own, and not what other tests start beside it
DUE = """
UPDATE publishing_premiere SET due_at = CURRENT_TIMESTAMP
WHERE publication_id = (SELECT id FROM publishing_publication WHERE story_id = '{}') RETURNING id
"""


@contextmanager
def without_mcp(service: Service) -> Iterator[None]:
    """The MCP server is killed, and what would start another one waits."""
    assert service.process is not None
    os.kill(service.process.pid, signal.SIGSTOP)
    try:
        assert service.kill(MCP) >= 1
        yield
    finally:
        os.kill(service.process.pid, signal.SIGCONT)


def test_a_killed_mcp_server_is_missed_by_nobody_and_comes_back(server):
    service, story = server.service, server.service.seeded["stories"][OTHERS - 1]
    with without_mcp(service):
        goes_out_without_it(server, story)
    server.wait()
    assert not server.call("list_stories").is_error
    assert server.post(called("get_story", story=story)).status_code == 200
    metrics = service.call("GET", "/metrics", Authorization=f"Bearer {METRICS_TOKEN}").body.decode()
    assert 'capsules_process_age_seconds{process="mcp ' in metrics


def goes_out_without_it(server: Server, story: str) -> None:
    """A capsule to its readers, and its premiere to their mailboxes."""
    service = server.service
    published = service.publication("PUT", story, {"premiereEmailMode": "TEASER"})
    assert published.status == 200
    page = published.json()["url"]
    assert service.sql(DUE.format(UUID(story).hex))
    deadline = time.monotonic() + 120
    while premieres_sent(server)[published.json()["slug"]] < SUBSCRIBERS:
        assert time.monotonic() < deadline, "The premiere did not go out."
        for path in ("/", page, "/api/v2/feed", "/oauth/authorize"):
            began = time.monotonic()
            assert service.call("GET", path).status in (200, 400), path
            assert time.monotonic() - began < 10
        time.sleep(1)
    assert service.publication("PUT", story, {}).json()["isRepublish"] is True
