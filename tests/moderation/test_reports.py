"""A reader reports a capsule, without script, login or cookie: what is asked, what comes of it, and how much of it."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from accounts.models import AccountMail, SecurityEvent
from publishing.models import Case, Report
from publishing.moderation import actions as moderation
from tests.support import factories

pytestmark = pytest.mark.django_db
LINK = "/north-shore/small-voyages"
GOOD = {"why": "spam", "words": "It sells watches.", "email": "reader@readers.example"}


def report(address: str = "192.0.2.1", link: str = LINK, **said: str):
    body = {"link": link, **(said or GOOD)}
    return Client().post("/report", body, REMOTE_ADDR=address)


@pytest.fixture(autouse=True)
def fresh_counts():
    cache.clear()


def test_a_report_opens_a_case_and_the_reader_gets_a_number(live_story, mailoutbox):
    answer = report()
    case = Case.objects.get()
    assert answer.status_code == 200 and case.number in answer.content.decode() and not answer.cookies
    assert f'<a href="{LINK}"><bdi>{LINK}</bdi></a>' in answer.content.decode()
    assert (case.publication.story, case.state, case.reason, case.subject) == (
        live_story,
        "open",
        "spam",
        LINK,
    )
    [mail] = [each for each in mailoutbox if "report" in each.subject.lower()]
    assert mail.to == ["reader@readers.example"] and case.number in mail.body
    assert "watches" not in mail.body and "Small voyages" not in mail.body, "nothing that somebody typed"


@pytest.mark.both_databases
def test_a_report_about_a_capsule_without_an_address_names_it_all_the_same(ready_story, api):
    api.publish(ready_story)
    api.unpublish(ready_story, query_params={"releaseSlug": "true"})
    case = moderation.report(ready_story.publication, network="n", **GOOD)
    assert case.subject == f"/north-shore/{ready_story.pk}"


def test_a_robot_that_fills_the_hidden_field_reports_nothing(live_story, mailoutbox):
    assert report(**GOOD, website="http://spam.example").status_code == 200
    assert not Case.objects.exists() and not mailoutbox


def test_further_reports_join_the_open_case_and_a_frozen_one(live_story, staff, freeze):
    report(), report("192.0.2.2")
    case = freeze(live_story)
    assert report("192.0.2.3").status_code == 200
    assert Case.objects.get() == case and Report.objects.filter(case=case).count() == 3


@pytest.mark.both_databases
def test_links(live_story, client):
    client.logout()
    for link, status in (
        ("", 200),
        (LINK, 200),
        (f"{LINK}/embed", 200),
        (f"{LINK}/", 200),
        (f"{LINK}?edition=short#scene-2", 200),
        (f"{settings.APP_URL}{LINK}", 200),
        ("https://elsewhere.example/north-shore/small-voyages", 400),
        ("//elsewhere.example/north-shore/small-voyages", 400),
        ("http://[", 400),
        ("javascript:alert(1)", 400),
        ("/north-shore/never-published", 404),
        ("/north-shore", 404),
        ("nonsense", 404),
    ):
        answer = client.get("/report", {"link": link} if link else {})
        assert answer.status_code == status, link
        asks = "What is wrong with it?" in answer.content.decode()
        assert asks is (status == 200 and bool(link)), link


def test_what_is_missing_is_said_and_nothing_is_lost(live_story):
    for said, fault in (
        ({"words": "x"}, "Please choose what is wrong."),
        ({"why": "boring"}, "Please choose one of these."),
        ({"why": "rights", "good_faith": "on"}, "We need your address for this"),
        ({"why": "illegal", "email": "a@b.example"}, "Please confirm this"),
        ({"why": "spam", "email": "nobody"}, "Please enter a whole address"),
        ({"why": "spam", "words": "x" * 2001}, "at most 2000 characters"),
        ({"why": "spam", "words": "a\0b"}, ""),
    ):
        answer = report(**said)
        page = answer.content.decode()
        assert answer.status_code == 400 and fault in page and not Case.objects.exists(), said
        assert said.get("words") != "x" or ">\nx</textarea>" in page, said


@pytest.mark.parametrize(
    "said",
    [
        {"why": "spam"},
        {"why": "hate", "words": "Scene 2."},
        {"why": "other"},
        {"why": "illegal", "email": "a@b.example", "good_faith": "on"},
        {"why": "illegal", "children": "on", "good_faith": "on", "email": "a@b.example"},
    ],
)
def test_an_address_is_asked_for_where_the_law_needs_it_and_never_kept_for_children(said, live_story):
    assert report(**said).status_code == 200
    assert Report.objects.get().email == ("a@b.example" if "email" in said and "children" not in said else "")


@pytest.mark.usefixtures("clock_stands")
def test_the_sixth_of_a_network_in_an_hour_waits_whichever_capsule(live_story, rendered, north_shore, api):
    other = factories.make_story(north_shore, rendered, title="Far shores")
    api.publish(other)
    for number in range(5):
        assert report(link=LINK if number % 2 else "/north-shore/far-shores").status_code == 200
    answer = report(**GOOD | {"words": "Kept below."})
    page = answer.content.decode()
    assert answer.status_code == 429 and int(answer["Retry-After"]) <= 3600
    assert settings.DEFAULT_FROM_EMAIL in page and re.search(r"\d\d:\d\d UTC", page) and "Kept below." in page
    assert report("192.0.2.9").status_code == 200, "another network"
    assert report("192.0.2.1", why="nonsense").status_code == 400


def test_who_reports_again_what_was_dismissed_is_told_so(live_story, staff):
    report()
    moderation.dismiss(Case.objects.get(), words="Fine.", by=staff)
    again = report()
    assert again.status_code == 409 and "looked at" in again.content.decode()


def test_html_in_words_is_text_everywhere(live_story, staff, client, freeze, mailoutbox):
    mark = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    report(why="spam", words=mark)
    case = Case.objects.get()
    client.force_login(staff)
    page = client.get(f"/admin/publishing/case/{case.pk}/change/").content.decode()
    assert "<script>alert" not in page and "onerror=alert(2)&gt;" in page
    again = report(why="", words=mark).content.decode()
    assert "<script>alert" not in again


def test_who_reported_is_in_nothing_that_an_owner_gets(live_story, staff, freeze, client, owner, mailoutbox):
    report(), freeze(live_story)
    client.force_login(owner)
    workspace = live_story.workspace_id
    seen = [
        client.get(f"/account/workspaces/{workspace}/audit-log").content.decode(),
        client.get(f"/studio/stories/{live_story.pk}/taken-down").content.decode(),
        *[mail.body for mail in mailoutbox if mail.to == [owner.email]],
        *map(str, SecurityEvent.objects.all()),
    ]
    assert len(seen) > 4 and not any("reader@readers.example" in text for text in seen)
    assert "Taken down by staff" in seen[0] and "Reported" not in seen[0] and staff.email not in seen[0]
    kinds = set(SecurityEvent.objects.values_list("kind", flat=True))
    assert {"reported", "frozen"} <= kinds
    assert "reader@readers.example" not in "".join(AccountMail.objects.values_list("content", flat=True))


@pytest.mark.both_databases
def test_the_link_stands_on_page_and_embed_also_of_a_white_label_capsule(live_story, api, client):
    for mode in ("STANDARD", "WHITE_LABEL"):
        api.publish(live_story, publicationMode=mode, showSocialShare=False)
        client.logout()
        for path in (LINK, f"{LINK}/embed"):
            assert 'href="/report?link=%2Fnorth-shore%2Fsmall-voyages"' in client.get(path).content.decode()
    assert settings.SERVICE_NAME not in client.get("/report", {"link": LINK}).content.decode()


def test_who_reports_finds_back_to_the_service_but_from_a_white_label_capsule(live_story, api, client):
    def named() -> set[bool]:
        pages = [client.get("/report", {"link": LINK}), report(why="nonsense"), report()]
        return {' href="/"' in page.content.decode() for page in pages}

    assert named() == {True} and ' href="/"' in client.get("/report").content.decode()
    api.publish(live_story, publicationMode="WHITE_LABEL", showSocialShare=False)
    assert named() == {False}


def test_a_link_with_an_edition_that_cannot_be_is_one_to_the_capsule(live_story):
    for how in (Client().get, Client().post):
        assert how("/report", {"link": f"{LINK}?edition=%00", "why": "spam"}).status_code in (200, 400)
