"""The bytes of an upload: the core of tus 1.0."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import ApiKeyAuthentication, BearerAuthentication, actor_in
from capsules.actions.writing import check_may_change
from capsules.api.base import scopes_for
from capsules.api.tus import (
    SLICE_TYPE,
    TUS,
    SaysWhatItCan,
    SpeaksTus,
    TusVersion,
    Unread,
    content_length,
    header_number,
)
from capsules.api.upload_links import LinkAuthentication
from capsules.api.uploads import UNKNOWN, UploadsViewSet
from capsules.uploads import creating, receiving
from config.schema import example, failures

OFFSET = OpenApiParameter(
    "Upload-Offset", int, OpenApiParameter.HEADER, required=True, description="Where this slice begins."
)
RESUMABLE = OpenApiParameter(
    "Tus-Resumable", str, OpenApiParameter.HEADER, description="1.0.0, where it is sent.", enum=[TUS]
)
ARRIVED = OpenApiParameter(
    "Upload-Offset",
    int,
    OpenApiParameter.HEADER,
    description="Bytes that have arrived.",
    response=[200, 204, 409],
)


OTHER_TUS = example("Another tus", {"error": TusVersion.default_detail}, status=412)


class ContentViewSet(SpeaksTus, SaysWhatItCan, UploadsViewSet):
    """HEAD, PATCH, DELETE /uploads/{id}/content: with stories:write, or with the secret of the link that began it."""

    authentication_classes = [LinkAuthentication, BearerAuthentication, ApiKeyAuthentication]
    parser_classes = [Unread]
    scopes: ClassVar = scopes_for(writing=["head", "partial_update", "destroy"])

    @extend_schema(
        operation_id="getUploadOffset",
        summary="Where the next slice begins",
        tags=["Media"],
        parameters=[RESUMABLE, ARRIVED],
        responses={
            200: OpenApiResponse(description="Upload-Offset says it."),
            **failures(400, 401, 403, 404, 412, 423, 429, 500),
        },
        examples=[UNKNOWN, OTHER_TUS],
    )
    def head(self, request: Request, id: str) -> Response:
        upload = self.upload(id)
        check_may_change(actor_in(request), upload.workspace)
        length = {} if upload.size is None else {"Upload-Length": str(upload.size)}
        return Response(headers={"Upload-Offset": str(upload.offset), **length})

    @extend_schema(
        operation_id="sendSlice",
        summary="Send a slice",
        description=(
            "The bytes from Upload-Offset on, as many as Content-Length says; 8 MiB at once are a good choice. "
            "After a break, ask by HEAD where to go on."
        ),
        tags=["Media"],
        parameters=[OFFSET, RESUMABLE, ARRIVED],
        request={SLICE_TYPE: OpenApiTypes.BINARY},
        responses={
            204: OpenApiResponse(description="Taken; Upload-Offset says where the next one begins."),
            **failures(400, 401, 403, 404, 409, 410, 411, 412, 413, 415, 423, 429, 500),
        },
        examples=[
            example(
                "Elsewhere", {"error": "The upload has 4096 bytes. Please go on from there."}, status=409
            ),
            UNKNOWN,
            OTHER_TUS,
            example("Expired", {"error": "This upload has expired. Please start it again."}, status=410),
        ],
    )
    def partial_update(self, request: Request, id: str) -> Response:
        upload = self.upload(id)
        check_may_change(actor_in(request), upload.workspace)
        if request.content_type != SLICE_TYPE:
            raise exceptions.UnsupportedMediaType(
                request.content_type or "", f"The Content-Type of a slice is {SLICE_TYPE}."
            )
        offset = header_number(request, "Upload-Offset")
        end = receiving.receive(upload, request, offset=offset, length=content_length(request))
        return Response(status=204, headers={"Upload-Offset": str(end)})

    @extend_schema(
        operation_id="cancelUpload",
        summary="Cancel an upload",
        description="Drops what arrived. Media that came of a finished upload stays.",
        tags=["Media"],
        parameters=[RESUMABLE],
        responses={
            204: OpenApiResponse(description="Gone."),
            **failures(400, 401, 403, 404, 412, 423, 429, 500),
        },
        examples=[UNKNOWN, OTHER_TUS],
    )
    def destroy(self, request: Request, id: str) -> Response:
        upload = self.upload(id)
        check_may_change(actor_in(request), upload.workspace)
        creating.cancel_upload(upload)
        return Response(status=204)
