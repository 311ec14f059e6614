"""`manage.py demo [--json]`: the demo content, made once."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.errors import CapsulesError
from publishing.demo import Demo, contents, links


class Command(BaseCommand):
    help = (
        "Brings the demo content: workspaces, people and stories in every state. A second run adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print what is there as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0)
        try:
            Demo(report=self.stderr.write).bring()
        except CapsulesError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(contents(), indent=2) if options["json"] else "\n".join(links()))
