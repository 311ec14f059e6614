"""From nothing to a live capsule, by touch and by keyboard alone; by mouse tests.lived_in goes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from publishing.models import Premiere
from tests.browser.test_studio import PHONE, saved, story_title, thumbs
from tests.browser.waiting import PATIENCE, ready, until
from tests.support import media_files
from tests.support.mail import subscribe
from tests.support.smtp import code_in

pytestmark = pytest.mark.django_db(transaction=True)

ADA = {
    "Your name": "Ada",
    "Title of your workspace": "Almanac",
    "Email": "ada@newcomers.example",
    "Password": "a-long-secret-of-ada-1",
}
TITLE = "A day in four lights"
FIRST_PAGE = re.compile(r"/studio/[0-9a-f-]{36}/new$")
#: How many of the ways to tell subscribers are seen: the buttons at the foot of the dialog cover none of them.
SEEN = """[...document.querySelectorAll('#dialog [name=mode]')].filter((one) => {
  const {left, top, width, height} = one.getBoundingClientRect();
  return one === document.elementFromPoint(left + width / 2, top + height / 2);
}).length"""


@pytest.fixture
def film(tmp_path) -> str:
    return str(media_files.film(tmp_path, "d-night.mp4"))


def words_for(number: int) -> str:
    return f"Words for light {number + 1}."


def code_of(mailoutbox: list) -> str:
    """The code that the newcomer's mail brings."""
    [letter] = mailoutbox
    assert letter.to == [ADA["Email"]]
    return code_in(letter.body)


def is_live(page: Page) -> str:
    """The dialog says so, and readers find all words at its link, where the page is what is returned."""
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("It is live")
    answer = page.request.get(dialog.locator("a").first.get_attribute("href"))
    assert answer.status == 200
    assert [words for words in [TITLE, *map(words_for, range(3))] if words not in answer.text()] == []
    return answer.text()


# --- By touch ------------------------------------------------------------------------------------------------------


def test_a_live_page_is_made_by_touch_and_its_email_is_cancelled_while_it_counts_down(
    studio, workers, photographs, north_shore
):
    subscribe(north_shore, 3)
    page = studio("/studio/new", **PHONE)
    page.get_by_role("button", name="Start with photographs and films", exact=True).tap()
    ready(page)
    expect(page.locator("#stage-start h2")).to_have_text("Begin with photographs and films")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photographs and films", exact=True).tap()
    chooser.value.set_files(photographs)
    for number in range(3):
        page.locator("#foot").get_by_text("Scenes").tap()
        thumbs(page).nth(number).tap()
        write(page, number)
    page.locator("#foot").get_by_text("Scenes").tap()
    page.get_by_role("button", name="The whole capsule").tap()
    story_title(page).fill(TITLE)
    page.get_by_role("button", name="Done").tap()
    page.set_viewport_size({"width": 390, "height": 568})
    publish(page)
    is_live(page)
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    dialog = page.locator("#dialog")
    expect(dialog.locator(".link-code")).to_be_hidden()  # whose code leads to a phone
    assert Premiere.objects.get().state == Premiere.State.SCHEDULED
    expect(dialog.get_by_role("timer")).to_have_text(re.compile(r"4:\d\d|5:00"))
    dialog.get_by_role("button", name="Cancel the email").tap()
    expect(dialog.locator(".mail-line")).not_to_contain_text("Cancel the email")
    assert Premiere.objects.get().state == Premiere.State.CANCELLED
    dialog.get_by_role("button", name="Done").tap()
    expect(page.locator("#foot a")).to_have_text("Live")
    page.locator("#foot a").tap()  # again, its link has the focus
    expect(dialog.get_by_role("link", name="north-shore")).to_be_focused()
    assert dialog.evaluate("(it) => it.scrollTop") == 0


def publish(page: Page) -> None:
    """Goes through the dialog, whose button leads to what subscribers can get; no way is chosen before."""
    page.locator("#foot a").tap()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("Ready:")
    button = dialog.locator(".pill-accent")
    expect(button).to_have_text("Choose what subscribers get")
    button.tap()
    until(page, f"{SEEN} === 3")
    expect(dialog.locator("[name=mode]").first).to_be_focused()
    assert dialog.locator("[name=mode]:checked").count() == 0
    dialog.get_by_text("A teaser").tap()
    expect(button).to_have_text("Publish and email 3")
    button.tap()


def test_a_phones_keyboard_hides_neither_the_next_field_of_a_sign_up_nor_its_button(studio):
    page = studio("/account/signup/", who=None, **PHONE)
    page.set_viewport_size({"width": 390, "height": 508})  # what the keyboard leaves
    assert "resizes-content" in page.locator("meta[name=viewport]").get_attribute("content")
    fields = [page.get_by_role("textbox", name=label) for label in ADA]
    for field, behind in zip(fields, [*fields[1:], page.get_by_role("button", name="Sign up")], strict=True):
        field.focus()
        expect(field).to_be_in_viewport(ratio=1)
        expect(behind).to_be_in_viewport(ratio=1)


def write(page: Page, number: int) -> None:
    expect(page.locator("#inspector h2")).to_contain_text(f"Scene {number + 1} of")
    page.locator("#field-text").fill(words_for(number))
    page.get_by_role("button", name="Done").tap()


# --- By keyboard -----------------------------------------------------------------------------------------------------


def test_a_newcomer_makes_a_live_page_by_keyboard_alone(studio, workers, photographs, film, mailoutbox):
    page = studio("/", who=None)
    press(page, "Make a capsule")
    sign_up_by_keyboard(page, mailoutbox)
    expect(page).to_have_url(FIRST_PAGE)
    page.on("filechooser", lambda chooser: None)  # from now on choosers are kept, also one that opens at once
    press(page, "Start with photographs")
    ready(page)
    with page.expect_file_chooser() as chooser:
        press(page, "Choose photographs")
    chooser.value.set_files(photographs[:2])
    expect(thumbs(page)).to_have_count(2)
    page.locator("#stage-start").wait_for(state="hidden")
    page.evaluate("() => document.activeElement.blur()")
    go_to_scene(page, 1)
    page.keyboard.press("Enter")
    press(page, "Add a scene")
    expect(page.locator("#inspector h2")).to_contain_text("Scene 3 of")
    with page.expect_file_chooser() as chooser:
        press(page, "Add a film")
    chooser.value.set_files(film)
    page.evaluate("() => document.activeElement.blur()")
    press(page, "The whole capsule")
    tab_to(page, "Title")
    page.keyboard.press("Control+a")
    page.keyboard.type(TITLE)
    for number in range(3):
        go_to_scene(page, number)
        page.keyboard.press("Enter")
        expect(page.locator("#field-text")).to_be_focused()
        page.keyboard.type(words_for(number))
    saved(page)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#dialog")).to_contain_text("Ready:", timeout=2000 * PATIENCE)
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.name") == "mode":
            break
    page.keyboard.press(
        "ArrowUp"
    )  # from the first way of an email, of which none is chosen, to the last: none
    expect(page.locator("#dialog").get_by_role("button", name="Publish")).to_be_enabled()
    press(page, "Publish")
    assert "<video" in is_live(page)
    expect(page.locator(".link-code img")).to_be_visible()


#: What a screen reader calls the element that has the focus; nothing of a dialog or a strip that scrolls, whose words
#: are those of what is in it.
SAID = """() => {
  const one = document.activeElement;
  if (one === document.body || one.querySelector('button, a, input')) return '';
  return one.ariaLabel || one.labels?.[0]?.innerText || one.innerText || '';
}"""


def tab_to(page: Page, words: str) -> None:
    """Presses Tab until what has the focus says these words."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if words in page.evaluate(SAID):
            return
    raise AssertionError(f"The Tab key never reaches “{words}”.")


def press(page: Page, words: str) -> None:
    tab_to(page, words)
    page.keyboard.press("Enter")


def sign_up_by_keyboard(page: Page, mailoutbox: list) -> None:
    """Fills the form in and confirms the address with the code of the mail."""
    page.wait_for_url(re.compile("/account/signup/"))
    for label, words in ADA.items():
        tab_to(page, label)
        page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account/confirm-email/")
    tab_to(page, "Code")
    page.keyboard.type(code_of(mailoutbox))
    page.keyboard.press("Enter")


def go_to_scene(page: Page, number: int) -> None:
    """Into the strip, which is one stop of the Tab key, and to a scene by the arrows."""
    for _ in range(80):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("() => document.activeElement.role === 'option'"):
            break
    page.keyboard.press("Home")
    for _ in range(number):
        page.keyboard.press("ArrowDown")
    expect(thumbs(page).nth(number)).to_be_focused()
