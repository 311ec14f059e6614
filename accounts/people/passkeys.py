"""Passkeys: what a browser tells of one, looked at before the library, which fails at what has another shape."""

from __future__ import annotations

from typing import Any

from allauth.mfa.webauthn.forms import AddWebAuthnForm as LibraryAddWebAuthnForm
from allauth.mfa.webauthn.forms import EditWebAuthnForm as LibraryEditWebAuthnForm
from allauth.mfa.webauthn.forms import LoginWebAuthnForm as LibraryLoginWebAuthnForm
from allauth.mfa.webauthn.forms import ReauthenticateWebAuthnForm as LibraryReauthenticateWebAuthnForm
from django import forms
from django.core.exceptions import BadRequest
from django.utils.translation import gettext_lazy as _
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

NAME = _("Name")  # of a key: the library's label is in no catalogue


class CredentialField(forms.JSONField):
    """Raises BadRequest (400) for what no browser sends."""

    widget = forms.HiddenInput
    shape: Any = AuthenticationResponse

    def to_python(self, value: object) -> Any:
        try:
            told = super().to_python(value)
            if told is not None:
                self.shape.from_dict(told)
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise BadRequest("This is not a passkey.") from error
        return told


class NewCredentialField(CredentialField):
    shape = RegistrationResponse


class LoginWebAuthnForm(LibraryLoginWebAuthnForm):
    credential = CredentialField()


class ReauthenticateWebAuthnForm(LibraryReauthenticateWebAuthnForm):
    credential = CredentialField()


class AddWebAuthnForm(LibraryAddWebAuthnForm):
    name = forms.CharField(required=False, label=NAME)
    credential = NewCredentialField()


class EditWebAuthnForm(LibraryEditWebAuthnForm):
    name = forms.CharField(label=NAME)
