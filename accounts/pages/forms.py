"""What people type on the account's pages."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import names
from accounts.actors import KEY_SCOPES, SCOPES
from accounts.models import Membership, User
from accounts.oauth import client_names
from accounts.oauth.forms import ConsentForm
from config.texts import check_no_address, check_title


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ["name", "default_workspace"]
        labels = {"name": _("Your name"), "default_workspace": _("Default workspace")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(check_no_address)
        own = self.instance.workspaces.order_by("title")
        self.fields["default_workspace"].queryset = own  # type: ignore[attr-defined]
        self.fields["default_workspace"].empty_label = _("None")  # type: ignore[attr-defined]
        if not own:
            del self.fields["default_workspace"]


class TitleForm(forms.Form):
    title = forms.CharField(max_length=120, label=_("Title"), validators=[check_title])


class NameForm(forms.Form):
    name = forms.CharField(max_length=40, label=_("Workspace name"))

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        fault = names.name_fault(name)
        if fault:
            raise forms.ValidationError(fault)
        return name


class InviteForm(forms.Form):
    email = forms.EmailField(label=_("Email address"))
    role = forms.ChoiceField(choices=Membership.Role.choices, initial=Membership.Role.EDITOR, label=_("Role"))


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Membership.Role.choices, label=_("Role"))


class TokenForm(ConsentForm):
    """A personal token: a name, an end, and what a connected app is asked for."""

    name = forms.CharField(max_length=80, label=_("Which app is it for?"))
    days = forms.TypedChoiceField(
        choices=[("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year"))],
        coerce=int,
        initial="90",
        label=_("Expires after"),
    )

    def own_fields(self) -> list[object]:
        return [self["name"], self["days"]]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if fault := client_names.name_fault(name):
            raise forms.ValidationError(fault)
        return name


class KeyForm(forms.Form):
    LIFETIMES = (("30", _("30 days")), ("90", _("90 days")), ("365", _("1 year")), ("", _("No end")))

    label = forms.CharField(max_length=80, label=_("What is it for?"))
    days = forms.TypedChoiceField(
        choices=LIFETIMES,
        coerce=int,
        empty_value=None,
        required=False,
        initial="90",
        label=_("Expires after"),
    )

    scopes = forms.MultipleChoiceField(
        choices=[(scope, SCOPES[scope]) for scope in KEY_SCOPES],
        widget=forms.CheckboxSelectMultiple,
        label=_("What may it do?"),
        error_messages={"required": _("Tick at least one.")},
    )

    def expires_at(self) -> datetime | None:
        """The moment, or None for no end."""
        days = self.cleaned_data["days"]
        return timezone.now() + timedelta(days=days) if days else None
