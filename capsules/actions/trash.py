"""The trash: stories out of sight, restorable for TRASH_RETENTION."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actors import Actor
from capsules import signals
from capsules.actions.writing import NO_STORY, check_may_change, check_may_write, lock
from capsules.models import Story
from capsules.telling import tell, with_it
from config.errors import Conflict, Fault, Forbidden, Invalid
from config.ids import row_of


def trash_story(story: Story, *, unpublish: bool = False, by: Actor) -> datetime:
    """Moves a story to the trash, a capsule with its editions; returns when.

    A suspended workspace may take down, too. Raises Forbidden (role), Locked (being published), Conflict (live, and not
    to be unpublished).
    """
    check_may_write(by, story.workspace)
    now = timezone.now()
    with transaction.atomic():
        # The publication goes first: a publish takes its locks in this order, too.
        editions = list(story.editions.present().select_related("workspace"))
        left = [
            signals.answers(signals.story_leaving, story=each, unpublish=unpublish, by=by)
            for each in [story, *editions]
        ]
        lock(story)
        rows = Story.objects.present().filter(pk__in=[story.pk, *story.editions.values_list("pk", flat=True)])
        rows.update(deleted_at=now, deleted_by=by.user, revision=F("revision") + 1)
        gone = with_it([edition.pk for edition in editions])
        tell(story, "story.trashed", by=by, url=None, wasPublished=any(left[0]), **gone)
    return now


def purge_time(deleted_at: datetime) -> datetime:
    return deleted_at + settings.TRASH_RETENTION


@transaction.atomic
def restore_story(story: Story, *, by: Actor) -> Story:
    """Brings a story back, a capsule with the editions that went with it. It is not published.

    Raises NotFound, Forbidden, Locked, Conflict (not in the trash, or an edition whose capsule is).
    """
    found = row_of(Story.objects.select_for_update(no_key=True), story.pk, gettext(NO_STORY))
    check_may_change(by, found.workspace)
    if found.deleted_at is None:
        raise Conflict(gettext("This story is not in the trash."))
    if found.capsule is not None and found.capsule.deleted_at is not None:
        raise Conflict(gettext("The capsule of this edition is in the trash. Restore the capsule first."))
    together = Story.objects.filter(capsule=found.pk, deleted_at=found.deleted_at)
    editions = list(together.order_by("created_at").values_list("pk", flat=True))
    for rows in (together, Story.objects.filter(pk=found.pk)):
        rows.update(deleted_at=None, deleted_by=None, updated_at=timezone.now(), revision=F("revision") + 1)
    found.refresh_from_db()
    tell(found, "story.restored", by=by, url=None, **with_it(editions))
    return found


@transaction.atomic
def purge_story(story: Story, *, title: str, by: Actor) -> None:
    """Deletes a story of the trash forever, a capsule with its editions, before its time. `title` is typed to be sure.

    Raises NotFound, Forbidden (no owner or admin), Conflict (not in the trash), Invalid (title).
    """
    found = row_of(Story.objects.select_for_update(no_key=True), story.pk, gettext(NO_STORY))
    check_may_write(by, found.workspace)
    if not by.may_manage(found.workspace_id):
        raise Forbidden(gettext("Only an owner or an admin can delete a capsule forever."))
    if found.deleted_at is None:
        raise Conflict(gettext("This story is not in the trash."))
    if title.strip() != found.title.strip():
        raise Invalid(
            faults=[Fault("title", gettext("Type the title of the capsule, to be sure that it is this one."))]
        )
    delete_forever(found, by=by)


def delete_forever(story: Story, *, by: Actor | None) -> int:
    """Deletes a locked story, a capsule with its editions, in the caller's transaction; returns how many stories."""
    editions = list(Story.objects.filter(capsule=story.pk).select_related("workspace"))
    gone = with_it([edition.pk for edition in editions])
    tell(story, "story.deleted", by=by, url=None, **gone)
    for each in (*editions, story):
        each.delete()
    return len(editions) + 1
