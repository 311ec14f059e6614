"""The MCP server is killed: readers, writers and premieres notice nothing, and it is back by itself."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.mcp.running import called, started

DELAY = 4  # seconds from the publish to its premiere email
SUBSCRIBERS = 3
TOKEN = "a-token-for-prometheus"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A service of its own: what is killed here is missed by nobody else."""
    own = {"PREMIERE_DELAY": str(DELAY), "SWEEP_INTERVAL": "2", "METRICS_TOKEN": TOKEN}
    with started(tmp_path_factory.mktemp("killed"), **own) as server:
        yield server


def premiere_mails(server):
    outbox = Path(server.service.env["DATA_DIR"], "outbox")
    return [path for path in outbox.rglob("*") if path.is_file() and b"reader" in path.read_bytes()]


def test_a_killed_mcp_server_is_missed_by_nobody_and_comes_back(alone):
    service, story = alone.service, alone.story
    assert not premiere_mails(alone)
    assert service.kill("mcp_server") >= 1
    published = service.publication("PUT", story, {"premiereEmailMode": "TEASER"})
    assert published.status == 200
    page = published.json()["url"]
    deadline = time.monotonic() + DELAY + 120
    while len(premiere_mails(alone)) < SUBSCRIBERS:
        assert time.monotonic() < deadline, "The premiere did not go out."
        service.kill("mcp_server")  # as often as it comes back
        for path in ("/", page, "/api/v2/feed", "/oauth/authorize"):
            began = time.monotonic()
            assert service.call("GET", path).status in (200, 400), path
            assert time.monotonic() - began < 10
        time.sleep(1)
    assert service.publication("PUT", story, {}).json()["isRepublish"] is True

    alone.wait()
    assert not alone.call("list_stories").is_error
    assert alone.post(called("get_story", story=story)).status_code == 200
    metrics = service.call("GET", "/metrics", Authorization=f"Bearer {TOKEN}").body.decode()
    assert 'capsules_process_age_seconds{process="mcp ' in metrics
