"""Deleting subscribers, so that only a keyed hash stays, and other data about them once it is not needed."""

from __future__ import annotations

import hmac
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from accounts.actions.events import Kind, record
from accounts.actions.workspaces import hold_workspace
from accounts.models import User, Workspace
from config.leases import NO_LEASE
from publishing.models import Delivery, ErasedAddress, Premiere, Subscriber, SubscriptionRequest

BATCH = 500


def digests_of(workspace_id: uuid.UUID, email: str) -> list[str]:
    """The keyed hashes of an address in one workspace: by SECRET_KEY first, then by its predecessors."""
    return [
        hmac.new(secret.encode(), f"erased {workspace_id} {email}".encode(), "sha256").hexdigest()
        for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]


def erased_among(workspace: Workspace, emails: Iterable[str]) -> set[str]:
    """Those of the addresses that were deleted here before."""
    by_digest = {digest: email for email in emails for digest in digests_of(workspace.pk, email)}
    found = ErasedAddress.objects.filter(workspace=workspace, digest__in=by_digest)
    return {by_digest[digest] for digest in found.values_list("digest", flat=True)}


def forget_erasure(workspace: Workspace, email: str) -> None:
    """For somebody who was deleted and has subscribed again."""
    ErasedAddress.objects.filter(workspace=workspace, digest__in=digests_of(workspace.pk, email)).delete()


@transaction.atomic
def erase_subscriber(workspace: Workspace, email: str, *, by: User | None) -> bool:
    """Deletes what a workspace has of an address; False where it has nothing. `by` None: the reader asked for it.

    Nothing more is sent to it, also not by a premiere that is on its way, and no import brings it back. Raises NotFound
    (the workspace was deleted meanwhile).
    """
    hold_workspace(workspace.pk)  # as an import does, which may be about to add the address
    found = Subscriber.objects.filter(workspace=workspace, email=email)
    asked = SubscriptionRequest.objects.filter(workspace=workspace, email=email)
    mails = Delivery.objects.filter(premiere__publication__story__workspace=workspace, email=email)
    if not (found.exists() or asked.exists() or mails.exists()):
        return False
    leave_hash(workspace, [email])
    forget_address(mails)
    asked.delete()
    found.delete()
    record(Kind.SUBSCRIBER_ERASED, by=by, workspaces=[workspace])
    return True


def leave_hash(workspace: Workspace, emails: Iterable[str]) -> None:
    ErasedAddress.objects.bulk_create(
        [ErasedAddress(workspace=workspace, digest=digests_of(workspace.pk, email)[0]) for email in emails],
        ignore_conflicts=True,
    )


def forget_address(deliveries: object) -> None:
    """Calls off deliveries that did not begin, and takes the address out of all; that there was one stays counted."""
    pks = list(deliveries.values_list("pk", flat=True))  # type: ignore[attr-defined]
    rows = Delivery.objects.filter(pk__in=pks)
    waiting = [Delivery.State.PENDING, Delivery.State.CLAIMED]
    rows.filter(state__in=waiting).update(state=Delivery.State.CANCELLED, next_try_at=None, **NO_LEASE)
    name = Concat(Value("erased-"), Cast(F("pk"), CharField()), Value("@erased.invalid"))
    rows.update(email=name, subscriber=None, error="")


# --- What need not be kept -------------------------------------------------------------------------------------


def forget_those_who_left(now: datetime) -> int:
    """Leaves nothing but a hash of readers who left LEFT_SUBSCRIBERS_KEPT days ago; returns how many."""
    oldest = now - timedelta(days=settings.LEFT_SUBSCRIBERS_KEPT)
    left = Subscriber.objects.filter(unsubscribed_at__lt=oldest).select_related("workspace").order_by("pk")
    count = 0
    while forgotten := forget_some(left[:BATCH]):
        count += forgotten
    return count


@transaction.atomic
def forget_some(left: QuerySet[Subscriber]) -> int:
    rows = list(left.select_for_update(of=("self",)))  # who confirms at this moment has not left any more
    for subscriber in rows:
        leave_hash(subscriber.workspace, [subscriber.email])
    Subscriber.objects.filter(pk__in=[subscriber.pk for subscriber in rows]).delete()
    return len(rows)


def forget_deliveries(now: datetime) -> int:
    """Deletes deliveries of premieres that ended DELIVERIES_KEPT days ago, but keeps the numbers; returns how many."""
    oldest = now - timedelta(days=settings.DELIVERIES_KEPT)
    ended = [Premiere.State.DONE, *Premiere.CALLED_OFF]
    count = 0
    for premiere in Premiere.objects.filter(state__in=ended, finished_at__lt=oldest, tally__isnull=True):
        with transaction.atomic():
            locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
            if locked.state not in ended or locked.deliveries.open().exists():
                continue
            locked.tally = locked.counts()
            locked.save(update_fields=["tally"])
            count += locked.deliveries.all().delete()[0]
    return count
