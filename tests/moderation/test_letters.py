"""The mails about cases say what is so for whom they reach: who reports what is down already, who owns several."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from accounts.actions import workspaces
from publishing.models import Case
from publishing.moderation import actions as moderation
from tests.support.factories import make_edition
from tests.support.moderation import WORDS, report

pytestmark = pytest.mark.django_db
LINK = "/north-shore/small-voyages"
SAID = moderation.Statement("spam", "§ 4", WORDS)


@pytest.fixture
def reported(live_story) -> Case:
    cache.clear()
    return report(live_story, "spam", email="reader@readers.example")


def send(number: int, email: str):
    return Client().post(
        "/report", {"link": LINK, "why": "spam", "email": email}, REMOTE_ADDR=f"192.0.2.{number}"
    )


def spelled(number: int) -> str:
    letters = [letter.upper() if number >> place & 1 else letter for place, letter in enumerate("reader")]
    return f"{''.join(letters)}@readers.example"


def test_one_address_gets_five_receipts_and_one_outcome_however_it_is_spelled(reported, staff, mailoutbox):
    assert {send(number, spelled(number)).status_code for number in range(1, 13)} == {200}
    assert len(mailoutbox) == 5
    moderation.dismiss(reported, by=staff)
    (outcome,) = mailoutbox[5:]
    assert outcome.to == ["reader@readers.example"] and "leave it as it is" in outcome.body


def test_mails_about_an_edition_of_a_capsule_that_was_never_published_have_its_own_link(
    ready_story, rendered, api, client, staff, mailoutbox
):
    cache.clear()
    edition = make_edition(ready_story, rendered, shown=False)
    link = api.publish(edition).json()["url"]
    case = report(edition, "spam", email="reader@readers.example")
    assert case.publication.story == ready_story, "the case is the capsule's"
    moderation.dismiss(case, by=staff)
    for mail in mailoutbox:
        (told,) = re.findall(rf"{settings.APP_URL}(/north-shore/\S+)", mail.body)
        assert told == link and client.get(told).status_code == 200, mail.subject
    assert len(mailoutbox) == 2


def test_a_suspension_from_a_case_tells_how_it_was_found(reported, staff, owner, mailoutbox):
    moderation.suspend_workspace(reported, SAID, by=staff)
    told = [
        re.findall("How it was found: .*?[.]", mail.body) for mail in mailoutbox if mail.to == [owner.email]
    ]
    assert told == [["How it was found: by reports of readers."]] * 2
    assert set(Case.objects.values_list("kind", "found")) == {("capsule", "report"), ("workspace", "report")}


def test_who_reports_what_is_down_already_is_promised_no_decision(live_story, freeze, mailoutbox):
    cache.clear()
    freeze(live_story)
    answer = Client().post(
        "/report",
        {"link": LINK, "why": "spam", "email": "a@b.example"},
        headers={"Accept-Language": "de"},
    )
    page, mail = answer.content.decode(), mailoutbox[-1].body
    for text in (page, mail):
        assert "A person will look at" not in text and "was decided" not in text and "outcome" not in text
    assert "taken down already" in page and "taken down already" in mail and "if staff decide" in mail
    assert "<bdi>a@b.example</bdi>" in page


def test_two_decisions_by_one_press_are_told_apart(reported, staff, owner, mailoutbox):
    """The capsule of the case stays down when the suspension ends, and its owner is told so both times."""
    moderation.suspend_workspace(reported, SAID, by=staff)
    statement = mailoutbox[-1].body
    assert "By decisions of their own, each with its own mail and appeal" in statement
    assert f"as well:\n“Small voyages” ({reported.number})." in statement
    moderation.lift(Case.objects.get(kind="workspace"), by=staff)
    lifted = mailoutbox[-1]
    assert "Your workspace is no longer suspended" in lifted.subject
    assert f"stay taken down: “Small voyages” ({reported.number})." in lifted.body


def test_a_capsule_that_is_given_back_in_a_suspended_workspace_is_not_called_readable(
    reported, staff, owner, mailoutbox
):
    moderation.suspend_workspace(reported, SAID, by=staff)
    moderation.lift(Case.objects.get(kind="capsule"), by=staff)
    [told] = [mail for mail in mailoutbox if "no longer taken down" in mail.subject]
    assert "Your workspace is still suspended: readers wait until that has ended, too." in told.body


def test_an_owner_who_was_given_no_reason_is_told_whom_to_ask(
    live_story, staff, owner, mailoutbox, client, settings
):
    workspaces.suspend(live_story.workspace, by=staff)
    ask = "No reason was written down. Write to"
    assert f"{ask} {settings.DEFAULT_FROM_EMAIL}" in mailoutbox[-1].body
    client.force_login(owner)
    assert ask in client.get(f"/studio/{live_story.workspace_id}/suspended").content.decode()


def test_owners_of_a_deleted_capsule_are_led_to_no_missing_page(
    live_story, freeze, owner, mailoutbox, client
):
    case = freeze(live_story)
    live_story.delete()
    moderation.lift(Case.objects.get(pk=case.pk), by=case.handled_by)
    client.force_login(owner)
    from publishing.moderation.mail import reasons_page

    assert client.get(reasons_page(Case.objects.get()), follow=True).status_code == 200
