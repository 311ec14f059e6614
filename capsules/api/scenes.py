"""The scenes of a story: add, change, move, copy, delete, restore, put in order."""

from __future__ import annotations

import uuid
from functools import partial
from typing import ClassVar

from django.db.models import Exists, OuterRef
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import once
from capsules.actions import scenes as actions
from capsules.actions import stills
from capsules.actions.scenes import AFTER_FINALE, AFTER_GONE, AT_END, NO_SCENE, ONE_FINALE
from capsules.actions.writing import NO_STORY
from capsules.api import examples
from capsules.api.base import AuthorViewSet, draft_revision, etag, expected_versions, scopes_for
from capsules.models import Scene, Story
from capsules.wire.serializers import (
    MoveRequestSerializer,
    OrderSerializer,
    SceneChangesRequestSerializer,
    SceneOrderRequestSerializer,
    SceneRequestSerializer,
    SceneSerializer,
    ScenesSerializer,
    scene_on_wire,
)
from config.api import WireSerializer, parsed, query
from config.errors import NotFound
from config.ids import row_of, uuid_of
from config.json_types import JsonObject
from config.schema import IDEMPOTENCY_KEY, IF_MATCH, operation

ORDER = {"order": [examples.SCENE_ID, "c0f1d2e3-7a64-4a4e-9a3b-0d6f2b1c8e55"]}
NOT_THESE = "These are not exactly the scenes that the story has now."


def scene_key(scene: str) -> uuid.UUID:
    """Raises NotFound for what is not an identifier."""
    key = uuid_of(scene)
    if key is None:
        raise NotFound(NO_SCENE)
    return key


class ScenesViewSet(AuthorViewSet):
    """/stories/{id}/scenes, /stories/{id}/scenes/{scene} and /stories/{id}/scene-order."""

    scopes: ClassVar = scopes_for(
        reading=["list", "retrieve"],
        writing=["create", "partial_update", "destroy", "move", "duplicate", "restore", "order"],
    )

    @operation(
        "listScenes",
        "Scenes of a story, in order",
        "Scenes",
        ScenesSerializer,
        {"items": [examples.SCENE], "nextCursor": None},
    )
    def list(self, request: Request, id: str) -> Response:
        scenes = Scene.objects.filter(story=self.story(id)).with_media()
        query(WireSerializer, request)
        return Response({"items": [scene_on_wire(scene) for scene in scenes], "nextCursor": None})

    @operation("getScene", "A scene", "Scenes", SceneSerializer, examples.SCENE)
    def retrieve(self, request: Request, id: str, scene: str) -> Response:
        story = self.story(id)
        return self.told(story, actions.scene_of(story, scene_key(scene)))

    def draw_still(self, request: Request, id: str) -> tuple[Story, JsonObject]:
        story = self.writable_story(id)
        fields = parsed(SceneRequestSerializer, request)
        stills.draw_ahead(story.workspace, [fields], by=self.actor)
        return story, fields

    @operation(
        "addScene",
        "Add a scene",
        "Scenes",
        SceneSerializer,
        examples.SCENE,
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        refused={409: {"error": AFTER_FINALE}},
        request=SceneRequestSerializer,
        sent={"text": "Halfway over, the engine drops to a murmur.", "still": examples.MEDIA["id"]},
    )
    @partial(once, first=draw_still)
    def create(self, request: Request, id: str, ready: tuple[Story, JsonObject]) -> Response:
        story, fields = ready
        after = fields.pop("after", AT_END)
        (scene,) = actions.add_scenes(story, [fields], after=after, path="", by=self.actor)
        return self.told(story, with_media(scene), status=201)

    @operation(
        "changeScene",
        "Change a scene",
        "Scenes",
        SceneSerializer,
        examples.SCENE,
        parameters=[IF_MATCH],
        refusals=[409, 412, 413, 423],
        refused={409: {"error": ONE_FINALE, "details": [{"path": "finale", "message": ONE_FINALE}]}},
        request=SceneChangesRequestSerializer,
        sent={"text": "Halfway over, the engine drops to a murmur."},
        description="Only the fields that are sent change. A refused change (412) is kept as a revision.",
    )
    def partial_update(self, request: Request, id: str, scene: str) -> Response:
        story, key = self.writable_scene(id, scene)
        changes = parsed(SceneChangesRequestSerializer, request)
        changed = actions.update_scene(
            story, key, changes, by=self.actor, expected=expected_versions(request)
        )
        return self.told(story, changed)

    @operation(
        "deleteScene",
        "Delete a scene",
        "Scenes",
        OrderSerializer,
        ORDER,
        parameters=[IF_MATCH],
        refusals=[412, 423],
        description="It can be restored for 30 days.",
    )
    def destroy(self, request: Request, id: str, scene: str) -> Response:
        story, key = self.writable_scene(id, scene)
        parsed(WireSerializer, request)
        order = actions.delete_scene(story, key, by=self.actor, expected=expected_versions(request))
        return ordered(story, order)

    @operation(
        "moveScene",
        "Move a scene",
        "Scenes",
        OrderSerializer,
        ORDER,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        refused={409: {"error": AFTER_GONE, "details": [{"path": "after", "message": AFTER_GONE}]}},
        request=MoveRequestSerializer,
        sent={"after": None},
    )
    @once
    def move(self, request: Request, id: str, scene: str) -> Response:
        story, key = self.writable_scene(id, scene)
        after = parsed(MoveRequestSerializer, request)["after"]
        return ordered(story, actions.move_scene(story, key, after=after, by=self.actor))

    @operation(
        "duplicateScene",
        "Copy a scene",
        "Scenes",
        SceneSerializer,
        examples.SCENE,
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refused={409: {"error": "A capsule has at most 100 scenes; this one has 101."}},
    )
    @once
    def duplicate(self, request: Request, id: str, scene: str) -> Response:
        story, key = self.writable_scene(id, scene)
        parsed(WireSerializer, request)
        copy = actions.duplicate_scene(story, key, by=self.actor)
        return self.told(story, with_media(copy), status=201)

    @operation(
        "restoreScene",
        "Bring a deleted scene back",
        "Scenes",
        SceneSerializer,
        examples.SCENE,
        parameters=[IDEMPOTENCY_KEY],
        refused={409: {"error": "A capsule has at most 100 scenes; this one has 101."}},
    )
    @once
    def restore(self, request: Request, id: str, scene: str) -> Response:
        story, key = self.writable_story(id), scene_key(scene)
        parsed(WireSerializer, request)
        return self.told(story, with_media(actions.restore_scene(story, key, by=self.actor)))

    @operation(
        "orderScenes",
        "Put all scenes in order",
        "Scenes",
        OrderSerializer,
        ORDER,
        refusals=[409, 413, 423],
        refused={409: {"error": NOT_THESE, "details": [{"path": "scenes", "message": NOT_THESE}]}},
        request=SceneOrderRequestSerializer,
        sent={"scenes": ORDER["order"]},
    )
    def order(self, request: Request, id: str) -> Response:
        story = self.writable_story(id)
        keys = parsed(SceneOrderRequestSerializer, request)["scenes"]
        return ordered(story, actions.order_scenes(story, keys, by=self.actor))

    def writable_scene(self, id: str, scene: str) -> tuple[Story, uuid.UUID]:
        """The story, if the caller may write it, and the identifier of a scene that it has; in one query.

        Raises NotFound, Forbidden.
        """
        key = uuid_of(scene)
        has_it = Exists(Scene.objects.filter(story=OuterRef("pk"), key=key))
        rows = Story.objects.visible_to(self.actor).annotate(has_scene=has_it).select_related("workspace")
        story = row_of(
            rows.only("workspace__id"), id, NO_STORY
        )  # the action locks the story and reads it whole
        self.act_in(story.workspace)
        if key is None or not story.has_scene:
            raise NotFound(NO_SCENE)
        return story, key

    def told(self, story: Story, scene: Scene, status: int = 200) -> Response:
        """The answer with a scene whose media were selected along."""
        headers = etag(scene.version) | draft_revision(story)
        if status == 201:
            headers["Location"] = f"/api/v2/stories/{story.pk}/scenes/{scene.key}"
        return Response(scene_on_wire(scene), status=status, headers=headers)


def with_media(scene: Scene) -> Scene:
    return Scene.every.with_media().get(pk=scene.pk)


def ordered(story: Story, keys: list[uuid.UUID]) -> Response:
    return Response({"order": [str(key) for key in keys]}, headers=draft_revision(story))
