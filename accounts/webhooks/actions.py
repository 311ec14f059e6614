"""Making, changing, testing and replaying webhooks."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext, gettext_lazy

from accounts.actions.events import Kind, record
from accounts.actors import Actor
from accounts.events import numbering
from accounts.events.emitting import SEND_TASK, who
from accounts.events.reading import wire_event
from accounts.events.types import DELIVERED, TEST, TYPES, sample
from accounts.models import Webhook, WebhookDelivery, Workspace, WorkspaceEvent
from accounts.webhooks import sending, signing
from accounts.webhooks.calling import check_url
from accounts.webhooks.dispatching import dispatch, look_at
from accounts.webhooks.mail import host_of
from config.celery import wake
from config.errors import Conflict, Fault, Forbidden, Invalid
from config.ids import row_of
from config.json_types import JsonObject

MOST = 10  # webhooks of a workspace
MOST_REPLAYED = 10_000
MOST_WAITING = 10_000  # deliveries of a webhook, until which more are asked for by hand
IS_OFF = gettext_lazy("This webhook is off. Turn it on first.")


def check_may(by: Actor, workspace: Workspace) -> None:
    """Raises Forbidden: what is sent where is for owners and admins, to read as well."""
    if not by.may_manage(workspace.pk):
        raise Forbidden(gettext("Only an owner or an admin may do this."))


def checked_types(types: Collection[str] | None) -> list[str] | None:
    """Each once. Raises Invalid."""
    if types is not None and not types:
        raise Invalid(faults=[Fault("types", gettext("Name at least one type, or null for all."))])
    unknown = [place for place, type in enumerate(types or ()) if type not in TYPES]
    if unknown:
        raise Invalid(
            faults=[Fault(f"types.{place}", gettext("There is no such type.")) for place in unknown]
        )
    return None if types is None else list(dict.fromkeys(types))


def make_webhook(
    workspace: Workspace, *, url: str, types: list[str] | None = None, description: str = "", by: Actor
) -> tuple[Webhook, str]:
    """A webhook that is told of what happens from now on, and its secret, which is never shown again.

    Raises Forbidden, Invalid (an address that is never called, types), Conflict (too many).
    """
    check_may(by, workspace)
    types = checked_types(types)
    check_url(url)
    hook = Webhook(workspace=workspace, url=url, types=types, description=description, created_by=by.user)
    secret = signing.give_keys(hook)
    with transaction.atomic():
        dispatch(workspace.pk)  # what happened before is not for it
        numbering.lock_log(workspace.pk)
        if Webhook.objects.filter(workspace=workspace).count() >= MOST:
            raise Conflict(gettext("A workspace has at most %(number)d webhooks.") % {"number": MOST})
        hook.save(force_insert=True)
        record(Kind.WEBHOOK_CHANGED, by=by.user, subject=f"made: {host_of(url)}", workspaces=[workspace])
    return hook, secret


def change_webhook(hook: Webhook, changes: JsonObject, *, by: Actor) -> Webhook:
    """`changes`: url, types, description, state (on or off). Raises Forbidden, Invalid, NotFound (it was
    deleted meanwhile).
    """
    check_may(by, hook.workspace)
    if "types" in changes:
        changes["types"] = checked_types(changes["types"])
    if "url" in changes:
        check_url(changes["url"])
    state = changes.pop("state", None)
    with transaction.atomic():
        if state == "on":
            dispatch(hook.workspace_id)  # what happened while it was off is for a replay
        locked = lock_webhook(hook)
        if changes.get("url", locked.url) != locked.url:
            # What the old address did says nothing of the new one, and nothing waits for its hour.
            changes["failing_since"] = changes["last_failure_at"] = None
            sending.make_due(locked)
            send_soon(locked)
        for name, value in changes.items():
            setattr(locked, name, value)
        locked.save(update_fields=[*changes])
        if state == "off" and locked.is_on:
            sending.turn_off(locked)
        elif state == "on" and not locked.is_on:
            locked.is_on, locked.off_because, locked.failing_since = True, "", None
            locked.save(update_fields=["is_on", "off_because", "failing_since"])
        subject = f"changed: {host_of(locked.url)}"
        record(Kind.WEBHOOK_CHANGED, by=by.user, subject=subject, workspaces=[hook.workspace])
    return locked


def lock_webhook(hook: Webhook) -> Webhook:
    """Its row, in the caller's transaction. Raises NotFound where somebody deleted it meanwhile."""
    return row_of(Webhook.objects.select_for_update(), hook.pk, gettext("There is no such webhook."))


@transaction.atomic
def delete_webhook(hook: Webhook, *, by: Actor) -> None:
    """With its deliveries. Raises Forbidden, NotFound (somebody else was first)."""
    check_may(by, hook.workspace)
    lock_webhook(hook)
    subject = f"deleted: {host_of(hook.url)}"
    record(Kind.WEBHOOK_CHANGED, by=by.user, subject=subject, workspaces=[hook.workspace])
    hook.delete()


@transaction.atomic
def replace_secret(hook: Webhook, *, by: Actor) -> tuple[str, datetime]:
    """Another secret, and until when the old one signs, too. Raises Forbidden, NotFound (it was
    deleted meanwhile), Conflict (too many in a day).
    """
    check_may(by, hook.workspace)
    locked = lock_webhook(hook)
    secret, until = signing.replace_secret(locked)
    locked.save(update_fields=["secret", "old_secrets"])
    subject = f"new secret: {host_of(locked.url)}"
    record(Kind.WEBHOOK_CHANGED, by=by.user, subject=subject, workspaces=[hook.workspace])
    return secret, until


@transaction.atomic
def send_test(hook: Webhook, type: str = TEST, *, by: Actor) -> WebhookDelivery:
    """Sends a made-up event of this type, once. Raises Forbidden, Invalid, NotFound (it was deleted meanwhile),
    Conflict (off, too many wait).
    """
    check_may(by, hook.workspace)
    if type not in DELIVERED:
        raise Invalid(faults=[Fault("type", gettext("There is no such type."))])
    check_takes_more(lock_webhook(hook))
    made_up = wire_event(WorkspaceEvent(type=type, data={**sample(type), **who(by)}))
    delivery = WebhookDelivery.objects.create(webhook=hook, type=type, sample=made_up)
    send_soon(hook)
    return delivery


def replay(
    hook: Webhook,
    *,
    after: int | None = None,
    until: int | None = None,
    failed_since: datetime | None = None,
    deliveries: Collection[int] | None = None,
    by: Actor,
) -> int:
    """Delivers events again, by their place in the log, those that failed since, or those of deliveries; returns how
    many. Raises Forbidden, Invalid (none or two ways to choose, an end before the beginning), NotFound (it was
    deleted meanwhile), Conflict (off, too many).
    """
    check_may(by, hook.workspace)
    ways = [after is not None or until is not None, failed_since is not None, deliveries is not None]
    if sum(ways) != 1:
        raise Invalid(
            faults=[Fault("", gettext("Choose by after and until, by failedSince, or by deliveries."))]
        )
    if until is not None and until < (after or 0):
        told = gettext("The last number is lower than the one after which the replay begins.")
        raise Invalid(faults=[Fault("until", told)])
    with transaction.atomic():
        dispatch(hook.workspace_id)  # first, because it locks the log before any webhook
        check_takes_more(lock_webhook(hook))
        by_number = in_range(hook, after or 0, until) if ways[0] else None
        events = of_deliveries(hook, failed_since, deliveries) if by_number is None else by_number
        count = events.count()
        if count > MOST_REPLAYED:
            told = gettext("At most %(most)d events are replayed at once; these are %(number)d.")
            raise Conflict(told % {"most": MOST_REPLAYED, "number": count})
        rows = [
            WebhookDelivery(webhook=hook, event_id=event, type=type)
            for event, type in events.order_by("sequence").values_list("pk", "type")
        ]
        WebhookDelivery.objects.bulk_create(rows, batch_size=1000)
        send_soon(hook)
    return count


def in_range(hook: Webhook, after: int, until: int | None) -> QuerySet[WorkspaceEvent]:
    events = WorkspaceEvent.objects.filter(workspace=hook.workspace_id, sequence__gt=after)
    if until is not None:
        events = events.filter(sequence__lte=until)
    return events if hook.types is None else events.filter(type__in=hook.types)


def of_deliveries(
    hook: Webhook, failed_since: datetime | None, deliveries: Collection[int] | None
) -> QuerySet[WorkspaceEvent]:
    """The events of failed deliveries that nobody delivered since, or of the named ones. Raises Invalid (unknown)."""
    rows = hook.deliveries.filter(event__isnull=False)
    if failed_since is not None:
        last = rows.values("event").annotate(last=Max("pk")).values("last")
        rows = rows.filter(pk__in=last, state=WebhookDelivery.State.FAILED, finished_at__gte=failed_since)
    else:
        rows = rows.filter(pk__in=deliveries or ())
        known = set(rows.values_list("pk", flat=True))
        unknown = [place for place, pk in enumerate(deliveries or ()) if pk not in known]
        if unknown:
            told = gettext("This webhook has no such delivery of an event.")
            raise Invalid(faults=[Fault(f"deliveries.{place}", told) for place in unknown])
    return WorkspaceEvent.objects.filter(pk__in=rows.order_by().values("event"))


def check_takes_more(hook: Webhook) -> None:
    """Raises Conflict (off, too many wait)."""
    if not hook.is_on:
        raise Conflict(IS_OFF)
    if hook.deliveries.waiting()[MOST_WAITING:].exists():
        told = gettext("More than %(number)d deliveries wait already. Try again when they were sent.")
        raise Conflict(told % {"number": MOST_WAITING})


def send_soon(hook: Webhook) -> None:
    look_at({hook.pk})
    wake(SEND_TASK)
