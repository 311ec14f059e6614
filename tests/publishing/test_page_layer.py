"""The page layer: final bytes before Django, and no reader who sees what is gone."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import brotli
import pytest
from django.conf import settings
from django.db import connection

from accounts import tokens
from accounts.actions import workspaces
from config.redis_client import connect
from publishing.models import Publication
from publishing.pages import layer as page_layer
from publishing.pages import versions as page_versions
from publishing.pages.encodings import best_encoding
from tests.support import factories
from tests.support.layer import Site
from tests.support.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)  # changes are announced after commit
PATH = "/north-shore/small-voyages"


@pytest.fixture
def site(live_story) -> Site:
    page_versions.versions.cache_clear()
    return Site()


@pytest.fixture
def another_process(live_story) -> Site:
    """A second page layer that shares nothing with the first but what processes share."""
    other = Site()
    if settings.REDIS_URL:
        other.layer.versions = page_versions.RedisVersions(connect())
    else:
        other.layer.versions = page_versions.FileVersions(settings.DATA_DIR / "page-versions")
    return other


def test_a_page_is_rendered_once_and_then_served_without_the_database(
    site, client, django_assert_num_queries
):
    expected = client.get(PATH).content
    assert site.ask()[2] == expected
    with django_assert_num_queries(0):
        status, headers, body = site.ask()
    assert (status, body) == (200, expected)
    assert headers["Content-Length"] == str(len(expected))
    assert "Content-Security-Policy" in headers and "Set-Cookie" not in headers


def test_of_many_who_ask_for_a_new_page_at_once_one_has_it_rendered(site):
    django, rendered = site.layer.django, []

    def slow(environ, start_response):
        rendered.append(environ["PATH_INFO"])
        time.sleep(0.3)  # so that all of them arrive meanwhile
        try:
            return django(environ, start_response)
        finally:
            connection.close()

    site.layer.django = slow
    with ThreadPoolExecutor(8) as readers:
        answers = list(readers.map(lambda _: site.ask(), range(8)))
    assert rendered == [PATH]
    assert {status for status, _, _ in answers} == {200}
    assert not site.layer.turns


def test_a_page_that_takes_too_long_keeps_nobody_waiting_in_line(site, monkeypatch):
    monkeypatch.setattr(page_layer, "LONGEST_TURN", 0.05)
    with site.layer.turn((PATH, "http")):
        assert site.ask()[0] == 200


def test_each_encoding_has_its_own_etag_and_a_known_one_is_not_sent_again(site):
    plain = site.ask()
    zipped = site.ask(accept_encoding="gzip")
    brotlied = site.ask(accept_encoding="gzip, deflate, br")
    assert gzip.decompress(zipped[2]) == brotli.decompress(brotlied[2]) == plain[2]
    etags = {answer[1]["ETag"] for answer in (plain, zipped, brotlied)}
    assert len(etags) == 3 and not any(etag.startswith("W/") for etag in etags)
    for answer, accepted in ((plain, ""), (zipped, "gzip"), (brotlied, "br")):
        known = f'"other", W/{answer[1]["ETag"]}'
        status, headers, body = site.ask(accept_encoding=accepted, if_none_match=known)
        assert (status, body) == (304, b"")
        assert headers["ETag"] == answer[1]["ETag"] and headers["Vary"] == "Accept-Encoding"
        assert "Content-Length" not in headers
    assert site.ask(if_none_match='"other"')[0] == 200
    assert site.ask(if_none_match=f"no tag {plain[1]['ETag']}")[0] == 200
    assert site.ask(if_none_match="*")[0] == 304


@pytest.mark.parametrize(
    "accepted, chosen",
    [
        ("", ""),
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0, br;q=0", "gzip"),
        ("identity", ""),
        ("*", "br"),
        ("BR", "br"),
        ("gzip;q=nonsense", ""),
        ("*;q=0, gzip;q=0.5", "gzip"),
    ],
)
def test_the_best_admitted_encoding_is_chosen(accepted, chosen):
    assert best_encoding(accepted) == chosen


def test_head_tells_all_but_the_page(site):
    expected = site.ask()[1]
    status, headers, nothing = site.ask(method="HEAD")
    assert (status, headers, nothing) == (200, expected, b"")
    assert site.ask(method="HEAD", if_none_match=expected["ETag"])[0] == 304
    status, _, nothing = site.ask("/north-shore/none", method="HEAD")
    assert (status, nothing) == (404, b"")


def test_what_a_link_carries_besides_the_edition_makes_no_further_copy(site, rendered, api, live_story):
    api.publish(factories.make_edition(live_story, rendered))
    original = site.ask()[2]
    for query in (
        "?utm_source=a",
        "?utm_source=b&fbclid=1",
        "?edition=none",
        "?edition=",
        "?x&y&" + "z&" * 2000,
    ):
        assert site.ask(PATH + query)[2] == original
    edition = site.ask(f"{PATH}?edition=classroom")[2]
    assert edition != original
    assert site.ask(f"{PATH}?utm_source=a&edition=classroom")[2] == edition
    (page,) = site.layer.pages.values()
    assert set(page.copies) == {"", "classroom"}


def test_a_new_edition_is_right_for_its_first_reader(site, rendered, api, live_story):
    assert site.ask()[0] == 200
    api.publish(factories.make_edition(live_story, rendered))
    assert b"Small voyages, classroom" in site.ask(f"{PATH}?edition=classroom")[2]


def test_a_cookie_neither_reaches_the_page_nor_comes_back(site):
    plain = site.ask()
    site.layer.pages.clear()
    status, headers, body = site.ask(cookie="sessionid=forged; csrftoken=x", authorization="Bearer x")
    assert (status, body) == (200, plain[2])
    assert "Set-Cookie" not in headers


def test_a_foreign_host_is_refused_though_the_page_is_known(site):
    assert site.ask()[0] == 200
    assert site.ask(host="evil.example")[0] == 400
    assert site.ask(host="")[0] == 400


def test_everything_else_goes_to_django(site):
    assert site.ask("/api/v2/health")[2] == b'{"status":"ok"}'
    assert site.ask("/account/login/")[0] == 200
    assert "Set-Cookie" in site.ask("/account/login/")[1]
    assert site.ask(method="POST")[0] == 405
    assert list(site.layer.pages) == []


CHANGES = {
    "unpublish": lambda story, api: api.unpublish(story),
    "private": lambda story, api: set_visibility(story, "private"),
    "rename": lambda story, api: api.publish(story, slug="elsewhere"),
}


def set_visibility(story, level) -> None:
    from accounts.actors import Actor
    from accounts.models import User
    from publishing import actions

    actions.set_visibility(
        story, level, by=Actor.by_token(User.objects.get(email="owner@north-shore.example"))
    )


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("ending", ["", "/embed"])
def test_what_is_gone_is_gone_at_once_and_soon_for_every_process(
    change, ending, site, another_process, live_story, api
):
    sites = (site, another_process)
    assert [each.ask(PATH + ending)[0] for each in sites] == [200, 200]
    CHANGES[change](live_story, api)
    assert site.ask(PATH + ending)[0] == 404
    time.sleep(
        page_versions.LOOK_EVERY + 0.05 if settings.REDIS_URL else 3 * page_versions.LOOK_AT_FILES_EVERY
    )
    assert another_process.ask(PATH + ending)[0] == 404


def test_two_changes_in_one_tick_of_the_file_system_are_both_seen(tmp_path):
    one, other = page_versions.FileVersions(tmp_path), page_versions.FileVersions(tmp_path)
    seen = {other.of("north-shore")}
    now = time.time_ns()
    for _ in range(3):
        one.change("north-shore")
        os.utime(tmp_path, ns=(now, now))
        other.look_again()
        seen.add(other.at_hand("north-shore"))
    assert len(seen) == 4 and page_versions.UNKNOWN not in seen


def test_a_version_that_nobody_looks_at_any_more_counts_as_unknown(tmp_path, monkeypatch):
    versions = page_versions.FileVersions(tmp_path)
    monkeypatch.setattr(versions, "run", lambda: None)  # the thread ends
    versions.of("north-shore")
    versions.look_again()
    assert versions.at_hand("north-shore") is None
    versions.looked_at -= page_versions.LOOK_EVERY + 0.1
    assert versions.at_hand("north-shore") is page_versions.UNKNOWN


def test_a_folder_that_is_away_for_a_while_ends_the_looks_and_the_next_request_begins_them(tmp_path, caplog):
    folder = tmp_path / "versions"
    versions = page_versions.FileVersions(folder)
    versions.of("north-shore")
    folder.rmdir()
    versions.thread.join(timeout=60)
    assert not versions.thread.is_alive()
    assert [record.message for record in caplog.records] == ["The versions of pages cannot be looked at"]
    folder.mkdir()
    versions.of("north-shore")
    assert versions.thread.is_alive()


def test_what_a_page_shows_of_other_rows_is_new_at_once(site, live_story, rendered, api, north_shore, owner):
    assert b"Classroom" not in site.ask()[2]
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    assert b"Classroom" in site.ask()[2]
    edition.shown = False
    edition.save()
    assert b"Classroom" not in site.ask()[2]
    workspaces.change_title(north_shore, "South Shore Press", by=owner)
    assert b"South Shore Press" in site.ask()[2]
    other = factories.make_story(north_shore, rendered, title="Far shores")
    api.publish(other)
    assert b"/north-shore/far-shores" in site.ask()[2]
    api.unpublish(other)
    assert b"/north-shore/far-shores" not in site.ask()[2]


def test_a_change_that_nobody_announced_is_seen_when_the_copy_is_too_old(site, live_story):
    assert site.ask()[0] == 200
    Publication.objects.filter(story=live_story).update(published_at=None)
    assert site.ask()[0] == 200
    for page in site.layer.pages.values():
        for copy in page.copies.values():
            copy.good_until -= settings.PAGE_MAX_AGE + 1
    assert settings.PAGE_MAX_AGE < 60
    assert site.ask()[0] == 404


def test_copies_have_a_bound_in_memory(site, monkeypatch, north_shore, rendered, api):
    for number in range(3):
        api.publish(factories.make_story(north_shore, rendered, title=f"Story {number}", scenes=3))
    site.ask("/north-shore/story-0")
    monkeypatch.setattr(page_layer, "MEMORY", site.layer.size * 2)
    for number in range(3):
        site.ask(f"/north-shore/story-{number}")
    assert site.layer.size <= page_layer.MEMORY
    assert site.layer.size == sum(page.size for page in site.layer.pages.values())
    assert ("/north-shore/story-0", "http") not in site.layer.pages


def test_over_plain_http_a_secure_service_redirects_and_never_serves_the_secure_copy(site, settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    site = Site()
    assert site.ask(x_forwarded_proto="https")[0] == 200
    status, headers, _ = site.ask(x_forwarded_proto="http")
    assert (status, headers["Location"]) == (301, f"https://testserver{PATH}")


# --- Two real servers -------------------------------------------------------------------------------------------


@pytest.fixture
def two_servers(live_story):
    """Two page servers of the same service in processes of their own; their addresses."""
    collect = [
        sys.executable,
        "manage.py",
        "collectstatic",
        "--noinput",
        "-v0",
        "-iadmin",
        "-idrf*",
        "-irest*",
    ]
    subprocess.run(collect, cwd=settings.BASE_DIR, env=service_environment(), check=True)
    started = [start_server(free_port()) for _ in range(2)]
    yield [address for address, _ in started]
    for _, process in started:
        process.terminate()
    for _, process in started:
        process.wait(10)


def service_environment() -> dict[str, str]:
    """What another process of this service has around it: the same database, the same data."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        url = f"postgres://{database['USER']}@{database['HOST']}/{database['NAME']}"
    own = {"DATABASE_URL": url, "DATA_DIR": str(settings.DATA_DIR), "DATABASE_POOL": "2"}
    return {**os.environ, **own, "APP_URL": settings.APP_URL, "BASE_URL": settings.BASE_URL}


def start_server(port: int) -> tuple[str, subprocess.Popen]:
    command = [sys.executable, "-m", "config.web_server"]
    environment = {**service_environment(), "PORT": str(port), "WEB_PROCESSES": "1", "WEB_THREADS": "2"}
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 40
    while status_of(f"{address}/api/v2/health") != 200:
        assert time.monotonic() < deadline and process.poll() is None, "the page server did not start"
        time.sleep(0.1)
    return address, process


def status_of(url: str, method: str = "GET", **headers: str) -> int:
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def test_an_unpublish_is_seen_at_once_where_it_was_made_and_within_a_minute_elsewhere(
    two_servers, live_story, owner
):
    one, other = two_servers
    assert [status_of(address + PATH) for address in (one, other)] == [200, 200]
    bearer = f"Bearer {tokens.issue(owner)}"
    done = status_of(f"{one}/api/v2/stories/{live_story.pk}/publication", "DELETE", Authorization=bearer)
    assert done == 200
    assert status_of(one + PATH) == 404
    started = time.monotonic()
    while status_of(other + PATH) != 404:
        assert time.monotonic() - started < 60
        time.sleep(0.05)
    assert time.monotonic() - started < 5  # far below what is promised
