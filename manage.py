#!/usr/bin/env python
"""Django's command line for Capsules."""

import os
import sys
from contextlib import suppress


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from config import outage
    from config.words import compiling

    with suppress(OSError):  # where this user may not write; a check tells of it
        compiling.compile_outdated()
    try:
        execute_from_command_line(sys.argv)
    except Exception as error:
        words = outage.for_operator(error)
        if words is None:
            raise
        sys.exit(words)


if __name__ == "__main__":
    main()
