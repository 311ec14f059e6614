"""`python -m tests.support.sign_in EMAIL HOURS`: signs in as if HOURS ago; prints the session's key.

By the login page and by the one that asks for the password again: a login alone does not count as recent.
For tests that run the real service, whose clock they cannot move.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta

import django


def main(email: str, hours: float) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    import time_machine
    from django.test import Client
    from django.utils import timezone

    from tests.support.factories import PASSWORD

    browser = Client(HTTP_HOST="localhost")
    with time_machine.travel(timezone.now() - timedelta(hours=hours)):
        answer = browser.post("/account/login/", {"login": email, "password": PASSWORD})
        again = browser.post("/account/reauthenticate/", {"password": PASSWORD})
    assert (answer.status_code, again.status_code) == (302, 302)
    sys.stdout.write(f"{browser.session.session_key}")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
