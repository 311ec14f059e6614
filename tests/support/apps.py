"""What an app publishes where its person is told."""

from __future__ import annotations

from typing import Any

from accounts.actors import Actor
from accounts.models import Connection, User
from capsules.models import Story
from publishing import actions
from publishing.by_apps import notices
from publishing.models import Publication
from tests.support.oauth import App

READ = "publications:read"


def connected_app(user: User, permission: str = "publications:write") -> Actor:
    """An app of a person with one form of the permission to publish, as it acts now."""
    App(user).connect(f"{READ} publications:write", grant=f"{READ} {permission}")
    found = Connection.objects.with_reach().get()
    return Actor.by_connection(found, scopes=found.scopes)


def tell(story: Story, by: Actor, **fields: Any) -> None:
    """Publishes as the MCP server does where it cannot ask."""
    request = actions.PublishRequest(**fields)
    actions.publish(story, request=request, by=by, going_live=notices.notifying(by))


def is_live(story: Story) -> bool:
    return Publication.objects.filter(story=story, published_at__isnull=False).exists()
