"""Subscribing to a workspace's premieres and leaving again. Nobody is subscribed without having agreed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from accounts.actions.workspaces import hold_workspace
from accounts.models import Workspace
from config.celery import wake
from config.errors import NotFound
from config.words.languages import page_in
from publishing.models import Subscriber, SubscriptionRequest, Suppression
from publishing.subscribers.addresses import lacks_consent, normalised
from publishing.subscribers.erasing import erased_among, forget_erasure

CONFIRM_WITHIN = timedelta(days=7)
REPEAT_AFTER = timedelta(minutes=10)  # four times as long after each further mail
CONFIRM_TASK = "publishing.tasks.send_confirmations"
UNKNOWN_LINK = "This link is not valid any more."
IMPORT_CHUNK = 500


@transaction.atomic
def request_subscription(workspace: Workspace, email: str, *, language: str = "") -> None:
    """Takes note that somebody typed this (normalised) address: it will get a mail that asks to confirm, in the
    language of the page where that was.

    Whoever calls learns nothing: subscribed, unknown and closed addresses are all the same to them.
    """
    if Suppression.objects.filter(email=email).exists():
        return
    request, is_new = SubscriptionRequest.objects.get_or_create(
        workspace=workspace, email=email, defaults={"next_try_at": timezone.now(), "language": language}
    )
    if not is_new:
        rest = REPEAT_AFTER * 4 ** (max(request.mails, 1) - 1)
        was_sent = Q(sent_at__lt=Now() - rest)
        went_wrong = Q(sent_at=None, next_try_at=None, asked_at__lt=Now() - rest)
        rested = SubscriptionRequest.objects.filter(was_sent | went_wrong, pk=request.pk)
        rested.update(asked_at=Now(), next_try_at=Now(), attempts=0, language=language)
    wake(CONFIRM_TASK)


def request_by(token: str, *, lock: bool = False) -> SubscriptionRequest:
    """Raises NotFound for an unknown or old link."""
    fresh = SubscriptionRequest.objects.filter(asked_at__gt=Now() - CONFIRM_WITHIN)
    if lock:
        fresh = fresh.select_for_update(of=("self",))
    request = fresh.select_related("workspace").filter(token=token).first()
    if request is None:
        raise NotFound(UNKNOWN_LINK)
    return request


def is_subscribed(request: SubscriptionRequest) -> bool:
    return Subscriber.objects.active().filter(workspace=request.workspace, email=request.email).exists()


@transaction.atomic
def confirm(token: str) -> Subscriber:
    """Subscribes the address that the link was sent to. Doing it twice changes nothing. Raises NotFound."""
    request = request_by(token, lock=True)  # who leaves meanwhile has left
    proof = {
        "source": Subscriber.Source.FORM,
        "consent": proof_of(request),
        "confirmed_at": timezone.now(),
        "language": request.language,
    }
    subscriber, is_new = Subscriber.objects.select_for_update().get_or_create(
        workspace=request.workspace, email=request.email, defaults=proof
    )
    if not is_new and not subscriber.is_active:
        for name, value in {**proof, "unsubscribed_at": None}.items():
            setattr(subscriber, name, value)
        subscriber.save()
    forget_erasure(request.workspace, request.email)
    return subscriber


def words_of_form(workspace: Workspace, language: str = "") -> str:
    """What somebody agrees to who sends the form."""
    with page_in(language):
        return gettext("New capsules from %(workspace)s by email") % {"workspace": workspace.title}


def proof_of(request: SubscriptionRequest) -> str:
    """When somebody agreed, by which form, to which words: what a subscriber's export has to show."""
    form = reverse("subscribe", args=[request.workspace.name])
    words = words_of_form(request.workspace, request.language)
    return (
        f"Asked at {request.asked_at:%Y-%m-%d %H:%M} UTC by the form {form} (“{words}”), "
        f"confirmed by the link in the mail at {timezone.now():%Y-%m-%d %H:%M} UTC."
    )


def subscriber_by(token: str) -> Subscriber:
    """Raises NotFound."""
    subscriber = Subscriber.objects.select_related("workspace").filter(token=token).first()
    if subscriber is None:
        raise NotFound(UNKNOWN_LINK)
    return subscriber


@transaction.atomic
def end_subscription(token: str) -> Subscriber:
    """Ends a subscription; mails whose sending has not begun are not sent. Idempotent. Raises NotFound.

    The link that once confirmed it works no more, so that nothing but asking again brings the reader back.
    """
    subscriber = subscriber_by(token)
    SubscriptionRequest.objects.filter(workspace=subscriber.workspace, email=subscriber.email).delete()
    Subscriber.objects.filter(pk=subscriber.pk).active().update(unsubscribed_at=Now())
    return subscriber


def forget_old_requests() -> int:
    """Deletes what nobody confirmed in time; returns how many."""
    deleted, _ = SubscriptionRequest.objects.filter(asked_at__lt=Now() - CONFIRM_WITHIN).delete()
    return deleted


# --- Bringing subscribers along --------------------------------------------------------------------------------


@dataclass
class ImportResult:
    """What an import did: how many were added, how many were subscribed already, how many stay away because they left
    or their address is closed; and what was wrong, one sentence for each refused entry.
    """

    added: int = 0
    known: int = 0
    left: int = 0
    refused: list[str] = field(default_factory=list)


def import_confirmed(workspace: Workspace, people: Iterable[tuple[str, str]]) -> ImportResult:
    """Adds people who agreed elsewhere: (address, proof of consent) each.

    Those who left, and closed addresses, are not brought back. Without a proof nobody is added. An address counts
    once, however often it is in the list.
    """
    result = ImportResult()
    entries = accepted(people, result)
    while chunk := dict(islice(entries, IMPORT_CHUNK)):
        add_chunk(workspace, chunk, result)
    return result


def accepted(people: Iterable[tuple[str, str]], result: ImportResult) -> Iterator[tuple[str, str]]:
    seen = set()
    for text, consent in people:
        try:
            email = normalised(text)
        except ValueError as error:
            result.refused.append(str(error))
            continue
        if consent.strip():
            if email not in seen:
                seen.add(email)
                yield email, consent.strip()
        else:
            result.refused.append(lacks_consent(email))


@transaction.atomic
def add_chunk(workspace: Workspace, chunk: dict[str, str], result: ImportResult) -> None:
    hold_workspace(workspace.pk)  # nobody is erased between the look and the rows
    present = dict(
        Subscriber.objects.filter(workspace=workspace, email__in=chunk).values_list(
            "email", "unsubscribed_at"
        )
    )
    closed = set(Suppression.objects.filter(email__in=chunk).values_list("email", flat=True))
    closed |= erased_among(workspace, chunk)
    now = timezone.now()
    fresh = [
        Subscriber(
            workspace=workspace,
            email=email,
            source=Subscriber.Source.IMPORT,
            consent=f"Imported {now:%Y-%m-%d}: {consent}",
            confirmed_at=now,
        )
        for email, consent in chunk.items()
        if email not in present and email not in closed
    ]
    Subscriber.objects.bulk_create(fresh, ignore_conflicts=True)
    result.added += len(fresh)
    result.known += sum(left_at is None for left_at in present.values())
    result.left += sum(left_at is not None for left_at in present.values()) + len(closed - present.keys())
