"""The media of a workspace: list, look, delete, and take a still from a film."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import once
from capsules.actions import media as assets
from capsules.actions.writing import check_not_suspended
from capsules.api import examples
from capsules.api.base import AuthorViewSet, scopes_for
from capsules.models import Asset
from capsules.models.media import AssetQuerySet
from capsules.uploads.creating import check_room
from capsules.wire.serializers import MediaSerializer, media_on_wire
from config.api import (
    Choice,
    Id,
    ListQuerySerializer,
    Number,
    Text,
    WireSerializer,
    list_serializer,
    parsed,
    query,
)
from config.ids import row_of
from config.json_types import JsonObject
from config.paging import page_by_moment
from config.schema import IDEMPOTENCY_KEY, operation
from config.texts import LONGEST_SEARCH, contains

LIST = "media"
STILL_USED = {
    "error": "This file is still used.",
    "details": [
        {
            "path": f"stories.{examples.STORY_ID}.scenes.{examples.SCENE_ID}",
            "message": "Scene 2 of “Small voyages” uses it.",
        }
    ],
}


MediaListSerializer = list_serializer("MediaListSerializer", MediaSerializer)


class MediaQuerySerializer(ListQuerySerializer):
    workspaceId = Id(required=False)  # noqa: N815
    kind = Choice(choices=Asset.Kind.values, required=False)
    q = Text(required=False, max_length=LONGEST_SEARCH, help_text="A part of the file name.")


class StillRequestSerializer(WireSerializer):
    at = Number(min_value=0, max_value=1e6, help_text="Seconds into the film.")


class DeletedSerializer(WireSerializer):
    deletedAt = serializers.DateTimeField()  # noqa: N815


class MediaViewSet(AuthorViewSet):
    """GET /media, GET and DELETE /media/{id}, POST /media/{id}/still."""

    scopes: ClassVar = scopes_for(reading=["list", "retrieve"], writing=["destroy", "still"])

    @operation(
        "listMedia",
        "Media",
        "Media",
        MediaListSerializer,
        {"items": [examples.MEDIA], "nextCursor": None},
        description="Pictures and films of the caller's workspaces, newest first.",
        parameters=[MediaQuerySerializer],
    )
    def list(self, request: Request) -> Response:
        asked = query(MediaQuerySerializer, request)
        rows = self.filtered(asked)
        name = ":".join([LIST, *(str(asked.get(key, "")) for key in ("workspace_id", "kind", "q"))])
        found, cursor = page_by_moment(
            rows, "created_at", name=name, limit=asked["limit"], cursor=asked["cursor"]
        )
        return Response({"items": [media_on_wire(asset) for asset in found], "nextCursor": cursor})

    def filtered(self, asked: JsonObject) -> Any:
        rows = self.assets().newest_first()
        if "workspace_id" in asked:
            rows = rows.filter(workspace=self.workspace(str(asked["workspace_id"])))
        if "kind" in asked:
            rows = rows.filter(kind=asked["kind"])
        return rows.filter(contains("filename", asked["q"])) if asked.get("q") else rows

    @operation("getMedia", "One picture or film", "Media", MediaSerializer, examples.MEDIA)
    def retrieve(self, request: Request, id: str) -> Response:
        return Response(media_on_wire(self.asset(id)))

    @operation(
        "deleteMedia",
        "Delete a picture or film",
        "Media",
        DeletedSerializer,
        {"deletedAt": "2026-11-18T17:04:05Z"},
        description="What a scene uses cannot be deleted; revisions keep what they show.",
        refusals=[409, 423],
        refused={409: STILL_USED},
    )
    def destroy(self, request: Request, id: str) -> Response:
        asset = self.writable(id)
        parsed(WireSerializer, request)
        return Response(DeletedSerializer({"deleted_at": assets.delete_asset(asset)}).data)

    def drawn_still(self, request: Request, id: str) -> Asset:
        film = self.writable(id)
        body = parsed(StillRequestSerializer, request)
        check_room(film.workspace, 1)  # how large the picture is, only its drawing tells
        return assets.take_still(film, at=body["at"], by=self.actor.user)

    @operation(
        "takeStill",
        "Take a still from a film",
        "Media",
        MediaSerializer,
        examples.MEDIA | {"filename": "ferry, still.png"},
        description="The frame at that time as a picture of its own; the same one twice is the same media.",
        refused={409: {"error": "Only a film has stills to take."}},
        parameters=[IDEMPOTENCY_KEY],
        request=StillRequestSerializer,
        sent={"at": 2.5},
        status=201,
    )
    @partial(once, first=drawn_still)
    def still(self, request: Request, id: str, ready: Asset) -> Response:
        return Response(media_on_wire(ready), status=201, headers={"Location": f"/api/v2/media/{ready.pk}"})

    def assets(self) -> AssetQuerySet:
        return Asset.objects.visible_to(self.actor).with_poster()

    def asset(self, id: str) -> Asset:
        """The file, if the caller can see it. Raises NotFound, the same for every reason."""
        return row_of(self.assets(), id, "There is no such media.")

    def writable(self, id: str) -> Asset:
        asset = self.asset(id)
        self.act_in(asset.workspace)
        check_not_suspended(asset.workspace)
        return asset
