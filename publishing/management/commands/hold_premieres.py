"""`manage.py hold_premieres --because WHY`: no premiere goes out before staff release it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from publishing.premieres import arming


class Command(BaseCommand):
    help = "Holds every premiere that is scheduled or being sent until staff release it in the admin."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--because", required=True, help="the reason, which staff see in the admin")

    def handle(self, *args: object, **options: Any) -> None:
        self.stdout.write(f"{arming.hold_all(options['because'])} premieres are held.")
