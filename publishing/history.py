"""The history of a publication: every change of what readers see, written in the transaction that makes it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from accounts.actors import Actor
from accounts.events.emitting import who
from capsules.actions import keeping
from capsules.models import Revision, Story
from publishing.models import Bake, PublicationEvent


def note(story: Story, action: str, *, by: Actor | None, bake: Bake | None = None, **detail: object) -> None:
    """One more line. `by` None: the service itself, or a command in its shell."""
    if by is not None and by.tool:
        detail["tool"] = by.tool
    PublicationEvent.objects.create(
        story=story,
        action=action,
        by=by.user if by else None,
        **who(by),
        bake=bake,
        detail=detail,
    )


def forget_old_events(now: datetime) -> int:
    """Deletes those older than PUBLICATION_EVENTS_KEPT days; returns how many."""
    oldest = now - timedelta(days=settings.PUBLICATION_EVENTS_KEPT)
    return PublicationEvent.objects.filter(at__lt=oldest).delete()[0]


def keep_draft(bake: Bake, *, by: Actor | None) -> None:
    """Keeps the draft that was published among its revisions, where it has not changed since its preview."""
    story = Story.objects.select_for_update(no_key=True).get(pk=bake.story_id)
    if bake.preview is not None and bake.preview.revision == story.revision:
        label = f"Version {bake.number}"
        known = story.revisions.filter(kind=Revision.Kind.PUBLISHED, label=label)
        if not known.exists():
            keeping.keep_revision(story, Revision.Kind.PUBLISHED, label=label, by=by)
