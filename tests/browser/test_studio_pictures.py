"""A picture is never gone in the editor: from this device at once, and as the service shows it once that is decoded."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from playwright.sync_api import Page, expect

from capsules.actions import encodes
from capsules.models import Scene
from tests.browser.test_studio import PHONE, saved, thumbs
from tests.browser.waiting import KEPT, Held, becomes, ready, until
from tests.support import factories
from tests.support.checking import check_uploads

pytestmark = pytest.mark.django_db(transaction=True)

#: What strip and stage show: L from this device, R as the service shows it, - nothing.
LOOK = """() => {
  const kind = (picture) => {
    if (!picture?.complete || picture.naturalWidth < 2) return '-';
    return picture.currentSrc.startsWith('blob:') ? 'L' : 'R';
  };
  const strip = [...document.querySelectorAll('#strip [role=option]')].map((one) => kind(one.querySelector('img')));
  const page = document.querySelector('.stage-frame:not(.stage-next)')?.contentDocument;
  return `${strip.join('')} ${kind(page?.querySelector('.shot img'))}`;
}"""
WATCH = f"""() => {{
  window.seen = [];
  setInterval(() => window.seen.push(({LOOK})()), 100);
}}"""

#: How many pictures of a list are not there.
BROKEN = """(of) => [...document.querySelectorAll(`${of} img`)]
  .filter((picture) => !picture.complete || picture.naturalWidth < 2).length"""


#: Whether a part of the editor is there that is fetched among the last.
ALL_PARTS = "performance.getEntriesByType('resource').some(({name}) => name.includes('/typing'))"

#: Asks for the pictures of the strip once more.
LOSE = """() => document.querySelectorAll('#strip img').forEach((picture) => { picture.src += '?'; })"""


#: How many files the browser keeps for a scene that has its lasting name.
FILES_KEPT = f"""async () => JSON.parse(await ({KEPT})())
  .filter(({{file, target}}) => file && !target.startsWith('new-')).length"""


class Worker:
    """What it does already: it checks uploads and settles scenes, and it ends encodes, one at a time."""

    def __init__(self) -> None:
        self.checks, self.encodes = threading.Event(), threading.Event()


@pytest.fixture
def worker(rendered, settings) -> Iterator[Worker]:
    settings.SETTLE = 0
    worker, stop = Worker(), threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            if worker.checks.is_set():
                check_uploads()
                encodes.settle_due()
            if worker.encodes.is_set():
                factories.finish_encodes(rendered)
        connection.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield worker
    stop.set()
    thread.join()


#: Where the stage crops its picture.
CROP = """() => getComputedStyle(
  document.querySelector('.stage-frame:not(.stage-next)').contentDocument.querySelector('.shot img')).objectPosition"""


def test_photographs_of_a_first_step_are_shown_at_once_never_gone_after_a_reload_and_keep_heads_until_looked_at(
    studio: Callable[..., Page], worker, photographs
):
    page = studio("/studio/new")
    page.get_by_role("button", name="Start with photographs").click()
    ready(page)
    covers_the_stage_only_until_there_are_words(page)
    page.route("**/uploads/*/content", lambda route: route.abort())
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photographs").click()
    accepted = chooser.value.element.get_attribute("accept").split(",")
    assert {"image/jpeg", "video/mp4", "video/quicktime"} <= set(accepted)
    assert chooser.value.is_multiple()
    chooser.value.set_files(photographs)
    becomes(page, LOOK, "LLL L")
    saved(page)
    becomes(page, FILES_KEPT, len(photographs))  # until then the page asks before it goes away
    page.unroute("**/uploads/*/content")
    part = Held(page, "**/studio/files*.js")
    page.reload()
    ready(page)
    thumbs(page).first.click()
    until(page, "document.querySelector('.stage-dressed') !== null")  # before it knows of any file
    part.let_go()
    becomes(page, LOOK, "LLL L")
    page.evaluate(WATCH)
    expect(page.locator("#inspector .upload")).to_have_text([re.compile("is being checked")])  # once
    until(page, f"parseFloat(({CROP})().split(' ')[1]) <= 30")  # from the top, in per cent
    worker.checks.set()
    expect(page.locator("#field-still")).to_have_text("Replace picture")  # the service has them
    page.wait_for_timeout(1000)  # and prepares them; the stage is drawn anew meanwhile
    worker.encodes.set()
    becomes(page, LOOK, "RRR R")
    assert [state for state in page.evaluate("window.seen") if "-" in state] == []
    saved(page)
    assert Scene.objects.filter(still=None).count() == 0


def test_a_picture_that_is_cancelled_on_its_way_is_gone_from_the_stage(studio, ready_story, photographs):
    page = studio(f"/studio/stories/{ready_story.pk}")
    ready(page)
    becomes(page, LOOK, "RRRR R")
    page.route("**/uploads/*/content", lambda route: route.abort())
    with page.expect_file_chooser() as chooser:
        page.locator("#field-still").click()
    chooser.value.set_files(photographs[:1])
    becomes(page, LOOK, "LRRR L")
    page.locator("#inspector .upload").get_by_role("button", name="Cancel").click()
    becomes(page, LOOK, "RRRR R")


def covers_the_stage_only_until_there_are_words(page: Page) -> None:
    expect(page.locator("#stage-start")).to_contain_text("Begin with photographs")
    stands_in_the_middle_of_a_phone(page)
    middle = "() => document.elementFromPoint(720, 600)?.closest('.stage-start, .stage-box')?.className"
    assert page.evaluate(middle) == "stage-start covering"
    page.locator("#field-text").fill("First the words.")
    expect(page.locator("#stage-start")).not_to_have_class(re.compile("covering"))
    expect(page.frame_locator("iframe.stage-frame").first.locator(".text").first).to_be_visible()


def stands_in_the_middle_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    box, stage = (page.locator(name).bounding_box() for name in (".stage-start-box", "#stage-start"))
    assert box["width"] > 300
    for start, side in (("x", "width"), ("y", "height")):
        assert box[start] + box[side] / 2 == pytest.approx(stage[start] + stage[side] / 2, abs=1), side
    page.set_viewport_size({"width": 1440, "height": 900})


def test_who_goes_offline_on_a_phone_has_every_picture_and_what_could_not_be_fetched_once_the_connection_is_back(
    studio, site, ready_story
):
    page = studio("/robots.txt", **PHONE)
    page.route("**/media/**", lambda route: route.continue_())  # so that no cache has them either
    page.goto(f"{site}/studio/stories/{ready_story.pk}")
    ready(page)
    page.locator("#stage-head").tap()
    until(page, ALL_PARTS)
    until(page, f"({BROKEN})('#strip') === 0")
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.locator("#foot").get_by_text("Scenes").tap()
    until(page, f"({BROKEN})('#strip') === 0")
    page.get_by_role("button", name="The whole capsule").tap()
    expect(page.locator(".covers img")).to_have_count(5)
    page.locator(".covers").scroll_into_view_if_needed()
    until(page, f"({BROKEN})('.covers') === 0")
    page.evaluate(LOSE)
    until(page, f"({BROKEN})('#strip') > 0")
    page.context.set_offline(False)
    until(page, f"({BROKEN})('#strip') === 0")
    fails_only_once_the_connection_is_back(page)
    until(page, f"({BROKEN})('#strip') === 0")


def fails_only_once_the_connection_is_back(page: Page) -> None:
    page.context.set_offline(True)
    held = Held(page, "**/media/**")
    page.evaluate(LOSE)
    held.get()
    page.evaluate("addEventListener('online', () => { window.back = true; })")
    page.context.set_offline(False)
    until(page, "window.back")
    held.over = True
    for route in held.routes[:]:
        route.abort("internetdisconnected")
