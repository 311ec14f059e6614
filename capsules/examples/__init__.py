"""Finished capsules to begin with: each a manifest, as folders have them, over the pictures that come with the service.

A copy belongs to whoever asked for it, and is a draft like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import folder
from capsules.actions import drafts, previews
from capsules.actions import media as uploads
from capsules.actions.writing import check_may_change
from capsules.fields import STORY
from capsules.media.facts import Facts
from capsules.models import Asset, Story
from capsules.stand_ins import PICTURES, url_of
from capsules.uploads.creating import check_room
from config.json_types import JsonObject

HERE = Path(__file__).parent
FACTS = Facts(
    "picture", "image/webp", "webp", 1920, 1080, None
)  # of each picture that comes with the service
#: What each is called, by the name of its manifest, in the order in which they are shown.
KINDS = {
    "photo-essay": "Photo essay",
    "journey": "Journey",
    "recipe": "Recipe",
    "portrait": "Portrait of a person",
    "announcement": "Announcement",
    "instructions": "Instructions",
}


@dataclass(frozen=True)
class Example:
    name: str
    kind: str
    content: JsonObject  # its manifest, as folders are read

    @property
    def opening(self) -> JsonObject:
        """The scene that it is shown with."""
        scene: JsonObject = self.content["scenes"][0]
        return scene

    @property
    def look(self) -> JsonObject:
        """Whole: what its manifest says nothing of is as usual."""
        usual: Any = STORY["look"].read(Story())
        return {**usual, **self.content["look"]}

    @property
    def picture_url(self) -> str:
        return url_of(Path(self.opening["still"]).stem)


@cache
def examples() -> dict[str, Example]:
    """All of them, by name."""
    return {
        name: Example(name, kind, folder.read_manifest(PICTURES, HERE / f"{name}.toml"))
        for name, kind in KINDS.items()
    }


def copy_example(example: Example, workspace: Workspace, *, by: Actor) -> Story:
    """A draft of one's own, made from an example; its pictures are rendered in the background.

    Raises Forbidden (role), Locked (suspended), TooLarge (no room left).
    """
    check_may_change(by, workspace)
    scenes = example.content["scenes"]
    check_room(workspace, sum((PICTURES / scene["still"]).stat().st_size for scene in scenes))
    drawn = [{**scene, "still": picture_of(scene, workspace), "film": None} for scene in scenes]
    own = {"author": by.user.name, "cover": example.content["cover"] - 1}
    fields = {name: value for name, value in example.content.items() if name != "scenes"} | own
    with transaction.atomic():
        story = drafts.create_story(workspace, fields, drawn, by=by)
        previews.build_preview(
            story, by=by.user
        )  # asks for the encodes now, without waiting for changes to end
        uploads.lend_thumbnails(workspace)
    return story


def picture_of(scene: JsonObject, workspace: Workspace) -> Asset:
    """The picture of a scene, as if it had been uploaded. Nobody looks into it, which would take seconds: what it is
    and where its focus lies is known.
    """
    file = PICTURES / scene["still"]
    asset = uploads.store_asset(workspace, file, FACTS, filename=file.name, propose=False)
    Asset.objects.filter(pk=asset.pk, focus__isnull=True).update(focus=list(scene["focus"]))
    return asset
