"""Previews of a story, and whether it is ready to publish."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import once
from capsules.actions import previews
from capsules.api import examples
from capsules.api.base import AuthorViewSet, scopes_for
from capsules.models import Encode, Preview, Story
from capsules.wire.previews import preview_on_wire, readiness_on_wire
from config.api import Id, ListQuerySerializer, WireSerializer, list_serializer, parsed, query
from config.errors import NotFound
from config.ids import number_of
from config.paging import numbered
from config.schema import IDEMPOTENCY_KEY, operation

RETRY_AFTER = "2"  # seconds


class PreviewItemSerializer(WireSerializer):
    sceneId = Id(allow_null=True, help_text="null: the link-preview picture.")
    part = serializers.ChoiceField(["still", "animation", "card"])
    state = serializers.ChoiceField(Encode.State.choices)
    percent = serializers.IntegerField()
    error = serializers.CharField(allow_null=True)


class PreviewSerializer(WireSerializer):
    number = serializers.IntegerField()
    revision = serializers.IntegerField(allow_null=True, help_text="Of the draft that it froze.")
    state = serializers.ChoiceField(["building", "ready", "failed"])
    percent = serializers.IntegerField()
    isCurrent = serializers.BooleanField(help_text="The draft has not changed since.")
    items = PreviewItemSerializer(many=True)


PreviewsSerializer = list_serializer("PreviewsSerializer", PreviewSerializer)


class FaultSerializer(WireSerializer):
    path = serializers.CharField()
    message = serializers.CharField()
    sceneId = Id(required=False)


class AdviceSerializer(FaultSerializer):
    code = serializers.CharField()


class ReadinessSerializer(WireSerializer):
    ready = serializers.BooleanField()
    faults = FaultSerializer(many=True, help_text="What must be done before it can be published.")
    advice = AdviceSerializer(
        many=True, help_text="What would make it better. It never keeps anybody from publishing."
    )
    preview = PreviewSerializer(allow_null=True)


class PreviewsViewSet(AuthorViewSet):
    """/stories/{id}/previews and /stories/{id}/readiness."""

    scopes: ClassVar = scopes_for(reading=["list", "retrieve", "readiness"], writing=["create", "retry"])

    @operation(
        "listPreviews",
        "Previews, the latest first",
        "Previews",
        PreviewsSerializer,
        {"items": [examples.PREVIEW], "nextCursor": None},
        parameters=[ListQuerySerializer],
    )
    def list(self, request: Request, id: str) -> Response:
        story = self.story(id)
        asked = query(ListQuerySerializer, request)
        rows = story.previews.prefetch_related("encodes")
        found, cursor = numbered(rows, name=f"previews {story.pk}", query=asked)
        items = [preview_on_wire(preview, story) for preview in found]
        return Response({"items": items, "nextCursor": cursor})

    @operation(
        "buildPreview",
        "Build a preview",
        "Previews",
        PreviewSerializer,
        examples.PREVIEW,
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refused={409: {"error": previews.NO_SCENE}},
        description="Freezes the draft and renders it in the background. Where the latest preview is still current, "
        "the answer is that one (200). Publishing takes the latest preview.",
        repeated=True,
    )
    @once
    def create(self, request: Request, id: str) -> Response:
        story = self.writable_story(id)
        parsed(WireSerializer, request)
        latest = story.latest_preview
        preview = previews.request_preview(story, by=self.actor)
        return self.told(preview, story, status=200 if preview == latest else 201)

    @operation(
        "getPreview",
        "A preview",
        "Previews",
        PreviewSerializer,
        examples.PREVIEW,
        description="`latest` is a number too. `Retry-After` says when to ask again while it is building.",
    )
    def retrieve(self, request: Request, id: str, number: str) -> Response:
        story = self.story(id)
        return self.told(self.preview(story, number), story)

    @operation(
        "retryPreview",
        "Render again what failed",
        "Previews",
        PreviewSerializer,
        examples.PREVIEW,
        parameters=[IDEMPOTENCY_KEY],
        refused={409: {"error": "Nothing of this preview failed."}},
    )
    @once
    def retry(self, request: Request, id: str, number: str) -> Response:
        story = self.writable_story(id)
        preview = self.preview(story, number)
        parsed(WireSerializer, request)
        previews.retry_preview(story, preview, by=self.actor)
        return self.told(self.preview(story, number), story)

    @operation(
        "getReadiness",
        "What is missing before it can be published",
        "Previews",
        ReadinessSerializer,
        examples.READINESS,
    )
    def readiness(self, request: Request, id: str) -> Response:
        return Response(readiness_on_wire(self.story(id)))

    def preview(self, story: Story, number: str) -> Preview:
        """Raises NotFound."""
        rows = story.previews.prefetch_related("encodes")
        preview = rows.first() if number == "latest" else rows.filter(number=number_of(number) or 0).first()
        if preview is None:
            raise NotFound("There is no such preview.")
        return preview

    def told(self, preview: Preview, story: Story, status: int = 200) -> Response:
        body = preview_on_wire(preview, story)
        headers = {"Retry-After": RETRY_AFTER} if body["state"] == "building" else {}
        if status == 201:
            headers["Location"] = f"/api/v2/stories/{story.pk}/previews/{preview.number}"
        return Response(body, status=status, headers=headers)
