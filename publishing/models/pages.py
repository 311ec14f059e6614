"""What has to be rendered anew, for the machines that keep page files."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models.functions import Now


class PageChange(models.Model):
    """Something that the pages of a workspace show has changed, written in the transaction that changed it.

    A row for each change and not a number for each workspace: nobody waits for another's row, so a publish and an
    editor who write in one workspace cannot lock each other out.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    workspace = models.CharField(max_length=40, help_text="Its name, or what stands for the list of all.")
    changed_at = models.DateTimeField(db_default=Now(), db_index=True)

    def __str__(self) -> str:
        return f"{self.workspace} {self.changed_at}"
