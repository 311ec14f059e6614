"""Revisions: kept copies of a draft; and who has a draft open at the moment."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from capsules.models.contents import ContentField
from capsules.models.stories import Scene, Story
from capsules.texts import check_storable

OPEN_FOR = timedelta(minutes=10)


class RevisionQuerySet(models.QuerySet["Revision"]):
    def recent(self) -> RevisionQuerySet:
        """Those to which changes may still be added, as far as their age goes."""
        return self.filter(created_at__gt=timezone.now() - OPEN_FOR)

    def expendable(self) -> RevisionQuerySet:
        """Those that nobody chose to keep."""
        return self.exclude(kind__in=[Revision.Kind.NAMED, Revision.Kind.PUBLISHED])


class Revision(models.Model):
    """A kept copy of a draft.

    `content`: {story: {all of `fields.STORY`, cover: scene key or null}, scenes: [{id: scene key, all of
    `fields.SCENE`}]}; None while the draft is the same, so read it by `keeping.content_in`.
    """

    class Kind(models.TextChoices):
        AUTO = "auto", _("changes of one person within ten minutes")
        NAMED = "named", _("named by a person")
        PUBLISHED = "published", _("published")
        RESTORED = "restored", _("before an earlier one was restored")
        CONFLICT = "conflict", _("not saved, because it had changed meanwhile")

    class Via(models.TextChoices):
        STUDIO = "studio"
        API = "api"
        MCP = "mcp"
        IMPORT = "import"
        STAFF = "staff"

    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.AUTO)
    label = models.CharField(max_length=80, blank=True, validators=[check_storable])
    content = ContentField(null=True)
    changes = models.PositiveIntegerField(default=1, help_text="How many changes it is the outcome of.")
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    via = models.CharField(max_length=6, choices=Via, default=Via.API)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RevisionQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["story", "number"], name="revision_number_once_a_story")
        ]

    def __str__(self) -> str:
        return f"Revision {self.number} of {self.story}"


class EditingSession(models.Model):
    """One open editor: a tab of a person, and the scene it is at."""

    story = models.ForeignKey(
        Story, on_delete=models.CASCADE, related_name="editing_sessions", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    tab = models.UUIDField(default=uuid.uuid4)
    scene = models.ForeignKey(Scene, null=True, on_delete=models.CASCADE, related_name="+")
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["story", "tab"], name="one_editing_session_a_tab")]

    def __str__(self) -> str:
        return f"{self.user} at {self.story}"
