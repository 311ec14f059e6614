"""What owners see of their audience: subscribers in numbers and as CSV, and how each premiere goes."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.actions.events import Kind, record
from accounts.actors import Actor
from accounts.models import Workspace
from accounts.pages.base import login_page, person
from accounts.people.staff import may_work
from config.errors import Invalid
from config.forms import takes_files
from config.links import absolute
from publishing.mail import pauses
from publishing.models import Delivery, Premiere, Subscriber
from publishing.models.premieres import counts_of, errors_of
from publishing.premieres import outlook
from publishing.premieres.preview import preview_response
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import csv_files as subscriber_lists
from publishing.subscribers import erasing
from publishing.subscribers.addresses import normalised

SHOWN = 50  # premieres on the page
#: In the session, from a refused form to the page that it leads back to: what was typed, by field.
TYPED = "typed into a form about subscribers"
State = Delivery.State
DELIVERIES = {
    State.PENDING: ngettext_lazy("%(number)d pending", "%(number)d pending", "number"),
    State.CLAIMED: ngettext_lazy("%(number)d claimed", "%(number)d claimed", "number"),
    State.SUBMITTING: ngettext_lazy("%(number)d submitting", "%(number)d submitting", "number"),
    State.SENT: ngettext_lazy("%(number)d sent", "%(number)d sent", "number"),
    State.FAILED: ngettext_lazy("%(number)d failed", "%(number)d failed", "number"),
    State.UNCERTAIN: ngettext_lazy("%(number)d uncertain", "%(number)d uncertain", "number"),
    State.CANCELLED: ngettext_lazy("%(number)d cancelled", "%(number)d cancelled", "number"),
}


def workspace_of(request: HttpRequest, id: uuid.UUID, *, to: str = "view") -> Workspace:
    """The workspace, for those who own or administer it, and staff who may `to` subscribers ("view", "add", "delete").

    Raises Http404 for everybody else.
    """
    user = person(request)
    as_staff = may_work(user) and user.has_perm(f"publishing.{to}_subscriber")
    actor = Actor.by_staff(user) if as_staff else Actor.by_token(user)
    workspace = actor.workspaces().filter(pk=id).first()
    if workspace is None or not actor.may_manage(id):
        raise Http404
    return workspace


@login_page
@require_safe
def overview(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_of(request, workspace)
    own = Premiere.objects.filter(publication__story__workspace=found)
    premieres = list(own.select_related("publication__story")[:SHOWN])
    context = {
        "workspace": found,
        **outlook.audience(found),
        "premieres": progress_of(premieres),
        "pause": pauses.pause(),
        "is_sending": any(premiere.state == Premiere.State.SENDING for premiere in premieres),
        "form_address": absolute(reverse("subscribe", args=[found.name])),
        "typed": request.session.pop(TYPED, {}),
    }
    return render(request, "subscriptions/audience.html", context)


class Progress(NamedTuple):
    """A premiere in numbers."""

    premiere: Premiere
    counts: list[str]  # deliveries by state, in words
    total: int
    share: int  # percent that needs no more work
    errors: list[tuple[str, int]]


def progress_of(premieres: list[Premiere]) -> list[Progress]:
    counts, errors = counts_of(premieres), errors_of(premieres)
    return [progress(each, counts[each.pk], errors.get(each.pk, [])) for each in premieres]


def progress(premiere: Premiere, counts: dict[str, int], errors: list[tuple[str, int]]) -> Progress:
    total = sum(counts.values())
    waiting = sum(counts.get(state, 0) for state in Delivery.OPEN)
    share = (total - waiting) * 100 // total if total else 0
    words = [DELIVERIES[State(state)] % {"number": number} for state, number in counts.items()]
    return Progress(premiere, words, total, share, errors)


def may_import(request: HttpRequest, workspace: uuid.UUID) -> bool:
    """Asked before a list is read."""
    try:
        return bool(workspace_of(request, workspace, to="add"))
    except Http404:
        return False


@takes_files(may_import)
@login_required
@require_POST
def import_csv(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_of(request, workspace, to="add")
    upload, consent = request.FILES.get("file"), request.POST.get("consent", "")
    try:
        if upload is None:
            raise Invalid(gettext("Please choose a CSV file."))
        people = subscriber_lists.read_rows(upload.read(subscriber_lists.LARGEST + 1), consent=consent)
    except Invalid as error:
        request.session[TYPED] = {"consent": consent}
        messages.error(request, str(error))
        return redirect("audience", workspace)
    result = subscriptions.import_confirmed(found, people)
    record(Kind.SUBSCRIBERS_IMPORTED, by=person(request), subject=f"{result.added} added", workspaces=[found])
    messages.success(
        request,
        gettext(
            "%(added)s added, %(known)s were subscribed already, %(left)s stay away: they left, or their "
            "address takes no mail."
        )
        % {"added": result.added, "known": result.known, "left": result.left},
    )
    for refusal in result.refused[:20]:
        messages.warning(request, refusal)
    if len(result.refused) > 20:
        more = len(result.refused) - 20
        told = ngettext("And %(number)d more were refused.", "And %(number)d more were refused.", more)
        messages.warning(request, told % {"number": more})
    return redirect("audience", workspace)


@login_required
@require_POST
def erase(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """Deletes one address, as a reader asked for."""
    found = workspace_of(request, workspace, to="delete")
    typed = request.POST.get("email", "")
    try:
        email = normalised(typed)
    except ValueError as error:
        request.session[TYPED] = {"erase": typed}
        messages.error(request, str(error))
        return redirect("audience", workspace)
    if erasing.erase_subscriber(found, email, by=person(request)):
        messages.success(request, gettext("The address was deleted. No import brings it back."))
    else:
        messages.info(request, gettext("Nothing is kept about %(email)s here.") % {"email": email})
    return redirect("audience", workspace)


@login_page
@require_safe
def export_csv(request: HttpRequest, workspace: uuid.UUID) -> StreamingHttpResponse:
    found = workspace_of(request, workspace)
    count = Subscriber.objects.filter(workspace=found).count()
    told = f"{count} address" if count == 1 else f"{count} addresses"
    record(Kind.SUBSCRIBERS_EXPORTED, by=person(request), subject=told, workspaces=[found])
    response = StreamingHttpResponse(subscriber_lists.lines(found), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="subscribers-{found.name}.csv"'
    return response


@login_page
@require_safe
def preview(request: HttpRequest, workspace: uuid.UUID, premiere: int, mode: str) -> HttpResponse:
    found = workspace_of(request, workspace)
    own = Premiere.objects.filter(publication__story__workspace=found)
    return preview_response(get_object_or_404(own, pk=premiere), mode)
