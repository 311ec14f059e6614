"""What its people read of a capsule, or a workspace, that was taken down: why, and how an owner appeals."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.models import Membership, Workspace
from accounts.pages.base import actor_in
from capsules.models import Story
from config.errors import CapsulesError, NotFound
from config.texts import unix_breaks
from publishing import dark
from publishing.dark import TakenDown
from publishing.models import Case
from publishing.moderation import actions
from publishing.studio.base import shell, story_for, studio_page, workspace_for


@studio_page
@require_http_methods(["GET", "POST"])
def story(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    found = story_for(request, story)
    why = dark.of_story(found)
    if why is None:
        about = Q(about__in=[key for key in (found.pk, found.capsule_id) if key], kind=Case.Kind.CAPSULE)
        return not_any_more(request, found.workspace, about, gettext("This capsule is not taken down."))
    return render_taken_down(request, found.workspace, why, found)


@studio_page
@require_http_methods(["GET", "POST"])
def workspace(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_for(request, workspace)
    why = dark.of_workspace(found)
    if why is None:
        about = Q(workspace=found, kind=Case.Kind.WORKSPACE)
        return not_any_more(request, found, about, gettext("This workspace is not suspended."))
    return render_taken_down(request, found, why)


def not_any_more(request: HttpRequest, workspace: Workspace, about: Q, words: str) -> HttpResponse:
    """On to the capsules, for mails lead here also after the case. Raises NotFound where there was none."""
    if not Case.objects.filter(about, state=Case.State.LIFTED).exists():
        raise NotFound(words)
    messages.info(request, words)
    return redirect("studio_capsules", workspace=workspace.pk)


def render_taken_down(
    request: HttpRequest, workspace: Workspace, why: TakenDown, story: Story | None = None
) -> HttpResponse:
    typed, faults = request.POST.get("appeal", ""), []
    if request.method == "POST" and why.case is not None:
        try:
            actions.appeal(why.case, unix_breaks(typed), by=actor_in(request).user)
        except CapsulesError as error:
            faults = [error.in_words()]
        else:
            messages.success(request, gettext("Your appeal was sent. You get a mail with the answer."))
            return redirect(request.path)
    context: dict[str, object] = {
        **shell(request, workspace, "capsules"),
        "story": None if why.is_workspace else story,
        "why": why,
        "case": why.case,
        "is_owner": actor_in(request)
        .user.memberships.filter(workspace=workspace, role=Membership.Role.OWNER)
        .exists(),
        "operator": settings.DEFAULT_FROM_EMAIL,
        "longest": Case._meta.get_field("appeal").max_length,
        "typed": typed,
        "faults": faults,
    }
    return render(request, "studio/taken_down.html", context, status=400 if faults else 200)
