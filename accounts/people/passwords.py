"""What the product asks with a new password."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ChangePasswordForm as LibraryChangePasswordForm
from allauth.account.forms import ResetPasswordKeyForm as LibraryResetPasswordKeyForm
from allauth.account.forms import SetPasswordForm as LibrarySetPasswordForm
from allauth.account.forms import SignupForm as LibrarySignupForm
from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.actions import people
from accounts.models import User

RULES = _("At least 8 characters, not only digits; nothing common, and nothing like your name or address.")


class EndOwnTokens:
    """A password validator that refuses nothing: Django calls it for every password that is saved, in any way."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Any password will do."""

    def get_help_text(self) -> str:
        return ""  # it is not a rule: the forms say it where it applies

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            people.end_own_tokens(user)


class PasswordHelpMixin(forms.Form):
    """What a password must be, in one line. The library lists every validator, and again each that refuses."""

    password_help = RULES

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = self.password_help


class RegistrationForm(PasswordHelpMixin, LibrarySignupForm):
    pass


class SetPasswordForm(PasswordHelpMixin, LibrarySetPasswordForm):
    pass


class DisconnectMixin(PasswordHelpMixin):
    """The tick that ends what others may have connected."""

    password_help = _(
        "At least 8 characters, not only digits; nothing common, and nothing like your name or address. A new "
        "password signs you out everywhere else."
    )
    disconnect = forms.BooleanField(
        required=False,
        label=_("Also disconnect all connected apps"),
        help_text=_("Tick this if somebody else may have known your password."),
    )
    user: User  # the library's forms have it

    def save(self) -> None:
        super().save()  # type: ignore[misc]
        if self.cleaned_data["disconnect"]:
            people.disconnect_apps(self.user)


class ChangePasswordForm(DisconnectMixin, LibraryChangePasswordForm):
    field_order = ["oldpassword", "password1", "password2", "disconnect"]


class ResetPasswordKeyForm(DisconnectMixin, LibraryResetPasswordKeyForm):
    field_order = ["password1", "password2", "disconnect"]
