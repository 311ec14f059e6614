"""The history of a draft, and its editions."""

# ruff: noqa: N815  (the wire names are camelCase)
from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.idempotency import once
from capsules.actions import editions, revisions
from capsules.actions.drafts import NAME_TAKEN
from capsules.actions.keeping import content_in
from capsules.api import examples
from capsules.api.base import AuthorViewSet, etag, expected_versions, scopes_for
from capsules.fields import SCENE, STORY
from capsules.models import Revision, Story
from capsules.rules import field_messages
from capsules.texts import is_blank
from capsules.wire.fields import Words, answered_fields
from capsules.wire.serializers import (
    DraftSerializer,
    EditionRequestSerializer,
    StoriesSerializer,
    StorySerializer,
    draft_on_wire,
    stories_on_wire,
)
from config.api import Id, List, ListQuerySerializer, WireSerializer, list_serializer, parsed, query
from config.errors import Fault
from config.ids import number_of, row_of
from config.json_types import JsonObject
from config.paging import numbered
from config.schema import IDEMPOTENCY_KEY, IF_MATCH, operation


class RevisionSerializer(WireSerializer):
    number = serializers.IntegerField()
    kind = serializers.ChoiceField(Revision.Kind.choices)
    label = serializers.CharField()  # type: ignore[assignment]
    by = serializers.CharField(allow_null=True, help_text="The person's name.")
    via = serializers.ChoiceField(Revision.Via.choices)
    changes = serializers.IntegerField(help_text="How many changes it is the outcome of.")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class KeptSceneSerializer(WireSerializer):
    id = Id()

    def get_fields(self) -> dict[str, serializers.Field]:
        return {**super().get_fields(), **answered_fields(SCENE)}


class KeptStorySerializer(WireSerializer):
    cover = Id(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        return {**answered_fields(STORY), **super().get_fields()}


class KeptDraftSerializer(WireSerializer):
    story = KeptStorySerializer()
    scenes = KeptSceneSerializer(many=True)


class RevisionWithContentSerializer(RevisionSerializer):
    content = KeptDraftSerializer()


RevisionsSerializer = list_serializer("RevisionsSerializer", RevisionSerializer)


def label_faults(fields: JsonObject) -> list[Fault]:
    label = fields["label"]
    messages = [*field_messages(Revision, "label", label), *(["Give it a name."] if is_blank(label) else [])]
    return [Fault("label", message) for message in messages]


class RevisionRequestSerializer(WireSerializer):
    label = Words(  # type: ignore[assignment]
        label_faults, "label", schema={"minLength": 1, "maxLength": 80}, required=True
    )


class RestoreRequestSerializer(WireSerializer):
    scenes = List(
        child=Id(), required=False, max_length=1000, help_text="Only these scenes. Omitted: the whole draft."
    )


class RevisionsViewSet(AuthorViewSet):
    """/stories/{id}/revisions."""

    scopes: ClassVar = scopes_for(reading=["list", "retrieve"], writing=["create", "restore"])

    @operation(
        "listRevisions",
        "History of a draft, the latest first",
        "History",
        RevisionsSerializer,
        {"items": [examples.REVISION], "nextCursor": None},
        parameters=[ListQuerySerializer],
    )
    def list(self, request: Request, id: str) -> Response:
        story = self.story(id)
        asked = query(ListQuerySerializer, request)
        rows = story.revisions.select_related("by").defer("content")
        found, cursor = numbered(rows, name=f"revisions {story.pk}", query=asked)
        return Response({"items": [revision_on_wire(row) for row in found], "nextCursor": cursor})

    @operation(
        "nameRevision",
        "Keep the draft as it is now, under a name",
        "History",
        RevisionSerializer,
        {**examples.REVISION, "kind": "named", "label": "Before the rewrite"},
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        request=RevisionRequestSerializer,
        sent={"label": "Before the rewrite"},
    )
    @once
    def create(self, request: Request, id: str) -> Response:
        story = self.writable_story(id)
        label = parsed(RevisionRequestSerializer, request)["label"]
        kept = revisions.name_revision(story, label, by=self.actor)
        location = f"/api/v2/stories/{story.pk}/revisions/{kept.number}"
        return Response(revision_on_wire(kept), status=201, headers={"Location": location})

    @operation(
        "getRevision",
        "A kept draft",
        "History",
        RevisionWithContentSerializer,
        {**examples.REVISION, "content": examples.CONTENT},
    )
    def retrieve(self, request: Request, id: str, number: str) -> Response:
        kept = self.revision(self.story(id), number)
        return Response({**revision_on_wire(kept), "content": content_in(kept)})

    @operation(
        "restoreRevision",
        "Go back to a kept draft",
        "History",
        DraftSerializer,
        {"story": examples.STORY, "scenes": [examples.SCENE]},
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        refusals=[412, 413],
        refused={412: {"error": "This draft was changed meanwhile by Ines Okafor."}},
        request=RestoreRequestSerializer,
        sent={"scenes": [examples.SCENE_ID]},
        description="The draft as it is now is kept first, so this can be undone. If-Match is the draft's ETag, "
        "as GET /stories/{id}/draft gives it.",
    )
    @once
    def restore(self, request: Request, id: str, number: str) -> Response:
        story = self.writable_story(id)
        kept = self.revision(story, number)
        scenes = parsed(RestoreRequestSerializer, request).get("scenes")
        changed = revisions.restore_revision(
            story, kept, scenes=scenes, expected=expected_versions(request), by=self.actor
        )
        return Response(draft_on_wire(changed), headers=etag(changed.revision))

    def revision(self, story: Story, number: str) -> Revision:
        """Raises NotFound."""
        rows = story.revisions.select_related("by")
        return row_of(rows, number_of(number) or 0, "There is no such revision.", by="number")


class EditionsViewSet(AuthorViewSet):
    """/stories/{id}/editions."""

    scopes: ClassVar = scopes_for(reading=["list"], writing=["create"])

    @operation(
        "listEditions",
        "Editions of a capsule",
        "Stories",
        StoriesSerializer,
        {
            "items": [{**examples.STORY, "capsuleId": examples.STORY_ID, "editionName": "classroom"}],
            "nextCursor": None,
        },
    )
    def list(self, request: Request, id: str) -> Response:
        story = self.story(id)
        query(WireSerializer, request)
        rows = self.stories().filter(capsule=story).with_scene_count().order_by("created_at", "pk")
        return Response({"items": stories_on_wire(rows), "nextCursor": None})

    @operation(
        "addEdition",
        "Make an edition",
        "Stories",
        StorySerializer,
        {**examples.STORY, "capsuleId": examples.STORY_ID, "editionName": "classroom"},
        status=201,
        parameters=[IDEMPOTENCY_KEY],
        refusals=[413],
        refused={409: {"error": NAME_TAKEN, "details": [{"path": "name", "message": NAME_TAKEN}]}},
        request=EditionRequestSerializer,
        sent={"name": "classroom", "label": "For the classroom", "language": "en"},
        description="It starts with the capsule's words and pictures.",
    )
    @once
    def create(self, request: Request, id: str) -> Response:
        story = self.writable_story(id)
        edition = editions.add_edition(story, **parsed(EditionRequestSerializer, request), by=self.actor)
        headers = {**etag(edition.version), "Location": f"/api/v2/stories/{edition.pk}"}
        return Response(stories_on_wire([edition])[0], status=201, headers=headers)


def revision_on_wire(revision: Revision) -> dict[str, object]:
    data = {**{name: getattr(revision, name) for name in ("number", "kind", "label", "via", "changes")}}
    data["by"] = revision.by.name or None if revision.by else None
    data["created_at"], data["updated_at"] = revision.created_at, revision.updated_at
    return dict(RevisionSerializer(data).data)
