"""Every page of the studio and the main states of the editor: accessible, 320 pixels narrow, in forced colours."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PIL import ImageChops
from playwright.sync_api import Page, expect

from accounts.actors import Actor
from capsules.actions import trash
from capsules.models import Story
from tests.browser.test_studio import saved, story_title, violations
from tests.browser.waiting import ready
from tests.support import factories
from tests.support.scenes import scenes_of

pytestmark = pytest.mark.django_db(transaction=True)

#: Of which test_every_page says what axe finds; the editor is looked at in all its states below.
SEEN_BY_AXE = ["{workspace}", "{workspace}/media", "{workspace}/face", "stories/{story}"]
PAGES = [
    *SEEN_BY_AXE,
    "{workspace}/trash",
    "stories/{story}/history",
    "stories/{story}/versions",
    "stories/{story}/editions",
    "stories/{story}/publish",
    "stories/{story}/trash",
    "stories/{story}/preview/1",
    "up/no-such-link",
]
#: How far the page is wider than the window.
OVERFLOW = "() => document.scrollingElement.scrollWidth - innerWidth"
#: What can be pressed and has neither a border nor an underline in forced colours, where backgrounds are taken away.
SHAPELESS = """() => [...document.querySelectorAll('.pill, .icon-button, .thumb')]
  .filter((one) => one.checkVisibility())
  .filter((one) => getComputedStyle(one).borderTopStyle === 'none' || !parseFloat(getComputedStyle(one).borderTopWidth))
  .map((one) => one.outerHTML.slice(0, 160))"""
#: Notes in `window.unseen` what gets the focus and has no outline.
UNSEEN = """() => {
  window.unseen = [];
  addEventListener('focusin', ({target}) => {
    const {outlineStyle, outlineWidth} = getComputedStyle(target);
    const isSeen = target.tagName === 'IFRAME' || (outlineStyle !== 'none' && parseFloat(outlineWidth));
    if (!isSeen) window.unseen.push(target.outerHTML.slice(0, 200));
  });
}"""


@pytest.fixture
def pages(ready_story, north_shore, owner) -> dict[str, str]:
    """Each page by its address."""
    trash.trash_story(factories.make_draft(north_shore, title="Thrown away"), by=Actor.by_token(owner))
    return {"/studio/" + each.format(workspace=north_shore.pk, story=ready_story.pk): each for each in PAGES}


def test_every_page_is_accessible_and_not_wider_than_320_pixels_and_forced_colours_keep_focus_and_buttons(
    studio, site, pages
):
    page = studio("/studio")
    found: dict[str, list[str]] = {}
    for address, name in pages.items():
        page.set_viewport_size({"width": 320, "height": 700})
        page.goto(site + address)
        assert "/login/" not in page.url, address
        if name == "stories/{story}":
            ready(page)
        look = violations if name not in SEEN_BY_AXE else lambda page: []
        faults = [f"{wide} pixels too wide"] if (wide := page.evaluate(OVERFLOW)) > 0 else []
        faults += look(page)
        page.set_viewport_size({"width": 1440, "height": 900})
        found[address] = faults + look(page) + lost_in_forced_colours(page)
    assert {address: faults for address, faults in found.items() if faults} == {}


def lost_in_forced_colours(page: Page) -> list[str]:
    page.emulate_media(forced_colors="active")
    found: list[str] = page.evaluate(SHAPELESS)
    page.evaluate(UNSEEN)
    for _ in range(6):
        page.keyboard.press("Tab")
    found += page.evaluate("window.unseen")
    page.emulate_media(forced_colors="none")
    return found


def test_an_edition_is_named_by_its_language_and_saved_where_its_reader_stands_and_the_page_says_so_there(
    studio, site, ready_story, rendered
):
    page = studio(f"/studio/stories/{ready_story.pk}/editions")
    label, name = page.locator("#label"), page.locator("#name")
    for tag, words, link in (("de", "Deutsch", "de"), ("pt-BR", "Português Brasileiro", "pt-br")):
        page.locator("#language").select_option(tag)
        assert (label.input_value(), name.input_value()) == (words, link)
    label.fill("Kurz")
    page.locator("#language").select_option("fr")
    assert (label.input_value(), name.input_value()) == ("Kurz", "fr"), "what somebody typed stays"
    edition = factories.make_edition(ready_story, rendered, "de")
    first, *_, last = edition.scenes.all()
    page.goto(f"{site}/studio/stories/{edition.pk}/editions")
    page.set_viewport_size({"width": 1440, "height": 700})
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert violations(page) == [] and page.evaluate(OVERFLOW) <= 0
    page.locator(f"#text-{first.key}").fill("Eins.")
    page.locator(f"#text-{last.key}").fill("Vier.")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    with page.expect_event("dialog"):
        page.get_by_role("button", name="Hide from readers").click(no_wait_after=True)
    page.locator(f"#scene-{last.key}").get_by_role("button", name="Save all").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_in_viewport()
    expect(page.locator(f"#scene-{last.key}")).to_be_in_viewport()
    texts = [scene.text for scene in edition.scenes.all()]
    assert (texts[0], texts[-1]) == ("Eins.", "Vier.")
    assert asked == ["beforeunload"], "another form would have lost the words; what is sent is not lost"
    page.locator("#title-story").fill("t" * 201)
    page.get_by_role("button", name="Save all").first.click()
    expect(page.locator("#title-story-fault")).to_be_visible()
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Edit De").click(no_wait_after=True)
    assert len(asked) == 2, "what was refused would be lost, too"


def test_without_script_the_editor_is_a_page_of_forms(studio, ready_story):
    page = studio(f"/studio/stories/{ready_story.pk}", width=390, java_script_enabled=False)
    form = page.locator("form", has=page.get_by_role("heading", name="Scene 1"))
    form.locator("[name=text]").fill("Typed without script.")
    form.get_by_role("button", name="Save scene 1").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert ready_story.scenes.get(position=0).text == "Typed without script."
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOW) <= 0, width
        expect(page.locator("#stage")).to_be_hidden()
    page.get_by_role("link", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Publish")


#: What moved by itself since the page began, and how far in the measure of browsers: 0.1 is still called good.
SHIFTS = """() => new Promise((told) => {
  const found = [];
  new PerformanceObserver((list) => found.push(...list.getEntries())).observe({type: 'layout-shift', buffered: true});
  setTimeout(() => told([found.reduce((sum, {value}) => sum + value, 0),
    found.flatMap(({sources}) => sources.map(({node}) => node?.id || node?.className))]), 1000);
})"""


def moves_not_while_it_is_drawn(page: Page) -> None:
    far, moved = page.evaluate(SHIFTS)
    assert far < 0.01, (page.viewport_size, moved)


#: In which row of the grid each stands, and what it says.
ROWS = "(all) => all.map((one) => [Math.round(one.getBoundingClientRect().top / 8), one.innerText])"


def each_key_is_paired_with_what_it_does(page: Page) -> None:
    """Read off the grid as it is drawn: what stands beside a key."""
    keys, shown = (
        page.locator(f".keys {each}").evaluate_all(ROWS)
        for each in ("dt:not(.keys-part)", "dd:not(.visually-hidden)")
    )
    pairs = {dict(keys).get(row): words for row, words in shown}
    assert (pairs["N"], pairs["D"], pairs["Delete"]) == ("New scene", "Duplicate", "Delete")
    assert pairs["Enter"] == "Edit its text"


STATES: dict[str, Callable[[Page], None]] = {
    "check": lambda page: page.get_by_role("button", name=re.compile("Ready|Check|missing")).first.click(),
    "keys": lambda page: page.keyboard.press("?"),
    "publish": lambda page: page.keyboard.press("Control+Enter"),
    "library": lambda page: page.get_by_role("button", name="Media", exact=True).click(),
    "phone": lambda page: page.get_by_role("button", name="From your phone").click(),
}


def test_nothing_of_the_editor_moves_while_it_is_drawn_and_it_every_dialog_and_a_shown_error_are_accessible(
    edit, ready_story
):
    page = edit(ready_story)
    moves_not_while_it_is_drawn(page)
    page.evaluate("() => { document.getElementById('toast').textContent = 'Films are silent.'; }")
    found = {"toast": violations(page)}
    for name, open_it in STATES.items():
        page.locator("#strip [role=option]").first.focus()
        open_it(page)
        expect(page.locator("#dialog")).to_be_visible()
        page.wait_for_load_state("networkidle")
        found[name] = violations(page)
        if name == "keys":
            each_key_is_paired_with_what_it_does(page)
        page.keyboard.press("Escape")
        expect(page.locator("#dialog")).to_be_hidden()
    page.get_by_role("button", name="The whole capsule").click()
    story_title(page).fill("")
    expect(page.locator("#field-title-fault")).to_be_visible()
    found["error"] = violations(page)
    story_title(page).fill("Small voyages")
    saved(page)
    page.locator("#strip [role=option]").first.click()
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="light")
    found["phone"] = violations(page)
    page.locator("#foot").get_by_text("Edit").click()
    found["fields"] = violations(page)
    assert {name: faults for name, faults in found.items() if faults} == {}
    page.goto(page.url.partition("#")[0])
    ready(page)
    moves_not_while_it_is_drawn(page)


# --- The stage is the live page ----------------------------------------------------------------------------------


def test_the_stage_and_the_live_page_are_the_same_pixels(studio, two_capsules_and_an_edition, site):
    page = studio("/studio")
    for (width, height), edition in [((1280, 720), ""), ((390, 844), "classroom")]:
        page.set_viewport_size({"width": width, "height": height})
        story = two_capsules_and_an_edition[edition]
        stage = list(scenes_of(page, f"{site}/studio/stories/{story.pk}/frame"))
        live = list(scenes_of(page, f"{site}/north-shore/small-voyages?edition={edition}"))
        assert len(stage) == len(live) == 4
        for number, (one, other) in enumerate(zip(stage, live, strict=True)):
            # How the last bits of a pixel are rounded depends on the tiles that are drawn at once.
            seen = ImageChops.difference(one, other).point(lambda level: level if level > 8 else 0)
            assert seen.getbbox() is None, (width, edition, number)


@pytest.fixture
def two_capsules_and_an_edition(live_story, rendered, api) -> dict[str, Story]:
    """A live capsule by the name of each of its editions; its finale leads to the edition and to another capsule."""
    other = factories.make_story(live_story.workspace, rendered, title="What to read next")
    edition = factories.make_edition(live_story, rendered, "classroom")
    assert {api.publish(story).status_code for story in (other, edition)} == {200}
    return {"": live_story, "classroom": edition}
