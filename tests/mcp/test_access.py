"""Who may call the MCP server: audiences, permissions, roles, workspaces, and connections that end."""

from __future__ import annotations

import http.client
import time

import httpx2
import pytest

from tests.mcp.running import UNUSED, called, rpc

DRAFT = {"title": "A draft", "language": "en"}


def test_without_a_token_the_way_to_one_is_shown(server):
    answer = server.post(rpc("tools/list"), who=None)
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    assert f'resource_metadata="{server.service.url}/.well-known/oauth-protected-resource/mcp"' in challenge
    assert 'scope="stories:read stories:write publications:read publications:write"' in challenge
    document = server.service.call("GET", "/.well-known/oauth-protected-resource/mcp").json()
    assert document["resource"] == server.url and len(document["scopes_supported"]) == 4


def test_a_connection_outlasts_the_silence_in_which_clients_and_proxies_keep_it(server):
    """Node keeps one for 4 seconds, and nginx as deploy/nginx.conf says; uvicorn by itself closes it after 5."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for silence in (0, 6):
        time.sleep(silence)
        connection.request("GET", "/health")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')


def test_a_token_is_for_one_resource_alone(server):
    assert server.post(rpc("tools/list"), who=server.service.seeded["token"]).status_code == 401
    own = {"Authorization": f"Bearer {server.seeded['own']}"}
    assert server.service.call("GET", "/api/v2/me", **own).status == 401


@pytest.mark.parametrize("token", ["x", "a.b.c", "Bearer x"])
def test_what_is_no_token_is_refused(server, token):
    assert server.post(rpc("tools/list"), who=None, Authorization=f"Bearer {token}").status_code == 401


@pytest.mark.parametrize(
    "who, call, wanted",
    [
        ("reads", called("create_story", **DRAFT), "stories:read stories:write"),
        ("writes", called("publish_story", story="x"), "stories:read stories:write publications:write"),
    ],
)
def test_a_missing_permission_is_a_challenge_that_names_it_beside_the_others(server, who, call, wanted):
    answer = server.post(call, who=who)
    assert answer.status_code == 403
    challenge = answer.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge and f'scope="{wanted}"' in challenge
    assert "/.well-known/oauth-protected-resource/mcp" in challenge
    told = answer.json()
    assert (told["jsonrpc"], told["id"]) == ("2.0", 1)  # clients show the words of an error of JSON-RPC
    assert wanted.split()[-1] in told["error"]["message"] and "Connect again" in told["error"]["message"]


def test_a_draft_is_read_as_a_resource_with_the_permission_of_the_tool(server):
    uri = f"capsules://stories/{server.story}"
    assert server.post(rpc("resources/read", uri=uri), who="publishes only").status_code == 403


def test_a_call_among_several_needs_its_permission_too(server):
    batch = [rpc("tools/list"), called("create_story", **DRAFT)]
    assert server.post(batch, who="reads").status_code == 403


def test_a_viewer_cannot_write_whatever_the_app_was_granted(server):
    result = server.call("create_story", DRAFT, who="viewer")
    assert result.is_error and "role" in result.content[0].text
    assert server.call("get_story", {"story": server.story}, who="viewer").is_error is False
    published = server.call(
        "publish_story", {"story": server.story, "premiere_email_mode": "OFF"}, who="viewer"
    )
    assert published.is_error and "role" in published.content[0].text


def test_workspaces_outside_the_connection_do_not_exist(server):
    elsewhere = server.seeded["elsewhere"]
    mine = server.call("create_story", {**DRAFT, "workspace": elsewhere})
    assert not mine.is_error
    foreign = server.call("get_story", {"story": mine.structured_content["id"]}, who="publishes")
    unknown = server.call("get_story", {"story": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"}, who="publishes")
    assert foreign.is_error and foreign.content == unknown.content
    assert server.call("create_story", {**DRAFT, "workspace": elsewhere}, who="publishes").is_error
    neighbour = server.service.seeded["neighbour"]["story"]
    assert server.call("get_story", {"story": neighbour}).content == unknown.content


def test_a_disconnected_app_is_refused_at_its_next_call(server):
    who = "is revoked"
    assert server.post(called("list_stories"), who=who).status_code == 200
    own = {"Authorization": f"Bearer {server.service.seeded['token']}"}
    id = server.seeded["is revoked: connection"]
    assert server.service.call("DELETE", f"/api/v2/connected-apps/{id}", **own).json() == {"revoked": True}
    assert server.post(called("list_stories"), who=who).status_code == 401


def test_a_foreign_host_is_refused(server):
    assert server.post(rpc("tools/list"), Host="evil.example").status_code == 421


def test_only_post_is_answered(server):
    headers = {"Authorization": f"Bearer {server.seeded['own']}", "Accept": "text/event-stream"}
    with httpx2.Client(verify=UNUSED) as client:
        for method in ("GET", "DELETE"):
            answer = client.request(method, server.url, headers=headers)
            assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
