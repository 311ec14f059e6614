"""Page files as the default serves them: final bytes before Django, and no reader who sees what is gone."""

from __future__ import annotations

import errno
import gzip
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import brotli
import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client

from accounts.actions import workspaces
from publishing.pages import files, reading, serving
from publishing.pages.files import Place
from publishing.pages.serving import encodings_of
from tests.support import factories
from tests.support.pages import PATH, Site

pytestmark = pytest.mark.django_db(transaction=True)  # changes are followed after commit


# --- Serving ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [PATH, "/"])
def test_a_page_is_rendered_once_and_then_a_file_with_the_headers_that_django_sends(
    path, site, client, django_assert_num_queries
):
    expected = client.get(path)
    assert site.ask(path)[2] == expected.content
    with django_assert_num_queries(0):
        status, headers, body = site.ask(path)
    assert (status, body) == (200, expected.content)
    of_files = {"ETag", "Vary", "Content-Length"}
    of_requests = {"X-Request-ID", "Vary", "ETag", "Content-Length"}
    assert {name: value for name, value in headers.items() if name not in of_files} == {
        name: value for name, value in expected.headers.items() if name not in of_requests
    }
    assert headers["Content-Length"] == str(len(body)) and headers["Vary"] == "Accept-Encoding"


def test_over_https_a_file_has_djangos_header_for_the_next_time(site, settings):
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_PRELOAD = 31536000, True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    site.ask()
    header = "Strict-Transport-Security"
    expected = Client().get(PATH, secure=True, headers={"X-Forwarded-Proto": "https"})[header]
    assert site.ask(x_forwarded_proto="https")[1][header] == expected
    assert header not in site.ask(x_forwarded_proto="http")[1]


def test_of_many_who_ask_for_a_new_page_at_once_one_has_it_rendered(site, monkeypatch):
    monkeypatch.setattr(serving, "LONGEST_TURN", 60)  # on a busy machine a page takes a second by itself
    django, rendered = site.pages.django, []

    def slow(environ, start_response):
        rendered.append(environ["PATH_INFO"])
        time.sleep(0.3)  # so that all of them arrive meanwhile
        try:
            return django(environ, start_response)
        finally:
            connection.close()

    site.pages.django = slow
    with ThreadPoolExecutor(8) as readers:
        answers = list(readers.map(lambda _: site.ask(), range(8)))
    assert rendered == [PATH]
    assert {status for status, _, _ in answers} == {200}
    assert not site.pages.turns


def test_a_page_that_takes_too_long_keeps_nobody_waiting_in_line(site, monkeypatch):
    monkeypatch.setattr(serving, "LONGEST_TURN", 0.05)
    with site.pages.turn(Place("north-shore", "small-voyages.html")):
        assert site.ask()[0] == 200


def test_while_a_page_takes_too_long_others_have_it_as_it_was(site, north_shore, owner, monkeypatch):
    monkeypatch.setattr(serving, "LONGEST_TURN", 0.05)
    before = site.ask()[2]
    workspaces.change_title(north_shore, "South Shore Press", by=owner)
    with site.pages.turn(Place("north-shore", "small-voyages.html")):
        assert site.ask()[::2] == (200, before)
    assert b"South Shore Press" in site.ask()[2]


def test_each_encoding_has_its_own_etag_and_a_known_one_is_not_sent_again(site):
    for _ in range(2):  # as it was rendered, and as it was kept
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


def test_the_same_content_has_the_same_etag_on_every_machine_and_another_content_another(
    site, another_host, north_shore, owner
):
    first = site.ask()[1]["ETag"]
    assert another_host.ask()[1]["ETag"] == first
    workspaces.change_title(north_shore, "South Shore Press", by=owner)  # as long as the one before
    assert site.ask()[1]["ETag"] != first
    workspaces.change_title(north_shore, "North Shore Press", by=owner)
    assert site.ask()[1]["ETag"] == first


def test_the_best_admitted_encoding_is_chosen():
    for accepted, chosen in (
        ("", ""),
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0, br;q=0", "gzip"),
        ("identity", ""),
        ("*", "br"),
        ("BR", "br"),
        ("gzip;q=nonsense", ""),
        ("*;q=0, gzip;q=0.5", "gzip"),
    ):
        assert encodings_of(accepted)[0] == chosen, accepted


def test_head_tells_all_but_the_page(site):
    expected = site.ask()[1]
    status, headers, nothing = site.ask(method="HEAD")
    assert (status, headers, nothing) == (200, expected, b"")
    assert site.ask(method="HEAD", if_none_match=expected["ETag"])[0] == 304
    status, _, nothing = site.ask("/north-shore/none", method="HEAD")
    assert (status, nothing) == (404, b"")


def test_what_a_link_carries_besides_the_edition_makes_no_further_file(site, rendered, api, live_story):
    ending = "/embed"
    api.publish(factories.make_edition(live_story, rendered))
    original = site.ask(PATH + ending)[2]
    for query in (
        "?utm_source=a",
        "?utm_source=b&fbclid=1",
        "?edition=none",
        "?edition=",
        "?edition=../../../secret",
        "?x&y&" + "z&" * 2000,
    ):
        assert site.ask(PATH + ending + query)[2] == original
    edition = site.ask(f"{PATH}{ending}?edition=classroom")[2]
    assert edition != original
    assert site.ask(f"{PATH}{ending}?utm_source=a&edition=classroom")[2] == edition
    start = f"live/north-shore/small-voyages{ending}"
    pages = {name for name in site.kept() if name.startswith(start)}
    assert pages == {start + name + more for name in (".html", "~classroom") for more in ("", ".gz", ".br")}


def test_a_cookie_neither_reaches_the_page_nor_comes_back(site, client):
    status, headers, body = site.ask(cookie="sessionid=forged; csrftoken=x", authorization="Bearer x")
    assert (status, body) == (200, client.get(PATH).content)
    assert "Set-Cookie" not in headers


def test_a_foreign_host_is_refused_though_the_page_is_there(site):
    assert site.ask()[0] == 200
    assert site.ask(host="evil.example")[0] == 400
    assert site.ask(host="")[0] == 400


def test_everything_else_goes_to_django_and_is_not_kept(site):
    before = site.kept()
    assert site.ask("/api/v2/health")[2] == b'{"status":"ok"}'
    assert "Set-Cookie" in site.ask("/account/login/")[1]
    assert site.ask(method="POST")[0] == 405
    for path in ("/no-such-workspace", "/no-such-workspace/page", "/api", "/studio/x", "/north-shore/none"):
        assert site.ask(path)[0] in (302, 404)
    assert site.kept() == before
    assert not (site.files.live / "no-such-workspace").exists()


def test_over_plain_http_a_secure_service_redirects(site, settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    site = Site()
    assert site.ask(x_forwarded_proto="https")[0] == 200
    status, headers, _ = site.ask(x_forwarded_proto="http")
    assert (status, headers["Location"]) == (301, f"https://testserver{PATH}")


# --- When something is away ------------------------------------------------------------------------------------


def away(*args, **kwargs):
    raise OperationalError("the database server is away") from DatabaseGone("away")


class DatabaseGone(psycopg.OperationalError):
    pass


@contextmanager
def database_away(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(reading, "find_reading", away)
        patch.setattr("feed.lists.ranked", away)
        patch.setattr("feed.pages.get_object_or_404", away)
        yield


def test_pages_outlive_the_database_whether_rendered_before_or_after_a_publish_next_door(
    site, live_story, north_shore, rendered, api, monkeypatch
):
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    before = site.ask()[2]
    for title in ("One", "Two"):  # it is not rendered again meanwhile
        api.publish(factories.make_story(north_shore, rendered, title=title))
        assert site.ask("/north-shore/far-shores")[0] == 200
    for path in ("/", "/north-shore"):
        assert site.ask(path)[0] == 200
    with database_away(monkeypatch):
        assert site.ask("/north-shore/far-shores")[0] == 200
        status, headers, body = site.ask()
        assert (status, body) == (200, before) and "Content-Security-Policy" in headers
        assert site.ask(f"{PATH}?edition=none")[0] == 200
        for path in ("/", "/north-shore"):
            assert site.ask(path)[0] == 200
        status, headers, _ = site.ask("/north-shore/one")
        assert status == 503 and int(headers["Retry-After"]) > 0
        assert site.ask("/north-shore/one", method="HEAD")[2] == b""
    assert site.ask()[2] != before
    assert not [name for name in site.kept() if name.startswith("last/north-shore/small-voyages.html")]


def test_what_was_withdrawn_does_not_come_back_while_the_database_is_away(site, live_story, api, monkeypatch):
    assert site.ask()[0] == 200
    api.unpublish(live_story)
    with database_away(monkeypatch):
        assert site.ask()[0] == 503


def test_a_list_is_shown_past_its_age_while_it_cannot_be_rendered(site, settings, monkeypatch):
    settings.LIST_MAX_AGE = 0.05
    expected = site.ask("/")
    time.sleep(0.1)
    with database_away(monkeypatch):
        assert site.ask("/") == expected


def test_with_a_full_disk_pages_are_rendered_and_sent_and_nothing_withdrawn_is_shown(
    site, live_story, north_shore, rendered, api, monkeypatch
):
    assert site.ask()[0] == 200
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    assert site.ask()[0] == 200

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        for name in ("mkdir", "rename", "replace"):
            patch.setattr(files.Path, name, full)
        assert site.ask("/north-shore/far-shores")[0] == 200
        api.unpublish(live_story)
        assert site.ask()[0] == 404
        assert site.ask("/north-shore/far-shores")[0] == 200
    for _ in range(2):
        assert site.ask("/north-shore/far-shores")[0] == 200
    assert "live/north-shore/far-shores.html" in site.kept()


def test_processes_that_begin_at_once_find_their_folders(tmp_path):
    def begin(root: Path) -> list[bool]:
        page_files = files.PageFiles(root)
        page_files.make_folders()
        page_files.drop_all()
        return [folder.is_dir() for folder in (page_files.live, page_files.last, page_files.old)]

    with ThreadPoolExecutor(8) as pool:
        for round in range(30):
            assert all(map(all, pool.map(begin, [tmp_path / str(round)] * 8)))
