"""The pages about connected apps: a person's own, a workspace's, and personal tokens."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.actions import connections
from accounts.actions.personal_tokens import make_personal_token
from accounts.actors import SCOPES, TOOL_SCOPES, allowed_words
from accounts.models import Connection
from accounts.oauth.forms import first_choice
from accounts.pages.base import (
    login_page,
    person,
    post_then_redirect,
    redirect_to_show,
    render_for_member,
    require_manager,
    require_recent_login,
    secret_to_show,
)
from accounts.pages.forms import TokenForm
from config.errors import Conflict, Invalid

Ended = Connection.Ended
ENDED_SHOWN = timedelta(days=7)


def describe_connections(found: Iterable[Connection]) -> list[Connection]:
    """The connections, with what they may do in words."""
    apps = list(found)
    for app in apps:
        app.allowed = allowed_words(app)  # type: ignore[attr-defined]
    return apps


@login_page
def connected_apps(request: HttpRequest) -> HttpResponse:
    own = Connection.objects.of(person(request))
    ended = own.filter(revoked_at__gt=timezone.now() - ENDED_SHOWN).select_related("client")
    context = {
        "apps": describe_connections(own.live().with_reach().newest_first()),
        "ended": ended.exclude(ended_because=Ended.REVOKED).order_by("-revoked_at"),
        "forms_of_publishing": Connection.Publishing.choices,
    }
    return render(request, "accounts/connected_apps.html", context)


@login_page
def workspace_apps(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """What members' apps did last here, for its owners and admins."""
    own = require_manager(request, workspace)
    reaching = Connection.objects.live().filter(memberships__workspace=own.workspace)
    apps = describe_connections(reaching.with_reach().newest_first())
    for app in apps:
        if app.user_id != own.user_id and len(list(app.workspaces)) > 1:
            app.refusal_words = ""  # they may be about a workspace that is none of the viewer's business
    return render_for_member(request, "workspace_apps", own, apps=apps)


@login_page
def connect_app(request: HttpRequest) -> HttpResponse:
    """Where AI apps connect, how in the usual ones, and what they may do."""
    apps = Connection.objects.live().of(person(request)).with_reach().newest_first()
    allowed = {scope: SCOPES[scope] for scope in TOOL_SCOPES}
    context = {"address": settings.MCP_URL, "allowed": allowed, "apps": apps}
    return render(request, "accounts/connect_app.html", context)


@login_page
@require_http_methods(["GET", "POST"])
def new_token(request: HttpRequest) -> HttpResponse:
    require_recent_login(request)
    if request.method == "GET" and (secret := secret_to_show(request)):
        context = {"secret": secret, "address": settings.MCP_URL}
        return render(request, "accounts/new_token.html", context)
    user = person(request)
    form = TokenForm(
        request.POST or None,
        user=user,
        asked=TOOL_SCOPES,
        initial=first_choice(user, list(TOOL_SCOPES), None),
    )
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/new_token.html", {"form": form})
    typed = form.cleaned_data
    try:
        _, secret = make_personal_token(
            typed["name"],
            by=user,
            memberships=list(typed["workspaces"]),
            default=typed["default"],
            scopes=typed["scopes"],
            publishing=typed["publishing"],
            expires_at=timezone.now() + timedelta(days=typed["days"]),
        )
    except Conflict as error:
        form.add_error(None, str(error))
        return render(request, "accounts/new_token.html", {"form": form}, status=409)
    return redirect_to_show(secret, request, "account_new_token")


@post_then_redirect("account_connected_apps")
def change_publishing(request: HttpRequest, id: uuid.UUID) -> str:
    connection = own_connection(request, id)
    chosen = request.POST.get("publishing")
    if chosen not in ("", *Connection.Publishing.values):
        raise Invalid(gettext("Choose how it publishes."))
    connections.change_publishing(connection, chosen or None, by=person(request))
    name = connection.client.display_name
    if not chosen:
        return gettext("%(app)s may not publish any more.") % {"app": name}
    told = gettext("%(app)s now has this permission: “%(permission)s”.")
    return told % {"app": name, "permission": Connection.Publishing(chosen).label}


@post_then_redirect("account_connected_apps")
def disconnect(request: HttpRequest, id: uuid.UUID) -> str:
    connection = own_connection(request, id)
    connections.end(connection, because=Ended.REVOKED, by=person(request))
    return gettext("%(app)s is disconnected.") % {"app": connection.client.display_name}


def own_connection(request: HttpRequest, id: uuid.UUID) -> Connection:
    """A live connection of the person. Raises NotFound."""
    return Connection.objects.live().of(person(request)).by_wire_id(str(id))


@post_then_redirect("account_connected_apps")
def disconnect_all(request: HttpRequest) -> str:
    user = person(request)
    connections.end_all(user, because=Ended.REVOKED, by=user)
    return gettext("All apps are disconnected.")
