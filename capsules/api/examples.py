"""Examples of the OpenAPI document: one capsule, seen from every side."""

from __future__ import annotations

from capsules import fields
from capsules.fields import row_json
from capsules.models import Scene, Story

STORY_ID = "7d5a0b5e-0b4c-4b58-9a0c-2f1f6a1f2b11"
SCENE_ID = "91b0c3de-2f8e-4d41-9d0f-6b1c5a3f7e20"
WORKSPACE_ID = "5a5b7f5e-6f0e-4a62-8a5d-94a5f3d4c002"

WORKSPACE: dict[str, object] = {
    "id": WORKSPACE_ID,
    "name": "north-shore",
    "title": "North Shore Press",
    "role": "owner",
    "plan": "pro",
    "default": True,
}
PUBLICATION: dict[str, object] = {
    "storyId": STORY_ID,
    "isPublished": False,
    "slug": None,
    "url": None,
    "publicationMode": "STANDARD",
    "unlisted": False,
    "publishedAt": None,
}
STORY: dict[str, object] = {
    "id": STORY_ID,
    "version": 1,
    "revision": 1,
    "workspaceId": WORKSPACE_ID,
    **row_json(Story(title="Small voyages", author_name="Ines Okafor"), fields.STORY.fields),
    "cover": None,
    "visibility": "private",
    "capsuleId": None,
    "editionName": "",
    "editionLabel": "",
    "shown": False,
    "sceneCount": 1,
    "createdAt": "2026-11-18T17:04:05Z",
    "updatedAt": "2026-11-18T17:04:05Z",
    "deletedAt": None,
    "publication": PUBLICATION,
    "takenDown": None,
}
STORY_REQUEST: dict[str, object] = {
    "title": "Small voyages",
    "scenes": [{"text": "Every voyage starts with a jetty.", "animation": "auto"}],
}
MEDIA: dict[str, object] = {
    "id": "e97f5b0a-8d1c-4f0f-8d57-1c7b5c0d4a31",
    "kind": "picture",
    "filename": "jetty.jpg",
    "mediaType": "image/jpeg",
    "width": 4032,
    "height": 2268,
    "duration": None,
    "thumbnailUrl": "https://capsules.example/media/3f/3f9c.jpeg",
    "posterId": None,
    "takenAt": None,
    "createdAt": "2026-11-18T17:02:31Z",
}
CROSSING = Scene(
    title="The crossing",
    text="Halfway over, the engine drops to a murmur.",
    focus_y=0.4,
    animation=Scene.Animation.AUTO,
)
SCENE: dict[str, object] = {
    "id": SCENE_ID,
    "version": 4,
    "position": 1,
    **row_json(CROSSING, fields.SCENE.fields),
    "alt": "A small ferry on flat water at dusk.",
    "still": MEDIA,
    "rendering": {
        "still": {"state": "done", "percent": 100, "error": None},
        "animation": {"state": "running", "percent": 63, "error": None},
    },
}
UPLOAD_LINK = {
    "url": "https://capsules.example/studio/up/x1Yz0c9S3v5c8kq2mB7r4nT6w",
    "expiresAt": "2026-11-21T19:04:05Z",
}
TRASHED = {"deletedAt": "2026-11-18T17:04:05Z", "purgeAt": "2026-12-18T17:04:05Z"}
PREVIEW: dict[str, object] = {
    "number": 4,
    "revision": 44,
    "state": "building",
    "percent": 63,
    "isCurrent": True,
    "items": [{"sceneId": SCENE_ID, "part": "animation", "state": "running", "percent": 12, "error": None}],
}
READINESS: dict[str, object] = {
    "ready": False,
    "faults": [{"path": "scenes.2.text", "message": "This scene has no text.", "sceneId": SCENE_ID}],
    "advice": [
        {
            "code": "alt-missing",
            "path": "scenes.0.alt",
            "message": "Say what the picture shows, for readers who cannot see it.",
            "sceneId": SCENE_ID,
        }
    ],
    "preview": PREVIEW,
}
REVISION: dict[str, object] = {
    "number": 18,
    "kind": "conflict",
    "label": "",
    "by": "Ines Okafor",
    "via": "studio",
    "changes": 1,
    "createdAt": "2026-11-18T14:02:05Z",
    "updatedAt": "2026-11-18T14:02:05Z",
}
CONTENT: dict[str, object] = {
    "story": {**row_json(Story(title="Small voyages"), fields.STORY.fields), "cover": None},
    "scenes": [{"id": SCENE_ID, **row_json(CROSSING, fields.SCENE.fields), "still": MEDIA["id"]}],
}
