"""Webhooks and their deliveries on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from rest_framework import serializers

from accounts.events.types import DELIVERED, TEST, TYPES
from accounts.models import WebhookDelivery
from config.api import (
    MAX_LIMIT,
    Choice,
    Cursor,
    List,
    Moment,
    Text,
    Whole,
    WholeNumber,
    WireSerializer,
    list_serializer,
)

URL = "Where to: https, and public."


class WebhookSerializer(WireSerializer):
    id = serializers.CharField()
    url = serializers.CharField()
    types = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="null: all of them."
    )
    description = serializers.CharField()
    state = serializers.ChoiceField(["on", "off", "failing"])
    publicKey = serializers.CharField(help_text="Verifies the v1a signatures (ed25519).")
    createdAt = serializers.DateTimeField()
    lastSuccessAt = serializers.DateTimeField(allow_null=True)
    failingSince = serializers.DateTimeField(allow_null=True)


class NewWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Verifies the v1 signatures. It is told here once.")


WebhooksSerializer = list_serializer(
    "WebhooksSerializer", WebhookSerializer, help_text="Always null: there are at most ten."
)


class TypeList(List):
    child = Text(max_length=32)


class WebhookRequestSerializer(WireSerializer):
    url = Text(max_length=500, help_text=URL)
    types = TypeList(required=False, allow_null=True, max_length=len(TYPES))
    description = Text(required=False, max_length=200, allow_blank=True)


class WebhookChangesRequestSerializer(WireSerializer):
    url = Text(required=False, max_length=500, help_text=URL)
    types = TypeList(required=False, allow_null=True, max_length=len(TYPES))
    description = Text(required=False, max_length=200, allow_blank=True)
    state = Choice(["on", "off"], required=False)


class SecretSerializer(WireSerializer):
    secret = serializers.CharField()
    oldSecretUntil = serializers.DateTimeField(help_text="Until then both sign.")


class TestRequestSerializer(WireSerializer):
    type = Choice(list(DELIVERED), required=False, default=TEST)


class AttemptSerializer(WireSerializer):
    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_null=True, help_text="Why there was no answer.")
    ms = serializers.IntegerField()
    answer = serializers.CharField(help_text="How it begins: at most 1 KiB.")


class WebhookDeliverySerializer(WireSerializer):
    id = serializers.CharField()
    eventId = serializers.CharField(source="event_id_on_wire")
    sequence = serializers.IntegerField(allow_null=True)
    type = serializers.CharField()
    state = serializers.ChoiceField(WebhookDelivery.State.choices)
    attempts = AttemptSerializer(many=True)
    nextAttemptAt = serializers.DateTimeField(allow_null=True)


WebhookDeliveriesSerializer = list_serializer("WebhookDeliveriesSerializer", WebhookDeliverySerializer)


class DeliveriesQuerySerializer(WireSerializer):
    state = Choice(WebhookDelivery.State.values, required=False)
    limit = WholeNumber(required=False, default=20, min_value=1, max_value=MAX_LIMIT)
    cursor = Cursor(required=False, default=None, help_text="Taken from a previous nextCursor.")


class ReplayRequestSerializer(WireSerializer):
    after = Whole(required=False, min_value=0, help_text="Events with a higher number.")
    until = Whole(required=False, min_value=0, help_text="Up to this number; left out: to the newest.")
    failedSince = Moment(required=False, help_text="What failed since, RFC 3339.")
    deliveries = List(child=Text(max_length=20), required=False, min_length=1, max_length=1000)


class CountSerializer(WireSerializer):
    count = serializers.IntegerField()
