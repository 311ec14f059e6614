"""What the tests of this folder share: somebody's app, and one running service with its MCP server."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, Page

from accounts.models import Membership, User, Workspace
from capsules.models import Asset, Story
from tests.faults import app_publishes
from tests.mcp.running import Server, another, started
from tests.support.chromium import log_in

OTHERS = 6  # capsules of the service, beside one for each try of test_tries
#: Of test_tries: who publishes through which host. The others differ in what its answer says, which test_going_live
#: and test_publishing see.
TRIES = (
    ("own", "agrees"),
    ("publishes", "agrees"),
    ("publishes", "declines"),
    ("prepares", "agrees"),
    ("personal", "breaks"),
    ("publishes", "cannot ask"),
    ("prepares", "old protocol"),
    ("own", "cannot ask"),
    ("publishes", "old protocol, would agree"),
)
PREMIERE_DELAY = 20  # seconds from a publish to its premiere email
METRICS_TOKEN = "a-token-for-prometheus"
STRICT_READS = 20  # a minute


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

    def tell(what: signal.Signals) -> None:
        for pid in workers:
            os.kill(pid, what)

    tell(signal.SIGSTOP)
    while not can_write(server):
        tell(signal.SIGCONT)
        time.sleep(0.1)
        tell(signal.SIGSTOP)
    yield
    tell(signal.SIGCONT)


def can_write(server: Server) -> bool:
    """Whether nobody was frozen in the middle of a write, for whose end all others would wait on SQLite."""
    with suppress(sqlite3.OperationalError):
        return server.service.sql("DELETE FROM capsules_story WHERE 1 = 0 RETURNING id") == []
    return False


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


#: What an app that nobody registered tells of itself, at the address that is its client id.
CLIENT_DOCUMENT = {
    "client_id": "https://quill.example/client.json",
    "client_name": "Quill",
    "client_uri": "https://quill.example",
    "redirect_uris": ["http://127.0.0.1/callback"],
    "token_endpoint_auth_method": "none",
    "scope": "stories:read stories:write publications:read publications:write",
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Its public web is this machine: it gets the document of an app, and pictures from 127.0.0.1."""
    folder = tmp_path_factory.mktemp("mcp")
    document = folder / "client.json"
    document.write_text(json.dumps(CLIENT_DOCUMENT))
    open_net = {"DJANGO_SETTINGS_MODULE": "tests.support.open_net", "CLIENT_DOCUMENT": str(document)}
    soon = {"PREMIERE_DELAY": str(PREMIERE_DELAY), "SWEEP_INTERVAL": str(app_publishes.SWEEP)}
    own = {**open_net, **soon, "METRICS_TOKEN": METRICS_TOKEN}
    with started(folder, stories=OTHERS + len(TRIES), **own) as server:
        yield server


@pytest.fixture(scope="session")
def strict(server: Server) -> Iterator[int]:
    """The port of another process on the same data, which allows few calls a minute of each kind. Calls are counted for
    a connection, not for a process: a client's greeting is a read.
    """
    with another(server, RATE_AUTHOR="5", RATE_WRITE="5", RATE_READ=str(STRICT_READS)) as port:
        yield port


@pytest.fixture(scope="session")
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """Chromium, logged in as the owner through the login page."""
    page = browser.new_page()
    page.set_default_timeout(90_000)  # a busy machine is not a fault of the service
    log_in(page, server.service.url)
    yield page
    page.close()
