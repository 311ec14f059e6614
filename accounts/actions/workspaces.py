"""Making a workspace and changing what it says about itself."""

from __future__ import annotations

import re
import uuid
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts import names
from accounts.actions.events import Kind, record
from accounts.events.emitting import emit
from accounts.models import Invitation, Membership, User, Workspace
from accounts.models.people import check_time_zone
from accounts.signals import workspace_changed, workspace_resumed, workspace_suspended
from accounts.statements import Statement
from config.errors import Conflict, Fault, Forbidden, Invalid
from config.ids import row_of
from config.texts import one_line

Role = Membership.Role
MAX_LINKS = 5
MAX_LINK = 200  # characters
MAX_ABOUT = 300  # characters
MAX_FEDIVERSE = 130  # characters
FEDIVERSE = re.compile(r"@\w{1,60}@[a-z0-9-]{1,30}(\.[a-z0-9-]{1,30})+", re.ASCII | re.IGNORECASE)
NO_ACCOUNT = gettext_noop("An account in the fediverse is written like @name@mastodon.example.")
BY_STAFF = {"story": None, "via": "staff", "label": ""}


@transaction.atomic
def make_workspace(title: str, *, by: User) -> Workspace:
    """A workspace that `by` owns, under a provisional name from its title."""
    workspace = Workspace.objects.create(title=title, name=names.suggest(title))
    Membership.objects.create(workspace=workspace, user=by, role=Role.OWNER)
    if by.default_workspace_id is None:
        by.default_workspace = workspace
        by.save(update_fields=["default_workspace"])
    return workspace


def make_first_workspace(user: User, *, title: str) -> Workspace | None:
    """The workspace of a new account. People who were invited to one, and name none of their own, get none.

    Readers see its title, so an email address gives it no part of itself.
    """
    if not title.strip() and Invitation.objects.open().filter(email=user.email).exists():
        return None
    return make_workspace(title.strip() or user.name or gettext("Untitled"), by=user)


def hold_workspace(pk: uuid.UUID) -> Workspace:
    """The workspace as it is now, its row held, so that two at once are decided one by one. Raises NotFound.

    No key: what refers to it is written meanwhile without waiting.
    """
    missing = gettext("This workspace has already been deleted.")
    return row_of(Workspace.objects.select_for_update(no_key=True), pk, missing)


def check_may_manage(workspace: Workspace, by: User) -> Membership:
    """The membership of an owner or admin. Raises Forbidden for anybody else."""
    membership = Membership.objects.filter(workspace=workspace, user=by).first()
    if membership is None or membership.role not in Membership.MANAGING_ROLES:
        raise Forbidden(gettext("Only an owner or an admin of the workspace may do this."))
    return membership


@transaction.atomic
def change_title(workspace: Workspace, title: str, *, by: User) -> None:
    hold_workspace(workspace.pk)
    check_may_manage(workspace, by)
    workspace.title = title
    workspace.save(update_fields=["title"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject=f"title: {title}", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def change_words(
    workspace: Workspace, *, about: str, links: list[str], fediverse: str = "", by: User
) -> None:
    """What readers see beside the title, and whom Mastodon credits: "@name@host", or "".

    Raises Forbidden, and Invalid for an address that no browser opens and an account that cannot be one.
    """
    hold_workspace(workspace.pk)
    check_may_manage(workspace, by)
    no_link = gettext(
        "Each link is a web address like https://example.com, of at most %(number)d characters."
    ) % {"number": MAX_LINK}
    faults = [Fault(f"links.{i}", no_link) for i, link in enumerate(links) if not is_link(link)]
    if len(links) > MAX_LINKS:
        faults.append(Fault("links", gettext("At most %(number)d links are shown.") % {"number": MAX_LINKS}))
    about = one_line(about)
    if len(about) > MAX_ABOUT:
        told = gettext("At most %(most)d characters; this has %(number)d.")
        faults.append(Fault("about", told % {"most": MAX_ABOUT, "number": len(about)}))
    fediverse = fediverse.strip()
    if not is_account(fediverse):
        faults.append(Fault("fediverse", gettext(NO_ACCOUNT)))
    if faults:
        raise Invalid(faults[0].message, faults=faults)
    workspace.about, workspace.links, workspace.fediverse = about, links, fediverse
    workspace.save(update_fields=["about", "links", "fediverse"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject="words and links", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


def is_account(text: str) -> bool:
    """Whether it is an account in the fediverse, or empty."""
    return not text or (len(text) <= MAX_FEDIVERSE and FEDIVERSE.fullmatch(text) is not None)


def is_link(text: str) -> bool:
    """Whether it is a web address without a name and password in it."""
    try:
        url = urlsplit(text)
    except ValueError:
        return False
    plain = text.isprintable() and " " not in text and len(text) <= MAX_LINK
    return plain and url.scheme in ("http", "https") and bool(url.hostname) and "@" not in url.netloc


@transaction.atomic
def change_time_zone(workspace: Workspace, time_zone: str, *, by: User) -> None:
    """Whose days its numbers are of. Raises Forbidden, and Invalid for what is no time zone."""
    hold_workspace(workspace.pk)
    check_may_manage(workspace, by)
    try:
        check_time_zone(time_zone)
    except ValidationError as error:
        raise Invalid(error.messages[0], faults=[Fault("time_zone", error.messages[0])]) from error
    workspace.time_zone = time_zone
    workspace.save(update_fields=["time_zone"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject=f"time zone: {time_zone}", workspaces=[workspace])


@transaction.atomic
def change_picture(workspace: Workspace, picture: str, *, by: User) -> None:
    """`picture`: the name of a blob; empty for none. Raises Forbidden."""
    hold_workspace(workspace.pk)
    check_may_manage(workspace, by)
    workspace.picture = picture
    workspace.save(update_fields=["picture"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject="picture", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def change_name(workspace: Workspace, name: str, *, by: User) -> None:
    """Raises Invalid (form), Conflict (reserved, claimed by another, or already fixed by the first publish)."""
    hold_workspace(workspace.pk)
    check_may_manage(workspace, by)
    fault = names.name_fault(name)
    if fault:
        raise Invalid(fault, faults=[Fault("name", fault)])
    if not Workspace.objects.filter(pk=workspace.pk, name_claimed_at__isnull=True).update(name=name):
        raise Conflict(
            gettext("The workspace name was fixed by the first publish and cannot change any more.")
        )
    workspace.name = name
    record(Kind.WORKSPACE_CHANGED, by=by, subject=f"name: {name}", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def suspend(workspace: Workspace, *, by: User, statement: Statement | None = None) -> bool:
    """Staff take everything of a workspace from the public, and stop its work; False where they had already.

    Its people can still read, export, unpublish and erase. `statement` is what its owners are told.
    """
    # The lock waits for a publish that is just going live; the next one finds the workspace suspended.
    locked = hold_workspace(workspace.pk)
    if locked.suspended_at is not None:
        return False
    workspace.suspended_at = timezone.now()
    workspace.save(update_fields=["suspended_at"])
    record(Kind.WORKSPACE_SUSPENDED, by=by, workspaces=[workspace])
    statement = statement or Statement()
    case = {"reason": statement.reason or None, "rule": statement.rule}
    emit(workspace, "workspace.suspended", {**BY_STAFF, **case})
    workspace_suspended.send(Workspace, workspace=workspace, by=by, statement=statement)
    return True


@transaction.atomic
def resume(workspace: Workspace, *, by: User, words: str = "") -> bool:
    """Staff end a suspension; False where there was none. `words` are for its owners."""
    locked = hold_workspace(workspace.pk)
    if locked.suspended_at is None:
        return False
    workspace.suspended_at = None
    workspace.save(update_fields=["suspended_at"])
    record(Kind.WORKSPACE_RESUMED, by=by, workspaces=[workspace])
    emit(workspace, "workspace.resumed", BY_STAFF)
    workspace_resumed.send(Workspace, workspace=workspace, by=by, words=words)
    return True
