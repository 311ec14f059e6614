"""Making a workspace and changing what it says about itself."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from accounts import names
from accounts.actions.events import Kind, record
from accounts.models import Invitation, Membership, User, Workspace
from accounts.signals import workspace_changed
from config.errors import Conflict, Fault, Forbidden, Invalid
from config.texts import one_line

Role = Membership.Role
MAX_LINKS = 5
MAX_LINK = 200  # characters
MAX_ABOUT = 300  # characters
LINK_FAULT = f"Each link is a web address like https://example.com, of at most {MAX_LINK} characters."


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
    """The workspace of a new account. People who were invited to one, and name none of their own, get none."""
    if not title.strip() and Invitation.objects.open().filter(email=user.email).exists():
        return None
    return make_workspace(title.strip() or user.name or user.email.partition("@")[0], by=user)


def check_may_manage(workspace: Workspace, by: User) -> Membership:
    """The membership of an owner or admin. Raises Forbidden for anybody else."""
    membership = Membership.objects.filter(workspace=workspace, user=by).first()
    if membership is None or membership.role not in Membership.MANAGING_ROLES:
        raise Forbidden("Only an owner or an admin of the workspace may do this.")
    return membership


@transaction.atomic
def change_title(workspace: Workspace, title: str, *, by: User) -> None:
    check_may_manage(workspace, by)
    workspace.title = title
    workspace.save(update_fields=["title"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject=f"title: {title}", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def change_words(workspace: Workspace, *, about: str, links: list[str], by: User) -> None:
    """What readers see beside the title. Raises Forbidden, and Invalid for an address that no browser opens."""
    check_may_manage(workspace, by)
    faults = [Fault(f"links.{i}", LINK_FAULT) for i, link in enumerate(links) if not is_link(link)]
    if len(links) > MAX_LINKS:
        faults.append(Fault("links", f"At most {MAX_LINKS} links are shown."))
    about = one_line(about)
    if len(about) > MAX_ABOUT:
        faults.append(Fault("about", f"At most {MAX_ABOUT} characters; this has {len(about)}."))
    if faults:
        raise Invalid(faults[0].message, faults=faults)
    workspace.about, workspace.links = about, links
    workspace.save(update_fields=["about", "links"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject="words and links", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


def is_link(text: str) -> bool:
    """Whether it is a web address without a name and password in it."""
    try:
        url = urlsplit(text)
    except ValueError:
        return False
    plain = text.isprintable() and " " not in text and len(text) <= MAX_LINK
    return plain and url.scheme in ("http", "https") and bool(url.hostname) and "@" not in url.netloc


@transaction.atomic
def change_picture(workspace: Workspace, picture: str, *, by: User) -> None:
    """`picture`: the name of a blob; empty for none. Raises Forbidden."""
    check_may_manage(workspace, by)
    workspace.picture = picture
    workspace.save(update_fields=["picture"])
    record(Kind.WORKSPACE_CHANGED, by=by, subject="picture", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def change_name(workspace: Workspace, name: str, *, by: User) -> None:
    """Raises Invalid (form), Conflict (reserved, claimed by another, or already fixed by the first publish)."""
    check_may_manage(workspace, by)
    fault = names.fault(name)
    if fault:
        raise Invalid(fault, faults=[Fault("name", fault)])
    if not Workspace.objects.filter(pk=workspace.pk, name_claimed_at__isnull=True).update(name=name):
        raise Conflict("The workspace name was fixed by the first publish and cannot change any more.")
    workspace.name = name
    record(Kind.WORKSPACE_CHANGED, by=by, subject=f"name: {name}", workspaces=[workspace])
    workspace_changed.send(Workspace, workspace=workspace)


@transaction.atomic
def suspend(workspace: Workspace, *, by: User) -> bool:
    """Staff stop all publishing and unpublishing in a workspace; False where they had already."""
    # The lock waits for a publish that is just going live; the next one finds the workspace suspended.
    Workspace.objects.select_for_update().get(pk=workspace.pk)
    suspended = Workspace.objects.filter(pk=workspace.pk, suspended_at__isnull=True)
    if not suspended.update(suspended_at=timezone.now()):
        return False
    record(Kind.WORKSPACE_SUSPENDED, by=by, workspaces=[workspace])
    return True


@transaction.atomic
def resume(workspace: Workspace, *, by: User) -> bool:
    """Staff end a suspension; False where there was none."""
    if not Workspace.objects.filter(pk=workspace.pk, suspended_at__isnull=False).update(suspended_at=None):
        return False
    record(Kind.WORKSPACE_RESUMED, by=by, workspaces=[workspace])
    return True
