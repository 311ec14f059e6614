"""Encryption by SECRET_KEY, for what a copy of the database must not tell: a key of its own for each purpose."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def seal(text: str, purpose: bytes) -> str:
    return boxes(purpose).encrypt(text.encode()).decode()


def opened(sealed: str, purpose: bytes) -> str:
    return boxes(purpose).decrypt(sealed.encode()).decode()


def boxes(purpose: bytes) -> MultiFernet:
    """Encrypts by SECRET_KEY; what a fallback key encrypted can still be read."""
    return MultiFernet(
        [box(secret, purpose) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def box(secret: str, purpose: bytes) -> Fernet:
    derived = HKDF(hashes.SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
