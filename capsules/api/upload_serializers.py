"""Uploads and their links on the wire."""

# ruff: noqa: N815 (wire names)
from __future__ import annotations

from django.conf import settings
from rest_framework import serializers

from capsules.models import Asset, Upload
from config.api import NEEDED, Choice, Id, Text, Whole, WireSerializer

CONTENT = "/api/v2/uploads/{}/content"


def with_its_story(data: dict[str, object]) -> dict[str, object]:
    """Raises ValidationError where a scene is named without its story."""
    if "scene_id" in data and "story_id" not in data:
        raise serializers.ValidationError({"storyId": "Name the story of this scene."})
    return data


class UploadRequestSerializer(WireSerializer):
    workspaceId = Id(required=False, help_text="The credential's default workspace where it is absent.")
    storyId = Id(required=False, help_text="The capsule that the file is for; its workspace takes the file.")
    sceneId = Id(
        required=False,
        help_text="Its scene that gets the file once it is ready, unless somebody has chosen another meanwhile.",
    )
    kind = Choice(choices=Asset.Kind.values)
    filename = Text(
        required=False, max_length=200, help_text="What its author calls it; its end decides nothing."
    )
    size = Whole(required=False, min_value=1, help_text="Bytes. Not together with sourceUrl.")
    sourceUrl = Text(
        required=False, max_length=2000, help_text="An address to fetch the file from, instead of sending it."
    )

    def validate(self, data: dict[str, object]) -> dict[str, object]:
        faults = {}
        if ("size" in data) == ("source_url" in data):
            faults["size"] = "Give either size or sourceUrl."
        if "source_url" not in data and "filename" not in data:
            faults["filename"] = NEEDED["required"]
        if faults:
            raise serializers.ValidationError(faults)
        return with_its_story(data)


class UploadSerializer(WireSerializer):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=Upload.State.choices)
    uploadUrl = serializers.SerializerMethodField(
        method_name="get_address", help_text="Where the bytes go; null where the service fetches them."
    )
    offset = serializers.IntegerField(help_text="Bytes that have arrived.")
    size = serializers.IntegerField(allow_null=True)
    mediaId = serializers.UUIDField(source="asset_id", allow_null=True)
    storyId = serializers.UUIDField(source="story_id", allow_null=True)
    sceneId = serializers.UUIDField(
        source="scene.key", default=None, allow_null=True, help_text="The scene that gets the file."
    )
    error = serializers.SerializerMethodField(help_text="Why it was refused, and what to do.")
    note = serializers.SerializerMethodField(
        help_text="What the author should know of a file that was taken."
    )
    expiresAt = serializers.DateTimeField()

    def get_address(self, upload: Upload) -> str | None:
        return None if upload.source_url else settings.BASE_URL + CONTENT.format(upload.pk)

    def get_error(self, upload: Upload) -> str | None:
        return upload.error or None

    def get_note(self, upload: Upload) -> str | None:
        return upload.note or None


class LinkRequestSerializer(WireSerializer):
    workspaceId = Id(required=False)
    storyId = Id(required=False, help_text="The capsule that the files are for.")
    sceneId = Id(required=False, help_text="Its scene that gets the first file.")
    expiresIn = Whole(
        required=False, min_value=60, max_value=86400, help_text="Seconds; one hour where it is absent."
    )

    def validate(self, data: dict[str, object]) -> dict[str, object]:
        return with_its_story(data)


class LinkSerializer(WireSerializer):
    url = serializers.CharField(help_text="Shown this once. Whoever has it may upload.")
    expiresAt = serializers.DateTimeField()
