"""What staff see of cases and of what is taken down, and which of them may decide."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from accounts.actions import workspaces
from accounts.models import Membership, User, Workspace
from capsules.models import Origin, Story
from config.errors import Forbidden
from publishing import admin as publishing_admin
from publishing.models import Case, Report
from publishing.moderation import actions as moderation
from publishing.moderation import admin as case_admin
from tests.support import factories
from tests.support.moderation import WORDS, browser_of, helper, report

pytestmark = pytest.mark.django_db
SAID = moderation.Statement("spam", "", WORDS)


@pytest.fixture
def case(live_story) -> Case:
    return report(live_story, words="Mine.")


def page_of(case: Case) -> str:
    return reverse("admin:publishing_case_change", args=[case.pk])


def test_all_reports_are_counted_and_the_last_ones_shown(case, staff):
    Report.objects.bulk_create(Report(case=case, why="spam") for _ in range(700))
    page = browser_of(staff).get(page_of(case)).content.decode()
    assert "701 reports" in page and "The last 500 of them:" in page
    assert page.count('class="report"') == 500


def test_a_case_that_cannot_be_is_not_there(staff):
    browser = browser_of(staff)
    for key in ("²", "x", "0"):
        assert browser.get(f"/admin/publishing/case/{key}/change/").status_code == 404, key


def test_a_length_that_is_no_number_is_refused(client, settings):
    assert client.post("/report", CONTENT_LENGTH="²").status_code < 500
    assert client.post("/api/v2/stories", CONTENT_LENGTH="²").status_code == 400


def test_copies_that_readers_can_open_stand_beside_the_case(case, north_shore, rendered, api, staff):
    """They stay live with the pictures that they share, so staff have to see them."""
    copy, draft = (
        factories.make_story(north_shore, rendered, title=title) for title in ("A copy", "Not live")
    )
    for each in (copy, draft):
        Origin.objects.create(story=each, original=case.about)
    api.publish(copy)
    page = browser_of(staff).get(page_of(case)).content.decode()
    assert "/north-shore/a-copy" in page and "Copies that readers can open" in page and "Not live" not in page
    moderation.freeze(case, SAID, by=staff)
    assert "/north-shore/a-copy" in browser_of(staff).get(page_of(case)).content.decode()
    api.unpublish(copy)
    assert "Copies that readers" not in browser_of(staff).get(page_of(case)).content.decode()


def test_what_is_taken_down_is_live_nowhere_in_the_admin_and_in_no_numbers(case, staff, owner, live_story):
    link = 'href="/north-shore/small-voyages"', f'href="{live_story.publication.get_absolute_url()}"'
    lists = "/admin/publishing/publication/", "/admin/capsules/story/"
    numbers = f"/studio/stories/{live_story.pk}/statistics"
    before = browser_of(owner).get(numbers).content.decode()
    moderation.freeze(case, SAID, by=staff)
    for path in lists:
        page = browser_of(staff).get(path).content.decode()
        assert not any(part in page for part in link), path
    page = browser_of(staff).get(lists[0]).content.decode()
    assert "Taken down" in page and "Live, public" not in page
    after = browser_of(owner).get(numbers).content.decode()
    live = "Nobody has opened it yet."
    assert live in before and live not in after


def test_who_chooses_several_capsules_is_told_that_a_case_is_about_one(
    live_story, north_shore, rendered, staff
):
    other = factories.make_story(north_shore, rendered, title="Another")
    row = {"action": "open_case", "_selected_action": [str(live_story.pk), str(other.pk)]}
    page = browser_of(staff).post("/admin/capsules/story/", row, follow=True).content.decode()
    assert publishing_admin.ONE_CASE in page and not Case.objects.exists()


def test_a_whole_workspace_takes_the_permission_to_change_workspaces(case, north_shore):
    small = browser_of(helper("view_case", "change_case"))
    press = {"do": "suspend", "reason": "spam", "words": WORDS}
    assert 'value="suspend"' not in small.get(page_of(case)).content.decode()
    assert case_admin.MAY_NOT_SUSPEND in small.post(page_of(case), press, follow=True).content.decode()
    assert not Workspace.objects.get().is_suspended
    large = browser_of(helper("view_case", "change_case", "change_workspace"))
    assert case_admin.TICK_FIRST in large.post(page_of(case), press, follow=True).content.decode()
    assert not Workspace.objects.get().is_suspended
    press["whole"] = "on"
    assert "workspace suspended." in large.post(page_of(case), press, follow=True).content.decode()
    own = Case.objects.get(kind="workspace")
    assert (
        case_admin.MAY_NOT_SUSPEND in small.post(page_of(own), {"do": "lift"}, follow=True).content.decode()
    )
    assert Workspace.objects.get().is_suspended


def test_a_case_names_the_link_that_readers_have_now(case, staff, live_story, api, owner, mailoutbox):
    assert api.publish(live_story, slug="great-voyages").status_code == 200
    page = browser_of(staff).get(page_of(case)).content.decode()
    assert 'href="/north-shore/great-voyages"' in page and 'href="/north-shore/small-voyages"' not in page
    assert page.index("1 report") < page.index("Freeze"), "what was reported is read before it is decided"
    moderation.freeze(case, SAID, by=staff)
    (letter,) = [mail for mail in mailoutbox if mail.to == [owner.email] and "taken down" in mail.subject]
    assert "/north-shore/great-voyages" in letter.body and "/north-shore/small-voyages" not in letter.body


def test_the_appeal_of_a_workspace_waits_for_nobody_who_may_not_answer_it(case, staff, owner):
    moderation.suspend_workspace(case, SAID, by=staff)
    helper("view_case", "change_case")
    own = Case.objects.get(kind="workspace")
    moderation.appeal(own, "Why?", by=owner)
    moderation.lift(own, by=staff)
    assert not Workspace.objects.get().is_suspended


def test_staff_decide_no_case_of_a_workspace_of_theirs(case, staff, north_shore):
    Membership.objects.create(workspace=north_shore, user=staff, role="viewer")
    other = User.objects.create_superuser("second@capsules.example", "x")
    for decide in (moderation.freeze, moderation.suspend_workspace):
        with pytest.raises(Forbidden, match="belong to this workspace"):
            decide(case, SAID, by=staff)
    with pytest.raises(Forbidden, match="belong to this workspace"):
        moderation.dismiss(case, by=staff)
    other.delete()
    moderation.dismiss(case, by=staff)  # alone, they do


def test_nor_do_they_end_its_suspension_or_answer_its_appeal(case, staff, north_shore, owner):
    other = User.objects.create_superuser("second@capsules.example", "x")
    moderation.suspend_workspace(case, SAID, by=other)
    Membership.objects.create(workspace=north_shore, user=staff, role="viewer")
    own = Case.objects.get(kind="workspace")
    for end in (lambda: moderation.lift(own, by=staff), lambda: workspaces.resume(north_shore, by=staff)):
        with pytest.raises(Forbidden, match="belong to this workspace"):
            end()
    moderation.appeal(own, "Why?", by=owner)
    with pytest.raises(Forbidden):
        workspaces.resume(
            Workspace.objects.get(), by=other
        )  # who decided does not answer, by the list neither
    assert Workspace.objects.get().is_suspended


def test_two_members_do_not_send_each_other_away(case, staff, north_shore):
    other = User.objects.create_superuser("second@capsules.example", "x")
    for user in (staff, other):
        Membership.objects.create(workspace=north_shore, user=user, role="viewer")
    moderation.dismiss(case, by=staff)


def test_staff_choose_the_words_that_the_owner_reads(case, staff):
    page = browser_of(staff).get(page_of(case)).content.decode()
    assert ">It uses what belongs to somebody else</option>" in page
    assert f'href="{case.subject}"' in page
    other = Story.objects.get()
    Case.objects.create(workspace=other.workspace, subject="/north-shore/an-older-one", state="dismissed")
    assert "/north-shore/an-older-one" in browser_of(staff).get(page_of(case)).content.decode()


def test_who_may_not_answer_reads_why_in_place_of_the_buttons(case, staff, north_shore, owner):
    other = User.objects.create_superuser("second@capsules.example", "x")
    moderation.freeze(case, SAID, by=staff)
    moderation.appeal(case, "Why?", by=owner)
    for user, words in [(staff, moderation.NOT_BY_THE_SAME), (other, 'value="uphold"')]:
        page = browser_of(user).get(page_of(case)).content.decode()
        assert words in page and ('name="do"' in page) is (user == other)
    Membership.objects.create(workspace=north_shore, user=other, role="viewer")
    assert moderation.NOT_THEIR_OWN in browser_of(other).get(page_of(case)).content.decode()


def test_staff_can_play_the_films_of_a_capsule_that_was_taken_down(case, staff):
    moderation.freeze(case, SAID, by=staff)
    bake = case.publication.live_bake
    film = {"name": "ab/cd.mp4", "media_type": "video/mp4", "width": 640, "height": 360, "duration": 2.0}
    bake.content["scenes"][1] |= {"camera": False, "film": {"mp4": film}}
    bake.save(update_fields=["content"])
    page = browser_of(staff).get(page_of(case)).content.decode()
    assert re.findall(r'<video controls[^>]*>\s*<source src="/media/([^"]+)" type="([^"]+)"', page) == [
        ("ab/cd.mp4", "video/mp4")
    ]
