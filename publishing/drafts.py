"""A draft as its readers would get it: what the reader's own pages show before anything is baked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from django.utils import timezone

from capsules.content import BakeContent, BakedScene, Still, scene_fields, story_fields
from capsules.fields import SCENE
from capsules.models import Asset, Encode, Scene, Story
from config.json_types import JsonMapping
from publishing.baking import STILL_ROLES, by_format, movement_of
from publishing.models import Publication
from publishing.pages.reading import Reading, editions_of

NOTHING_YET = "#3a2f4d"  # the colour of a scene whose picture is not there yet


class DraftScene(BakedScene):
    key: str


@dataclass(frozen=True)
class DraftReading(Reading):
    """Reads `frozen`, in the form of a bake's content, instead of the live bake."""

    frozen: BakeContent = field(kw_only=True)

    @property
    def content(self) -> BakeContent:
        return self.frozen

    @property
    def url(self) -> str:
        return super().url or "#"

    def in_edition(self, edition: Publication | None) -> Reading:
        """This draft, or another edition as it is live."""
        return self if edition == self.edition else super().in_edition(edition)


def load_draft(story: Story) -> DraftReading:
    """The draft of a story as it is now."""
    return reading_of(story, draft_content(story))


def reading_of(story: Story, content: BakeContent) -> DraftReading:
    """This content as readers would get it: at the story's own link, an edition that is shown at its capsule's."""
    publication = Publication.objects.filter(story=story).first() or Publication(story=story)
    publication.story = story
    capsule = capsule_of(story)
    if capsule is not None:
        others = [other for other in editions_of(capsule) if other.story_id != story.pk]
        return DraftReading(capsule, [*others, publication], publication, frozen=content)
    # The date that its readers would see.
    publication.published_at = publication.published_at or timezone.now()
    publication.slug = publication.slug or "draft"
    return DraftReading(publication, editions_of(publication), frozen=content)


def capsule_of(story: Story) -> Publication | None:
    """The live publication through which readers switch to this edition; None for any other story."""
    if story.capsule_id is None or not story.shown:
        return None
    live = Publication.objects.live().select_related("story__workspace", "live_bake__clip")
    return live.filter(story=story.capsule_id).first()


def draft_content(story: Story) -> BakeContent:
    """The draft in the form of a bake's content; see `Bake`. A scene has its `key` too, and may lack pictures."""
    scenes = story.scenes.select_related("still", "film", "still_encode", "animation_encode")
    return content_with([draft_scene(scene) for scene in scenes], of=story)


def content_with(scenes: list[DraftScene], *, of: Story | JsonMapping) -> BakeContent:
    """These scenes under the story's own fields, as they are or were."""
    fields = story_fields(of)
    return {**fields, "title": fields["title"] or "Untitled", "cover": 0, "card": None, "scenes": [*scenes]}


def draft_scene(scene: Scene) -> DraftScene:
    # Without the portrait crops while a new focus is not rendered yet.
    roles = STILL_ROLES if scene.settle_at is None else ("landscape",)
    return {
        "key": str(scene.key),
        **scene_fields(scene),
        **picture_in(done(scene.still_encode), roles),
        **movement_of(done(scene.animation_encode)),
    }


class ShownPicture(TypedDict):
    colour: str
    still: Still


def picture_in(still: Encode | None, roles: Collection[str]) -> ShownPicture:
    """The renditions of a scene's picture in these roles, and its colour."""
    return {
        "colour": (still.outputs or {}).get("colour") or NOTHING_YET if still else NOTHING_YET,
        "still": {role: by_format(still.renditions(role)) for role in roles} if still else {},
    }


def content_kept(story: Story, kept: JsonMapping) -> BakeContent:
    """A revision's content in the form of a bake's content, with what is still rendered of its pictures."""
    scenes = list(Scene.every.filter(story=story).select_related("still_encode", "animation_encode"))
    ids = {scene["still"] for scene in kept["scenes"] if scene["still"]}
    media = Asset.objects.filter(workspace=story.workspace_id, pk__in=ids).select_related("still_encode")
    thumbnails = {str(asset.pk): done(asset.still_encode) for asset in media}
    shown = [scene_kept(scene, scenes, thumbnails) for scene in kept["scenes"]]
    return content_with(shown, of=kept["story"])


def scene_kept(kept: JsonMapping, scenes: list[Scene], thumbnails: Mapping[str, Encode | None]) -> DraftScene:
    """Pictures come from a scene that shows the same still, best with the same focus, or from the still's thumbnail."""
    same = [scene for scene in scenes if str(scene.still_id) == kept["still"] and done(scene.still_encode)]
    exact = next((s for s in same if list(s.focus) == kept["focus"] and s.settle_at is None), None)
    best = exact or next(iter(same), None)
    still = done(best.still_encode) if best else thumbnails.get(kept["still"] or "")
    roles = STILL_ROLES if exact else ("landscape",)
    animation = done(exact.animation_encode) if exact and moves_alike(exact, kept) else None
    return {
        "key": kept["id"],
        **scene_fields(kept),
        **picture_in(still, roles),
        **movement_of(animation),
    }


def moves_alike(scene: Scene, kept: JsonMapping) -> bool:
    """Whether what is rendered of a scene is what a kept one showed: another part of its film is another film."""
    return all(SCENE[name].read(scene) == kept[name] for name in ("animation", "film", "trim"))


def done(encode: Encode | None) -> Encode | None:
    return encode if encode is not None and encode.state == Encode.State.DONE else None
