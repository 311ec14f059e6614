"""Why something was taken from the public: what its owner is told."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.decided import BECAUSE


class Reason(models.TextChoices):
    ILLEGAL = "illegal", _("It is against the law")
    RIGHTS = "rights", _("It uses my work, my picture or my name without my consent")
    HATE = "hate", _("Hate, threats or violence")
    SPAM = "spam", _("Spam, fraud or deceit")
    OTHER = "other", _("Something else")


#: What staff choose from: what the owner will read.
DECIDED = [(reason, words.removeprefix(" because ").capitalize()) for reason, words in BECAUSE.items()]


@dataclass(frozen=True)
class Statement:
    """The reasons for a decision. `reason`: a Reason, or "" where none was given."""

    reason: str = ""
    rule: str = ""  # which law or rule
    words: str = ""
    found: str = ""  # how it was found, where that is known

    @property
    def because(self) -> str:
        """ " because …", to end a sentence with; "" where there is no reason."""
        return gettext(BECAUSE[self.reason]) if self.reason else ""
