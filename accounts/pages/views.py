"""A person's own pages: home, profile, connected apps, invitations."""

from __future__ import annotations

import uuid

from allauth.account.views import logout as allauth_logout
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.actions import connections, members, workspaces
from accounts.actors import CONNECTIONS_READ, CONNECTIONS_WRITE, SCOPES
from accounts.models import Connection, SecurityEvent
from accounts.pages.base import cleaned, login_page, person, post_then_redirect, public_page
from accounts.pages.forms import NewWorkspaceForm, ProfileForm
from config.errors import CapsulesError, NotFound

Ended = Connection.Ended
RECENT = 20  # events on the home page
NOT_FOR_TOOLS = (CONNECTIONS_READ, CONNECTIONS_WRITE)  # no tool of the MCP server uses them


def sign_out(request: HttpRequest) -> HttpResponse:
    """As django-allauth has it; and the browser deletes what its scripts kept for the person."""
    response: HttpResponse = allauth_logout(request)
    if request.method == "POST":
        response["Clear-Site-Data"] = '"storage"'
    return response


@login_page
def home(request: HttpRequest) -> HttpResponse:
    user = person(request)
    context = {
        "profile": ProfileForm(instance=user),
        "memberships": user.memberships.select_related("workspace").order_by("workspace__title"),
        "new_workspace": NewWorkspaceForm(),
        "events": SecurityEvent.objects.filter(user=user).select_related("workspace")[:RECENT],
    }
    return render(request, "accounts/home.html", context)


@post_then_redirect("account_home")
def change_profile(request: HttpRequest) -> str:
    form = ProfileForm(request.POST, instance=person(request))
    cleaned(form)
    form.save()
    return "Your profile was saved."


@login_page
def make_workspace(request: HttpRequest) -> HttpResponse:
    form = NewWorkspaceForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return redirect("account_home")
    workspace = workspaces.make_workspace(form.cleaned_data["title"], by=person(request))
    return redirect("account_workspace", workspace=workspace.pk)


@login_page
def connected_apps(request: HttpRequest) -> HttpResponse:
    apps = Connection.objects.live().of(person(request)).with_reach().newest_first()
    return render(request, "accounts/connected_apps.html", {"apps": apps, "words": SCOPES})


@login_page
def connect_app(request: HttpRequest) -> HttpResponse:
    """Where AI apps connect, how in the usual ones, and what they may do."""
    apps = Connection.objects.live().of(person(request)).with_reach().newest_first()
    allowed = {scope: words for scope, words in SCOPES.items() if scope not in NOT_FOR_TOOLS}
    context = {"address": settings.MCP_URL, "allowed": allowed, "apps": apps}
    return render(request, "accounts/connect_app.html", context)


@post_then_redirect("account_connected_apps")
def disconnect(request: HttpRequest, id: uuid.UUID) -> str:
    user = person(request)
    connection = Connection.objects.live().of(user).by_wire_id(str(id))
    connections.end(connection, because=Ended.REVOKED, by=user)
    return f"{connection.client.display_name} is disconnected."


@post_then_redirect("account_connected_apps")
def disconnect_all(request: HttpRequest) -> str:
    user = person(request)
    connections.end_all(user, because=Ended.REVOKED, by=user)
    return "All apps are disconnected."


@public_page
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Shows who invites to which workspace; somebody without an account is asked to sign up, the address filled in."""
    found = members.invitation_by(secret)
    return render(request, "accounts/invitation.html", {"invitation": found, "secret": secret})


@login_page
@require_POST
def accept_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Joins, and opens the workspace in the studio."""
    try:
        membership = members.accept(members.invitation_by(secret), by=person(request))
    except NotFound:
        raise
    except CapsulesError as error:
        messages.error(request, str(error))
        return redirect("account_home")
    role = membership.get_role_display().lower()
    messages.success(request, f"You are now {role} of {membership.workspace.title}.")
    return redirect("studio_capsules", workspace=membership.workspace_id)
