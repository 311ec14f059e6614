"""The lists under a real mouse: what lies on top of a picture can be clicked, and crops keep what matters."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from capsules.actions.previews import build_preview
from tests.browser.test_every_page import SIZES
from tests.support import factories
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


def test_a_click_anywhere_on_the_lead_opens_it_and_above_it_the_masthead(site, live_story, open_tab):
    page = open_tab("about:blank").page
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(site)
        sign_in = page.locator(".masthead").get_by_role("link", name="Sign in")
        sign_in.click(trial=True)  # the lead does not lie over it
        page.locator(".lead").click(position={"x": width - 20, "y": 300})
        expect(page).to_have_url(f"{site}/north-shore/small-voyages")
    page.goto(site)
    sign_in.click()
    expect(page).to_have_url(re.compile("/account/login/"))


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
    page = open_tab(site).page
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


def test_crops_in_lists_keep_the_focus_of_the_picture(site, north_shore, api, rendered, open_tab):
    story = factories.make_story(north_shore, rendered, preview=False)
    story.scenes.update(focus_x=0.45, focus_y=0.25)
    build_preview(story)
    factories.finish_encodes(rendered)
    assert api.publish(story).status_code == 200

    tab = open_tab("about:blank")
    for address in ("/", "/north-shore"):
        tab.page.goto(site + address)
        cover = tab.page.locator(".cover img")
        # A focus in the upper quarter stands at the very top, so that a head there is whole.
        assert cover.evaluate("(image) => getComputedStyle(image).objectPosition") == "45% 0%", address
    assert tab.complaints == []


def test_a_list_fills_a_large_screen_from_below_the_name_of_the_service_with_pictures_as_wide_as_is_told(
    site, live_story, north_shore, open_tab
):
    list_capsules(north_shore, 5)
    page = open_tab(f"{site}/north-shore").page
    page.locator("h1").evaluate("(it) => { it.textContent = 'North Shore Press' }")
    in_a_row = {1440: 3, 1920: 4, 2560: 4}
    for width in (360, 412, 600, 680, 720, 768, 1000, 1024, 1100, 1440, 1920, 2560):
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
    far, *_, first = list_capsules(north_shore, 8)
    for card, face in ((far, "slab"), (first, "sans")):
        card.cover["look"] = f"theme-paper face-{face}"
        card.save()
    live_story.publication.delete()
    tab = open_tab(f"{site}/north-shore", width=390, height=844, with_requests=True)

    def fetched() -> set[str]:
        return {face for face in ("inter", "roboto-slab") if any(f"/{face}-" in url for url in tab.requests)}

    title = tab.page.get_by_role("heading", name="Capsule 7")
    expect(title).to_have_css("font-family", re.compile("^Inter, "))
    tab.page.evaluate("document.fonts.ready.then(() => true)")
    assert fetched() == {"inter"}
    with tab.page.expect_request(re.compile("/roboto-slab-")):
        tab.page.get_by_role("heading", name="Capsule 0").scroll_into_view_if_needed()


def test_typefaces_of_cards_come_without_script_too(site, live_story, north_shore, open_tab):
    (card,) = list_capsules(north_shore, 1)
    card.cover["look"] = "theme-paper face-slab"
    card.save()
    tab = open_tab(f"{site}/north-shore", java_script_enabled=False, with_requests=True)
    tab.page.wait_for_load_state("networkidle")
    assert any("roboto-slab" in url for url in tab.requests)
