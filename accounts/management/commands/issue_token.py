"""`manage.py issue_token EMAIL [--ttl SECONDS]`: a first-party bearer token."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts import tokens
from accounts.models import User
from accounts.resources import METADATA_PATHS


class Command(BaseCommand):
    help = "Prints a first-party bearer token (JWT) of a user."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        default = int(settings.FIRST_PARTY_TOKEN_TTL.total_seconds())
        parser.add_argument(
            "--ttl", type=int, default=default, help="seconds the token is valid (default %(default)s)"
        )

        parser.add_argument(
            "--audience",
            choices=list(METADATA_PATHS),
            default="api",
            help="what the token is for (default %(default)s)",
        )

    def handle(self, *args: object, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].strip().lower(), is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {options['email']}.")
        self.stdout.write(
            tokens.issue(user, ttl=timedelta(seconds=options["ttl"]), audience=options["audience"])
        )
