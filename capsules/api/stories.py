"""Workspaces and stories: list, make, read, change, delete, restore, duplicate."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import PUBLICATIONS_WRITE
from accounts.idempotency import once
from capsules import signals
from capsules.actions import drafts, stills, trash
from capsules.actions.writing import NO_STORY
from capsules.api import examples
from capsules.api.base import (
    AuthorViewSet,
    draft_revision,
    etag,
    expected_versions,
    is_unchanged,
    scopes_for,
)
from capsules.models import Story
from capsules.wire.serializers import (
    DraftSerializer,
    DuplicateRequestSerializer,
    StoriesSerializer,
    StoryChangesRequestSerializer,
    StoryRequestSerializer,
    StorySerializer,
    TrashedSerializer,
    TrashQuerySerializer,
    draft_on_wire,
    stories_on_wire,
)
from config.api import Choice, Id, ListQuerySerializer, Text, WireSerializer, list_serializer, parsed, query
from config.ids import row_of
from config.json_types import JsonObject
from config.paging import page_by_moment
from config.schema import IDEMPOTENCY_KEY, IF_MATCH, header, operation
from config.texts import LONGEST_SEARCH, contains

STATES = ["draft", "live", "trash", "all"]


class WorkspaceSerializer(WireSerializer):
    id = Id()
    name = serializers.CharField(help_text="First segment of every public link.")
    title = serializers.CharField()
    role = serializers.CharField(allow_null=True, help_text="owner, admin, editor or viewer.")
    plan = serializers.CharField()
    default = serializers.BooleanField(help_text="What is made without a workspaceId is made here.")


WorkspacesSerializer = list_serializer("WorkspacesSerializer", WorkspaceSerializer)


class StoriesQuerySerializer(ListQuerySerializer):
    workspaceId = Id(required=False)
    state = Choice(choices=STATES, required=False, default="all", help_text="all: without the trash.")
    q = Text(required=False, max_length=LONGEST_SEARCH, help_text="Words of the title.")


class WorkspacesViewSet(AuthorViewSet):
    """GET /workspaces."""

    scopes: ClassVar = scopes_for(reading=["list"])

    @operation(
        "listWorkspaces",
        "Workspaces",
        "Stories",
        WorkspacesSerializer,
        {"items": [examples.WORKSPACE], "nextCursor": None},
        may_miss=False,
        description="Every workspace that the credential reaches, with the caller's role in it.",
    )
    def list(self, request: Request) -> Response:
        actor = self.actor
        query(WireSerializer, request)
        roles = dict(actor.user.memberships.values_list("workspace", "role"))
        items = [
            {
                "id": str(workspace.pk),
                "name": workspace.name,
                "title": workspace.title,
                "role": roles.get(workspace.pk),
                "plan": workspace.plan,
                "default": workspace.pk == actor.default_workspace_id,
            }
            for workspace in actor.workspaces().order_by("title", "pk")
        ]
        return Response({"items": items, "nextCursor": None})


class StoriesViewSet(AuthorViewSet):
    """/stories and /stories/{id}."""

    scopes: ClassVar = scopes_for(
        reading=["list", "retrieve", "draft"],
        writing=["create", "partial_update", "destroy", "restore", "duplicate"],
    )

    @operation(
        "listStories",
        "Stories, the last edited first",
        "Stories",
        StoriesSerializer,
        {"items": [examples.STORY], "nextCursor": "AQAHk3sAAAAAAAAAAAX1mYd0bJ0lq3cV8e"},
        parameters=[StoriesQuerySerializer],
        description="Capsules; their editions are under /stories/{id}/editions. The trash has what was deleted.",
    )
    def list(self, request: Request) -> Response:
        asked = query(StoriesQuerySerializer, request)
        name = f"stories {self.actor.credential} {asked['state']}"
        stories, cursor = page_by_moment(
            self.listed(asked), "updated_at", name=name, limit=asked["limit"], cursor=asked["cursor"]
        )
        return Response({"items": stories_on_wire(stories), "nextCursor": cursor})

    def listed(self, asked: JsonObject) -> Any:
        if asked["state"] == "trash":
            rows = Story.objects.trashed(self.actor).deleted_by_themselves()
        else:
            rows = Story.objects.visible_to(self.actor).filter(capsule=None)
        if asked["state"] in ("draft", "live"):
            for ids in signals.answers(signals.live_stories):
                rows = rows.filter(pk__in=ids) if asked["state"] == "live" else rows.exclude(pk__in=ids)
        if "workspace_id" in asked:
            rows = rows.filter(workspace=self.workspace(str(asked["workspace_id"])))
        if asked.get("q"):
            rows = rows.filter(contains("title", asked["q"]))
        return rows.with_scene_count().last_edited_first().select_related("cover", "workspace", "capsule")

    def draw_stills(self, request: Request) -> JsonObject:
        workspace = self.target()
        body = parsed(StoryRequestSerializer, request)
        stills.draw_ahead(workspace, body.get("scenes", []), by=self.actor)
        return body

    @operation(
        "createStory",
        "Make a story",
        "Stories",
        StorySerializer,
        examples.STORY,
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        refused={409: {"error": "A capsule has at most 100 scenes; this one has 101."}},
        request=StoryRequestSerializer,
        sent=examples.STORY_REQUEST,
        description="A draft with its scenes; nobody but the workspace's members sees it until it is published.",
    )
    @partial(once, first=draw_stills)
    def create(self, request: Request, ready: JsonObject) -> Response:
        workspace = self.target()  # asked again: while stills were drawn it may have been suspended
        scenes = ready.pop("scenes", [])
        return self.told(drafts.create_story(workspace, ready, scenes, by=self.actor), status=201)

    @operation("getStory", "A story", "Stories", StorySerializer, examples.STORY)
    def retrieve(self, request: Request, id: str) -> Response:
        return self.told(self.story(id))

    @operation(
        "getDraft",
        "A story with all its scenes",
        "Stories",
        DraftSerializer,
        {"story": examples.STORY, "scenes": [examples.SCENE]},
        parameters=[
            header("If-None-Match", "The revision that the caller has: 304 where it is still current.")
        ],
        unchanged=True,
        description="ETag is the revision of the draft. Rendering does not change it: ask the preview how far it is.",
    )
    def draft(self, request: Request, id: str) -> Response:
        story = self.story(id)
        if is_unchanged(request, story.revision):
            return Response(status=304, headers=etag(story.revision))
        return Response(draft_on_wire(story), headers=etag(story.revision))

    @operation(
        "changeStory",
        "Change a story's own fields",
        "Stories",
        StorySerializer,
        examples.STORY,
        parameters=[IF_MATCH],
        refusals=[409, 412, 413, 423],
        refused={
            409: {
                "error": drafts.NAME_TAKEN,
                "details": [{"path": "editionName", "message": drafts.NAME_TAKEN}],
            }
        },
        request=StoryChangesRequestSerializer,
        sent={"title": "Small voyages", "cover": examples.SCENE_ID},
    )
    def partial_update(self, request: Request, id: str) -> Response:
        story = self.writable_story(id)
        changes = parsed(StoryChangesRequestSerializer, request)
        if {"shown", "edition_name", "edition_label"} & set(changes) and self.is_live(story):
            self.actor.require_scope(PUBLICATIONS_WRITE)  # readers see it at once
        changed = drafts.update_story(story, changes, by=self.actor, expected=expected_versions(request))
        return self.told(changed)

    def is_live(self, story: Story) -> bool:
        """Whether a change of an edition's name or switch is seen by readers: its capsule is live."""
        own = Story.objects.filter(pk__in=[story.pk, story.capsule_id])
        return any(own.filter(pk__in=ids).exists() for ids in signals.answers(signals.live_stories))

    @operation(
        "deleteStory",
        "Move a story to the trash",
        "Stories",
        TrashedSerializer,
        examples.TRASHED,
        parameters=[TrashQuerySerializer],
        refusals=[409, 423],
        refused={409: {"error": "This capsule is live. Say unpublish=true to take it from the public too."}},
        description="With its editions. `unpublish=true` needs publications:write too.",
    )
    def destroy(self, request: Request, id: str) -> Response:
        unpublish = request.query_params.get("unpublish") == "true"
        if unpublish:
            self.actor.require_scope(PUBLICATIONS_WRITE)
        story = self.writable_story(id)
        query(TrashQuerySerializer, request)
        parsed(WireSerializer, request)
        deleted_at = trash.trash_story(story, unpublish=unpublish, by=self.actor)
        body = {"deleted_at": deleted_at, "purge_at": trash.purge_time(deleted_at)}
        return Response(TrashedSerializer(body).data)

    @operation(
        "restoreStory",
        "Bring a story back from the trash",
        "Stories",
        StorySerializer,
        examples.STORY,
        parameters=[IDEMPOTENCY_KEY],
        refused={409: {"error": "This story is not in the trash."}},
        description="It comes back unpublished.",
    )
    @once
    def restore(self, request: Request, id: str) -> Response:
        story = row_of(Story.objects.of(self.actor).select_related("workspace"), id, NO_STORY)
        self.act_in(story.workspace)
        parsed(WireSerializer, request)
        return self.told(trash.restore_story(story, by=self.actor))

    @operation(
        "duplicateStory",
        "Copy a story",
        "Stories",
        StorySerializer,
        examples.STORY,
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        request=DuplicateRequestSerializer,
        sent={"title": "Small voyages, second try"},
    )
    @once
    def duplicate(self, request: Request, id: str) -> Response:
        story = self.story(id)
        workspace = self.target(otherwise=story.workspace)
        body = parsed(DuplicateRequestSerializer, request)
        copy = drafts.duplicate_story(story, title=body.get("title", ""), workspace=workspace, by=self.actor)
        return self.told(copy, status=201)

    def told(self, story: Story, status: int = 200) -> Response:
        headers = etag(story.version) | draft_revision(story)
        if status == 201:
            headers["Location"] = f"/api/v2/stories/{story.pk}"
        return Response(stories_on_wire([story])[0], status=status, headers=headers)
