"""What publishing answers to the apps below it, and what it does when something changes there."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save, pre_delete
from django.dispatch import receiver
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import User, Workspace
from accounts.signals import (
    housekeeping_due,
    personal_data_wanted,
    workspace_changed,
    workspace_erased,
    workspace_resumed,
    workspace_suspended,
)
from accounts.statements import Statement
from capsules import signals
from capsules.models import Encode, Story
from config.celery import wake
from config.database import only
from config.errors import Locked
from publishing import actions, clips, history, restoring, states
from publishing.by_apps import notices, studio_notices
from publishing.models import (
    Bake,
    Case,
    Delivery,
    Premiere,
    Publication,
    PublishAsk,
    PublishNotice,
    Subscriber,
    SubscriptionRequest,
)
from publishing.moderation import actions as moderation
from publishing.moderation import blobs, keeping, standing
from publishing.pages import changes as page_changes
from publishing.premieres import outlook
from publishing.signals import publication_changed
from publishing.statistics import keeping as keeping_reads
from publishing.subscribers import erasing
from publishing.subscribers.addresses import normalised


@receiver(signals.blobs_in_use)
def blobs_of_bakes(**kwargs: object) -> set[str]:
    return {name for bake in restoring.kept_bakes().iterator() for name in bake.blobs()}


@receiver(signals.blobs_in_use)
def blobs_of_premieres(**kwargs: object) -> set[str]:
    """Pictures that mails in inboxes show, for as long as the capsule can be read."""
    mailed = Premiere.objects.filter(publication__published_at__isnull=False).values("bake")
    return {name for bake in Bake.objects.filter(pk__in=mailed).iterator() for name in bake.blobs()}


@receiver(signals.encodes_in_use)
def films_of_bakes(**kwargs: object) -> set[int]:
    return {
        key for pair in restoring.kept_bakes().values_list("clip", "hero") for key in pair if key is not None
    }


@receiver(signals.previews_in_use)
def previews_of_bakes(**kwargs: object) -> set[int]:
    return set(Bake.objects.exclude(preview=None).values_list("preview", flat=True))


# --- What authors are told and may do ---------------------------------------------------------------------------


@receiver(signals.publications_of)
def tell_publications(stories: list[Story], **kwargs: object) -> dict[uuid.UUID, states.PublicationState]:
    return states.states_of(stories)


@receiver(signals.live_stories)
def tell_live_stories(**kwargs: object) -> QuerySet[Any]:
    return states.live_story_ids()


@receiver(signals.story_leaving)
def withdraw_before_trash(story: Story, unpublish: bool, by: Actor, **kwargs: object) -> bool:
    return actions.leave_public(story, unpublish=unpublish, by=by)


@receiver(signals.story_links)
def tell_link(story: Story, **kwargs: object) -> str | None:
    return states.public_link(story)


@receiver(signals.presentation_changing)
def lock_publications(story: Story, **kwargs: object) -> None:
    rows = Publication.objects.filter(story__in=[story.pk, story.capsule_id]).capsules_first()
    list(rows.select_for_update(of=("self",)).values_list("pk"))


@receiver(signals.presentation_changed)
def presentation_has_changed(story: Story, before: Story, by: Actor | None, **kwargs: object) -> None:
    if (story.shown, story.edition_name) != (before.shown, before.edition_name):
        went_live = states.tell_presented(story, before, by=by)
        if went_live and by is not None and by.via == "app":  # its person was promised to be told
            live = Publication.objects.select_related("story__workspace")
            notices.notifying(by)(live.get(story=states.publication_target(story)), story)
    for told in (story, *([story.capsule] if story.capsule else [])):
        publication = only(Publication.objects.filter(story=told).select_related("story__workspace"))
        if publication is not None:
            publication_changed.send(Publication, publication=publication)


# --- Pages are rendered anew when something that they show has changed ------------------------------------------


@receiver(publication_changed)
def publication_has_changed(publication: Publication, follows_blobs: bool = True, **kwargs: object) -> None:
    renew_pages(publication.story.workspace)
    if follows_blobs:
        blobs.follow([publication])
    if publication.is_published:
        wake("publishing.tasks.request_clips")


@receiver(workspace_suspended)
def suspension_has_begun(workspace: Workspace, by: User, statement: Statement, **kwargs: object) -> None:
    moderation.begin_suspension(workspace, statement, by=by)


@receiver(workspace_resumed)
def suspension_has_ended(workspace: Workspace, by: User, words: str, **kwargs: object) -> None:
    moderation.end_suspension(workspace, words=words, by=by)


@receiver([workspace_suspended, workspace_resumed])
def standing_has_changed(workspace: Workspace, **kwargs: object) -> None:
    renew_pages(workspace)
    blobs.follow_face(workspace)
    standing.carry_out(Publication.objects.filter(story__workspace=workspace))


@receiver(workspace_changed)
def workspace_has_changed(workspace: Workspace, **kwargs: object) -> None:
    renew_pages(workspace)


@receiver([post_save, post_delete], sender=Story)
def story_was_saved(instance: Story, created: bool = False, **kwargs: object) -> None:
    if not created:
        renew_pages(instance.workspace)


@receiver(signals.encode_done)
def film_of_a_bake_is_ready(encode: Encode, **kwargs: object) -> None:
    clips.tell_of(encode)


@receiver(signals.encode_done)
def blobs_were_made(encode: Encode, **kwargs: object) -> None:
    blobs.hide_again(rendition["name"] for rendition in (encode.outputs or {}).get("renditions", []))


def renew_pages(workspace: Workspace) -> None:
    """A name that nobody has claimed has no pages, or those of somebody else."""
    if Workspace.objects.filter(pk=workspace.pk, name_claimed_at__isnull=False).exists():
        page_changes.renew(workspace.name)


# --- Deleting and keeping ---------------------------------------------------------------------------------------


@receiver(pre_delete, sender=Publication)
def publication_is_deleted(instance: Publication, **kwargs: object) -> None:
    keeping_reads.forget_reads_of(instance)


@receiver(pre_delete, sender=User)
def person_is_deleted(instance: User, **kwargs: object) -> None:
    outlook.forget_who_cancelled(instance)


@receiver(workspace_erased)
def empty_workspace(workspace: Workspace, **kwargs: object) -> None:
    """Raises Locked while a capsule of it is being published. The long tables go by themselves, not row by row."""
    own = Publication.objects.filter(story__workspace=workspace)
    if own.exclude(pk__in=Publication.objects.lease_free()).exists():
        raise Locked("A capsule of this workspace is being published. Please try again in a minute.")
    # Held as whoever unpublishes a capsule or sends its premiere holds them, and before the deliveries.
    for rows in (own.capsules_first(), Premiere.objects.filter(publication__in=own).order_by("pk")):
        list(rows.select_for_update(of=("self",), no_key=True).values_list("pk"))
    keeping.forget_words(Case.objects.filter(workspace=workspace))
    Delivery.objects.filter(premiere__publication__in=own).delete()
    keeping_reads.forget_reads_in(workspace)
    SubscriptionRequest.objects.filter(workspace=workspace).delete()
    Subscriber.objects.filter(workspace=workspace).delete()
    renew_pages(workspace)


@receiver(personal_data_wanted)
def subscriptions_of(user: User, **kwargs: object) -> dict[str, object]:
    """The subscriptions of the addresses that the person has confirmed."""
    own = set()
    for email in EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True):
        with suppress(ValueError):  # no subscriber has such an address
            own.add(normalised(email))
    fields = ("workspace__title", "email", "source", "consent", "confirmed_at", "unsubscribed_at")
    return {"subscriptions": list(Subscriber.objects.filter(email__in=own).values(*fields))}


@receiver(personal_data_wanted)
def what_apps_did_for(user: User, **kwargs: object) -> dict[str, object]:
    told = PublishNotice.objects.filter(user=user)
    asked = PublishAsk.objects.filter(user=user)
    return {
        "published_by_apps": list(told.values("app", "story__title", "published_at", "seen_at")),
        "asked_by_apps": list(asked.values("app", "story__title", "asked_at", "state", "answered_at")),
    }


@receiver(housekeeping_due)
def forget_readers(**kwargs: object) -> dict[str, int]:
    now = timezone.now()
    return {
        "subscribers who left": erasing.forget_those_who_left(now),
        "deliveries": erasing.forget_deliveries(now),
        "events of publications": history.forget_old_events(now),
        "versions": restoring.forget_old_bakes(),
        "what apps published and asked": studio_notices.forget_old(now),
        "words of cases": keeping.forget_old_cases(now),
        "changes of pages": page_changes.forget_old_changes(),
        "small sources": keeping_reads.forget_small_sources(now),
        "batches of reads": keeping_reads.forget_old_batches(now),
    }
