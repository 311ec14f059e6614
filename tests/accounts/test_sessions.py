"""How long a web session lives, and what its cookie is called."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts import housekeeping
from accounts.people.browsers import browser_name
from accounts.people.sessions import IdleEnd, is_alive
from tests.support.factories import PASSWORD

pytestmark = pytest.mark.django_db


def is_in(client) -> bool:
    return client.get("/account/").status_code == 200


def test_a_session_ends_after_a_week_without_use(client, owner):
    start = timezone.now()
    client.force_login(owner)
    for days in (0, 6, 12):
        with time_machine.travel(start + timedelta(days=days)):
            assert is_in(client), days
    other = type(client)()
    with time_machine.travel(start, tick=False):
        other.force_login(owner)
        assert is_in(other)
    with time_machine.travel(start + timedelta(days=7), tick=False):
        assert not is_in(other) and not is_in(other)
    assert Session.objects.count() == 1


def test_use_is_noted_once_an_hour(client, owner):
    client.force_login(owner)
    with CaptureQueriesContext(connection) as asked:
        is_in(client)
    assert not [query for query in asked if query["sql"].startswith("UPDATE")], "the login has noted it"
    before = client.session["used_at"]
    with time_machine.travel(timezone.now() + timedelta(minutes=59)):
        is_in(client)
    assert client.session["used_at"] == before
    with time_machine.travel(timezone.now() + timedelta(minutes=61)):
        answer = client.get("/account/")
    assert client.session["used_at"] > before
    assert settings.SESSION_COOKIE_NAME in answer.cookies, "the browser keeps it longer, too"


def test_a_session_that_was_ended_meanwhile_is_not_written_again(client, owner):
    client.force_login(owner)
    session = client.session
    assert IdleEnd.KEY in session  # which reads it
    Session.objects.all().delete()
    IdleEnd(lambda request: HttpResponse()).note_use(session, int(time.time()))
    assert session.modified is False, "else the end of the request would save it, and fail"


def test_the_studio_works_in_a_session_that_was_not_listed_yet(client, owner):
    client.force_login(owner)
    UserSession.objects.all().delete()
    assert client.post(reverse("studio_token")).status_code == 200
    assert UserSession.objects.get().user == owner


def test_signing_out_has_the_browser_delete_what_was_kept_there(client, owner):
    client.force_login(owner)
    answer = client.post("/account/logout/")
    assert answer["Clear-Site-Data"] == '"storage"'
    assert not is_in(client)


AGENTS = {
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1": "Safari on iPhone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "CriOS/138.0.7204.119 Mobile/15E148 Safari/604.1": "Chrome on iPhone",
    "Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 "
    "Mobile/15E148 Safari/605.1.15": "Firefox on iPad",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Safari/605.1.15": "Safari on Mac",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "Safari/537.36 Edg/138.0.0.0": "Edge on Windows",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 "
    "Chrome/130.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "Safari/537.36": "Chrome on Chromebook",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "Safari/537.36 OPR/122.0.0.0": "Opera on Windows",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Mobile/15E148 Safari/604.1 OPiOS/16.0": "Opera on iPhone",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/138.0.0.0 "
    "Mobile DuckDuckGo/5 Safari/537.36": "DuckDuckGo on Android",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 "
    "Safari/605.1.15 Ddg/18.5": "DuckDuckGo on Mac",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "YaBrowser/25.6 Safari/537.36": "Yandex Browser on Windows",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 "
    "Vivaldi/7.5": "Vivaldi on Linux",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chromium/138.0 Safari/537.36": "Chrome on Linux",
    "Mozilla/5.0 Firefox/140.0": "Firefox",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "Unknown browser",
    "curl/8.14.1": "Unknown browser",
    "Safari/<script>": "Unknown browser",
    "": "Unknown browser",
}


@pytest.mark.parametrize("agent, says", AGENTS.items(), ids=AGENTS.values())
def test_a_browser_is_named_as_its_owner_would(agent, says):
    assert browser_name(agent) == says


def test_the_page_of_sessions_names_browsers_and_ends_the_others(client, owner):
    owner.set_password(PASSWORD)
    owner.save()
    other = type(client)(HTTP_USER_AGENT=next(iter(AGENTS)))
    for one in (client, other):
        one.post("/account/login/", {"login": owner.email, "password": PASSWORD})
    page = client.get("/account/sessions/").content.decode()
    assert "Safari on iPhone" in page and "AppleWebKit" not in page and page.count("This browser") == 1
    client.post("/account/sessions/")
    assert is_in(client) and not is_in(other)
    assert "Safari on iPhone" not in client.get("/account/sessions/").content.decode()


def test_hundreds_of_spent_sessions_cost_the_page_no_more_than_none(
    client, owner, django_assert_max_num_queries
):
    client.force_login(owner)
    mine = client.session.session_key
    UserSession.objects.create(user=owner, ip="10.0.0.2", session_key=mine)
    with CaptureQueriesContext(connection) as without:
        client.get("/account/sessions/")
    expired = Session.objects.create(session_key="expired", expire_date=timezone.now() - timedelta(days=1))
    keys = [expired.session_key, *(f"gone-{number}" for number in range(300))]
    UserSession.objects.bulk_create(UserSession(user=owner, ip="10.0.0.1", session_key=key) for key in keys)
    with django_assert_max_num_queries(len(without) + 2):
        assert client.get("/account/sessions/").content.count(b"10.0.0.1") == 0
    assert UserSession.objects.get().session_key == mine


def test_the_page_forgets_only_what_is_spent_and_of_its_person(client, owner, person):
    client.force_login(owner)
    for user, key in ((owner, "gone"), (person("editor"), "gone too")):
        UserSession.objects.create(user=user, ip="10.0.0.1", session_key=key)
    client.get("/account/sessions/")
    assert [row.session_key for row in UserSession.objects.all()] == ["gone too"]


def test_a_session_is_alive_for_its_own_person_until_it_ends(client, owner, person):
    other = type(client)()
    for browser in (client, other):
        browser.force_login(owner)
        assert browser.post(reverse("studio_token")).status_code == 200
    first, second = (
        UserSession.objects.get(session_key=browser.session.session_key).pk for browser in (client, other)
    )
    assert is_alive(first, owner) and is_alive(second, owner)
    assert not is_alive(first, person("editor")) and not is_alive(0, owner)
    client.logout()
    assert not is_alive(first, owner) and is_alive(second, owner)
    Session.objects.update(expire_date=timezone.now())
    assert not is_alive(second, owner)


def test_a_page_for_everybody_is_the_same_for_who_has_no_session(client, live_story):
    assert "Cookie" not in client.get("/north-shore/small-voyages").get("Vary", "")


def test_housekeeping_forgets_where_somebody_was_signed_in_and_keeps_where_they_are(client, owner):
    client.force_login(owner)
    Session.objects.create(session_key="expired", expire_date=timezone.now() - timedelta(seconds=1))
    for key in (client.session.session_key, "gone", "expired"):
        UserSession.objects.create(user=owner, ip="10.0.0.1", session_key=key)
    housekeeping.forget_what_expired()
    assert UserSession.objects.get().session_key == client.session.session_key
