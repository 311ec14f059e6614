"""Email addresses as we keep them: one form for each, and none that could break out of a header."""

from __future__ import annotations

import re

import idna
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext, gettext_noop

LONGEST = 320  # characters, with blanks around it and a domain that is not in ASCII yet
NOT_ONE = gettext_noop("%(address)s is not an email address.")
NOT_OURS = gettext_noop("%(address)s is not an email address that we can write to.")
PLAIN = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{1,189}")


def normalised(text: str) -> str:
    """The address in lower case, its domain in ASCII. Raises ValueError for anything else."""
    if len(text) > LONGEST:  # before anybody works on it
        raise ValueError(
            gettext("%(address)s … is too long for an email address.") % {"address": repr(text[:80])}
        )
    local, at, domain = text.strip().rpartition("@")
    try:
        email = f"{local.lower()}{at}{idna.encode(domain, uts46=True).decode('ascii')}"
        validate_email(email)
    except (UnicodeError, ValidationError) as error:
        told = gettext(NOT_OURS if has_other_letters(text) else NOT_ONE)
        raise ValueError(told % {"address": repr(text.strip()[:80])}) from error
    if not PLAIN.fullmatch(email):
        raise ValueError(gettext(NOT_OURS) % {"address": repr(text.strip()[:80])})
    return email


def has_other_letters(text: str) -> bool:
    """Whether there are letters other than those of ASCII before the @: not every server takes a mail to it."""
    return not text.strip().rpartition("@")[0].isascii()


def lacks_consent(email: str) -> str:
    """Why an address of a list is refused."""
    return gettext("%(email)s has no proof of consent.") % {"email": email}
