"""`manage.py setup`: the first member of staff and the first workspace. A second run changes nothing."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.db import DatabaseError, transaction
from django.urls import reverse

from accounts import names
from accounts.actions.workspaces import make_workspace
from accounts.models import Membership, User, Workspace


class Command(BaseCommand):
    help = (
        "Makes the first member of staff and the first workspace. Asks for whatever you do not pass as a "
        "flag. An account or a workspace that is there already keeps its password, its plan and its name."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--email", help="whom to make a superuser; signs in with this address")
        parser.add_argument("--name", default="", help="the person's name")
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from the first line of the input"
        )
        parser.add_argument("--workspace", metavar="TITLE", help="the workspace's title")
        parser.add_argument(
            "--workspace-name", metavar="NAME", help="first segment of its links; from the title if not given"
        )
        parser.add_argument("--plan", choices=Workspace.Plan.values, default=Workspace.Plan.PRO)

    def handle(self, *args: object, **options: Any) -> None:
        try:
            User.objects.exists()
        except DatabaseError as error:
            raise CommandError(
                f"The database is not ready; run manage.py migrate first. ({error})"
            ) from error
        email = self.asked_email(options["email"])
        user = User.objects.filter(email=email).first()
        password = None if user else self.asked_password(email, options)
        title = (options["workspace"] or self.ask("Title of the first workspace: ")).strip()
        name = options["workspace_name"]
        with transaction.atomic():
            user = self.staff_member(user, email, password, name=options["name"])
            self.first_workspace(user, title, name, plan=options["plan"])
        self.stdout.write(f"Sign in at {settings.APP_URL}{reverse('admin:index')} as {email}.")
        if settings.REQUIRE_STAFF_MFA:
            self.stdout.write("The first sign-in asks to set up a second factor.")

    def asked_email(self, given: str | None) -> str:
        email = User.objects.normalize_email(
            given or self.ask("Email address of the first member of staff: ")
        )
        try:
            validate_email(email)
        except ValidationError as error:
            raise CommandError(f"{email!r} is not an email address.") from error
        return email

    def asked_password(self, email: str, options: dict[str, Any]) -> str:
        """A password for a new account, typed twice or read from the input; never a flag, which others could see."""
        if options["password_stdin"]:
            password = sys.stdin.readline().rstrip("\r\n")
        elif not sys.stdin.isatty():
            raise CommandError("Nobody can be asked for a password here; use --password-stdin.")
        else:
            password = getpass("Password: ")
            if getpass("The same again: ") != password:
                raise CommandError("The two passwords differ.")
        try:
            validate_password(password, User(email=email, name=options["name"]))
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        return password

    def ask(self, question: str) -> str:
        if not sys.stdin.isatty():
            raise CommandError(
                f"Nobody can be asked here; give --email and --workspace. ({question.strip()})"
            )
        return input(question)

    def staff_member(self, user: User | None, email: str, password: str | None, *, name: str) -> User:
        if user is None:
            self.stdout.write(f"{email}: made a superuser.")
            return User.objects.create_superuser(email, password, name=name)
        if not user.is_active:
            raise CommandError(
                f"The account of {email} is closed. Open it in the admin, or use another address."
            )
        if user.is_superuser and user.is_staff:
            self.stdout.write(f"{email}: is a superuser already.")
            return user
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
        self.stdout.write(f"{email}: has an account, which is a superuser's now. Its password stays.")
        return user

    def first_workspace(self, user: User, title: str, name: str | None, *, plan: str) -> Workspace:
        """The workspace that `user` owns: of this name if one is given, otherwise of this title; else a new one."""
        if not 1 <= len(title) <= 120:
            raise CommandError("A workspace has a title of 1 to 120 characters.")
        owned = Workspace.objects.filter(memberships__user=user, memberships__role=Membership.Role.OWNER)
        found = owned.filter(name=name).first() if name else owned.filter(title=title).first()
        if found:
            self.stdout.write(f"{found.title} ({found.name}): is there already.")
            return found
        fault = names.name_fault(name) if name else ""
        if fault:
            raise CommandError(f"--workspace-name {name}: {fault}")
        workspace = make_workspace(title, by=user)
        workspace.plan, workspace.name = plan, name or workspace.name
        workspace.save(update_fields=["plan", "name"])
        self.stdout.write(f"{title}: made, as {settings.APP_URL}/{workspace.name} ({plan}).")
        return workspace
