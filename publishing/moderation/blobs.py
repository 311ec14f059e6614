"""Which pictures and films nobody gets by name: those of what was taken down, unless something live shows them.

Rows (`HiddenBlob`) say where each file should be, in the transaction that decides it. The files follow after its
commit; those of a process that was killed before, by the next sweep. Bakes that share a picture share the encode that
made it, so the bakes to compare with are found by their previews' encodes, not by reading all bakes.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Iterable

from botocore.exceptions import ClientError
from django.core.files.storage import FileSystemStorage
from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts.models import Workspace
from capsules import storage
from capsules.models import HiddenBlob, Preview, Story
from config.celery import wake
from publishing.models import Bake, Premiere, Publication

logger = logging.getLogger(__name__)
TASK = "publishing.tasks.move_hidden_blobs"
AT_ONCE = 1000  # files that the deciding process moves itself
NAMES = 20_000  # of one statement


def follow(publications: Collection[Publication]) -> None:
    """Decides anew what of stories and their editions is hidden, in the transaction that changed their standing."""
    keys = [publication.pk for publication in publications]
    decide(keys)
    # Once more when this is committed: what somebody else committed meanwhile was not seen, nor did they see this.
    transaction.on_commit(lambda: decide(keys), robust=True)


@transaction.atomic(savepoint=False)
def decide(publications: Collection[int]) -> None:
    rows = Publication.objects.filter(pk__in=publications).order_by()
    dark = set(rows.dark().values_list("story", flat=True))
    if not (dark or HiddenBlob.objects.exists()):
        return
    stories = set(rows.values_list("story", flat=True))
    editions = dict(Story.objects.filter(capsule__in=stories).values_list("pk", "capsule"))
    shown = blobs_of({*stories, *editions})
    remember({story: names for story, names in shown.items() if {story, editions.get(story)} & dark})
    ordered = sorted(set().union(*shown.values()))
    for start in range(0, len(ordered), NAMES):
        settle(set(ordered[start : start + NAMES]))


def remember(blobs: dict[uuid.UUID, set[str]]) -> None:
    """Writes a row for every blob that has none yet, by story."""
    known = set(HiddenBlob.objects.filter(story__in=blobs).values_list("story", "name"))
    workspaces = dict(Story.objects.filter(pk__in=blobs).values_list("pk", "workspace"))
    HiddenBlob.objects.bulk_create(
        HiddenBlob(name=name, story_id=story, workspace_id=workspaces[story])
        for story, names in blobs.items()
        for name in names
        if (story, name) not in known
    )


def blobs_of(stories: Collection[uuid.UUID]) -> dict[uuid.UUID, set[str]]:
    """Everything that readers get or got of each of these stories."""
    found: dict[uuid.UUID, set[str]] = {story: set() for story in stories}
    for bake in Bake.objects.filter(story__in=stories).select_related("clip", "hero").iterator():
        found[bake.story_id].update(blob_names(bake))
    return found


def blob_names(bake: Bake) -> list[str]:
    """The blobs of its content, of its clip and of its hero."""
    films = [film.outputs["renditions"] for film in (bake.clip, bake.hero) if film and film.outputs]
    return [*bake.blobs(), *(rendition["name"] for made in films for rendition in made)]


def follow_face(workspace: Workspace) -> None:
    """Decides anew whether the picture of a workspace is hidden."""
    if not workspace.picture:
        return
    if workspace.is_suspended:
        HiddenBlob.objects.get_or_create(name=workspace.picture, workspace=workspace, story=None)
    settle({workspace.picture})


def hold_in_order(rows: QuerySet[HiddenBlob]) -> list[int]:
    """The keys of rows, held in the one order in which everybody takes them: capsules that share pictures are decided
    at the same moment, and two that took them each in its own would wait for one another.
    """
    return list(rows.order_by("name", "pk").select_for_update(of=("self",)).values_list("pk", flat=True))


@transaction.atomic(savepoint=False)
def settle(names: set[str]) -> None:
    """Says of these blobs, as far as there are rows of them, whether they are hidden now."""
    rows = HiddenBlob.objects.filter(name__in=names)
    if not hold_in_order(rows):
        return
    dark = list(rows.filter(of_what_is_dark()).values_list("name", "story"))
    hidden = {name for name, _ in dark} - shown_live({story for _, story in dark if story}, names)
    HiddenBlob.objects.filter(name__in=hidden, is_hidden=False).update(is_hidden=True, is_settled=False)
    others = HiddenBlob.objects.filter(name__in=names - hidden, is_hidden=True)
    others.update(is_hidden=False, is_settled=False)
    transaction.on_commit(move_soon, robust=True)


def of_what_is_dark() -> Q:
    faces = Q(story__isnull=True, workspace__suspended_at__isnull=False, workspace__picture=F("name"))
    return faces | Q(story__in=Publication.objects.dark().values("story"))


def shown_live(stories: Collection[uuid.UUID], names: Collection[str]) -> set[str]:
    """Those of `names`, of dark stories, that readers get by something else."""
    own = Bake.objects.filter(story__in=stories)
    clips, heroes = (own.exclude(**{film: None}).values(film) for film in ("clip", "hero"))
    made_by = Preview.objects.filter(bakes__story__in=stories).values("encodes")
    alike = Bake.objects.filter(Q(preview__encodes__in=made_by) | Q(clip__in=clips) | Q(hero__in=heroes))
    bakes = alike.filter(pk__in=readable_bakes()).distinct().select_related("clip", "hero")
    shown = {name for bake in bakes for name in blob_names(bake)}
    faces = Workspace.objects.filter(picture__in=names, suspended_at__isnull=True)
    return (shown & set(names)) | set(faces.values_list("picture", flat=True))


def readable_bakes() -> QuerySet[Bake]:
    """What readers get: by a link, as an edition, or as pictures in a mail about something live."""
    live = Publication.objects.live()
    editions = Publication.objects.shown_editions_of(live.order_by().values("story"))
    mailed = Premiere.objects.filter(publication__in=live, bake__isnull=False)
    return Bake.objects.filter(
        Q(pk__in=live.order_by().values("live_bake"))
        | Q(pk__in=editions.order_by().values("live_bake"))
        | Q(pk__in=mailed.order_by().values("bake"))
    )


def move_soon() -> None:
    """Moves a few files at once; many, or those of a bucket, by a worker."""
    on_disk = isinstance(storage.blobs(), FileSystemStorage)
    if on_disk and HiddenBlob.objects.misplaced()[AT_ONCE : AT_ONCE + 1].count() == 0:
        move_files()
    else:
        wake(TASK)


def move_files() -> int:
    """Moves every file that is not where it should be; returns how many. Doing it twice changes nothing.

    One that cannot be moved keeps no other where it is.
    """
    moved = 0
    for name in sorted(set(HiddenBlob.objects.misplaced().values_list("name", flat=True))):
        try:
            put_in_place(name)
            moved += 1
        except (OSError, ClientError):
            logger.exception(
                "%s is not where its rows say, and could not be moved; the next sweep tries", name
            )
    # What is not dark any more is forgotten with its last move.
    over = HiddenBlob.objects.filter(is_settled=True, is_hidden=False).exclude(of_what_is_dark())
    with transaction.atomic():
        HiddenBlob.objects.filter(pk__in=hold_in_order(over)).delete()
    return moved


def put_in_place(name: str) -> None:
    """Moves a file to where its rows say; again where they said otherwise while it was on its way: whoever decided that
    may have looked for it too early.

    Only who holds the rows takes one of two copies away, and never the last: of two who move a file of a bucket to and
    fro, each would take away what the other had just brought.
    """
    rows = HiddenBlob.objects.filter(name=name)
    public, hidden = storage.blobs(), storage.hidden()
    is_hidden, was_hidden = rows.filter(is_hidden=True).exists(), None
    while is_hidden != was_hidden:
        source, target = (public, hidden) if is_hidden else (hidden, public)
        storage.bring_file(name, source=source, target=target)
        with transaction.atomic():
            if not hold_in_order(rows):
                return  # another process has moved it, and it is not dark any more
            is_hidden, was_hidden = rows.filter(is_hidden=True).exists(), is_hidden
            if is_hidden == was_hidden:
                if target.exists(name):
                    source.delete(name)
                rows.update(is_settled=True)


@transaction.atomic
def hide_again(names: Iterable[str]) -> None:
    """For blobs that were made anew under names that are hidden, as far as they still should be."""
    made = set(names)
    hold_in_order(HiddenBlob.objects.filter(name__in=made))
    if HiddenBlob.objects.filter(name__in=made, is_hidden=True).update(is_settled=False):
        settle(made)
