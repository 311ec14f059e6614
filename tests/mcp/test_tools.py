"""What the tools of the MCP server tell and do, through the SDK's own client."""

from __future__ import annotations

import re

import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.running import called, run

NAMES = [
    *[
        "list_workspaces",
        "list_stories",
        "create_story",
        "update_story",
        "add_edition",
        "get_story",
        "add_scenes",
    ],
    *[
        "update_scene",
        "remove_scene",
        "add_media_from_url",
        "create_upload_link",
        "get_media",
        "view_picture",
    ],
    *[
        "build_preview",
        "check_readiness",
        "publish_story",
        "unpublish_story",
        "set_visibility",
        "cancel_premiere",
    ],
    "search_feed",
]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_there_are_twenty_tools_of_24_kb_with_titles_hints_and_schemas(server, mode):
    async def work():
        async with server.client(mode=mode) as client:
            return client.protocol_version, client.instructions, await client.list_tools()

    version, instructions, found = run(work)
    assert version == ("2026-07-28" if mode == "auto" else "2025-11-25")
    assert "only when the person asked" in instructions
    assert [tool.name for tool in found.tools] == NAMES
    told = found.model_dump_json(by_alias=True, exclude_none=True)
    assert len(told.encode()) <= 24_000
    for tool in found.tools:
        assert tool.title and tool.description and tool.annotations and tool.output_schema, tool.name
        assert tool.input_schema["additionalProperties"] is False, tool.name
    hints = {tool.name: tool.annotations for tool in found.tools}
    assert hints["get_story"].read_only_hint and not hints["create_story"].read_only_hint
    writing = {name: hint for name, hint in hints.items() if not hint.read_only_hint}
    # What a hint leaves out is yes, says the protocol.
    destroying = [name for name, hint in writing.items() if hint.destructive_hint is not False]
    assert destroying == ["remove_scene", "unpublish_story", "cancel_premiere"]
    reaching = [name for name, hint in hints.items() if hint.open_world_hint is not False]
    assert "publish_story" in reaching and "get_story" not in reaching


def test_a_preview_is_built_with_progress(server):
    seen = []

    async def note(progress, total, message):
        seen.append((progress, total))

    async def work():
        async with server.client() as client:
            return await client.call_tool("build_preview", {"story": server.story}, progress_callback=note)

    told = run(work).structured_content
    assert told["state"] == "ready" and told["ready"] and told["faults"] == []
    assert (100, 100) in seen


def test_resources_and_prompts_are_there(server):
    async def work():
        async with server.client("reads") as client:
            templates = await client.list_resource_templates()
            draft = await client.read_resource(f"capsules://stories/{server.story}")
            feed = await client.read_resource("capsules://feed?q=nothing-like-this")
            prompt = await client.get_prompt("turn_into_capsule", {"text": "Once upon a time."})
            return templates, draft, feed, prompt

    templates, draft, feed, prompt = run(work)
    assert len(templates.resource_templates) == 3
    assert re.search(
        r"## 1\. Scene 1\n\nThis is scene 1 of Story 0\.\n\n!\[Picture 1\.\]\([0-9a-f-]{36}\)",
        draft.contents[0].text,
    )
    assert "instruction" in feed.contents[0].text
    assert "Do not publish" in prompt.messages[0].content.text


@pytest.mark.parametrize(
    "prompt, arguments, words",
    [
        ("unknown_prompt", {}, "There is no such prompt."),
        ("turn_into_capsule", {}, "Give this prompt the argument text."),
        ("review_capsule", {"story": "x", "sugar": "2"}, "This prompt has no argument sugar."),
    ],
)
def test_a_prompt_that_cannot_be_given_is_its_callers_fault(server, prompt, arguments, words):
    async def work():
        async with server.client("reads") as client:
            with pytest.raises(MCPError) as refused:
                await client.get_prompt(prompt, arguments)
            return refused.value

    refused = run(work)
    assert (refused.code, refused.message) == (-32602, words)


def test_a_body_over_the_limit_is_refused(server):
    answer = server.post(called("get_story", story="x" * 300_000))
    assert answer.status_code == 413
    assert server.post(b"[" * 100_000).status_code == 400


def test_what_refuses_a_request_before_any_tool_reads_it_reaches_the_model(server):
    async def work():
        async with server.client("reads") as client:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("get_story", {"story": "x" * 300_000})
            return refused.value.message

    words = "A request has at most 256 KiB. Files go through create_upload_link. Send less at once."
    assert run(work) == words
