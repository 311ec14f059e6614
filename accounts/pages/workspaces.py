"""A workspace's pages for its owners and admins: name, members, API keys, audit log; and how a member leaves it."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts import names
from accounts.actions import erasing, keys, members, workspaces
from accounts.actors import SCOPES
from accounts.models import Invitation, Membership, SecurityEvent, Workspace
from accounts.models.people import role_in_words
from accounts.pages.base import (
    cleaned,
    confirmation_page,
    login_page,
    person,
    post_then_redirect,
    redirect_to_show,
    refusal_told,
    render_for_member,
    require_manager,
    require_recent_login,
    secret_to_show,
    way_back,
    ways_out,
)
from accounts.pages.forms import InviteForm, KeyForm, NameForm, RoleForm, TitleForm
from config.ids import row_of

EVENTS_SHOWN = 200


# --- Title, name, plan -----------------------------------------------------------------------------------------


@login_page
def settings(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    context = {
        "title_form": TitleForm(initial={"title": own.workspace.title}),
        "name_form": NameForm(initial={"name": own.workspace.name}),
        "back": way_back(request),
    }
    return render_for_member(request, "workspace", own, **context)


@login_page
def name_availability(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """JSON for the page's script: whether the typed name could be claimed now."""
    require_manager(request, workspace)
    fault = names.name_fault(request.GET.get("name", ""))
    return JsonResponse({"available": not fault, "message": fault or gettext("This name is available.")})


@post_then_redirect("account_workspace")
def change_title(request: HttpRequest, workspace: uuid.UUID) -> str:
    title = cleaned(TitleForm(request.POST))["title"]
    workspaces.change_title(require_manager(request, workspace).workspace, title, by=person(request))
    return gettext("The title was saved. Public pages show it at once.")


@post_then_redirect("account_workspace")
def change_name(request: HttpRequest, workspace: uuid.UUID) -> str:
    name = cleaned(NameForm(request.POST))["name"]
    workspaces.change_name(require_manager(request, workspace).workspace, name, by=person(request))
    return gettext("The name was saved. The first publish claims it.")


# --- Members ---------------------------------------------------------------------------------------------------


@login_page
def members_page(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    memberships = own.workspace.memberships.select_related("user").order_by("user__email")
    invitations = Invitation.objects.open().filter(workspace=own.workspace)
    return render_for_member(
        request,
        "members",
        own,
        memberships=memberships,
        invitations=invitations,
        invite_form=InviteForm(),
        roles=Membership.Role.choices,
    )


def member_of(workspace: Workspace, id: int) -> Membership:
    rows = workspace.memberships.select_related("user", "workspace")
    return row_of(rows, id, gettext("There is no such member."))


@post_then_redirect("account_members")
def invite(request: HttpRequest, workspace: uuid.UUID) -> str:
    typed = cleaned(InviteForm(request.POST))
    own = require_manager(request, workspace)
    if typed["role"] == Membership.Role.OWNER:
        require_recent_login(request)
    invitation = members.invite(own.workspace, typed["email"], role=typed["role"], by=person(request))
    return gettext("An invitation was sent to %(email)s.") % {"email": invitation.email}


@post_then_redirect("account_members")
def withdraw_invitation(request: HttpRequest, workspace: uuid.UUID, id: uuid.UUID) -> str:
    own = require_manager(request, workspace)
    invitation = row_of(own.workspace.invitations.all(), id, gettext("There is no such invitation."))
    members.withdraw_invitation(invitation, by=person(request))
    return gettext("The invitation was withdrawn.")


@post_then_redirect("account_members")
def change_role(request: HttpRequest, workspace: uuid.UUID, id: int) -> str:
    membership = member_of(require_manager(request, workspace).workspace, id)
    role = cleaned(RoleForm(request.POST))["role"]
    if role == Membership.Role.OWNER:
        require_recent_login(request)
    members.change_role(membership, role, by=person(request))
    return gettext("%(email)s is now %(role)s.") % {
        "email": membership.user.email,
        "role": role_in_words(role),
    }


@login_page
def remove_member(request: HttpRequest, workspace: uuid.UUID, id: int) -> HttpResponse:
    own = require_manager(request, workspace)
    membership = member_of(own.workspace, id)
    return confirm_and_remove(
        request,
        membership,
        title=gettext("Remove %(person)s?") % {"person": membership.user.get_full_name()},
        text=[
            gettext(
                "%(email)s loses access to %(workspace)s at once. Their API keys for this workspace are revoked, "
                "their connected apps lose access to it, and open invitations they sent are withdrawn."
            )
            % {"email": membership.user.email, "workspace": own.workspace.title}
        ],
        button=gettext("Remove"),
        done=gettext("%(email)s was removed.") % {"email": membership.user.email},
        back=reverse("account_members", args=[workspace]),
    )


@login_page
def leave(request: HttpRequest, id: int) -> HttpResponse:
    rows = person(request).memberships.select_related("workspace", "user")
    membership = row_of(rows, id, gettext("You are not in this workspace."))
    workspace = {"workspace": membership.workspace.title}
    title = gettext("Leave %(workspace)s?") % workspace
    if erasing.owned_alone(person(request)).filter(pk=membership.workspace_id).exists():
        return confirmation_page(
            request,
            title,
            text=[members.LAST_OWNER],
            links=ways_out([membership.workspace]),
            button="",
            keep=gettext("Go back"),
            back=reverse("account_home"),
        )
    return confirm_and_remove(
        request,
        membership,
        title=title,
        text=[
            gettext(
                "You lose access at once, and your API keys for this workspace are revoked. "
                "An owner or admin can invite you again."
            )
        ],
        button=gettext("Leave"),
        done=gettext("You left %(workspace)s.") % workspace,
        back=reverse("account_home"),
    )


def confirm_and_remove(
    request: HttpRequest, membership: Membership, *, done: str, back: str, **words: Any
) -> HttpResponse:
    """Asks whether the membership should end, and removes it when the answer is yes."""
    if request.method != "POST":
        return confirmation_page(request, back=back, **words)
    with refusal_told(request):
        members.remove_member(membership, by=person(request))
        messages.success(request, done)
    return redirect(back)


# --- API keys --------------------------------------------------------------------------------------------------


@login_page
def keys_page(request: HttpRequest, workspace: uuid.UUID, form: KeyForm | None = None) -> HttpResponse:
    own = require_manager(request, workspace)
    context = {
        "api_keys": own.workspace.api_keys.select_related("creator"),
        "key_form": form or KeyForm(),
        "secret": secret_to_show(request),
        "words": SCOPES,
    }
    return render_for_member(request, "keys", own, **context)


@require_POST
@login_page
def make_key(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    require_recent_login(request)
    form = KeyForm(request.POST)
    if not form.is_valid():
        return keys_page(request, workspace=workspace, form=form)
    _, secret = keys.create_api_key(
        own.workspace,
        by=person(request),
        label=form.cleaned_data["label"],
        expires_at=form.expires_at(),
        scopes=form.cleaned_data["scopes"],
    )
    return redirect_to_show(secret, request, "account_keys", workspace=workspace)


@post_then_redirect("account_keys")
def revoke_key(request: HttpRequest, workspace: uuid.UUID, id: uuid.UUID) -> str:
    own = require_manager(request, workspace)
    key = row_of(own.workspace.api_keys.all(), id, gettext("There is no such key."))
    keys.revoke_api_key(key, by=person(request))
    return gettext("The key %(key)s is revoked.") % {"key": key}


# --- Audit log -------------------------------------------------------------------------------------------------


@login_page
def audit_log(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    events = SecurityEvent.objects.of_workspace(own.workspace)[:EVENTS_SHOWN]
    return render_for_member(request, "audit_log", own, events=events)
