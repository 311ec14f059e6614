"""The OAuth server's rows: clients, codes and tokens. Secrets are kept as digests only."""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from django.db import models
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

from accounts.models.connections import Connection
from accounts.models.digests import digest_of
from accounts.oauth import redirects


class DigestField(models.CharField):
    """Stores the SHA-256 of what it is given; look-ups take the clear value. Never save a loaded value again."""

    def get_prep_value(self, value: object) -> object:
        return None if value is None else digest_of(str(value))


class Application(AbstractApplication):
    """An OAuth client, registered by itself (RFC 7591) or described by a document at its client id."""

    client_uri = models.URLField(max_length=500, blank=True)
    logo_uri = models.URLField(max_length=500, blank=True, help_text="Told to API clients; never fetched.")

    class Meta(AbstractApplication.Meta):
        verbose_name = "OAuth client"

    @property
    def document_host(self) -> str:
        """Where its description was read; "" for one that registered itself."""
        if self.registration_source != self.RegistrationSource.CIMD:
            return ""
        return urlsplit(self.client_id).hostname or ""

    @property
    def host(self) -> str:
        """What tells two clients of one name apart: the host that describes it, and those its answers may go to."""
        places = [redirects.destination(uri).name for uri in self.redirect_uris.split()]
        return ", ".join(dict.fromkeys([self.document_host, *places] if self.document_host else places))

    @property
    def display_name(self) -> str:
        return self.name or self.host

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Exact string comparison (RFC 9700), but for the port of a loopback address (RFC 8252)."""
        return any(redirects.same(uri, registered) for registered in self.redirect_uris.split())

    def get_allowed_schemes(self) -> list[str]:
        schemes = {
            urlsplit(uri).scheme for uri in self.redirect_uris.split() if not redirects.redirect_fault(uri)
        }
        return sorted(schemes)


class Grant(AbstractGrant):
    """An authorization code. A used one is kept for a day: it ends the connection when it comes back."""

    code = DigestField(max_length=64, unique=True)
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)


class RefreshToken(AbstractRefreshToken):
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="refresh_tokens")


class AccessToken(AbstractAccessToken):
    """Bookkeeping of the library. What a token may do is asked of its connection at each request."""

    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="+")


class PersonalToken(models.Model):
    """A secret that a person made for a desktop app that cannot sign in by itself. Only its SHA-256 is kept.

    Its connection says what it may do, in which workspaces, and whether it still works; its client is only a name.
    """

    START = "capsules_mcp_"

    connection = models.OneToOneField(Connection, on_delete=models.CASCADE, related_name="token")
    prefix = models.CharField(max_length=20, help_text="The beginning of the secret, to tell tokens apart.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @classmethod
    def new_secret(cls) -> str:
        return f"{cls.START}{secrets.token_urlsafe(32)}"


class IDToken(AbstractIDToken):
    """Required by the library beside the others; OpenID Connect is not offered, so there is never a row."""
