"""Uploads by a link: making one, and what its secret lets people send without a login."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import Actor
from accounts.authentication import actor_in
from accounts.idempotency import refuse_key
from accounts.models import User
from accounts.resources import challenge
from accounts.throttling import AddressThrottle
from capsules.actions.scenes import scene_of
from capsules.actions.writing import check_may_change
from capsules.api import examples
from capsules.api.base import AuthorViewSet, scopes_for
from capsules.api.tus import EXTENSIONS, SaysWhatItCan, SpeaksTus, Unread, content_length, header_number
from capsules.api.upload_serializers import LinkRequestSerializer, LinkSerializer, UploadSerializer
from capsules.api.uploads import ELSEWHERE
from capsules.uploads import links
from config.api import ApiViewSet, WireSerializer, parsed, query
from config.errors import Fault, Invalid
from config.schema import example, failures

LINK_HEADER = "Upload-Link"


class LinkAuthentication(BaseAuthentication):
    """`Upload-Link: <secret>`: the secret of a link lets its holder finish, or cancel, uploads that the link began."""

    def authenticate(self, request: Request) -> tuple[User, Actor] | None:
        secret = request.headers.get(LINK_HEADER)
        if secret is None:
            return None
        actor = links.sender(secret)
        if actor is None:
            raise AuthenticationFailed(links.OVER)
        return actor.user, actor

    def authenticate_header(self, request: Request) -> str:
        return challenge()


class LinkScheme(OpenApiAuthenticationExtension):
    target_class = LinkAuthentication
    name = "uploadLink"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": LINK_HEADER}


class UploadLinkViewSet(AuthorViewSet):
    """POST /uploads/links."""

    scopes: ClassVar = scopes_for(writing=["create"])

    @extend_schema(
        operation_id="createUploadLink",
        summary="Make an upload link",
        description=(
            "A secret address that takes up to ten files without a login: a page for a phone, and "
            "`curl -T picture.jpg <url>/picture.jpg` for a script. A client of tus 1.0 posts to that address too, "
            "and sends slices with the secret, the last part of `url`, in the header Upload-Link. An Idempotency-Key "
            "is refused: the secret is kept nowhere, so it cannot be told again."
        ),
        tags=["Media"],
        request=LinkRequestSerializer,
        responses={201: LinkSerializer, **failures(400, 401, 403, 404, 423, 429, 500)},
        examples=[
            example("For two hours", {"expiresIn": 7200}, request=True),
            example("Made", examples.UPLOAD_LINK, status=201),
        ],
    )
    def create(self, request: Request) -> Response:
        actor = actor_in(request)
        query(WireSerializer, request)
        refuse_key(request)
        body = parsed(LinkRequestSerializer, request)
        story = self.story(str(body["story_id"])) if "story_id" in body else None
        workspace = self.target(story.workspace if story else None)
        if story and story.workspace_id != workspace.pk:
            raise Invalid(faults=[Fault("storyId", ELSEWHERE)])
        scene = scene_of(story, body["scene_id"]) if story and "scene_id" in body else None
        check_may_change(actor, workspace)
        lifetime = timedelta(seconds=body.get("expires_in", links.LIFETIME))
        link, address = links.make_link(workspace, by=actor, story=story, scene=scene, lifetime=lifetime)
        answer = {"url": address, "expires_at": link.expires_at}
        return Response(LinkSerializer(answer).data, status=201)


class LinkedFileViewSet(SpeaksTus, SaysWhatItCan, ApiViewSet):
    """/studio/up/<secret>/<filename>: PUT with the file as its body (`curl -T`), or POST with Upload-Length (the
    extension `creation` of tus), whose bytes then go to Location. Both answer as POST /uploads.
    """

    authentication_classes = []
    parser_classes = [Unread]
    throttle_classes = [AddressThrottle]
    schema = None  # it is a page's address, not the API's
    extensions = f"creation,{EXTENSIONS}"

    def update(self, request: Request, secret: str, filename: str) -> Response:
        link = links.open_link(secret)
        upload = links.receive_by_link(link, request, filename=filename, length=content_length(request))
        return Response(UploadSerializer(upload).data, status=201)

    def create(self, request: Request, secret: str, filename: str) -> Response:
        link = links.open_link(secret)
        upload = links.begin_by_link(link, filename=filename, size=header_number(request, "Upload-Length"))
        told = UploadSerializer(upload).data
        return Response(told, status=201, headers={"Location": told["uploadUrl"]})
