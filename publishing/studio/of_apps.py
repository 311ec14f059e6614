"""What a person answers in the studio to what their apps made public, and to what an app asks them to publish."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts.pages.base import person
from config.errors import CapsulesError, Invalid
from publishing.by_apps import asks, notices
from publishing.models import PublishAsk, PublishNotice
from publishing.studio.base import show_refusal, studio_page


@studio_page
@require_POST
def answer_notice(request: HttpRequest, notice: uuid.UUID) -> HttpResponse:
    """The buttons of a notice: what the links of its email do, and that it was read."""
    found = get_object_or_404(PublishNotice.objects.unseen(person(request)).with_publication(), pk=notice)
    do = request.POST.get("do", "")
    try:
        if do == "seen":
            notices.see(found)
        elif do in notices.STOPS:
            messages.success(request, notices.follow_link(notices.StopLink(found, do)))
        else:
            raise Invalid(gettext("Choose what to do."))
    except CapsulesError as error:
        show_refusal(request, error)
    return redirect("studio_capsules", workspace=found.story.workspace_id)


@studio_page
@require_POST
def decline_ask(request: HttpRequest, ask: uuid.UUID) -> HttpResponse:
    waiting = PublishAsk.objects.waiting().filter(user=person(request)).select_related("story")
    found = get_object_or_404(waiting, pk=ask)
    asks.decline(found)
    messages.success(
        request, gettext("%(app)s is told that you do not publish this now.") % {"app": found.app}
    )
    return redirect("studio_capsules", workspace=found.story.workspace_id)
