"""`manage.py read_report < message`: what a mail server pipes the return address's mail into."""

from __future__ import annotations

import sys

from django.core.management.base import BaseCommand

from publishing.premieres import reports


class Command(BaseCommand):
    help = (
        "Reads one delivery report or complaint from standard input and closes the address that it is about."
    )

    def handle(self, *args: object, **options: object) -> None:
        suppression = reports.take_report(sys.stdin.buffer.read())
        self.stdout.write(
            f"Closed {suppression.email}: {suppression.get_reason_display()}."
            if suppression
            else "Nothing to do: this is not a report about one of our premieres."
        )
