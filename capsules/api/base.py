"""What all endpoints of authoring share: who may call, which story is meant, versions in headers."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable

from rest_framework.request import Request

from accounts.actors import STORIES_READ, STORIES_WRITE
from accounts.api import ActorViewSet
from accounts.models import Workspace
from accounts.throttling import AuthorThrottle
from capsules.actions.writing import check_may_write, find_story
from capsules.models import Story
from capsules.models.stories import StoryQuerySet
from config.errors import Fault, Invalid
from config.ids import uuid_of

ENTITY_TAG = re.compile(r'(?:W/)?("?)([0-9]{1,9})(?:[-;][\w-]+)?\1')  # a proxy that compresses adds -gzip
NO_VERSION = 'Must be a version as ETag gives it, like "2".'
NO_WORKSPACE = "Name a workspace: there is no default."


def scopes_for(*, reading: Iterable[str] = (), writing: Iterable[str] = ()) -> dict[str, str]:
    """The `scopes` of a viewset whose actions read or write stories."""
    return dict.fromkeys(reading, STORIES_READ) | dict.fromkeys(writing, STORIES_WRITE)


class AuthorViewSet(ActorViewSet):
    """Endpoints that read and write stories."""

    throttle_classes = [AuthorThrottle]

    acts_in: uuid.UUID  # the workspace that the call changes

    def act_in(self, workspace: Workspace) -> None:
        """Notes where the call acts. Raises Forbidden where the role is too low."""
        check_may_write(self.actor, workspace)
        self.acts_in = workspace.pk

    def story(self, id: str) -> Story:
        """The story, if the caller can see it. Raises NotFound, the same for every reason."""
        return find_story(self.actor, id)

    def stories(self) -> StoryQuerySet:
        return Story.objects.visible_to(self.actor).with_capsule()

    def writable_story(self, id: str) -> Story:
        """The story, if the caller may also write it: the role is refused before the body is looked at."""
        story = self.story(id)
        self.act_in(story.workspace)
        return story

    def named(self, key: str) -> str | None:
        """The identifier that the body names, before it is looked at as a whole."""
        body = self.request.api_body  # type: ignore[attr-defined]
        id = body.get(key) if isinstance(body, dict) else None
        return id if isinstance(id, str) and uuid_of(id) else None

    def target(self, otherwise: Workspace | None = None) -> Workspace:
        """Where a call makes something: the workspace that its body names, else `otherwise` or the default one.

        The role is refused before the body is looked at. Raises NotFound, Forbidden, and Invalid without any workspace.
        """
        named = self.named("workspaceId")
        workspace = self.workspace(named) if named else otherwise or self.actor.default_workspace()
        if workspace is None:
            raise Invalid(faults=[Fault("workspaceId", NO_WORKSPACE)])
        self.act_in(workspace)
        return workspace


def expected_versions(request: Request) -> list[int] | None:
    """The versions that If-Match allows; None where any will do. Raises Invalid for a tag that we never gave."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    tags = [ENTITY_TAG.fullmatch(part.strip()) for part in header.split(",")]
    if not all(tags):
        raise Invalid(faults=[Fault("If-Match", NO_VERSION)])
    return [int(tag[2]) for tag in tags if tag]


def etag(version: int) -> dict[str, str]:
    return {"ETag": f'"{version}"'}


def draft_revision(story: Story) -> dict[str, str]:
    """Whoever changed something of it hears with it whether somebody else did since."""
    return {"Draft-Revision": str(story.revision)}


def is_unchanged(request: Request, version: int) -> bool:
    """Whether the caller has this version already (If-None-Match)."""
    header = request.headers.get("If-None-Match", "")
    return header.strip() == "*" or any(
        tag is not None and int(tag[2]) == version
        for tag in (ENTITY_TAG.fullmatch(part.strip()) for part in header.split(","))
    )
