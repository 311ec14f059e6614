"""`manage.py send_premieres`: the sweep without Celery, once or forever."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from publishing.premieres import sweeping


class Command(BaseCommand):
    help = "Sends premieres that are due. With --forever it looks again every SWEEP_INTERVAL and needs no broker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--forever", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["forever"]:
            sweeping.run_forever()
        self.stdout.write(f"{sweeping.run()} messages handed over.")
