"""Which scenes a bake has, by the keys that stay with a scene through every edit."""

from __future__ import annotations

from publishing.models import Bake


def keys_of(bake: Bake) -> list[str]:
    """The scenes' keys; names by their places where the preview that had them is gone."""
    scenes = bake.preview.content["scenes"] if bake.preview else bake.content["scenes"]
    return [str(scene.get("id") or f"scene {number}") for number, scene in enumerate(scenes, start=1)]
