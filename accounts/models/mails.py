"""Mails about accounts that wait for the mail server."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from config.leases import Leased, LeasedQuerySet


class AccountMailQuerySet(LeasedQuerySet["AccountMail"]):
    def due(self) -> Self:
        """Those that no worker sends now, oldest first."""
        return self.lease_free().filter(next_try_at__lte=Now()).order_by("pk")


class AccountMail(Leased):
    """One mail, until the mail server has it. Its words are encrypted: links and codes are secrets."""

    content = models.TextField(editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    next_try_at = models.DateTimeField(db_default=Now(), db_index=True, editable=False)

    objects = AccountMailQuerySet.as_manager()

    def __str__(self) -> str:
        return f"Mail of {self.created_at:%Y-%m-%d %H:%M}"
