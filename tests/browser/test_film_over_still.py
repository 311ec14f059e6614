"""A film stands in the place of its still: on the pixels that the browser draws, nothing of the still is left."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Page

from tests.browser.waiting import resize, until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
#: Upright and wide windows, each with another film; what frames the page has sizes of its own.
SIZES = [
    ("", [(390, 844), (768, 1024)]),
    ("", [(844, 390)]),
    ("/embed", [(375, 600)]),
    ("/embed", [(1024, 640)]),
]
NOTHING = 0.001  # a share of the pixels: a scaled frame may round its edge in another way
HOLD = """async () => {
  document.getElementById('motion').click();
  const film = document.querySelector('.scene video');
  const shown = new Promise((done) => film.requestVideoFrameCallback(done));
  film.currentTime = 0.5;
  await shown;
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def play_and_hold(page: Page) -> None:
    """Lets the first film play until it is shown whole, then holds it at one of its frames."""
    until(page, "document.querySelector('.scene .filmed')")
    until(page, "getComputedStyle(document.querySelector('.scene video')).opacity === '1'")
    page.evaluate(HOLD)


def drawn(page: Page, without: str) -> Image.Image:
    """What is drawn of the page, without words and without what the selector names."""
    hide = f".words, .masthead, .rail, .bar, .steps, {without} {{ visibility: hidden !important }}"
    style = page.add_style_tag(content=hide)
    # As JPEG, which a browser packs in a fraction of PNG's time, and what is the same alike.
    picture = Image.open(io.BytesIO(page.screenshot(type="jpeg", quality=100))).convert("RGB")
    style.evaluate("(element) => element.remove()")
    return picture


def differing(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels of which a channel differs by more than rounding does."""
    channels = ImageChops.difference(one, other).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    return sum(most.histogram()[4:]) / (one.width * one.height)


def test_while_the_film_plays_nothing_of_the_still_is_seen(site, live_story, open_tab):
    page = open_tab("about:blank", bypass_csp=True).page
    for path, sizes in SIZES:
        page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
        page.goto(site + PATH + path)
        play_and_hold(page)
        page.evaluate("sessionStorage.clear()")  # that it stands still now
        for width, height in sizes:
            resize(page, width, height)
            whole, without_still = drawn(page, ".none"), drawn(page, ".shot img")
            assert differing(whole, without_still) < NOTHING, (path, width, height)
        # The film is there, and it is not the still.
        assert differing(whole, drawn(page, ".shot video")) > 0.01, (path, width, height)


@pytest.mark.parametrize("shown", ["frame", "preview/1/frame"])
def test_the_stage_and_the_preview_of_the_editor_show_the_film_alone_too(shown, ready_story, studio):
    path = f"/studio/stories/{ready_story.pk}/{shown}"
    page = studio(path, width=390, height=844, bypass_csp=True, reduced_motion="no-preference")
    play_and_hold(page)
    assert differing(drawn(page, ".none"), drawn(page, ".shot img")) < NOTHING
