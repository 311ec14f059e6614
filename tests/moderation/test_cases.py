"""A case from the first report to the answer of an appeal: what staff decide, what owners are told, who may do what."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actions import erasing, workspaces
from accounts.models import Membership, SecurityEvent, User, Workspace
from config.errors import Forbidden
from publishing.models import Case, HeldSlug
from publishing.moderation import actions as moderation
from tests.support.forms import press
from tests.support.messages import messages_of
from tests.support.moderation import WORDS, browser_of, helper, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(live_story) -> Case:
    return report(live_story, words="Mine.", email="reader@readers.example")


def decide(user: User, case: Case, do: str, **said: str):
    address = reverse("admin:publishing_case_change", args=[case.pk])
    return browser_of(user).post(address, {"do": do, **said}, follow=True)


def kinds() -> list[str]:
    wanted = ("reported", "frozen", "dismissed", "appealed", "upheld", "lifted")
    rows = SecurityEvent.objects.filter(kind__in=wanted).order_by("pk")
    return list(rows.values_list("kind", flat=True))


def test_the_way_of_a_case(case, staff, owner, live_story, client, mailoutbox):
    other = User.objects.create_superuser("second@capsules.example", "x")
    page = browser_of(staff).get(reverse("admin:publishing_case_change", args=[case.pk])).content.decode()
    assert (
        "Mine." in page and "This is scene 1 of Small voyages." in page and "reader@readers.example" in page
    )
    assert "Freeze" in page and "Dismiss" in page and 'name="words"' in page

    assert (
        "Taken down."
        in decide(staff, case, "freeze", words=WORDS, reason="rights", rule="§ 97").content.decode()
    )
    statement = next(mail for mail in mailoutbox if mail.to == [owner.email])
    for part in (
        WORDS,
        "§ 97",
        case.number,
        "uses what belongs to somebody else",
        "by reports of readers",
        "appeal",
    ):
        assert part in statement.body, part
    assert any("took it down" in mail.body for mail in mailoutbox if mail.to == ["reader@readers.example"])

    mine = f"/studio/stories/{live_story.pk}/taken-down"
    studio = browser_of(owner)
    assert WORDS in studio.get(mine).content.decode()
    assert studio.post(mine, {"appeal": ""}).status_code == 400
    much = "x" * (Case._meta.get_field("appeal").max_length + 1)
    refused = press(studio, studio.get(mine), "Send the appeal", appeal=much)
    assert refused.status_code == 400 and f">{much}</textarea>" in refused.content.decode()
    sent = studio.post(mine, {"appeal": "I drew it.\r\nTwice."}, follow=True)
    assert messages_of(sent) == "Your appeal was sent. You get a mail with the answer."
    assert sent.redirect_chain == [(mine, 302)]
    case.refresh_from_db()
    assert case.appeal == "I drew it.\nTwice."
    again = studio.post(mine, {"appeal": "I did."})
    assert again.status_code == 400 and moderation.APPEALED_ALREADY in again.content.decode()

    refused = decide(staff, case, "uphold", words="No.").content.decode()
    assert moderation.NOT_BY_THE_SAME in refused
    assert "Upheld." in decide(other, case, "uphold", words="The letter is signed.").content.decode()
    assert not HeldSlug.objects.exists(), "its address is free for others"
    assert "The letter is signed." in studio.get(mine).content.decode()
    assert "Lifted." in decide(other, case, "lift", words="After all.").content.decode()
    client.logout()
    assert client.get("/north-shore/small-voyages").status_code == 200
    assert kinds() == ["reported", "frozen", "appealed", "upheld", "lifted"]
    assert sum("can see it again" in mail.body for mail in mailoutbox) == 2, "the owner and the reporter"


def test_only_an_owner_of_this_workspace_is_asked_for_an_appeal(live_story, freeze, person, harbour):
    freeze(live_story)
    Membership.objects.create(workspace=harbour, user=person("editor"), role="owner")
    mine = f"/studio/stories/{live_story.pk}/taken-down"
    pages = [browser_of(person(who)).get(mine).content.decode() for who in ("owner", "editor")]
    assert ['name="appeal"' in page for page in pages] == [True, False]
    assert f"(at most {Case._meta.get_field('appeal').max_length} characters)" in " ".join(pages[0].split())


def test_a_decision_needs_words_and_a_reason(case, staff):
    assert "Say why, in words for the owner." in decide(staff, case, "freeze", reason="spam").content.decode()
    assert "Choose a reason." in decide(staff, case, "freeze", words="x", reason="").content.decode()
    case.refresh_from_db()
    assert case.state == "open"


def test_staff_without_rights(case, live_story):
    address = reverse("admin:publishing_case_change", args=[case.pk])
    for who, (get, post) in {
        helper(): (403, 403),
        helper("view_case"): (200, 403),
        helper("view_case", "change_case"): (200, 302),
    }.items():
        browser = browser_of(who)
        assert browser.get(address).status_code == get
        assert browser.post(address, {"do": "dismiss"}).status_code == post
    assert Client().post(address, {"do": "lift"}).status_code == 302, "to the login"
    assert Case.objects.get().state == "dismissed"


@pytest.mark.both_databases
def test_the_whole_workspace_with_the_same_statement(case, staff, north_shore, owner, mailoutbox):
    decide(staff, case, "suspend", words=WORDS, reason="spam", whole="on")
    assert Workspace.objects.get(pk=north_shore.pk).is_suspended
    own = Case.objects.get(kind="workspace")
    assert (own.state, own.words, own.reason) == ("frozen", WORDS, "spam")
    page = browser_of(owner).get(f"/studio/{north_shore.pk}/suspended").content.decode()
    assert WORDS in page and "Send the appeal" in page
    browser_of(owner).post(f"/studio/{north_shore.pk}/suspended", {"appeal": "Please."})
    other = User.objects.create_superuser("second@capsules.example", "x")
    assert "Lifted." in decide(other, own, "lift", words="").content.decode()
    assert not Workspace.objects.get(pk=north_shore.pk).is_suspended
    assert not Case.objects.filter(kind="workspace", state__in=Case.IN_FORCE).exists()


@pytest.mark.both_databases
def test_what_is_not_taken_down_has_no_reasons_to_read(live_story, owner):
    browser = browser_of(owner)
    for address in (
        f"/studio/stories/{live_story.pk}/taken-down",
        f"/studio/{live_story.workspace_id}/suspended",
    ):
        assert browser.get(address).status_code == browser.post(address, {"appeal": "x"}).status_code == 404


def test_who_follows_the_mail_after_it_was_given_back_is_told_so_beside_the_capsules(
    case, live_story, owner, staff
):
    decide(staff, case, "suspend", words=WORDS, reason="spam", whole="on")
    for each in Case.objects.order_by("kind"):
        moderation.lift(each, words="", by=staff)
    capsules, browser = f"/studio/{live_story.workspace_id}", browser_of(owner)
    for address, told in (
        (f"/studio/stories/{live_story.pk}/taken-down", "This capsule is not taken down."),
        (f"{capsules}/suspended", "This workspace is not suspended."),
    ):
        assert browser.post(address, {"appeal": "x"})["Location"] == capsules
        browser.get(capsules)  # which shows what was told
        answer = browser.get(address, follow=True)
        assert (answer.redirect_chain, messages_of(answer)) == ([(capsules, 302)], told)


def test_the_pages_of_a_workspace_that_was_suspended_without_a_case_say_whom_to_ask(
    live_story, owner, settings
):
    settings.DEFAULT_FROM_EMAIL = "operator@capsules.example"
    Workspace.objects.update(suspended_at=timezone.now())
    for address in (
        f"/studio/stories/{live_story.pk}/taken-down",
        f"/studio/{live_story.workspace_id}/suspended",
    ):
        pages = [browser_of(owner).get(address), browser_of(owner).post(address, {"appeal": "x"})]
        for page in pages:
            text = page.content.decode()
            assert page.status_code == 200 and "This workspace was suspended" in text
            assert 'href="mailto:operator@capsules.example"' in text and 'name="appeal"' not in text


@pytest.mark.both_databases
def test_a_suspension_that_ends_after_an_appeal_is_its_answer(case, staff, owner, north_shore):
    moderation.suspend_workspace(case, moderation.Statement("spam", "", WORDS), by=staff)
    own = Case.objects.get(kind="workspace")
    moderation.appeal(own, "They are mine.", by=owner)
    other = User.objects.create_superuser("second@capsules.example", "x")
    workspaces.resume(Workspace.objects.get(), words="You were right.", by=other)
    own.refresh_from_db()
    assert (own.state, own.answer, own.answered_by) == ("lifted", "You were right.", other)


def test_only_an_owner_appeals(live_story, freeze, person):
    with pytest.raises(Forbidden):
        moderation.appeal(freeze(live_story), "Why?", by=person("admin"))


def test_a_case_outlives_its_workspace_without_a_word(case, staff, live_story, owner):
    decide(staff, case, "freeze", words=WORDS, reason="spam")
    erasing.erase_workspace(Workspace.objects.get(pk=live_story.workspace_id), by=owner)
    case.refresh_from_db()
    assert (case.state, case.reason, case.words, case.subject, case.publication) == (
        "frozen",
        "spam",
        "",
        "",
        None,
    )
    assert not any((report.words, report.email) != ("", "") for report in case.reports.all())
    page = browser_of(staff).get(reverse("admin:publishing_case_change", args=[case.pk]))
    assert page.status_code == 200


def test_the_front_page_of_the_admin_names_what_waits(case, staff):
    page = browser_of(staff).get("/admin/").content.decode()
    assert "Reported capsules" in page and page.index("Reports of readers") < page.index(
        "Capsules and editions"
    )


@pytest.mark.both_databases
def test_staff_open_a_case_themselves(live_story, staff):
    row = {"action": "open_case", "_selected_action": [str(live_story.pk)]}
    page = browser_of(staff).post("/admin/capsules/story/", row, follow=True).content.decode()
    assert "Freeze" in page and Case.objects.get().found == "staff"


def test_the_button_of_a_statement_leads_to_the_appeal(live_story, freeze, mailoutbox, settings):
    freeze(live_story)
    page = str(mailoutbox[-1].alternatives[0][0])
    appeal = f"{settings.APP_URL}/studio/stories/{live_story.pk}/taken-down"
    assert re.findall(r'href="([^"]+)"', page) == [appeal], "and none to what is gone"
    assert "Read the reasons, and appeal</a>" in page
