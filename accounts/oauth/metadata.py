"""What the OAuth server tells about itself (RFC 8414)."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from accounts import resources
from accounts.actors import APP_SCOPES, SCOPES_OF
from accounts.oauth.clients import AUTH_METHODS
from accounts.resources import Audience


def endpoint(name: str) -> str:
    return f"{settings.BASE_URL}{reverse(name)}"


def resource(audience: Audience) -> dict[str, object]:
    """What the API, or the MCP server, is as an OAuth resource (RFC 9728). Apps ask for all scopes that it lists."""
    return {
        "resource": resources.address(audience),
        "authorization_servers": [settings.BASE_URL],
        "bearer_methods_supported": ["header"],
        "resource_name": settings.SERVICE_NAME,
        "scopes_supported": list(SCOPES_OF[audience]),
    }


@require_safe
@cache_control(public=True, max_age=300)
def authorization_server(request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        {
            "issuer": settings.BASE_URL,
            "authorization_endpoint": endpoint("oauth-authorize"),
            "token_endpoint": endpoint("oauth-token"),
            "registration_endpoint": endpoint("oauth-register"),
            "revocation_endpoint": endpoint("oauth-revoke"),
            "jwks_uri": f"{settings.BASE_URL}/.well-known/jwks.json",
            "scopes_supported": list(APP_SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": AUTH_METHODS,
            "revocation_endpoint_auth_methods_supported": AUTH_METHODS,
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
            "protected_resources": [resources.address(audience) for audience in resources.METADATA_PATHS],
        }
    )
