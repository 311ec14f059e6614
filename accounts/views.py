"""GET /me, and the documents a client needs before it has a token."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import actors, tokens
from accounts.authentication import BearerAuthentication, IsAuthenticated, actor_in
from accounts.serializers import CallerSerializer
from accounts.throttling import CredentialThrottle
from config.api import ApiViewSet
from config.schema import example, failures


class MeViewSet(ApiViewSet):
    """The authenticated caller."""

    authentication_classes = [BearerAuthentication]
    permission_classes = [IsAuthenticated]
    throttle_classes = [CredentialThrottle]

    @extend_schema(
        operation_id="getMe",
        summary="Authenticated caller",
        tags=["Account"],
        responses={200: CallerSerializer, **failures(401)},
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
        actor = actor_in(request)
        default = actor.default_workspace()
        caller = {
            "id": actor.user.pk,
            "email": actor.user.email,
            "name": actor.user.name or None,
            "workspace_id": default and default.pk,
        }
        return Response(CallerSerializer(caller).data)


@cache_control(public=True, max_age=300)
def jwks(request: HttpRequest) -> JsonResponse:
    """The public keys that verify our tokens (RFC 7517)."""
    return JsonResponse(tokens.jwks())


@cache_control(public=True, max_age=300)
def protected_resource(request: HttpRequest) -> JsonResponse:
    """What the API is as an OAuth resource (RFC 9728); the challenge of every 401 points here."""
    document: dict[str, Any] = {
        "resource": settings.TOKEN_AUDIENCE,
        "authorization_servers": [settings.BASE_URL],
        "bearer_methods_supported": ["header"],
        "resource_name": "Capsules",
        "scopes_supported": [
            actors.PUBLICATIONS_READ,
            actors.PUBLICATIONS_WRITE,
            actors.CONNECTIONS_READ,
            actors.CONNECTIONS_WRITE,
        ],
    }
    return JsonResponse(document)
