"""The number of a case opens nothing: it is for people to name a case by, to staff who find it in the admin."""

from __future__ import annotations

import itertools
import uuid

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from accounts.models import User
from publishing.models import Case
from publishing.moderation import actions as moderation
from tests.lived_in.routes import every_route
from tests.support.moderation import browser_of

pytestmark = pytest.mark.django_db
WHERE = (
    "/report/{n}",
    "/report?case={n}",
    "/cases/{n}",
    "/case/{n}",
    "/studio/cases/{n}",
    "/studio/stories/{n}/taken-down",
    "/studio/{n}/suspended",
    "/api/v2/cases/{n}",
    "/api/v2/stories/{n}",
    "/{n}",
    "/{n}/{n}",
)


def test_no_address_but_of_the_admin_names_a_case():
    routes = [route.pattern for route in every_route()]
    assert [route for route in routes if "case" in route and not route.startswith("/admin/")] == []


def test_a_number_leads_nowhere(live_story, freeze, owner, api):
    case = freeze(live_story)
    words = {case.words, case.rule, live_story.title}
    browsers = {"nobody": Client(), "owner": browser_of(owner)}
    for where, who in itertools.product(WHERE, browsers):
        path = where.format(n=case.number)
        is_known = who == "owner" and "/api/" in where
        answer = browsers[who].get(path, headers=api.headers() if is_known else {})
        page = answer.content.decode()
        assert answer.status_code in (302, 400, 401, 404) or "Copy its link" in page, (path, who)
        assert not [told for told in words if told in page], (path, who)


def test_a_number_beside_ones_own_case_changes_no_other(live_story, freeze, owner, person):
    """The studio takes the case from the address of the capsule, whatever else a form says."""
    case = freeze(live_story)
    stranger = browser_of(person("stranger"))
    forged = {"appeal": "Mine.", "case": case.pk, "number": case.number, "pk": case.pk}
    for page in (f"/studio/stories/{story}/taken-down" for story in (live_story.pk, uuid.uuid4())):
        assert stranger.get(page).status_code == stranger.post(page, forged).status_code == 404
    assert Client().post("/report", {**forged, "link": case.number, "why": "spam"}).status_code == 404
    case.refresh_from_db()
    assert (case.state, case.appeal, case.reports.count()) == ("frozen", "", 0)


def test_links_of_mails_name_capsules_and_not_cases(live_story, freeze, owner, mailoutbox):
    case = freeze(live_story)
    moderation.appeal(case, "Look again.", by=owner)
    lines = [line for mail in mailoutbox for line in mail.body.split() if "://" in line]
    parts = {part for line in lines for part in line.rstrip(")").split("/")}
    assert "north-shore" in parts and not parts & {case.number, str(case.pk)}


def test_only_staff_who_may_see_cases_find_one_by_its_number(live_story, freeze, owner):
    case = freeze(live_story)
    search = f"{reverse('admin:publishing_case_changelist')}?q={case.number}"
    helper = User.objects.create_user("helper@capsules.example", "x", is_staff=True)
    assert Client().get(search).status_code == 302
    assert browser_of(owner).get(search).status_code == 302, "to the sign-in of staff"
    assert browser_of(helper).get(search).status_code == 403
    helper.user_permissions.set(Permission.objects.filter(codename="view_case"))
    found = browser_of(User.objects.get(pk=helper.pk)).get(search)
    assert found.status_code == 200 and case.subject in found.content.decode()
    other = browser_of(helper).get(search.replace(case.number, "2222-2222")).content.decode()
    assert case.subject not in other and Case.objects.count() == 1
