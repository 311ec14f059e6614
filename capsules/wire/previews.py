"""Previews on the wire, and what a story still needs."""

from __future__ import annotations

from capsules import advice, readiness
from capsules.models import Preview, Story
from config.errors import Fault
from config.json_types import JsonObject


def readiness_on_wire(story: Story) -> JsonObject:
    """What must and what should be done to a story, and the state of its latest preview: for a checklist."""
    scenes = list(story.scenes.select_related("still", "film", "still_encode", "animation_encode"))
    keys = [str(scene.key) for scene in scenes]
    preview = story.previews.prefetch_related("encodes").first()
    faults = readiness.faults(story, preview, scenes)
    return {
        "ready": not faults,
        "faults": [with_scene(fault, keys) for fault in faults],
        "advice": [
            {"code": hint.code, **with_scene(Fault(hint.path, hint.message), keys)}
            for hint in advice.hints(story, scenes)
        ],
        "preview": preview_on_wire(preview, story) if preview else None,
    }


def with_scene(fault: Fault, keys: list[str]) -> dict[str, object]:
    parts = fault.path.split(".")
    scene = keys[int(parts[1])] if len(parts) > 1 and int(parts[1]) < len(keys) else None
    named = {"sceneId": scene} if scene else {}
    return {"path": fault.path, "message": fault.message, **named}


def preview_on_wire(preview: Preview, story: Story) -> dict[str, object]:
    """A preview whose encodes were fetched along; one item for each part that is rendered."""
    encodes = {encode.pk: encode for encode in preview.encodes.all()}
    parts = [
        (scene.get("id"), part, encodes.get(scene[part]))
        for scene in preview.content["scenes"]
        for part in ("still", "animation")
    ]
    parts.append((None, "card", encodes.get(preview.content["card"])))
    return {
        "number": preview.number,
        "revision": preview.revision,
        "state": preview.state,
        "percent": preview.progress,
        "isCurrent": preview.revision == story.revision,
        "items": [
            {
                "sceneId": scene,
                "part": part,
                "state": encode.state,
                "percent": encode.progress,
                "error": encode.error or None,
            }
            for scene, part, encode in parts
            if encode is not None
        ],
    }
