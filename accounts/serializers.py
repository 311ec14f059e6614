"""The caller on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from rest_framework import serializers

from config.api import WireSerializer


class CallerSerializer(WireSerializer):
    id = serializers.CharField()
    email = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    workspaceId = serializers.CharField(allow_null=True)
