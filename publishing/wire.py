"""Publications, and what surrounds them, on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from capsules.models import Story
from config.api import Choice, Flag, Id, Text, WireSerializer, list_serializer
from config.moments import on_wire
from publishing import slugs
from publishing.models import Premiere, Publication, PublicationEvent


def check_slug(value: str) -> None:
    if fault := slugs.rule_fault(value):
        raise serializers.ValidationError(fault)


@extend_schema_field(
    {
        "type": "string",
        "minLength": 1,
        "maxLength": slugs.SCHEMA_MAX_LENGTH,
        "allOf": [{"maxLength": slugs.MAX_LENGTH, "pattern": f"^{slugs.RULE.pattern}$"}],  # the content rule
        "example": "the-last-ferry",
    }
)
class SlugText(Text):
    """A slug: the schema admits up to 80 characters, the content rule 50. Of more than 80 both are told."""

    def __init__(self, **kwargs: object) -> None:
        super().__init__(min_length=1, max_length=slugs.SCHEMA_MAX_LENGTH, validators=[check_slug], **kwargs)


class PublishRequestSerializer(WireSerializer):
    slug = SlugText(
        required=False,
        help_text="The end of the public link. Lowercase letters, digits and hyphens; at most 50 characters. "
        "Omitted: derived from the title on the first publish, unchanged on a republish.",
    )
    publicationMode = Choice(choices=Publication.Mode.choices, required=False)
    unlisted = Flag(required=False, help_text="true keeps the capsule off the profile.")
    showSocialShare = Flag(
        required=False, help_text="Show share buttons. True until a publish says otherwise."
    )
    premiereEmailMode = Choice(
        choices=["FULL", "TEASER", "OFF"],
        required=False,
        help_text="Read on the first publish only. TEASER if omitted.",
    )


class PublishResultSerializer(WireSerializer):
    url = serializers.CharField(help_text="Public path. Editions shown to readers include ?edition=<name>.")
    slug = serializers.CharField()
    isRepublish = serializers.BooleanField(help_text="false on the first publish.")
    publicationMode = serializers.ChoiceField(choices=Publication.Mode.choices)
    publishedStoryId = serializers.CharField(
        required=False,
        help_text="Set when an edition was published through its capsule (the default edition).",
    )
    edition = serializers.CharField(required=False, allow_null=True)

    def to_representation(self, instance: object) -> dict[str, object]:
        answer: dict[str, object] = super().to_representation(instance)
        if answer["publishedStoryId"] is None:
            del answer["publishedStoryId"]
        return answer


class UnpublishQuerySerializer(WireSerializer):
    releaseSlug = Choice(
        choices=["true", "false"], required=False, help_text="true frees the slug for another capsule."
    )


class VisibilityRequestSerializer(WireSerializer):
    visibility = Choice(choices=Story.Visibility.choices)


class OptionsPremiereSerializer(WireSerializer):
    willBeSent = serializers.BooleanField(help_text="Unless OFF or WHITE_LABEL is chosen.")
    recipients = serializers.IntegerField()
    modes = serializers.ListField(child=serializers.CharField())


class OptionsModeSerializer(WireSerializer):
    mode = serializers.ChoiceField(choices=Publication.Mode.choices)
    premiereEmailModes = serializers.ListField(
        child=serializers.CharField(), help_text="What a person can choose from; none: no email is sent."
    )


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
    currentSlug = serializers.CharField(
        allow_null=True, help_text="By which readers come now; a publish under another ends this link."
    )
    isFirstPublish = serializers.BooleanField()
    premiere = OptionsPremiereSerializer()
    publicationModes = OptionsModeSerializer(many=True, help_text="Those that the plan includes.")
    whiteLabelAllowed = serializers.BooleanField()
    editions = OptionsEditionSerializer(many=True)
    alongside = serializers.ListField(
        child=serializers.CharField(),
        help_text="What goes live with it, and which editions do not, in sentences.",
    )


class EventSerializer(WireSerializer):
    at = serializers.DateTimeField()
    action = serializers.ChoiceField(PublicationEvent.Action.choices)
    by = serializers.CharField(allow_null=True, help_text="The person's name.")
    via = serializers.CharField(help_text="studio, token, app, key, mail, staff or service.")
    label = serializers.CharField(help_text="The name of the app or the key.")  # type: ignore[assignment]
    version = serializers.IntegerField(allow_null=True)
    detail = serializers.DictField()


HistorySerializer = list_serializer("HistorySerializer", EventSerializer)


class VersionSerializer(WireSerializer):
    number = serializers.IntegerField()
    title = serializers.CharField()
    sceneCount = serializers.IntegerField()
    createdAt = serializers.DateTimeField()
    replacedAt = serializers.DateTimeField(allow_null=True)
    isLive = serializers.BooleanField()


VersionsSerializer = list_serializer("VersionsSerializer", VersionSerializer)


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


def event_on_wire(event: PublicationEvent) -> dict[str, object]:
    return {
        "at": on_wire(event.at),
        "action": event.action,
        "by": event.by_whom.name or None if event.by_whom else None,
        "via": event.via,
        "label": event.label,
        "version": event.bake.number if event.bake else None,
        "detail": event.detail,
    }
