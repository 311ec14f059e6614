"""What a token can be for: the API, or the MCP server. Neither accepts the tokens of the other (RFC 8707, RFC 9728)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from django.conf import settings

Audience = Literal["api", "mcp"]
INSUFFICIENT = "insufficient_scope"  # the error of a 403 (RFC 6750)
METADATA_PATHS: dict[Audience, str] = {
    "api": "/.well-known/oauth-protected-resource/api/v2",
    "mcp": "/.well-known/oauth-protected-resource/mcp",
}


def address(audience: Audience) -> str:
    """The resource's own address, which tokens carry as `aud`."""
    return str({"api": settings.TOKEN_AUDIENCE, "mcp": settings.MCP_URL}[audience])


def named_resource(values: Collection[str]) -> str | None:
    """The one resource that resource indicators name, the API where there are none; None for anything else."""
    addresses = {value.rstrip("/") for value in values} or {address("api")}
    known = {address("api"), address("mcp")}
    return addresses.pop() if len(addresses) == 1 and addresses <= known else None


def challenge(audience: Audience = "api", *, scopes: Collection[str] = (), error: str = "") -> str:
    """The WWW-Authenticate header of a 401, or of a 403 with `error` that asks for `scopes` (RFC 6750, 9728)."""
    parts = ['Bearer realm="capsules"']
    if error:
        parts.append(f'error="{error}"')
    if scopes:
        parts.append(f'scope="{" ".join(scopes)}"')
    parts.append(f'resource_metadata="{settings.BASE_URL}{METADATA_PATHS[audience]}"')
    return ", ".join(parts)
