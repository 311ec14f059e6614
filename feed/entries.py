"""What feeds of the newest capsules say, whatever their form: of all, and of one workspace."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from accounts.models import Workspace
from config.links import absolute
from feed.models import Card, CardQuerySet

FORMS = ("atom", "json")
LENGTH = 50  # entries


@dataclass(frozen=True)
class Newest:
    """The newest capsules of all, or of a workspace; `path` is that of its list for people, without a slash behind."""

    title: str
    path: str
    cards: CardQuerySet

    @property
    def link(self) -> str:
        return absolute(self.path or "/")

    def entries(self) -> CardQuerySet:
        return self.cards.newest_first().select_related("workspace")[:LENGTH]

    def address(self, form: str) -> str:
        return feed_address(self.path, form)

    def links(self, form: str) -> dict[str, str]:
        """The header by which a subscriber finds the hub (WebSub); {} without one."""
        if not settings.WEBSUB_HUB:
            return {}
        return {"Link": f'<{settings.WEBSUB_HUB}>; rel="hub", <{self.address(form)}>; rel="self"'}


def feed_address(path: str, form: str) -> str:
    """Where the feed of a list stands in one of its forms, atom or json."""
    return absolute(f"{path}/feed.{form}")


def of_all() -> Newest:
    return Newest(settings.SERVICE_NAME, "", Card.objects.all())


def of_workspace(workspace: Workspace) -> Newest:
    return Newest(workspace.title, f"/{workspace.name}", Card.objects.filter(workspace=workspace))
