"""Making a workspace and changing what it says about itself."""

from __future__ import annotations

from django.db import transaction

from accounts import names
from accounts.actions.events import Kind, record
from accounts.models import Invitation, Membership, User, Workspace
from accounts.signals import workspace_changed
from config.errors import Conflict, Fault, Forbidden, Invalid

Role = Membership.Role


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
    """The workspace of a new account. Whoever was invited to one and names none of their own gets none."""
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
