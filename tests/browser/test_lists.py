"""The lists under a real mouse: what lies on top of a picture can be clicked, and crops keep what matters."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_every_page import SIZES
from tests.support.listing import list_capsules

pytestmark = pytest.mark.django_db(transaction=True)
#: How wide `sizes` says that a picture is, as a browser reads it, and how wide its box is.
TOLD_AND_SHOWN = """(picture) => {
  const conditions = picture.sizes.split(/, (?![^(]*\\))/).map((part) => /^(?:\\((.+?)\\) )?(.+)$/.exec(part));
  const ruler = document.createElement("div");
  ruler.style.width = conditions.find(([, when]) => !when || matchMedia(`(${when})`).matches)[2];
  document.body.append(ruler);
  return [ruler.getBoundingClientRect().width, picture.getBoundingClientRect().width];
}"""


#: Where a click at a place of the lead leads.
LEADS = """(lead, [x, y]) => {
  lead.scrollIntoView({ behavior: "instant" });
  const { left, top } = lead.getBoundingClientRect();
  return document.elementFromPoint(left + x, top + y).closest("a")?.pathname;
}"""


def test_a_click_anywhere_on_the_lead_opens_it_and_above_it_the_masthead(site, live_story, open_tab):
    page = open_tab(site, plays=False).page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".masthead").get_by_role("link", name="Sign in").click(trial=True)
        for place in ((20, 120), (width - 20, 300)):
            assert page.locator(".lead").evaluate(LEADS, place) == "/north-shore/small-voyages", (
                width,
                place,
            )


def test_on_a_phone_words_stay_within_it_and_on_paper_pictures_are_whole_with_nothing_to_press(
    site, live_story, open_tab
):
    page = open_tab(site, width=390, height=844).page
    for part in ("h2 a", ".excerpt"):
        words = page.locator(f".lead {part}")
        before = words.text_content()
        words.evaluate("(it) => { it.textContent = 'Donaudampfschifffahrt'.repeat(4) }")
        right = page.locator(".lead-words").evaluate("(it) => it.getBoundingClientRect().right")
        assert right <= 390, part
        words.evaluate("(it, words) => { it.textContent = words }", before)

    facts = page.locator(".facts").first
    facts.evaluate("(it) => { it.style.width = '6rem' }")  # so that each stands in its own line
    tops = facts.locator(":scope > *").evaluate_all("all => all.map((it) => it.getBoundingClientRect().top)")
    assert len(set(tops)) == len(tops) > 1
    signs = "all => all.map((it) => getComputedStyle(it, '::after').content)"
    assert set(facts.locator(":scope > *").evaluate_all(signs)) == {"none"}

    page.set_viewport_size({"width": 794, "height": 1123})
    page.emulate_media(media="print")
    cover = page.locator(".lead .cover")
    shade = page.locator(".lead").evaluate("(it) => getComputedStyle(it, '::before').content")
    assert shade == "none", "printed without backgrounds it would be white over the picture"
    words = page.get_by_role("heading", name=live_story.title)
    assert cover.bounding_box()["y"] + cover.bounding_box()["height"] <= words.bounding_box()["y"]
    assert page.locator(".pill:visible, .footer:visible").count() == 0
    page.goto(f"{site}/north-shore")
    page.emulate_media(media="print")
    cuts = page.locator(".card").evaluate_all("(all) => all.map((it) => getComputedStyle(it).breakInside)")
    assert set(cuts) == {"avoid"}


def test_whoever_is_signed_in_is_led_to_the_studio(site, live_story, open_tab, client, owner):
    page = open_tab("about:blank", width=1000, height=600).page
    masthead = page.locator(".masthead")
    client.force_login(owner)
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])
    page.goto(f"{site}/studio")
    for address in ("/api/v2/docs", "/"):
        page.goto(site + address)
        expect(masthead.get_by_role("link", name="Sign in")).to_have_count(0)
    masthead.get_by_role("link", name="Studio").click()
    expect(page).to_have_url(re.compile("/studio/"))
    with page.expect_navigation():
        page.get_by_role("button", name="Sign out").click()
    page.goto(site)
    expect(masthead.get_by_role("link", name="Sign in")).to_be_visible()


AIMED = """(picture, [x, y]) => {
  picture.parentElement.style.setProperty("--x", x);
  picture.parentElement.style.setProperty("--y", y);
  return getComputedStyle(picture).objectPosition;
}"""


def test_a_list_fills_a_large_screen_from_below_the_name_of_the_service_with_pictures_as_wide_as_is_told(
    site, live_story, north_shore, open_tab
):
    list_capsules(north_shore, 5)
    page = open_tab(f"{site}/north-shore").page
    page.locator("h1").evaluate("(it) => { it.textContent = 'North Shore Press' }")
    cover = page.locator(".cover img").first
    # A focus in the upper quarter stands at the very top, so that a head there is whole.
    assert cover.evaluate(AIMED, ["45%", "25%"]) == "45% 0%"
    in_a_row = {1440: 3, 1920: 4}
    for width in (360, 412, 600, 680, 720, 768, 1000, 1024, 1100, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        told, shown = page.locator(".card .cover img").first.evaluate(TOLD_AND_SHOWN)
        assert told == pytest.approx(shown, rel=0.05), width
        if width in (768, 1024, 1440):
            field, button = (
                page.locator(f".subscribe {name}").bounding_box() for name in (".input", ".pill")
            )
            assert button["y"] == pytest.approx(field["y"], abs=2), f"in one row with its field: {width}"
        if width in in_a_row:
            cards = [card.bounding_box() for card in page.locator(".card").all()]
            assert sum(card["y"] == cards[0]["y"] for card in cards) == in_a_row[width], width
            brand = page.locator(".masthead .brand").bounding_box()
            assert brand["x"] == pytest.approx(cards[0]["x"], abs=1), width


def test_the_typeface_of_a_card_is_fetched_when_the_card_is_near(site, live_story, north_shore, open_tab):
    far, *_, first = list_capsules(north_shore, 12)
    for card, face in ((far, "slab"), (first, "sans")):
        card.cover["look"] = f"theme-paper face-{face}"
        card.save()
    live_story.publication.delete()
    tab = open_tab(f"{site}/north-shore", width=390, height=844, with_requests=True)

    def fetched() -> set[str]:
        return {face for face in ("inter", "roboto-slab") if any(f"/{face}-" in url for url in tab.requests)}

    title = tab.page.get_by_role("heading", name="Capsule 11")
    expect(title).to_have_css("font-family", re.compile("^Inter, "))
    tab.page.evaluate("document.fonts.ready.then(() => true)")
    assert fetched() == {"inter"}
    with tab.page.expect_request(re.compile("/roboto-slab-")):
        tab.page.get_by_role("heading", name="Capsule 0").scroll_into_view_if_needed()
