"""What surrounds a publication, on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from rest_framework import serializers

from capsules.models import Story
from config.api import Choice, Id, WireSerializer
from publishing.models import Premiere, PublicationEvent

MODES = ["FULL", "TEASER", "OFF"]


class VisibilityRequestSerializer(WireSerializer):
    visibility = Choice(choices=Story.Visibility.choices)


class OptionsPremiereSerializer(WireSerializer):
    willBeSent = serializers.BooleanField(help_text="Unless OFF or WHITE_LABEL is chosen.")
    recipients = serializers.IntegerField()
    modes = serializers.ListField(child=serializers.CharField())


class OptionsEditionSerializer(WireSerializer):
    storyId = Id()
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    language = serializers.CharField()
    shown = serializers.BooleanField()
    ready = serializers.BooleanField()
    isPublished = serializers.BooleanField()


class OptionsSerializer(WireSerializer):
    suggestedSlug = serializers.CharField(help_text="What a publish without a slug would take now.")
    link = serializers.CharField()
    isFirstPublish = serializers.BooleanField()
    premiere = OptionsPremiereSerializer()
    whiteLabelAllowed = serializers.BooleanField()
    editions = OptionsEditionSerializer(many=True)


class EventSerializer(WireSerializer):
    at = serializers.DateTimeField()
    action = serializers.ChoiceField(PublicationEvent.Action.choices)
    by = serializers.CharField(allow_null=True, help_text="The person's name.")
    via = serializers.CharField(help_text="studio, token, app, key, staff or service.")
    label = serializers.CharField(help_text="The name of the app or the key.")  # type: ignore[assignment]
    version = serializers.IntegerField(allow_null=True)
    detail = serializers.DictField()


class HistorySerializer(WireSerializer):
    items = EventSerializer(many=True)
    nextCursor = serializers.CharField(allow_null=True)


class VersionSerializer(WireSerializer):
    number = serializers.IntegerField()
    title = serializers.CharField()
    sceneCount = serializers.IntegerField()
    createdAt = serializers.DateTimeField()
    replacedAt = serializers.DateTimeField(allow_null=True)
    isLive = serializers.BooleanField()


class VersionsSerializer(WireSerializer):
    items = VersionSerializer(many=True)
    nextCursor = serializers.CharField(allow_null=True)


class PremiereSerializer(WireSerializer):
    state = serializers.ChoiceField([("none", "none"), *Premiere.State.choices])
    mode = serializers.CharField(allow_null=True)
    dueAt = serializers.DateTimeField(allow_null=True)
    recipients = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Messages by their state.")
    note = serializers.CharField(help_text="Why it is held or was cancelled.")


class LetterQuerySerializer(WireSerializer):
    mode = Choice(choices=["FULL", "TEASER"], required=False, default="TEASER")


class LetterSerializer(WireSerializer):
    subject = serializers.CharField()
    html = serializers.CharField()
    text = serializers.CharField()


class AudienceSerializer(WireSerializer):
    active = serializers.IntegerField()
    closed = serializers.IntegerField(help_text="Of the active ones: their address does not take mail.")
    left = serializers.IntegerField()
