"""Processes that nobody asks for /metrics: workers and MCP servers say here that they live."""

from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models.functions import Now

REMEMBERED = timedelta(hours=1)  # after its last sign of life


class ProcessQuerySet(models.QuerySet["Process"]):
    def forgotten(self) -> ProcessQuerySet:
        """Those that died so long ago that nobody waits for them any more."""
        return self.filter(seen_at__lt=Now() - REMEMBERED)


class Process(models.Model):
    """One that runs, or was killed a short while ago. One that was told to stop takes its row along."""

    name = models.CharField(max_length=200, primary_key=True, help_text="Its kind and its host.")
    seen_at = models.DateTimeField(help_text="Its last sign of life, by the database's clock.")
    scratch_free = models.BigIntegerField(help_text="Bytes of room for its scratch files.")

    objects = ProcessQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name
