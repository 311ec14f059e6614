"""What capsules answers to accounts."""

from __future__ import annotations

from django.dispatch import receiver

from accounts.models import User, Workspace
from accounts.signals import housekeeping_due, personal_data_wanted, workspace_erased
from capsules import housekeeping
from capsules.fields import SCENE, STORY, row_json
from capsules.models import Preview, Story
from capsules.signals import blobs_in_use

COLUMNS = ("id", *STORY.columns, "created_at", "updated_at")


@receiver(personal_data_wanted)
def stories_of(user: User, **kwargs: object) -> dict[str, object]:
    """The stories that the person began, with their words, where the person is still a member."""
    own = Story.objects.filter(created_by=user, workspace__members=user).prefetch_related("scenes")
    return {
        "stories": [
            {name: getattr(story, name) for name in COLUMNS}
            | {
                "workspace": story.workspace.title,
                "scenes": [row_json(scene, SCENE.words) for scene in story.scenes.all()],
            }
            for story in own.select_related("workspace")
        ]
    }


@receiver(workspace_erased)
def hold_stories(workspace: Workspace, **kwargs: object) -> None:
    """Waits for who changes a capsule at this moment, and for its previews; whoever comes later finds it gone."""
    for rows in (
        Story.objects.filter(workspace=workspace),
        Preview.objects.filter(story__workspace=workspace),
    ):
        list(rows.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk"))


@receiver(blobs_in_use)
def pictures_of_workspaces(**kwargs: object) -> list[str]:
    return list(Workspace.objects.exclude(picture="").values_list("picture", flat=True))


@receiver(housekeeping_due)
def forget_what_is_old(**kwargs: object) -> dict[str, int]:
    return housekeeping.forget_what_is_old()
