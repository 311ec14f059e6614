"""Mails about accounts that wait for the mail server."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class AccountMail(models.Model):
    """One mail, until the mail server has it. Its words are encrypted: links and codes are secrets."""

    content = models.TextField(editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    next_try_at = models.DateTimeField(default=timezone.now, db_index=True, editable=False)

    def __str__(self) -> str:
        return f"Mail of {self.created_at:%Y-%m-%d %H:%M}"
