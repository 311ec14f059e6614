"""Leases: one process works on a row until a time by the database's clock, and a token fences what it writes.

A process that dies does not keep its rows: the lease lapses. One that was silent for too long finds that its token is
no longer the row's, and writes nothing.
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, Self, TypeVar

from django.db import models
from django.db.models import Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

Row = TypeVar("Row", bound=models.Model)

NO_LEASE: dict[str, None] = {"lease_token": None, "lease_until": None}


def lease_end(seconds: float) -> CombinedExpression:
    """When a lease of so many seconds lapses that is taken or renewed now."""
    return Now() + timedelta(seconds=seconds)


class LeasedQuerySet(models.QuerySet[Row]):
    def lease_free(self) -> Self:
        return self.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=Now()))

    def lease_lapsed(self) -> Self:
        """Rows of a process that died or was silent for too long."""
        return self.filter(lease_until__isnull=False, lease_until__lt=Now())  # an index may have only these

    def held_by(self, token: uuid.UUID | None) -> Self:
        return self.filter(lease_token=token)

    def lease(self, pk: object, seconds: float, **fields: object) -> uuid.UUID | None:
        """Takes the lease of one row of this set, and writes `fields`; returns its token, None where the row is not in
        the set or somebody else was quicker.

        The set joins no other table: its conditions would go into a query of their own, and PostgreSQL asks those of
        the statement alone again where it waited for somebody who took the row. Raises ValueError.
        """
        token = uuid.uuid4()
        free = self.lease_free().filter(pk=pk)
        if sum(uses > 0 for uses in free.query.alias_refcount.values()) > 1:
            raise ValueError("Only rows of a set that joins no other table can be leased.")
        taken = free.update(lease_token=token, lease_until=lease_end(seconds), **fields)
        return token if taken else None

    def take(self, pk: object, seconds: float, **fields: object) -> Row | None:
        """As `lease`, but returns the row."""
        # Read again: the token and whatever `fields` wrote are the database's.
        return self.model._default_manager.get(pk=pk) if self.lease(pk, seconds, **fields) else None

    def take_first(self, seconds: float, **fields: object) -> Row | None:
        """As `take`, of the first row of this ordered set that nobody else takes; None where there is none."""
        free = self.lease_free()
        # Taken by its key: a locked first row would have every other worker wait for it.
        while (pk := free.values_list("pk", flat=True).first()) is not None:
            if row := self.take(pk, seconds, **fields):
                return row
        return None


class Leased(models.Model):
    """A row that one process works on at a time."""

    lease_token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True

    def held(self) -> Any:
        """The row, as long as the lease that this copy has still holds."""
        return type(self)._default_manager.filter(pk=self.pk, lease_token=self.lease_token)

    def renew(self, seconds: float, **fields: object) -> bool:
        """False where another process took over; then nothing is written."""
        return bool(self.held().update(**fields, lease_until=lease_end(seconds)))

    def drop(self, **fields: object) -> bool:
        """Gives the lease back. False where another process took over; then nothing is written."""
        return bool(self.held().update(**NO_LEASE, **fields))
