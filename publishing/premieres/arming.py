"""When a premiere is scheduled, called off, released or tried again. Each action runs on a locked row."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_noop

from accounts.actors import Actor
from capsules.models import Story
from capsules.telling import tell
from config.celery import wake
from config.errors import Conflict
from config.moments import on_wire
from publishing import history
from publishing.models import Delivery, Outcome, Premiere, Publication, PublicationEvent

State = Premiere.State
SEND_TASK = "publishing.tasks.send_premieres"

NOTHING = gettext_noop("There is no premiere email to cancel.")
BY_STAFF = "Cancelled by staff."
QUIET = gettext_noop("Published quietly (OFF).")
WHITE_LABEL = gettext_noop("A white-label publication sends no premiere email.")
UNPUBLISHED = gettext_noop("The capsule was unpublished.")
TAKEN_DOWN = Premiere.TAKEN_DOWN
TOO_LATE = gettext_noop("It is more than 24 hours late.")
#: Reasons that name nobody, which the log may tell.
KNOWN = (WHITE_LABEL, UNPUBLISHED, TAKEN_DOWN, TOO_LATE)


def arm(publication: Publication, requested: str | None, *, by: Actor | None = None) -> Premiere | None:
    """Schedules the premiere of a publication that is going live, where this publish announces it, and returns it.

    Call it in that transaction, before the publication is marked as published; `requested` None means TEASER.
    """
    if publication.is_published:
        if publication.is_white_label:
            cancel(publication, WHITE_LABEL, forever=True, by=by)
        return None
    quiet = publication.is_white_label or requested == Premiere.Mode.OFF
    mode = requested or Premiere.Mode.TEASER
    if publication.first_published_at is None:
        if quiet:
            return None
        nudge()
        return Premiere.objects.create(publication=publication, mode=mode, due_at=due_time())
    premiere = lock_premiere(publication)
    if premiere is None or not premiere.may_be_armed_again:
        return None
    if quiet:
        premiere.mode = Premiere.Mode.OFF
        premiere.note = WHITE_LABEL if publication.is_white_label else QUIET
        premiere.save(update_fields=["mode", "note"])
        return None
    schedule_again(premiere, mode)
    return premiere


def announces(publication: Publication) -> bool:
    """Whether a publish now sends a premiere, unless it asks for OFF or for white-label."""
    return not publication.is_white_label and may_announce(publication)


def may_announce(publication: Publication) -> bool:
    """Whether a publish under the name of the service could send a premiere now."""
    if publication.is_published:
        return False
    if publication.first_published_at is None:
        return True
    premiere: Premiere | None = getattr(publication, "premiere", None)
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
    wake(SEND_TASK, after=countdown)


def lock_premiere(publication: Publication | int) -> Premiere | None:
    return Premiere.objects.select_for_update().filter(publication=publication).first()


def cancel(
    publication: Publication | int, why: str = UNPUBLISHED, *, forever: bool = False, by: Actor | None = None
) -> None:
    """Calls off what is not sent yet, in the caller's transaction. Messages of a sender stop at its next look.

    `forever`: a later publish does not arm it again.
    """
    premiere = lock_premiere(publication)
    if premiere is not None and premiere.is_open:
        call_off(premiere, why, forever=forever, by=by)


def call_off(premiere: Premiere, why: str, *, forever: bool = False, by: Actor | None = None) -> None:
    """Cancels a locked, open premiere; its deliveries are tidied up by the next sweep."""
    begun = premiere.deliveries.handed_over().exists()
    premiere.state = State.CANCELLED_PARTIAL if begun else State.CANCELLED
    premiere.note = why
    premiere.finished_at = Now()
    if forever:
        premiere.mode = Premiere.Mode.OFF
    premiere.save(update_fields=["state", "note", "finished_at", "mode"])
    tell_premiere(premiere, "cancelled", by=by, reason=why if why in KNOWN else None)


@transaction.atomic
def cancel_forever(story: Story, why: str, *, by: Actor) -> None:
    """Calls off the premiere of a capsule because somebody wants it. Raises Conflict where there is none (left)."""
    premiere = Premiere.objects.select_for_update().filter(publication__story=story).first()
    if premiere is None:
        raise Conflict(gettext(NOTHING))
    if not premiere.is_open:
        raise Conflict(
            gettext("This premiere is already %(state)s.") % {"state": premiere.get_state_display()}
        )
    call_off(premiere, why, forever=True, by=by)
    history.note(story, PublicationEvent.Action.PREMIERE_CANCELLED, by=by)


# --- What the log is told ---------------------------------------------------------------------------------------


def tell_premiere(premiere: Premiere, what: str, *, by: Actor | None = None, **fields: Any) -> None:
    story = Story.objects.select_related("workspace").get(publication=premiere.publication_id)
    tell(story, f"premiere.{what}", by=by, **fields)


def tell_scheduled(premiere: Premiere, *, by: Actor | None = None) -> None:
    """Its publication is saved already, so that its link is told."""
    due = Premiere.objects.values_list("due_at", flat=True).get(pk=premiere.pk)  # by the database's clock
    tell_premiere(premiere, "scheduled", by=by, mode=premiere.mode, dueAt=on_wire(due))


@transaction.atomic(savepoint=False)
def put_on_hold(premieres: QuerySet[Premiere], why: str) -> int:
    """Stops some that are scheduled or being sent; returns how many."""
    held = list(premieres.order_by("pk").select_for_update(of=("self",)).select_related("publication"))
    Premiere.objects.filter(pk__in=[premiere.pk for premiere in held]).update(state=State.HELD, note=why)
    for premiere in held:
        tell_premiere(premiere, "held", reason=why if why in KNOWN else None)
    return len(held)


def stop_for_case(publications: QuerySet[Publication]) -> None:
    """Stops what is being sent of capsules that were taken down. What is only scheduled is held when it is due."""
    put_on_hold(Premiere.objects.sending().filter(publication__in=publications), TAKEN_DOWN)


def go_on_after_cases() -> None:
    """What was held because its capsule was taken down goes on once readers get the capsule, where it stopped."""
    held = Premiere.objects.filter(
        state=State.HELD, note=TAKEN_DOWN, publication__in=Publication.objects.live()
    )
    for pk in list(held.values_list("pk", flat=True)):
        with transaction.atomic():
            premiere = held.select_for_update(of=("self",)).filter(pk=pk).first()
            if premiere is not None:
                premiere.state = State.SENDING if premiere.started_at else State.SCHEDULED
                premiere.note = ""
                premiere.save(update_fields=["state", "note"])
                if premiere.state == State.SCHEDULED:
                    tell_scheduled(premiere)


def hold_all(why: str) -> int:
    """Stops every premiere that is scheduled or being sent until staff release it; returns how many."""
    going = Premiere.objects.filter(state__in=[State.SCHEDULED, State.SENDING])
    return put_on_hold(going, why)


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
def release_premiere(premiere: Premiere) -> None:
    """Sends a held premiere after all. Raises Conflict where it is not held, or not live any more."""
    locked = Premiere.objects.select_for_update().get(pk=premiere.pk)
    if locked.state != State.HELD:
        raise Conflict(gettext("Only a held premiere can be released."))
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
        raise Conflict(gettext("Only a premiere that is being sent or was sent can be sent again."))
    require_live(locked)
    count: int = locked.deliveries.uncertain().give_back()
    if count:
        go_on(locked)
    nudge(delay=0)
    return count


def require_live(premiere: Premiere) -> None:
    if not Publication.objects.live().filter(pk=premiere.publication_id).exists():
        raise Conflict(gettext("The capsule is not published."))
    if premiere.publication.is_white_label:
        raise Conflict(gettext(WHITE_LABEL))
