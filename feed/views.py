"""GET /feed."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.throttling import AddressThrottle
from config.api import ApiViewSet, ListQuerySerializer, query
from config.schema import UNCHANGED, example, failures, header
from feed import lists
from feed.serializers import FeedSerializer, feed_item

CACHE_CONTROL = "public, max-age=10, s-maxage=30"
EXAMPLE = {
    "items": [
        {
            "id": "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11",
            "title": "The Last Ferry to Aldermoor",
            "slug": "the-last-ferry-to-aldermoor",
            "path": "/north-shore/the-last-ferry-to-aldermoor",
            "publishedAt": "2026-11-18T17:04:05Z",
            "excerpt": "The last ferry leaves Aldermoor at dusk, whether or not anyone is aboard.",
            "sceneCount": 5,
            "views": 1204,
            "pinTier": "headline",
            "coverImageUrl": "https://capsules.example/media/3f/3f9c.jpg",
            "posterVideoUrl": "https://capsules.example/media/a1/a1b2.mp4",
            "author": {"name": "Ines Okafor", "username": "north-shore", "avatarUrl": None},
        }
    ],
    "nextCursor": "AQAHk3sBAAAAAAAEtAAAAAAAAAAqX1mYd0bJ0lq3cV8e",
}


class FeedViewSet(ApiViewSet):
    """The public feed. Anyone may read it, at RATES["feed"] for one address."""

    authentication_classes = []
    throttle_classes = [AddressThrottle]

    @extend_schema(
        operation_id="getFeed",
        summary="Public feed",
        description="Published, listed capsules by pin tier (headline above featured), then by lifetime views.",
        tags=["Feed"],
        auth=[],
        parameters=[
            ListQuerySerializer,
            header("If-None-Match", "The ETag that the caller has: 304 where it is still current."),
        ],
        responses={200: FeedSerializer, **UNCHANGED, **failures(400, 429, 500)},
        examples=[example("First page", EXAMPLE)],
    )
    def retrieve(self, request: Request) -> Response:
        asked = query(ListQuerySerializer, request, strict=False)
        page = lists.ranked(limit=asked["limit"], cursor=asked["cursor"])
        answer = {"items": [feed_item(rank) for rank in page.rows], "next_cursor": page.next_cursor}
        return Response(FeedSerializer(answer).data, headers={"Cache-Control": CACHE_CONTROL})
