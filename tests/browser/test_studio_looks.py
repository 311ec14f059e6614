"""The look of a capsule and of its scenes in the editor: the stage shows it at once, and the service has it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from capsules.fields import STORY, row_json
from capsules.models import Asset, Scene, Story
from publishing import looks
from tests.browser.test_studio import open_scene, saved, violations
from tests.browser.waiting import Held

pytestmark = pytest.mark.django_db(transaction=True)
PICK = "(it, colour) => { it.value = colour; it.dispatchEvent(new Event('change', {bubbles: true})); }"


def test_focus_and_look_are_shown_at_once_as_the_page_will_and_a_cut_face_or_a_link_leads_to_its_folded_field(
    edit, ready_story
):
    Asset.objects.update(faces=[[0.4, 0.0, 0.6, 0.2]], width=1600, height=1000)
    page = edit(ready_story)
    leave_the_side_of_a_new_focus(page)
    stage = page.frame_locator(".stage-frame:not(.stage-next)")
    page.get_by_text("Look: where words and picture stand").click()
    page.locator("#field-place").select_option("top")
    page.locator("#field-size").select_option("small")
    first = stage.locator("#scene-1")
    expect(first).to_have_attribute("data-place", "top")
    expect(first).to_have_attribute("data-size", "small")
    page.evaluate("location.hash = '#story'")
    page.locator("input[name=theme][value=paper]").check()
    page.locator("#field-face").select_option("slab")
    page.locator("#field-accent").evaluate(PICK, "#9fd8ff")
    root = stage.locator("html.theme-paper.face-slab")
    expect(root).to_have_count(1)
    shown = looks.legible("#9fd8ff", "paper")
    expect(page.locator("#inspector")).to_contain_text(f"Darkened to {shown}")
    saved(page)
    story = Story.objects.get(pk=ready_story.pk)
    assert row_json(story, STORY.fields)["look"] == {"theme": "paper", "accent": "#9fd8ff", "face": "slab"}
    row = Scene.objects.filter(story=story).first()
    assert (row.place, row.size) == ("top", "small")
    accents_are_shown_as_the_page_will(page)
    the_cover_is_chosen_and_a_face_that_is_cut_or_a_link_leads_to_its_folded_field(page, story)


def leave_the_side_of_a_new_focus(page: Page) -> None:
    """Words do so at once, and the page is made anew."""
    page.route("**/pulse?*", lambda route: route.abort())  # its news would draw the page anew, later
    first = page.frame_locator(".stage-frame:not(.stage-next)").locator("#scene-1")
    expect(first).to_have_attribute("data-side", "start")
    page.locator("#field-title").press("a")  # fetches what writes on the stage
    saved(page)
    anew = Held(page, "**/frame*")
    page.get_by_text("Focus: what crops must keep").click()
    page.get_by_role("button", name="middle left").click()
    expect(first).to_have_attribute("data-side", "end")
    anew.let_go()
    page.unroute("**/frame*")
    page.unroute("**/pulse?*")


#: The accent of the stage, as colours.
SHOWN_ACCENT = """(root) => {
  const mark = root.ownerDocument.querySelector('h1').appendChild(root.ownerDocument.createElement('i'));
  mark.style.setProperty('color', 'var(--accent)');
  mark.style.setProperty('background-color', 'var(--accent-hover)');
  const {color, backgroundColor} = getComputedStyle(mark);
  mark.remove();
  return [color, backgroundColor, root.classList.contains('accented')];
}"""


def accents_are_shown_as_the_page_will(page: Page) -> None:
    root = page.frame_locator(".stage-frame:not(.stage-next)").locator("html")
    made = page.context.new_page()
    for theme, accent in (("paper", "#9fd8ff"), ("night", "#9fd8fe")):
        page.evaluate("location.hash = '#story'")
        page.locator(f"input[name=theme][value={theme}]").check()
        page.locator("#field-accent").evaluate(PICK, accent)
        expect(root).to_have_class(re.compile(rf"theme-{theme}.* accented"))
        at_once = root.evaluate(SHOWN_ACCENT)
        saved(page)
        made.goto(page.url.partition("#")[0] + "/frame")
        assert at_once == made.locator("html").evaluate(SHOWN_ACCENT), theme


def the_cover_is_chosen_and_a_face_that_is_cut_or_a_link_leads_to_its_folded_field(
    page: Page, story: Story
) -> None:
    the_cover_is_chosen_by_keyboard_too_and_every_picker_takes_films(page)
    story.refresh_from_db()
    assert story.cover == story.scenes.get(position=1)
    page.evaluate("location.hash = '#story'")
    page.get_by_role("button", name="missing").or_(page.get_by_role("button", name="Ready")).click()
    page.locator("#dialog").get_by_text("Scene 2: A face is cut on wide screens.").click()
    expect(page.locator("#field-focus")).to_be_focused()
    expect(page.locator(".focus-picture")).to_be_visible()
    expect(page.locator("#inspector h2")).to_contain_text("Scene 2 of 4")
    for name in ("place", "focus", "fit"):
        page.evaluate(
            "document.querySelectorAll('#inspector details').forEach((one) => { one.open = false; })"
        )
        expect(page.locator(f"#field-{name}")).to_be_hidden()
        page.evaluate(f"location.hash = '#{story.scenes.first().key}.{name}'")
        expect(page.locator(f"#field-{name}")).to_be_focused()
        expect(page.locator(f"#field-{name}")).to_be_in_viewport(ratio=1)


def the_cover_is_chosen_by_keyboard_too_and_every_picker_takes_films(page: Page) -> None:
    open_scene(page, 2)
    for button in ("Replace picture", "Add a film"):
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name=button).click()
        accepted = chooser.value.element.get_attribute("accept").split(",")
        assert {"video/mp4", "video/quicktime"} <= set(accepted), button
    page.evaluate("location.hash = '#story.cover'")
    covers = page.get_by_role("group", name="Cover").get_by_role("radio")
    expect(covers).to_have_count(5)
    expect(page.get_by_role("group", name="Cover").locator("img")).to_have_count(5)
    expect(page.get_by_role("radio", name="The first scene")).to_be_checked()
    assert violations(page) == []
    covers.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="2. Scene 2")).to_be_checked()
    saved(page)
