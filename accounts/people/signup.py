"""What the product asks of somebody who signs up. It must not import django-allauth, whose form derives from it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest

from accounts.actions import workspaces
from accounts.models import User
from accounts.people.guessing import check_words
from config.texts import check_no_address, check_title


class SignupForm(forms.Form):
    """The person's name, and the title of the workspace that comes with the account."""

    name = forms.CharField(
        max_length=120,
        required=False,
        validators=[check_no_address],
        label="Your name",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    workspace_title = forms.CharField(
        max_length=120,
        required=False,
        validators=[check_title],
        label="Title of your workspace",
        help_text="What your readers see as the publisher. You can change it later.",
    )
    field_order = ["name", "workspace_title", "email", "password1"]

    def clean(self) -> dict[str, Any]:
        """The account has no workspace yet whose title a password could be compared with."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        field = "password1" if "password1" in self.fields else "password"  # of the page, of the headless API
        if cleaned.get(field):
            try:
                check_words(cleaned[field], [cleaned.get("name", ""), cleaned.get("workspace_title", "")])
            except forms.ValidationError as error:
                self.add_error(field, error)
        return cleaned

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data.get("name", "")
        user.save(update_fields=["name"])
        workspaces.make_first_workspace(user, title=self.cleaned_data.get("workspace_title", ""))
