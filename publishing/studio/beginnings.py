"""A capsule as a copy and from a folder, and the ways to take one away: export, trash."""

from __future__ import annotations

import struct
import tempfile
import uuid
import zipfile
import zlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from slugify import slugify

from capsules import folder
from capsules.actions import drafts, trash
from capsules.actions.writing import check_may_change
from capsules.models import Story
from capsules.uploads.creating import check_room
from config.errors import Conflict, Forbidden, Invalid, Locked
from config.forms import takes_files
from publishing.studio.base import (
    actor_in,
    may_send_here,
    refusals_lead_to,
    shell,
    story_for,
    studio_page,
    workspace_for,
)
from publishing.studio.cards import cards

NOT_READABLE = gettext_noop("This is not a .zip file that can be read.")
#: Those that every system writes. Others unpack a few bytes into as much memory as they like.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
#: What `zipfile` raises of an archive that was cut off or changed on its way.
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    OverflowError,
    ValueError,
    NotImplementedError,
)


def list_of_capsules(request: HttpRequest, *, workspace: uuid.UUID | None = None, **kwargs: object) -> str:
    """The list of a workspace, or of all."""
    return reverse("studio_capsules", kwargs={"workspace": workspace}) if workspace else reverse("studio")


refused_at_the_list = refusals_lead_to(list_of_capsules, with_paths=True)


@studio_page
@require_POST
@refused_at_the_list
def duplicate(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    copy = drafts.duplicate_story(story_for(request, story), by=actor_in(request))
    return redirect("studio_editor", story=copy.pk)


# --- Folders ---------------------------------------------------------------------------------------------------


@takes_files(may_send_here)
@studio_page
@require_POST
@refused_at_the_list
def from_folder(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    """A capsule from an uploaded .zip with a capsule.toml and its media."""
    found = workspace_for(request, workspace)
    check_may_change(actor_in(request), found)
    upload = request.FILES.get("folder")
    if upload is None:
        raise Invalid(gettext("Choose a .zip file first."))
    with tempfile.TemporaryDirectory(prefix="capsules-folder-") as place:
        check_room(found, unpack(upload, Path(place)))
        made = folder.import_story(Path(place), found, by=actor_in(request).user)
    return redirect("studio_editor", story=made.pk)


def unpack(upload: Any, place: Path) -> int:
    """Writes the files of an archive flat into a folder; returns their bytes. Raises Invalid for a file that is
    not such an archive, or too large.

    Names in the archive are never paths: only the last part counts, so nothing can be written elsewhere.
    """
    try:
        archive = zipfile.ZipFile(upload)
        entries = [entry for entry in archive.infolist() if is_ours(entry)]
        if len(entries) > settings.FOLDER_FILES:
            raise Invalid(gettext("A folder has at most %(most)s files.") % {"most": settings.FOLDER_FILES})
        size = 0
        for entry in entries:
            size += write_entry(archive, entry, place, settings.FOLDER_BYTES - size)
    except DAMAGED as error:
        raise Invalid(gettext(NOT_READABLE)) from error
    return size


def write_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: Path, room: int) -> int:
    """Writes one file of an archive into a folder; returns its bytes. Raises Invalid where it has more than `room`."""
    name, size = Path(entry.filename).name, 0
    if entry.flag_bits & ENCRYPTED or entry.compress_type not in METHODS:
        raise Invalid(
            gettext("This .zip has a password or an unsupported compression. Make it again without them.")
        )
    if not name or len(name.encode(errors="replace")) > folder.NAME_LIMIT:
        raise Invalid(gettext("This .zip has a file whose name is too long, or that has none."))
    if (place / name).exists():
        raise Invalid(
            gettext(
                "This .zip has two files named %(name)s. Put all files into one folder and pack it again."
            )
            % {"name": name}
        )
    with archive.open(entry) as source, (place / name).open("wb") as target:
        # Counted as it comes: what the archive says of sizes may be wrong.
        while chunk := source.read(1 << 20):
            size += len(chunk)
            if size > room:
                most = settings.FOLDER_BYTES >> 20
                raise Invalid(
                    gettext("A folder has at most %(most)s MB when it is unpacked.") % {"most": most}
                )
            target.write(chunk)
    return size


def is_ours(entry: zipfile.ZipInfo) -> bool:
    """Neither a directory nor what macOS and Windows add to every archive."""
    name = Path(entry.filename).name
    return not (entry.is_dir() or "__MACOSX" in entry.filename or name.startswith(".") or name == "Thumbs.db")


@studio_page
@require_safe
def export(request: HttpRequest, story: uuid.UUID) -> FileResponse:
    """The capsule as a .zip of the folder that `from_folder` and import_capsule read."""
    found = story_for(request, story)
    name = slugify(found.title, max_length=80, word_boundary=True) or "capsule"
    packed = tempfile.TemporaryFile(prefix="capsules-export-")  # noqa: SIM115 - the answer closes it
    with tempfile.TemporaryDirectory(prefix="capsules-export-") as place:
        target = Path(place) / name
        folder.export_story(found, target)
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:  # media is compressed already
            for path in sorted(target.iterdir()):
                archive.write(path, f"{name}/{path.name}")
    packed.seek(0)
    return FileResponse(packed, as_attachment=True, filename=f"{name}.zip")


# --- Trash -----------------------------------------------------------------------------------------------------


@studio_page
@require_safe
def trash_list(request: HttpRequest, workspace: uuid.UUID) -> HttpResponse:
    found = workspace_for(request, workspace)
    rows = Story.objects.trashed(actor_in(request)).filter(workspace=found).deleted_by_themselves()
    shown = [
        (card, trash.purge_time(card.story.deleted_at))
        for card in cards(rows.select_related("capsule").order_by("-deleted_at")[:100])
        if card.story.deleted_at
    ]
    return render(request, "studio/trash.html", {**shell(request, found, "capsules"), "cards": shown})


@studio_page
@require_http_methods(["GET", "POST"])
@refused_at_the_list
def trash_one(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """Asks, and then moves a capsule to the trash; a live one is unpublished."""
    found = story_for(request, story)
    if request.method == "POST":
        trash.trash_story(found, unpublish=True, by=actor_in(request))
        messages.success(
            request,
            gettext("“%(title)s” is in the trash. You can restore it for 30 days.") % {"title": found.title},
        )
        return redirect("studio_capsules", workspace=found.workspace_id)
    (card,) = cards(Story.objects.filter(pk=found.pk))
    return render(
        request, "studio/trash_one.html", {**shell(request, found.workspace, "capsules"), "card": card}
    )


@studio_page
@require_POST
@refused_at_the_list
def restore(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    found = Story.objects.trashed(actor_in(request)).filter(pk=story).first()
    if found is None:  # it is back already, and may be published by now
        return redirect("studio_editor", story=story_for(request, story).pk)
    back = trash.restore_story(found, by=actor_in(request))
    messages.success(request, gettext("“%(title)s” is back. It is not published.") % {"title": back.title})
    return redirect("studio_editor", story=back.pk)


@studio_page
@require_POST
def purge(request: HttpRequest, story: uuid.UUID) -> HttpResponse:
    """Deletes a capsule of the trash forever, where the form has its title."""
    found = get_object_or_404(Story.objects.trashed(actor_in(request)), pk=story)
    title, workspace = found.title, found.workspace_id
    try:
        trash.purge_story(found, title=request.POST.get("title", ""), by=actor_in(request))
    except (Forbidden, Locked, Conflict, Invalid) as error:
        messages.error(request, error.in_words())
    else:
        messages.success(request, gettext("“%(title)s” is deleted forever.") % {"title": title})
    return redirect("studio_trash", workspace=workspace)
