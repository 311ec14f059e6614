"""The caller and connected apps on the wire."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from rest_framework import serializers

from accounts.models import Connection
from config.api import WireSerializer


class CallerSerializer(WireSerializer):
    id = serializers.CharField()
    email = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    workspaceId = serializers.CharField(allow_null=True)


class WorkspaceRefSerializer(WireSerializer):
    id = serializers.CharField()
    name = serializers.CharField(source="title")


class ConnectedAppSerializer(WireSerializer):
    """A connection with its client; the default workspace comes first in `workspaces`."""

    id = serializers.CharField()
    clientName = serializers.CharField(source="client.display_name")
    clientUri = serializers.SerializerMethodField()
    logoUri = serializers.SerializerMethodField()
    workspaceId = serializers.CharField(source="default_workspace.pk", help_text="The default workspace.")
    workspaceName = serializers.CharField(source="default_workspace.title")
    workspaces = WorkspaceRefSerializer(
        many=True, help_text="Every workspace the connection reaches, including the default."
    )
    scopes = serializers.ListField(child=serializers.CharField(), help_text="Each <resource>:read or :write.")
    createdAt = serializers.DateTimeField()
    lastUsedAt = serializers.DateTimeField(allow_null=True, help_text="At most a minute late.")

    def get_clientUri(self, connection: Connection) -> str | None:  # noqa: N802 (the wire name)
        return connection.client.client_uri or None

    def get_logoUri(self, connection: Connection) -> str | None:  # noqa: N802 (the wire name)
        return connection.client.logo_uri or None


class ConnectedAppsSerializer(WireSerializer):
    items = ConnectedAppSerializer(many=True)


class RevokedSerializer(WireSerializer):
    revoked = serializers.ChoiceField([True])
