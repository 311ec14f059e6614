"""The numbers in the API and as CSV: what they add up to, who reads them, and what is refused."""

from __future__ import annotations

import csv
import io
import uuid
from collections import Counter
from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import tokens
from accounts.models import User, Workspace
from capsules.actions import previews
from capsules.models import Scene, Story
from publishing.models import Publication, SceneOrder
from publishing.statistics import counting
from publishing.statistics.sums import SOURCE, Change
from tests.support import factories
from tests.support.openapi import document

pytestmark = pytest.mark.django_db


def today() -> date:
    return timezone.now().date()


def yesterday() -> date:
    return today() - timedelta(days=1)


def count(
    publication: Publication, day, surface: int, *, edition: Publication | None = None, **facts: int
) -> None:
    page = (publication.pk, (edition or publication).pk, day.isoformat())
    changes = Counter(
        {Change(*page, surface, fact.removeprefix("s")): number for fact, number in facts.items()}
    )
    counting.add(changes, uuid.uuid4())


def sources(publication: Publication, day, **hosts: int) -> None:
    page = (publication.pk, publication.pk, day.isoformat(), SOURCE)
    names = {"none": "", "small": "small.example", "large": "large.example"}
    changes = Counter({Change(*page, names[host]): number for host, number in hosts.items()})
    counting.add(changes, uuid.uuid4())


@pytest.fixture
def numbers(clock_stands, live_story) -> Publication:
    publication = Publication.objects.select_related("live_bake__preview").get(story=live_story)
    SceneOrder.objects.create(edition=publication, keys=["gone", *publication.live_bake.scene_keys()])
    count(publication, yesterday(), 1, o=10, r=8, f=4, s0=1, s1=10, s2=8, s3=5, s4=4)
    count(publication, today(), 2, o=3, r=1, s1=3, s2=1)
    count(publication, today(), 3, o=2, s1=2)
    count(publication, today() - timedelta(days=29), 1, o=1, s1=1)
    count(publication, today() - timedelta(days=30), 1, o=100)
    sources(publication, yesterday(), none=5, small=2, large=3)
    sources(publication, today(), none=1, small=2, large=2)
    return publication


def of(api: factories.Api, story: Story | uuid.UUID, query: str = "", **headers: str):
    return api.get(f"/stories/{getattr(story, 'pk', story)}/statistics{query}", headers=headers)


def rows_of(answer) -> list[list[str]]:
    assert (
        answer["Content-Type"] == "text/csv; charset=utf-8" and "attachment" in answer["Content-Disposition"]
    )
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


@pytest.mark.parametrize(
    "slug, title, named",
    [("by-the-sea", "Small", "by-the-sea"), (None, "Frühling", "fruhling"), (None, "„“", "capsule")],
)
def test_a_file_is_named_after_what_it_tells_of(slug, title, named, ready_story, api, north_shore):
    """So that those of two capsules, or of two months, are not taken for one another."""
    Publication.objects.create(story=ready_story, slug=slug)
    Story.objects.filter(pk=ready_story.pk).update(title=title)
    days = "from=2026-11-01&to=2026-11-08"
    file = of(api, ready_story, f"?table=scenes&{days}", Accept="text/csv")
    assert file["Content-Disposition"] == f'attachment; filename="{named}-scenes-2026-11-01-2026-11-08.csv"'
    file = api.get(f"/workspaces/{north_shore.pk}/statistics?{days}", headers={"Accept": "text/csv"})
    name = 'filename="north-shore-days-2026-11-01-2026-11-08.csv"'
    assert file["Content-Disposition"] == f"attachment; {name}"


def test_the_numbers_of_a_story(numbers, live_story, api, owner):
    Scene.objects.filter(story=live_story).order_by("-position").first().delete()
    answer = of(api, live_story)
    told = answer.json()
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    assert (told["to"], told["timeZone"], len(told["days"])) == (today().isoformat(), "UTC", 30)
    assert told["totals"] == {"opened": 16, "read": 9, "finished": 4}
    assert told["days"][-2] == {"date": yesterday().isoformat(), "opened": 10, "read": 8, "finished": 4}
    assert told["days"][-3]["opened"] == 0 and told["days"][0]["opened"] == 1
    assert [(scene["position"], scene["reached"]) for scene in told["scenes"]] == [
        (1, 16),
        (2, 9),
        (3, 5),
        (4, 4),
    ]
    assert told["scenes"][-1]["sceneId"] is None and uuid.UUID(told["scenes"][0]["sceneId"])
    assert told["surfaces"] == {"page": 11, "embed": 3, "mail": 2}
    assert told["sources"] == [
        {"host": None, "opened": 6},
        {"host": "large.example", "opened": 3},
        {"host": "others", "opened": 6},
    ]
    (version,) = told["versions"]
    assert version["number"] == 1 and datetime.fromisoformat(version["at"]).date() == today()
    year = of(api, live_story, f"?from={today() - timedelta(days=365)}").json()
    assert year["totals"]["opened"] == 116 and len(year["days"]) == 366
    day = of(api, live_story, f"?from={yesterday()}&to={yesterday()}").json()
    assert (day["totals"]["opened"], day["versions"]) == (10, [])
    assert [source["host"] for source in day["sources"]] == [None, "large.example", "others"]


def test_a_version_is_marked_where_it_went_live_and_not_where_it_was_published_again(live_story, api):
    def marks(query: str = "") -> list[int]:
        return [version["number"] for version in of(api, live_story, query).json()["versions"]]

    api.publish(live_story)
    assert marks() == [1]
    tomorrow = today() + timedelta(days=1)
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        api.publish(live_story)
        assert marks(f"?from={tomorrow}") == []
    api.unpublish(live_story)
    api.publish(live_story)
    assert marks() == [1, 1]
    api.call("PATCH", f"/stories/{live_story.pk}", {"title": "Larger voyages"})
    previews.build_preview(live_story)
    api.publish(live_story)
    assert marks() == [1, 1, 2]


def test_an_edition_has_numbers_of_its_own(numbers, live_story, api):
    edition = Story.objects.create(
        workspace=live_story.workspace, capsule=live_story, edition_name="deutsch", title="Kleine Reisen"
    )
    own = Publication.objects.create(story=edition)
    count(numbers, today(), 1, edition=own, o=7, r=7)
    opened = {
        name: of(api, story, query).json()["totals"]["opened"]
        for name, story, query in (
            ("all", live_story, ""),
            ("default", live_story, "?edition="),
            ("german", live_story, "?edition=deutsch"),
            ("itself", edition, ""),
        )
    }
    assert opened == {"all": 23, "default": 16, "german": 7, "itself": 7}
    for story, name in ((live_story, "none"), (edition, "deutsch")):
        refused = of(api, story, f"?edition={name}")
        assert refused.status_code == 404 and refused.json()["details"][0]["path"] == "edition"


def test_the_numbers_of_a_workspace_come_page_by_page(numbers, live_story, north_shore, api):
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title=f"=Story {n}") for n in range(4))
    edition = {"capsule": live_story, "edition_name": "deutsch", "edition_label": "Auf Deutsch"}
    Story.objects.filter(pk=stories[3].pk).update(**edition)
    for number, row in enumerate(
        Publication.objects.bulk_create(Publication(story=each) for each in stories)
    ):
        count(row, today(), 1, o=number + 20, r=number)
    path = f"/workspaces/{north_shore.pk}/statistics"
    first = api.get(f"{path}?limit=3").json()
    assert first["totals"] == {"opened": 16 + 86, "read": 9 + 6, "finished": 4}
    assert [row["opened"] for row in first["stories"]] == [23, 22, 21]
    rest = api.get(f"{path}?limit=3&cursor={first['nextCursor']}").json()
    assert [row["opened"] for row in rest["stories"]] == [20, 16] and rest["nextCursor"] is None
    assert sum(day["opened"] for day in first["days"]) == first["totals"]["opened"]
    table = rows_of(api.get(f"{path}?table=stories", headers={"Accept": "text/csv"}))
    assert table[0] == ["storyId", "title", "opened", "read", "finished", "editionLabel"] and len(table) == 6
    assert table[1][1] == "'=Story 3"  # no formula
    assert [row[5] for row in table[1:]] == [
        row["editionLabel"] for row in first["stories"] + rest["stories"]
    ]
    assert [row[5] for row in table[1:3]] == ["Auf Deutsch", ""], (
        "of an edition, so that it is told from its capsule"
    )
    days = rows_of(api.get(path, headers={"Accept": "text/csv; q=1"}))
    assert [[*day.values()] for day in first["days"]] == [
        [day, int(opened), int(read), int(finished)] for day, opened, read, finished in days[1:]
    ]


@pytest.mark.parametrize("path", ["/stories/{id}/statistics", "/workspaces/{workspace}/statistics"])
def test_the_document_says_that_numbers_come_as_csv_too(path):
    told = document()["paths"][f"/api/v2{path}"]["get"]["responses"]
    assert set(told["200"]["content"]) == {"application/json", "text/csv"}
    assert set(told["200"]["headers"]) == {"Content-Disposition"}
    assert set(told["404"]["content"]) == {"application/json"}


def test_a_csv_file_has_the_same_numbers(numbers, live_story, api):
    told = of(api, live_story).json()
    for table, columns in {
        "days": ["date", "opened", "read", "finished"],
        "scenes": ["position", "title", "reached", "sceneId"],
        "sources": ["host", "opened"],
    }.items():
        rows = rows_of(of(api, live_story, f"?table={table}", Accept="text/csv"))
        assert rows[0] == columns
        assert rows[1:] == [["" if row[c] is None else str(row[c]) for c in columns] for row in told[table]]
    assert of(api, live_story, Accept="text/html").json() == told


def test_whoever_prefers_csv_gets_it(numbers, live_story, api):
    for accept, kind in (
        ("text/csv;q=0", "application/json"),
        ("application/json;q=0.5, text/csv", "text/csv"),
        ("text/html, */*;q=0.8", "application/json"),
        ("TEXT/CSV", "text/csv"),
        ("text/csv;q=x", "text/csv"),
        ("text/csv;header=present;q=0.9, */*;q=0.1", "text/csv"),
        ("application/json; charset=utf-8, text/csv; q=0.5", "application/json"),
    ):
        answer = of(api, live_story, Accept=accept)
        assert answer["Content-Type"].partition(";")[0] == kind, accept


def test_what_is_refused(numbers, live_story, north_shore, api):
    for query, path in {
        "?from=2026-13-01": "from",
        "?from=yesterday": "from",
        "?from=20260201": "from",
        "?from=\u0662026-02-01": "from",
        "?to=0001-01-05": "to",
        "?from=2026-02-02&to=2026-02-01": "from",
        "?from=2025-01-01&to=2026-01-02": "from",
        "?since=2026-01-01": "since",
        "?table=stories": "table",
    }.items():
        refused = of(api, live_story, query)
        assert refused.status_code == 400 and refused.json()["details"][0]["path"] == path, query
    assert of(api, live_story, "?from=2025-01-01&to=2026-01-01").status_code == 200
    path = f"/workspaces/{north_shore.pk}/statistics"
    for query, name in {"?edition=x": "edition", "?limit=0": "limit", "?cursor=x": "cursor"}.items():
        assert api.get(path + query).json()["details"][0]["path"] == name


def test_every_member_reads_them_and_nobody_else(numbers, live_story, north_shore, client):
    factories.make_workspace("other-house")
    paths = (f"/api/v2/stories/{live_story.pk}/statistics", f"/api/v2/workspaces/{north_shore.pk}/statistics")
    for email, status in {"viewer@north-shore.example": 200, "owner@other-house.example": 404}.items():
        token = tokens.issue(User.objects.get(email=email))
        for path in paths:
            for headers in ({}, {"Accept": "text/csv"}):
                answer = client.get(path, headers={"Authorization": f"Bearer {token}", **headers})
                assert answer.status_code == status, (email, path)
    assert [client.get(path).status_code for path in paths] == [401, 401]


def test_a_day_is_the_workspaces(numbers, live_story, api):
    Workspace.objects.update(time_zone="Pacific/Kiritimati")  # 14 hours ahead
    told = of(api, live_story).json()
    ahead = (timezone.now() + timedelta(hours=14)).date()
    assert (told["to"], told["timeZone"]) == (ahead.isoformat(), "Pacific/Kiritimati")
