"""`manage.py hold_webhooks --because WHY`: no webhook is told anything before its owner turns it on again."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.webhooks import sending


class Command(BaseCommand):
    help = (
        "Turns every webhook off and tells the owners by mail; what waits is failed, and a replay brings it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--because", required=True, help="the reason, which owners read")

    def handle(self, *args: object, **options: Any) -> None:
        self.stdout.write(f"{sending.turn_all_off(options['because'])} webhooks are off.")
