"""The studio's pages of numbers say what the API says, to every member and to nobody else."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import pytest
from django.utils import timezone

from accounts.models import Workspace
from capsules.models import Story
from publishing.models import Publication, ReadDay, ReadMonth
from tests.statistics.test_numbers import numbers, rows_of, today
from tests.support.markup import parsed

pytestmark = pytest.mark.django_db
__all__ = ["numbers"]


@pytest.fixture
def page(client, person):
    def opened(path: str, who: str = "viewer", **kwargs):
        client.force_login(person(who))
        return client.get(path, **kwargs)

    return opened


def test_page_api_and_file_say_the_same(numbers, live_story, north_shore, api, page):
    told = api.get(f"/stories/{live_story.pk}/statistics").json()
    path = f"/studio/stories/{live_story.pk}/statistics"
    html = page(path).content.decode()
    totals = re.findall(r"<dd>(\d+)</dd>", html)
    assert totals == [str(told["totals"][name]) for name in ("opened", "read", "finished")]
    rows = re.findall(r"</th><td>(\d+)</td>\s*<td>(\d+)</td>\s*<td>(\d+)</td></tr>", html)
    assert rows == [tuple(str(day[name]) for name in ("opened", "read", "finished")) for day in told["days"]]
    assert re.findall(r"(\d+) reached it", html) == [str(scene["reached"]) for scene in told["scenes"]]
    assert "Most leave right before scene 2: 7" in html and "Version 1 went live" in html
    assert "edition=" not in html
    of_the_original = page(f"{path}?edition=").content.decode()
    links = re.findall(r'href="([^"]*[?]from=[^"]*)"', of_the_original)
    assert len(links) == 7 and all(link.endswith("&amp;edition=") for link in links)
    assert "small.example" not in html and "large.example" in html
    for table in ("days", "scenes", "sources"):
        file = page(f"{path}.csv?table={table}")
        assert (
            file.content
            == api.get(
                f"/stories/{live_story.pk}/statistics?table={table}", headers={"Accept": "text/csv"}
            ).content
        )
    whole = page(f"/studio/{north_shore.pk}/statistics").content.decode()
    assert f'href="{path}">Small voyages</a>' in whole and "<dd>16</dd>" in whole
    stories = rows_of(page(f"/studio/{north_shore.pk}/statistics.csv?table=stories"))
    assert stories[1][2:] == ["16", "9", "4", ""]


def test_the_edition_that_is_shown_is_marked(numbers, live_story, page):
    edition = Story.objects.create(
        workspace=live_story.workspace, capsule=live_story, edition_name="deutsch", title="Kleine Reisen"
    )
    Publication.objects.create(story=edition)
    for chosen in (None, "", "deutsch"):
        data = {} if chosen is None else {"edition": chosen}
        tree = parsed(page(f"/studio/stories/{live_story.pk}/statistics", data=data))
        choice = next(it for it in tree.iter("nav") if it.get("aria-label") == "Which edition")
        [marked] = [it.get("href") for it in choice.iter("a") if it.get("aria-current") == "page"]
        assert parse_qs(marked[1:], keep_blank_values=True).get("edition", [None]) == [chosen]


def test_an_edition_is_told_apart_from_its_capsule(numbers, live_story, north_shore, page):
    edition = Story.objects.create(
        workspace=north_shore, capsule=live_story, edition_name="deutsch", title=live_story.title
    )
    own = Publication.objects.create(story=edition)
    for sums in (ReadDay, ReadMonth):  # the page reads a whole month as one
        sums.objects.update(publication=own)
    for label in ("deutsch", "Auf Deutsch"):
        assert f"<bdi>{label}</bdi></th>" in page(f"/studio/{north_shore.pk}/statistics").content.decode()
        Story.objects.filter(pk=edition.pk).update(edition_label="Auf Deutsch")


def test_what_is_in_the_trash_stays_in_the_sums_and_leads_to_no_page(numbers, live_story, north_shore, page):
    address = f"/studio/{north_shore.pk}/statistics"
    before = page(address).context["numbers"].totals
    Story.objects.filter(pk=live_story.pk).update(deleted_at=timezone.now())
    answer = page(address)
    assert answer.context["numbers"].totals == before
    text = answer.content.decode()
    assert live_story.title in text and str(live_story.pk) not in text


def test_a_first_look_says_when_numbers_will_come(live_story, ready_story, north_shore, page):
    assert "Nobody has opened it yet" in page(f"/studio/stories/{live_story.pk}/statistics").content.decode()
    assert "Nobody has opened a capsule" in page(f"/studio/{north_shore.pk}/statistics").content.decode()


def test_days_that_are_none_are_told_and_the_usual_ones_shown(numbers, live_story, page):
    path = f"/studio/stories/{live_story.pk}/statistics"
    for query in ("from=2026-02-30", "from=2020-01-01&to=2026-01-01"):
        shown = page(f"{path}?{query}")
        assert shown.status_code == 200 and 'class="message error"' in shown.content.decode(), query
        assert page(f"{path}.csv?{query}").status_code == 404
    assert page(f"{path}?edition=none").status_code == 404
    assert page(f"{path}.csv?table=stories").status_code == 404
    one = page(f"{path}?from={today()}&to={today()}").content.decode()
    assert 'class="message error"' not in one and "<dd>5</dd>" in one


def test_strangers_find_no_numbers_and_managers_alone_choose_whose_days(
    numbers, live_story, north_shore, page, client
):
    paths = [f"/studio/{north_shore.pk}/statistics", f"/studio/stories/{live_story.pk}/statistics"]
    for path in paths:
        for ending in ("", ".csv"):
            assert page(path + ending, "stranger").status_code == 404
    for who, zone, kept in (
        ("viewer", "Asia/Tokyo", "UTC"),
        ("admin", "Moon/Crater", "UTC"),
        ("admin", "Asia/Tokyo", "Asia/Tokyo"),
    ):
        page(paths[0], who)
        client.post(paths[0], {"time_zone": zone})
        assert Workspace.objects.get(pk=north_shore.pk).time_zone == kept, (who, zone)
