"""The two mails: what they contain, in which form, and what they must not contain."""

from __future__ import annotations

import re
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from django.db.models.functions import Now

from publishing.mail.letters import TOKEN, Letter, Rendered, message_id
from publishing.models import Delivery, Premiere, Publication, Subscriber, Suppression
from publishing.premieres import reports, sweeping
from publishing.premieres.rendering import LARGEST_HTML, render
from tests.support import factories
from tests.support.mail import subscribe, sweep_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def send(api, ready_story, north_shore, mailbox):
    """Publishes a story and returns the mail that its only subscriber got."""

    def publish_and_read() -> EmailMessage:
        (address,) = subscribe(north_shore, 1)
        assert api.publish(ready_story, premiereEmailMode="FULL").status_code == 200
        sweep_at()
        return mailbox.mail(address)

    return publish_and_read


@pytest.fixture
def written(live_story):
    """The mail that a subscriber would get of a live capsule, had its content these fields."""

    def write(mode: str = "FULL", **fields: str) -> EmailMessage:
        publication = Publication.objects.with_bake().get()
        publication.live_bake.content |= fields
        letter = Letter(render(publication, mode))
        raw = letter.for_recipient("reader@readers.example", "T" * 32, "<1.2@127.0.0.1>")
        return message_from_bytes(raw, policy=policy.default)

    return write


def part(mail: EmailMessage, kind: str) -> str:
    return mail.get_body([kind]).get_content()


def without_isolation(html: str) -> str:
    """Names stand in elements that keep their direction to themselves."""
    return html.replace("<bdi>", "").replace("</bdi>", "")


def test_the_full_mail_has_every_scene_with_its_still_in_both_parts(written, settings):
    mail = written("FULL")
    html, text = part(mail, "html"), part(mail, "plain")
    for number in range(1, 5):
        assert f"This is scene {number} of Small voyages." in html
        assert f"This is scene {number} of Small voyages." in text
        assert f'alt="Picture {number}."' in html
    pictures = re.findall(r'<img[^>]* src="([^"]+)"', html)
    assert len(pictures) == 4
    for words in (
        "By Ines Okafor",
        "You get this email because you subscribed to North Shore Press.",
        "See it in motion",
    ):
        assert words in without_isolation(html) and words in text
    assert "Continue reading" not in html + text
    assert "North Shore Press</td>" in html, "whose mail it is, above everything"
    assert all(url.startswith(settings.APP_URL) and url.endswith(".jpeg") for url in pictures)
    assert re.search(r'<h1[^>]* style="[^"]*font:', html), "every style is inline"
    assert "prefers-color-scheme: dark" in html
    assert '<meta name="color-scheme" content="light dark">' in html
    assert re.search(r'<html[^>]* lang="en"[^>]* dir="ltr"', html)


def test_the_teaser_has_the_cover_the_opening_and_one_button(written, settings):
    mail = written("TEASER")
    html, text = part(mail, "html"), part(mail, "plain")
    assert html.count("<img") == 1
    assert "This is scene 1" in html
    assert "scene 2" not in html + text
    assert all(
        "By Ines Okafor" in shown and "Open the capsule" in shown for shown in (without_isolation(html), text)
    )
    link = f"{settings.APP_URL}/north-shore/small-voyages"
    assert html.count(f'class="button-link" href="{link}?from=mail"') == 1
    assert link in text


@pytest.mark.parametrize("cover, shown", [(0, 1), (1, 2), (3, 4), (4, 1), (9, 1)])
def test_the_teaser_shows_the_cover_or_else_the_first_scene(cover, shown, live_story):
    publication = Publication.objects.get()
    publication.live_bake.content["cover"] = cover
    assert re.findall(r'alt="(Picture \d)\."', render(publication, "TEASER").html) == [f"Picture {shown}"]


def test_a_capsule_without_an_author_has_no_line_for_one(live_story):
    publication = Publication.objects.get()
    publication.live_bake.content["author"] = ""
    publication.live_bake.content["summary"] = "Three crossings."
    for mode in ("FULL", "TEASER"):
        letter = render(publication, mode)
        assert 'class="byline"' not in letter.html
        title, summary, after = letter.text.split("\n")[:3]
        assert (title, summary, after) == ("Small voyages", "Three crossings.", "")


def test_the_headers_let_mail_programs_unsubscribe_by_one_post(send, client, settings):
    mail = send()
    address = mail["List-Unsubscribe"].strip("<>")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert address.removeprefix(settings.APP_URL).startswith("/unsubscribe/")
    assert address in part(mail, "html")
    assert address in part(mail, "plain")
    path = address.removeprefix(settings.APP_URL)
    answer = client.post(path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    assert not Subscriber.objects.active().exists()


def test_the_sender_is_the_workspace_and_the_subject_the_title(written):
    mail = written(title="Nachts über den See")
    assert mail["From"].addresses[0].display_name == "North Shore Press"
    assert mail["Subject"] == "Nachts über den See"


def test_a_mail_wears_the_look_of_its_capsule(live_story):
    def shown(**look: str | None) -> str:
        publication = Publication.objects.get(story=live_story)
        publication.live_bake.content["look"] = {"theme": "night", "accent": None, "face": "serif"} | look
        return render(publication, "FULL").html

    assert "#fffdf9" in shown() and "Georgia" in shown()
    paper = shown(theme="paper", face="slab")
    assert "#fbf4e7" in paper and "Roboto Slab" in paper
    assert 'content="light"' in paper and "prefers-color-scheme" not in paper, "paper stays paper"
    assert "#141417" in shown(theme="ink")
    pale = shown(theme="day", accent="#ffe14d")
    assert "#ffe14d" not in pale, "an accent that could not be read is darkened"
    assert 'bgcolor="#7a3413"' not in pale


def test_text_of_a_capsule_is_never_markup(written):
    html = part(written(title="<script>alert(1)</script>"), "html")
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_the_fixed_words_are_in_the_language_of_the_capsule(written):
    mail = written(language="de-AT")
    assert mail["Content-Language"] == "de-AT"
    html = part(mail, "html")
    assert 'lang="de-AT"' in html
    assert "Abbestellen" in html
    assert "Unsubscribe" not in html


def test_a_right_to_left_language_sets_the_direction(written):
    html = part(written(language="ar"), "html")
    assert re.search(r'<html[^>]* dir="rtl"', html)
    assert "إلغاء الاشتراك" in html and "Unsubscribe" not in html


@pytest.mark.parametrize("mode", ["FULL", "TEASER"])
def test_words_that_run_the_other_way_than_the_mail_keep_their_marks_on_their_side(mode, live_story):
    publication = Publication.objects.with_bake().get()
    content = publication.live_bake.content
    content["summary"] = "قصة قصيرة."
    content["scenes"][0]["title"] = "عنوان"
    page = render(publication, mode).html
    assert re.search(r"<h1[^>]* dir=.?auto", page) and re.search(r'<p class="?summary[^>]* dir=.?auto', page)
    assert len(re.findall(r'<td class="?words[^>]* dir=.?auto', page)) == (4 if mode == "FULL" else 1)
    assert len(re.findall(r'<h2 class="?heading[^>]* dir=.?auto', page)) == (4 if mode == "FULL" else 0)


def test_words_that_we_do_not_have_in_a_language_are_english_and_say_so(written):
    html = part(written(language="fa"), "html")
    assert re.search(r'<html[^>]* lang="fa" dir="rtl"', html)
    footer = re.search(r"<td([^>]*)>\s*You get this email because", html)
    assert 'lang="en"' in footer[1] and 'dir="ltr"' in footer[1], "in English, from left to right"


def test_a_very_long_capsule_is_cut_before_mail_programs_cut_it(live_story):
    publication = Publication.objects.get()
    scene = publication.live_bake.content["scenes"][0]
    publication.live_bake.content["scenes"] = [{**scene, "text": "Wörter " * 280} for _ in range(80)]
    rendered = render(publication, "FULL")
    assert 60_000 < len(rendered.html.encode()) <= LARGEST_HTML
    assert "Continue reading" in rendered.html
    assert "Continue reading" in rendered.text


@pytest.mark.parametrize("scenes", [1, 2])
def test_a_scene_too_long_for_a_mail_still_makes_one(scenes, live_story):
    publication = Publication.objects.get()
    scene = publication.live_bake.content["scenes"][0]
    publication.live_bake.content["scenes"] = [{**scene, "text": "Wörter " * 20_000} for _ in range(scenes)]
    rendered = render(publication, "FULL")
    assert rendered.html.count(f'alt="{scene["alt"]}"') == 1
    assert ("Continue reading" in rendered.html) is (scenes > 1)


def test_a_token_is_never_cut_and_always_replaced():
    for width in range(60, 90):
        text = "x" * width + TOKEN + "=\n." + TOKEN
        letter = Letter(Rendered("s", "n", "en", text, text, "list"))
        raw = letter.for_recipient("a@example.org", "T" * 32, "<1@example.org>")
        assert TOKEN.encode() not in raw
        assert raw.count(b"T" * 32) == 5


def test_the_message_id_is_the_same_each_time_and_sealed():
    assert message_id(1, 2) == message_id(1, 2)
    assert len({message_id(1, 2), message_id(1, 3), message_id(2, 2)}) == 3


def bounce(ident: str, status: str = "5.1.1") -> bytes:
    return (
        "From: MAILER-DAEMON@example.org\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n"
        "\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n"
        f"Final-Recipient: rfc822; someone@example.org\r\nAction: failed\r\nStatus: {status}\r\n"
        f"\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {ident}\r\n\r\n--b--\r\n"
    ).encode()


WORDS = "Reporting-MTA: dns; mx.example.org Final-Recipient: rfc822; someone@example.org Action: failed Status: 5.1.1"


@pytest.fixture
def two_mails(api, live_story, north_shore, rendered, mailbox) -> dict[str, EmailMessage]:
    """Those of the second of three subscribers, each of whom got the premieres of two capsules, by subject."""
    addresses = subscribe(north_shore, 3)
    api.publish(factories.make_story(north_shore, rendered, title="Another"))
    Premiere.objects.update(due_at=Now())
    sweeping.send_due_premieres()
    mails = [
        message_from_bytes(raw, policy=policy.default) for to, raw in mailbox.taken if to == addresses[1]
    ]
    return {str(mail["Subject"]): mail for mail in mails}


def failed() -> list[tuple[str, str, str]]:
    rows = Delivery.objects.filter(state="failed")
    return list(rows.values_list("premiere__publication__story__title", "email", "error"))


def test_a_bounce_closes_the_address_of_its_message_and_no_other(two_mails):
    Delivery.objects.filter(premiere__publication__story__title="Small voyages").update(state="uncertain")
    assert reports.take_report(bounce(two_mails["Small voyages"]["Message-ID"])) and failed() == []
    Suppression.objects.all().delete()
    suppression = reports.take_report(bounce(two_mails["Another"]["Message-ID"]))
    assert suppression == Suppression.objects.get()
    assert (suppression.email, suppression.reason) == ("reader-2@readers.example", "bounce")
    assert suppression.detail == WORDS
    assert failed() == [("Another", "reader-2@readers.example", f"It came back: {WORDS}")]
    assert Subscriber.objects.reachable().count() == 2


def test_a_bounce_is_known_whatever_its_letters():
    for field in (b"Action: failed", b"action:  FAILED"):
        report = bounce("<1@example.org>").replace(b"Action: failed", field)
        assert reports.reason_of(message_from_bytes(report, policy=policy.default)).kind == "bounce", field


def test_a_complaint_closes_the_address_of_its_message(two_mails):
    report = bounce(two_mails["Another"]["Message-ID"]).replace(
        b"message/delivery-status", b"message/feedback-report"
    )
    for praise in (b"Feedback-Type: not-spam", b"feedback-type:not-spam"):
        praised = report.replace(b"Action: failed", praise)
        assert praised != report and reports.take_report(praised) is None
    suppression = reports.take_report(report)
    assert (suppression.email, suppression.reason) == ("reader-2@readers.example", "complaint")
    assert suppression.detail == "Reported as unwanted."
    assert failed() == [], "it arrived"


def test_a_made_up_report_closes_nobody(send):
    mail = send()
    known = re.fullmatch(r"(<premiere\.\d+\.\d+\.)[0-9a-f]{20}(@.+>)", mail["Message-ID"])
    assert reports.take_report(bounce(f"{known[1]}{'0' * 20}{known[2]}")) is None, (
        "the right ids, another seal"
    )
    assert reports.take_report(bounce(mail["Message-ID"], status="4.2.2")) is None
    assert reports.take_report(b"hello") is None
    assert not Suppression.objects.exists()
