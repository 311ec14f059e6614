"""Views: one per reader, page and hour, whoever serves the page and whatever fails on the way."""

from __future__ import annotations

import json
import uuid

import pytest
from django.conf import settings
from django.test import Client

from capsules.models import Story
from config.redis_client import key
from publishing import tasks
from publishing.models import Publication, ViewCount, ViewMark
from publishing.pages import view_counts
from publishing.pages.view_counts import Notebook, add_views
from tests.support.running import forget_redis

pytestmark = pytest.mark.django_db
PATH = "/north-shore/small-voyages"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"


@pytest.fixture(autouse=True)
def empty_redis():
    if settings.REDIS_URL:
        forget_redis(settings.REDIS_PREFIX)


@pytest.fixture
def publication(live_story) -> Publication:
    return Publication.objects.get(story=live_story)


def visit(address: str = "192.0.2.7", agent: str = BROWSER, **headers: str) -> dict[str, str]:
    return {"REMOTE_ADDR": address, "HTTP_USER_AGENT": agent, **headers}


def counted(publication: Publication) -> int:
    tasks.flush_views()
    row = ViewCount.objects.filter(publication=publication).first()
    return row.views if row else 0


def test_a_reader_counts_once_an_hour_in_every_process_together(publication):
    one, other = Notebook(), Notebook()
    for notebook in (one, other, one):
        notebook.saw(publication.pk, visit())
        notebook.hand_over()
        notebook.saw(publication.pk, visit())
        notebook.hand_over()
    assert counted(publication) == 1


def test_another_reader_and_another_hour_count_again(publication):
    notebook = Notebook()
    notebook.saw(publication.pk, visit())
    notebook.saw(publication.pk, visit(address="192.0.2.8"))
    notebook.saw(publication.pk, visit(agent=BROWSER + " Edg/130"))
    notebook.hand_over()
    assert counted(publication) == 3


def test_the_next_hour_counts_again(publication, monkeypatch):
    notebook = Notebook()
    for now in (1_800_000_000, 1_800_003_599, 1_800_003_600):
        monkeypatch.setattr(view_counts.time, "time", lambda now=now: now)
        notebook.saw(publication.pk, visit())
        notebook.hand_over()
    assert counted(publication) == 2


@pytest.mark.parametrize(
    "seen",
    [
        visit(agent="Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
        visit(agent="Slackbot-LinkExpanding 1.0"),
        visit(agent="facebookexternalhit/1.1"),
        visit(agent="WhatsApp/2.23"),
        visit(agent="curl/8.5.0"),
        visit(agent="python-requests/2.32"),
        visit(agent="Mediapartners-Google"),
        visit(
            agent="meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"
        ),
        visit(agent=""),
    ],
)
def test_robots_do_not_count(seen, publication):
    notebook = Notebook()
    notebook.saw(publication.pk, seen)
    notebook.hand_over()
    assert counted(publication) == 0


def test_a_reader_is_no_robot_for_the_name_of_a_phone(publication):
    notebook = Notebook()
    notebook.saw(
        publication.pk, visit(agent="Mozilla/5.0 (Linux; Android 13; CUBOT X70) Chrome/130.0 Mobile")
    )
    notebook.hand_over()
    assert counted(publication) == 1


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(publication, settings):
    settings.BEHIND_PROXY = True
    notebook = Notebook()
    for claimed in ("1.1.1.1", "2.2.2.2"):  # what a client writes there itself makes no second reader
        notebook.saw(publication.pk, visit(address="10.0.0.1", HTTP_X_FORWARDED_FOR=f"{claimed}, 192.0.2.7"))
    notebook.hand_over()
    assert counted(publication) == 1


def test_nothing_that_is_kept_names_a_reader(publication):
    notebook = Notebook()
    notebook.saw(publication.pk, visit())
    notes = json.dumps(notebook.notes)
    notebook.hand_over()
    kept = notes + "".join(ViewMark.objects.values_list("mark", flat=True))
    if settings.REDIS_URL:
        client = view_counts.client()
        kept += str([client.smembers(name) for name in client.keys(key(f"{view_counts.SEEN}:*"))])
    assert "192.0.2.7" not in kept and "Mozilla" not in kept


def test_views_that_could_not_be_handed_over_are_kept_and_count_once(publication, monkeypatch):
    notebook = Notebook()
    notebook.saw(publication.pk, visit())
    really = view_counts.take_notes

    def answer_lost(hour, marks):
        really(hour, marks)
        raise TimeoutError("the answer did not arrive")

    monkeypatch.setattr(view_counts, "take_notes", answer_lost)
    with pytest.raises(TimeoutError):
        notebook.hand_over()
    monkeypatch.setattr(view_counts, "take_notes", really)
    notebook.saw(publication.pk, visit(address="192.0.2.9"))
    notebook.hand_over()
    assert counted(publication) == 2


def test_a_batch_that_comes_twice_counts_once(publication):
    flush = uuid.uuid4()
    assert add_views({publication.pk: 5}, flush) is True
    assert add_views({publication.pk: 5}, flush) is False
    assert add_views({publication.pk: 2, 999_999_999: 7}, uuid.uuid4()) is True
    assert counted(publication) == 7
    assert ViewCount.objects.count() == 1


def test_many_rows_take_few_statements(north_shore, django_assert_max_num_queries):
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title=f"Story {n}") for n in range(30))
    rows = Publication.objects.bulk_create([Publication(story=story) for story in stories])
    with django_assert_max_num_queries(8):
        add_views({row.pk: 3 for row in rows}, uuid.uuid4())
    assert set(ViewCount.objects.values_list("views", flat=True)) == {3}


@pytest.mark.skipif(
    not settings.REDIS_URL, reason="without Redis, page servers write to the database themselves"
)
def test_a_flusher_that_dies_half_way_loses_nothing_and_counts_nothing_twice(publication, monkeypatch):
    notebook = Notebook()
    notebook.saw(publication.pk, visit())
    notebook.hand_over()
    really = view_counts.add_views

    def died_after(*args):
        really(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(view_counts, "add_views", died_after)
    with pytest.raises(KeyboardInterrupt):
        view_counts.flush()
    monkeypatch.setattr(view_counts, "add_views", really)
    notebook.saw(publication.pk, visit(address="192.0.2.10"))
    notebook.hand_over()
    view_counts.flush()
    assert counted(publication) == 2


def test_page_and_embed_report_a_view_that_no_request_for_them_counts(publication, monkeypatch):
    client = Client(enforce_csrf_checks=True)
    monkeypatch.setattr("publishing.pages.views.notebook", notebook := Notebook())
    browser = {"User-Agent": BROWSER, "Origin": "null"}
    for path in (PATH, f"{PATH}/embed"):
        assert f'data-view="{PATH}/view"'.encode() in client.get(path, headers=browser).content
    assert notebook.notes == {}
    for _ in range(2):
        told = client.post(f"{PATH}/view", headers=browser)
        assert (told.status_code, told.content, told.cookies) == (204, b"", {})
    client.post(f"{PATH}/view", headers={"User-Agent": "Googlebot/2.1"})
    notebook.hand_over()
    assert counted(publication) == 1


def test_a_report_costs_one_query_and_needs_a_live_capsule(
    publication, api, client, django_assert_num_queries
):
    with django_assert_num_queries(1):
        assert client.post(f"{PATH}/view", headers={"User-Agent": BROWSER}).status_code == 204
    assert client.post("/north-shore/none/view").status_code == 404
    assert client.get(f"{PATH}/view").status_code == 405
    api.unpublish(publication.story)
    assert client.post(f"{PATH}/view", headers={"User-Agent": BROWSER}).status_code == 404


def test_made_up_agents_of_one_address_count_a_few_times(publication):
    notebook = Notebook()
    for number in range(200):
        notebook.saw(publication.pk, visit(agent=f"{BROWSER} made-up/{number}"))
        notebook.saw(
            publication.pk, visit(address=f"2001:db8::{number:x}", agent=f"{BROWSER} made-up/{number}")
        )
    notebook.hand_over()
    assert counted(publication) == 2 * view_counts.READERS_OF_AN_ADDRESS


def test_a_full_hour_keeps_no_more_marks(publication, monkeypatch):
    monkeypatch.setattr(view_counts, "MOST_MARKS", 3)
    notebook = Notebook()
    for number in range(9):
        notebook.saw(publication.pk, visit(address=f"192.0.2.{number}"))
        notebook.hand_over()
    assert counted(publication) == 3
