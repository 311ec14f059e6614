"""`manage.py export_capsule ID FOLDER`: a story as a folder that import_capsule reads."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from capsules import folder
from capsules.models import Story
from config.errors import CapsulesError


class Command(BaseCommand):
    help = "Writes a story as a folder: capsule.toml and its original media."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("story", metavar="ID")
        parser.add_argument("folder", type=Path)

    def handle(self, *args: object, **options: Any) -> None:
        try:
            folder.export_story(Story.objects.get(pk=options["story"]), options["folder"])
        except (Story.DoesNotExist, ValidationError) as error:
            raise CommandError(f"There is no story {options['story']}.") from error
        except CapsulesError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(str(options["folder"]))
