"""Tools about previews: rendering a draft, and what it still needs before it can be published."""

from __future__ import annotations

import time
from typing import Annotated

import anyio
from django.conf import settings
from mcp.server.mcpserver import Context
from pydantic import Field
from typing_extensions import TypedDict

from accounts.actors import STORIES_READ, STORIES_WRITE
from accounts.mcp.tools import PATIENCE, in_thread, me, still_me, tool
from capsules.actions import previews
from capsules.mcp.answers import FaultAnswer, fault_answers
from capsules.mcp.inputs import StoryId, story_of
from capsules.models import Preview, Story
from capsules.wire.previews import preview_on_wire, readiness_on_wire
from config.json_types import JsonObject

POLL = 1.0  # seconds; each brings a progress notification


class PreviewAnswer(TypedDict, total=False):
    number: int
    state: str
    percent: int
    is_current: bool
    failed: list[dict[str, object]]  # as faults
    ready: bool
    faults: list[FaultAnswer]
    preview_url: str
    next: str


class Readiness(TypedDict):
    ready: bool
    faults: list[FaultAnswer]
    advice: list[dict[str, object]]  # as faults
    preview: dict[str, object] | None


@tool("Build a preview", scope=STORIES_WRITE, rate="author", idempotent=True)
async def build_preview(
    ctx: Context,
    story: StoryId,
    wait_seconds: Annotated[int, Field(ge=0, le=PATIENCE)] = 30,
) -> PreviewAnswer:
    """Renders the draft as it is now and waits for it. A publish takes the latest preview, so call this after the
    last change and before publish_story. While state is building, call it again."""
    found = await in_thread("author", story_of, story, to_write=True)
    preview = await in_thread("author", requested, found)
    deadline = time.monotonic() + wait_seconds
    while True:
        answer: JsonObject = await in_thread("read", preview_now, found.pk, preview.pk)
        await ctx.report_progress(answer["percent"], 100, f"{answer['percent']} % rendered")
        if answer["state"] != "building" or time.monotonic() + POLL > deadline:
            return answer  # type: ignore[return-value]
        await anyio.sleep(POLL)


def requested(story: Story) -> Preview:
    """The preview of the draft as it is; what failed of it is tried again."""
    latest = story.latest_preview
    if latest is not None and latest.revision == story.revision and latest.state == "failed":
        previews.retry_preview(story, latest, by=me())
        return latest
    return previews.request_preview(story, by=me())


def preview_now(story_id: object, preview_id: int) -> dict[str, object]:
    story = story_of(str(story_id), by=still_me())
    preview = Preview.objects.prefetch_related("encodes").get(pk=preview_id)
    found = readiness_on_wire(story)
    answer = preview_answer(preview_on_wire(preview, story), story)
    answer |= {"ready": found["ready"], "faults": fault_answers(found["faults"])}
    if answer["state"] == "building":
        answer["next"] = "Still rendering: call build_preview again."
    elif answer["failed"]:
        answer["next"] = (
            "Give the scenes that failed other media with update_scene, or call build_preview again."
        )
    elif found["ready"]:
        answer["next"] = "It can be published, if the person asks for that."
    else:
        answer["next"] = "Mend the faults, then call build_preview again."
    return answer


def preview_answer(wire: JsonObject, story: Story) -> dict[str, object]:
    failed = [item for item in wire["items"] if item["state"] == "failed"]
    return {
        "number": wire["number"],
        "state": wire["state"],
        "percent": wire["percent"],
        "is_current": wire["isCurrent"],
        "failed": [
            {"path": item["part"], "message": item["error"] or "", "scene": item["sceneId"] or ""}
            for item in failed
        ],
        "preview_url": f"{settings.APP_URL}/studio/stories/{story.pk}/preview/{wire['number']}",
    }


@tool("Check readiness", scope=STORIES_READ)
def check_readiness(story: StoryId) -> Readiness:
    """What a capsule must still get before it can be published (faults), and what would make it better (advice)."""
    return readiness_answer(story_of(story))


def readiness_answer(story: Story) -> Readiness:
    found = readiness_on_wire(story)
    preview = found["preview"]
    return {
        "ready": found["ready"],
        "faults": fault_answers(found["faults"]),
        "advice": list(map(dict, fault_answers(found["advice"]))),
        "preview": preview_answer(preview, story) if preview else None,
    }


TOOLS = [build_preview, check_readiness]
