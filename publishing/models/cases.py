"""Cases of moderation: what was reported or taken down, why, and how it went on. Readers' reports belong to a case."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User, Workspace
from accounts.statements import Reason

APPEAL_WITHIN = timedelta(days=183)  # six months
#: Without letters and digits that look or sound like another one.
LETTERS = "23456789CFGHJKMPQRTVWX"


def new_number() -> str:
    """Nobody can guess it, or tell by it how many cases there are."""
    letters = [secrets.choice(LETTERS) for _ in range(8)]
    return f"{''.join(letters[:4])}-{''.join(letters[4:])}"


class CaseQuerySet(models.QuerySet["Case"]):
    def in_force(self) -> CaseQuerySet:
        """Those by which something is dark."""
        return self.filter(state__in=Case.IN_FORCE)


class Case(models.Model):
    """One question whether a capsule, or a whole workspace, stays public.

    open → frozen or dismissed; frozen → lifted or appealed; appealed → lifted or upheld. A capsule has one case at a
    time that is open or in force. Its row outlives what it is about, then without any words.
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        FROZEN = "frozen", "taken down"
        DISMISSED = "dismissed", "dismissed"
        APPEALED = "appealed", "appealed"
        UPHELD = "upheld", "upheld after an appeal"
        LIFTED = "lifted", "lifted"

    class Kind(models.TextChoices):
        CAPSULE = "capsule"
        WORKSPACE = "workspace"

    class Found(models.TextChoices):
        REPORT = "report", _("by reports of readers")
        STAFF = "staff", _("by the staff themselves")

    IN_FORCE = (State.FROZEN, State.APPEALED, State.UPHELD)
    GOING_ON = (State.OPEN, *IN_FORCE)

    number = models.CharField(max_length=9, unique=True, default=new_number, editable=False)
    kind = models.CharField(max_length=9, choices=Kind, default=Kind.CAPSULE)
    workspace = models.ForeignKey(Workspace, null=True, on_delete=models.SET_NULL, related_name="cases")
    publication = models.ForeignKey(
        "publishing.Publication", null=True, on_delete=models.SET_NULL, related_name="cases"
    )
    about = models.UUIDField(
        null=True,
        db_index=True,
        editable=False,
        help_text="The story of the capsule, also once it was deleted.",
    )
    subject = models.CharField(max_length=200, blank=True, help_text="The link when the case began.")
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    found = models.CharField(max_length=6, choices=Found, default=Found.REPORT)
    reason = models.CharField(max_length=7, choices=Reason, blank=True)
    rule = models.CharField(
        "law or rule", max_length=200, blank=True, help_text="Which one, as the owner reads it."
    )
    words = models.TextField(max_length=2000, blank=True, help_text="The reasons, as the owner reads them.")
    handled_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    appeal = models.TextField(max_length=4000, blank=True, help_text="What an owner says against it.")
    answer = models.TextField(max_length=2000, blank=True, help_text="What the owner was answered.")
    answered_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    opened_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_at = models.DateTimeField(null=True, editable=False)
    appealed_at = models.DateTimeField(null=True, editable=False)
    ended_at = models.DateTimeField(null=True, editable=False, help_text="Dismissed, upheld or lifted.")

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ["-opened_at"]
        indexes = [models.Index(fields=["state", "opened_at"], name="case_by_state")]
        constraints = [
            models.UniqueConstraint(
                fields=["publication"],
                condition=Q(kind="capsule", state__in=["open", "frozen", "appealed", "upheld"]),
                name="one_case_a_capsule",
            ),
            models.UniqueConstraint(
                fields=["workspace"],
                condition=Q(kind="workspace", state__in=["open", "frozen", "appealed", "upheld"]),
                name="one_case_a_workspace",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.subject}" if self.subject else self.number

    @property
    def path(self) -> str:
        """Where readers find it, or found it last: `subject` where it has no address now."""
        return (self.publication.path if self.publication is not None else None) or self.subject

    @property
    def is_in_force(self) -> bool:
        return self.state in self.IN_FORCE

    @property
    def is_by_law(self) -> bool:
        return self.reason == Reason.ILLEGAL

    @property
    def appeal_until(self) -> datetime | None:
        return self.decided_at + APPEAL_WITHIN if self.decided_at else None

    @property
    def is_appealable(self) -> bool:
        """Whether an owner may still say something against it, which they may once."""
        until = self.appeal_until
        return self.state == self.State.FROZEN and until is not None and timezone.now() < until


class HeldSlug(models.Model):
    """The address of what was taken down, which nobody else gets until its case has ended: its capsule may be deleted
    before, and its `Slug` with it.
    """

    text = models.CharField(primary_key=True, max_length=50)
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="held_slugs")

    def __str__(self) -> str:
        return self.text


class Report(models.Model):
    """What one reader said about one capsule. The address is for the receipt and the outcome alone."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="reports")
    why = models.CharField(max_length=7, choices=Reason)
    words = models.TextField(max_length=2000, blank=True)
    email = models.EmailField(blank=True, help_text="Shown to nobody but staff.")
    language = models.CharField(max_length=35, blank=True, help_text="Of the page with the form.")
    network = models.CharField(
        max_length=32, blank=True, editable=False, help_text="A keyed hash of where it came from."
    )
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-at"]
        indexes = [models.Index(fields=["network", "at"], name="report_by_network")]

    def __str__(self) -> str:
        return f"{self.get_why_display()}, {self.at:%Y-%m-%d %H:%M}"
