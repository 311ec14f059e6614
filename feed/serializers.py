"""The feed on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from rest_framework import serializers

from config.api import WireSerializer, list_serializer
from config.json_types import JsonObject
from config.links import absolute
from feed.models import FeedRank, Pin


def feed_item(rank: FeedRank) -> JsonObject:
    card = rank.card
    return {
        "id": str(card.story_id),
        "title": card.title,
        "slug": card.slug,
        "path": card.path,
        "published_at": card.published_at,
        "excerpt": card.excerpt,
        "scene_count": card.scene_count,
        "views": rank.views,
        "pin_tier": rank.pin_tier,
        "cover_image_url": absolute(card.cover_url) if card.cover_url else None,
        "poster_video_url": absolute(card.video_url) if card.video_url else None,
        "author": {
            "name": card.author,
            "username": card.workspace.name,
            "avatar_url": card.workspace.picture_url or None,
        },
    }


class AuthorSerializer(WireSerializer):
    name = serializers.CharField(help_text="The author, else the title of the workspace.")
    username = serializers.CharField(allow_null=True, help_text="The workspace name.")
    avatarUrl = serializers.CharField(allow_null=True)


class FeedItemSerializer(WireSerializer):
    id = serializers.CharField(help_text="The story identifier.")
    title = serializers.CharField(allow_null=True)
    slug = serializers.CharField(allow_null=True)
    path = serializers.CharField(allow_null=True, help_text="/<workspace_name>/<slug>.")
    publishedAt = serializers.DateTimeField(allow_null=True)
    excerpt = serializers.CharField(allow_null=True, help_text="The opening line, at most 200 characters.")
    sceneCount = serializers.IntegerField(min_value=0)
    views = serializers.IntegerField(min_value=0, help_text="Lifetime views, as the feed is ranked by them.")
    pinTier = serializers.ChoiceField(choices=Pin.Tier.choices, allow_null=True)
    coverImageUrl = serializers.CharField(allow_null=True)
    posterVideoUrl = serializers.CharField(
        allow_null=True, help_text="The social clip, else the hero of the bake."
    )
    author = AuthorSerializer(allow_null=True)


FeedSerializer = list_serializer("FeedSerializer", FeedItemSerializer, help_text="null on the last page.")
