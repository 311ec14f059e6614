"""GET /me, the connected apps, and the documents a client needs before it has a token."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import actors, tokens
from accounts.actions.connections import end
from accounts.api import ActorViewSet
from accounts.authentication import BearerAuthentication
from accounts.models import Connection
from accounts.oauth import metadata
from accounts.resources import Audience
from accounts.serializers import CallerSerializer, ConnectedAppsSerializer, RevokedSerializer
from config.api import WireSerializer, parsed, query
from config.schema import example, failures


class MeViewSet(ActorViewSet):
    """The authenticated caller."""

    authentication_classes = [BearerAuthentication]
    scopes: ClassVar = {"retrieve": None}

    @extend_schema(
        operation_id="getMe",
        summary="Authenticated caller",
        tags=["Account"],
        responses={200: CallerSerializer, **failures(400, 401, 429, 500)},
        examples=[
            example(
                "Caller",
                {
                    "id": "0b0f6f0a-52d4-4f43-9a8c-0a3f3d1c9a01",
                    "email": "owner@north-shore.example",
                    "name": "Ines Okafor",
                    "workspaceId": "5a5b7f5e-6f0e-4a62-8a5d-94a5f3d4c002",
                },
            )
        ],
    )
    def retrieve(self, request: Request) -> Response:
        actor = self.actor
        default = actor.default_workspace()
        caller = {
            "id": actor.user.pk,
            "email": actor.user.email,
            "name": actor.user.name or None,
            "workspace_id": default and default.pk,
        }
        return Response(CallerSerializer(caller).data)


CONNECTED_APP = {
    "id": "3f2c6f0e-7c1b-4f3c-9a55-0b7f2f7c9d10",
    "clientName": "Ink",
    "clientUri": "https://ink.example",
    "logoUri": None,
    "workspaceId": "5a5b7f5e-6f0e-4a62-8a5d-94a5f3d4c002",
    "workspaceName": "North Shore Press",
    "workspaces": [{"id": "5a5b7f5e-6f0e-4a62-8a5d-94a5f3d4c002", "name": "North Shore Press"}],
    "scopes": ["publications:read", "publications:write"],
    "createdAt": "2026-11-18T17:04:05Z",
    "lastUsedAt": None,
}


NO_SCOPE = example(
    "Not granted",
    {"error": "This connection was not granted the permission connections:read."},
    status=403,
)


class ConnectedAppViewSet(ActorViewSet):
    """The caller's own connections."""

    authentication_classes = [BearerAuthentication]
    scopes: ClassVar = {"list": actors.CONNECTIONS_READ, "destroy": actors.CONNECTIONS_WRITE}

    @extend_schema(
        operation_id="listConnectedApps",
        summary="List connected apps",
        description="The live connections of AI apps to the account, newest first.",
        tags=["Account"],
        responses={
            200: forced_singular_serializer(ConnectedAppsSerializer),
            **failures(400, 401, 403, 429, 500),
        },
        examples=[example("One app", {"items": [CONNECTED_APP]}), NO_SCOPE],
    )
    def list(self, request: Request) -> Response:
        connections = Connection.objects.live().of(self.actor.user).with_reach().newest_first()
        return Response(ConnectedAppsSerializer({"items": connections}).data)

    @extend_schema(
        operation_id="disconnectApp",
        summary="Disconnect an app",
        description="Revokes the connection immediately: its access and refresh tokens stop working.",
        tags=["Account"],
        responses={200: RevokedSerializer, **failures(400, 401, 403, 404, 429, 500)},
        examples=[
            example("Revoked", {"revoked": True}),
            NO_SCOPE,
        ],
    )
    def destroy(self, request: Request, id: str) -> Response:
        user = self.actor.user
        connection = Connection.objects.live().of(user).by_wire_id(id)
        query(WireSerializer, request)
        parsed(WireSerializer, request)
        end(connection, because=Connection.Ended.REVOKED, by=user)
        return Response({"revoked": True})


@require_safe
@cache_control(public=True, max_age=300)
def jwks(request: HttpRequest) -> JsonResponse:
    """The public keys that verify our tokens (RFC 7517)."""
    return JsonResponse(tokens.jwks())


@require_safe
@cache_control(public=True, max_age=300)
def protected_resource(request: HttpRequest, audience: Audience) -> JsonResponse:
    """The challenge of every 401 points here."""
    return JsonResponse(metadata.resource(audience))
