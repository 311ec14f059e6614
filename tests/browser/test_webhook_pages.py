"""The pages of webhooks: made, tested, looked through and replayed by hand, by keyboard, on a phone and on a desk."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Page, expect

from accounts.webhooks import pages, sending
from tests.browser.axe import violations
from tests.support.hooks import Hooks, numbers
from tests.support.receiver import receiver

pytestmark = pytest.mark.django_db(transaction=True)


def looks_right(page: Page, name: str) -> None:
    is_as_wide_as_the_window(page, name)
    assert violations(page) == []


def is_as_wide_as_the_window(page: Page, name: str) -> None:
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)


def test_a_webhook_by_hand(studio, north_shore, live_story, settings, api, person):
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]
    with receiver() as there:
        there.status, there.text = 200, b"<b>thanks</b>"
        page = studio(f"/account/workspaces/{north_shore.pk}/webhooks", bypass_csp=True)
        expect(page.get_by_text("No address is told of anything yet")).to_be_visible()
        is_as_wide_as_the_window(page, "none")  # axe sees it with an address, in test_every_page
        boxes = page.locator("label:has(> [name=types])").all()
        assert len(boxes) > 10 and all(box.bounding_box()["height"] >= 44 for box in boxes), "it can be hit"
        page.get_by_label("Address").fill("http://10.0.0.1/hooks")
        page.get_by_role("button", name="Create webhook").press("Enter")
        expect(page.get_by_text("not on the public internet")).to_be_visible()
        page.get_by_label("Address").fill(there.url)
        page.get_by_role("button", name="Create webhook").press("Enter")
        expect(page.get_by_text("whsec_")).to_be_visible()
        looks_right(page, "made")
        page.get_by_role("link", name=there.url).press("Enter")
        expect(page.get_by_text("Nothing yet.")).to_be_visible()
        assert "whsec_" not in page.content()
        page.get_by_role("button", name="Send a sample").press("Enter")
        expect(page.get_by_text("A sample is on its way")).to_be_visible()
        api.unpublish(live_story)
        sending.send_due_webhooks()
        page.reload()
        row = page.get_by_text("story.unpublished · taken")
        row.press("Enter")
        expect(page.get_by_text("<b>thanks</b>").first).to_be_visible()
        expect(page.get_by_text('"type":"story.unpublished"')).to_be_visible()
        looks_right(page, "deliveries")
        page.get_by_role("button", name="Send again").first.press("Enter")
        expect(page.get_by_text("One event is sent again.")).to_be_visible()
        page.get_by_role("button", name="Replay").press("Enter")
        expect(page.get_by_text("events are sent again.")).to_be_visible()
        change_by_hand(page, there.url)
        page.get_by_role("button", name="Turn off").press("Enter")
        expect(page.get_by_role("button", name="Turn on")).to_be_visible()
        page.get_by_role("link", name="Delete").press("Enter")
        page.get_by_role("button", name="Delete").press("Enter")
        expect(page.get_by_text("No address is told of anything yet")).to_be_visible()
    page = f"/account/workspaces/{north_shore.pk}/webhooks"
    for who, status in (("admin", 200), ("editor", 404), ("viewer", 404), ("stranger", 404)):
        api.client.force_login(person(who))
        assert api.client.get(page).status_code == status, who


def change_by_hand(page, url):
    page.get_by_text("Change it").press("Enter")
    address = page.get_by_label("Address")
    expect(address).to_have_value(url)
    address.fill("http://10.0.0.1/hooks")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("not on the public internet")).to_be_visible()
    looks_right(page, "changing")
    page.get_by_label("Address").fill(f"{url}/new")
    page.get_by_label("What is it for?").fill("Rebuilds our site")
    page.get_by_label("story.trashed", exact=True).press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.get_by_text("The webhook is changed.")).to_be_visible()
    expect(page.get_by_role("heading", name=f"{url}/new")).to_be_visible()
    expect(page.get_by_text("told of story.trashed")).to_be_visible()


def test_older_deliveries_and_what_failed(studio, north_shore, settings, api, monkeypatch):
    settings.FETCH_PRIVATE = ["127.0.0.0/8"]
    monkeypatch.setattr(pages, "SHOWN", 2)
    with receiver() as there:
        hooks = Hooks(api, north_shore)
        hook = hooks.make(there)
        there.status = 500
        hooks.tell(5)
        sending.send_due_webhooks()
        hooks.call("PATCH", hook, body={"state": "off"})
        hooks.call("PATCH", hook, body={"state": "on"})
        there.status, there.got = 204, []
        page = studio(f"/account/workspaces/{north_shore.pk}/webhooks/{hook['id']}", bypass_csp=True)
        for shown in ([5, 4], [3, 2], [1]):
            texts = page.locator("details.sent > summary").all_inner_texts()
            assert [int(text.split(" ")[0]) for text in texts] == shown
            if shown != [1]:
                page.get_by_role("link", name="Older").press("Enter")
                page.wait_for_load_state()
        expect(page.get_by_role("link", name="Older")).to_have_count(0)
        page.get_by_role("link", name="Newest").press("Enter")
        expect(page.get_by_text("5 · story.restored")).to_be_visible()
        page.get_by_label("What failed in").select_option("the last hour")
        page.get_by_role("button", name="Send what failed again").press("Enter")
        expect(page.get_by_text("5 events are sent again.")).to_be_visible()
        is_as_wide_as_the_window(page, "replayed")
        sending.send_due_webhooks()
        assert numbers(there) == [1, 2, 3, 4, 5]
