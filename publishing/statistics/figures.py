"""The numbers of a story and of a workspace: what the API answers, the studio draws, and a CSV file has."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from accounts.models import Workspace
from capsules.models import Scene, Story
from config.errors import Fault, Invalid, NotFound
from publishing.models import (
    Bake,
    Publication,
    PublicationEvent,
    ReadDay,
    ReadMonth,
    ReadSource,
    SceneOrder,
    Surface,
    WorkspaceDay,
)
from publishing.statistics.keeping import FEWEST

DAYS = 30  # shown where nobody says from when
MOST_DAYS = 366
MOST_SOURCES = 100
HALF = 15  # days of a month
SUMS = {name: Sum(name) for name in ("opened", "read", "finished")}
NO_EDITION = gettext_noop("There is no edition of this name.")
WENT_LIVE = (
    PublicationEvent.Action.PUBLISHED,
    PublicationEvent.Action.REPUBLISHED,
    PublicationEvent.Action.RESTORED,
)


class Span(NamedTuple):
    """Days from `first` to `last`, both of them too."""

    first: date
    last: date
    time_zone: str

    def days(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]


@dataclass
class Reads:
    opened: int = 0
    read: int = 0
    finished: int = 0


@dataclass
class DayReads(Reads):
    date: date = date.min


@dataclass
class SceneReads:
    scene_id: str | None
    position: int
    title: str
    reached: int


@dataclass
class SourceReads:
    host: str | None  # none was told
    opened: int


@dataclass
class VersionLive:
    number: int
    at: datetime


@dataclass
class StoryReads(Reads):
    story_id: str = ""
    title: str = ""
    edition: str = ""  # its label, of an edition
    is_in_trash: bool = False


@dataclass
class StoryNumbers:
    span: Span
    totals: Reads
    days: list[DayReads]
    scenes: list[SceneReads] = field(default_factory=list)
    surfaces: dict[str, int] = field(default_factory=dict)
    sources: list[SourceReads] = field(default_factory=list)
    versions: list[VersionLive] = field(default_factory=list)


@dataclass
class WorkspaceNumbers:
    span: Span
    totals: Reads
    days: list[DayReads]
    stories: list[StoryReads]


def today_in(workspace: Workspace) -> date:
    return timezone.now().astimezone(ZoneInfo(workspace.time_zone)).date()


def span_of(workspace: Workspace, first: date | None = None, last: date | None = None) -> Span:
    """The days that are asked for, in the workspace's zone; the last DAYS of them where none are. Raises Invalid."""
    last = last or (today_in(workspace) if first is None else max(first, today_in(workspace)))
    first = first or last - timedelta(days=DAYS - 1)
    if first > last:
        raise Invalid(faults=[Fault("from", gettext("Must not be after the last day."))])
    if (last - first).days >= MOST_DAYS:
        words = gettext("At most %(most)s days are answered at once.") % {"most": MOST_DAYS}
        raise Invalid(faults=[Fault("from", words)])
    return Span(first, last, workspace.time_zone)


def of_story(story: Story, span: Span, edition: str | None = None) -> StoryNumbers:
    """The numbers of a capsule with its editions, or of one edition: "" is the default one. Raises NotFound."""
    read = edition_of(story, edition)
    whose = Q(edition__story=read) if edition is not None or story.capsule_id else Q(publication__story=story)
    rows = ReadDay.objects.filter(whose, day__range=(span.first, span.last))
    sources = ReadSource.objects.filter(whose, day__range=(span.first, span.last))
    return StoryNumbers(
        span,
        Reads(**totals_of(rows)),
        days_of(rows, span),
        scenes_of(read, rows.filter(edition__story=read)),
        surfaces_of(rows),
        sources_of(sources),
        versions_of(read, span),
    )


def edition_of(story: Story, name: str | None) -> Story:
    if not name:
        return story
    found = story.editions.filter(edition_name=name).first()
    if found is None:
        raise NotFound(gettext(NO_EDITION), faults=[Fault("edition", gettext(NO_EDITION))])
    return found


def totals_of(rows: QuerySet[ReadDay]) -> dict[str, int]:
    return {name: number or 0 for name, number in rows.aggregate(**SUMS).items()}


def days_of(rows: QuerySet[ReadDay] | QuerySet[WorkspaceDay], span: Span) -> list[DayReads]:
    found: dict[date, dict[str, int]] = {
        day: dict(zip(SUMS, sums, strict=True))
        for day, *sums in rows.order_by().values_list("day").annotate(*SUMS.values())
    }
    return [DayReads(**found.get(day, {}), date=day) for day in span.days()]


def scenes_of(story: Story, rows: QuerySet[ReadDay]) -> list[SceneReads]:
    """The scenes as they are live, or were last."""
    publication = Publication.objects.filter(story=story).select_related("live_bake__preview").first()
    bake = publication.live_bake if publication else None
    bake = bake or Bake.objects.filter(story=story).select_related("preview").first()
    if bake is None:
        return []
    order = SceneOrder.objects.filter(edition=publication).first()
    places = {key: place for place, key in enumerate(order.keys if order else [])}
    reached: Counter[int] = Counter()
    for numbers in rows.values_list("reached", flat=True):
        reached.update(dict(enumerate(numbers)))
    there = {str(key) for key in Scene.objects.filter(story=story).values_list("key", flat=True)}
    return [
        SceneReads(key if key in there else None, number, scene["title"], reached[places.get(key, -1)])
        for number, (key, scene) in enumerate(zip(bake.scene_keys(), bake.content["scenes"], strict=False), 1)
    ]


def surfaces_of(rows: QuerySet[ReadDay]) -> dict[str, int]:
    found = dict(rows.order_by().values_list("surface").annotate(Sum("opened")))
    return {surface.label: found.get(surface.value, 0) for surface in Surface}


def sources_of(rows: QuerySet[ReadSource]) -> list[SourceReads]:
    """The sites that most came from. Of a day, one under FEWEST readers is among the others."""
    opened: Counter[str] = Counter()
    for _, host, number in rows.order_by().values_list("day", "host").annotate(Sum("opened")):
        opened[host if not host or number >= FEWEST else ReadSource.OTHERS] += number
    ranked = [(host, number) for host, number in opened.most_common() if number]
    shown = [pair for pair in ranked if pair[0] != ReadSource.OTHERS][:MOST_SOURCES]
    others = sum(number for _, number in ranked) - sum(number for _, number in shown)
    told = [SourceReads(host or None, number) for host, number in shown]
    return [*told, SourceReads(ReadSource.OTHERS, others)] if others else told


def versions_of(story: Story, span: Span) -> list[VersionLive]:
    """When another version went live, the oldest first."""
    zone = ZoneInfo(span.time_zone)
    first, last = (datetime.combine(day, time(), zone) for day in (span.first, span.last + timedelta(days=1)))
    events = PublicationEvent.objects.filter(
        story=story, action__in=WENT_LIVE, bake__isnull=False, at__lt=last
    )
    found: list[VersionLive] = []
    for action, number, at in events.order_by("at").values_list("action", "bake__number", "at"):
        is_known = action == PublicationEvent.Action.REPUBLISHED and found and found[-1].number == number
        if not is_known:  # to publish once more without a change brings no other version
            found.append(VersionLive(number, at))
    return [version for version in found if version.at >= first]


TOLD_APART = ("story__title", "story__edition_label", "story__edition_name", "story__deleted_at")


def of_workspace(workspace: Workspace, span: Span) -> WorkspaceNumbers:
    """The numbers of a workspace, with those of every capsule that was read, the most opened first."""
    own = Publication.objects.filter(story__workspace=workspace)
    read = reads_of(workspace, span)
    stories = [
        StoryReads(
            **read[pk], story_id=str(story), title=title, edition=label or name, is_in_trash=bool(gone)
        )
        for pk, story, title, label, name, gone in own.values_list("pk", "story_id", *TOLD_APART)
        if pk in read
    ]
    stories.sort(key=lambda story: (-story.opened, story.story_id))
    totals = {name: sum(getattr(story, name) for story in stories) for name in SUMS}
    rows = WorkspaceDay.objects.filter(workspace=workspace, day__range=(span.first, span.last))
    return WorkspaceNumbers(span, Reads(**totals), days_of(rows, span), stories)


def reads_of(workspace: Workspace, span: Span) -> dict[int, Counter[str]]:
    """The sums of each publication that was read: of the months that are nearest to the span as they are kept, with
    the days that it has beside them and without those that it has not.
    """
    after = span.last + timedelta(days=1)
    first_month, last_month = nearest_month(span.first), nearest_month(after)
    own = Publication.objects.filter(story__workspace=workspace)
    months = ReadMonth.objects.filter(publication__in=own, month__gte=first_month, month__lt=last_month)
    all_days = WorkspaceDay.objects.filter(workspace=workspace)
    last_read = all_days.aggregate(last=Max("day"))["last"] or date.min
    parts: list[tuple[QuerySet[ReadMonth] | QuerySet[ReadDay], int]] = [(months, 1)]
    ends = [(span.first, first_month, 1), (after, last_month, -1)]
    if first_month == last_month:
        ends = [(span.first, after, 1)]
    for day, month, sign in ends:
        days = ReadDay.objects.filter(publication__in=own, day__gte=min(day, month), day__lt=max(day, month))
        if day != month and min(day, month) <= last_read:
            parts.append((days, sign if day < month else -sign))
    found = defaultdict[int, Counter[str]](Counter)
    for rows, sign in parts:
        for pk, *sums in rows.order_by().values_list("publication").annotate(*SUMS.values()):
            found[pk].update({name: sign * number for name, number in zip(SUMS, sums, strict=True)})
    return {pk: sums for pk, sums in found.items() if any(sums.values())}


def nearest_month(day: date) -> date:
    """The first day of a month, at most half a month away."""
    return day.replace(day=1) if day.day <= HALF else (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def table_of(numbers: StoryNumbers | WorkspaceNumbers, name: str) -> list[list[object]]:
    """Rows under a row of names: `days`, `scenes`, `sources`, `stories`."""
    heads: dict[str, tuple[str, ...]] = {
        "days": ("date", "opened", "read", "finished"),
        "scenes": ("position", "title", "reached", "scene_id"),
        "sources": ("host", "opened"),
        "stories": ("story_id", "title", "opened", "read", "finished", "edition"),
    }
    columns = heads[name]
    rows = [[getattr(row, column) for column in columns] for row in getattr(numbers, name)]
    return [[WIRE.get(column, column) for column in columns], *rows]


WIRE = {"scene_id": "sceneId", "story_id": "storyId", "edition": "editionLabel"}
