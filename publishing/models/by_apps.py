"""What apps make live and what they ask for: how their person is told, and how they are asked."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from capsules.models import Story


class PublishNoticeQuerySet(models.QuerySet["PublishNotice"]):
    def current(self) -> PublishNoticeQuerySet:
        """About capsules that are still live as the app made them: not those that were unpublished since."""
        return self.filter(story__publication__published_at=F("published_at"))

    def with_publication(self) -> PublishNoticeQuerySet:
        return self.select_related("user", "story__workspace", "story__publication__premiere")

    def unseen(self, user: User) -> PublishNoticeQuerySet:
        """What the studio still tells a person."""
        return self.current().filter(user=user, seen_at__isnull=True, story__deleted_at__isnull=True)


class PublishNotice(models.Model):
    """Tells a person that an app made a capsule live, by email and in the studio.

    Its two links, to cancel the email and to unpublish, work once each, and until the capsule is unpublished.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="publish_notices")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    app = models.CharField(max_length=120, help_text="The name of the app; empty for a token of one's own.")
    published_at = models.DateTimeField(help_text="When the publication became live that it is about.")
    seen_at = models.DateTimeField(null=True)
    email_cancelled_at = models.DateTimeField(null=True)
    unpublished_at = models.DateTimeField(null=True)

    objects = PublishNoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-published_at"]
        indexes = [
            models.Index(
                fields=["user"], condition=models.Q(seen_at__isnull=True), name="unseen_publish_notices"
            )
        ]

    def __str__(self) -> str:
        return f"{self.app} published {self.story}"


class PublishAskQuerySet(models.QuerySet["PublishAsk"]):
    def waiting(self) -> PublishAskQuerySet:
        return self.filter(state=PublishAsk.State.WAITING, story__deleted_at__isnull=True)


class PublishAsk(models.Model):
    """An app that only prepares asks its person to publish a capsule: the one question of that app about it.

    `wishes` are the fields of a publish that the app asked for, as the API names them.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        PUBLISHED = "published"
        DECLINED = "declined"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    story = models.ForeignKey(Story, on_delete=models.CASCADE, related_name="publish_asks")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", help_text="Whose app it is.")
    credential = models.CharField(max_length=64, help_text="Of the app, as `Actor.credential`.")
    app = models.CharField(max_length=120)
    wishes = models.JSONField(default=dict)
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    answered_at = models.DateTimeField(null=True)

    objects = PublishAskQuerySet.as_manager()

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["story", "credential"],
                condition=models.Q(state="waiting"),
                name="one_waiting_ask_a_story_and_app",
            )
        ]

    def __str__(self) -> str:
        return f"{self.app} asks to publish {self.story}"
