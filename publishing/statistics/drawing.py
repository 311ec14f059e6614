"""Numbers as shapes: what templates put into SVG, so that no script draws and the policy of pages stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from django.utils.dates import MONTHS_3
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from publishing.statistics.figures import DayReads, SceneReads, StoryNumbers, WorkspaceNumbers

ROW = '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>'
WIDTH, HEIGHT = 1000, 200  # of the drawing, which is stretched to the width that there is


@dataclass
class Mark:
    """A version that went live."""

    x: float
    number: int
    day: date


@dataclass
class Chart:
    opened: str  # points of a line
    finished: str
    area: str
    most: int
    marks: list[Mark]
    rows: SafeString  # of the table with the same numbers


@dataclass
class Step:
    """A scene with how many of those who opened it reached it."""

    scene: SceneReads
    percent: int
    lost: int


def chart_of(numbers: StoryNumbers | WorkspaceNumbers) -> Chart:
    most = max((max(day.opened, day.finished) for day in numbers.days), default=0)
    opened = points([day.opened for day in numbers.days], most)
    marks = marks_of(numbers) if isinstance(numbers, StoryNumbers) else []
    finished = points([day.finished for day in numbers.days], most)
    area = f"0,{HEIGHT} {opened} {WIDTH},{HEIGHT}"
    return Chart(opened, finished, area, most, marks, rows_of(numbers.days))


def rows_of(days: list[DayReads]) -> SafeString:
    """A year has 366 of them, which a loop of a template would take most of the time of the page for."""
    months = {number: str(name).title() for number, name in MONTHS_3.items()}
    told = (
        (f"{each.date.day} {months[each.date.month]} {each.date.year}", each.opened, each.read, each.finished)
        for each in days
    )
    return format_html_join("\n", ROW, told)


def points(values: list[int], most: int) -> str:
    return " ".join(
        f"{x_of(place, len(values)):.1f},{HEIGHT - value / (most or 1) * (HEIGHT - 4):.1f}"
        for place, value in enumerate(values)
    )


def x_of(place: int, count: int) -> float:
    return WIDTH / 2 if count == 1 else place / (count - 1) * WIDTH


def marks_of(numbers: StoryNumbers) -> list[Mark]:
    zone, days = ZoneInfo(numbers.span.time_zone), numbers.span.days()
    told = [(version.number, version.at.astimezone(zone).date()) for version in numbers.versions]
    return [Mark(x_of((day - days[0]).days, len(days)), number, day) for number, day in told]


def steps_of(scenes: list[SceneReads]) -> list[Step]:
    """The scenes as falling steps, each with how many it lost against the one before."""
    first = scenes[0].reached if scenes else 0
    before = [scene.reached for scene in scenes[:1] + scenes[:-1]]
    return [
        Step(scene, round(100 * scene.reached / first) if first else 0, max(0, lost_from - scene.reached))
        for scene, lost_from in zip(scenes, before, strict=True)
    ]


def steepest(steps: list[Step]) -> Step | None:
    """The scene before which most left; None where nobody did."""
    worst = max(steps, key=lambda step: step.lost, default=None)
    return worst if worst and worst.lost else None
