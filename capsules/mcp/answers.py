"""What tools answer of stories and scenes: short names, texts whole."""

from __future__ import annotations

from typing import Annotated, Any, cast

from django.conf import settings
from pydantic import Field
from typing_extensions import TypedDict

from capsules import readiness
from capsules.fields import row_json
from capsules.mcp.described import answer_types
from capsules.mcp.inputs import SCENE_FIELDS
from capsules.models import Scene, Story
from capsules.wire.previews import with_scene
from capsules.wire.serializers import published_states
from config.json_types import JsonObject


class Card(TypedDict):
    id: str
    title: str
    language: str
    visibility: str
    is_published: bool
    url: str | None
    scene_count: int
    edited_at: str
    workspace: str


class Cards(TypedDict):
    stories: list[Card]
    next_cursor: str | None


AnsweredFields = TypedDict("AnsweredFields", answer_types(SCENE_FIELDS))  # type: ignore[misc]


class SceneAnswer(AnsweredFields):
    id: str
    number: int
    version: int
    media_id: str | None
    rendering: str


class FaultAnswer(TypedDict, total=False):
    path: str
    message: str
    scene: str
    number: int


class WrittenScene(TypedDict):
    id: str
    number: int
    version: int


class Written(TypedDict, total=False):
    id: str
    version: int
    revision: int
    scenes: list[WrittenScene]


class Filled(Written, total=False):
    media: Annotated[list[dict[str, object]], Field(description="What became of each media_url")]
    faults: Annotated[list[dict[str, object]], Field(description="What scenes lack")]
    next: str


def faults_of_scenes(story: Story) -> list[FaultAnswer]:
    """What the scenes lack before the capsule can be published."""
    keys = [str(key) for key in story.scenes.order_by("position").values_list("key", flat=True)]
    faults = readiness.faults(story, story.latest_preview)
    return fault_answers([with_scene(fault, keys) for fault in faults if fault.path.startswith("scenes")])


def fault_answers(faults: list[JsonObject]) -> list[FaultAnswer]:
    """Faults as tools tell them: with the id of their scene, and its number, which counts from 1."""
    return [
        {
            "path": each["path"],
            "message": each["message"],
            **(
                {"scene": each["sceneId"], "number": int(each["path"].split(".")[1]) + 1}
                if each.get("sceneId")
                else {}
            ),
        }
        for each in faults
    ]


def story_cards(stories: list[Story]) -> list[Card]:
    """The number of queries does not depend on how many they are."""
    states = published_states(stories)
    return [story_card(story, states.get(story.pk)) for story in stories]


def story_card(story: Story, publication: Any) -> Card:
    counted = getattr(story, "counted_scenes", None)
    live = publication is not None and publication.is_published
    return {
        "id": str(story.pk),
        "title": story.title,
        "language": story.language,
        "visibility": story.visibility,
        "is_published": live,
        "url": f"{settings.APP_URL}{publication.url}" if live else None,
        "scene_count": story.scenes.count() if counted is None else int(counted),
        "edited_at": story.updated_at.isoformat(timespec="seconds"),
        "workspace": str(story.workspace_id),
    }


def scenes_of(story: Story) -> list[SceneAnswer]:
    return [scene_answer(scene) for scene in Scene.objects.filter(story=story).with_media()]


def scene_answer(scene: Scene) -> SceneAnswer:
    return {
        "id": str(scene.key),
        "number": scene.position + 1,
        "version": scene.version,
        **cast(AnsweredFields, row_json(scene, SCENE_FIELDS)),
        "media_id": shown_media(scene),
        "rendering": rendering(scene),
    }


def shown_media(scene: Scene) -> str | None:
    """The id of the file that readers see of a scene."""
    shown = scene.film_id if scene.animation == Scene.Animation.FILM else scene.still_id
    return str(shown) if shown else None


def rendering(scene: Scene) -> str:
    """In words: done, waiting, 63 %, or why it failed."""
    wanted = [scene.still_encode] if scene.still_id else []
    wanted += [scene.animation_encode] if scene.animation else []
    if not wanted:
        return "no picture"
    failed = next((encode for encode in wanted if encode and encode.state == "failed"), None)
    if failed:
        return f"failed: {failed.error}"
    if scene.settle_at is not None or None in wanted:
        return "waiting"
    states = [encode for encode in wanted if encode]
    if all(encode.state == "done" for encode in states):
        return "done"
    return f"{sum(encode.progress for encode in states) // len(states)} %"
