"""What a card in the list of capsules says: picture, state, what is missing, what is being rendered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from capsules import readiness
from capsules.models import Encode, Scene, Story
from config.texts import contains
from publishing import unpublished
from publishing.models import Publication

FILTERS = {"all": _("All"), "drafts": _("Drafts"), "live": _("Live")}
DOWN = "down"
TAKEN_DOWN = {DOWN: _("Taken down")}  # shown where there are some
SORTS = {"edited": _("Last edited"), "title": _("Title"), "created": _("Newest")}
ORDER = {"edited": ["-updated_at", "-id"], "title": ["title", "id"], "created": ["-created_at", "-id"]}


class CardPicture(NamedTuple):
    name: str  # of a blob
    width: int
    height: int
    focus: tuple[float, float]  # fractions that crops keep


@dataclass(frozen=True)
class Card:
    story: Story
    scenes: list[Scene]

    @property
    def publication(self) -> Any:
        return getattr(self.story, "publication", None)

    @property
    def is_live(self) -> bool:
        return self.publication is not None and self.publication.is_published

    @property
    def is_dark(self) -> bool:
        return self.publication is not None and self.publication.is_dark

    @property
    def link(self) -> str:
        """The whole public link; "" while it is not live."""
        return self.publication.get_absolute_url() if self.is_live else ""

    @property
    def opened(self) -> int:
        """How many readers opened it so far, each once a day."""
        count = getattr(self.publication, "view_count", None)
        return count.views if count is not None else 0

    @property
    def has_unpublished_changes(self) -> bool:
        """Whether readers see something older than the draft."""
        return self.is_live and unpublished.differs(self.publication.live_bake, self.story, self.scenes)

    @cached_property
    def picture(self) -> CardPicture | None:
        """The smallest rendition of the cover's still; None until there is one."""
        chosen = [scene for scene in self.scenes if scene.pk == self.story.cover_id]
        for scene in [*chosen, *self.scenes]:
            encode = scene.still_encode
            if encode is not None and encode.state == Encode.State.DONE:
                smallest = encode.jpegs("landscape")[0]
                return CardPicture(smallest["name"], smallest["width"], smallest["height"], scene.focus)
        return None

    @property
    def rendering(self) -> int | None:
        """Percent of what is still being rendered; None where nothing is."""
        encodes = [e for scene in self.scenes for e in (scene.still_encode, scene.animation_encode) if e]
        if all(encode.state in (Encode.State.DONE, Encode.State.FAILED) for encode in encodes):
            return None
        return sum(encode.progress for encode in encodes) // len(encodes)

    @property
    def editions(self) -> list[Story]:
        return [edition for edition in self.story.editions.all() if edition.deleted_at is None]

    @property
    def missing(self) -> int:
        """How many things it needs before it can be published."""
        last = len(self.scenes) - 1
        faults = [
            fault
            for index, scene in enumerate(self.scenes)
            for fault in readiness.missing_in_scene(scene, f"scenes.{index}", is_last=index == last)
        ]
        return len(readiness.to_mend(faults)) + max(0, readiness.MIN_SCENES - len(self.scenes))


def filtered_capsules(stories: QuerySet[Story], *, state: str, text: str, sort: str) -> QuerySet[Story]:
    """The capsules (not editions) of a filter, a search in titles and an order."""
    rows = stories.filter(capsule__isnull=True)
    published = Q(publication__published_at__isnull=False)
    down = Q(publication__in=Publication.objects.dark())
    if state == "live":
        rows = rows.filter(published).exclude(down)
    elif state == "drafts":
        rows = rows.exclude(published)
    elif state == DOWN:
        rows = rows.filter(down)
    if text:
        rows = rows.filter(contains("title", text))
    return rows.order_by(*ORDER[sort])


def cards(stories: QuerySet[Story]) -> list[Card]:
    """One card a story, in a constant number of queries."""
    scenes = Prefetch(
        "scenes", Scene.objects.select_related("still_encode", "animation_encode", "still", "film")
    )
    found = stories.select_related(
        "publication__live_bake__preview",
        "publication__view_count",
        "workspace",
        "deleted_by",
    )
    rows: Iterable[Story] = found.defer("publication__live_bake__content").prefetch_related(
        scenes, "editions"
    )
    return [Card(story, list(story.scenes.all())) for story in rows]
