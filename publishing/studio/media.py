"""The media library of a workspace: looking at it, searching it, deleting from it, and links for a phone."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from accounts.models import Workspace
from accounts.pages.base import actor_in, redirect_to_show, secret_to_show
from capsules.actions import media as files
from capsules.actions.writing import check_may_change
from capsules.content import Rendition
from capsules.models import Asset, Encode, Scene
from capsules.uploads import links
from config.ids import row_of
from config.texts import LONGEST_SEARCH, contains
from publishing.studio.base import refused_here, shell, studio_page, workspace_for
from publishing.studio.capsules import known_or_first

PAGE = 48
DONE = Encode.State.DONE
KINDS = {"all": _("All"), "picture": _("Pictures"), "film": _("Films")}


@studio_page
@refused_here
@require_http_methods(["GET", "POST"])
def media(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_for(request, workspace)
    if request.method == "POST":
        if request.POST.get("do") == "link":
            return redirect_to_show(new_link(request, found), request, "studio_media", workspace=found.pk)
        delete_chosen(request, found)
        return redirect(request.get_full_path())
    kind = known_or_first(request.GET.get("kind"), KINDS)
    text = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    own = Asset.objects.visible_to(actor_in(request)).filter(workspace=found)
    rows = own.select_related("still_encode").with_poster().newest_first()
    if kind != "all":
        rows = rows.filter(kind=kind)
    if text:
        rows = rows.filter(contains("filename", text))
    pages = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        **shell(request, found, "media"),
        "pages": pages,
        "items": with_thumbnails(list(pages.object_list)),
        "kind": kind,
        "kinds": KINDS,
        "text": text,
        "is_empty": not (pages.object_list or kind != "all" or text),
        "link": secret_to_show(request),
    }
    return render(request, "studio/media.html", context)


def with_thumbnails(assets: list[Asset]) -> list[tuple[Asset, Rendition | None]]:
    """Each file with the smallest rendition of it, or of a film's first still; None where there is none.

    Files that came with a folder have no thumbnail of their own: any scene that shows them has been rendered.
    """
    stills = [picture for asset in assets for picture in [asset, *asset.posters.all()]]
    rendered = {picture.pk: picture.still_encode for picture in stills if picture.still_encode}
    shown = Scene.every.filter(
        still__in=[p for p in stills if p.pk not in rendered], still_encode__state=DONE
    )
    for scene in shown.select_related("still_encode"):
        if scene.still_id and scene.still_encode:
            rendered[scene.still_id] = scene.still_encode
    found = []
    for asset in assets:
        encodes = [rendered.get(picture.pk) for picture in [asset, *asset.posters.all()]]
        done = next((encode for encode in encodes if encode and encode.state == DONE), None)
        found.append((asset, next(iter(done.jpegs("landscape")), None) if done else None))
    return found


def new_link(request: HttpRequest, workspace: Workspace) -> str:
    by = actor_in(request)
    check_may_change(by, workspace)
    return links.make_link(workspace, by=by, lifetime=timedelta(seconds=links.LIFETIME))[1]


def delete_chosen(request: HttpRequest, workspace: Workspace) -> None:
    """Raises NotFound, Forbidden, Locked, and Conflict with every scene that uses the file."""
    check_may_change(actor_in(request), workspace)
    assets = Asset.objects.visible_to(actor_in(request)).filter(workspace=workspace)
    asset = row_of(assets, request.POST.get("media", ""), gettext("There is no such file."))
    files.delete_asset(asset)
    messages.success(
        request,
        gettext("“%(filename)s” is deleted. Earlier drafts that show it keep it.")
        % {"filename": asset.filename},
    )
