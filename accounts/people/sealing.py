"""Encryption by SECRET_KEY, for what a copy of the database must not tell: a key of its own for each purpose."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def seal(text: str, purpose: bytes) -> str:
    return boxes(purpose).encrypt(text.encode()).decode()


def opened(sealed: str, purpose: bytes, *, within: int | None = None) -> str:
    """Raises InvalidToken where it was not sealed here for this purpose, `within` so many seconds."""
    return boxes(purpose).decrypt(sealed.encode(), ttl=within).decode()


def boxes(purpose: bytes) -> MultiFernet:
    """Encrypts by SECRET_KEY; what a fallback key encrypted can still be read."""
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys_for(purpose)])


def keys_for(purpose: bytes) -> list[bytes]:
    """Keys of 32 bytes (HKDF-SHA256, RFC 5869): that of SECRET_KEY, then those of its fallbacks."""
    return [
        HKDF(hashes.SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]
