"""Who belongs to a workspace: inviting, joining, changing roles, removing. The last owner stays."""

from __future__ import annotations

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.actions.events import Kind, record
from accounts.actions.workspaces import check_may_manage
from accounts.models import Invitation, Membership, User, Workspace
from accounts.models.clients import digest_of
from config.errors import Conflict, Forbidden, NotFound

Role = Membership.Role


@transaction.atomic
def invite(workspace: Workspace, email: str, *, role: str, by: User) -> Invitation:
    """Sends an invitation by mail; an open one to the same address is replaced.

    Raises Forbidden (role), Conflict (already a member).
    """
    check_may_give(role, check_may_manage(workspace, by))
    email = User.objects.normalize_email(email)
    if Membership.objects.filter(workspace=workspace, user__email=email).exists():
        raise Conflict(f"{email} is a member already.")
    Invitation.objects.filter(workspace=workspace, email=email, accepted_at__isnull=True).delete()
    secret = Invitation.new_secret()
    invitation = Invitation.objects.create(
        workspace=workspace, email=email, role=role, invited_by=by, digest=digest_of(secret)
    )
    record(Kind.MEMBER_INVITED, by=by, subject=f"{email} as {role}", workspaces=[workspace])
    transaction.on_commit(lambda: send_invitation(invitation, secret), robust=True)
    return invitation


def send_invitation(invitation: Invitation, secret: str) -> None:
    context = {
        "invitation": invitation,
        "link": f"{settings.APP_URL}{reverse('account_invitation', args=[secret])}",
    }
    title = " ".join(invitation.workspace.title.split())
    send_mail(
        f"Join {title} on Capsules",
        render_to_string("accounts/email/invitation.txt", context),
        settings.DEFAULT_FROM_EMAIL,
        [invitation.email],
    )


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, by: User) -> None:
    check_may_manage(invitation.workspace, by)
    record(Kind.INVITATION_WITHDRAWN, by=by, subject=invitation.email, workspaces=[invitation.workspace])
    invitation.delete()


def invitation_by(secret: str) -> Invitation:
    """The open invitation of a link. Raises NotFound."""
    found = (
        Invitation.objects.open().select_related("workspace", "invited_by").filter(digest=digest_of(secret))
    )
    invitation = found.first()
    if invitation is None:
        raise NotFound("This invitation is not open any more. Ask for a new one.")
    return invitation


@transaction.atomic
def accept(invitation: Invitation, *, by: User) -> Membership:
    """Raises Forbidden where the invitation went to another address, NotFound where it is not open any more."""
    if invitation.email != by.email:
        raise Forbidden(f"This invitation is for {invitation.email}. Sign in with that address to accept it.")
    if not Invitation.objects.select_for_update(of=("self",)).open().filter(pk=invitation.pk).first():
        raise NotFound("This invitation is not open any more. Ask for a new one.")
    membership, joined = Membership.objects.get_or_create(
        workspace=invitation.workspace, user=by, defaults={"role": invitation.role}
    )
    Invitation.objects.filter(pk=invitation.pk).delete()
    if by.default_workspace_id is None:
        by.default_workspace = invitation.workspace
        by.save(update_fields=["default_workspace"])
    if joined:
        record(
            Kind.MEMBER_JOINED,
            by=by,
            subject=f"{by.email} as {membership.role}",
            workspaces=[invitation.workspace],
        )
    return membership


@transaction.atomic
def change_role(membership: Membership, role: str, *, by: User) -> None:
    """Raises Forbidden (only owners make or unmake owners), Conflict (the last owner)."""
    membership = locked(membership)
    workspace = membership.workspace
    own = check_may_manage(workspace, by)
    check_may_give(role, own)
    check_may_give(membership.role, own)
    if role != Role.OWNER:
        check_not_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    record(Kind.ROLE_CHANGED, by=by, subject=f"{membership.user.email} to {role}", workspaces=[workspace])


@transaction.atomic
def remove_member(membership: Membership, *, by: User) -> None:
    """The member's apps lose the workspace at once, their keys of it stop working. Anybody may leave by themselves.

    Raises Forbidden (role), Conflict (the last owner).
    """
    membership = locked(membership)
    workspace = membership.workspace
    if membership.user != by:
        check_may_give(membership.role, check_may_manage(workspace, by))
    check_not_last_owner(membership)
    User.objects.filter(pk=membership.user_id, default_workspace=workspace).update(default_workspace=None)
    record(Kind.MEMBER_REMOVED, by=by, subject=membership.user.email, workspaces=[workspace])
    membership.delete()


def locked(membership: Membership) -> Membership:
    """The membership as it is now, its row and its workspace's locked: two owners cannot remove each other at once.

    Raises NotFound where it is gone.
    """
    Workspace.objects.select_for_update().get(pk=membership.workspace_id)
    rows = Membership.objects.select_for_update(of=("self",)).select_related("workspace", "user")
    found = rows.filter(pk=membership.pk).first()
    if found is None:
        raise NotFound("There is no such member.")
    return found


def check_may_give(role: str, own: Membership) -> None:
    if role == Role.OWNER and own.role != Role.OWNER:
        raise Forbidden("Only an owner may make, change or remove an owner.")


def check_not_last_owner(membership: Membership) -> None:
    others = Membership.objects.filter(workspace=membership.workspace, role=Role.OWNER).exclude(
        pk=membership.pk
    )
    if membership.role == Role.OWNER and not others.exists():
        raise Conflict("The last owner of a workspace stays. Make somebody else an owner first.")
