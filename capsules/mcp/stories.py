"""Tools about capsules: find, make and change them."""

from __future__ import annotations

import uuid
from operator import attrgetter
from typing import Annotated, Any, Literal

from django.db import transaction
from pydantic import Field

from accounts.actors import STORIES_READ, STORIES_WRITE
from accounts.mcp.tools import in_thread, me, searchable, tool
from accounts.mcp.workspaces import workspace_of
from capsules import rules, signals
from capsules.actions import drafts, editions, scenes
from capsules.actions.writing import check_may_write
from capsules.fields import SCENE, STORY
from capsules.mcp import fetched
from capsules.mcp.answers import Cards, Filled, Written, fault_answers, faults_of_scenes, story_cards
from capsules.mcp.described import arguments, arguments_model, columns, takes, values
from capsules.mcp.inputs import (
    SceneInput,
    StoryId,
    WorkspaceId,
    asset_of,
    media_fields,
    story_of,
    wire_animation,
)
from capsules.models import Scene, Story
from config.errors import Fault, Invalid
from config.ids import uuid_of
from config.paging import page_by_moment
from config.texts import LONGEST_SEARCH, contains

PAGE = 20
MEND = "Mend these faults with update_scene or add_scenes, then call build_preview."
COMPLETE = "Look at the pictures with view_picture, or call build_preview."
UNTOLD = "This scene still has the words of the original."
TRANSLATE = "Give the scenes named here their words with update_scene of this edition."
BOTH = "Give either media_id or media_url, not both."


@tool("List capsules", scope=STORIES_READ, quotes=True)
def list_stories(
    workspace: Annotated[str | None, Field(description="Absent: all that are connected")] = None,
    state: Literal["all", "draft", "live", "trash"] = "all",
    query: Annotated[str | None, Field(max_length=LONGEST_SEARCH, description="Words of the title")] = None,
    cursor: str | None = None,
) -> Cards:
    """The person's own capsules, the last edited first, twenty at a time. For public ones of everybody use
    search_feed; for the texts of one use get_story."""
    name = f"tool stories {me().credential} {state}"
    rows = Story.objects.trashed(me()) if state == "trash" else Story.objects.visible_to(me())
    rows = rows.filter(capsule=None)
    if state in ("draft", "live"):
        for ids in signals.answers(signals.live_stories):
            rows = rows.filter(pk__in=ids) if state == "live" else rows.exclude(pk__in=ids)
    if workspace is not None:
        rows = rows.filter(workspace=workspace_of(workspace))
    if query:
        rows = rows.filter(contains("title", searchable(query)))
    rows = rows.with_scene_count().last_edited_first().select_related("workspace", "capsule")
    found, following = page_by_moment(rows, "updated_at", name=name, limit=PAGE, cursor=cursor)
    return {"stories": story_cards(found), "next_cursor": following}


@tool("Make a capsule", scope=STORIES_WRITE, rate="author", open_world=True)
@takes(arguments(STORY, STORY.fields, required=["title", "language"]))
async def create_story(
    workspace: WorkspaceId = None, scenes: list[SceneInput] | None = None, **fields: object
) -> Filled:
    """A new draft with all its scenes in one call: 5 to 30 scenes, each a short text over a picture or film. Only the
    workspace's members see it. Pictures by media_url are fetched while you wait, at most 40 seconds. For files on a
    disk call create_upload_link first. To change a capsule that exists use update_story."""
    given = scenes or []
    story = await in_thread("author", make_story, workspace, columns(STORY, fields), given)
    rows = await in_thread("author", lambda: list(Scene.objects.filter(story=story)))
    told = await fetched.wait_for_files(story, fetched.wanted_files(rows, given))
    return await in_thread("read", filled_answer, story, **told)


def make_story(workspace: str | None, fields: dict[str, object], given: list[SceneInput]) -> Story:
    target = workspace_of(workspace)
    check_may_write(me(), target)
    scenes, faults = given_scenes(Story(workspace=target), given)
    if faults := [*drafts.new_story_faults(fields, scenes, None), *faults]:
        raise Invalid(drafts.REFUSED, faults=faults)
    return drafts.create_story(target, fields, scenes, by=me())


def given_scenes(story: Story, given: list[SceneInput]) -> tuple[list[dict[str, object]], list[Fault]]:
    """Scenes as the actions take them, and a fault for every file that is not there or does not fit."""
    found, faults = [], []
    for index, scene in enumerate(given):
        at = f"scenes.{index}."
        fields = values(SCENE, {**dict(scene), "animation": None})
        try:
            fields |= given_file(story, scene, fields.get("trim"), at)
        except Invalid as error:
            faults += error.faults
        found.append(fields)
    return found, faults


def given_file(story: Story, scene: SceneInput, trim: Any, at: str) -> dict[str, object]:
    """The fields of what a scene shows. Raises Invalid."""
    if scene.media_id and scene.media_url:
        raise Invalid(faults=[Fault(f"{at}media_url", BOTH)])
    if scene.media_id:
        asset = asset_of(story, scene.media_id, f"{at}media_id")
        return media_fields(asset, animation=scene.animation, finale=scene.finale, trim=trim, path=at)
    if scene.animation and not scene.media_url:
        return {"animation": wire_animation(scene.animation)}
    return {}


def written_answer(story: Story, **more: object) -> dict[str, object]:
    """The answer to a change: ids, places and versions as they are now, without the texts that the app just sent."""
    fresh = Story.objects.get(pk=story.pk)
    scenes = [
        {"id": str(scene.key), "number": scene.position + 1, "version": scene.version}
        for scene in Scene.objects.filter(story=fresh)
    ]
    own = {"id": str(fresh.pk), "version": fresh.version, "revision": fresh.revision}
    return {**own, "scenes": scenes, **more}


def filled_answer(story: Story, **more: Any) -> dict[str, object]:
    """The answer where scenes were given: with what they still lack, and what to do about it."""
    awaited = {
        each["scene"] for each in more.get("media", []) if not each["error"] and each["state"] != "ready"
    }
    faults = [each for each in faults_of_scenes(story) if each.get("scene") not in awaited]
    return {**written_answer(story), "faults": faults, "next": MEND if faults else COMPLETE, **more}


@tool("Change a capsule", scope=STORIES_WRITE, rate="author", idempotent=True)
@takes(arguments(STORY, STORY.fields, hints=False))
def update_story(
    story: StoryId,
    cover_scene: Annotated[
        str | None, Field(description="Id of the scene whose picture represents it")
    ] = None,
    expected_version: Annotated[
        int | None, Field(description="The version you read: refused where somebody changed it since")
    ] = None,
    **fields: object,
) -> Written:
    """Changes what is given of a capsule's own fields, in the draft; readers see it after the next publish. Texts and
    pictures are changed by update_scene."""
    found = story_of(story, to_write=True)
    changes = columns(STORY, fields)
    if cover_scene is not None:
        changes["cover"] = uuid_of(cover_scene) or uuid.UUID(int=0)
    if not changes:
        raise Invalid("Say what to change.")
    expected = None if expected_version is None else [expected_version]
    changed = drafts.update_story(found, changes, by=me(), expected=expected)
    return {"id": str(changed.pk), "version": changed.version, "revision": changed.revision}


TextFields: Any = arguments_model("TextFields", arguments(SCENE, SCENE.words, required=["text"], hints=False))


class EditionText(TextFields):
    scene: str = Field(description="Id of the original's scene")


@tool("Add an edition", scope=STORIES_WRITE, rate="author")
def add_edition(
    story: StoryId,
    language: Annotated[str, Field(description="Tag like de or pt-BR")],
    name: Annotated[str, Field(description="Lowercase, in the link: de, classroom, de-short")],
    label: Annotated[str, Field(description="What readers see in the switcher")] = "",
    title: Annotated[str | None, Field(description="Its title, translated")] = None,
    texts: list[EditionText] | None = None,
) -> Filled:
    """A variant of a capsule in another language or length, with the same pictures. Give the texts of all scenes at
    once. It is a draft of its own; the person shows it to readers in the studio."""
    original = story_of(story, to_write=True)
    given = texts or []
    if faults := edition_faults(
        original, name=name, label=label, language=language, title=title, texts=given
    ):
        raise Invalid("The edition cannot be saved.", faults=faults)
    with transaction.atomic():
        edition = editions.add_edition(original, name=name, label=label, language=language, by=me())
        if title is not None:
            drafts.update_story(edition, {"title": title}, by=me())
        copies = {str(scene.copied_from.key): scene for scene in of_originals(edition)}
        for each in given:
            scenes.update_scene(edition, copies.pop(each.scene.lower()).key, given_texts(each), by=me())
    return edition_answer(edition, sorted(copies.values(), key=attrgetter("position")))  # type: ignore[return-value]


def edition_faults(
    original: Story, *, name: str, label: str, language: str, title: str | None, texts: list[EditionText]
) -> list[Fault]:
    """Everything that is wrong with the arguments, before anything is written."""
    faults = editions.new_edition_faults({"edition_name": name, "edition_label": label, "language": language})
    if title is not None:
        faults += rules.story_faults({"title": title})
    left = {str(key) for key in original.scenes.values_list("key", flat=True)}
    for index, each in enumerate(texts):
        if each.scene.lower() not in left:
            faults.append(
                Fault(f"texts.{index}.scene", "The capsule has no such scene, or it is named twice.")
            )
        left.discard(each.scene.lower())
        faults += rules.scene_faults(given_texts(each), f"texts.{index}.")
    return faults


def given_texts(each: EditionText) -> dict[str, object]:
    words = values(SCENE, dict(each))
    return {field: value for field, value in words.items() if value or field == "text"}


def edition_answer(edition: Story, untold: list[Scene]) -> dict[str, object]:
    faults = fault_answers(
        [
            {"path": f"scenes.{scene.position}.text", "message": UNTOLD, "sceneId": str(scene.key)}
            for scene in untold
        ]
    )
    return {**written_answer(edition), "faults": faults, "next": TRANSLATE if faults else COMPLETE}


def of_originals(edition: Story) -> list[Any]:
    scenes_copied = Scene.objects.filter(story=edition, copied_from__isnull=False)
    return list(scenes_copied.select_related("copied_from"))


TOOLS = [list_stories, create_story, update_story, add_edition]
