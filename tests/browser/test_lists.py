"""The lists under a real mouse: what lies on top of a picture can be clicked, and crops keep what matters."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from capsules.actions.previews import build_preview
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
SIZES = [(390, 844), (1440, 900)]


@pytest.mark.parametrize("size", SIZES)
def test_the_masthead_can_be_clicked_above_the_lead(site, live_story, open_tab, size):
    tab = open_tab(site, width=size[0], height=size[1])
    tab.page.locator(".masthead").get_by_role("link", name="Sign in").click()
    expect(tab.page).to_have_url(re.compile("/account/login/"))


@pytest.mark.parametrize("size", SIZES)
def test_a_click_anywhere_on_the_lead_opens_it(site, live_story, open_tab, size):
    tab = open_tab(site, width=size[0], height=size[1])
    tab.page.locator(".lead").click(position={"x": size[0] - 20, "y": 300})
    expect(tab.page).to_have_url(f"{site}/north-shore/small-voyages")


@pytest.mark.parametrize("address", ["/", "/north-shore"])
def test_crops_in_lists_keep_the_focus_of_the_picture(site, north_shore, api, rendered, open_tab, address):
    story = factories.make_story(north_shore, rendered, preview=False)
    story.scenes.update(focus_x=0.45, focus_y=0.25)
    build_preview(story)
    factories.finish_encodes(rendered)
    assert api.publish(story).status_code == 200

    tab = open_tab(site + address)
    cover = tab.page.locator(".cover img")
    # A focus in the upper quarter stands at the very top, so that a head there is whole.
    assert cover.evaluate("(image) => getComputedStyle(image).objectPosition") == "45% 0%"
    assert tab.complaints == []
