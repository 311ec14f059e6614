"""`manage.py demo` brings the demo content, once; `manage.py demo --json` prints it."""

from __future__ import annotations

import json
from argparse import ArgumentParser

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.errors import CapsulesError
from publishing.demo import Demo, contents, links, wait_for_run


class Command(BaseCommand):
    help = (
        "Brings the demo content: workspaces, people and stories in every state. "
        "Each part is brought once; what people changed since then stays as they left it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--json",
            action="store_true",
            help="only print what is there, as JSON, once no other run is making it",
        )

    def handle(self, *args: object, **options: object) -> None:
        if options["json"]:
            wait_for_run(self.stderr.write)
            self.stdout.write(json.dumps(contents(), indent=2))
            return
        call_command("migrate", verbosity=0)
        try:
            Demo(report=self.stderr.write).bring()
        except CapsulesError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join(links()))
