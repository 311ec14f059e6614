"""The trash: stories out of sight, restorable for TRASH_RETENTION."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.actors import Actor
from capsules import signals
from capsules.actions.writing import NO_STORY, check_may_change, lock
from capsules.models import Story
from config.errors import Conflict, Fault, Forbidden, Invalid, NotFound


def trash_story(story: Story, *, unpublish: bool = False, by: Actor) -> datetime:
    """Moves a story to the trash, a capsule with its editions; returns when.

    Raises Forbidden (role), Locked (suspended, being published), Conflict (live, and not to be unpublished).
    """
    check_may_change(by, story.workspace)
    now = timezone.now()
    with transaction.atomic():
        # The publication goes first: a publish takes its locks in this order, too.
        for each in [story, *story.editions.present()]:
            signals.story_leaving.send(sender=Story, story=each, unpublish=unpublish, by=by)
        lock(story)
        rows = Story.objects.present().filter(pk__in=[story.pk, *story.editions.values_list("pk", flat=True)])
        rows.update(deleted_at=now, deleted_by=by.user, revision=F("revision") + 1)
    return now


def purge_time(deleted_at: datetime) -> datetime:
    return deleted_at + settings.TRASH_RETENTION


@transaction.atomic
def restore_story(story: Story, *, by: Actor) -> Story:
    """Brings a story back, a capsule with the editions that went with it. It is not published.

    Raises NotFound, Forbidden, Locked, Conflict (not in the trash, or an edition whose capsule is).
    """
    found = Story.objects.select_for_update(no_key=True).filter(pk=story.pk).first()
    if found is None:
        raise NotFound(NO_STORY)
    check_may_change(by, found.workspace)
    if found.deleted_at is None:
        raise Conflict("This story is not in the trash.")
    if found.capsule is not None and found.capsule.deleted_at is not None:
        raise Conflict("The capsule of this edition is in the trash. Restore the capsule first.")
    together = Story.objects.filter(capsule=found.pk, deleted_at=found.deleted_at)
    for rows in (together, Story.objects.filter(pk=found.pk)):
        rows.update(deleted_at=None, deleted_by=None, updated_at=timezone.now(), revision=F("revision") + 1)
    found.refresh_from_db()
    return found


@transaction.atomic
def purge_story(story: Story, *, title: str, by: Actor) -> None:
    """Deletes a story of the trash forever, a capsule with its editions, before its time. `title` is typed to be sure.

    Raises NotFound, Forbidden (no owner or admin), Locked (suspended), Conflict (not in the trash), Invalid (title).
    """
    found = Story.objects.select_for_update(no_key=True).filter(pk=story.pk).first()
    if found is None:
        raise NotFound(NO_STORY)
    check_may_change(by, found.workspace)
    if not by.may_manage(found.workspace_id):
        raise Forbidden("Only an owner or an admin can delete a capsule forever.")
    if found.deleted_at is None:
        raise Conflict("This story is not in the trash.")
    if title.strip() != found.title.strip():
        raise Invalid(
            faults=[Fault("title", "Type the title of the capsule, to be sure that it is this one.")]
        )
    Story.objects.filter(capsule=found.pk).delete()
    found.delete()
