"""Tools about capsules: find, make and change them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from django.db import transaction
from pydantic import BaseModel, ConfigDict, Field

from accounts.actors import STORIES_READ, STORIES_WRITE
from accounts.mcp.tools import in_thread, me, tool
from accounts.mcp.workspaces import uuid_of, workspace_of
from capsules import signals
from capsules.actions import drafts, editions, scenes
from capsules.actions.writing import check_may_write
from capsules.api.base import page
from capsules.api.stories import POSITION, position
from capsules.mcp import fetched
from capsules.mcp.shapes import (
    Cards,
    SceneInput,
    StoryId,
    WorkspaceId,
    Written,
    asset_of,
    cards,
    media_fields,
    story_of,
    wire_animation,
)
from capsules.models import Scene, Story
from config import cursors
from config.errors import CapsulesError, Fault, Invalid, NotFound

PAGE = 20
BOTH = "Give either media_id or media_url, not both."


@tool("List capsules", scope=STORIES_READ, quotes=True)
def list_stories(
    workspace: Annotated[str | None, Field(description="Absent: all that are connected")] = None,
    state: Literal["all", "draft", "live", "trash"] = "all",
    query: Annotated[str | None, Field(description="Words of the title")] = None,
    cursor: str | None = None,
) -> Cards:
    """The person's own capsules, the last edited first, twenty at a time. For public ones of everybody use
    search_feed; for the texts of one use get_story."""
    name = f"tool stories {me().credential} {state}"
    rows = Story.objects.trashed(me()) if state == "trash" else Story.objects.visible_to(me())
    rows = rows.filter(capsule=None)
    if state in ("draft", "live"):
        live: list[tuple[Any, Any]] = signals.live_stories.send(sender=Story)
        for _, ids in live:
            rows = rows.filter(pk__in=ids) if state == "live" else rows.exclude(pk__in=ids)
    if workspace is not None:
        rows = rows.filter(workspace=workspace_of(workspace))
    if query:
        rows = rows.filter(title__icontains=query)
    if cursor is not None:
        moment, id = cursors.decode(name, POSITION, cursor)
        rows = rows.edited_before(datetime.fromtimestamp(moment / 1e6, UTC), uuid.UUID(bytes=id))
    found, following = page(
        rows.with_scene_count().last_edited_first().select_related("workspace", "capsule"),
        name=name,
        limit=PAGE,
        parts=POSITION,
        position_of=position,
    )
    return {"stories": cards(found), "next_cursor": following}


@tool("Make a capsule", scope=STORIES_WRITE, rate="author", open_world=True)
async def create_story(
    title: Annotated[str, Field(description="At most 70 characters read best")],
    language: Annotated[str, Field(description="Tag of the texts' language: en, de, pt-BR")],
    summary: Annotated[str, Field(description="One sentence under the title")] = "",
    author: str = "",
    workspace: WorkspaceId = None,
    scenes: list[SceneInput] | None = None,
) -> Written:
    """A new draft with all its scenes in one call: 5 to 30 scenes, each a short text over a picture or film. Only the
    workspace's members see it. Pictures by media_url are fetched while you wait, at most 40 seconds. For files on a
    disk call create_upload_link first. To change a capsule that exists use update_story."""
    given = scenes or []
    fields = {"title": title, "summary": summary, "author_name": author, "language": language}
    story = await in_thread("author", made, workspace, fields, given)
    rows = await in_thread("author", lambda: list(Scene.objects.filter(story=story)))
    told = await fetched.fetch(story, fetched.wanted_of(rows, given))
    return await in_thread("read", written, story, **told)


def made(workspace: str | None, fields: dict[str, Any], given: list[SceneInput]) -> Story:
    target = workspace_of(workspace)
    check_may_write(me(), target)
    draft = Story(workspace=target)
    return drafts.create_story(target, fields, columns(draft, given), by=me())


def columns(story: Story, given: list[SceneInput], path: str = "scenes.{}.") -> list[dict[str, Any]]:
    """Scenes as the actions take them. Raises Invalid with a fault for every file that is not there."""
    found, faults = [], []
    for index, scene in enumerate(given):
        at = path.format(index)
        fields: dict[str, Any] = {
            "text": scene.text,
            "title": scene.title,
            "alt": scene.alt,
            "finale": scene.finale,
        }
        if scene.focus is not None:
            fields["focus"] = tuple(scene.focus)
        if scene.media_id and scene.media_url:
            faults.append(Fault(f"{at}media_url", BOTH))
        elif scene.media_id:
            try:
                asset = asset_of(story, scene.media_id, f"{at}media_id")
                fields |= media_fields(asset, animation=scene.animation, finale=scene.finale)
            except Invalid as error:
                faults += error.faults
        elif scene.animation and not scene.media_url:
            fields["animation"] = wire_animation(scene.animation)
        found.append(fields)
    if faults:
        raise Invalid("The scenes cannot be saved.", faults=faults)
    return found


def written(story: Story, **more: Any) -> dict[str, Any]:
    """The answer to a change: ids, places and versions as they are now, without the texts that the app just sent."""
    fresh = Story.objects.get(pk=story.pk)
    scenes = [
        {"id": str(scene.key), "number": scene.position + 1, "version": scene.version}
        for scene in Scene.objects.filter(story=fresh)
    ]
    own = {"id": str(fresh.pk), "version": fresh.version, "revision": fresh.revision}
    return {**own, "scenes": scenes, **more}


@tool("Change a capsule", scope=STORIES_WRITE, rate="author", idempotent=True)
def update_story(
    story: StoryId,
    title: str | None = None,
    summary: str | None = None,
    author: str | None = None,
    language: str | None = None,
    cover_scene: Annotated[
        str | None, Field(description="Id of the scene whose picture represents it")
    ] = None,
    expected_version: Annotated[
        int | None, Field(description="The version you read: refused where somebody changed it since")
    ] = None,
) -> Written:
    """Changes what is given of a capsule's own fields, in the draft; readers see it after the next publish. Texts and
    pictures are changed by update_scene."""
    found = story_of(story, to_write=True)
    given = {"title": title, "summary": summary, "author_name": author, "language": language}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if cover_scene is not None:
        changes["cover"] = uuid_of(cover_scene) or uuid.UUID(int=0)
    if not changes:
        raise Invalid("Say what to change.")
    expected = None if expected_version is None else [expected_version]
    changed = drafts.update_story(found, changes, by=me(), expected=expected)
    return {"id": str(changed.pk), "version": changed.version, "revision": changed.revision}


class EditionText(BaseModel):
    model_config = ConfigDict(extra="forbid")

    scene: str = Field(description="Id of the original's scene")
    text: str
    title: str = ""
    alt: str = ""


@tool("Add an edition", scope=STORIES_WRITE, rate="author")
def add_edition(
    story: StoryId,
    language: Annotated[str, Field(description="Tag like de or pt-BR")],
    name: Annotated[str, Field(description="Lowercase, in the link: de, classroom, de-short")],
    label: Annotated[str, Field(description="What readers see in the switcher")] = "",
    title: Annotated[str | None, Field(description="Its title, translated")] = None,
    texts: list[EditionText] | None = None,
) -> Written:
    """A variant of a capsule in another language or length, with the same pictures. Give the texts of all scenes at
    once. It is a draft of its own; the person shows it to readers in the studio."""
    original = story_of(story, to_write=True)
    with transaction.atomic():
        edition = editions.add_edition(original, name=name, label=label, language=language, by=me())
        if title is not None:
            drafts.update_story(edition, {"title": title}, by=me())
        copies = {str(scene.copied_from.key): scene for scene in of_originals(edition)}
        for index, each in enumerate(texts or []):
            say(edition, copies, each, f"texts.{index}.")
    return written(edition)  # type: ignore[return-value]


def of_originals(edition: Story) -> list[Any]:
    scenes_copied = Scene.objects.filter(story=edition, copied_from__isnull=False)
    return list(scenes_copied.select_related("copied_from"))


def say(edition: Story, copies: dict[str, Scene], each: EditionText, path: str) -> None:
    copy = copies.get(each.scene.lower())
    if copy is None:
        raise NotFound("The capsule has no such scene.", faults=[Fault(f"{path}scene", "No such scene.")])
    words = {"text": each.text, "title": each.title, "alt": each.alt}
    changes = {field: value for field, value in words.items() if value or field == "text"}
    try:
        scenes.update_scene(edition, copy.key, changes, by=me())
    except CapsulesError as error:
        error.faults = [Fault(f"{path}{fault.path}", fault.message) for fault in error.faults]
        raise


TOOLS = [list_stories, create_story, update_story, add_edition]
