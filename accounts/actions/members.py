"""Members of a workspace: inviting, joining, changing roles, removing. The last owner stays."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_lazy

from accounts.actions import keys
from accounts.actions.events import Kind, record
from accounts.actions.workspaces import check_may_manage, hold_workspace
from accounts.models import Invitation, Membership, SecurityEvent, User, Workspace
from accounts.models.digests import digest_of
from accounts.people.letters import post_letter
from accounts.throttling import DAY, HOUR
from config.errors import Conflict, Forbidden, Locked, NotFound, Throttled
from config.ids import row_of
from config.links import absolute

Role = Membership.Role

NEW_WORKSPACE_INVITATIONS = 5  # a day, before its first publish: a fresh sign-up must not mail strangers
LAST_OWNER = gettext_lazy("A workspace needs at least one owner. Make somebody else an owner first.")


@transaction.atomic
def invite(workspace: Workspace, email: str, *, role: str, by: User) -> Invitation:
    """Sends an invitation by mail; an open one to the same address is replaced.

    Raises Forbidden (role), Locked (suspended), Conflict (already a member), Throttled (too many), NotFound.
    """
    # Two at once are counted one by one, also of one person in two workspaces.
    workspace = hold_workspace(workspace.pk)
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    check_may_give(role, check_may_manage(workspace, by).role)
    if workspace.is_suspended:
        raise Locked(gettext("This workspace is suspended. Nobody can be invited to it."))
    email = User.objects.normalize_email(email)
    if Membership.objects.filter(workspace=workspace, user__email=email).exists():
        raise Conflict(gettext("%(email)s is a member already.") % {"email": email})
    check_invitation_rate(workspace, email, by)
    Invitation.objects.filter(workspace=workspace, email=email).delete()
    secret = Invitation.new_secret()
    invitation = Invitation.objects.create(
        workspace=workspace, email=email, role=role, invited_by=by, digest=digest_of(secret)
    )
    record(Kind.MEMBER_INVITED, by=by, subject=f"{email} as {role}", workspaces=[workspace])
    send_invitation(invitation, secret)
    return invitation


def check_invitation_rate(workspace: Workspace, email: str, by: User) -> None:
    """At most INVITATIONS_A_DAY for a workspace and for a person, and one an hour for an address. Raises Throttled."""
    limit = settings.INVITATIONS_A_DAY
    if workspace.name_claimed_at is None:
        limit = min(limit, NEW_WORKSPACE_INVITATIONS)
    sent = SecurityEvent.objects.filter(
        kind=Kind.MEMBER_INVITED, at__gt=timezone.now() - timedelta(seconds=DAY)
    )
    most = max(sent.filter(workspace=workspace).count(), sent.filter(user=by).count())
    if most >= limit:
        raise Throttled(
            gettext("At most %(number)d invitations can be sent in 24 hours. Please try again tomorrow.")
            % {"number": limit},
            retry_after=DAY,
        )
    digest = salted_hmac("accounts.invited", email, algorithm="sha256").hexdigest()
    if not cache.add(f"invited:{digest[:32]}", 1, HOUR):
        raise Throttled(
            gettext("%(email)s was invited less than an hour ago. Please try again later.")
            % {"email": email},
            retry_after=HOUR,
        )


def send_invitation(invitation: Invitation, secret: str) -> None:
    context = {
        "invitation": invitation,
        "link": absolute(reverse("account_invitation", args=[secret])),
    }
    subject = (
        gettext("You are invited to a workspace on %(service)s")  # not its title: strangers get this mail
        % {"service": settings.SERVICE_NAME}
    )
    text = render_to_string("accounts/email/invitation.txt", context)
    post_letter(invitation.email, subject, text, face=invitation.workspace.picture_url)


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, by: User) -> None:
    check_may_manage(invitation.workspace, by)
    withdraw_each(Invitation.objects.filter(pk=invitation.pk), by=by)


def invitation_by(secret: str) -> Invitation:
    """The open invitation of a link. Raises NotFound."""
    found = (
        Invitation.objects.open().select_related("workspace", "invited_by").filter(digest=digest_of(secret))
    )
    invitation = found.first()
    if invitation is None:
        raise NotFound(gettext("This invitation is not open any more. Ask for a new one."))
    return invitation


@transaction.atomic
def accept(invitation: Invitation, *, by: User) -> Membership:
    """Raises Forbidden where the invitation went to another address, NotFound where it is not open any more."""
    if invitation.email != by.email:
        told = gettext("This invitation is for %(email)s. Sign in with that address to accept it.")
        raise Forbidden(told % {"email": invitation.email})
    # Whoever changes the giver's role holds this row too, so that what is open stays open until we are done.
    hold_workspace(invitation.workspace_id)
    if not Invitation.objects.open().filter(pk=invitation.pk).exists():
        raise NotFound(gettext("This invitation is not open any more. Ask for a new one."))
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


def withdraw_invitations_of(user: User, *, by: User | None) -> int:
    """Withdraws every invitation that `user` sent; returns how many. For a disabled user, or a reset password."""
    return withdraw_each(Invitation.objects.filter(invited_by=user), by=by)


def withdraw_each(invitations: QuerySet[Invitation], *, by: User | None) -> int:
    # Those that nobody else withdraws at the same moment.
    withdrawn = [each for each in invitations.select_related("workspace") if each.delete()[0]]
    for invitation in withdrawn:
        record(Kind.INVITATION_WITHDRAWN, by=by, subject=invitation.email, workspaces=[invitation.workspace])
    return len(withdrawn)


def withdraw_what_may_not_be_given(membership: Membership, *, by: User) -> None:
    """Withdraws invitations to roles that their sender, demoted or gone, may no longer give."""
    given = Invitation.objects.filter(workspace=membership.workspace, invited_by=membership.user)
    withdraw_each(given.exclude(pk__in=Invitation.objects.open().values("pk")), by=by)


@transaction.atomic
def change_role(membership: Membership, role: str, *, by: User, as_staff: bool = False) -> None:
    """Raises Forbidden (only owners make or unmake owners), Conflict (the last owner). Staff act as an owner would."""
    membership = lock_membership(membership)
    workspace = membership.workspace
    if not as_staff:
        own = check_may_manage(workspace, by).role
        check_may_give(role, own)
        check_may_give(membership.role, own)
    if role != Role.OWNER:
        check_not_last_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    withdraw_what_may_not_be_given(membership, by=by)
    record(Kind.ROLE_CHANGED, by=by, subject=f"{membership.user.email} to {role}", workspaces=[workspace])


@transaction.atomic
def add_member_by_staff(workspace: Workspace, user: User, *, role: str, by: User) -> Membership:
    """Raises Conflict (already a member)."""
    membership, joined = Membership.objects.get_or_create(
        workspace=workspace, user=user, defaults={"role": role}
    )
    if not joined:
        raise Conflict(gettext("%(email)s is a member already.") % {"email": user.email})
    record(Kind.MEMBER_JOINED, by=by, subject=f"{user.email} as {role}", workspaces=[workspace])
    return membership


@transaction.atomic
def remove_member(membership: Membership, *, by: User, as_staff: bool = False) -> None:
    """The member's apps lose the workspace at once, their keys of it are revoked. Anybody may leave by themselves.

    Raises Forbidden (role), Conflict (the last owner).
    """
    membership = lock_membership(membership)
    workspace = membership.workspace
    if membership.user != by and not as_staff:
        check_may_give(membership.role, check_may_manage(workspace, by).role)
    check_not_last_owner(membership)
    User.objects.filter(pk=membership.user_id, default_workspace=workspace).update(default_workspace=None)
    keys.revoke_keys_of(membership.user, workspace=workspace, by=by)
    record(Kind.MEMBER_REMOVED, by=by, subject=membership.user.email, workspaces=[workspace])
    Membership.objects.filter(pk=membership.pk).delete()
    withdraw_what_may_not_be_given(membership, by=by)


def lock_membership(membership: Membership) -> Membership:
    """The membership as it is now, its row and its workspace's locked: two owners cannot remove each other at once.

    Raises NotFound where it is gone.
    """
    hold_workspace(membership.workspace_id)
    rows = Membership.objects.select_for_update(of=("self",)).select_related("workspace", "user")
    return row_of(rows, membership.pk, gettext("There is no such member."))


def check_may_give(role: str, own: str) -> None:
    if role == Role.OWNER and own != Role.OWNER:
        raise Forbidden(gettext("Only an owner may make, change or remove an owner."))


def check_not_last_owner(membership: Membership) -> None:
    others = Membership.objects.filter(workspace=membership.workspace, role=Role.OWNER).exclude(
        pk=membership.pk
    )
    if membership.role == Role.OWNER and not others.exists():
        raise Conflict(LAST_OWNER)
