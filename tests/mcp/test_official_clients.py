"""The official TypeScript clients, as npm has them, beside the Python one that the other files use."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "official_clients.mjs"
PACKAGES = {"v1": "@modelcontextprotocol/sdk@1.32.2", "v2": "@modelcontextprotocol/client@2.4.0"}


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """A folder with both clients; skipped, loudly, without Node or npm's registry."""
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(SCRIPT, folder)
    options = "--no-audit --no-fund --prefer-offline --fetch-retries=0"
    install = ["npm", "install", *options.split(), *PACKAGES.values()]
    if not shutil.which("npm") or subprocess.run(install, cwd=folder, capture_output=True).returncode:
        pytest.skip("NO NODE, OR NPM IS OUT OF REACH: THE OFFICIAL TYPESCRIPT CLIENTS ARE NOT TRIED")
    return folder


@pytest.mark.parametrize("number, version", [(0, "v1"), (1, "v2")])
def test_the_official_typescript_clients_read_are_refused_and_publish(number, version, server, node):
    story = server.service.seeded["stories"][number + 1]
    command = ["node", SCRIPT.name, server.url, server.seeded["publishes"], story, version]
    done = subprocess.run(command, cwd=node, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["server"], told["tools"], told["refused"]) == ("capsules", 20, True)
    assert told["title"] == f"Story {number + 1}" and told["published"]["premiere"]["state"] == "none"
    # The first cannot be asked in the middle of a call, so its person is told; the second asks them.
    assert bool(told["asked"]) == (version == "v2")
    assert ("told by email" in told["published"].get("note", "")) == (version == "v1")
