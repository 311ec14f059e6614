"""POST /uploads, what became of one, its content by the core of tus 1.0, and links that take files without a login."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import actor_in
from accounts.idempotency import once
from capsules.actions.scenes import scene_of
from capsules.actions.writing import check_not_suspended
from capsules.api import examples
from capsules.api.base import AuthorViewSet, scopes_for
from capsules.api.tus import SaysWhatItCan
from capsules.api.upload_serializers import UploadRequestSerializer, UploadSerializer
from capsules.models import Upload
from capsules.uploads import creating
from config.api import WireSerializer, parsed, query
from config.errors import Fault, Invalid
from config.ids import row_of
from config.schema import IDEMPOTENCY_KEY, example, failures

NO_UPLOAD = "There is no such upload."
ELSEWHERE = "This capsule belongs to another workspace."
BEGUN = {
    "id": "c2b6a1de-4a55-4a07-8f0a-52cf5d1a9c01",
    "state": "receiving",
    "uploadUrl": "https://capsules.example/api/v2/uploads/c2b6a1de-4a55-4a07-8f0a-52cf5d1a9c01/content",
    "offset": 0,
    "size": 81264311,
    "mediaId": None,
    "storyId": None,
    "sceneId": None,
    "error": None,
    "note": None,
    "expiresAt": "2026-11-22T17:04:05Z",
}
TAKEN = BEGUN | {
    "state": "ready",
    "offset": 81264311,
    "mediaId": "e9d0b7a2-1f7e-4a5c-9a54-0d3f5c1b2a10",
    "note": "Films are silent: the sound of this one is left out.",
}
REFUSED = BEGUN | {
    "state": "refused",
    "offset": 81264311,
    "error": "This file is not a film we can read. Use MP4, MOV or WebM.",
}
FOR_A_SCENE = {
    "storyId": examples.STORY_ID,
    "sceneId": examples.SCENE_ID,
    "kind": "film",
    "filename": "ferry.mov",
    "size": 81264311,
}
UNKNOWN = example("Unknown", {"error": NO_UPLOAD}, status=404)


class UploadsViewSet(AuthorViewSet):
    """Finds the upload that a request is about."""

    def upload(self, id: str) -> Upload:
        """The upload, if the caller can see it. Raises NotFound, the same for every reason."""
        uploads = Upload.objects.visible_to(actor_in(self.request)).select_related("workspace", "scene")
        return row_of(uploads, id, NO_UPLOAD)


class UploadViewSet(SaysWhatItCan, UploadsViewSet):
    """POST /uploads and GET /uploads/{id}."""

    scopes: ClassVar = scopes_for(writing=["create", "retrieve"])

    @extend_schema(
        operation_id="createUpload",
        summary="Begin an upload",
        description=(
            "Announces a file, whose bytes then go to `uploadUrl` in slices; or has the service fetch `sourceUrl`. "
            "With `storyId` and `sceneId`, that scene shows the file as soon as it is ready, if whoever sent it "
            "may still change it and nobody has chosen another file by then. "
            "Pictures: JPEG, PNG, WebP, AVIF, HEIC up to 40 MB. Films: MP4, MOV, WebM up to 500 MB; the first twelve "
            "seconds are shown, without sound."
        ),
        tags=["Media"],
        request=UploadRequestSerializer,
        parameters=[IDEMPOTENCY_KEY],
        responses={201: UploadSerializer, **failures(400, 401, 403, 404, 409, 413, 423, 429, 500)},
        examples=[
            example("A film", {"kind": "film", "filename": "ferry.mov", "size": 81264311}, request=True),
            example(
                "From an address",
                {"kind": "picture", "sourceUrl": "https://photos.example/ferry.jpg"},
                request=True,
            ),
            example("For a scene", FOR_A_SCENE, request=True),
            example("Begun", BEGUN, status=201),
            example(
                "Too many",
                {"error": "20 uploads are under way in this workspace. Finish or cancel some of them first."},
                status=409,
            ),
        ],
    )
    @once
    def create(self, request: Request) -> Response:
        actor = actor_in(request)
        query(WireSerializer, request)
        named = self.named("storyId")
        story = self.story(named) if named else None  # it says in which workspace the call acts
        workspace = self.target(story.workspace if story else None)
        body = parsed(UploadRequestSerializer, request)
        if story and story.workspace_id != workspace.pk:
            raise Invalid(faults=[Fault("storyId", ELSEWHERE)])
        scene = scene_of(story, body["scene_id"]) if story and "scene_id" in body else None
        check_not_suspended(workspace)
        upload = creating.begin_upload(
            workspace,
            kind=body["kind"],
            filename=body.get("filename", ""),
            size=body.get("size"),
            source_url=body.get("source_url", ""),
            by=actor.user,
            credential=actor.credential,
            via=actor.via,
            story=story,
            scene=scene,
        )
        return Response(
            UploadSerializer(upload).data, status=201, headers={"Location": f"/api/v2/uploads/{upload.pk}"}
        )

    @extend_schema(
        operation_id="getUpload",
        summary="What became of an upload",
        description="Ask again while it is `receiving` or `checking`; `ready` names the media, `refused` says why.",
        tags=["Media"],
        responses={200: UploadSerializer, **failures(400, 401, 403, 404, 429, 500)},
        examples=[example("Taken", TAKEN), example("Refused", REFUSED), UNKNOWN],
    )
    def retrieve(self, request: Request, id: str) -> Response:
        upload = self.upload(id)
        query(WireSerializer, request)
        return Response(UploadSerializer(upload).data)
