"""GET /stories/{id}/statistics and GET /workspaces/{id}/statistics."""

from __future__ import annotations

from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import STORIES_READ
from accounts.models import Workspace
from accounts.throttling import CredentialThrottle
from capsules.api import examples
from capsules.api.base import AuthorViewSet
from capsules.models import Story
from config import cursors
from config.api import query
from config.ascii import ascii_words
from config.schema import operation
from publishing.models import Publication
from publishing.statistics import figures
from publishing.statistics.figures import Span, StoryNumbers, WorkspaceNumbers
from publishing.statistics.wire import (
    StoryNumbersSerializer,
    StoryQuerySerializer,
    WorkspaceNumbersSerializer,
    WorkspaceQuerySerializer,
    csv_of,
)

CSV = "text/csv; charset=utf-8"
OFFERED = ("application/json", "text/csv")
AS_CSV = "With `Accept: text/csv`, the same numbers as a CSV file; `table` says which (`days` where it is left out)."
READS = {"opened": 412, "read": 377, "finished": 205}
SHOWN = {
    "from": "2026-11-22",
    "to": "2026-11-23",
    "timeZone": "Europe/Lisbon",
    "totals": READS,
    "days": [
        {"date": "2026-11-22", "opened": 400, "read": 367, "finished": 200},
        {"date": "2026-11-23", "opened": 12, "read": 10, "finished": 5},
    ],
}
STORY = {
    **SHOWN,
    "scenes": [{"sceneId": examples.STORY_ID, "position": 1, "title": "A harbour", "reached": 412}],
    "surfaces": {"page": 300, "embed": 100, "mail": 12},
    "sources": [{"host": None, "opened": 312}, {"host": "news.example", "opened": 100}],
    "versions": [{"number": 4, "at": "2026-11-22T09:30:00Z"}],
}
WORKSPACE = {
    **SHOWN,
    "stories": [{"storyId": examples.STORY_ID, "title": "Small voyages", **READS, "editionLabel": ""}],
    "nextCursor": None,
}


class StatisticsViewSet(AuthorViewSet):
    """Every member reads them, viewers too."""

    throttle_classes = [CredentialThrottle]
    scopes: ClassVar = {"story_numbers": STORIES_READ, "workspace_numbers": STORIES_READ}

    @operation(
        "getStoryStatistics",
        "How a story is read",
        "Statistics",
        StoryNumbersSerializer,
        STORY,
        parameters=[StoryQuerySerializer],
        description="Readers a day, added up: who reads on two days counts on both. " + AS_CSV,
        or_csv=True,
    )
    def story_numbers(self, request: Request, id: str) -> HttpResponse:
        story = self.story(id)
        asked = query(StoryQuerySerializer, request)
        span = span_of(story.workspace, asked)
        numbers = figures.of_story(story, span, asked.get("edition"))
        if wants_csv(request):
            return csv_response(numbers, asked.get("table", "days"), of=story)
        return Response(StoryNumbersSerializer(numbers).data)

    @operation(
        "getWorkspaceStatistics",
        "How a workspace is read",
        "Statistics",
        WorkspaceNumbersSerializer,
        WORKSPACE,
        parameters=[WorkspaceQuerySerializer],
        description="Readers a day and capsule, added up. " + AS_CSV,
        or_csv=True,
    )
    def workspace_numbers(self, request: Request, workspace: str) -> HttpResponse:
        found = self.workspace(workspace)
        asked = query(WorkspaceQuerySerializer, request)
        numbers = figures.of_workspace(found, span_of(found, asked))
        if wants_csv(request):
            return csv_response(numbers, asked.get("table", "days"), of=found)
        name, start, limit = f"statistics {found.pk}", 0, asked["limit"]
        if asked["cursor"] is not None:
            (start,) = cursors.decode(name, "q", asked["cursor"])
        end = start + limit
        told = WorkspaceNumbersSerializer(
            {
                **vars(numbers),
                "stories": numbers.stories[start:end],
                "next_cursor": cursors.encode(name, "q", end) if end < len(numbers.stories) else None,
            }
        )
        return Response(told.data)


def span_of(workspace: Workspace, asked: dict[str, object]) -> Span:
    return figures.span_of(workspace, asked.get("from"), asked.get("to"))  # type: ignore[arg-type]


def file_words(of: Story | Workspace) -> str:
    """What it is about in ASCII letters."""
    if isinstance(of, Workspace):
        return of.name
    publication: Publication | None = getattr(of, "publication", None)
    return (publication and publication.slug) or ascii_words(of.title, 50) or "capsule"


def wants_csv(request: Request) -> bool:
    # Also with parameters, such as charset, which Django takes for other types.
    sent = [str(each) for each in request.accepted_types if f"{each.main_type}/{each.sub_type}" in OFFERED]
    return (request.get_preferred_type([*OFFERED, *sent]) or "").startswith("text/csv")


def csv_response(
    numbers: StoryNumbers | WorkspaceNumbers, table: str, *, of: Story | Workspace
) -> HttpResponse:
    """The file of a table, named after what it is about, the table and the days."""
    name = "-".join([file_words(of), table, f"{numbers.span.first}", f"{numbers.span.last}"])
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return HttpResponse(csv_of(numbers, table), content_type=CSV, headers=headers)
