"""When a premiere is scheduled, called off, released or tried again. Each action runs on a locked row."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from config.celery import app
from config.errors import Conflict
from publishing.models import Delivery, Outcome, Premiere, Publication

State = Premiere.State
SEND_TASK = "publishing.tasks.send_premieres"

QUIET = "Published quietly (OFF)."
WHITE_LABEL = "A white-label publication sends no premiere email."
UNPUBLISHED = "The capsule was unpublished."


def arm(publication: Publication, requested: str | None) -> None:
    """Schedules the premiere of a publication that is going live, where this publish announces it.

    Call it in that transaction, before the publication is marked as published; `requested` None means TEASER.
    """
    if publication.is_published:
        if publication.is_white_label:
            cancel(publication, WHITE_LABEL, forever=True)
        return
    quiet = publication.is_white_label or requested == Premiere.Mode.OFF
    mode = requested or Premiere.Mode.TEASER
    if publication.first_published_at is None:
        if not quiet:
            Premiere.objects.create(publication=publication, mode=mode, due_at=due_time())
            nudge()
        return
    premiere = lock(publication)
    if premiere is None or not premiere.may_be_armed_again:
        return
    if quiet:
        premiere.mode = Premiere.Mode.OFF
        premiere.note = WHITE_LABEL if publication.is_white_label else QUIET
        premiere.save(update_fields=["mode", "note"])
    else:
        schedule_again(premiere, mode)


def announces(publication: Publication) -> bool:
    """Whether a publish now sends a premiere, unless it asks for OFF or for white-label."""
    return not publication.is_white_label and may_announce(publication)


def may_announce(publication: Publication) -> bool:
    """Whether a publish under the name of the service could send a premiere now."""
    if publication.is_published:
        return False
    if publication.first_published_at is None:
        return True
    premiere = Premiere.objects.filter(publication=publication).first()
    return premiere is not None and premiere.may_be_armed_again


def schedule_again(premiere: Premiere, mode: str) -> None:
    premiere.deliveries.all().delete()  # none was handed over
    premiere.mode = mode
    premiere.state, premiere.note = State.SCHEDULED, ""
    premiere.due_at = due_time()
    premiere.armings += 1  # a worker that still holds deliveries of the last round sees that it is over
    premiere.started_at = premiere.enrolled_at = premiere.finished_at = None
    premiere.enrolled_to = 0
    premiere.tally = None
    premiere.save()
    nudge()


def due_time() -> Now:
    return Now() + timedelta(seconds=settings.PREMIERE_DELAY)  # type: ignore[return-value]


def nudge(*, delay: float | None = None) -> None:
    """Wakes a sender when the premiere is due, after commit. A lost message costs one sweep interval, nothing else."""
    countdown = settings.PREMIERE_DELAY if delay is None else delay
    transaction.on_commit(lambda: app.send_task(SEND_TASK, countdown=countdown), robust=True)


def lock(publication: Publication) -> Premiere | None:
    return Premiere.objects.select_for_update().filter(publication=publication).first()


def cancel(publication: Publication, why: str = UNPUBLISHED, *, forever: bool = False) -> None:
    """Calls off what is not sent yet, in the caller's transaction. Messages of a sender stop at its next look.

    `forever`: a later publish does not arm it again.
    """
    premiere = lock(publication)
    if premiere is not None and premiere.is_open:
        call_off(premiere, why, forever=forever)


def call_off(premiere: Premiere, why: str, *, forever: bool = False) -> None:
    """Cancels a locked, open premiere; its deliveries are tidied up by the next sweep."""
    begun = premiere.deliveries.handed_over().exists()
    premiere.state = State.CANCELLED_PARTIAL if begun else State.CANCELLED
    premiere.note = why
    premiere.finished_at = Now()
    if forever:
        premiere.mode = Premiere.Mode.OFF
    premiere.save(update_fields=["state", "note", "finished_at", "mode"])


@transaction.atomic
def withdraw(premiere: Premiere) -> None:
    """Calls off a premiere whose capsule cannot be read at its own link any more."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.is_open:
        call_off(locked, UNPUBLISHED)


@transaction.atomic
def hold(premiere: Premiere, why: str) -> None:
    """Stops a premiere that is being sent until staff release it."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.state == State.SENDING:
        locked.state, locked.note = State.HELD, why
        locked.save(update_fields=["state", "note"])


def hold_all(why: str) -> int:
    """Stops every premiere that is scheduled or being sent until staff release it; returns how many."""
    going = Premiere.objects.filter(state__in=[State.SCHEDULED, State.SENDING])
    return going.update(state=State.HELD, note=why)


@transaction.atomic
def retry_failed(chances: dict[int, Outcome]) -> None:
    """Gives failed deliveries another chance, by key. A premiere that was finished goes on."""
    failed = Delivery.objects.filter(pk__in=chances, state=Delivery.State.FAILED)
    premieres = Premiere.objects.select_for_update().filter(pk__in=failed.values("premiere")).order_by("pk")
    for premiere in premieres:
        go_on(premiere)
    for pk, chance in chances.items():
        failed.filter(pk=pk).record(chance)


def go_on(premiere: Premiere) -> None:
    """Makes a locked premiere one that is being sent again, where it was finished."""
    if premiere.state == State.DONE:
        premiere.state, premiere.finished_at = State.SENDING, None
        premiere.save(update_fields=["state", "finished_at"])


# --- What staff decide -----------------------------------------------------------------------------------------


@transaction.atomic
def cancel_by_staff(premiere: Premiere) -> None:
    """Raises Conflict where there is nothing left to cancel."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if not locked.is_open:
        raise Conflict(f"This premiere is already {locked.get_state_display()}.")
    call_off(locked, "Cancelled by staff.", forever=True)


@transaction.atomic
def release(premiere: Premiere) -> None:
    """Sends a held premiere after all. Raises Conflict where it is not held, or not live any more."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.state != State.HELD:
        raise Conflict("Only a held premiere can be released.")
    require_live(locked)
    locked.state, locked.note = State.SENDING, ""
    locked.started_at = Now()
    locked.save(update_fields=["state", "note", "started_at"])
    nudge(delay=0)


@transaction.atomic
def resend_uncertain(premiere: Premiere) -> int:
    """Tries deliveries again whose answer was lost; some of these addresses may get a second mail. Returns how many.

    Raises Conflict where the premiere was called off or its capsule is not live.
    """
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.state not in (State.SENDING, State.DONE):
        raise Conflict("Only a premiere that is being sent or was sent can be sent again.")
    require_live(locked)
    count: int = locked.deliveries.uncertain().give_back()
    if count:
        go_on(locked)
    nudge(delay=0)
    return count


def require_live(premiere: Premiere) -> None:
    if not Publication.objects.live().filter(pk=premiere.publication_id).exists():
        raise Conflict("The capsule is not published.")
    if premiere.publication.is_white_label:
        raise Conflict(WHITE_LABEL)
