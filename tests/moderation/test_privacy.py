"""What is kept how long, what a year's report counts, and what proves that somebody agreed."""

from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from publishing.models import Case, Publication, Subscriber, SubscriptionRequest
from publishing.moderation import actions as moderation
from publishing.moderation import keeping
from publishing.subscribers import actions as subscriptions
from publishing.subscribers import csv_files

pytestmark = pytest.mark.django_db


def test_the_page_says_what_the_settings_say(client, settings):
    settings.LEFT_SUBSCRIBERS_KEPT = 47
    settings.SECURITY_EVENTS_KEPT = 730
    page = client.get("/privacy").content.decode()
    assert "What was sent to webhooks" in page and "1 month, at most 1 KiB of an answer" in page
    assert "47 days" in page and "2 years" in page and settings.DEFAULT_FROM_EMAIL in page


def test_a_years_report(live_story, staff, owner):
    publication = Publication.objects.select_related("story__workspace").get(story=live_story)
    first = moderation.report(publication, why="spam", email="a@b.example")
    moderation.report(publication, why="spam")
    moderation.dismiss(first, by=staff)
    second = moderation.report(publication, why="hate")
    second.reports.update(at=timezone.now() - timedelta(hours=3))
    moderation.freeze(second, moderation.Statement("hate", "", "x"), by=staff)
    moderation.appeal(Case.objects.get(pk=second.pk), "No.", by=owner)
    moderation.lift(Case.objects.get(pk=second.pk), by=staff)
    unreported = Case.objects.create(publication=publication, reason="hate", opened_at=timezone.now())
    moderation.freeze(unreported, moderation.Statement("hate", "", "x"), by=staff)
    out = io.StringIO()
    year = Case.objects.get(pk=second.pk).opened_at.year
    call_command("transparency", "--year", str(year), stdout=out)
    rows = {row["reason"]: row for row in csv.DictReader(io.StringIO(out.getvalue()))}
    counted = ("reports", "frozen", "dismissed", "appeals", "lifted", "median hours")
    assert [rows["spam"][name] for name in counted] == ["2", "0", "1", "0", "0", "0.0"]
    assert [rows["hate"][name] for name in counted] == ["1", "2", "0", "1", "1", "3.0"]
    assert "a@b.example" not in out.getvalue()
    call_command("transparency", "--year", "2001", stdout=(empty := io.StringIO()))
    assert len(empty.getvalue().splitlines()) == 1
    with pytest.raises(CommandError):
        call_command("transparency", "--year", "99999")


def test_an_upheld_case_keeps_its_words_while_it_is_in_force(live_story, staff, owner, freeze):
    case = freeze(live_story)
    moderation.appeal(case, "Mine.", by=owner)
    moderation.uphold(case, words="No.", by=staff)
    later = timezone.now() + timedelta(days=3 * 365)
    keeping.forget_old_cases(later)
    case.refresh_from_db()
    assert case.words and case.appeal == "Mine." and case.subject
    moderation.lift(case, words="After all.", by=staff)
    keeping.forget_old_cases(later)
    case.refresh_from_db()
    assert (case.words, case.appeal, case.subject) == ("", "", "")


def test_a_subscribers_export_proves_when_by_which_form_and_to_which_words_they_agreed(live_story, client):
    workspace = live_story.workspace
    form = client.get("/subscribe/north-shore").content.decode()
    plain = form.replace("<bdi>", "").replace("</bdi>", "")
    assert subscriptions.words_of_form(workspace) in plain
    client.post("/subscribe/north-shore", {"email": "reader@readers.example"})
    subscriptions.confirm(SubscriptionRequest.objects.get().token)
    [_, line] = "".join(csv_files.lines(workspace)).splitlines()
    proof = Subscriber.objects.get().consent
    assert proof in line
    for part in (
        "/subscribe/north-shore",
        "“New capsules from North Shore Press by email”",
        "confirmed",
        "UTC",
    ):
        assert part in proof
