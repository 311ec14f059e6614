"""The codes of an authenticator app (RFC 6238), where we have to know them beside the library that checks them."""

from __future__ import annotations

import base64
import hmac
import time

from allauth.mfa import app_settings
from allauth.mfa.base.forms import AuthenticateForm as LibraryAuthenticateForm
from allauth.mfa.base.forms import ReauthenticateForm as LibraryReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class CodeInput(forms.TextInput):
    """A wrong code is not shown again: the next one takes its place."""

    def format_value(self, value: object) -> None:
        return None


class AuthenticateForm(LibraryAuthenticateForm):
    """The code after the password: whoever comes here types it at once."""

    code = forms.CharField(
        label=_("Code"), widget=CodeInput(attrs={"autocomplete": "one-time-code", "autofocus": True})
    )

    @property
    def operator(self) -> str:
        """Whom to write to without any of them."""
        return settings.DEFAULT_FROM_EMAIL

    def has_app(self) -> bool:
        """Whether an authenticator app shows the code; else there are recovery codes beside a security key."""
        return Authenticator.objects.filter(user=self.user, type=Authenticator.Type.TOTP).exists()


class ReauthenticateForm(LibraryReauthenticateForm):
    """The code that is asked for once more, before something that a stranger must not do."""

    code = forms.CharField(
        label=_("Code"), widget=CodeInput(attrs={"autocomplete": "one-time-code", "autofocus": True})
    )


class ActivateForm(ActivateTOTPForm):
    """The first code of a new app. Until it was wrong once, there is a picture to take first."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        attrs = self.fields["code"].widget.attrs
        self.fields["code"].widget = CodeInput(attrs={**attrs, "autofocus": self.is_bound})


def current_codes(secret: str) -> list[str]:
    """The codes that are taken at present: of this step, and of MFA_TOTP_TOLERANCE before and after."""
    step, tolerance = int(time.time()) // app_settings.TOTP_PERIOD, app_settings.TOTP_TOLERANCE
    return [totp_code(secret, each) for each in range(step - tolerance, step + tolerance + 1)]


def totp_code(secret: str, step: int) -> str:
    """`step`: how many periods after 1970; `secret`: in Base32. RFC 4226, section 5.3, says the rest."""
    digest = hmac.digest(base64.b32decode(secret, casefold=True), step.to_bytes(8), "sha1")
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF
    return f"{number % 10**app_settings.TOTP_DIGITS:0{app_settings.TOTP_DIGITS}}"
