"""From a request's credential to the Actor behind it, looked up in the database at every request."""

from __future__ import annotations

import uuid
from typing import Any

import jwt
from django.db.models.functions import Now
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts import resources, tokens
from accounts.actions.connections import note_use
from accounts.actors import SCOPES, Actor
from accounts.models import ApiKey, Connection, PersonalToken, User
from accounts.models.digests import digest_of
from accounts.people import sessions
from accounts.resources import Audience, challenge
from accounts.visits import Refusal, visits
from config.database import only
from config.errors import Fault, Invalid
from config.json_types import JsonObject

KEY_HEADER = "x-api-key"


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <JWT>`. It stands before `ApiKeyAuthentication`, to refuse a call with both headers."""

    def authenticate(self, request: Request) -> tuple[User, Actor] | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        if request.headers.get(KEY_HEADER) is not None:
            both = "Send either the Authorization header or the x-api-key header, not both."
            raise Invalid(both, faults=[Fault("", both)])
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise AuthenticationFailed("The Authorization header must carry a bearer token.")
        actor = actor_of(token.strip())
        return actor.user, actor

    def authenticate_header(self, request: Request) -> str:
        return challenge()


def actor_in(request: Request) -> Actor:
    """The actor of an authenticated request."""
    assert isinstance(request.auth, Actor)  # noqa: S101  (what our authenticators return)
    return request.auth


def actor_of(token: str, *, audience: Audience = "api") -> Actor:
    """The Actor behind an access token for `audience`, as the database knows it now. Raises AuthenticationFailed."""
    invalid = AuthenticationFailed("The bearer token is not valid. It may have expired.")
    try:
        if token.startswith(PersonalToken.START):
            actor = personal_actor(token) if audience == "mcp" else None
        else:
            claims = tokens.verify(token, audience=audience)
            user_id = uuid.UUID(claims["sub"])
            first_party = claims.get("client_id") == tokens.FIRST_PARTY
            actor = own_actor(user_id, claims) if first_party else app_actor(user_id, claims)
    except (jwt.InvalidTokenError, ValueError) as error:
        raise invalid from error
    if actor is None:
        raise invalid
    return actor


def own_actor(user_id: uuid.UUID, claims: JsonObject) -> Actor | None:
    """The user behind a first-party token, unless disabled, signed out, or since given a new password."""
    generation = claims.get("generation", 0)
    user = only(User.objects.filter(pk=user_id, is_active=True, token_generation=generation))
    if user is None or ("session" in claims and not sessions.is_alive(claims["session"], user)):
        return None
    return Actor.by_token(user, via="studio" if claims.get("via") == "studio" else "token")


def app_actor(user_id: uuid.UUID, claims: dict[str, object]) -> Actor | None:
    """The connected app behind a token of the OAuth server, unless its connection has ended."""
    rows = Connection.objects.live().with_reach()
    connection = only(rows.filter(pk=uuid.UUID(str(claims.get("connection"))), user=user_id))
    if connection is None:
        return None
    note_use(connection)
    return Actor.by_connection(connection, scopes=str(claims.get("scope", "")).split())


def personal_actor(secret: str) -> Actor | None:
    """The connection behind a personal token, unless it was revoked or the token has expired."""
    rows = Connection.objects.live().with_reach()
    connection = only(rows.filter(token__digest=digest_of(secret), token__expires_at__gt=Now()))
    if connection is None:
        return None
    note_use(connection)
    return Actor.by_connection(connection, scopes=connection.scopes)


def note_refused_token(token: str) -> None:
    """Tells the connection whose token the MCP server did not take, so that its person can read why."""
    if token.startswith(PersonalToken.START):
        own = PersonalToken.objects.filter(digest=digest_of(token)).first()
        if own is not None:
            visits.refused(f"connection:{own.connection_id}", Refusal.TOKEN, "Its personal token has ended.")
        return
    claims = tokens.own_claims(token) or {}
    if "connection" not in claims:
        return
    credential = f"connection:{claims['connection']}"
    if resources.address("mcp") not in (claims.get("aud"), *(claims.get("aud") or [])):
        visits.refused(
            credential, Refusal.AUDIENCE, "It sent a token for the API to the address for AI apps."
        )
    else:
        visits.refused(credential, Refusal.TOKEN, "Its token has expired, or its connection has ended.")


class ApiKeyAuthentication(BaseAuthentication):
    """`x-api-key: <key>`: a workspace's key for scripts."""

    def authenticate(self, request: Request) -> tuple[User, Actor] | None:
        secret = request.headers.get(KEY_HEADER)
        if secret is None:
            return None
        digest = digest_of(secret.strip())
        key = only(ApiKey.objects.working().select_related("creator").filter(digest=digest))
        if key is None:
            raise AuthenticationFailed("The API key is not valid. It may have been revoked.")
        note_use(key)
        return key.creator, Actor.by_key(key)


class HasScope(BasePermission):
    """Admits authenticated callers. Raises Forbidden where they lack the scope that the view names for the action (None
    for an action that needs none), AuthenticationFailed for a workspace's key where nobody asked for one.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.auth is None:
            if request.headers.get(KEY_HEADER) is not None:
                raise AuthenticationFailed("API keys are not taken here. Send a bearer token.")
            return False
        action = view.action_map.get(str(request.method).lower())
        if action is not None and (scope := view.scopes[action]) is not None:
            actor_in(request).require_scope(scope)
        return True


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = BearerAuthentication
    name = "bearer"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[str]]:
        """Notes the scope of the operation, which `add_security` moves to the OAuth scheme."""
        scope = getattr(auto_schema.view, "scopes", {}).get(getattr(auto_schema.view, "action", None))
        return {"bearer": [scope] if scope else []}


def add_security(result: JsonObject, **kwargs: object) -> dict[str, object]:
    """Adds the OAuth scheme to the OpenAPI document, its scopes to each operation, and says which need nothing."""
    flow = {"authorizationUrl": "/oauth/authorize", "tokenUrl": "/oauth/token", "scopes": SCOPES}
    schemes = result["components"].setdefault("securitySchemes", {})
    schemes["oauth"] = {
        "type": "oauth2",
        "flows": {"authorizationCode": {**flow, "refreshUrl": "/oauth/token"}},
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            needs = operation.setdefault("security", [])
            scopes: list[str] = next((need["bearer"] for need in needs if "bearer" in need), [])
            if scopes:
                needs[:] = [{"bearer": []} if "bearer" in need else need for need in needs]
                needs.append({"oauth": scopes})
    return result


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = ApiKeyAuthentication
    name = "apiKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": KEY_HEADER}
