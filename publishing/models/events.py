"""The history of a publication: who changed what readers see, when, and through what."""

from __future__ import annotations

from typing import Self

from django.db import models
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from capsules.models import Story
from publishing.models.publications import Bake

THROUGH = {
    "studio": _("in the studio"),
    "token": _("through the API"),
    "app": _("through a connected app"),
    "key": _("through a workspace key"),
    "mail": _("by the link in an email"),
    "staff": _("as staff of the service"),
    "service": _("by the service itself"),
}


#: How the person stood behind what an app made public.
PERSON = {
    "agreed": _("who was asked there and agreed"),
    "told": _("who was told of it at once"),
}


class PublicationEventQuerySet(models.QuerySet["PublicationEvent"]):
    def of_story(self, story: Story) -> Self:
        """With who changed it and the version, of which lists show the number and not the content."""
        return self.filter(story=story).select_related("by", "bake").defer("bake__content")


class PublicationEvent(models.Model):
    """One change of one story's publication. It is written in the transaction that makes the change."""

    class Action(models.TextChoices):
        PUBLISHED = "published", _("published")
        REPUBLISHED = "republished", _("republished")
        UNPUBLISHED = "unpublished", _("unpublished")
        VISIBILITY = "visibility", _("visibility changed")
        RESTORED = "restored", _("an earlier version made live again")
        PREMIERE_CANCELLED = "premiere cancelled", _("premiere cancelled")

    story = models.ForeignKey(  # `publication_history` begins with it
        Story, on_delete=models.CASCADE, related_name="publication_events", db_index=False
    )
    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=18, choices=Action)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    via = models.CharField(
        max_length=8,
        help_text="studio, token, app, key, mail or staff; service where nobody asked.",
    )
    label = models.CharField(max_length=120, blank=True, help_text="The name of the app or the key.")
    bake = models.ForeignKey(
        Bake, null=True, on_delete=models.SET_NULL, related_name="+", help_text="The version it is about."
    )
    detail = models.JSONField(default=dict, blank=True)

    objects = PublicationEventQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["story", "-id"], name="publication_history"),
            models.Index(fields=["at"], name="publication_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.story}: {self.get_action_display()}"

    @property
    def by_whom(self) -> User | None:
        """Whom members of the workspace are told: of staff nobody by name."""
        return None if self.via == "staff" else self.by

    @property
    def through(self) -> str:
        """By what it was done, in words that follow a person's name."""
        by_name = gettext("through %(app)s") % {"app": self.label} if self.label else ""
        through = by_name or str(THROUGH.get(self.via, ""))
        if asked_by := self.detail.get("asked_by"):
            return gettext("%(through)s, as %(app)s had asked") % {"through": through, "app": asked_by}
        return f"{through}, {said}" if (said := PERSON.get(self.detail.get("person"))) else through

    @property
    def in_words(self) -> str:
        """What was done, and to what."""
        done = capfirst(self.get_action_display())
        if self.action == self.Action.VISIBILITY:
            names = [Story.Visibility(self.detail[when]).label for when in ("before", "after")]
            return f"{done}: {' → '.join(name.lower() for name in names)}"
        if self.bake is None:
            return done
        return gettext("%(done)s, version %(number)s") % {"done": done, "number": self.bake.number}
