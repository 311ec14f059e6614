"""The publication endpoints: they parse, call the action and answer."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import PUBLICATIONS_READ, PUBLICATIONS_WRITE
from capsules.wire.serializers import PublicationSerializer
from config import outage
from config.api import WireSerializer, parsed, query
from config.errors import Locked
from config.schema import example, failures
from publishing import actions
from publishing.api.extras import PublishingViewSet
from publishing.by_apps import notices
from publishing.going_live import answer_asks
from publishing.wire import (
    PublishRequestSerializer,
    PublishResultSerializer,
    UnpublishQuerySerializer,
)

PUBLISHED = {
    "storyId": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11",
    "isPublished": True,
    "slug": "the-last-ferry-to-aldermoor",
    "url": "/north-shore/the-last-ferry-to-aldermoor",
    "publicationMode": "STANDARD",
    "unlisted": False,
    "publishedAt": "2026-11-18T17:04:05Z",
}
UNPUBLISHED = {**PUBLISHED, "isPublished": False, "url": None, "publishedAt": None}
PUBLISH_RESULT = {
    "url": "/north-shore/the-last-ferry-to-aldermoor",
    "slug": "the-last-ferry-to-aldermoor",
    "isRepublish": False,
    "publicationMode": "STANDARD",
    "edition": None,
}
NOT_READY = {
    "error": "This capsule is not ready to be published.",
    "details": [{"path": "scenes.2.text", "message": "This scene has no text."}],
}


class PublicationViewSet(PublishingViewSet):
    """GET, PUT, DELETE /stories/{id}/publication."""

    scopes: ClassVar = {
        "retrieve": PUBLICATIONS_READ,
        "update": PUBLICATIONS_WRITE,
        "destroy": PUBLICATIONS_WRITE,
    }

    def handle_exception(self, exc: Exception) -> Response:
        """The contract knows no 503 here: a lock that others held for too long is 423, like that of a publish."""
        busy = outage.answer_for(exc)
        if isinstance(busy, outage.Busy) and self.request.method in ("PUT", "DELETE"):
            exc = Locked(str(busy), retry_after=busy.retry_after)
        return super().handle_exception(exc)

    @extend_schema(
        operation_id="getPublication",
        summary="Publication state",
        description="Whether the capsule is live, under which link and how.",
        tags=["Publication"],
        responses={200: PublicationSerializer, **failures(400, 401, 403, 404, 429, 500)},
        examples=[example("Published", PUBLISHED), example("Unpublished", UNPUBLISHED)],
    )
    def retrieve(self, request: Request, id: str) -> Response:
        story = self.story(id)
        return Response(PublicationSerializer(actions.state_of(story)).data)

    @extend_schema(
        operation_id="publish",
        summary="Publish or republish",
        description="Bakes the latest preview and makes it live; the call returns once readers can open it.",
        tags=["Publication"],
        request=PublishRequestSerializer,
        responses={200: PublishResultSerializer, **failures(400, 401, 403, 404, 409, 423, 429, 500)},
        examples=[
            example("As it is", {}, request=True),  # the first one is what "Try it out" begins with
            example(
                "Under a chosen slug", {"slug": "the-last-ferry", "premiereEmailMode": "OFF"}, request=True
            ),
            example("Published", PUBLISH_RESULT),
            example("Not ready", NOT_READY, status=409),
        ],
    )
    def update(self, request: Request, id: str) -> Response:
        story, by = self.publishable_story(id), self.actor
        query(WireSerializer, request)
        body = actions.PublishRequest(**parsed(PublishRequestSerializer, request))
        # Whoever let an app publish was promised to be told; keys and own tokens belong to people who know.
        going_live = notices.notifying(by) if by.via == "app" else answer_asks
        result = actions.publish(story, request=body, by=by, going_live=going_live)
        return Response(PublishResultSerializer(result).data)

    @extend_schema(
        operation_id="unpublish",
        summary="Unpublish",
        description="Its link opens nothing any more, and a premiere email that is still due is not sent.",
        tags=["Publication"],
        parameters=[UnpublishQuerySerializer],
        request=None,
        responses={200: PublicationSerializer, **failures(400, 401, 403, 404, 409, 423, 429, 500)},
        examples=[example("Unpublished", UNPUBLISHED)],
    )
    def destroy(self, request: Request, id: str) -> Response:
        story = self.publishable_story(id)
        options = query(UnpublishQuerySerializer, request)
        parsed(WireSerializer, request)
        release = options.get("release_slug") == "true"
        state = actions.unpublish(story, release_slug=release, by=self.actor)
        return Response(PublicationSerializer(state).data)
