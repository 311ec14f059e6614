"""What an app publishes where its person is told."""

from __future__ import annotations

from typing import Any

from accounts.actors import Actor
from capsules.models import Story
from publishing import actions
from publishing.by_apps import notices
from publishing.models import Publication


def tell(story: Story, by: Actor, **fields: Any) -> None:
    """Publishes as the MCP server does where it cannot ask."""
    request = actions.PublishRequest(**fields)
    actions.publish(story, request=request, by=by, going_live=notices.telling(by))


def is_live(story: Story) -> bool:
    return Publication.objects.filter(story=story, published_at__isnull=False).exists()
