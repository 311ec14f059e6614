"""What the gate of the MCP server counts, asked in this process."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from accounts.actors import Actor
from accounts.models import User
from accounts.people.sealing import keys_for
from config import mcp_gate
from config.errors import Throttled
from tests.mcp.running import called, rpc, run


def counted(body: bytes, monkeypatch) -> list[tuple[Any, ...]]:
    """What one POST counts against the rates of its connection."""
    counts: list[tuple[Any, ...]] = []

    async def in_thread(lane: str, function: Any, *args: Any) -> None:
        counts.append(args)

    async def server(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    monkeypatch.setattr(mcp_gate, "in_thread", in_thread)
    actor = Actor(User(), "connection:1")
    token = AccessToken(token="", client_id="x", scopes=[], claims={"actor": actor})
    scope = {
        "type": "http",
        "path": "/mcp",
        "method": "POST",
        "headers": [],
        "user": AuthenticatedUser(token),
    }
    run(lambda: mcp_gate.Gate(server, {"get_story": None}, {})(scope, receive, None))  # type: ignore[arg-type]
    return counts


@pytest.mark.parametrize(
    "header, words",
    [(b"", "Connect first: send"), (b"Bearer spent", "Connect again: this token has expired")],
)
def test_whoever_sent_a_token_is_not_told_to_send_one(header, words, monkeypatch):
    async def in_thread(lane: str, function: Any, *args: Any) -> None:
        """Nothing is noted of a token that nobody gave."""

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(mcp_gate, "in_thread", in_thread)
    headers = [(b"authorization", header)] if header else []
    scope = {"type": "http", "path": "/mcp", "method": "POST", "headers": headers}
    run(lambda: mcp_gate.Gate(None, {}, {})(scope, None, send))  # type: ignore[arg-type]
    assert (sent[0]["status"], words in sent[1]["body"].decode()) == (401, True)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"7", b'"text"', b"\xff", b"[1, 2]", json.dumps(rpc("tools/list")).encode()]
)
def test_a_body_without_any_call_of_a_tool_counts_as_a_read(body, monkeypatch):
    assert counted(body, monkeypatch) == [("read", "connection:1")]


def test_a_call_of_a_tool_counts_for_itself(monkeypatch):
    assert counted(json.dumps(called("get_story")).encode(), monkeypatch) == []


@pytest.mark.parametrize(
    "call", [called("no_such_tool"), rpc("tools/call"), {"method": "tools/call", "params": [1]}]
)
def test_a_call_of_no_tool_that_there_is_counts_as_a_read(call, monkeypatch):
    assert counted(json.dumps(call).encode(), monkeypatch) == [("read", "connection:1")]


def test_a_call_of_a_tool_takes_nothing_else_of_its_body_along(monkeypatch):
    body = json.dumps([called("get_story"), rpc("tools/list")]).encode()
    assert counted(body, monkeypatch) == [("read", "connection:1")]


def test_a_connection_that_has_24_calls_under_way_waits_for_one_to_end(monkeypatch):
    over, begun = anyio.Event(), 0

    async def server(scope: Any, receive: Any, send: Any) -> None:
        nonlocal begun
        begun += 1
        await over.wait()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(called("get_story")).encode(), "more_body": False}

    gate = mcp_gate.Gate(server, {"get_story": None}, {})

    async def call(credential: str) -> None:
        await gate.answer(Actor(User(), credential), {"headers": []}, receive, None)  # type: ignore[arg-type]

    async def calls() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(mcp_gate.AT_ONCE):
                group.start_soon(call, "connection:1")
            group.start_soon(call, "connection:2")  # another one is not held up
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Throttled), anyio.move_on_after(1):
                await call("connection:1")
            over.set()
        await call("connection:1")

    run(calls)
    assert begun == mcp_gate.AT_ONCE + 2 and not gate.under_way


def test_what_was_asked_before_the_secret_changed_can_be_answered_after_it(settings):
    (before,) = keys_for(b"questions")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    now, kept = keys_for(b"questions")
    assert kept == before != now
