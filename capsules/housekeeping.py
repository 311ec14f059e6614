"""What is forgotten with time: old revisions, the trash, deleted scenes, previews nobody needs, editors that closed."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Window
from django.db.models.functions import RowNumber, TruncDate
from django.utils import timezone

from capsules import signals
from capsules.actions.trash import delete_forever
from capsules.models import EditingSession, Preview, Revision, Scene, Story

SESSION_KEPT = timedelta(seconds=60)  # after its last sign of life


def forget_what_is_old() -> dict[str, int]:
    """Removes all of it; returns how many of each kind. A second run finds nothing to do."""
    now = timezone.now()
    return {
        "stories": purge_trash(now),
        "scenes": purge_scenes(now),
        "revisions": thin_revisions(now),
        "previews": forget_previews(now),
        "editing sessions": EditingSession.objects.filter(seen_at__lt=now - SESSION_KEPT).delete()[0],
    }


def purge_trash(now: datetime) -> int:
    """Capsules with their editions, then other editions, one at a time, because each has many rows."""
    old = Story.objects.filter(deleted_at__lt=now - settings.TRASH_RETENTION)
    count = 0
    for pk in list(old.order_by(F("capsule").asc(nulls_first=True)).values_list("pk", flat=True)):
        with transaction.atomic():
            # Asked again with the row: somebody may have restored it meanwhile.
            story = old.select_for_update(no_key=True).filter(pk=pk).first()
            count += delete_forever(story, by=None) if story else 0
    return count


def purge_scenes(now: datetime) -> int:
    old = Scene.every.filter(deleted_at__lt=now - settings.TRASH_RETENTION).order_by()
    count = 0
    for story in list(old.values_list("story", flat=True).distinct()):
        with transaction.atomic():
            # The story first, as whoever brings a scene back does; then nobody does it while it is deleted.
            Story.objects.select_for_update(no_key=True).filter(pk=story).first()
            count += old.filter(story=story).delete()[0]
    return count


def thin_revisions(now: datetime) -> int:
    """Of automatic revisions older than REVISION_RETENTION, the last one of each day stays."""
    newest_first = Window(
        RowNumber(), partition_by=[F("story"), TruncDate("updated_at")], order_by=F("number").desc()
    )
    old = Revision.objects.filter(
        kind=Revision.Kind.AUTO, updated_at__lt=now - settings.REVISION_RETENTION
    ).annotate(rank=newest_first)
    surplus = list(old.filter(rank__gt=1).order_by().values_list("pk", flat=True))
    conflicts = Revision.objects.filter(
        kind__in=[Revision.Kind.CONFLICT, Revision.Kind.RESTORED],
        updated_at__lt=now - settings.REVISION_RETENTION,
    )
    # Of both the kind is asked again: somebody may have named one meanwhile, and keeps it by that.
    thinned = Revision.objects.filter(pk__in=surplus, kind=Revision.Kind.AUTO)
    return thinned.delete()[0] + conflicts.delete()[0]


def forget_previews(now: datetime) -> int:
    """Previews that are neither the latest of their story nor in use elsewhere."""
    in_use = signals.keys_in_use(signals.previews_in_use)
    newer = Preview.objects.filter(story=OuterRef("story"), number__gt=OuterRef("number"))
    old = Preview.objects.filter(Exists(newer), created_at__lt=now - settings.PREVIEW_RETENTION)
    surplus = set(old.values_list("pk", flat=True)) - in_use
    return Preview.objects.filter(pk__in=surplus).delete()[1].get("capsules.Preview", 0)
