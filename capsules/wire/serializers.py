"""Stories, scenes and media on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

import uuid
from collections.abc import Iterable
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.db.models import prefetch_related_objects
from rest_framework import serializers

from accounts.statements import Reason
from capsules import signals, storage
from capsules.fields import SCENE, STORY, row_json
from capsules.models import Asset, Encode, Scene, Story
from capsules.stand_ins import stand_in_for
from capsules.wire.fields import answered_fields, sent_fields, text_field
from config.api import Choice, Flag, Id, List, WireSerializer, list_serializer

THUMBNAIL = 640  # pixels wide


# --- What is sent ----------------------------------------------------------------------------------------------


class SceneChangesRequestSerializer(WireSerializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        return {**sent_fields(SCENE), **super().get_fields()}


class SceneRequestSerializer(SceneChangesRequestSerializer):
    after = Id(
        required=False,
        allow_null=True,
        help_text="The scene that it follows; null: before all others. Omitted: at the end.",
    )


class StoryFieldsSerializer(WireSerializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        return {**sent_fields(STORY), **super().get_fields()}


class StoryRequestSerializer(StoryFieldsSerializer):
    title = text_field(Story, "title", required=True)
    workspaceId = Id(required=False, help_text="Omitted: the default workspace.")
    visibility = Choice(choices=Story.Visibility.choices, required=False)
    scenes = SceneChangesRequestSerializer(many=True, required=False)


class StoryChangesRequestSerializer(StoryFieldsSerializer):
    cover = Id(
        required=False,
        allow_null=True,
        help_text="The scene whose still is the chosen image; null: the first one's.",
    )
    editionName = text_field(Story, "edition_name")
    editionLabel = text_field(Story, "edition_label")
    shown = Flag(required=False, help_text="Whether readers can switch to this edition.")


class DuplicateRequestSerializer(WireSerializer):
    title = text_field(Story, "title")
    workspaceId = Id(required=False)


class TrashQuerySerializer(WireSerializer):
    unpublish = Choice(choices=["true", "false"], required=False, help_text="true: also where it is live.")


class MoveRequestSerializer(WireSerializer):
    after = Id(allow_null=True, help_text="The scene that it follows; null: before all others.")


class SceneOrderRequestSerializer(WireSerializer):
    scenes = List(child=Id(), max_length=1000, help_text="All scenes, in their new order.")


class EditionRequestSerializer(WireSerializer):
    name = text_field(Story, "edition_name", required=True)
    label = text_field(Story, "edition_label")  # type: ignore[assignment]
    language = text_field(Story, "language")
    shown = Flag(required=False)


# --- What is answered ------------------------------------------------------------------------------------------


class MediaSerializer(WireSerializer):
    id = Id()
    kind = serializers.ChoiceField(Asset.Kind.choices)
    filename = serializers.CharField()
    mediaType = serializers.CharField()
    width = serializers.IntegerField(help_text="Pixels, as displayed.")
    height = serializers.IntegerField(help_text="Pixels, as displayed.")
    duration = serializers.FloatField(allow_null=True, help_text="Seconds, films only.")
    thumbnailUrl = serializers.CharField(allow_null=True, help_text="null until it is prepared.")
    posterId = Id(allow_null=True, help_text="Films only: a still that was taken from it.")
    takenAt = serializers.FloatField(allow_null=True, help_text="Stills of films only: at which second.")
    createdAt = serializers.DateTimeField()


class ProgressSerializer(WireSerializer):
    state = serializers.ChoiceField(Encode.State.choices)
    percent = serializers.IntegerField()
    error = serializers.CharField(allow_null=True, help_text="Why it failed, for the author.")


class RenderingSerializer(WireSerializer):
    still = ProgressSerializer(allow_null=True)
    animation = ProgressSerializer(allow_null=True)


class EditorSerializer(WireSerializer):
    id = Id()
    name = serializers.CharField(source="get_full_name")


def behind(
    name: str, more: dict[str, serializers.Field], fields: dict[str, serializers.Field]
) -> dict[str, serializers.Field]:
    """The fields with others behind one of them."""
    at = list(fields).index(name) + 1
    return dict([*list(fields.items())[:at], *more.items(), *list(fields.items())[at:]])


class SceneSerializer(WireSerializer):
    id = Id()
    version = serializers.IntegerField(help_text="Its ETag.")
    editedBy = EditorSerializer(allow_null=True, help_text="Who changed it last; null: nobody who is known.")
    position = serializers.IntegerField(help_text="From 0.")
    rendering = RenderingSerializer()

    def get_fields(self) -> dict[str, serializers.Field]:
        media = {field.name: MediaSerializer(allow_null=True) for field in SCENE.media}
        return behind("position", {**answered_fields(SCENE), **media}, super().get_fields())


class PublicationSerializer(WireSerializer):
    storyId = serializers.CharField()
    isPublished = serializers.BooleanField()
    slug = serializers.CharField(allow_null=True)
    url = serializers.CharField(
        allow_null=True, help_text="/<workspace_name>/<slug>. Null while unpublished."
    )
    publicationMode = serializers.ChoiceField([("STANDARD", "Standard"), ("WHITE_LABEL", "White Label")])
    unlisted = serializers.BooleanField()
    publishedAt = serializers.DateTimeField(allow_null=True)


class TakenDownSerializer(WireSerializer):
    since = serializers.DateTimeField()
    reason = serializers.ChoiceField(Reason.choices, allow_null=True)
    rule = serializers.CharField(help_text="The law or the rule; empty where none was named.")
    words = serializers.CharField(help_text="What staff wrote to the owner.")
    appealable = serializers.BooleanField(help_text="Whether an owner may still appeal, in the studio.")


class StorySerializer(WireSerializer):
    id = Id()
    version = serializers.IntegerField(help_text="Of its own fields: its ETag.")
    revision = serializers.IntegerField(help_text="Counts every change, also of its scenes.")
    editedBy = EditorSerializer(allow_null=True, help_text="Who changed it or a scene of it last.")
    workspaceId = Id()
    cover = Id(allow_null=True, help_text="The scene whose still is the chosen image.")
    visibility = serializers.ChoiceField(Story.Visibility.choices)
    capsuleId = Id(allow_null=True, help_text="Set on an edition: the capsule it is a variant of.")
    editionName = serializers.CharField()
    editionLabel = serializers.CharField()
    shown = serializers.BooleanField()
    sceneCount = serializers.IntegerField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
    deletedAt = serializers.DateTimeField(allow_null=True)
    publication = PublicationSerializer()
    takenDown = TakenDownSerializer(
        allow_null=True,
        help_text="Set while staff keep it from the public: why, and whether an owner may appeal.",
    )

    def get_fields(self) -> dict[str, serializers.Field]:
        return behind("workspaceId", answered_fields(STORY), super().get_fields())


StoriesSerializer = list_serializer("StoriesSerializer", StorySerializer)
#: Its fields take longer to make than a row of them to write.
MEDIA = MediaSerializer()


ScenesSerializer = list_serializer(
    "ScenesSerializer", SceneSerializer, help_text="Always null: a story's scenes come at once."
)


class DraftSerializer(WireSerializer):
    story = StorySerializer()
    scenes = SceneSerializer(many=True)


class OrderSerializer(WireSerializer):
    order = serializers.ListField(child=Id(), help_text="All scenes in their order now.")


class TrashedSerializer(WireSerializer):
    deletedAt = serializers.DateTimeField()
    purgeAt = serializers.DateTimeField(help_text="When it is deleted forever.")


# --- From rows to what is answered -----------------------------------------------------------------------------


def stories_on_wire(stories: Iterable[Story]) -> list[dict[str, object]]:
    """Stories with what readers see of them; the number of queries does not depend on how many they are."""
    rows = list(stories)
    prefetch_related_objects(rows, "edited_by")
    published = published_states(rows)
    return [dict(StorySerializer(StoryOnWire(story, published.get(story.pk))).data) for story in rows]


def published_states(stories: list[Story]) -> dict[uuid.UUID, Any]:
    """What the world may know of the publications of stories, by their ids."""
    found: dict[uuid.UUID, Any] = {}
    for states in signals.answers(signals.publications_of, stories=stories):
        found |= states
    return found


class StoryOnWire:
    """A story under its wire names' attributes."""

    def __init__(self, story: Story, publication: Any) -> None:
        self.story = story
        self.publication = publication
        vars(self).update(row_json(story, STORY.fields))

    def __getattr__(self, name: str) -> object:
        return getattr(self.story, name)

    @property
    def taken_down(self) -> object:
        return self.publication.taken_down

    @property
    def cover(self) -> object:
        cover = self.story.cover
        return cover.key if cover is not None and cover.deleted_at is None else None

    @property
    def scene_count(self) -> int:
        known = getattr(self.story, "counted_scenes", None)
        return self.story.scenes.count() if known is None else int(known)


def draft_on_wire(story: Story) -> dict[str, object]:
    """A story with all its scenes."""
    scenes = [scene_on_wire(scene) for scene in story.scenes.with_media()]
    return {"story": stories_on_wire([story])[0], "scenes": scenes}


def scene_on_wire(scene: Scene) -> dict[str, object]:
    """A scene whose media and encodes were selected along."""
    return {
        "id": str(scene.key),
        "version": scene.version,
        "editedBy": dict(EditorSerializer(scene.edited_by).data) if scene.edited_by else None,
        "position": scene.position,
        **row_json(scene, SCENE.fields),
        "still": media_on_wire(scene.still, drawn=scene.still_encode),
        "film": media_on_wire(scene.film),
        "rendering": {
            "still": progress_of(scene, scene.still_encode, wanted=scene.still_id is not None),
            "animation": progress_of(scene, scene.animation_encode, wanted=bool(scene.animation)),
        },
    }


def progress_of(scene: Scene, encode: Encode | None, *, wanted: bool) -> dict[str, object] | None:
    """How far the rendering of a part is; null where there is nothing to render."""
    if not wanted:
        return None
    if encode is None or scene.settle_at is not None:
        waits = scene.settle_at is not None
        return {"state": Encode.State.QUEUED.value, "percent": 0, "error": None} if waits else None
    return {"state": encode.state, "percent": encode.progress, "error": encode.error or None}


def media_on_wire(asset: Asset | None, *, drawn: Encode | None = None) -> dict[str, object] | None:
    """A file of an author; `still_encode` selected along where it has one. `drawn` is what a scene has of it."""
    return dict(MEDIA.to_representation(MediaOnWire(asset, drawn))) if asset else None


class MediaOnWire:
    def __init__(self, asset: Asset, drawn: Encode | None = None) -> None:
        self.asset = asset
        self.drawn = drawn

    def __getattr__(self, name: str) -> object:
        return getattr(self.asset, name)

    @property
    def thumbnail_url(self) -> str | None:
        pictured = self.poster or self.asset
        encode = pictured.still_encode or self.drawn
        if pictures := encode.jpegs("landscape") if encode else []:
            best = min(pictures, key=lambda picture: abs(picture["width"] - THUMBNAIL))
            url: str | None = storage.blobs().url(best["name"])
        else:
            url = stand_in_for(pictured.name)
        return urljoin(f"{settings.APP_URL}/", url) if url else None

    @property
    def poster_id(self) -> object:
        return self.poster and self.poster.pk

    @cached_property
    def poster(self) -> Asset | None:
        """A film's own still; asked in one query for all where `with_poster` was."""
        if self.asset.kind != Asset.Kind.FILM:
            return None
        return next((still for still in self.asset.posters.all() if still.deleted_at is None), None)
