"""The official TypeScript clients, as npm has them, beside the Python one that the other files use."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.migrated import cache

SCRIPT = Path(__file__).parent / "official_clients.mjs"
PACKAGES = {"v1": "@modelcontextprotocol/sdk@1.32.2", "v2": "@modelcontextprotocol/client@2.4.0"}


@pytest.fixture(scope="module")
def node():
    """A folder with both clients, kept for these versions; skipped, loudly, without Node or npm's registry."""
    versions = [package.rpartition("@")[2] for package in PACKAGES.values()]
    folder = cache() / "-".join(["clients", *versions])
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists() and not installed(folder):
            pytest.skip("NO NODE, OR NPM IS OUT OF REACH: THE OFFICIAL TYPESCRIPT CLIENTS ARE NOT TRIED")
        (folder / "installed").touch()
        shutil.copy(SCRIPT, folder)
        yield folder


def installed(folder):
    options = "--no-audit --no-fund --prefer-offline --fetch-retries=0"
    install = ["npm", "install", *options.split(), *PACKAGES.values()]
    return shutil.which("npm") and not subprocess.run(install, cwd=folder, capture_output=True).returncode


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
