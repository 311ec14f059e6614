"""What the tests of this folder share: somebody's app, and one running service with its MCP server."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from accounts.models import Membership, User, Workspace
from capsules.models import Asset, Story
from tests.mcp.running import Server, started


@pytest.fixture
def still(ready_story: Story) -> Asset:
    found: Asset = ready_story.scenes.get(position=0).still
    return found


@pytest.fixture
def annexe(owner: User) -> Workspace:
    """A second workspace of North Shore's owner."""
    workspace = Workspace.objects.create(name="annexe", title="Annexe")
    Membership.objects.create(workspace=workspace, user=owner, role="owner")
    return workspace


@pytest.fixture
def nobody_renders(server: Server) -> Iterator[None]:
    """The worker is frozen, so that what waits for it waits."""
    workers = [pid for pid, command in server.service.processes().items() if "celery" in command]
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    yield
    for pid in workers:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture
def still_renders(server: Server, nobody_renders: None) -> str:
    """A capsule whose preview does not get ready."""
    scenes = server.call("get_story", {"story": server.story}).structured_content["scenes"]
    given = [{"text": "Waits.", "media_id": scenes[0]["media_id"], "focus": [0.11, 0.83]} for _ in range(3)]
    made = server.call("create_story", {"title": "Not yet", "language": "en", "scenes": given})
    return str(made.structured_content["id"])


@pytest.fixture
def revocable(server: Server) -> tuple[str, str]:
    """A connection of its own for one test: who it is for `Server.post`, and its id."""
    return "is revoked later", server.seeded["is revoked later: connection"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("mcp")) as server:
        yield server
