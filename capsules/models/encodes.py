"""Encodes: every piece of rendering, as a row that says what to make of which files, how far it is, what came out.

An encode is named by its recipe (kind, inputs, parameters, version of the encoder), so the same work is never done
twice. The row is the truth; Celery only wakes the workers that claim it.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from capsules.content import Rendition
from capsules.models.putting_off import CanBePutOff
from config.leases import NO_LEASE, LeasedQuerySet


class EncodeQuerySet(LeasedQuerySet["Encode"]):
    def unfinished(self) -> EncodeQuerySet:
        return self.filter(state__in=[Encode.State.QUEUED, Encode.State.RUNNING])

    def due(self) -> EncodeQuerySet:
        """Queued and not put off, or running under a lease that lapsed because the worker died."""
        return self.unfinished().lease_free()

    def unreferenced(self) -> EncodeQuerySet:
        """Those that no row of this app points at; other apps are asked by `signals.encodes_in_use`."""
        unused = self
        for relation in Encode._meta.get_fields(include_hidden=True):
            if not isinstance(relation, models.ForeignObjectRel) or relation.field.model is Encode:
                continue
            model = relation.field.model
            if model._meta.app_label == Encode._meta.app_label:
                rows = model._base_manager.filter(**{relation.field.name: models.OuterRef("pk")})
                unused = unused.filter(~models.Exists(rows))
        return unused

    def claim(self) -> Encode | None:
        """Takes the first due encode of this set for the caller alone; None when nothing is due."""
        return (
            self.due()
            .order_by("priority", "pk")
            .take_first(
                settings.ENCODE_LEASE,
                state=Encode.State.RUNNING,
                attempts=F("attempts") + 1,
                progress=0,
                started_at=Now(),
            )
        )

    def give_back(self) -> int:
        """Makes claimed encodes due again, as if nobody had tried; returns how many."""
        return self.update(
            state=Encode.State.QUEUED,
            attempts=F("attempts") - 1,
            progress=0,
            **NO_LEASE,
        )


class Encode(CanBePutOff):
    """One recipe and what came of it.

    `focus` of a clip has a point for each source. `outputs` has the form of `content.Outputs`.
    """

    class Kind(models.TextChoices):
        STILL = "still", "pictures of a still"
        MOVE = "move", "camera move over a still"
        FILM = "film", "film clip"
        CARD = "card", "link-preview picture"
        CLIP = "clip", "social clip"

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=8, choices=Kind)
    recipe = models.CharField(max_length=64, unique=True, editable=False)
    sources = models.JSONField(help_text="Storage and name of each input.")
    focus = models.JSONField(null=True, blank=True, help_text="The point that crops keep, as fractions.")
    trim = models.JSONField(
        null=True, blank=True, help_text="Start and length of the part of a film, in seconds."
    )
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    priority = models.SmallIntegerField(default=0, help_text="Lower is sooner.")
    progress = models.PositiveSmallIntegerField(default=0, help_text="Percent.")
    outputs = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True, help_text="Why it failed, for the author.")
    detail = models.TextField(blank=True, help_text="Why it failed, for staff.")
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    finished_at = models.DateTimeField(null=True, editable=False)

    objects = EncodeQuerySet.as_manager()

    class Meta:
        app_label = "capsules"
        ordering = ["-pk"]
        indexes = [
            models.Index(
                fields=["priority", "id"],
                condition=Q(state__in=["queued", "running"]),
                name="encode_unfinished",
            ),
            models.Index(fields=["finished_at"], name="encode_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.state} {self.progress} %"

    def renditions(self, role: str) -> list[Rendition]:
        """Its outputs of one role ("landscape", "portrait", "film", "card", "clip"); [] until it is done."""
        return [r for r in (self.outputs or {}).get("renditions", []) if r["role"] == role]

    def jpegs(self, role: str) -> list[Rendition]:
        """Those that every program shows, the narrowest first."""
        return sorted((r for r in self.renditions(role) if r["format"] == "jpeg"), key=lambda r: r["width"])
