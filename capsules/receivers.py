"""What capsules answers to accounts."""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from accounts.models import User, Workspace
from accounts.signals import housekeeping_due, personal_data_wanted
from capsules import housekeeping
from capsules.models import Story
from capsules.signals import blobs_in_use

STORY = ("id", "title", "summary", "author_name", "language", "created_at", "updated_at")


@receiver(personal_data_wanted)
def stories_of(user: User, **kwargs: Any) -> dict[str, Any]:
    """The stories that the person began, with their words, where the person is still a member."""
    own = Story.objects.filter(created_by=user, workspace__members=user).prefetch_related("scenes")
    return {
        "stories": [
            {name: getattr(story, name) for name in STORY}
            | {
                "workspace": story.workspace.title,
                "scenes": [{"title": s.title, "text": s.text, "alt": s.alt} for s in story.scenes.all()],
            }
            for story in own.select_related("workspace")
        ]
    }


@receiver(blobs_in_use)
def pictures_of_workspaces(**kwargs: Any) -> list[str]:
    return list(Workspace.objects.exclude(picture="").values_list("picture", flat=True))


@receiver(housekeeping_due)
def forget_what_is_old(**kwargs: Any) -> dict[str, int]:
    return housekeeping.forget_what_is_old()
