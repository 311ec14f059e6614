"""Client metadata as a client tells it (RFC 7591), and the client it makes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.models import Application
from accounts.oauth import client_names, redirects
from config.errors import Fault, Invalid
from config.json_types import JsonObject

AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")
MAX_REDIRECTS = 10


class RedirectField(serializers.CharField):
    def to_internal_value(self, data: Any) -> str:
        uri = super().to_internal_value(data)
        fault = redirects.redirect_fault(uri)
        if fault:
            raise serializers.ValidationError(f"A redirect URI {fault}.")
        return uri


class ClientMetadata(serializers.Serializer):
    """What we understand; anything else a client says about itself is ignored, as RFC 7591 asks."""

    client_name = serializers.CharField(required=False, allow_blank=True, max_length=100, default="")
    client_uri = serializers.URLField(required=False, allow_blank=True, max_length=500, default="")
    logo_uri = serializers.URLField(required=False, allow_blank=True, max_length=500, default="")
    redirect_uris = serializers.ListField(
        child=RedirectField(trim_whitespace=False), min_length=1, max_length=MAX_REDIRECTS
    )
    grant_types = serializers.ListField(
        child=serializers.ChoiceField(["authorization_code", "refresh_token"]),
        default=["authorization_code", "refresh_token"],
    )
    response_types = serializers.ListField(child=serializers.ChoiceField(["code"]), default=["code"])
    token_endpoint_auth_method = serializers.ChoiceField(AUTH_METHODS, default="none")

    def validate_client_name(self, value: str) -> str:
        fault = client_names.name_fault(value)
        if fault:
            raise serializers.ValidationError(fault)
        return value

    def validate_redirect_uris(self, value: list[str]) -> list[str]:
        if not redirects.are_of_one_site(value):
            raise serializers.ValidationError(
                "All https redirect URIs must have one host, or hosts below it."
            )
        return value

    def validate_client_uri(self, value: str) -> str:
        if value and not value.startswith("https://"):
            raise serializers.ValidationError("Must be an https address.")
        return value

    validate_logo_uri = validate_client_uri

    def validate_grant_types(self, value: list[str]) -> list[str]:
        if "authorization_code" not in value:
            raise serializers.ValidationError("Must contain authorization_code.")
        return value


def understood(metadata: object) -> dict[str, object]:
    """The validated metadata. Raises Invalid with one fault for every offence."""
    if not isinstance(metadata, dict):
        raise Invalid("The metadata is not a JSON object.")
    serializer = ClientMetadata(data=metadata)
    if not serializer.is_valid():
        raise Invalid(
            "The client metadata is not valid.",
            faults=[Fault(name, str(errors)) for name, errors in flat(serializer.errors)],
        )
    return dict(serializer.validated_data)


def flat(errors: Any) -> list[tuple[str, str]]:
    """DRF's errors as (field, first message)."""
    found = []
    for name, value in errors.items():
        while isinstance(value, dict | list):
            value = next(iter(value.values() if isinstance(value, dict) else value))
        found.append((name, str(value)))
    return found


def is_public_client(metadata: JsonObject) -> bool:
    """Whether the client keeps no secret."""
    return metadata["token_endpoint_auth_method"] == AUTH_METHODS[0]


def fill(client: Application, metadata: JsonObject) -> Application:
    """The client with what it said about itself; not saved."""
    client.name = metadata["client_name"]
    client.client_uri = metadata["client_uri"]
    client.logo_uri = metadata["logo_uri"]
    client.redirect_uris = " ".join(metadata["redirect_uris"])
    client.client_type = (
        Application.CLIENT_PUBLIC if is_public_client(metadata) else Application.CLIENT_CONFIDENTIAL
    )
    client.authorization_grant_type = Application.GRANT_AUTHORIZATION_CODE
    return client
