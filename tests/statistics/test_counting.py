"""Counting reads: each reader once a day for a capsule, whatever is told, and whatever fails on the way."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from capsules.models import Story
from config.redis_client import key
from publishing.models import Bake, Publication, ReadDay, ReadSource, SceneOrder, ViewCount
from publishing.statistics import beacon, counting, keeping, marks, notebook, sums
from publishing.statistics.notebook import Notebook
from tests.support.agents import BROWSER, READERS, ROBOTS
from tests.support.marks import forget_marks

pytestmark = pytest.mark.django_db
OPENED = {"b": "1", "e": "", "s": "page", "o": "1"}


@pytest.fixture(autouse=True)
def book(monkeypatch) -> Notebook:
    forget_marks()
    beacon.scenes_told.cache_clear()  # the rows behind them are rolled back with each test
    beacon.live_in.cache_clear()
    monkeypatch.setattr(beacon, "notebook", fresh := Notebook())
    return fresh


@pytest.fixture
def publication(live_story) -> Publication:
    return Publication.objects.get(story=live_story)


@pytest.fixture
def tell(publication, book):
    """Tells the service what a page tells, and has it counted."""

    def told(
        fields: dict[str, str], *, address="192.0.2.7", agent=BROWSER, to=0, count=True, **headers
    ) -> int:
        answer = Client(enforce_csrf_checks=True).post(
            f"/r/{to or publication.pk}",
            "&".join(f"{name}={value}" for name, value in fields.items()),
            content_type="application/x-www-form-urlencoded",
            headers={"User-Agent": agent, **headers},
            REMOTE_ADDR=address,
        )
        if count:
            book.hand_over()
        return answer.status_code

    return told


def test_an_edition_that_cannot_be_is_refused(tell):
    assert tell({**OPENED, "e": "%00"}) == 400


def totals(publication: Publication) -> tuple[int, int, int]:
    rows = ReadDay.objects.filter(publication=publication)
    return tuple(sum(getattr(row, name) for row in rows) for name in ("opened", "read", "finished"))


def views(publication: Publication) -> int:
    return sum(ViewCount.objects.filter(publication=publication).values_list("views", flat=True))


def test_a_reader_counts_once_a_day_on_the_first_surface_and_further_visits_add_scenes(publication, tell):
    assert tell({**OPENED, "s": "embed", "h": "news.example", "k": "1"}) == 204
    tell({"b": "1", "e": "", "s": "embed", "k": "2"})
    tell({**OPENED, "h": "other.example"})
    tell({"b": "1", "e": "", "s": "page", "k": "2,3,4"})
    tell({"b": "1", "e": "", "s": "page", "k": "4"})
    (day,) = ReadDay.objects.filter(publication=publication)
    assert (day.get_surface_display(), day.opened, day.read, day.finished) == ("embed", 1, 1, 1)
    assert day.reached == [1, 1, 1, 1] and day.edition_id == publication.pk
    assert list(ReadSource.objects.values_list("host", "opened")) == [("others", 1)]  # too few for a name
    assert views(publication) == 1
    tell(OPENED, agent=BROWSER + " Edg/130")
    tell(OPENED, address="192.0.2.8")
    tell({**OPENED, "s": "mail"}, address="2001:db8::1")
    tell({**OPENED, "s": "mail"}, address="2001:db8::2")  # the same household
    assert totals(publication) == (4, 1, 1) and views(publication) == 4


def test_a_day_is_the_workspaces_and_the_next_one_counts_again(publication, tell, monkeypatch):
    publication.story.workspace.time_zone = "Pacific/Auckland"
    publication.story.workspace.save()
    ends_at = notebook.day_in("Pacific/Auckland", time.time()).ends_at
    for now in (ends_at - 1, ends_at + 1):
        monkeypatch.setattr(notebook.time, "time", lambda now=now: now)
        tell(OPENED)
        tell(OPENED)
    days = list(ReadDay.objects.order_by("day").values_list("day", "opened"))
    assert [opened for _, opened in days] == [1, 1] and days[1][0] - days[0][0] == timedelta(days=1)


def test_an_edit_moves_no_count_to_another_scene(publication, tell):
    tell({**OPENED, "k": "1,2,3,4"})
    bake = publication.live_bake
    preview = bake.preview
    scenes = [preview.content["scenes"][place] for place in (2, 0)]
    preview.pk, preview.number = None, preview.number + 1
    preview.content = {**preview.content, "scenes": scenes}
    preview.save()
    Bake.objects.create(
        story=bake.story, number=2, digest="2", preview=preview, content={**bake.content, "scenes": scenes}
    )
    tell({**OPENED, "b": "2", "k": "1"})  # the same reader: the scene was reached already
    tell({**OPENED, "b": "2", "k": "1"}, address="192.0.2.8")
    tell({"b": "2", "e": "", "s": "page", "k": "2"}, address="192.0.2.8")
    (day,) = ReadDay.objects.all()
    assert day.reached == [2, 1, 2, 1] and (day.read, day.finished) == (2, 2)
    assert len(SceneOrder.objects.get().keys) == 4


def test_a_forged_beacon_is_refused_or_counts_as_one_reader(publication, tell, live_story, api):
    refusals = {
        "another bake": ({**OPENED, "b": "77"}, {}, 400),
        "a negative bake": ({**OPENED, "b": "-1"}, {}, 400),
        "no bake": ({"o": "1", "s": "page"}, {}, 400),
        "no such edition": ({**OPENED, "e": "none"}, {}, 400),
        "no such surface": ({**OPENED, "s": "moon"}, {}, 400),
        "too much": ({**OPENED, "k": ",".join(["1"] * 2000)}, {}, 413),
        "another site": (OPENED, {"Origin": "https://other.example"}, 403),
        "a site that hides": (OPENED, {"Origin": "null"}, 403),
        "no such capsule": (OPENED, {"to": 10**9}, 404),
    }
    for why, (fields, how, status) in refusals.items():
        assert tell(fields, **how) == status, why
    assert totals(publication) == (0, 0, 0) and not ReadSource.objects.exists()
    for _ in range(3):
        assert tell({**OPENED, "k": "-1,0,1,1000000,99999999999999,x,2"}, Origin=settings.APP_URL) == 204
    assert tell({**OPENED, "s": "embed"}, Origin="null") == 204
    assert totals(publication) == (1, 1, 0)
    assert ReadDay.objects.get().reached == [1, 1]
    api.unpublish(live_story)
    beacon.live_in.cache_clear()  # a second later
    assert tell(OPENED, address="192.0.2.9") == 404
    assert Client().put(f"/r/{publication.pk}").status_code == 405


def test_a_host_that_is_none_of_the_internet_is_no_source(publication, tell):
    hosts = ("192.0.2.44", "testserver")
    for number, host in enumerate((*hosts, "WWW.News.Example", "news.example", "news.example:8443")):
        tell({**OPENED, "h": host}, address=f"198.51.100.{number}")
    tell({**OPENED, "h": "private.example"}, address="203.0.113.1", **{"Sec-GPC": "1"})
    sources = dict(ReadSource.objects.values_list("host", "opened"))
    assert sources == {"": len(hosts) + 1, "others": 0, "news.example": 3}


def test_without_script_an_image_tells_that_it_was_opened(publication, book, client):
    page = client.get("/north-shore/small-voyages").content.decode()
    assert f'src="/r/{publication.pk}?b=1&amp;e="' in page and f'data-to="/r/{publication.pk}"' in page
    ours = {"User-Agent": BROWSER, "Sec-Fetch-Site": "same-origin"}
    ahead = {"Sec-Purpose": "prefetch;prerender", "User-Agent": BROWSER + " of one who never came"}
    for headers in (ahead, {}, {}, {"User-Agent": "Googlebot/2.1"}):
        told = client.get(f"/r/{publication.pk}?b=1&e=&s=mail&k=2,3&h=x.example", headers={**ours, **headers})
        assert (told.status_code, told["Content-Type"], told["Cache-Control"]) == (
            200,
            "image/gif",
            "no-store",
        )
        book.hand_over()
    (day,) = ReadDay.objects.all()
    assert (day.opened, day.reached, day.get_surface_display()) == (1, [1], "page")
    client.head(f"/r/{publication.pk}?b=1&e=", headers={**ours, "User-Agent": BROWSER + " other"})
    book.hand_over()
    assert totals(publication) == (1, 0, 0)
    embed = client.get("/north-shore/small-voyages/embed").content.decode()
    assert f"/r/{publication.pk}?b=1&amp;e=&amp;s=embed" in embed
    client.get(f"/r/{publication.pk}?b=1&e=&s=embed", headers={**ours, "User-Agent": BROWSER + " other"})
    book.hand_over()
    assert ReadDay.objects.get(surface=2).opened == 1


def test_robots_do_not_count_and_readers_do(publication, tell):
    for agent in ROBOTS:
        assert tell(OPENED, agent=agent, count=False) == 204
    for agent in READERS:
        tell(OPENED, agent=agent, count=False)
    tell(OPENED, address="192.0.2.99")
    assert totals(publication)[0] == len(READERS) + 1


@pytest.mark.both_databases
def test_what_opens_more_pages_a_minute_than_anybody_reads_is_taken_back(
    publication, north_shore, monkeypatch
):
    monkeypatch.setattr(counting, "PAGES_A_MINUTE", 10)
    stories = Story.objects.bulk_create(Story(workspace=north_shore, title=f"Story {n}") for n in range(14))
    rows = Publication.objects.bulk_create(Publication(story=story) for story in stories)
    now = time.time()
    monkeypatch.setattr(notebook.time, "time", lambda: now)
    book = Notebook()
    facts = frozenset({sums.OPENED, "0"})

    def reads(row: Publication, agent: str) -> None:
        told = notebook.Told(counting.Page(row.pk, row.pk), "UTC", 1, facts, "news.example")
        book.saw(told, {"REMOTE_ADDR": "192.0.2.7", "HTTP_USER_AGENT": agent})

    for row in rows[:3]:
        reads(row, BROWSER + " Edg/130")
    for place, row in enumerate(rows):  # each in a second and a batch of its own
        now += 1
        reads(row, BROWSER)
        book.hand_over()
        if place == 8:
            assert sum(ReadDay.objects.values_list("opened", flat=True)) == 12
    assert sum(ReadDay.objects.values_list("opened", flat=True)) == 3
    assert sum(ReadSource.objects.values_list("opened", flat=True)) == 3
    assert sum(ViewCount.objects.values_list("views", flat=True)) == 3
    assert sum(sum(row.reached) for row in ReadDay.objects.all()) == 3
    for row in rows[:12]:  # as many, in more time
        now += 10
        reads(row, BROWSER + " OPR/120")
        book.hand_over()
    assert sum(ReadDay.objects.values_list("opened", flat=True)) == 15


def test_made_up_agents_of_one_network_count_a_few_times(publication, tell, book, monkeypatch):
    monkeypatch.setattr(counting, "READERS_OF_A_NETWORK", 5)
    for number in range(12):
        agent = f"{BROWSER} made-up/{number}"
        tell(OPENED, agent=agent, count=False)
        tell(OPENED, agent=agent, address=f"2001:db8::{number:x}", count=number == 3)
    book.hand_over()
    assert totals(publication)[0] == 2 * 5


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(publication, tell, settings):
    settings.BEHIND_PROXY = True
    for claimed in ("1.1.1.1", "2.2.2.2"):  # what a client writes there itself makes no second reader
        tell(OPENED, address="10.0.0.1", **{"X-Forwarded-For": f"{claimed}, 192.0.2.7"})
    assert totals(publication)[0] == 1


@pytest.mark.both_databases
def test_every_process_knows_who_was_counted_and_none_keeps_a_name(publication, tell, book, monkeypatch):
    tell({**OPENED, "h": "news.example"})
    for _ in range(2):
        monkeypatch.setattr(beacon, "notebook", other := Notebook())
        tell(OPENED, count=False)
        assert "192.0.2.7" not in str(other.notes) and "Mozilla" not in str(other.notes)
        other.hand_over()
    assert totals(publication)[0] == 1
    if settings.REDIS_URL:
        client = marks.client()
        names = client.keys(key("reads:*"))
        kept = str(names) + str([client.get(name) for name in names])
        assert all(0 < client.ttl(name) <= 86_400 + marks.LONGER for name in names)
    else:
        kept = "".join(path.read_bytes().decode("latin-1") for path in marks.folder().iterdir())
    assert kept and "192.0.2" not in kept and "Mozilla" not in kept and "Chrome" not in kept


@pytest.mark.both_databases
def test_a_batch_whose_answer_was_lost_counts_once(publication, tell, book, monkeypatch):
    """Among the marks first, then in the database."""
    for module, name in ((counting, "changes_of"), (counting, "add")):
        really = getattr(module, name)

        def lost(*args, really=really):
            really(*args)
            raise TimeoutError("the answer did not arrive")

        monkeypatch.setattr(module, name, lost)
        before = totals(publication)[0]
        with pytest.raises(TimeoutError):
            tell(OPENED, address=f"192.0.2.{len(name)}")
        monkeypatch.setattr(module, name, really)
        tell(OPENED, address=f"198.51.100.{len(name)}")  # waits for the batch before
        book.hand_over()
        assert totals(publication)[0] == before + 2
    assert views(publication) == 4


def test_what_is_forgotten_loses_no_count(publication, tell):
    """Redis flushed or the machine restarted: what was counted stays, and who read on is a reader again."""
    tell({**OPENED, "k": "1"})
    forget_marks()
    tell({"b": "1", "e": "", "s": "page", "k": "2,3"})
    assert totals(publication) == (2, 1, 0) and ReadDay.objects.get().reached == [2, 1, 1]


def test_no_room_loses_reads_rather_than_memory(publication, tell, monkeypatch, caplog):
    tell(OPENED)
    monkeypatch.setattr(marks, "MOST_MARKS", 1)
    monkeypatch.setattr(marks, "MOST_BYTES", 4096)
    for number in range(3):
        assert tell(OPENED, address=f"192.0.2.{number + 20}", count=number == 2) == 204
    if settings.REDIS_URL:
        assert totals(publication)[0] == 1 and "no room" in caplog.text


@pytest.mark.both_databases
def test_changes_that_come_twice_or_too_late_are_added_once_or_not(
    publication, django_assert_max_num_queries
):
    day = "2026-11-20"
    some = Counter({sums.Change(publication.pk, publication.pk, day, 1, fact): 5 for fact in ("o", "r", "3")})
    flush = uuid.uuid4()
    assert counting.add(some, flush) is True
    assert counting.add(some, flush) is False
    gone = Counter({sums.Change(10**9, 10**9, day, 1, "o"): 5})
    assert counting.add(gone, uuid.uuid4()) is True
    row = ReadDay.objects.get()
    assert (row.opened, row.read, row.reached) == (5, 5, [0, 0, 0, 5]) and views(publication) == 5
    many = Counter(
        {sums.Change(publication.pk, publication.pk, f"2026-10-{n:02}", 1, "o"): 1 for n in range(1, 31)}
    )
    with django_assert_max_num_queries(13):
        counting.add(many, uuid.uuid4())
    assert totals(publication)[0] == 35


@pytest.mark.both_databases
def test_a_day_has_a_hundred_sources_and_small_ones_lose_their_names(publication):
    day = timezone.now().date() - timedelta(days=5)
    page = (publication.pk, publication.pk, day.isoformat(), sums.SOURCE)
    hosts = Counter({sums.Change(*page, f"site-{n:03}.example"): 1 + n % 3 for n in range(150)})
    counting.add(hosts, uuid.uuid4())
    counting.add(hosts, uuid.uuid4())
    kept = dict(ReadSource.objects.values_list("host", "opened"))
    assert len(kept) == sums.MOST_SOURCES + 1 and sum(kept.values()) == 600
    assert keeping.forget_small_sources(timezone.now()) == sum(0 < n < 3 for n in kept.values())
    after = dict(ReadSource.objects.values_list("host", "opened"))
    assert sum(after.values()) == 600
    assert all(n >= keeping.FEWEST for host, n in after.items() if host != "others")
    assert keeping.forget_small_sources(timezone.now()) == 0


def test_numbers_go_with_their_story(publication, tell, live_story):
    tell(OPENED)
    live_story.delete()
    assert (
        not ReadDay.objects.exists() and not ReadSource.objects.exists() and not SceneOrder.objects.exists()
    )
