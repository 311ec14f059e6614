"""A premiere as authors see it: its state, its numbers, its letter, and cancelling it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from accounts.models import User, Workspace
from capsules.models import Preview, Story
from config.errors import Conflict
from publishing import actions, baking, slugs
from publishing.mail.letters import Rendered
from publishing.models import Premiere, Publication, PublicationEvent, Subscriber, Suppression
from publishing.premieres import arming
from publishing.premieres.preview import to_nobody

NONE = "none"
CANCELLED_BY_NOBODY = gettext_noop("Cancelled by somebody whose account was deleted.")
NO_PREVIEW = gettext_noop("Build a preview first: the letter shows what it has.")


@dataclass(frozen=True)
class Outlook:
    """A premiere as authors see it; `state` "none" where no publish has announced the capsule."""

    state: str
    mode: str | None
    due_at: datetime | None
    recipients: int
    counts: dict[str, int]
    note: str


def outlook(story: Story) -> Outlook:
    target = actions.publication_target(story)
    return outlook_of(Premiere.objects.filter(publication__story=target).first(), story)


def outlook_of(premiere: Premiere | None, story: Story) -> Outlook:
    """The same where the premiere of its capsule has been read."""
    reachable = Subscriber.objects.filter(workspace=story.workspace_id).reachable().count()
    if premiere is None:
        return Outlook(NONE, None, None, reachable, {}, "")
    counts = premiere.counts()
    recipients = sum(counts.values()) if premiere.enrolled_at else reachable
    note = premiere.note and gettext(premiere.note)
    return Outlook(premiere.state, premiere.mode, premiere.due_at, recipients, counts, note)


def cancel_premiere(story: Story, *, by: Actor) -> Outlook:
    """Calls a premiere off forever. Raises Forbidden (role), Conflict (nothing left to cancel)."""
    actions.check_role(by, story)
    target = actions.publication_target(story)
    name = by.user.name  # never an address
    why = gettext("Cancelled by %(person)s.") % {"person": name} if name else gettext("Cancelled.")
    arming.cancel_forever(target, why, by=by)
    return outlook(story)


def forget_who_cancelled(user: User) -> None:
    """Takes the name of a person whose account is deleted out of what is said of premieres."""
    cancelled = PublicationEvent.objects.filter(by=user, action=PublicationEvent.Action.PREMIERE_CANCELLED)
    called_off = Premiere.objects.filter(state__in=Premiere.CALLED_OFF).exclude(note=arming.BY_STAFF)
    called_off.filter(publication__story__in=cancelled.values("story")).update(note=CANCELLED_BY_NOBODY)


def preview_letter(story: Story, mode: str) -> Rendered:
    """The email as it would be sent now: of a live capsule from what readers get, else from its latest preview.

    Raises Conflict where no finished preview shows the draft as it is.
    """
    target = actions.publication_target(story)
    live = Publication.objects.live().with_bake().filter(story=target).first()
    return to_nobody(live or imagined(current_preview(target)), mode)


def letter_of(preview: Preview, mode: str) -> Rendered:
    """The email that a publish of this finished preview would send."""
    return to_nobody(imagined(preview), mode)


def current_preview(story: Story) -> Preview:
    preview = story.latest_preview
    if preview is None or preview.revision != story.revision or preview.state != "ready":
        raise Conflict(gettext(NO_PREVIEW))
    return preview


def imagined(preview: Preview) -> Publication:
    """The unsaved publication that a publish of a finished preview would make."""
    story = preview.story
    known = Publication.objects.filter(story=story).first() or Publication(story=story)
    publication = Publication(story=story, slug=slugs.suggested_slug(known))
    publication.published_at = timezone.now()
    publication.live_bake = baking.bake(preview)
    return publication


def audience(workspace: Workspace) -> dict[str, int]:
    """Subscribers in numbers: those who get mails, those whose address is closed, those who left."""
    subscribers = Subscriber.objects.filter(workspace=workspace)
    is_active = Q(unsubscribed_at__isnull=True)
    counts = subscribers.aggregate(active=Count("pk", filter=is_active), left=Count("pk", filter=~is_active))
    # A query of its own: as a filter of a count it would be looked up row by row once the list outgrows work_mem.
    closed = subscribers.filter(is_active, email__in=Suppression.objects.values("email")).count()
    return {"active": counts["active"], "closed": closed, "left": counts["left"]}
