"""What publishing answers to the apps below it, and what it does when something changes there."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import User, Workspace
from accounts.signals import housekeeping_due, personal_data_wanted, workspace_changed, workspace_erased
from capsules import signals
from capsules.models import Encode, Story
from config.errors import Locked
from publishing import actions, clips, history, restoring, tasks
from publishing.models import Bake, Delivery, Premiere, Publication, Subscriber, SubscriptionRequest
from publishing.pages import changes as page_changes
from publishing.signals import publication_changed
from publishing.subscribers import erasing


@receiver(signals.blobs_in_use)
def blobs_of_bakes(**kwargs: Any) -> set[str]:
    return {name for bake in restoring.kept_bakes().iterator() for name in bake.blobs()}


@receiver(signals.blobs_in_use)
def blobs_of_premieres(**kwargs: Any) -> set[str]:
    """Pictures that mails in inboxes show, for as long as the capsule can be read."""
    mailed = Premiere.objects.filter(bake__isnull=False, publication__published_at__isnull=False)
    return {
        name for premiere in mailed.select_related("bake") if premiere.bake for name in premiere.bake.blobs()
    }


@receiver(signals.encodes_in_use)
def clips_of_bakes(**kwargs: Any) -> set[int]:
    return set(restoring.kept_bakes().exclude(clip=None).values_list("clip", flat=True))


@receiver(signals.previews_in_use)
def previews_of_bakes(**kwargs: Any) -> set[int]:
    return set(Bake.objects.exclude(preview=None).values_list("preview", flat=True))


# --- What authors are told and may do ---------------------------------------------------------------------------


@receiver(signals.publications_of)
def tell_publications(stories: list[Story], **kwargs: Any) -> dict[Any, actions.PublicationState]:
    return actions.states_of(stories)


@receiver(signals.live_stories)
def tell_live_stories(**kwargs: Any) -> QuerySet[Any]:
    return actions.live_story_ids()


@receiver(signals.story_leaving)
def withdraw_before_trash(story: Story, unpublish: bool, by: Actor, **kwargs: Any) -> None:
    actions.leave(story, unpublish=unpublish, by=by)


@receiver(signals.presentation_changed)
def presentation_has_changed(story: Story, **kwargs: Any) -> None:
    for told in (story, *([story.capsule] if story.capsule else [])):
        publication = Publication.objects.filter(story=told).select_related("story__workspace").first()
        if publication is not None:
            publication_changed.send(Publication, publication=publication)


# --- Pages are rendered anew when something that they show has changed ------------------------------------------


@receiver(publication_changed)
def publication_has_changed(publication: Publication, **kwargs: Any) -> None:
    renew_pages(publication.story.workspace)
    if publication.is_published:
        transaction.on_commit(tasks.request_clips.delay, robust=True)


@receiver(workspace_changed)
def workspace_has_changed(workspace: Workspace, **kwargs: Any) -> None:
    renew_pages(workspace)


@receiver([post_save, post_delete], sender=Story)
def story_was_saved(instance: Story, created: bool = False, **kwargs: Any) -> None:
    if not created:
        renew_pages(instance.workspace)


@receiver(signals.encode_done)
def clip_is_ready(encode: Encode, **kwargs: Any) -> None:
    clips.tell_of(encode)


def renew_pages(workspace: Workspace) -> None:
    """A name that nobody has claimed has no pages, or those of somebody else."""
    if Workspace.objects.filter(pk=workspace.pk, name_claimed_at__isnull=False).exists():
        page_changes.renew(workspace.name)


# --- Deleting and keeping ---------------------------------------------------------------------------------------


@receiver(workspace_erased)
def empty_workspace(workspace: Workspace, **kwargs: Any) -> None:
    """Raises Locked while a capsule of it is being published. The long tables go by themselves, not row by row."""
    own = Publication.objects.filter(story__workspace=workspace)
    if own.exclude(pk__in=Publication.objects.lease_free()).exists():
        raise Locked("A capsule of this workspace is being published. Please try again in a minute.")
    Delivery.objects.filter(premiere__publication__in=own).delete()
    SubscriptionRequest.objects.filter(workspace=workspace).delete()
    Subscriber.objects.filter(workspace=workspace).delete()
    renew_pages(workspace)


@receiver(personal_data_wanted)
def subscriptions_of(user: User, **kwargs: Any) -> dict[str, Any]:
    """The subscriptions of the addresses that the person has confirmed."""
    own = EmailAddress.objects.filter(user=user, verified=True).values("email")
    fields = ("workspace__title", "email", "source", "consent", "confirmed_at", "unsubscribed_at")
    return {"subscriptions": list(Subscriber.objects.filter(email__in=own).values(*fields))}


@receiver(housekeeping_due)
def forget_readers(**kwargs: Any) -> dict[str, int]:
    now = timezone.now()
    return {
        "subscribers who left": erasing.forget_those_who_left(now),
        "deliveries": erasing.forget_deliveries(now),
        "events of publications": history.forget_old_events(now),
        "versions": restoring.forget_old_bakes(),
        "changes of pages": page_changes.forget_old_changes(),
    }
