"""Third-party OAuth clients against the real service, with the consent given in a real browser."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import HTTPServer
from queue import Queue

import httpx2
import pytest
from playwright.sync_api import Page
from requests_oauthlib import OAuth2Session

from tests.mcp.conftest import OTHERS
from tests.mcp.running import Server
from tests.support.running import ROOT, Service
from tests.support.sdk_client import listening, provider

SCOPES = ["publications:read", "publications:write", "connections:read"]


@pytest.fixture
def running(server: Server) -> Service:
    return server.service


@pytest.fixture
def stories(running: Service) -> list[str]:
    """Those that are of this file alone."""
    return running.seeded["stories"][OTHERS - 3 : OTHERS]


@pytest.fixture
def callback() -> Iterator[HTTPServer]:
    with listening() as server:
        yield server


def metadata_of(running: Service) -> dict[str, str]:
    """Discovery as a client does it: from the challenge of a 401 to the authorization server."""
    challenge = running.call("GET", "/api/v2/me").headers["www-authenticate"]
    where = challenge.split('resource_metadata="')[1].split('"')[0]
    resource = running.call("GET", where.removeprefix(running.url)).json()
    assert resource["authorization_servers"] == [running.url]
    return running.call("GET", "/.well-known/oauth-authorization-server").json()


def registered(running: Service, metadata: dict[str, str], **about: object) -> dict[str, str]:
    where = metadata["registration_endpoint"].removeprefix(running.url)
    body = {"redirect_uris": ["http://127.0.0.1/callback"], **about}
    answer = running.call("POST", where, body, **{"Content-Type": "application/json"})
    assert answer.status == 201
    return answer.json()


def allow(page: Page, address: str, *tick: str) -> None:
    page.goto(address)
    for scope in tick:
        page.check(f"input[value='{scope}']")
    page.click("button[value=allow]")
    page.wait_for_url("**/callback?**")


def test_a_client_library_discovers_registers_publishes_refreshes_and_is_cut_off(
    running, page, callback, stories, monkeypatch
):
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")  # loopback
    metadata = metadata_of(running)
    client_id = registered(running, metadata, client_name="Ink for requests-oauthlib")["client_id"]
    client = OAuth2Session(
        client_id, redirect_uri=f"http://127.0.0.1:{callback.server_port}/callback", scope=SCOPES, pkce="S256"
    )
    address, _ = client.authorization_url(metadata["authorization_endpoint"])
    allow(page, address, "publications:write")
    first = client.fetch_token(
        metadata["token_endpoint"], authorization_response=callback.told, include_client_id=True
    )

    story = stories[0]
    api = f"{running.url}/api/v2"
    published = client.put(f"{api}/stories/{story}/publication", json={"premiereEmailMode": "OFF"})
    assert published.status_code == 200, published.text
    assert running.call("GET", published.json()["url"]).status == 200
    second = client.refresh_token(metadata["token_endpoint"], client_id=client_id)
    assert second["refresh_token"] != first["refresh_token"]
    apps = client.get(f"{api}/connected-apps").json()["items"]
    (ink,) = (app for app in apps if app["clientName"] == "Ink for requests-oauthlib")
    assert ink["lastUsedAt"]

    own = {"Authorization": f"Bearer {running.seeded['token']}"}
    assert running.call("DELETE", f"/api/v2/connected-apps/{ink['id']}", **own).json() == {"revoked": True}
    assert client.get(f"{api}/me").status_code == 401


def test_the_mcp_packages_client_finds_its_way_from_a_401_and_refreshes(running, page, callback, stories):
    asked: Queue[str] = Queue()

    async def work() -> list[int]:
        auth = provider(f"{running.url}/api/v2", callback, asked)
        async with httpx2.AsyncClient(auth=auth, base_url=f"{running.url}/api/v2", timeout=60) as client:
            story = stories[1]
            answers = [await client.get("/me"), await client.put(f"/stories/{story}/publication")]
            auth.context.token_expiry_time = 1  # it believes that its token has expired
            answers.append(await client.get("/me"))
            return [answer.status_code for answer in answers]

    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(asyncio.run, work())
        allow(page, asked.get(timeout=30), "publications:write")
        assert result.result(timeout=60) == [200, 200, 200]


def test_the_example_app_publishes_after_asking_for_the_mode(running, page, stories):
    story = stories[2]
    app = subprocess.Popen(
        [sys.executable, "examples/publish_as_an_app.py", running.url, story],
        cwd=ROOT,
        env={**running.env, "BROWSER": "true"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert app.stdout is not None
    app.stdout.readline()
    allow(page, app.stdout.readline().strip(), "publications:write")
    told, _ = app.communicate("3\n", timeout=120)
    assert app.returncode == 0
    assert "Granted: publications:read publications:write" in told
    assert f"Published: /north-shore/story-{OTHERS - 1}" in told and "Refreshed." in told
