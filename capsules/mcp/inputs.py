"""What tools take of stories and scenes, and the rows that it means."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from accounts.actors import Actor
from accounts.mcp.tools import me
from capsules.actions import stills
from capsules.actions.scenes import NO_SCENE, REFUSED
from capsules.actions.writing import check_may_write, find_story
from capsules.fields import SCENE, Media
from capsules.mcp.described import arguments, arguments_model
from capsules.models import Asset, Scene, Story
from config.errors import Fault, Invalid
from config.ids import row_of, uuid_of

NO_FILM = "A picture is not a film. Say auto for a slow camera move, or none."
StoryId = Annotated[str, Field(description="Id of the capsule")]
SceneId = Annotated[str, Field(description="Id of the scene")]
WorkspaceId = Annotated[str | None, Field(description="Absent: the default one")]
Animation = Literal["none", "auto", "film"]
MediaId = Annotated[str | None, Field(description="A picture or film of the workspace")]
MediaUrl = Annotated[
    str | None, Field(description="Public address of a picture or film, instead of media_id")
]


#: What tools take of a scene besides its file.
SCENE_FIELDS = [field for field in SCENE if not isinstance(field, Media)]
SceneFields: Any = arguments_model("SceneFields", arguments(SCENE, SCENE_FIELDS, required=["text"]))


class SceneInput(SceneFields):
    media_id: MediaId = None
    media_url: MediaUrl = None


def story_of(id: str, *, to_write: bool = False, by: Actor | None = None) -> Story:
    """The story, if the caller can see it. Raises NotFound, the same for every reason; Forbidden (role)."""
    actor = by or me()
    story = find_story(actor, id)
    if to_write:
        check_may_write(actor, story.workspace)
    return story


def scene_by_id(story: Story, id: str) -> Scene:
    """Raises NotFound."""
    return row_of(Scene.objects.with_media().filter(story=story), id, NO_SCENE, by="key")


def asset_of(story: Story, id: str, path: str) -> Asset:
    """A file of the story's workspace. Raises Invalid."""
    key = uuid_of(id)
    assets = Asset.objects.visible_to(me()).filter(workspace=story.workspace_id)
    asset = assets.filter(pk=key).first() if key else None
    if asset is None:
        raise Invalid(faults=[Fault(path, "This workspace has no picture or film of this id.")])
    return asset


def media_fields(
    asset: Asset,
    *,
    animation: Animation | None = None,
    finale: bool = False,
    trim: Any = None,
    path: str = "",
) -> dict[str, object]:
    """The fields of a scene that shows a file: a film brings the still with which its part begins. Raises Invalid."""
    if asset.kind == Asset.Kind.FILM:
        still = stills.still_of_part(asset, trim, by=me()) or asset.posters.present().first()
        return {"film": asset, "still": still, "animation": wire_animation(animation or "film")}
    if animation == Scene.Animation.FILM:
        raise Invalid(REFUSED, faults=[Fault(f"{path}animation", NO_FILM)])
    return {"still": asset, "animation": wire_animation(animation or ("none" if finale else "auto"))}


def wire_animation(animation: Animation) -> str:
    return "" if animation == "none" else animation
