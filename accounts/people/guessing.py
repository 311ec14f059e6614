"""Passwords that others would try first. It must not import django-allauth, as `signup` uses it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.conf import settings
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.models import User, Workspace

SHORTEST_WORD = 4  # letters: shorter ones stand in good passwords by chance
#: Digits and symbols that are typed for letters.
TYPED_FOR = str.maketrans("013457@$!", "oieastasi")
ADDED = re.compile(r"[\W\d_]+$")
LETTER = re.compile(r"[^\W\d_]")
COMMON = _("This password is too common, or a common one with only digits or symbols added.")
OWN_WORDS = _(
    "This password is too easy to guess: it is little more than your name, your address, your workspace or the name "
    "of this service."
)


class NotGuessable(CommonPasswordValidator):
    """Refuses common passwords, also with digits or symbols behind them, and words of the service and the person."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Raises ValidationError."""
        check_words(password, [settings.SERVICE_NAME, *known_words(user)])
        folded = password.casefold().strip()
        core = ADDED.sub("", folded)
        tried = {folded, core, core.translate(TYPED_FOR)}
        if any(word in self.passwords for word in tried if len(word) >= SHORTEST_WORD):
            raise ValidationError(COMMON, code="password_too_common")

    def get_help_text(self) -> str:
        return str(_("Not a common password, and not your name, your workspace or the name of this service."))


def known_words(user: User | None) -> list[str]:
    """What others know of a person, who may not be saved yet: the name, the address, the titles of the workspaces."""
    if user is None:
        return []
    known = [user.name, user.email]
    if not user._state.adding:
        known += Workspace.objects.filter(memberships__user=user).values_list("title", flat=True)
    return known


def check_words(password: str, texts: Iterable[str]) -> None:
    """Raises ValidationError where hardly a letter is left of a password without the words of `texts`."""
    found = {word for text in texts for word in re.findall(r"[^\W\d_]+", text.casefold())}
    words = {word.removesuffix("s") if len(word) > SHORTEST_WORD else word for word in found}
    folded = password.casefold()
    for spelled in (folded, folded.translate(TYPED_FOR)):
        left = spelled
        for word in sorted(words, key=len, reverse=True):
            if len(word) >= SHORTEST_WORD:
                left = left.replace(word, " ")
        if left != spelled and len(LETTER.findall(left)) < SHORTEST_WORD:
            raise ValidationError(OWN_WORDS, code="password_too_similar")
