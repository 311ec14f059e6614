"""What the library asks about clients, codes and tokens, answered by the connection they belong to.

The token endpoint holds the connection's row lock while these run (`views.TokenView`), so each answer is final.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from oauth2_provider.models import set_token_value
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from accounts import resources
from accounts.actions import connections
from accounts.models import AccessToken, Application, Connection, Grant, RefreshToken
from accounts.models.digests import digest_of

Ended = Connection.Ended


def is_live(connection: Connection) -> bool:
    return Connection.objects.live().filter(pk=connection.pk).exists()


def audience_of(row: Grant | RefreshToken, request: Request) -> list[str]:
    """The resource that the person allowed, in a list as the library keeps it. Raises where the app names another."""
    allowed = next(iter(row.resource), resources.address("api"))
    asked = [value for name, value in request.decoded_body or [] if name == "resource"]
    if asked and resources.named_resource(asked) != allowed:
        raise CustomOAuth2Error("invalid_target", f"This was allowed for {allowed} only.")
    return [allowed]


class Validator(OAuth2Validator):
    """One-time codes and refresh tokens whose return ends the connection; scopes never beyond the connection's."""

    def _load_application(self, client_id: str, request: object) -> Application | None:
        """The client as it is known. It never fetches a document: this runs for anybody, inside transactions too."""
        # PostgreSQL refuses to look for a NUL.
        if not client_id or "\0" in client_id or not client_id.isascii():
            return None
        return super()._load_application(client_id, request)

    def is_pkce_required(self, client_id: str, request: object) -> bool:
        return True

    # --- codes -------------------------------------------------------------------------------------------------

    def _create_authorization_code(
        self, request: Request, code: dict[str, str], expires: Any = None
    ) -> Grant:
        """The library's own would leave out the connection, which the consent page gives along as a credential."""
        lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["AUTHORIZATION_CODE_EXPIRE_SECONDS"])
        return Grant.objects.create(
            application=request.client,
            user=request.user,
            code=code["code"],
            expires=timezone.now() + lifetime,
            redirect_uri=request.redirect_uri,
            scope=" ".join(request.scopes),
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
            connection=request.connection,
            resource=request.resource,
        )

    def validate_code(
        self, client_id: str, code: str, client: object, request: Request, *args: object, **kwargs: object
    ) -> bool:
        grant = (
            Grant.objects.filter(code=code, application=client).select_related("connection__client").first()
        )
        if grant is None:
            return False
        # A code that comes back was stolen, before or after its use: whoever has tokens by it loses them.
        if grant.used_at:
            connections.end(grant.connection, because=Ended.REUSE, by=None)
            return False
        request.connection = grant.connection
        request.resource = audience_of(grant, request)
        return is_live(grant.connection) and super().validate_code(client_id, code, client, request)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: object, **kwargs: object
    ) -> None:
        """Keeps the code as used: `validate_code` must know it when it comes back."""
        Grant.objects.filter(code=code, application=request.client).update(used_at=timezone.now())

    # --- tokens ------------------------------------------------------------------------------------------------

    def validate_refresh_token(
        self, refresh_token: str, client: object, request: Request, *args: object, **kwargs: object
    ) -> bool:
        token = (
            RefreshToken.objects.filter(token_checksum=digest_of(refresh_token), application=client)
            .select_related("connection__client")
            .first()
        )
        if token is None:
            return False
        # As with codes: either the app or a thief has an old token, and we cannot tell which.
        if token.revoked:
            connections.end(token.connection, because=Ended.REUSE, by=None)
            return False
        request.connection = token.connection
        if token.connection.consented_at < timezone.now() - Connection.LIFETIME:
            connections.end(token.connection, because=Ended.EXPIRED, by=None)
            return False
        request.resource = audience_of(token, request)
        return is_live(token.connection) and super().validate_refresh_token(refresh_token, client, request)

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: object, **kwargs: object
    ) -> list[str]:
        """What the token was granted, less what a later consent took away."""
        granted = super().get_original_scopes(refresh_token, request)
        return [scope for scope in str(granted).split() if scope in request.connection.scopes]

    def is_within_original_scope(
        self, request_scopes: list[str], refresh_token: str, request: Request, *args: object, **kwargs: object
    ) -> bool:
        """Many clients repeat what they first asked for: of that they get what was granted (RFC 6749, 6)."""
        granted = self.get_original_scopes(refresh_token, request)
        request.scopes = [scope for scope in request_scopes if scope in granted]
        return bool(request.scopes)

    def _create_access_token(
        self, expires: object, request: Request, token: dict[str, str], source_refresh_token: Any = None
    ) -> AccessToken:
        access_token = AccessToken(
            user=request.user,
            scope=token["scope"],
            expires=expires,
            application=request.client,
            source_refresh_token=source_refresh_token,
            resource=request.resource,
            connection=request.connection,
        )
        set_token_value(access_token, token["access_token"])
        access_token.save()
        return access_token

    def _create_refresh_token(
        self,
        request: Request,
        refresh_token_code: str,
        access_token: AccessToken,
        previous_refresh_token: Any,
    ) -> RefreshToken:
        # All tokens that follow from one consent, so that one that comes back ends them together.
        family = previous_refresh_token.token_family if previous_refresh_token else uuid.uuid4()
        token = RefreshToken(
            user=request.user,
            application=request.client,
            access_token=access_token,
            token_family=family,
            resource=request.resource,
            connection=request.connection,
        )
        set_token_value(token, refresh_token_code)
        token.save()
        return token

    def revoke_token(
        self, token: str, token_type_hint: str, request: Request, *args: object, **kwargs: object
    ) -> None:
        """An app that gives back any of its tokens (RFC 7009) disconnects itself."""
        # Whatever hint the app gives, as RFC 7009 has it: it may be wrong.
        for model in (RefreshToken, AccessToken):
            row = (
                model.objects.filter(token_checksum=digest_of(token), application=request.client)
                .select_related("connection__client", "connection__user")
                .first()
            )
            if row is not None:
                connections.end(row.connection, because=Ended.CLIENT, by=row.connection.user)
