"""`manage.py import_capsule FOLDER --workspace NAME [--edition-of ID --edition NAME] [--json]`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from accounts.models import Workspace
from capsules import folder, readiness, worker
from capsules.models import Story
from config.errors import CapsulesError


class Command(BaseCommand):
    help = (
        "Imports a folder (capsule.toml and media), encodes it, builds its preview and prints the story id."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--workspace", required=True, help="the workspace's name")
        parser.add_argument("--edition-of", metavar="ID", help="the capsule that this is an edition of")
        parser.add_argument(
            "--edition", default="", metavar="NAME", help="the edition's name, like classroom"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: object, **options: Any) -> None:
        workspace = Workspace.objects.named(options["workspace"])
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}.")
        if bool(options["edition_of"]) != bool(options["edition"]):
            raise CommandError("--edition-of and --edition go together.")
        try:
            story = folder.import_story(
                options["folder"],
                workspace,
                edition_of=capsule(options["edition_of"], workspace),
                edition_name=options["edition"],
                report=lambda line: self.stderr.write(folder.printable(line)),
            )
        except CapsulesError as error:
            lines = [str(error), *(f"  {f.path}: {f.message}" for f in error.faults)]
            raise CommandError(folder.printable("\n".join(lines))) from error
        self.encode(story)
        self.tell_what_is_missing(story)
        answer = {"id": str(story.pk), "workspace": workspace.name, "title": story.title}
        self.stdout.write(json.dumps(answer) if options["json"] else str(story.pk))

    def encode(self, story: Story) -> None:
        """Encodes what is new, telling how far it is; a failed scene is told in words."""
        preview = story.previews.get()
        worker.finish_encodes(
            preview.encodes.values_list("pk", flat=True),
            lambda done, total: self.stderr.write(f"encoded {done} of {total}"),
        )
        failed = preview.encodes.filter(state="failed")
        if failed:
            raise CommandError(
                "\n".join(["Some of it could not be encoded:", *(f"  {e.error}" for e in failed)])
            )

    def tell_what_is_missing(self, story: Story) -> None:
        """Whoever imports a folder wants to publish it: now is when they can still mend the folder."""
        faults = readiness.faults(story, story.latest_preview)
        if faults:
            self.stderr.write("It is imported, but cannot be published yet:")
        for fault in faults:
            self.stderr.write(f"  {fault.path}: {fault.message}")


def capsule(id: str | None, workspace: Workspace) -> Story | None:
    if id is None:
        return None
    try:
        return workspace.stories.get(pk=id, capsule=None)
    except (Story.DoesNotExist, ValidationError) as error:
        raise CommandError(f"There is no capsule {id} in the workspace {workspace.name}.") from error
