"""The reader in a browser: scenes, keys, motion, sharing, editions; on a wide screen and on a phone."""

from __future__ import annotations

import io
import re
import time
from itertools import product

import pytest
from django.core.cache import cache
from PIL import Image, ImageStat
from playwright.sync_api import CDPSession, Page, expect

from feed.models import Card
from publishing.looks import classes
from publishing.models import Bake
from publishing.pages.files import page_files
from tests.browser.test_embed import MARKS
from tests.browser.waiting import Held, at_rest, resize, until
from tests.support import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"


@pytest.fixture
def url(site, live_story) -> str:
    return site + PATH


@pytest.fixture
def two_editions(live_story, rendered, api):
    edition = factories.make_edition(live_story, rendered)
    assert api.publish(edition).status_code == 200


def scene_in_view(page) -> str:
    return page.evaluate(
        "[...document.querySelectorAll('.scene')].sort((a, b) =>"
        " Math.abs(a.getBoundingClientRect().top) - Math.abs(b.getBoundingClientRect().top))[0].id"
    )


LEAVES_TO_THE_BROWSER = """(held) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true, [held]: true}))"""


RIGHTS = "(all) => all.map((it) => it.getBoundingClientRect().right)"
SEEN_AT_ITS_CORNER = """(toast) => {
  const { x, y } = toast.getBoundingClientRect();
  return document.elementFromPoint(x + 9, y + 9) === toast;
}"""


def test_keys_go_from_scene_to_scene_a_rail_of_many_has_marks_to_hit_and_no_long_word_makes_a_page_scroll_sideways(
    site, open_tab, api, north_shore, rendered
):
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamter"
    path = api.publish(factories.make_story(north_shore, rendered, title=long, scenes=40)).json()["url"]
    tab = open_tab(site + path, reduced_motion="reduce")
    steps = [("End", 40), ("Home", 1)]
    for (width, height), (key, scene) in product([(1440, 900), (390, 844)], steps):
        tab.page.set_viewport_size({"width": width, "height": height})
        tab.page.keyboard.press(key)
        mark = tab.page.locator(f".rail a[href='#scene-{scene}']")
        expect(mark).to_have_attribute("aria-current", "step")
        expect(mark).to_be_in_viewport(ratio=1)
        stands_at(tab.page, scene)
        box = mark.bounding_box()
        assert box["width"] >= 24 and box["height"] >= 24
        assert tab.page.evaluate("document.documentElement.scrollWidth") == width
    for held in ("ctrlKey", "metaKey", "altKey", "shiftKey"):
        assert tab.page.evaluate(LEAVES_TO_THE_BROWSER, held), f"{held} and an arrow is the browser's own"
    for width in (390, 280, 1440):
        tab.page.set_viewport_size({"width": width, "height": 844})
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        if width >= 390:
            assert max(tab.page.locator(".ground *").evaluate_all(RIGHTS)) <= width, "words end in it"
    assert tab.complaints == []


#: A click of Safari before 18.2.
TELLS_NO_POINTER = (
    "addEventListener('click', (e) => Object.defineProperty(e, 'pointerType', {value: undefined}), true)"
)
TURNS_AND_TAPS = """(kind) => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
  const tap = new PointerEvent("click", { pointerType: kind, detail: 1, bubbles: true, cancelable: true });
  return document.querySelector(".finale a").dispatchEvent(tap);
}"""


def test_it_reads_like_a_story_by_taps_and_arrows_and_the_tap_after_the_turn_to_the_finale_follows_no_link(
    url, open_tab
):
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True, "plays": False}
    tab = open_tab(url, reduced_motion="reduce", **phone)
    current = tab.page.locator(".rail [aria-current]")
    tab.page.evaluate(
        "document.querySelectorAll('.scene').forEach((it) => it.style.setProperty('height', '100svh'))"
    )
    for step, scene in [
        ("right", 2),
        ("right", 3),
        ("middle", 3),
        ("left", 2),
        ("ArrowDown", 3),
        ("ArrowUp", 2),
    ]:
        if step.startswith("Arrow"):
            tab.page.keyboard.press(step)
        else:
            tab.page.touchscreen.tap({"left": 40, "middle": 195, "right": 350}[step], 300)
        expect(current).to_have_attribute("href", f"#scene-{scene}")
    # What can be pressed is pressed, wherever it is.
    tab.page.locator(".rail a").last.tap()
    expect(current).to_have_attribute("href", f"#scene-{tab.page.locator('.scene').count()}")

    tab.page.evaluate(
        "document.querySelectorAll('.scene').forEach((it) => it.style.removeProperty('height'))"
    )
    tab.page.keyboard.press("Home")
    expect(current).to_have_attribute("href", "#scene-1")
    assert not tab.page.evaluate(TURNS_AND_TAPS, "touch")
    tab.page.wait_for_timeout(1100)
    tab.page.get_by_role("link", name="Read again").tap()
    expect(tab.page).to_have_url(url + "#scene-1")
    assert tab.page.evaluate(TURNS_AND_TAPS, "mouse"), "a mouse goes where its owner has looked"

    tab.page.keyboard.press("Home")
    stands_at(tab.page, 1)
    tab.page.emulate_media(reduced_motion="no-preference")
    no_finger_leaves_two_scenes_half_in_the_window(tab.page)

    tab.page.add_init_script(TELLS_NO_POINTER)
    tab.page.goto(url)
    tab.page.touchscreen.tap(350, 300)
    expect(current).to_have_attribute("href", "#scene-2")


def no_finger_leaves_two_scenes_half_in_the_window(page: Page) -> None:
    touch = page.context.new_cdp_session(page)
    for drag, scene in [(300, 1), (600, 2), (-600, 1)]:  # of 844: the end of a drag may be lost
        begin = 700 if drag > 0 else 150
        send(touch, "touchStart", begin)
        for step in range(1, 11):
            send(touch, "touchMove", begin - drag * step / 10)
        page.wait_for_timeout(150)  # held, so that it is no fling
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        stands_at(page, scene)


def send(touch: CDPSession, kind: str, y: float) -> None:
    touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 200, "y": y}]})


def test_keys_in_quick_succession_and_a_hand_between_them_lead_where_the_last_one_leads(url, open_tab):
    tab = open_tab(url, width=480, height=300, plays=False)
    for key in ("ArrowRight", "End", "Home", "PageDown", " ", "PageUp", "Shift+ ", "End", "ArrowLeft"):
        tab.page.keyboard.press(key)
        tab.page.wait_for_timeout(60)
    stands_at(tab.page, 3)
    tab.page.wait_for_timeout(600)  # nothing moves it away again
    assert scene_in_view(tab.page) == "scene-3"
    expect(tab.page.locator(".rail a[href='#scene-3']")).to_have_attribute("aria-current", "step")
    tab.page.keyboard.press("Home")
    until(tab.page, "scrollY < 2")
    tab.page.wait_for_timeout(300)

    tab.page.mouse.move(300, 200)
    tab.page.keyboard.press("End")
    until(tab.page, "scrollY > 100")
    tab.page.mouse.wheel(0, -3000)
    tab.page.keyboard.press("PageUp")
    tab.page.wait_for_timeout(2000)
    current = tab.page.locator(".rail [aria-current]").get_attribute("href")
    assert current == f"#{scene_in_view(tab.page)}", "rail and scene agree when a hand meets a key on its way"
    tab.page.keyboard.press("Home")
    until(tab.page, "scrollY < 2")
    assert tab.complaints == []


def stands_at(page: Page, scene: int) -> None:
    until(page, f"Math.abs(document.querySelector('#scene-{scene}').getBoundingClientRect().top) < 2")


def test_notches_of_the_wheel_lead_from_scene_to_scene_and_small_steps_zooms_and_a_wheel_over_a_sheet_nowhere(
    url, open_tab
):
    page = open_tab(url, width=640, height=400, plays=False, reduced_motion="reduce").page
    page.mouse.move(300, 200)
    page.mouse.wheel(0, 20)  # as of a trackpad
    page.wait_for_timeout(600)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 100)
    page.keyboard.up("Control")
    page.wait_for_timeout(600)
    page.get_by_role("button", name="Share").first.click()
    page.locator(".sheet:popover-open").hover()
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(600)
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")

    page.mouse.move(300, 200)
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        for notch, scene in ((100, 2), (-100, 1)):
            page.mouse.wheel(0, notch)
            stands_at(page, scene)
            page.wait_for_timeout(600)  # nothing moves it away again
            assert scene_in_view(page) == f"scene-{scene}", motion
    page.mouse.wheel(0, 100)
    until(page, "scrollY > innerHeight / 4")
    page.mouse.wheel(0, 10)  # a light nudge on its way sends no turn back
    stands_at(page, 2)
    page.wait_for_timeout(600)
    page.mouse.wheel(0, -100)
    until(page, "scrollY < 2")
    page.wait_for_timeout(600)
    page.mouse.wheel(0, 100)
    until(page, "scrollY > innerHeight / 4")
    page.mouse.wheel(0, -60)  # a notch does
    until(page, "scrollY < 2")
    page.wait_for_timeout(600)
    assert scene_in_view(page) == "scene-1"
    page.mouse.wheel(0, page.viewport_size["height"] * 1.2)  # many add up
    stands_at(page, 3)

    page.emulate_media(reduced_motion="reduce")
    page.wait_for_timeout(600)
    page.keyboard.press("Home")
    stands_at(page, 1)
    a_wheel_leads_through_a_high_scene(page)


def comes_to_stand(page: Page, top: str, stands: int) -> None:
    until(page, f"Math.abs({top} - ({stands})) < 2")
    page.wait_for_timeout(600)
    assert abs(page.evaluate(top) - stands) < 2


def a_wheel_leads_through_a_high_scene(page: Page) -> None:
    page.evaluate("document.querySelector('#scene-2').style.setProperty('height', '200svh')")
    page.keyboard.press("ArrowRight")
    stands_at(page, 2)
    top = "document.querySelector('#scene-2').getBoundingClientRect().top"
    for stands in (-160, -320, -400):  # where it was left, and at the scene's end, which nobody saw before
        page.mouse.wheel(0, 160)
        comes_to_stand(page, top, stands)
    page.mouse.wheel(0, 100)
    stands_at(page, 3)
    page.mouse.wheel(0, -100)  # back, to where it was left
    until(page, "Math.abs(document.querySelector('#scene-3').getBoundingClientRect().top - innerHeight) < 2")
    for key in ("Shift+ ", "PageUp"):
        page.keyboard.press(key)
        at_rest(page.locator("#scene-2"), 600)
    assert abs(page.evaluate(top)) < 2, "its beginning, and nothing of the scene before it"
    for turn, stands in ((160, -160), (-200, 0)):  # further than its beginning, which was not in the window
        page.mouse.wheel(0, turn)
        comes_to_stand(page, top, stands)


def test_films_leave_the_line_to_the_first_picture_then_one_plays_the_next_is_fetched_and_pause_stops_all(
    url, open_tab
):
    tab = open_tab("about:blank", width=640, height=400, with_requests=True)
    held = Held(tab.page, "**/*.avif")
    tab.page.goto(url, wait_until="domcontentloaded")
    held.get()
    tab.page.wait_for_timeout(700)
    assert tab.films() == []
    held.let_go()
    playing = "!document.querySelector('#scene-{} video').paused"
    until(tab.page, playing.format(1))
    until(tab.page, "document.querySelector('#scene-2 video').preload === 'auto'")

    tab.page.get_by_role("button", name="Pause motion").click()
    assert tab.page.evaluate("[...document.querySelectorAll('video')].every((film) => film.paused)")
    tab.page.keyboard.press("ArrowRight")
    tab.page.wait_for_timeout(300)
    assert tab.page.evaluate("[...document.querySelectorAll('video')].every((film) => film.paused)")
    tab.page.get_by_role("button", name="Play motion").click()
    until(tab.page, playing.format(2))
    tab.page.keyboard.press("ArrowRight")
    until(tab.page, "document.querySelector('#scene-3 .camera.playing')")
    tab.page.get_by_role("button", name="Pause motion").click()
    assert not tab.page.evaluate("document.querySelector('.camera.playing')")
    assert tab.complaints == []


def test_sharing_copies_the_link_or_the_embed_code_or_leads_to_a_network_or_an_app(url, open_tab):
    """Of readers who save data, and get no film."""
    clipboard = ["clipboard-read", "clipboard-write"]
    tab = open_tab("about:blank", width=960, height=600, permissions=clipboard, with_requests=True)
    page = tab.page
    page.add_init_script(
        "Object.defineProperty(navigator, 'connection', {value: {saveData: true}}); window.shared = null;"
        "navigator.share = (what) => { window.shared = what; return Promise.resolve(); }"
    )
    page.goto(url)
    expect(page.get_by_role("button", name="Play motion")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.context.cookies() == []
    kept = page.evaluate("[localStorage.length, sessionStorage.length]")
    assert kept == [0, 0], "the page stores nothing unasked"
    sheet = page.get_by_role("dialog", name="Share", exact=True)
    page.get_by_role("button", name="Share").first.click()
    expect(sheet).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Share").first.click()
    expect(sheet).to_be_in_viewport(ratio=0.9)
    sheet.get_by_role("button", name="Copy link").click()
    told = page.get_by_role("status")
    expect(told).to_have_text("Copied")
    assert told.evaluate(SEEN_AT_ITS_CORNER), "above the sheet"
    assert page.evaluate("navigator.clipboard.readText()") == url
    sheet.get_by_role("button", name="Copy embed code").click()
    until(page, "navigator.clipboard.readText().then((text) => text.startsWith('<iframe '))")
    assert f'src="{url}/embed"' in page.evaluate("navigator.clipboard.readText()")
    network = sheet.get_by_role("link", name="Facebook").get_attribute("href")
    assert network.startswith("https://www.facebook.com/")
    assert (tab.films(), tab.complaints) == ([], [])

    page.get_by_role("button", name="Share with an app").click()
    assert page.evaluate("window.shared") == {"title": "Small voyages", "url": url}
    for error, said in (("AbortError", False), ("NotAllowedError", True)):
        page.evaluate("document.querySelector('.toast').textContent = ''")
        page.evaluate(
            "(name) => { navigator.share = () => Promise.reject(new DOMException('', name)); }", error
        )
        page.get_by_role("button", name="Share with an app").click()
        page.evaluate("new Promise(requestAnimationFrame)")
        assert bool(page.locator(".toast").inner_text()) is said, error


def test_no_film_is_requested_where_less_motion_is_wanted_and_readers_switch_editions_where_they_are_and_back(
    url, two_editions, open_tab
):
    tab = open_tab(url, width=800, height=500, reduced_motion="reduce", with_requests=True)
    page = tab.page
    link = page.get_by_role("link", name="Scene 3: Scene 3")
    link.hover()
    expect(link.locator("span")).to_be_in_viewport(ratio=1)
    link.click()
    stands_at(page, 3)
    assert scene_in_view(page) == "scene-3"

    page.get_by_role("button", name="Edition: Original").click()
    sheet = page.get_by_role("dialog", name="Editions")
    expect(sheet.get_by_role("link", name="Original")).to_have_attribute("aria-current", "page")
    sheet.get_by_role("link", name="Classroom").click()
    expect(page).to_have_url(f"{url}?edition=classroom#scene-3")
    expect(page.get_by_text("This is scene 3 of Small voyages, classroom")).to_be_in_viewport()
    page.keyboard.press("Home")
    stands_at(page, 1)
    page.get_by_role("button", name="Edition: Classroom").click()
    page.locator("#editions").get_by_role("link", name="Original").click()
    expect(page).to_have_url(f"{url}#scene-1")
    expect(page.get_by_role("heading", level=1)).to_have_text("Small voyages")
    assert tab.films() == []
    page.get_by_role("button", name="Play motion").click()
    until(page, "!document.querySelector('#scene-1 video').paused")


def test_everything_can_be_read_without_javascript_and_nothing_is_marked_or_plays(
    url, two_editions, open_tab
):
    card = Card.objects.first()
    Card.objects.update(cover={**card.cover, "look": "theme-paper face-slab"})
    tab = open_tab(url, width=960, height=600, java_script_enabled=False, with_requests=True)
    for number in range(1, 5):
        expect(tab.page.get_by_text(f"This is scene {number} of Small voyages.")).to_be_visible()
    for button in ("#motion", "#play"):
        expect(tab.page.locator(button)).to_be_hidden()
    assert tab.films() == []
    tab.page.wait_for_timeout(400)  # a mark takes its colour over time
    assert len(set(tab.page.locator(".rail a").evaluate_all(MARKS))) == 1, "none as the one in view"
    tab.page.get_by_role("button", name="Share").first.click()
    expect(tab.page.get_by_role("link", name="Bluesky")).to_be_visible()
    tab.page.keyboard.press("Escape")
    tab.page.get_by_role("button", name="Original").click()
    tab.page.get_by_role("link", name="Classroom").first.click()
    expect(tab.page.get_by_text("This is scene 1 of Small voyages, classroom.")).to_be_visible()

    tab.page.goto(f"{url}/embed")
    expect(tab.page.get_by_text("This is scene 1 of")).to_be_visible()
    for button in (tab.page.get_by_role("button", name="Next scene"), tab.page.locator("#play")):
        expect(button).to_be_hidden()
    assert len(set(tab.page.locator(".progress a").evaluate_all(MARKS))) == 1

    with tab.page.expect_request(re.compile("/roboto-slab-")):  # the typeface of a card in a list
        tab.page.goto(url.removesuffix("/small-voyages"))


ADDS_UP_SHIFTS = """window.moved = 0;
new PerformanceObserver((list) => list.getEntries().forEach((each) => { moved += each.value; }))
  .observe({ type: 'layout-shift', buffered: true })"""


def test_what_gives_way_on_the_opening_is_gone_before_it_is_drawn_and_comes_back_and_no_words_lie_under_its_marks(
    site, north_shore, rendered, api, open_tab
):
    title, summary = "A long way to the lake in the north", "Every word of it. " * 15
    story = factories.make_story(north_shore, rendered, title=title, summary=summary)
    address = site + api.publish(story).json()["url"]
    page = open_tab("about:blank", width=412, height=823, reduced_motion="reduce", bypass_csp=True).page
    page.add_init_script(ADDS_UP_SHIFTS)
    page.route("**/opening*.js", lambda route: (time.sleep(0.7), route.continue_()))
    page.goto(address)
    expect(page.locator("#scene-1 .words.few")).to_have_count(1)
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    page.wait_for_timeout(300)
    assert page.evaluate("moved") < 0.01

    summary = page.locator("#scene-1 .summary")
    for height, is_shown in ((1100, True), (500, False), (1100, True)):  # as when a phone is turned
        page.set_viewport_size({"width": 844, "height": height})
        expect(summary).to_be_visible(visible=is_shown)
    resize(page, 390, 844)
    until(
        page,
        "(({complete, naturalWidth}) => complete && naturalWidth > 2)(document.querySelector('#scene-1 .shot img'))",
    )
    shown, wordless = strips_behind_the_marks(page)
    assert shown == wordless


def strips_behind_the_marks(page: Page) -> tuple[bytes, bytes]:
    """What is drawn there over the last line of the first scene, and without any words."""
    size = page.viewport_size
    page.locator("#scene-1 .text").scroll_into_view_if_needed()
    page.evaluate(
        "scrollTo({top: scrollY + document.querySelector('#scene-1 .text').getBoundingClientRect().bottom"
        " - innerHeight + 12, behavior: 'instant'})"
    )
    mark = page.locator(".rail a").first.bounding_box()
    strip = {"x": 0, "y": mark["y"], "width": size["width"], "height": size["height"] - mark["y"]}
    shown = page.screenshot(clip=strip)
    hidden = page.add_style_tag(content=".words { visibility: hidden !important }")
    wordless = page.screenshot(clip=strip)
    hidden.evaluate("(style) => style.remove()")
    return shown, wordless


def test_a_covering_picture_goes_down_to_few_words_on_a_phone_and_beside_a_whole_one_light_looks_are_light(
    url, open_tab
):
    content = Bake.objects.get().content
    fits = ("cover", "contain", "cover", "cover")
    scenes = [{**scene, "fit": fit} for scene, fit in zip(content["scenes"], fits, strict=True)]
    looks = [{**content["look"], "theme": theme} for theme in ("night", "day", "paper", "ink")]
    Bake.objects.update(content={**content, "scenes": scenes, "look": looks[-1]})
    page_files().drop_all()
    cache.clear()
    page = open_tab(url, width=390, height=844, reduced_motion="reduce").page
    assert classes(looks[-1]) in page.locator("html").get_attribute("class")
    assert page.locator("#scene-1 img").first.evaluate("(it) => it.currentSrc").endswith(".avif")
    page.locator("#scene-3").evaluate("(scene) => scene.scrollIntoView({behavior: 'instant'})")
    shot = page.locator("#scene-3 .shot")
    free = shot.evaluate("(shot) => (innerHeight - shot.getBoundingClientRect().bottom) / innerHeight")
    assert free < 0.2, "an empty band"

    resize(page, 1000, 600)
    page.locator("#scene-2").evaluate("(scene) => scene.scrollIntoView({behavior: 'instant'})")
    page.wait_for_function("document.querySelector('#scene-2 .backdrop').complete")
    for look, is_light in zip(looks, (False, True, True, False), strict=True):
        page.evaluate("(look) => { document.documentElement.className = look }", classes(look))
        side = page.screenshot(clip={"x": 10, "y": 250, "width": 20, "height": 20})
        (shade,) = ImageStat.Stat(Image.open(io.BytesIO(side)).convert("L")).mean
        assert (shade > 150) == is_light, (look, shade)


HALF_WAY = """() => {
  document.documentElement.style.scrollSnapType = 'none';
  const scene = document.querySelector('#scene-2');
  scrollTo({top: scene.offsetTop + scene.offsetHeight - innerHeight / 2, behavior: 'instant'});
}"""


def test_the_name_is_whole_on_a_narrow_phone_on_its_side_half_of_a_picture_is_free_and_the_next_scene_slides_over_it(
    url, two_editions, open_tab
):
    options = {"reduced_motion": "reduce", "plays": False, "bypass_csp": True}
    page = open_tab(url, width=360, height=740, **options).page
    pills = page.locator(".tools .pill:visible")
    expect(pills).to_have_count(4)
    name = page.locator(".masthead .brand bdi")
    assert name.evaluate("(name) => name.scrollHeight <= name.clientHeight"), "beside four buttons"

    page.set_viewport_size({"width": 844, "height": 390})
    words = [page.locator(f"#scene-{number} .ground").bounding_box() for number in (1, 2)]
    assert max(box["width"] for box in words) <= 422
    assert {round(pill.bounding_box()["width"]) for pill in pills.all()} == {44}, (
        "their words are for ears alone"
    )
    expect(page.get_by_role("button", name="Play all scenes")).to_be_visible()

    page.set_viewport_size({"width": 1000, "height": 600})
    for motion, top in (("no-preference", 0), ("reduce", -300)):
        page.emulate_media(reduced_motion=motion)
        until(
            page,
            f"(({HALF_WAY})(), true)"  # again while the page is still being laid out: its typefaces come later
            f" && Math.abs(document.querySelector('#scene-2 .stage').getBoundingClientRect().top - {top}) < 2"
            " && Math.abs(document.querySelector('#scene-3').getBoundingClientRect().top - 300) < 2",
        )

    page.set_viewport_size({"width": 390, "height": 844})
    page.add_style_tag(content="html { font-size: 200% }")  # words are twice as large
    finale = page.locator(".finale")
    assert finale.locator(".subscribe .input").evaluate("(it) => it.getBoundingClientRect().right") <= 390
    assert finale.evaluate("(it) => it.getBoundingClientRect().right") <= 390
    assert finale.locator(".card-row span").first.bounding_box()["width"] > 200, "below its picture"


def test_the_finale_leads_on_and_nothing_is_offered_for_sharing_where_the_author_says_so(
    north_shore, ready_story, rendered, api, client
):
    """In the page alone: none of it is a script's."""
    assert api.publish(ready_story, showSocialShare=False).status_code == 200
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    far, near = (client.get(path).text for path in ("/north-shore/far-shores", PATH))
    assert re.search(rf'href="{PATH}" rel="next"(?s:.*?)Small voyages</b>', far)
    for page, offered in ((far, True), (near, False)):
        assert "Read again</span></a>" in page
        for name in ("Share", "Copy link"):
            assert (f">{name}</span></button>" in page) is offered, name
