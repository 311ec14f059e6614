"""How readers see a workspace: its picture, a few words, its links."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.actions import workspaces
from accounts.models import Workspace
from capsules.actions import faces
from capsules.actions.writing import check_not_suspended
from config.errors import Invalid, NotFound
from config.forms import takes_files
from publishing.studio.base import (
    actor_in,
    keep_typed,
    may_send_here,
    refused_here,
    shell,
    studio_page,
    typed_in,
    workspace_for,
)

FORM = "face"


@takes_files(may_send_here)
@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def face(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """For owners and admins. Raises NotFound for everybody else, as the settings do."""
    found = workspace_for(request, workspace)
    if not actor_in(request).may_manage(found.pk):
        raise NotFound(gettext("There is no such workspace among those you manage."))
    if request.method == "POST":
        messages.success(request, change_face(request, found))
        return redirect(request.path)
    typed = typed_in(request, FORM) or {
        "about": found.about,
        "links": "\n".join(found.links),
        "fediverse": found.fediverse,
    }
    context = {**shell(request, found, "settings"), "typed": typed}
    return render(request, "studio/face.html", context)


def change_face(request: HttpRequest, workspace: Workspace) -> str:
    check_not_suspended(workspace)
    by = actor_in(request).user
    do = request.POST.get("do")
    if do == "remove":
        workspaces.change_picture(workspace, "", by=by)
        return gettext("The picture is removed.")
    if do == "picture":
        file = request.FILES.get("picture")
        if file is None:
            raise Invalid(gettext("Choose a picture first."))
        with tempfile.NamedTemporaryFile(prefix="capsules-face-") as kept:
            for chunk in file.chunks():
                kept.write(chunk)
            kept.flush()
            faces.set_picture(workspace, Path(kept.name), by=by)
        return gettext("The picture is saved. Public pages show it at once.")
    if do != "words":
        raise Invalid(gettext("This form is not known."))
    typed = {name: request.POST.get(name, "") for name in ("about", "links", "fediverse")}
    links = [line.strip() for line in typed["links"].splitlines() if line.strip()]
    try:
        workspaces.change_words(
            workspace, about=typed["about"], links=links, fediverse=typed["fediverse"], by=by
        )
    except Invalid as error:
        keep_typed(request, FORM, typed, error)
        raise
    return gettext("Saved. Public pages show it at once.")
