"""What tools take and tell of stories and scenes: short names, texts whole."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from accounts.actors import Actor
from accounts.mcp.tools import me
from accounts.mcp.workspaces import uuid_of
from capsules import readiness, signals
from capsules.actions.scenes import NO_SCENE, REFUSED
from capsules.actions.writing import NO_STORY, check_may_write
from capsules.api.previews import with_scene
from capsules.models import Asset, Scene, Story
from config.errors import Fault, Invalid, NotFound

NO_FILM = "A picture is no film. Say auto for a slow camera move, or none."
StoryId = Annotated[str, Field(description="Id of the capsule")]
SceneId = Annotated[str, Field(description="Id of the scene")]
WorkspaceId = Annotated[str | None, Field(description="Absent: the default one")]
Animation = Literal["none", "auto", "film"]
Focus = Annotated[list[float], Field(description="[x, y] from 0 to 1 that crops keep")]
MediaId = Annotated[str | None, Field(description="A picture or film of the workspace")]
MediaUrl = Annotated[
    str | None, Field(description="Public address of a picture or film, instead of media_id")
]


class SceneInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="20 to 280 characters read best")
    title: str = ""
    alt: str = Field("", description="What the picture shows, for people who cannot see it")
    media_id: MediaId = None
    media_url: MediaUrl = None
    animation: Animation | None = Field(
        None, description="auto: slow camera move, the default of a picture; film: the default of a film"
    )
    focus: Focus | None = None
    finale: bool = Field(False, description="Only the last scene: a still")


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


class SceneAnswer(TypedDict):
    id: str
    number: int
    version: int
    title: str
    text: str
    alt: str
    media_id: str | None
    animation: str
    focus: list[float]
    finale: bool
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
    media: Annotated[list[dict[str, Any]], Field(description="What became of each media_url")]
    faults: Annotated[list[dict[str, Any]], Field(description="What scenes lack")]
    next: str


# --- From arguments to rows ------------------------------------------------------------------------------------


def story_of(id: str, *, to_write: bool = False, by: Actor | None = None) -> Story:
    """The story, if the caller can see it. Raises NotFound, the same for every reason; Forbidden (role)."""
    key = uuid_of(id)
    actor = by or me()
    visible = Story.objects.visible_to(actor).select_related("workspace", "capsule__workspace", "cover")
    story = visible.filter(pk=key).first() if key else None
    if story is None:
        raise NotFound(NO_STORY)
    if to_write:
        check_may_write(actor, story.workspace)
    return story


def scene_of(story: Story, id: str) -> Scene:
    """Raises NotFound."""
    key = uuid_of(id)
    scene = Scene.objects.with_media().filter(story=story, key=key).first() if key else None
    if scene is None:
        raise NotFound(NO_SCENE)
    return scene


def asset_of(story: Story, id: str, path: str) -> Asset:
    """A file of the story's workspace. Raises Invalid."""
    key = uuid_of(id)
    assets = Asset.objects.visible_to(me()).filter(workspace=story.workspace_id)
    asset = assets.filter(pk=key).first() if key else None
    if asset is None:
        raise Invalid(faults=[Fault(path, "This workspace has no picture or film of this id.")])
    return asset


def media_fields(
    asset: Asset, *, animation: Animation | None = None, finale: bool = False, path: str = ""
) -> dict[str, Any]:
    """The fields of a scene that shows a file: a film brings the still that was drawn from it. Raises Invalid."""
    if asset.kind == Asset.Kind.FILM:
        still = asset.posters.present().first()
        return {"film": asset, "still": still, "animation": wire_animation(animation or "film")}
    if animation == Scene.Animation.FILM:
        raise Invalid(REFUSED, faults=[Fault(f"{path}animation", NO_FILM)])
    return {"still": asset, "animation": wire_animation(animation or ("none" if finale else "auto"))}


def faults_of_scenes(story: Story) -> list[FaultAnswer]:
    """What the scenes lack before the capsule can be published."""
    keys = [str(key) for key in story.scenes.order_by("position").values_list("key", flat=True)]
    return named(
        [with_scene(fault, keys) for fault in readiness.faults(story) if fault.path.startswith("scenes")]
    )


def named(faults: list[dict[str, Any]]) -> list[FaultAnswer]:
    """Faults as tools tell them: with the id of their scene, and its number, which counts from 1."""
    return [
        {
            "path": each["path"],
            "message": each["message"],
            **({"scene": each["sceneId"], "number": number_in(each["path"])} if each.get("sceneId") else {}),
        }
        for each in faults
    ]


def number_in(path: str) -> int:
    return int(path.split(".")[1]) + 1


def wire_animation(animation: Animation) -> str:
    return "" if animation == "none" else animation


# --- From rows to answers --------------------------------------------------------------------------------------


def published_states(stories: Iterable[Story]) -> dict[uuid.UUID, Any]:
    found: dict[uuid.UUID, Any] = {}
    answers: list[tuple[Any, Any]] = signals.publications_of.send(sender=Story, stories=list(stories))
    for _, states in answers:
        found |= states
    return found


def cards(stories: list[Story]) -> list[Card]:
    """The number of queries does not depend on how many they are."""
    states = published_states(stories)
    return [card(story, states.get(story.pk)) for story in stories]


def card(story: Story, publication: Any) -> Card:
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
    shown = scene.film_id if scene.animation == Scene.Animation.FILM else scene.still_id
    return {
        "id": str(scene.key),
        "number": scene.position + 1,
        "version": scene.version,
        "title": scene.title,
        "text": scene.text,
        "alt": scene.alt,
        "media_id": str(shown) if shown else None,
        "animation": scene.animation or "none",
        "focus": list(scene.focus),
        "finale": scene.finale,
        "rendering": rendering(scene),
    }


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
