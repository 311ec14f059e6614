"""A person's own pages: home, profile, connected apps, invitations."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.actions import connections, members, workspaces
from accounts.actors import SCOPES
from accounts.models import Connection, SecurityEvent
from accounts.pages.base import checked, deed, page, person
from accounts.pages.forms import NewWorkspaceForm, ProfileForm

Ended = Connection.Ended
RECENT = 20  # events on the home page


@page
def home(request: HttpRequest) -> HttpResponse:
    user = person(request)
    context = {
        "profile": ProfileForm(instance=user),
        "memberships": user.memberships.select_related("workspace").order_by("workspace__title"),
        "new_workspace": NewWorkspaceForm(),
        "events": SecurityEvent.objects.filter(user=user).select_related("workspace")[:RECENT],
    }
    return render(request, "accounts/home.html", context)


@deed("account_home")
def change_profile(request: HttpRequest) -> str:
    form = ProfileForm(request.POST, instance=person(request))
    checked(form)
    form.save()
    return "Your profile was saved."


@page
def make_workspace(request: HttpRequest) -> HttpResponse:
    form = NewWorkspaceForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return redirect("account_home")
    workspace = workspaces.make_workspace(form.cleaned_data["title"], by=person(request))
    return redirect("account_workspace", workspace=workspace.pk)


@page
def connected_apps(request: HttpRequest) -> HttpResponse:
    apps = Connection.objects.live().of(person(request)).with_reach().newest_first()
    return render(request, "accounts/connected_apps.html", {"apps": apps, "words": SCOPES})


@deed("account_connected_apps")
def disconnect(request: HttpRequest, id: uuid.UUID) -> str:
    user = person(request)
    connection = Connection.objects.live().of(user).by_wire_id(str(id))
    connections.end(connection, because=Ended.REVOKED, by=user)
    return f"{connection.client.display_name} is disconnected."


@deed("account_connected_apps")
def disconnect_all(request: HttpRequest) -> str:
    user = person(request)
    connections.end_all(user, because=Ended.REVOKED, by=user)
    return "All apps are disconnected."


@page
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    found = members.invitation_by(secret)
    return render(request, "accounts/invitation.html", {"invitation": found, "secret": secret})


@deed("account_home")
def accept_invitation(request: HttpRequest, secret: str) -> str:
    membership = members.accept(members.invitation_by(secret), by=person(request))
    return f"You are now {membership.get_role_display().lower()} of {membership.workspace.title}."
