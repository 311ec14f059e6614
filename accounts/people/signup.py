"""What the product asks of somebody who signs up. It must not import allauth.account, whose forms derive from it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from allauth.core import context
from django import forms
from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import proofs
from accounts.actions import workspaces
from accounts.models import User
from accounts.people.guessing import check_words
from accounts.throttling import HOUR, RateExceeded, address_of
from config.texts import check_no_address, check_title

PURPOSE = "sign-up"
SIGN_UPS = 10  # an hour of one network
PROVED_SIGN_UPS = 60  # more, an hour, for whose browsers did the sum each time


class SignupForm(forms.Form):
    """The person's name, and the title of the workspace that comes with the account."""

    name = forms.CharField(
        max_length=120,
        required=False,
        validators=[check_no_address],
        label=_("Your name"),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    workspace_title = forms.CharField(
        max_length=120,
        required=False,
        validators=[check_title],
        label=_("Title of your workspace"),
        help_text=_("What readers see as the publisher: your name, if empty. You can change it later."),
    )
    altcha = forms.CharField(required=False, widget=forms.HiddenInput)
    retry_after: int | None = None  # seconds, after too many
    field_order = ["name", "workspace_title", "email", "password1"]

    def clean(self) -> dict[str, object]:
        """The account has no workspace yet whose title a password could be compared with."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        field = "password1" if "password1" in self.fields else "password"  # of the page, of the headless API
        if cleaned.get(field):
            try:
                check_words(cleaned[field], [cleaned.get("name", ""), cleaned.get("workspace_title", "")])
            except forms.ValidationError as error:
                self.add_error(field, error)
        return cleaned

    def full_clean(self) -> None:
        """Counts what is otherwise good, of the page and of the headless API alike."""
        super().full_clean()
        if not self.is_bound or self.errors:
            return
        network, solution = address_of(context.request.META), self.cleaned_data["altcha"]
        try:
            proofs.check_flood(PURPOSE, network, solution, per=HOUR, limit=SIGN_UPS, proved=PROVED_SIGN_UPS)
        except RateExceeded as error:
            self.refuse(error.retry_after or 0)

    def refuse(self, retry_after: int) -> None:
        self.retry_after = retry_after
        self.fields["altcha"].widget.attrs["data-challenge"] = proofs.challenge(PURPOSE)
        again = datetime.fromtimestamp(time.time() + retry_after, UTC)
        words = gettext(
            "Too many people signed up from your network in the last hour, so you have no account yet. "
            "Sign up after %(time)s UTC. If it cannot wait, write to %(email)s."
        ) % {"time": f"{again:%H:%M}", "email": settings.DEFAULT_FROM_EMAIL}
        self.add_error(None, forms.ValidationError(words, code="too_many_sign_ups"))

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data.get("name", "")
        user.save(update_fields=["name"])
        workspaces.make_first_workspace(user, title=self.cleaned_data.get("workspace_title", ""))
