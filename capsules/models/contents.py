"""The column of what is kept of a story: revisions, previews and bakes."""

from __future__ import annotations

from typing import Any

from django.db import models

from capsules.fields import SCENE, STORY
from config.json_types import JsonObject


class ContentField(models.JSONField):
    """JSON of a story with its scenes. What was kept before a field was added is read with that field's default."""

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> object:
        content = super().from_db_value(value, expression, connection)
        return with_defaults(content) if isinstance(content, dict) and "scenes" in content else content

    def deconstruct(self) -> Any:
        """For migrations it is plain JSON, as it is in the database."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


def with_defaults(content: JsonObject) -> dict[str, object]:
    """The content of a revision, of which `story` has every field; or of a preview or bake: what readers get."""
    if "story" in content:
        story = STORY.with_defaults(content["story"], STORY.fields)
        scenes = [SCENE.with_defaults(scene, SCENE.fields) for scene in content["scenes"]]
        return {**content, "story": story, "scenes": scenes}
    scenes = [SCENE.with_defaults(scene, SCENE.shown) for scene in content["scenes"]]
    return {**STORY.with_defaults(content, STORY.shown), "scenes": scenes}
