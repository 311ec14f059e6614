"""Taking files in, drawing stills from films, and deleting what no scene uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.workspaces import hold_workspace
from accounts.models import User, Workspace
from capsules import media, storage
from capsules.actions.encodes import request, wake_workers
from capsules.media import Facts
from capsules.models import Asset, Encode, Scene
from config.database import release_connection
from config.errors import Conflict, Fault, Invalid, TooLarge
from config.outage import busy
from config.scratch import scratch
from config.slots import Slots

MIDDLE = (0.5, 0.5)
NAMED = 5  # scenes named to somebody who wants to delete what they use
drawing = Slots(2, 8, 5.0)  # films that a web process draws frames of at once: each takes seconds of a core


def upload(
    workspace: Workspace, source: Path, *, kind: str, filename: str = "", propose: bool = True
) -> Asset:
    """Takes a file in after checking it: `kind` "picture" or "film", which brings a still. For content that goes
    into a story at once: the thumbnails of its pictures come from there, by `lend_thumbnails`. Without `propose`
    nobody looks for a focus, because somebody knows it.

    Raises Invalid in words for the author.
    """
    check_bytes(kind, source.stat().st_size)
    facts = media.inspect(source, kind)
    asset = store_asset(workspace, source, facts, filename=filename or source.name, propose=propose)
    if kind == Asset.Kind.FILM:
        bring_still(asset, source, facts, by=None)
    return asset


def lend_thumbnails(workspace: Workspace) -> int:
    """Gives pictures that have no thumbnail the renditions that a scene has of them, so that none is rendered twice;
    returns how many.
    """
    shown = Scene.objects.filter(still=OuterRef("pk"), still_encode__isnull=False).order_by("pk")
    bare = Asset.objects.filter(workspace=workspace, kind=Asset.Kind.PICTURE, still_encode=None)
    lent = bare.filter(Exists(shown)).update(still_encode=Subquery(shown.values("still_encode")[:1]))
    return int(lent)


def take_in(
    workspace: Workspace, source: Path, *, kind: str, filename: str = "", by: User | None = None
) -> tuple[Asset, Facts]:
    """The asset of a file that somebody uploaded, with its thumbnail, and what the file is; a film brings a still.

    Raises Invalid and TooLarge.
    """
    check_bytes(kind, source.stat().st_size)
    facts = media.inspect(source, kind)
    filename = filename or source.name
    asset = store_asset(workspace, source, facts, filename=filename, by=by)
    if kind == Asset.Kind.PICTURE:
        ask_for_thumbnail(asset)
    else:
        bring_still(asset, source, facts, by=by)
    return asset, facts


def bring_still(film: Asset, source: Path, facts: Facts, *, by: User | None) -> None:
    """The still of a film that has none yet: where it begins, so that nothing jumps when it does."""
    if not film.posters.present().exists():
        draw_still(film, source, at=None, by=by, begins=True, facts=facts)


def store_asset(
    workspace: Workspace,
    source: Path,
    facts: Facts,
    *,
    filename: str,
    by: User | None = None,
    poster_of: Asset | None = None,
    propose: bool = True,
) -> Asset:
    """The asset of a checked file; the existing one where the workspace has the same file already."""
    subject = media.find_subject(source, facts) if propose else media.Subject()
    name = storage.put(storage.originals(), source, facts.extension)
    with transaction.atomic():
        asset, created = Asset.objects.get_or_create(
            workspace=workspace,
            kind=facts.kind,
            name=name,
            defaults={
                "filename": filename[:200],
                "media_type": facts.media_type,
                "width": facts.width,
                "height": facts.height,
                "duration": facts.duration,
                "bytes": source.stat().st_size,
                "created_by": by,
                "poster_of": poster_of,
                "focus": subject.focus,
                "faces": subject.faces,
            },
        )
        if not created and asset.deleted_at:
            asset.deleted_at = None
            asset.save(update_fields=["deleted_at"])
    return asset


@transaction.atomic  # until the picture refers to it, the encode is held: else the collection may delete it
def ask_for_thumbnail(picture: Asset) -> None:
    """Renditions of a picture around its proposed focus: its thumbnail, and already those of an untouched scene."""
    if picture.still_encode_id is None:
        sources = [["default", picture.name]]
        picture.still_encode = request(Encode.Kind.STILL, sources, focus=focus_of(picture), priority=-1)
        picture.save(update_fields=["still_encode"])
        wake_workers()


def focus_of(picture: Asset) -> media.Focus:
    """Its proposed focus, else its middle."""
    x, y = picture.focus or MIDDLE
    return x, y


@contextmanager
def turn() -> Iterator[None]:
    """A turn to draw frames, which takes seconds and more where the film comes from a bucket: without a database
    connection. Not for use in a transaction. Raises Busy.
    """
    release_connection()
    with drawing.slot(busy()):
        yield


def take_still(film: Asset, *, at: float, by: User | None) -> Asset:
    """The frame of a film at `at` seconds, as a picture. Raises Conflict for a picture, Invalid for a time outside, and
    Busy where too many are drawn.
    """
    if film.kind != Asset.Kind.FILM:
        raise Conflict(gettext("Only a film has stills to take."))
    length = film.duration or 0
    if at > length:
        raise Invalid(
            faults=[
                Fault(
                    "at",
                    gettext("Must be a time within the film, from 0 to %(length)s seconds.")
                    % {"length": format(length, "g")},
                )
            ]
        )
    with turn(), storage.local_file(storage.originals(), film.name) as source:
        return draw_still(film, source, at=at, by=by)


def frames_of(film: Asset) -> bytes:
    """A JPEG with frames of the whole film, side by side. Raises MediaRefused, Busy."""
    source_file = storage.local_file(storage.originals(), film.name)
    with turn(), scratch("frames") as folder, source_file as source:
        media.draw_strip(source, folder / "frames.jpg")
        return (folder / "frames.jpg").read_bytes()


def draw_still(
    film: Asset,
    source: Path,
    *,
    at: float | None,
    by: User | None,
    begins: bool = False,
    facts: Facts | None = None,
) -> Asset:
    """The frame at `at`, else where the film begins, as a picture; `begins`: nobody chose it, the part that is shown
    begins there. `facts`: of the film, where they are known.
    """
    with scratch("still") as folder:
        picture = folder / "still.png"
        taken_at, taken = media.take_still(source, picture, at=at, seen=facts.film if facts else None)
        media.name_film(picture, film.name)
        filename = f"{Path(film.filename).stem or 'film'}, still.png"
        still = store_asset(film.workspace, picture, taken, filename=filename, by=by, poster_of=film)
    # Held: parts that begin with one frame share their still, and each notes its start.
    with transaction.atomic():
        still = Asset.objects.select_for_update(no_key=True).get(pk=still.pk)
        if begins and at not in still.begins_at:
            still.begins = [*still.begins_at, at]
        if still.taken_at is None and still.poster_of_id == film.pk:
            still.taken_at = taken_at
        still.save(update_fields=["begins", "taken_at"])
    ask_for_thumbnail(still)
    return still


def check_bytes(kind: str, size: int) -> None:
    """Raises TooLarge for a file that is larger than its kind may be."""
    limit = settings.MAX_BYTES[kind]
    if size > limit:
        advice = "Export it smaller" if kind == "picture" else "Cut it to the twelve seconds that are shown"
        raise TooLarge(
            gettext(
                "This %(kind)s has %(size)s MB, and the most we take is %(limit)s MB. %(advice)s and try "
                "again."
            )
            % {"kind": kind, "size": f"{-(-size // 10**6):,}", "limit": limit // 10**6, "advice": advice}
        )


@transaction.atomic
def delete_asset(asset: Asset) -> datetime:
    """Takes a file out of the library; returns when. Raises Conflict, naming where it is used.

    Revisions that show it keep it.
    """
    hold_workspace(asset.workspace_id)
    used = Scene.objects.showing(asset).filter(story__deleted_at__isnull=True)
    scenes = list(used.select_related("story").order_by("story__title", "position")[: NAMED + 1])
    if scenes:
        faults = [Fault(f"stories.{s.story_id}.scenes.{s.key}", used_in(s)) for s in scenes[:NAMED]]
        more = [Fault("", gettext("Others use it too."))] if len(scenes) > NAMED else []
        raise Conflict(gettext("This file is still used."), faults=[*faults, *more])
    now = timezone.now()
    Asset.objects.filter(pk=asset.pk).update(deleted_at=now)
    return now


def used_in(scene: Scene) -> str:
    said = {
        "number": scene.position + 1,
        "title": scene.story.title,
        "edition": scene.story.edition_name,
    }
    if scene.story.edition_name:
        return gettext("Scene %(number)s of “%(title)s” (edition %(edition)s) uses it.") % said
    return gettext("Scene %(number)s of “%(title)s” uses it.") % said
