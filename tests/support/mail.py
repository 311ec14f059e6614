"""Short words for what premieres are tested with."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models.functions import Now

from accounts.models import Workspace
from publishing.models import Premiere, Publication
from publishing.premieres import sweeping
from publishing.subscribers import actions as subscriptions
from tests.support import factories
from tests.support.smtp import Mailbox


def use(settings: Any, mailbox: Mailbox) -> None:
    """Sends through the mailbox, without a limit of rate."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = mailbox.controller.port
    settings.EMAIL_TIMEOUT = 30
    settings.MAIL_RATE = 0


def subscribe(workspace: Workspace, count: int) -> list[str]:
    """So many confirmed subscribers."""
    emails = [f"reader-{n}@readers.example" for n in range(1, count + 1)]
    subscriptions.import_confirmed(workspace, [(email, "Signed at the counter.") for email in emails])
    return sorted(emails)


def more_premieres(workspace: Workspace, slugs: tuple[str, ...] = ("second", "third")) -> None:
    """Of further capsules of the workspace; nothing of them is sent yet."""
    for slug in slugs:
        publication = Publication.objects.create(story=factories.make_draft(workspace, title=slug), slug=slug)
        Premiere.objects.create(publication=publication, mode="TEASER", due_at=Now())


def sweep_at(late: timedelta = timedelta(seconds=1)) -> Premiere:
    """Makes the only premiere that much overdue by the database's clock, sweeps once, and returns it."""
    Premiere.objects.filter(state=Premiere.State.SCHEDULED).update(due_at=Now() - late)
    sweeping.send_due_premieres()
    return Premiere.objects.get()


def begin(premiere: Premiere) -> Premiere:
    """Has a premiere due and its first subscribers enrolled; nothing is claimed or sent yet."""
    Premiere.objects.filter(pk=premiere.pk).update(due_at=Now())
    sweeping.start_premiere(premiere.pk)
    sweeping.enrol_chunk(premiere.pk)
    return premiere
