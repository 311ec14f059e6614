"""The look of a capsule and of its scenes in the editor: the stage shows it at once, and the service has it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from capsules.fields import STORY, row_json
from capsules.models import Story
from tests.browser.test_studio import saved, violations
from tests.browser.waiting import shown_stage

pytestmark = pytest.mark.django_db(transaction=True)
PICK = "(it, colour) => { it.value = colour; it.dispatchEvent(new Event('change', {bubbles: true})); }"
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
    root = shown_stage(page).locator("html")
    page.evaluate("location.hash = '#story'")
    page.locator("#field-face").select_option("slab")
    expect(root).to_have_class(re.compile("face-slab"))
    made = page.context.new_page()
    for theme, accent in (("paper", "#9fd8ff"), ("night", "#9fd8fe")):
        page.locator(f"input[name=theme][value={theme}]").check()
        page.locator("#field-accent").evaluate(PICK, accent)
        expect(root).to_have_class(re.compile(rf"theme-{theme}.* accented"))
        at_once = root.evaluate(SHOWN_ACCENT)
        saved(page)
        made.goto(page.url.partition("#")[0] + "/frame")
        assert at_once == made.locator("html").evaluate(SHOWN_ACCENT), theme


def test_look_and_cover_are_shown_at_once_as_the_page_will_and_saved(edit, ready_story):
    page = edit(ready_story)
    page.get_by_text("Look: where words and picture stand").click()
    page.locator("#field-place").select_option("top")
    first = shown_stage(page).locator("#scene-1")
    expect(first).to_have_attribute("data-place", "top")
    accents_are_shown_as_the_page_will(page)
    page.evaluate("location.hash = '#story.cover'")
    covers = page.get_by_role("group", name="Cover").get_by_role("radio")
    expect(covers).to_have_count(5)
    expect(page.get_by_role("group", name="Cover").locator("img")).to_have_count(5)
    assert violations(page) == []
    covers.nth(2).check()
    saved(page)
    story = Story.objects.get(pk=ready_story.pk)
    assert row_json(story, STORY.fields)["look"] == {"theme": "night", "accent": "#9fd8fe", "face": "slab"}
    assert story.cover == story.scenes.get(position=1) and story.scenes.first().place == "top"
