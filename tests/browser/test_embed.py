"""The embed in somebody else's page: a sandboxed frame of a null origin."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from publishing.pages import reading
from publishing.pages.link_tags import embed_html
from tests.browser.waiting import at_rest, until

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
HEARS = (
    "<script>window.heard = []; addEventListener('message', (e) => heard.push([e.origin, e.data]));</script>"
)
#: How the mark of each scene is drawn.
MARKS = """(all) => all.map((it) => {
  const mark = getComputedStyle(it, '::before');
  return [mark.backgroundColor, mark.height].join();
})"""


@pytest.fixture
def foreign_site():
    """Serves `page` from another origin than the service; returns its address."""

    class Handler(BaseHTTPRequestHandler):
        page = ""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Somebody's blog</title>{HEARS}{Handler.page}".encode())

        def log_message(self, format, *args) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(page: str) -> str:
        Handler.page = page
        return f"http://localhost:{server.server_port}/"

    yield show
    server.shutdown()
    server.server_close()


def frame_of(
    site: str, *, width: int = 640, height: int = 360, before: str = "", sandbox: str = "allow-scripts"
) -> str:
    return (
        f'{before}<iframe src="{site}{PATH}/embed#?secret=abc123" width="{width}" height="{height}" sandbox="{sandbox}"'
        f' title="A story" style="border:0"></iframe>'
    )


def test_the_deck_turns_in_a_sandboxed_frame_of_any_size_and_for_nobody_but_the_page_around(
    site, live_story, foreign_site, open_tab
):
    other = '<iframe srcdoc="" title="x"></iframe>'
    tab = open_tab(foreign_site(frame_of(site) + other), width=700, height=600, reduced_motion="reduce")
    frame = tab.page.frame_locator("iframe >> nth=0")
    inner, beside = tab.page.frames[1:]
    expect(frame.get_by_role("button", name="Next scene")).to_be_visible()  # it listens
    beside.evaluate("parent.frames[0].postMessage({type: 'capsule:go', index: 3}, '*')")
    tab.page.wait_for_timeout(300)
    for width, height in ((640, 360), (280, 158)):
        tab.page.locator("iframe").first.evaluate(
            "(it, size) => [it.width, it.height] = size", [width, height]
        )
        expect(frame.get_by_text("This is scene 1 of")).to_be_in_viewport()
        if width != 640:
            frame.locator(".deck").press("End")
        for number in (2, 3, 4) if width == 640 else ():
            frame.get_by_role("button", name="Next scene").click()
            expect(frame.get_by_text(f"This is scene {number} of")).to_be_in_viewport(ratio=1)
            expect(frame.get_by_role("status")).to_have_text(f"Scene {number} of 4")
        expect(frame.get_by_text("This is scene 4 of")).to_be_in_viewport(ratio=1)
        expect(frame.get_by_role("link", name="Read all of it")).to_be_in_viewport()
        frame.get_by_role("button", name="Previous scene").click()
        expect(frame.get_by_text("This is scene 3 of")).to_be_in_viewport()
        frame.locator(".deck").press("Home")
        expect(frame.get_by_text("This is scene 1 of")).to_be_in_viewport()
        assert inner.evaluate("document.documentElement.scrollWidth") <= width
        if width == 640:  # the text fits, so that nothing of it scrolls
            assert inner.evaluate("document.querySelectorAll('.words[tabindex]').length") == 0
    assert tab.complaints == []


def test_turns_in_quick_succession_add_up_and_frame_and_page_talk_by_messages(
    site, live_story, foreign_site, open_tab
):
    tab = open_tab(foreign_site(frame_of(site)), width=700, height=420)
    frame = tab.page.frame_locator("iframe")
    on = frame.get_by_role("button", name="Next scene")
    frame.get_by_role("button", name="Pause motion").click()  # it waits for the frame, and no film plays
    on.click()
    for key in (None, None, "ArrowLeft", "ArrowLeft", "ArrowRight"):
        if key:
            frame.locator(".deck").press(key)
        else:
            on.click()
        tab.page.wait_for_timeout(60)
    tab.page.wait_for_timeout(1600)
    expect(frame.get_by_text("This is scene 3 of")).to_be_in_viewport(ratio=1)
    heard = tab.page.evaluate("heard")
    told = [message["index"] for _, message in heard if message.get("type") == "capsule:scene"]
    assert told == [0, 1, 2, 3, 2, 1, 2], "each once"
    assert ["null", {"type": "capsule:size", "width": 1280, "height": 720, "ratio": 16 / 9}] in heard
    assert ["null", {"message": "height", "value": 360, "secret": "abc123"}] in heard
    tab.page.evaluate("document.querySelector('iframe').width = 420")
    expect(frame.get_by_text("This is scene 3 of")).to_be_in_viewport(ratio=1)

    for index in (0, 2):
        tab.page.evaluate(
            "(index) => { heard.length = 0; frames[0].postMessage({type: 'capsule:go', index}, '*'); }", index
        )
        expect(frame.get_by_text(f"This is scene {index + 1} of")).to_be_in_viewport()
        until(tab.page, f"heard.some((h) => h[1].type === 'capsule:scene' && h[1].index === {index})")
    inner = tab.page.frames[1]
    frame.get_by_role("button", name="Play motion").click()
    until(inner, "document.querySelector('#scene-3 .camera.playing')")
    tab.page.evaluate("frames[0].postMessage({type: 'capsule:pause'}, '*')")
    until(inner, "!document.querySelector('.camera.playing')")
    for nonsense in (
        "null",
        "'capsule:go'",
        "{type: 'capsule:go', index: 'x'}",
        "{type: 'capsule:go', index: 1e9}",
    ):
        tab.page.evaluate(f"frames[0].postMessage({nonsense}, '*')")
    assert tab.complaints == []


def test_the_reader_cannot_be_framed_and_the_embed_code_can_and_is_never_too_low(
    site, live_story, foreign_site, open_tab
):
    """Too low for a picture above the words."""
    code = str(embed_html(reading.find_reading("north-shore", "small-voyages"), 960, 540))
    viewport = '<meta name="viewport" content="width=device-width">'
    reader = frame_of(site).replace("/embed#?secret=abc123", "")
    tab = open_tab(foreign_site(f'{viewport}<div id="column">{code}</div>{reader}'), reduced_motion="reduce")
    page = tab.page
    page.wait_for_load_state("networkidle")  # the frame has its styles
    assert any("frame-ancestors" in text for text in tab.complaints)
    frame = page.frame_locator("#column iframe")
    expect(frame.get_by_text("This is scene 1 of")).to_be_in_viewport()
    rows = [(390, "auto", 420), (1440, "280px", 350), (1440, "800px", 450)]
    for window, column, height in rows:
        page.set_viewport_size({"width": window, "height": 900})
        page.evaluate(
            "(width) => document.getElementById('column').style.setProperty('width', width)", column
        )
        shown = page.locator("#column iframe").bounding_box()["height"]
        assert shown == pytest.approx(height, abs=1), (window, column)
        bar, title = frame.locator(".bar"), frame.get_by_role("heading", level=1)
        foot = at_rest(bar)["y"] + bar.bounding_box()["height"]
        assert at_rest(title)["y"] > foot + 28, f"the title lies in the shade of the bar: {window}, {column}"


#: What a button is called that a finger misses beside or below it.
MISSED = """all => all.map((it) => {
  const { x, y, width } = it.getBoundingClientRect();
  const middle = x + width / 2;
  const points = [[middle - 21, y + 1], [middle + 21, y + 1], [middle, y + 41]];
  return points.every(([left, top]) => it.contains(document.elementFromPoint(left, top))) ? '' : it.textContent.trim();
})"""


def test_the_foot_and_the_words_of_a_small_frame_can_be_hit_and_read(site, live_story, open_tab):
    page = open_tab(f"{site}{PATH}/embed", width=280, height=350, reduced_motion="reduce").page
    page.locator("#on").wait_for()
    for width, height in ((280, 350), (640, 360)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".scene").last.evaluate("(it) => it.scrollIntoView({behavior: 'instant'})")
        read, report = (
            page.get_by_role("link", name=name).bounding_box() for name in ("Read all of it", "Report")
        )
        room = read["width"] * read["height"] / 2
        assert report["width"] * report["height"] < room, f"to report takes less room: {width}"
        assert report["height"] >= 24, f"it can be hit: {width}"
        assert report["y"] + report["height"] <= height, f"and is not below the edge: {width}"
        missed = "".join(page.locator(".pill-icon:visible").evaluate_all(MISSED))
        assert not missed, f"44 pixels wide and high: {width}"

    page.set_viewport_size({"width": 280, "height": 200})
    page.locator(".scene").first.evaluate("(it) => it.scrollIntoView({behavior: 'instant'})")
    page.locator(".text").first.evaluate(
        "(it) => { it.textContent = 'At the viaduct he lowers the sack. '.repeat(9) }"
    )
    text = page.locator(".text").first.bounding_box()
    assert text["width"] >= 240, "in the smallest frame words have its width"
    for button in page.locator(".pill-icon:visible").all():
        box = button.bounding_box()
        assert box["y"] + box["height"] <= text["y"], "the words begin below"
        assert min(box["width"], box["height"]) >= 24, "it can be hit"


def test_words_that_scroll_are_not_seen_behind_the_buttons(site, live_story, open_tab):
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    for width, height, is_upright in ((280, 420, False), (480, 270, True)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{site}{PATH}/embed")
        scene = page.locator(".scene").first
        if is_upright:  # the picture stands beside the words, which have the buttons on their side
            scene.evaluate("(it) => { it.classList.add('whole-wide', 'tall56'); it.dataset.side = 'end'; }")
        page.locator(".text").first.evaluate(
            "(it) => { it.textContent = 'The ice sang one note. '.repeat(30) }"
        )
        page.evaluate("dispatchEvent(new Event('resize'))")  # it looks which words have to be scrolled
        box = page.locator("#on").bounding_box()
        back = page.locator("#back").bounding_box()
        right = box["x"] + box["width"]
        strip = {"x": back["x"], "y": box["y"], "width": right - back["x"], "height": height - box["y"]}
        page.add_style_tag(content=".steps { visibility: hidden !important }")
        shown = page.screenshot(clip=strip)
        page.add_style_tag(content=".ground > * { visibility: hidden !important }")
        assert shown == page.screenshot(clip=strip), width
        page.locator(".words").first.evaluate("(it) => it.scrollTo(0, 9e9)")
        text = page.locator(".text").first.bounding_box()
        assert text["y"] + text["height"] <= box["y"], f"its end can be read above them: {width}"
