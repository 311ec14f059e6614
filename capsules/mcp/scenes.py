"""Tools about the scenes of a capsule."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from accounts.actors import STORIES_WRITE
from accounts.mcp.tools import in_thread, me, tool
from accounts.mcp.workspaces import uuid_of
from capsules import rules
from capsules.actions import scenes as actions
from capsules.actions.scenes import AT_END
from capsules.mcp import fetched
from capsules.mcp.shapes import (
    NO_FILM,
    Animation,
    Filled,
    Focus,
    MediaId,
    MediaUrl,
    SceneId,
    SceneInput,
    StoryId,
    Written,
    asset_of,
    media_fields,
    scene_of,
    story_of,
    wire_animation,
)
from capsules.mcp.stories import BOTH, columns, filled, written
from capsules.models import Scene, Story
from config.errors import Conflict, Fault, Invalid


@tool("Add scenes", scope=STORIES_WRITE, rate="author", open_world=True)
async def add_scenes(
    story: StoryId,
    scenes: Annotated[list[SceneInput], Field(min_length=1)],
    after: Annotated[
        str | None, Field(description="Id of the scene that it follows; absent: at the end")
    ] = None,
) -> Filled:
    """Adds scenes to a capsule, several in one call. Nothing can follow a finale."""
    found = await in_thread("author", story_of, story, to_write=True)
    made = await in_thread("author", added, found, scenes, after)
    told = await fetched.fetch(found, fetched.wanted_of(made, scenes))
    return await in_thread("read", filled, found, **told)


def added(story: Story, given: list[SceneInput], after: str | None) -> list[Scene]:
    behind = AT_END if after is None else scene_of(story, after).key
    scenes, faults = columns(story, given)
    wrong = [fault for at, scene in enumerate(scenes) for fault in rules.scene_faults(scene, f"scenes.{at}.")]
    if faults or wrong:
        raise Invalid(actions.REFUSED, faults=[*wrong, *faults])
    return actions.add_scenes(story, scenes, after=behind, by=me())


@tool("Change a scene", scope=STORIES_WRITE, rate="author", idempotent=True, open_world=True)
async def update_scene(
    story: StoryId,
    scene: SceneId,
    text: str | None = None,
    title: str | None = None,
    alt: str | None = None,
    media_id: MediaId = None,
    media_url: MediaUrl = None,
    animation: Animation | None = None,
    focus: Focus | None = None,
    finale: bool | None = None,
    position: Annotated[int | None, Field(ge=1, description="Its new number, from 1")] = None,
    expected_version: Annotated[int | None, Field(description="The scene's version that you read")] = None,
) -> Filled:
    """Changes what is given of a scene, in the draft; readers see it after the next publish."""
    if media_id and media_url:
        raise Invalid(faults=[Fault("media_url", BOTH)])
    given = {"text": text, "title": title, "alt": alt, "finale": finale}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if focus is not None:
        changes["focus"] = tuple(focus)
    found = await in_thread("author", story_of, story, to_write=True)
    row = await in_thread(
        "author", changed, found, scene, changes, media_id, animation, position, expected_version
    )
    wanted = [fetched.Wanted(row.key, media_url, animation, row.finale)] if media_url else []
    told = await fetched.fetch(found, wanted)
    answer: dict[str, Any] = await in_thread("read", filled, found, **told)
    answer["scenes"] = [each for each in answer["scenes"] if each["id"] == str(row.key)]
    answer["faults"] = [each for each in answer["faults"] if each.get("scene") == str(row.key)]
    return answer  # type: ignore[return-value]


def changed(
    story: Story,
    scene: str,
    changes: dict[str, Any],
    media_id: str | None,
    animation: Animation | None,
    position: int | None,
    expected_version: int | None,
) -> Scene:
    row = scene_of(story, scene)
    changes = rules.tidied(changes)
    faults = list(rules.scene_faults(changes))
    try:
        changes |= shown(story, row, media_id, animation, finale=changes.get("finale", row.finale))
    except Invalid as error:
        faults += error.faults
    if faults:
        raise Invalid(actions.REFUSED, faults=faults)
    if changes:
        expected = None if expected_version is None else [expected_version]
        row = actions.update_scene(story, row.key, changes, by=me(), expected=expected)
    if position is not None:
        move(story, row, position)  # on its own: a refused change above must stay in the history
    return row


def shown(
    story: Story, row: Scene, media_id: str | None, animation: Animation | None, *, finale: bool
) -> dict[str, Any]:
    """The fields of what a scene shows from now on. Raises Invalid."""
    if media_id:
        return media_fields(asset_of(story, media_id, "media_id"), animation=animation, finale=finale)
    if animation == Scene.Animation.FILM and row.film_id is None:
        raise Invalid(faults=[Fault("animation", NO_FILM)])
    return {} if animation is None else {"animation": wire_animation(animation)}


def move(story: Story, scene: Scene, position: int) -> None:
    """Puts a scene at a place, from 1; the last place for any number behind it."""
    others = [
        key for key in story.scenes.order_by("position").values_list("key", flat=True) if key != scene.key
    ]
    after = None if position == 1 else others[min(position - 1, len(others)) - 1]
    actions.move_scene(story, scene.key, after=after, by=me())


@tool("Remove a scene", scope=STORIES_WRITE, rate="author", destructive=True)
def remove_scene(story: StoryId, scene: SceneId) -> Written:
    """Takes a scene out of the draft. The person can restore it in the studio for 30 days."""
    found = story_of(story, to_write=True)
    key = uuid_of(scene)
    if not Scene.objects.filter(story=found, key=key).exists():
        raise Conflict("This capsule has no such scene now. Perhaps it was removed already.")
    actions.delete_scene(found, scene_of(found, scene).key, by=me())
    return written(found)  # type: ignore[return-value]


TOOLS = [add_scenes, update_scene, remove_scene]
