"""Where django-allauth asks how things are done here."""

from __future__ import annotations

import base64

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from accounts.models import User


def display_name(user: User) -> str:
    return user.get_full_name()


class AccountAdapter(DefaultAccountAdapter):
    def clean_email(self, email: str) -> str:
        """One person's address whatever its case, as the model keeps it."""
        return User.objects.normalize_email(super().clean_email(email))

    def get_from_email(self) -> str:
        return str(settings.DEFAULT_FROM_EMAIL)


class MfaAdapter(DefaultMFAAdapter):
    """Keeps second-factor secrets encrypted by a key that belongs to SECRET_KEY, not in the database."""

    def encrypt(self, text: str) -> str:
        return boxes().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return boxes().decrypt(encrypted_text.encode()).decode()


def boxes() -> MultiFernet:
    """Encrypts by SECRET_KEY; what a fallback key encrypted can still be read."""
    return MultiFernet([box(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def box(secret: str) -> Fernet:
    derived = HKDF(hashes.SHA256(), length=32, salt=None, info=b"capsules second factors 1").derive(
        secret.encode()
    )
    return Fernet(base64.urlsafe_b64encode(derived))
