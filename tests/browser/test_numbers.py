"""A page tells of a reader by its own clock: what is visible, for how long, which scenes; and the pages of numbers."""

from __future__ import annotations

import re
import uuid

import pytest

from capsules.models import Story
from publishing.models import Publication, ReadDay
from publishing.statistics import beacon, counting
from publishing.statistics.notebook import Notebook
from publishing.statistics.sums import SOURCE, Change
from tests.browser.axe import violations
from tests.browser.test_embed import foreign_site, frame_of
from tests.statistics.test_numbers import count, sources, today
from tests.support.agents import BROWSER
from tests.support.marks import forget_marks

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["foreign_site"]
PATH = "/north-shore/small-voyages"
TOLD = re.compile("/r/[0-9]+$")
DRAWN = """() => new Promise((done) => new IntersectionObserver((entries, each) => {
  each.disconnect();
  done();
}).observe(document.querySelector('main')))"""
HIDE = """(hidden) => {
  Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


#: What happens to a page that comes back from the browser's memory: one that is driven keeps none there.
FROM_MEMORY = """() => ['pagehide', 'pageshow'].forEach((name) =>
  dispatchEvent(new PageTransitionEvent(name, {persisted: true})))"""


@pytest.fixture
def book(monkeypatch) -> Notebook:
    forget_marks()
    beacon.scenes_told.cache_clear()
    beacon.live_in.cache_clear()
    monkeypatch.setattr(beacon, "notebook", fresh := Notebook())
    return fresh


def test_a_page_tells_after_a_second_in_one_piece_and_of_scenes_that_stood_still(
    site, live_story, open_tab, book
):
    options = {"user_agent": BROWSER, "reduced_motion": "reduce", "with_requests": True}
    tab = open_tab("about:blank", width=640, height=400, **options)
    page, told = tab.page, TOLD
    page.clock.install(time=1_800_000_000)
    page.clock.pause_at(1_800_000_001)  # from now on it goes as the test says
    page.goto(f"{site}{PATH}?from=mail")

    def wait(milliseconds: int) -> None:
        page.evaluate(DRAWN)
        page.clock.run_for(milliseconds)

    wait(900)
    page.evaluate(HIDE, True)  # not a second in one piece
    wait(5000)
    page.evaluate(HIDE, False)
    wait(900)
    assert not any(told.search(url) for url in tab.requests)
    with page.expect_response(told) as first:
        wait(200)
    assert (first.value.status, first.value.request.method) == (204, "POST")
    assert "set-cookie" not in first.value.all_headers()
    for stays in (600, 100, 600):  # nobody reads scene 3 in a tenth of a second
        page.keyboard.press("ArrowRight")
        wait(stays)
    with page.expect_response(told) as second:
        page.evaluate(HIDE, True)
    assert "o=" not in second.value.request.post_data and "k=2%2C4" in second.value.request.post_data
    page.evaluate(FROM_MEMORY)
    page.evaluate(HIDE, False)
    wait(5000)
    page.evaluate(HIDE, True)
    assert len([url for url in tab.requests if told.search(url)]) == 2  # nothing new
    book.hand_over()
    (day,) = ReadDay.objects.all()
    assert (day.opened, day.read, day.finished, day.reached) == (1, 1, 1, [1, 1, 0, 1])
    assert day.get_surface_display() == "mail" and tab.complaints == []
    page.context.close()  # where its clock would go on for others


def test_an_embed_below_the_fold_tells_once_half_of_it_is_on_the_screen(
    site, live_story, foreign_site, open_tab, book
):
    far = '<p style="height: 2000px">A page of theirs.</p>'
    options = {"user_agent": BROWSER, "reduced_motion": "reduce", "with_requests": True}
    tab = open_tab(foreign_site(frame_of(site, height=400, before=far) + far), **options)
    tab.page.evaluate(
        "scrollTo(0, document.querySelector('iframe').offsetTop - innerHeight + 150)"
    )  # a third
    tab.page.wait_for_timeout(1500)
    assert not [url for url in tab.requests if TOLD.search(url)]
    with tab.page.expect_response(TOLD) as told:
        tab.page.evaluate("scrollBy(0, 200)")
    assert (told.value.status, "s=embed" in told.value.request.post_data) == (204, True)
    book.hand_over()
    day = ReadDay.objects.get()
    assert (day.get_surface_display(), day.opened) == ("embed", 1)
    assert tab.complaints == []


#: In how many lines the words of an element stand.
LINES = """(it) => {
  const words = document.createRange();
  words.selectNodeContents(it);
  return words.getClientRects().length;
}"""


def test_the_pages_of_numbers_are_accessible_and_fit_and_are_printed_without_what_needs_a_screen(
    studio, live_story, north_shore, site, book
):
    publication = Publication.objects.get(story=live_story)
    Story.objects.filter(pk=live_story.pk).update(title="Donaudampfschifffahrtsgesellschaft" * 3)
    host = f"{'a-long-name.of-many-parts.' * 4}example"
    source = Change(publication.pk, publication.pk, today().isoformat(), SOURCE, host)
    counting.add({source: 156}, uuid.uuid4())
    beacon.scenes_told(publication.pk, live_story.pk, 1)
    count(publication, today(), 1, o=1560, r=377, f=205, s0=1560, s1=377, s2=300, s3=205)
    sources(publication, today(), none=200, small=2, large=210)
    paths = (f"stories/{live_story.pk}/statistics", f"{north_shore.pk}/statistics")
    page = studio(f"/studio/{paths[0]}", width=1440, height=900, bypass_csp=True)
    for path in paths:
        if path not in page.url:
            page.set_viewport_size({"width": 1440, "height": 900})
            page.goto(f"{site}/studio/{path}")
        assert violations(page) == []
        page.set_viewport_size({"width": 320, "height": 700})
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0, path
        for table in page.locator("main > .table").all():  # beside a long title, too
            assert table.evaluate("(it) => it.scrollWidth <= it.clientWidth"), path
        if path.startswith("stories"):
            page.emulate_media(forced_colors="active")
            line = page.locator(".numbers-opened").evaluate("(line) => getComputedStyle(line).stroke")
            text = page.locator("h1").evaluate("(words) => getComputedStyle(words).color")
            assert line == text
            page.emulate_media(forced_colors="none")
            assert "1,560 reached it" in page.locator(".numbers-steps").inner_text()
            assert page.locator("[aria-labelledby=surfaces] td").first.inner_text() == "1,560"
            for width in (1440, 320):
                page.set_viewport_size({"width": width, "height": 700})
                cell = page.locator("[aria-labelledby=sources] td").get_by_text("156", exact=True)
                assert cell.evaluate(LINES) == 1, "beside a long site it is not broken in two"
    page.set_viewport_size({"width": 1440, "height": 900})
    for words in ("Download as CSV:", "When a day begins", "The same as a table"):
        page.emulate_media(media="screen")
        assert page.get_by_text(words).is_visible(), words
        page.emulate_media(media="print")
        assert page.get_by_text(words).is_hidden(), words
    page.emulate_media(media="screen")
    page.get_by_text("The same as a table").click()
    page.emulate_media(media="print")
    assert page.get_by_role("table").first.is_visible()
