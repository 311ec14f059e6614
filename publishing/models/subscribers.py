"""Subscribers to a workspace's premieres, and addresses that get no mail from anybody."""

from __future__ import annotations

import secrets
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import Workspace
from config.leases import Leased, LeasedQuerySet


def new_token() -> str:
    """192 random bits: the link in a mail is the permission."""
    return secrets.token_urlsafe(24)


class Suppression(models.Model):
    """An address that no workspace writes to any more."""

    class Reason(models.TextChoices):
        BOUNCE = "bounce", "the address does not exist"
        COMPLAINT = "complaint", "its owner reported our mail as unwanted"
        STAFF = "staff", "closed by staff"

    email = models.EmailField(unique=True)
    reason = models.CharField(max_length=9, choices=Reason)
    detail = models.TextField(blank=True, help_text="What the mail server or the report said.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.email


class SubscriberQuerySet(models.QuerySet["Subscriber"]):
    def active(self) -> SubscriberQuerySet:
        """Those who confirmed and did not leave."""
        return self.filter(unsubscribed_at__isnull=True)

    def reachable(self) -> SubscriberQuerySet:
        """Subscribers who may be sent a mail now."""
        return self.active().exclude(Exists(Suppression.objects.filter(email=OuterRef("email"))))


class Subscriber(models.Model):
    """A confirmed address. Nobody becomes one without having agreed; `consent` says when and how."""

    class Source(models.TextChoices):
        FORM = "form", "confirmed by the link in a mail"
        IMPORT = "import", "brought by the workspace"

    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, related_name="subscribers", db_index=False
    )
    email = models.EmailField(help_text="In lower case, its domain in ASCII.")
    token = models.CharField(max_length=40, unique=True, default=new_token, editable=False)
    source = models.CharField(max_length=6, choices=Source)
    consent = models.TextField(help_text="How we know that this person agreed.")
    language = models.CharField(
        max_length=35, blank=True, help_text="Of the page where they subscribed; empty: not known."
    )
    confirmed_at = models.DateTimeField()
    unsubscribed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SubscriberQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "email"], name="one_subscriber_an_address")
        ]

    def __str__(self) -> str:
        return self.email

    @property
    def is_active(self) -> bool:
        return self.unsubscribed_at is None


class ErasedAddress(models.Model):
    """A reader who was deleted, as a keyed hash: an import does not bring them back, and nobody can read who it was."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    erased_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "digest"], name="one_erased_address_a_workspace")
        ]

    def __str__(self) -> str:
        return f"{self.digest[:8]}… of {self.workspace}"


class SubscriptionRequestQuerySet(LeasedQuerySet["SubscriptionRequest"]):
    def due(self) -> Self:
        """Those whose mail is due and sent by no worker now, those first that wait longest."""
        return self.lease_free().filter(next_try_at__lte=Now()).order_by("next_try_at")


class SubscriptionRequest(Leased):
    """An address typed into a form: it gets one mail with a link, and is forgotten when nobody follows it."""

    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, related_name="subscription_requests", db_index=False
    )
    email = models.EmailField()
    token = models.CharField(max_length=40, unique=True, default=new_token, editable=False)
    language = models.CharField(max_length=35, blank=True, help_text="Of the page with the form.")
    asked_at = models.DateTimeField(default=timezone.now)
    next_try_at = models.DateTimeField(null=True, db_index=True, help_text="Set while its mail is due.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Tries of the mail that is due.")
    mails = models.PositiveSmallIntegerField(default=0, help_text="How many it was sent.")
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    objects = SubscriptionRequestQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "email"], name="one_request_an_address")]

    def __str__(self) -> str:
        return self.email
