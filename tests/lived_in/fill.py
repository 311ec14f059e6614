"""`python -m tests.lived_in.fill SUBSCRIBERS CAPSULES`: fills the database of the environment; prints JSON.

The JSON: {"routes": [{"route", "addresses"}], "cookies": {who: {name: value}}, "headers": {who: {name: value}}}.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import django


def main(subscribers: int, capsules: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["SSL_REDIRECT"] = (
        "false"  # an app connects through Django's own test client, which speaks http
    )
    django.setup()
    from django.core.management import call_command

    from tests.lived_in import ledger, rows
    from tests.lived_in.routes import every_route

    call_command("migrate", verbosity=0)
    told = ledger.live_in(subscribers, capsules)
    unknown, walked = [], []
    for route in every_route():
        try:
            walked.append({"route": route.template, "addresses": rows.addresses(route, told.rows)})
        except rows.Unknown as error:
            unknown.append(str(error))
    if unknown:
        sys.exit("\n".join(unknown))
    told_all: dict[str, Any] = {"routes": walked, "cookies": told.cookies, "headers": told.headers}
    json.dump({**told_all, "facts": told.facts}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
