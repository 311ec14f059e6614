"""Public pages, and what is answered to their forms, in en-XA: what they say is in a catalogue, or somebody's words."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from accounts import proofs
from accounts.throttling import RateExceeded
from config.errors import Conflict
from publishing.models import Bake, Report, Subscriber, SubscriptionRequest
from publishing.moderation import pages as moderation_pages
from tests.browser.test_words import LONGER, PATH, addresses
from tests.moderation.conftest import freeze, staff
from tests.support.forms import press
from tests.support.unmarked import unmarked

__all__ = ["addresses", "freeze", "staff"]
pytestmark = pytest.mark.django_db
LANGUAGES = frozenset(["languages"])  # each names itself
#: Names of networks, and dates, which no catalogue has.
NOT_OURS = re.compile("Facebook|WhatsApp|LinkedIn|Bluesky|<time[^>]*>[^<]*</time>")


@pytest.fixture(autouse=True)
def english_again():
    yield
    translation.activate("en")


def plain(answer) -> list[str]:
    """What an answer says in the letters of English."""
    page = answer.content.decode()
    assert f'lang="{LONGER}"' in page
    return unmarked(NOT_OURS.sub("", page), LANGUAGES)


def test_every_word_of_ours_is_in_the_language_of_the_page(addresses, client):
    found = {address: plain(client.get(address)) for address in addresses(LONGER)}
    assert {address: words for address, words in found.items() if words} == {}


def sent_forms() -> list[tuple[str, str, dict[str, str], int]]:
    """What is answered to forms: a name, where each is sent, what it says, and the status."""
    email = f"{LONGER.lower()}@example.org"
    asked, reader = SubscriptionRequest.objects.get(email=email), Subscriber.objects.get(email=email)
    subscribe, report = f"/subscribe/north-shore?language={LONGER}", f"/report?link={PATH}"
    said, address = {"why": "spam"}, {"email": "new@example.org"}
    return [
        ("no address", subscribe, {"email": "none"}, 400),
        ("asked", subscribe, address, 200),
        ("confirmed", f"/confirm/{asked.token}", {}, 200),
        ("left", f"/unsubscribe/{reader.token}", {}, 200),
        ("erased", f"/unsubscribe/{reader.token}/delete", {}, 200),
        ("gone", f"/confirm/none?language={LONGER}", {}, 404),
        ("nothing said", report, {}, 400),
        ("elsewhere", f"/report?link=https://other.example/a&language={LONGER}", {}, 400),
        ("not there", f"/report?link=/north-shore/none&language={LONGER}", {}, 404),
        ("sent", report, said, 200),
        ("answered", report, said, 409),
        ("too many reports", report, said, 429),
        ("too often asked", subscribe, address, 429),
    ]


def prepare(name: str, monkeypatch) -> None:
    """What must be so before a form is answered in this way."""
    if name == "answered":
        monkeypatch.setattr(moderation_pages.actions, "report", refuse(Conflict("It was decided already.")))
    if name.startswith("too "):
        monkeypatch.setattr(proofs, "check_rate", refuse(RateExceeded("report", 5, 600)))


def refuse(error: Exception):
    def refused(*args: object, **kwargs: object) -> None:
        raise error

    return refused


def test_every_answer_to_a_form_is_in_the_language_of_the_page(addresses, client):
    addresses(LONGER)
    for name, path, fields, status in sent_forms():
        with pytest.MonkeyPatch.context() as patch:
            prepare(name, patch)
            answer = client.post(path, fields)
        assert (answer.status_code, plain(answer)) == (status, []), name


def test_a_notice_of_what_was_taken_down_is_in_the_language_of_the_capsule(
    addresses, live_story, freeze, client
):
    addresses(LONGER)
    freeze(live_story)
    for path in (PATH, f"{PATH}/embed"):
        answer = client.get(path)
        assert answer.status_code in (404, 451) and plain(answer) == [], path


def test_who_reports_in_arabic_is_asked_and_answered_in_arabic(live_story, client):
    bake = Bake.objects.get()
    Bake.objects.filter(pk=bake.pk).update(content={**bake.content, "language": "ar"})
    page = client.get(f"/report?link={PATH}")
    assert '<html lang="ar" dir="rtl"' in page.content.decode()
    page = press(client, page, "إرسال البلاغ")
    assert "يُرجى اختيار المشكلة." in page.content.decode()
    page = press(client, page, "إرسال البلاغ", why="spam", email="reader@example.org")
    assert "شكرًا لك، أُرسل بلاغك" in page.content.decode()
    assert Report.objects.get().language == "ar"
