"""What the product asks with a new password."""

from __future__ import annotations

from allauth.account.forms import ChangePasswordForm as LibraryChangePasswordForm
from allauth.account.forms import ResetPasswordKeyForm as LibraryResetPasswordKeyForm
from django import forms

from accounts.actions import people
from accounts.models import User


class EndOwnTokens:
    """A password validator that refuses nothing: Django calls it for every password that is saved, in any way."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Any password will do."""

    def get_help_text(self) -> str:
        return "Changing a password signs you out everywhere else."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            people.end_own_tokens(user)


class DisconnectMixin(forms.Form):
    """The tick that ends what others may have connected."""

    disconnect = forms.BooleanField(
        required=False,
        label="Also disconnect all connected apps",
        help_text="Tick this if somebody else may have known your password.",
    )

    def disconnect_if_ticked(self, user: User) -> None:
        if self.cleaned_data["disconnect"]:
            people.disconnect_apps(user)


class ChangePasswordForm(DisconnectMixin, LibraryChangePasswordForm):
    field_order = ["oldpassword", "password1", "password2", "disconnect"]

    def save(self) -> None:
        super().save()
        self.disconnect_if_ticked(self.user)


class ResetPasswordKeyForm(DisconnectMixin, LibraryResetPasswordKeyForm):
    field_order = ["password1", "password2", "disconnect"]

    def save(self) -> None:
        super().save()
        self.disconnect_if_ticked(self.user)
