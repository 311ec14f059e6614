"""What surrounds a publication: these views parse, call and answer."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import PUBLICATIONS_READ, PUBLICATIONS_WRITE
from accounts.idempotency import once
from accounts.throttling import CredentialThrottle
from capsules.api import examples
from capsules.api.base import AuthorViewSet, etag
from capsules.models import Story
from capsules.wire.serializers import StorySerializer, stories_on_wire
from config.api import ListQuerySerializer, WireSerializer, parsed, query
from config.ids import number_of
from config.paging import numbered
from config.schema import IDEMPOTENCY_KEY, operation
from publishing import actions, options, restoring
from publishing.models import Bake, PublicationEvent
from publishing.premieres import outlook
from publishing.wire import (
    AudienceSerializer,
    HistorySerializer,
    LetterQuerySerializer,
    LetterSerializer,
    OptionsSerializer,
    PremiereSerializer,
    PublishResultSerializer,
    VersionsSerializer,
    VisibilityRequestSerializer,
    event_on_wire,
)

SUSPENDED = {"error": "This workspace was suspended. Nothing can be published in it."}
NO_ROLE = {"error": "Your role in this workspace does not allow publishing."}
PREMIERE = {
    "state": "scheduled",
    "mode": "TEASER",
    "dueAt": "2026-11-18T17:09:05Z",
    "recipients": 200,
    "counts": {},
    "note": "",
}
RESULT = {
    "url": "/north-shore/small-voyages",
    "slug": "small-voyages",
    "isRepublish": True,
    "publicationMode": "STANDARD",
    "edition": None,
}
EVENT = {
    "at": "2026-11-18T17:04:05Z",
    "action": "published",
    "by": "Ines Okafor",
    "via": "studio",
    "label": "",
    "version": 3,
    "detail": {"slug": "small-voyages"},
}
VERSION = {
    "number": 3,
    "title": "Small voyages",
    "sceneCount": 5,
    "createdAt": "2026-11-18T17:04:05Z",
    "replacedAt": None,
    "isLive": True,
}
OPTIONS = {
    "suggestedSlug": "small-voyages",
    "link": "https://capsules.example/north-shore/small-voyages",
    "currentSlug": None,
    "isFirstPublish": True,
    "premiere": {"willBeSent": True, "recipients": 200, "modes": ["FULL", "TEASER", "OFF"]},
    "publicationModes": [
        {"mode": "STANDARD", "premiereEmailModes": ["FULL", "TEASER", "OFF"]},
        {"mode": "WHITE_LABEL", "premiereEmailModes": []},
    ],
    "whiteLabelAllowed": True,
    "editions": [
        {
            "storyId": examples.STORY_ID,
            "name": "classroom",
            "label": "For the classroom",
            "language": "en",
            "shown": True,
            "ready": False,
            "isPublished": False,
        }
    ],
    "alongside": [],
}


class PublishingViewSet(AuthorViewSet):
    """At the rates of publishing, and by the role that may publish."""

    throttle_classes = [CredentialThrottle]

    def publishable_story(self, id: str) -> Story:
        """The story, if the caller may also publish it: the role is refused before the body is looked at."""
        story = self.story(id)
        actions.check_role(self.actor, story)
        self.acts_in = story.workspace_id
        return story


class VisibilityViewSet(PublishingViewSet):
    """PUT /stories/{id}/visibility."""

    scopes: ClassVar = {"update": PUBLICATIONS_WRITE}

    @operation(
        "setVisibility",
        "Choose who sees it",
        "Publication",
        StorySerializer,
        {**examples.STORY, "visibility": "unlisted"},
        refusals=[409, 413, 423],
        refused={403: NO_ROLE, 423: SUSPENDED},
        request=VisibilityRequestSerializer,
        sent={"visibility": "unlisted"},
        description="Effective at once, without a publish. private unpublishes.",
    )
    def update(self, request: Request, id: str) -> Response:
        story = self.publishable_story(id)
        level = parsed(VisibilityRequestSerializer, request)["visibility"]
        actions.set_visibility(story, level, by=self.actor)
        changed = self.story(id)
        return Response(stories_on_wire([changed])[0], headers=etag(changed.version))


class PublicationExtrasViewSet(PublishingViewSet):
    """/stories/{id}/publication/options, /history and /versions."""

    scopes: ClassVar = {
        "options_": PUBLICATIONS_READ,
        "history": PUBLICATIONS_READ,
        "versions": PUBLICATIONS_READ,
        "restore": PUBLICATIONS_WRITE,
    }

    @operation(
        "getPublicationOptions",
        "What a publish would do",
        "Publication",
        OptionsSerializer,
        OPTIONS,
        description="The link, who is told, and which modes may be chosen.",
    )
    def options_(self, request: Request, id: str) -> Response:
        story = self.story(id)
        found = options.options_of(story)
        editions = list(options.editions_of(found.publication.story))
        told = {
            **found._asdict(),
            "editions": options.edition_options(editions),
            "alongside": options.alongside(story, found.publication, editions),
        }
        return Response(OptionsSerializer(told).data)

    @operation(
        "getPublicationHistory",
        "Who changed what readers see",
        "History",
        HistorySerializer,
        {"items": [EVENT], "nextCursor": None},
        parameters=[ListQuerySerializer],
        description="The latest first.",
    )
    def history(self, request: Request, id: str) -> Response:
        story = self.story(id)
        asked = query(ListQuerySerializer, request)
        rows = PublicationEvent.objects.of_story(story)
        found, cursor = numbered(rows, name=f"publication history {story.pk}", query=asked, column="pk")
        return Response({"items": [event_on_wire(event) for event in found], "nextCursor": cursor})

    @operation(
        "listVersions",
        "Published versions that can go live again",
        "History",
        VersionsSerializer,
        {"items": [VERSION], "nextCursor": None},
        description="The live one and the last ten before it.",
    )
    def versions(self, request: Request, id: str) -> Response:
        story = self.story(id)
        query(WireSerializer, request)
        bakes = restoring.kept_of(story)
        live = restoring.live_bake_of(story)
        items = [version_on_wire(bake, is_live=bake.pk == live) for bake in bakes]
        return Response(VersionsSerializer({"items": items, "next_cursor": None}).data)

    @operation(
        "restoreVersion",
        "Make an earlier version live again",
        "History",
        PublishResultSerializer,
        RESULT,
        parameters=[IDEMPOTENCY_KEY],
        refused={
            403: NO_ROLE,
            404: {"error": "There is no such story."},
            409: {"error": restoring.UNPUBLISHED},
            423: SUSPENDED,
        },
        description="At once: it was rendered before. It sends no email and keeps the address.",
    )
    @once
    def restore(self, request: Request, id: str, number: str) -> Response:
        story = self.publishable_story(id)
        parsed(WireSerializer, request)
        result = restoring.restore_version(story, number_of(number) or 0, by=self.actor)
        return Response(PublishResultSerializer(result).data)


class PremiereViewSet(PublishingViewSet):
    """/stories/{id}/premiere and its letter."""

    scopes: ClassVar = {
        "retrieve": PUBLICATIONS_READ,
        "destroy": PUBLICATIONS_WRITE,
        "letter": PUBLICATIONS_READ,
    }

    @operation(
        "getPremiere",
        "The premiere email of a capsule",
        "Premiere",
        PremiereSerializer,
        PREMIERE,
        description="`state` is none where no publish has announced the capsule.",
    )
    def retrieve(self, request: Request, id: str) -> Response:
        return Response(PremiereSerializer(outlook.outlook(self.story(id))).data)

    @operation(
        "cancelPremiere",
        "Cancel the premiere email",
        "Premiere",
        PremiereSerializer,
        {**PREMIERE, "state": "cancelled", "mode": "OFF", "note": "Cancelled by Ben."},
        refusals=[409],
        refused={403: NO_ROLE, 409: {"error": "This premiere is already sent."}},
        description="Forever: a later publish does not send it either.",
    )
    def destroy(self, request: Request, id: str) -> Response:
        story = self.publishable_story(id)
        parsed(WireSerializer, request)
        return Response(PremiereSerializer(outlook.cancel_premiere(story, by=self.actor)).data)

    @operation(
        "getPremiereLetter",
        "The premiere email as it would be sent now",
        "Premiere",
        LetterSerializer,
        {"subject": "Small voyages", "html": "<!doctype html>…", "text": "Small voyages\n\n…"},
        parameters=[LetterQuerySerializer],
        refusals=[409],
        refused={409: {"error": outlook.NO_PREVIEW}},
    )
    def letter(self, request: Request, id: str) -> Response:
        story = self.story(id)
        mode = query(LetterQuerySerializer, request)["mode"]
        return Response(LetterSerializer(outlook.preview_letter(story, mode)).data)


class AudienceViewSet(PublishingViewSet):
    """GET /workspaces/{id}/audience."""

    scopes: ClassVar = {"retrieve": PUBLICATIONS_READ}

    @operation(
        "getAudience",
        "Subscribers in numbers",
        "Premiere",
        AudienceSerializer,
        {"active": 200, "closed": 3, "left": 12},
        description="Numbers, never addresses, so every member may read them.",
    )
    def retrieve(self, request: Request, workspace: str) -> Response:
        found = self.workspace(workspace)
        query(WireSerializer, request)
        return Response(outlook.audience(found))


def version_on_wire(bake: Bake, *, is_live: bool) -> dict[str, object]:
    return {
        "number": bake.number,
        "title": bake.content["title"],
        "scene_count": len(bake.content["scenes"]),
        "created_at": bake.created_at,
        "replaced_at": bake.replaced_at,
        "is_live": is_live,
    }
