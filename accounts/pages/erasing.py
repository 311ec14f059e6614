"""Pages to delete an account or a workspace, and to download one's data."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.actions import erasing
from accounts.models import Membership, Workspace
from accounts.pages.base import confirmation_page, login_page, person, require_recent_login, ways_out
from config.errors import CapsulesError, Conflict
from config.ids import row_of


def check_typed(request: HttpRequest, wanted: str) -> None:
    """Raises Conflict where the confirmation was typed differently; case and blanks around it do not matter."""
    if request.POST.get("typed", "").strip().lower() != wanted.lower():
        raise Conflict(gettext("That is not %(wanted)s. Nothing was deleted.") % {"wanted": wanted})


# --- The account -----------------------------------------------------------------------------------------------


@login_page
def delete_account(request: HttpRequest) -> HttpResponse:
    require_recent_login(request)
    user = person(request)
    fault = ""
    if request.method == "POST":
        try:
            check_typed(request, user.email)
            erasing.erase_user(user, by=user)
        except CapsulesError as error:
            fault = str(error)
        else:
            logout(request)
            messages.success(request, gettext("Your account was deleted."))
            return redirect("account_login")
    alone = list(erasing.owned_alone(user).order_by("title"))
    return confirmation_page(
        request,
        gettext("Delete your account?"),
        text=BLOCKED if alone else [],
        links=ways_out(alone),
        items=[] if alone else ACCOUNT_DELETION_EFFECTS,
        typed=user.email,
        button="" if alone else gettext("Delete my account"),
        keep=gettext("Go back") if alone else gettext("Keep my account"),
        back=reverse("account_home"),
        fault=fault,
    )


BLOCKED = [
    gettext_lazy(
        "You are the only owner of these workspaces. Make somebody else an owner, or delete them, before you delete "
        "your account."
    )
]
ACCOUNT_DELETION_EFFECTS = [
    gettext_lazy(
        "Your login, passkeys, sessions, API keys and connected apps are deleted at once. This cannot be undone."
    ),
    gettext_lazy(
        "You leave all workspaces. What you made in them stays there, without your name as its maker. Author names on "
        "capsules are part of the capsules and stay."
    ),
    gettext_lazy("Audit logs keep what happened, without your address."),
    gettext_lazy(
        "Emails that you subscribed to as a reader are separate: use the link in one of them to unsubscribe."
    ),
    gettext_lazy("Backups of the service may hold your data until they expire."),
]


@login_page
def download_data(request: HttpRequest) -> HttpResponse:
    """Everything about the person as JSON. A GET without effect but a line in the audit log."""
    require_recent_login(request)
    answer = JsonResponse(
        erasing.data_of(person(request)), json_dumps_params={"indent": 2, "ensure_ascii": False}
    )
    answer["Content-Disposition"] = 'attachment; filename="my-capsules-data.json"'
    return answer


# --- A workspace -----------------------------------------------------------------------------------------------


@login_page
def delete_workspace(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    require_recent_login(request)
    own = Workspace.objects.filter(memberships__user=person(request), memberships__role=Membership.Role.OWNER)
    target = row_of(own, workspace, gettext("There is no such workspace among those you own."))
    fault = ""
    if request.method == "POST":
        try:
            check_typed(request, target.name)
            erasing.erase_workspace(target, by=person(request))
        except CapsulesError as error:
            fault = str(error)
        else:
            messages.success(request, gettext("%(workspace)s was deleted.") % {"workspace": target.title})
            return redirect("account_home")
    return confirmation_page(
        request,
        gettext("Delete %(workspace)s?") % {"workspace": target.title},
        items=workspace_deletion_effects(target),
        typed=target.name,
        button=gettext("Delete the workspace"),
        keep=gettext("Keep it"),
        back=reverse("account_workspace", args=[target.pk]),
        fault=fault,
    )


def workspace_deletion_effects(workspace: Workspace) -> list[str]:
    """What is deleted, with counts, and what stays."""
    capsules, members = workspace.stories.count(), workspace.memberships.count()
    subscribers, keys = workspace.subscribers.count(), workspace.api_keys.count()
    counted = [
        ngettext("%(number)d capsule", "%(number)d capsules", capsules) % {"number": capsules},
        ngettext("%(number)d member", "%(number)d members", members) % {"number": members},
        ngettext("%(number)d subscriber", "%(number)d subscribers", subscribers) % {"number": subscribers},
        ngettext("%(number)d API key", "%(number)d API keys", keys) % {"number": keys},
    ]
    gone = gettext(
        "Deleted at once: %(counted)s, premieres, invitations and the audit log. This cannot be undone."
    ) % {"counted": ", ".join(counted)}
    name = gettext("The name %(name)s stays taken, so that nobody else gets your links.") % {
        "name": workspace.name
    }
    return [
        gone,
        gettext(
            "Every public link and embed of the workspace stops working within a minute. Emails not sent yet are not "
            "sent."
        ),
        gettext(
            "Pictures and films are removed from the storage within two days, from backups when these expire."
        ),
        *([name] if workspace.name_claimed_at else []),
    ]
