"""Deleting a workspace or an account with everything that belongs to it, and handing a person their data."""

from __future__ import annotations

import re
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.translation import gettext

from accounts import signals
from accounts.actions import connections
from accounts.actions.events import Kind, record
from accounts.actions.workspaces import hold_workspace
from accounts.models import (
    ApiKey,
    Connection,
    Invitation,
    Membership,
    Reach,
    RetiredName,
    SecurityEvent,
    User,
    Workspace,
    WorkspaceEvent,
)
from accounts.people import sessions
from accounts.people.letters import post_letter
from config.errors import Conflict, Forbidden
from config.ids import row_of
from config.texts import subject_line, unlinked

ERASED = "a deleted account"
#: In whose name the admin's history goes on when its author is gone; it cannot sign in.
NOBODY = "deleted-staff@erased.invalid"


@transaction.atomic
def erase_workspace(workspace: Workspace, *, by: User, as_staff: bool = False) -> None:
    """Deletes a workspace: stories, files, publications, subscribers, premieres, keys, members, audit log.

    Its other members are told by mail. Its claimed name stays taken. Files that nobody else uses go with the next
    collections.
    Raises Forbidden (no owner), Locked (a capsule is being published), NotFound.
    """
    # Without its key at first, which whoever tells the log of a change asks for at the end: they finish, and we wait.
    locked = hold_workspace(workspace.pk)
    owners = locked.memberships.filter(role=Membership.Role.OWNER)
    if not as_staff and not owners.filter(user=by).exists():
        raise Forbidden(gettext("Only an owner may delete the workspace."))
    # As a consent does: the app, then the memberships that it reaches.
    reaching = Connection.objects.filter(memberships__workspace=locked).values("pk")
    apps = Connection.objects.filter(pk__in=reaching).order_by("pk")
    list(apps.select_for_update(no_key=True).values_list("pk"))
    list(locked.memberships.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    others = locked.memberships.filter(user__is_active=True).exclude(user=by)
    told = list(others.order_by("pk").values_list("user__email", flat=True))
    signals.workspace_erased.send(Workspace, workspace=locked)
    Workspace.objects.select_for_update().get(pk=locked.pk)  # nothing new of it from now on
    if locked.name_claimed_at is not None:
        RetiredName.objects.get_or_create(name=locked.name)
    only_here = Reach.objects.filter(membership__workspace=locked).values("connection")
    elsewhere = Reach.objects.exclude(membership__workspace=locked).values("connection")
    cut_off = Connection.objects.filter(pk__in=only_here, revoked_at__isnull=True).exclude(pk__in=elsewhere)
    for connection in cut_off.select_related("client"):
        connections.end(connection, because=Connection.Ended.REVOKED, by=by)
    WorkspaceEvent.objects.filter(workspace=locked).delete()
    locked.delete()
    record(Kind.WORKSPACE_ERASED, by=by, subject=f"{locked.title} ({locked.name})")
    for email in told:
        notify_of_lost_workspace(email, locked, gettext("Staff") if as_staff else by.get_full_name())


def notify_of_lost_workspace(email: str, workspace: Workspace, by: str) -> None:
    title = unlinked(workspace.title)
    subject = subject_line(gettext("The workspace %(workspace)s was deleted") % {"workspace": title})
    told = gettext("%(person)s deleted the workspace %(workspace)s and everything in it. Your account stays.")
    text = told % {"person": unlinked(by), "workspace": title}
    post_letter(email, subject, text)


def owned_alone(user: User) -> QuerySet[Workspace]:
    """Workspaces that would have no owner without this person."""
    owners = Membership.objects.filter(role=Membership.Role.OWNER)
    own = owners.filter(user=user).values("workspace")
    others = owners.exclude(user=user).values("workspace")
    return Workspace.objects.filter(pk__in=own).exclude(pk__in=others)


@transaction.atomic
def erase_user(user: User, *, by: User, notify: bool = True) -> None:
    """Deletes an account; what its owner made for workspaces stays with these, without the name of who made it.

    `notify`: its address gets a last mail.

    Raises Conflict where a workspace would be left without an owner, or the service without a superuser; NotFound.
    """
    missing = gettext("This account has already been deleted.")
    # Two owners who leave at once must not both find the other one; in one order, or they wait for each other: before
    # the account, as whoever removes a member or accepts an invitation.
    # Without their keys, which whoever edits a capsule asks for at the end: they finish, and we wait.
    held = Workspace.objects.select_for_update(no_key=True)
    list(held.filter(memberships__user=user).order_by("pk"))
    locked = row_of(User.objects.select_for_update(no_key=True), user.pk, missing)
    alone = [workspace.title for workspace in owned_alone(locked)]
    if alone:
        told = gettext("Make somebody else an owner of %(workspaces)s first, or delete it.")
        raise Conflict(told % {"workspaces": ", ".join(alone)})
    chiefs = User.objects.filter(is_superuser=True, is_active=True)
    if locked.is_superuser and not chiefs.exclude(pk=locked.pk).exists():
        raise Conflict(gettext("There must be at least one superuser. Make somebody else one first."))
    email, is_own = locked.email, by.pk == locked.pk
    Invitation.objects.filter(email=email).delete()
    take_out_of_logs(locked)
    sessions.sign_out_everywhere(locked)
    left = list(Workspace.objects.filter(memberships__user=locked).order_by("pk"))
    locked.delete()
    record(Kind.ACCOUNT_ERASED, by=None if is_own else by)
    record(Kind.MEMBER_REMOVED, by=None if is_own else by, subject=ERASED, workspaces=left)
    if notify:
        notify_of_erasure(email)


def take_out_of_logs(user: User) -> None:
    """Takes a person's address out of the audit logs and the admin's history; what was done stays on record."""
    address = re.compile(rf"(?<![\w.+-]){re.escape(user.email)}(?![\w-]|\.\w)")
    for event in SecurityEvent.objects.filter(subject__contains=user.email):
        event.subject = address.sub(ERASED, event.subject)[:200]
        event.save(update_fields=["subject"])
    for entry in LogEntry.objects.filter(object_repr__contains=user.email):
        entry.object_repr = address.sub(ERASED, entry.object_repr)
        entry.save(update_fields=["object_repr"])
    history = LogEntry.objects.filter(user=user)
    if history.exists():
        nobody = User.objects.filter(email=NOBODY).first()
        nobody = nobody or User.objects.create(email=NOBODY, name="Deleted staff", is_active=False)
        history.update(user=nobody)


def notify_of_erasure(email: str) -> None:
    told = gettext(
        "Your account was deleted, with everything that belonged to it alone. You can sign up again at any time."
    )
    doubt = gettext("If this was not you, answer this mail: somebody else used your account.")
    subject = gettext("Your %(service)s account was deleted") % {"service": settings.SERVICE_NAME}
    text = f"{told}\n\n{doubt}\n"
    post_letter(email, subject, text)


# --- A person's data -------------------------------------------------------------------------------------------


def data_of(user: User) -> dict[str, object]:
    """Everything that is kept about a person, ready for JSON; no secret is in it. The download is on record."""
    record(Kind.DATA_DOWNLOADED, by=user)
    invitations, in_workspace = Invitation.objects, "workspace__title role created_at"
    data: dict[str, object] = {
        "account": {"id": user.pk, "email": user.email, "name": user.name, "created_at": user.created_at},
        "email_addresses": rows(EmailAddress.objects.filter(user=user), "email verified primary"),
        "second_factors": rows(Authenticator.objects.filter(user=user), "type created_at last_used_at"),
        "sessions": rows(UserSession.objects.filter(user=user), "ip user_agent created_at last_seen_at"),
        "memberships": rows(user.memberships.all(), f"workspace__id workspace__name {in_workspace}"),
        "invitations_given": rows(invitations.filter(invited_by=user), f"email {in_workspace}"),
        "invitations_received": rows(invitations.open().filter(email=user.email), in_workspace),
        "api_keys": rows(
            ApiKey.objects.filter(creator=user),
            "prefix label workspace__title created_at expires_at revoked_at last_used_at",
        ),
        "connected_apps": rows(
            Connection.objects.of(user),
            "client__name client__client_uri scopes publishing created_at last_used_at revoked_at",
        ),
        "security_events": rows(SecurityEvent.objects.filter(user=user), "at kind subject workspace__title"),
    }
    answers: list[tuple[Any, Any]] = signals.personal_data_wanted.send(User, user=user)
    for _, more in answers:
        data |= more
    return data


def rows(found: QuerySet[Model], names: str) -> list[dict[str, object]]:
    kept = found.values(*names.split())
    return [{name.replace("__", "_"): value for name, value in row.items()} for row in kept]
