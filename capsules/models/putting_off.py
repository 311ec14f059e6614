"""Work that is put off: what went wrong says nothing of its file, so it is tried again later."""

from __future__ import annotations

from django.db import models

from config.leases import Leased


class CanBePutOff(Leased):
    """A job: until `lease_until` it is left alone, whoever set that."""

    class Reason(models.TextChoices):
        NO_ROOM = "no room"
        KILLED = "killed"
        STORAGE = "storage"
        OTHER = "other"

    put_off = models.CharField(
        max_length=7,
        choices=Reason,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Why it is tried again later.",
    )
    put_off_since = models.DateTimeField(null=True, editable=False, help_text="The first time.")

    class Meta:
        abstract = True
