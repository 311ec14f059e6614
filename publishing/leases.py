"""The lease on a publication: one publish at a time, and a killed process does not keep it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from config.errors import Locked
from config.leases import NO_LEASE, lease_end
from publishing.models import Publication, Slug
from publishing.models.publications import PublicationQuerySet

BUSY = gettext_noop("This capsule is being published at the moment. Please try again shortly.")
RETRY_AFTER = 2  # seconds


@dataclass(frozen=True)
class Lease:
    """The right to publish one story until it lapses; `token` fences everything written under it."""

    publication_id: int
    token: uuid.UUID

    def renew(self) -> None:
        """Raises Locked where it lapsed and another publish took over."""
        if not self.held().update(lease_until=lease_end(settings.PUBLISH_LEASE)):
            raise Locked(gettext("Another publish of this capsule took over."), retry_after=RETRY_AFTER)

    def drop(self) -> None:
        """Gives the lease back, with the slugs that were only reserved. Does nothing if it is no longer ours."""
        with transaction.atomic():
            Slug.objects.filter(publication=self.publication_id, lease_token=self.token).delete()
            self.held().update(**NO_LEASE)

    def held(self) -> PublicationQuerySet:
        return Publication.objects.filter(pk=self.publication_id).held_by(self.token)


@contextmanager
def leased(publication: Publication) -> Iterator[Lease]:
    """Takes the lease for the time of a `with` block. Raises Locked where somebody has it."""
    # Only the update decides; but those who come too late need not wait for SQLite's one write lock to be told.
    is_free = Publication.objects.lease_free().filter(pk=publication.pk).exists()
    token = Publication.objects.lease(publication.pk, settings.PUBLISH_LEASE) if is_free else None
    if token is None:
        raise Locked(gettext(BUSY), retry_after=RETRY_AFTER)
    lease = Lease(publication.pk, token)
    publication.slugs.filter(lease_token__isnull=False).delete()  # reserved under a lease that lapsed
    try:
        yield lease
    finally:
        lease.drop()


def free_lapsed_leases() -> int:
    """Frees leases that lapsed, and the slugs reserved under them; returns how many."""
    lapsed = [
        Lease(pk, token)
        for pk, token in Publication.objects.lease_lapsed().values_list("pk", "lease_token")
        if token is not None
    ]
    for lease in lapsed:
        lease.drop()
    return len(lapsed)
