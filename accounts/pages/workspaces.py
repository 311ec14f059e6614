"""A workspace's pages for its owners and admins: name, members, API keys, audit log; and how a member leaves it."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts import names
from accounts.actions import keys, members, workspaces
from accounts.actors import SCOPES
from accounts.models import ApiKey, Invitation, Membership, SecurityEvent, Workspace
from accounts.pages.base import (
    ask,
    cleaned,
    login_page,
    person,
    post_then_redirect,
    require_manager,
    require_recent_login,
)
from accounts.pages.forms import InviteForm, KeyForm, NameForm, RoleForm, TitleForm
from config.errors import CapsulesError, NotFound

EVENTS_SHOWN = 200


def shown(request: HttpRequest, template: str, own: Membership, **context: Any) -> HttpResponse:
    context |= {"workspace": own.workspace, "own": own}
    return render(request, f"accounts/{template}.html", context)


# --- Title, name, plan -----------------------------------------------------------------------------------------


@login_page
def settings(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    title = TitleForm(initial={"title": own.workspace.title})
    name = NameForm(initial={"name": own.workspace.name})
    return shown(request, "workspace", own, title_form=title, name_form=name)


@login_page
def name_availability(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """JSON for the page's script: whether the typed name could be claimed now."""
    require_manager(request, workspace)
    fault = names.fault(request.GET.get("name", ""))
    return JsonResponse({"available": not fault, "message": fault or "This name is available."})


@post_then_redirect("account_workspace")
def change_title(request: HttpRequest, workspace: uuid.UUID) -> str:
    title = cleaned(TitleForm(request.POST))["title"]
    workspaces.change_title(require_manager(request, workspace).workspace, title, by=person(request))
    return "The title was saved. Public pages show it at once."


@post_then_redirect("account_workspace")
def change_name(request: HttpRequest, workspace: uuid.UUID) -> str:
    name = cleaned(NameForm(request.POST))["name"]
    workspaces.change_name(require_manager(request, workspace).workspace, name, by=person(request))
    return "The name was saved. The first publish claims it."


# --- Members ---------------------------------------------------------------------------------------------------


@login_page
def members_page(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    memberships = own.workspace.memberships.select_related("user").order_by("user__email")
    invitations = Invitation.objects.open().filter(workspace=own.workspace)
    return shown(
        request,
        "members",
        own,
        memberships=memberships,
        invitations=invitations,
        invite_form=InviteForm(),
        roles=Membership.Role.choices,
    )


def member_of(workspace: Workspace, id: int) -> Membership:
    membership = workspace.memberships.select_related("user", "workspace").filter(pk=id).first()
    if membership is None:
        raise NotFound("There is no such member.")
    return membership


@post_then_redirect("account_members")
def invite(request: HttpRequest, workspace: uuid.UUID) -> str:
    typed = cleaned(InviteForm(request.POST))
    own = require_manager(request, workspace)
    if typed["role"] == Membership.Role.OWNER:
        require_recent_login(request)
    invitation = members.invite(own.workspace, typed["email"], role=typed["role"], by=person(request))
    return f"An invitation was sent to {invitation.email}."


@post_then_redirect("account_members")
def withdraw_invitation(request: HttpRequest, workspace: uuid.UUID, id: uuid.UUID) -> str:
    own = require_manager(request, workspace)
    invitation = own.workspace.invitations.filter(pk=id).first()
    if invitation is None:
        raise NotFound("There is no such invitation.")
    members.withdraw_invitation(invitation, by=person(request))
    return "The invitation was withdrawn."


@post_then_redirect("account_members")
def change_role(request: HttpRequest, workspace: uuid.UUID, id: int) -> str:
    membership = member_of(require_manager(request, workspace).workspace, id)
    role = cleaned(RoleForm(request.POST))["role"]
    if role == Membership.Role.OWNER:
        require_recent_login(request)
    members.change_role(membership, role, by=person(request))
    return f"{membership.user.email} is now {role}."


@login_page
def remove_member(request: HttpRequest, workspace: uuid.UUID, id: int) -> HttpResponse:
    own = require_manager(request, workspace)
    membership = member_of(own.workspace, id)
    return confirm_and_remove(
        request,
        membership,
        title=f"Remove {membership.user.get_full_name()}?",
        text=[
            f"{membership.user.email} loses access to {own.workspace.title} at once. Their API keys for this "
            "workspace are revoked, their connected apps lose access to it, and open invitations they sent are "
            "withdrawn."
        ],
        button="Remove",
        done=f"{membership.user.email} was removed.",
        back=reverse("account_members", args=[workspace]),
    )


@login_page
def leave(request: HttpRequest, id: int) -> HttpResponse:
    membership = person(request).memberships.select_related("workspace", "user").filter(pk=id).first()
    if membership is None:
        raise NotFound("You are not in this workspace.")
    title = membership.workspace.title
    return confirm_and_remove(
        request,
        membership,
        title=f"Leave {title}?",
        text=[
            "You lose access at once, and your API keys for this workspace are revoked. "
            "An owner or admin can invite you again."
        ],
        button="Leave",
        done=f"You left {title}.",
        back=reverse("account_home"),
    )


def confirm_and_remove(
    request: HttpRequest, membership: Membership, *, done: str, back: str, **words: Any
) -> HttpResponse:
    """Asks whether the membership should end, and removes it when the answer is yes."""
    if request.method != "POST":
        return ask(request, back=back, **words)
    try:
        members.remove_member(membership, by=person(request))
    except NotFound:
        raise
    except CapsulesError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect(back)


# --- API keys --------------------------------------------------------------------------------------------------


@login_page
def keys_page(
    request: HttpRequest, workspace: uuid.UUID, secret: str = "", form: KeyForm | None = None
) -> HttpResponse:
    own = require_manager(request, workspace)
    api_keys = own.workspace.api_keys.select_related("creator")
    return shown(
        request, "keys", own, api_keys=api_keys, key_form=form or KeyForm(), secret=secret, words=SCOPES
    )


@require_POST
@login_page
def make_key(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """The one answer that carries the secret: it is neither stored nor shown again."""
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
    return keys_page(request, workspace=workspace, secret=secret)


@post_then_redirect("account_keys")
def revoke_key(request: HttpRequest, workspace: uuid.UUID, id: uuid.UUID) -> str:
    own = require_manager(request, workspace)
    key = ApiKey.objects.filter(workspace=own.workspace, pk=id).first()
    if key is None:
        raise NotFound("There is no such key.")
    keys.revoke_api_key(key, by=person(request))
    return f"The key {key} is revoked."


# --- Audit log -------------------------------------------------------------------------------------------------


@login_page
def audit_log(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    own = require_manager(request, workspace)
    events = SecurityEvent.objects.of_workspace(own.workspace)[:EVENTS_SHOWN]
    return shown(request, "audit_log", own, events=events)
