"""The page of one webhook: what was sent, in words, and the way to what is older."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import WebhookDelivery
from accounts.webhooks import pages
from tests.events.test_webhook_rules import make, tell
from tests.support.markup import parsed, words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(north_shore, owner, client):
    """The deliveries on the page of a webhook, each as words, and the page."""
    hook = make(north_shore)
    client.force_login(owner)

    def read(query: str = ""):
        page = parsed(client.get(f"/account/workspaces/{north_shore.pk}/webhooks/{hook.pk}{query}"))
        sent = [each for each in page.iter("details") if each.get("class") == "sent"]
        return [words_of(each) for each in sent], page

    read.hook = hook
    return read


def links(page) -> dict[str, str]:
    return {"".join(link.itertext()).strip(): link.get("href") for link in page.iter("a")}


def test_deliveries_are_shown_by_pages_with_a_way_to_the_older_and_back(shown, monkeypatch):
    assert "Nothing yet." in "".join(shown()[1].itertext())
    monkeypatch.setattr(pages, "SHOWN", 2)
    made = [WebhookDelivery.objects.create(webhook=shown.hook, type=f"kind.{n}", sample={}) for n in range(4)]
    rows, page = shown()
    assert [re.match(r"kind\.\d", row)[0] for row in rows] == ["kind.3", "kind.2"]
    assert "Newest" not in links(page) and links(page)["Older"] == f"?before={made[2].pk}"
    rows, page = shown(links(page)["Older"])
    assert [re.match(r"kind\.\d", row)[0] for row in rows] == ["kind.1", "kind.0"]
    assert "Older" not in links(page) and links(page)["Newest"].endswith(str(shown.hook.pk))
    rows, page = shown(f"?before={made[0].pk}")
    assert rows == [] and "No older ones." in "".join(page.itertext()) and "Newest" in links(page)
    assert len(shown("?before=somewhere")[0]) == 2


def test_what_was_sent_says_what_became_of_it(shown, north_shore):
    (event,) = tell(north_shore, "story.restored")
    WebhookDelivery.objects.create(webhook=shown.hook, type="story.restored", event=event)
    at = "2026-11-18T17:04:05.300000Z"
    refused = {"at": at, "status": 500, "error": None, "ms": 12, "answer": "<b>no</b>"}
    cut = {"at": at, "status": None, "error": "It took too long.", "ms": 15000, "answer": ""}
    later = timezone.now() + timedelta(minutes=5, seconds=20)
    tried = {"tries": 2, "attempts": [refused, cut], "next_attempt_at": later}
    WebhookDelivery.objects.create(webhook=shown.hook, type="b", sample={"it": "is"}, **tried)
    for state in ("failed", "done"):
        WebhookDelivery.objects.create(
            webhook=shown.hook, type=state, sample={}, state=state, next_attempt_at=None
        )
    (taken, failed, waits, new), page = shown()
    assert "done · taken" in taken and "failed · not taken" in failed
    assert "b · waits" in waits and '{"it":"is"}' in waits and "Not sent yet." not in waits
    assert "Answer 1 500 · 12 ms · 2026-11-18T17:04:05Z" in waits and "<b>no</b>" in waits
    assert "Answer 2 It took too long. · 15000 ms" in waits and "Tried again 5 minutes from now." in waits
    assert new.startswith(f"{event.sequence} · story.restored · waits") and "Not sent yet." in new
    assert "Send again" in new and "Send again" not in waits + taken, (
        "a sample is sent by the form for samples"
    )
    (again,) = [each for each in page.iter("button") if each.get("name") == "delivery"]
    assert again.get("value") == str(WebhookDelivery.objects.get(event=event).pk)


@pytest.mark.parametrize("number", ["9" * 30, "-1", "x"])
def test_a_form_that_sends_a_delivery_again_which_there_is_not_is_answered_in_words(
    shown, north_shore, client, number
):
    page = f"/account/workspaces/{north_shore.pk}/webhooks/{shown.hook.pk}"
    assert client.post(f"{page}/replay", {"delivery": number}, follow=True).status_code == 200


def test_what_was_never_taken_is_not_said_to_work(shown, client, north_shore):
    for taken_at, words in [(None, "Not tried yet"), (timezone.now(), "Works")]:
        type(shown.hook).objects.update(last_success_at=taken_at)
        listed = client.get(f"/account/workspaces/{north_shore.pk}/webhooks").content.decode()
        assert f">{words}</td>" in listed and words in "".join(shown()[1].itertext())
