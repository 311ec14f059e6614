"""What a reader says about a capsule."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.statements import Reason
from capsules.texts import check_storable

EXCEPT_CHILDREN = _("We need your address for this, unless it is about sexual abuse of children.")
NEEDS_ADDRESS = (Reason.ILLEGAL, Reason.RIGHTS)  # as the law on such notices asks for
LONGEST = 2000  # characters


class ReportForm(forms.Form):
    why = forms.ChoiceField(
        choices=Reason.choices,
        widget=forms.RadioSelect,
        label=_("What is wrong with it?"),
        error_messages={
            "required": _("Please choose what is wrong."),
            "invalid_choice": _("Please choose one of these."),
        },
    )
    words = forms.CharField(
        max_length=LONGEST,
        required=False,
        strip=True,
        label=_("In your words"),
        help_text=_("Which scene, and what about it. If it is against the law: why you think so."),
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
        validators=[check_storable],
    )
    children = forms.BooleanField(required=False, label=_("It is about sexual abuse of children"))
    email = forms.EmailField(
        max_length=254,
        required=False,
        label=_("Your email address"),
        help_text=_(
            "You get a receipt and the outcome. Only staff see it. We need it for the first two reasons, but never for "
            "sexual abuse of children."
        ),
        widget=forms.EmailInput(attrs={"autocomplete": "email", "dir": "ltr"}),
        error_messages={"invalid": _("Please enter a whole address, like you@example.org, or none.")},
    )
    good_faith = forms.BooleanField(
        required=False, label=_("I believe in good faith that what I say here is correct and complete.")
    )
    #: What people do not see: a robot filled the form.
    website = forms.CharField(required=False)

    def clean(self) -> dict[str, object]:
        said = super().clean() or {}
        why = said.get("why")
        if why in NEEDS_ADDRESS:
            if not said.get("email") and not said.get("children") and "email" not in self.errors:
                self.add_error("email", EXCEPT_CHILDREN)
            if not said.get("good_faith"):
                self.add_error("good_faith", _("Please confirm this for the first two reasons."))
        if said.get("children"):
            said["email"] = ""  # never kept for this
        return said
