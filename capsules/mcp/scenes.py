"""Tools about the scenes of a capsule."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from accounts.actors import STORIES_WRITE
from accounts.mcp.tools import advised, in_thread, me, tool
from capsules import rules
from capsules.actions import scenes as actions
from capsules.actions.scenes import AT_END
from capsules.fields import SCENE
from capsules.mcp import fetched
from capsules.mcp.answers import Filled, Written
from capsules.mcp.described import arguments, takes, values
from capsules.mcp.inputs import (
    NO_FILM,
    SCENE_FIELDS,
    Animation,
    MediaId,
    MediaUrl,
    SceneId,
    SceneInput,
    StoryId,
    asset_of,
    media_fields,
    scene_by_id,
    story_of,
    wire_animation,
)
from capsules.mcp.stories import BOTH, filled_answer, given_scenes, written_answer
from capsules.models import Scene, Story
from config.errors import Conflict, Fault, Invalid
from config.ids import uuid_of
from config.json_types import JsonObject


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
    made = await in_thread("author", make_scenes, found, scenes, after)
    told = await fetched.wait_for_files(found, fetched.wanted_files(made, scenes))
    return await in_thread("read", filled_answer, found, **told)


def make_scenes(story: Story, given: list[SceneInput], after: str | None) -> list[Scene]:
    behind = AT_END if after is None else scene_by_id(story, after).key
    scenes, faults = given_scenes(story, given)
    wrong = [fault for at, scene in enumerate(scenes) for fault in rules.scene_faults(scene, f"scenes.{at}.")]
    if faults or wrong:
        raise Invalid(actions.REFUSED, faults=[*wrong, *faults])
    return actions.add_scenes(story, scenes, after=behind, by=me())


@tool("Change a scene", scope=STORIES_WRITE, rate="author", idempotent=True, open_world=True)
@takes(arguments(SCENE, SCENE_FIELDS, hints=False))
async def update_scene(
    story: StoryId,
    scene: SceneId,
    media_id: MediaId = None,
    media_url: MediaUrl = None,
    position: Annotated[int | None, Field(ge=1, description="Its new number, from 1")] = None,
    expected_version: Annotated[int | None, Field(description="The scene's version that you read")] = None,
    **fields: Any,
) -> Filled:
    """Changes what is given of a scene, in the draft; readers see it after the next publish."""
    if media_id and media_url:
        raise Invalid(faults=[Fault("media_url", BOTH)])
    animation = fields.pop("animation", None)  # what it may be depends on the file
    changes = values(SCENE, fields)
    found = await in_thread("author", story_of, story, to_write=True)
    now = None if media_url else animation  # else it comes with the file
    row = await in_thread(
        "author", change_scene, found, scene, changes, media_id, now, position, expected_version
    )
    wanted = [fetched.Wanted(row.key, media_url, animation, row.finale)] if media_url else []
    told = await fetched.wait_for_files(found, wanted)
    answer: JsonObject = await in_thread("read", filled_answer, found, **told)
    answer["scenes"] = [each for each in answer["scenes"] if each["id"] == str(row.key)]
    answer["faults"] = [each for each in answer["faults"] if each.get("scene") == str(row.key)]
    return answer  # type: ignore[return-value]


def change_scene(
    story: Story,
    scene: str,
    changes: JsonObject,
    media_id: str | None,
    animation: Animation | None,
    position: int | None,
    expected_version: int | None,
) -> Scene:
    row = scene_by_id(story, scene)
    faults = list(rules.scene_faults(changes))
    try:
        changes |= file_fields(story, row, media_id, animation, changes)
    except Invalid as error:
        faults += error.faults
    if faults:
        raise Invalid(actions.REFUSED, faults=faults)
    if changes:
        expected = None if expected_version is None else [expected_version]
        row = actions.update_scene(story, row.key, changes, by=me(), expected=expected)
    if position is not None:
        move_to_number(story, row, position)  # on its own: a refused change above must stay in the history
    return row


def file_fields(
    story: Story, row: Scene, media_id: str | None, animation: Animation | None, changes: JsonObject
) -> dict[str, object]:
    """The fields of what a scene shows from now on, beside other changes. Raises Invalid."""
    if media_id:
        asset = asset_of(story, media_id, "media_id")
        trim = changes.get("trim", row.trim if row.film in (None, asset) else None)
        finale = changes.get("finale", row.finale)
        return media_fields(asset, animation=animation, finale=finale, trim=trim)
    if animation == Scene.Animation.FILM and row.film_id is None:
        raise Invalid(faults=[Fault("animation", NO_FILM)])
    return {} if animation is None else {"animation": wire_animation(animation)}


def move_to_number(story: Story, scene: Scene, position: int) -> None:
    """Puts a scene at a place, from 1; the last place for any number behind it."""
    others = [
        key for key in story.scenes.order_by("position").values_list("key", flat=True) if key != scene.key
    ]
    before = others[: position - 1]
    after = before[-1] if before else None
    actions.move_scene(story, scene.key, after=after, by=me())


@tool("Remove a scene", scope=STORIES_WRITE, rate="author", destructive=True)
def remove_scene(story: StoryId, scene: SceneId) -> Written:
    """Takes a scene out of the draft. The person can restore it in the studio for 30 days."""
    found = story_of(story, to_write=True)
    key = uuid_of(scene)
    if not Scene.objects.filter(story=found, key=key).exists():
        missing = Conflict("This capsule has no such scene now. Perhaps it was removed already.")
        raise advised(missing, "get_story tells the scenes that it has.")
    actions.delete_scene(found, scene_by_id(found, scene).key, by=me())
    return written_answer(found)  # type: ignore[return-value]


TOOLS = [add_scenes, update_scene, remove_scene]
