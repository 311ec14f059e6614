"""Email addresses as we keep them: one form for each, and none that could break out of a header."""

from __future__ import annotations

import re

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

LONGEST = 320  # characters, with blanks around it and a domain that is not in ASCII yet
PLAIN = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{1,189}")


def normalised(text: str) -> str:
    """The address in lower case, its domain in ASCII. Raises ValueError for anything else."""
    if len(text) > LONGEST:  # before anybody works on it
        raise ValueError(f"{text[:80]!r} … is too long for an email address.")
    local, at, domain = text.strip().lower().rpartition("@")
    try:
        email = f"{local}{at}{domain.encode('idna').decode('ascii')}"
        validate_email(email)
    except (UnicodeError, ValidationError) as error:
        raise ValueError(f"{text.strip()[:80]!r} is not an email address.") from error
    if not PLAIN.fullmatch(email):
        raise ValueError(f"{text.strip()[:80]!r} is not an email address that we can write to.")
    return email
