"""`manage.py create_api_key WORKSPACE --user EMAIL`: a workspace API key, printed this once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.actions import keys
from accounts.actors import KEY_SCOPES, PUBLICATIONS_READ, PUBLICATIONS_WRITE
from accounts.models import User, Workspace
from config.errors import CapsulesError


class Command(BaseCommand):
    help = "Makes a workspace API key and prints it, once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="the workspace's name")
        parser.add_argument(
            "--user", required=True, metavar="EMAIL", help="the key acts by this member's role"
        )
        parser.add_argument("--label", default="", help="what the key is for")

        parser.add_argument(
            "--scopes",
            nargs="+",
            choices=KEY_SCOPES,
            default=[PUBLICATIONS_READ, PUBLICATIONS_WRITE],
            metavar="SCOPE",
            help=f"what the key may do: {', '.join(KEY_SCOPES)} (default: %(default)s)",
        )

    def handle(self, *args: object, **options: Any) -> None:
        workspace = Workspace.objects.named(options["workspace"])
        user = User.objects.filter(email=options["user"].strip().lower()).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}.")
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        try:
            _, secret = keys.create_api_key(
                workspace, by=user, label=options["label"], scopes=options["scopes"]
            )
        except CapsulesError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(secret)
