"""One capsule in one edition, as somebody who opens its link gets it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils.translation import gettext

from capsules.content import BakeContent, BakedScene, Picture
from config.database import only
from config.texts import cut, one_line, readable
from publishing.models import Publication
from publishing.models.publications import PublicationQuerySet

WORDS_A_MINUTE = 200
#: Letters of writings without spaces (Thai, Lao, Khmer, Chinese, Japanese): five are read in the time of two words.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff]")
LEAST_SECONDS = 4  # that Play shows a scene
OPENING_LENGTH = 200  # characters of a link preview's description


@dataclass(frozen=True)
class Reading:
    """A live publication as it is read, in its default edition or in the shown `edition`."""

    publication: Publication
    editions: list[Publication]
    edition: Publication | None = None

    @property
    def current(self) -> Publication:
        """The publication whose live bake is read."""
        return self.edition or self.publication

    @cached_property
    def content(self) -> BakeContent:
        """The content of the live bake; see `Bake`."""
        assert self.current.live_bake is not None  # noqa: S101 - a constraint of the database; for the type checker
        content: BakeContent = self.current.live_bake.content
        return all_readable(content)

    @property
    def edition_name(self) -> str:
        """The value of `?edition=` for this edition; "" for the default one."""
        return self.edition.story.edition_name if self.edition else ""

    @property
    def label(self) -> str:
        """The edition's name in the menu where readers switch editions."""
        if self.edition is None:
            return gettext("Original")
        return str(self.edition.story.edition_label or self.edition_name)

    @property
    def path(self) -> str:
        return str(self.publication.path) + self.query

    @property
    def query(self) -> str:
        return f"?edition={self.edition_name}" if self.edition else ""

    @property
    def url(self) -> str:
        """The canonical link."""
        return self.publication.get_absolute_url() + self.query

    @property
    def embed_url(self) -> str:
        return f"{self.publication.get_absolute_url()}/embed{self.query}"

    @property
    def is_unlisted(self) -> bool:
        story = self.publication.story
        return bool(story.visibility == story.Visibility.UNLISTED)

    @property
    def service(self) -> str:
        """The service's name, which a white-label capsule never shows."""
        return "" if self.publication.is_white_label else settings.SERVICE_NAME

    @property
    def site_name(self) -> str:
        return self.service or self.publication.story.workspace.title

    @property
    def minutes(self) -> int:
        """How long it takes to read, at least one."""
        words = sum(words_in(scene["text"]) for scene in self.content["scenes"])
        return max(1, round(words / WORDS_A_MINUTE))

    def in_edition(self, edition: Publication | None) -> Reading:
        return Reading(self.publication, self.editions, edition)

    def all_editions(self) -> list[Reading]:
        """The default edition and every other that readers can switch to."""
        return [self.in_edition(edition) for edition in (None, *self.editions)]

    def other_editions(self) -> list[Reading]:
        return [each for each in self.all_editions() if each.edition_name != self.edition_name]


def words_in(text: str) -> float:
    return len(UNSPACED.sub("", text).split()) + 0.4 * len(UNSPACED.findall(text))


def seconds_of(content: BakeContent, scene: BakedScene, *, is_first: bool) -> int:
    """How long Play shows a scene: until its words are read and its film has been seen."""
    texts = [scene["title"], scene["text"], *([content["title"], content["summary"]] if is_first else [])]
    words = sum(words_in(text or "") for text in texts)
    film = (scene["film"] or {}).get("mp4") if not scene.get("camera") else None
    return ceil(max(LEAST_SECONDS, 60 * words / WORDS_A_MINUTE, film["duration"] if film else 0))


def find_reading(workspace: str, slug: str, edition_name: str = "") -> Reading | None:
    """What is live at /<workspace>/<slug>, in the named edition; in the default one where there is no such edition."""
    there = Publication.objects.live().filter(story__workspace__name=workspace, slug=slug)
    return reading_in(there, edition_name)


def reading_in(live: PublicationQuerySet, edition_name: str) -> Reading | None:
    """The same of a set that has at most one live publication."""
    publication = only(live.select_related("story__workspace", "live_bake__clip"))
    if publication is None:
        return None
    editions = editions_of(publication)
    edition = next((other for other in editions if other.story.edition_name == edition_name), None)
    return Reading(publication, editions, edition)


def editions_of(publication: Publication) -> list[Publication]:
    """What its readers can switch to besides the default edition."""
    shown = Publication.objects.shown_editions_of([publication.story_id])
    return list(shown.select_related("story").prefetch_related("live_bake__clip"))


def find_next(publication: Publication) -> Reading | None:
    """What to read after it: the next older listed capsule of its workspace, or the newest after the oldest.

    White-label capsules lead only to white-label ones.
    """
    own = Publication.objects.live().listed().filter(story__workspace=publication.story.workspace_id)
    others = own.exclude(pk=publication.pk).with_bake()
    if publication.is_white_label:
        others = others.filter(mode=publication.mode)
    newer = ExpressionWrapper(Q(published_at__gte=publication.published_at), output_field=BooleanField())
    after = others.order_by(newer.asc(), "-published_at").first()
    return Reading(after, []) if after else None


def all_readable(value: object) -> Any:
    """A copy of a content, in which every text can be read; bakes of before may hold control characters."""
    if isinstance(value, dict):
        return {name: all_readable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [all_readable(each) for each in value]
    return readable(value) if isinstance(value, str) else value


def opening_line(content: BakeContent) -> str:
    """The first sentence of the first scene that has text, with the ones after it as long as there is room."""
    text = next((one_line(scene["text"]) for scene in content["scenes"] if scene["text"].strip()), "")
    if len(text) <= OPENING_LENGTH:
        return text
    sentences = re.match(rf".{{20,{OPENING_LENGTH}}}[.!?…。！？]['\"”’»)]*(?=\s|$)", text)
    if sentences:
        return sentences.group()
    return cut(text, OPENING_LENGTH)


def link_picture_of(content: BakeContent) -> Picture:
    """The link-preview picture, 1200 x 630; the chosen scene's largest JPEG where there is none."""
    if content["card"]:
        return content["card"]
    return content["scenes"][content["cover"]]["still"]["landscape"]["jpeg"][-1]
