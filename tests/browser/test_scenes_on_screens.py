"""Scenes on screens of every shape: what is seen of a picture, and how much room its words have."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from publishing.models import Bake
from tests.browser.test_words_beside_subjects import DRAWN, PATH, shown, told

pytestmark = pytest.mark.django_db(transaction=True)
UPRIGHT = "/north-shore/small-voyages/embed"
TEXT = "By morning the hills have come back one at a time, each paler than the last. " * 3
ROOM = """() => {
  const ground = document.querySelector("#scene-1 .ground");
  const { left, right, width } = ground.getBoundingClientRect();
  const shade = right - parseFloat(getComputedStyle(ground, "::before").right);
  const rail = document.querySelector(".rail")?.getBoundingClientRect().right;
  const [words, stage] = [".words", ".stage"].map((part) => document.querySelector(`#scene-1 ${part}`).offsetHeight);
  const brand = document.querySelector(".brand")?.getBoundingClientRect().left;
  return { left, width, shade, rail, brand, high: words - stage };
}"""


@pytest.fixture
def scenes(live_story) -> Any:
    """`scenes(*scenes, **fields)`: what the live capsule shows."""
    content = Bake.objects.get().content
    return lambda *scenes, **fields: told(content, list(scenes), **fields)


def turned(page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def room_of(page) -> dict[str, float]:
    page.wait_for_timeout(300)  # until the opening scene has found its size
    return page.evaluate(ROOM)


@pytest.mark.parametrize("side", ["start", "end"])
def test_in_an_embed_words_beside_a_whole_picture_have_lines_of_words(site, scenes, open_tab, side):
    scenes(*[{"text": TEXT, "fit": "contain", "focus": [0.2 if side == "end" else 0.8, 0.5]}] * 3)
    page = open_tab(site + UPRIGHT, width=400, height=300).page
    assert room_of(page)["width"] > 130, "several words a line"


def test_in_an_upright_embed_the_words_of_every_scene_begin_at_one_edge(site, scenes, open_tab):
    scenes(*[{"text": "Go on.", "focus": [x, 0.5]} for x in (0.2, 0.8, 0.2)])
    page = open_tab(site + UPRIGHT, width=280, height=350).page
    margins = "all => all.map((it) => it.getBoundingClientRect().x - it.closest('.scene').getBoundingClientRect().x)"
    assert len(set(page.locator(".ground").evaluate_all(margins))) == 1


def test_words_at_the_top_of_a_phone_leave_the_head_below_them(site, scenes, open_tab):
    face = (0.35, 0.08, 0.65, 0.4)
    scenes(*[{"text": "Go on.", "place": "top", "focus": [0.5, 0.24], "subject": list(face)}] * 3)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    page.evaluate("document.getElementById('scene-2').scrollIntoView()")
    page.wait_for_function("document.querySelector('#scene-2 .shot img').naturalWidth > 2")
    drawn = page.evaluate(DRAWN, 2)
    head = shown(face, (0.5, 0.24), drawn)
    assert head[1] >= 0.4 * 844 and head[1] > max(line[3] for line in drawn["lines"])


def test_words_at_the_top_of_a_phone_leave_a_face_in_an_upright_picture_below_them(site, scenes, open_tab):
    scenes(*[{"text": "Words over a picture of a person.", "place": "top", "focus": [0.5, 0.24]}] * 3)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    page.evaluate(SHAPED, "full")
    lines, aim, shot = (page.evaluate(DRAWN, 2)[name] for name in ("lines", "aim", "shot"))
    eyes = shot[1] + aim[1] * (shot[3] - shot[1])
    assert eyes > max(line[3] for line in lines) + 136, "below what they stand on, too"


@pytest.mark.parametrize("full", [False, True])
def test_a_picture_below_words_at_the_top_is_printed_without_a_fade(site, scenes, open_tab, full):
    scenes(*[{"text": "Go on.", "place": "top"}] * 3)
    page = open_tab(site + PATH, width=390, height=844).page
    page.evaluate(SHAPED, "full" if full else "wide56")
    page.emulate_media(media="print")
    assert page.locator("#scene-2 .shot").evaluate("(it) => getComputedStyle(it).maskImage") == "none"


def test_words_in_the_middle_of_an_embed_leave_a_picture_that_stands_whole(site, scenes, open_tab):
    scenes(*[{"text": "Whole, with a few words.", "place": "middle", "fit": "contain"}] * 3)
    page = open_tab(site + UPRIGHT, width=280, height=350, reduced_motion="reduce").page
    drawn = page.wait_for_function(DRAWN, arg=2).json_value()
    assert min(line[1] for line in drawn["lines"]) >= drawn["shot"][3]


def test_in_a_low_embed_a_picture_that_stands_whole_begins_below_the_bar(site, scenes, open_tab):
    scenes(*[{"text": "Go on.", "fit": "contain"}] * 3)
    page = open_tab(site + UPRIGHT, width=360, height=200).page
    bottom = page.locator(".brand").evaluate("(it) => it.getBoundingClientRect().bottom")
    assert page.locator("#scene-2 .shot").evaluate("(it) => it.getBoundingClientRect().top") >= bottom


def test_on_a_phone_on_its_side_nothing_stands_where_its_camera_is(site, scenes, open_tab):
    scenes(*[{"text": TEXT}] * 3)
    page = open_tab(site + PATH, width=844, height=390).page
    insets = {"left": 47, "right": 47, "top": 0, "bottom": 21}
    page.context.new_cdp_session(page).send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    room = room_of(page)
    assert room["left"] >= 47 and room["brand"] >= 47 and room["rail"] <= 844 - 47


def test_on_a_phone_on_its_side_what_words_stand_on_ends_before_the_middle_of_a_face(site, scenes, open_tab):
    scenes(*[{"text": TEXT, "focus": [0.5, 0.5]}] * 3)
    assert room_of(open_tab(site + PATH, width=844, height=390).page)["shade"] < 0.5 * 844


def test_on_a_phone_on_its_side_the_end_stands_beside_a_face_as_every_scene_does(site, scenes, open_tab):
    scenes(*[{"text": TEXT, "focus": [0.45, 0.5]}] * 3)
    page = open_tab(site + PATH, width=844, height=390).page
    begins = page.locator(".ground").evaluate_all("all => all.map((it) => it.getBoundingClientRect().left)")
    assert len(set(begins)) == 1


@pytest.mark.parametrize("width, height", [(1440, 900), (320, 568)])
def test_a_long_title_leaves_room_for_the_words_of_its_scene(site, scenes, open_tab, width, height):
    scenes(*[{"title": "", "text": "Go on."}] * 3, title="The unreasonably long title of a capsule " * 4)
    assert room_of(open_tab(site + PATH, width=width, height=height).page)["high"] <= 0


def test_lines_of_japanese_end_between_phrases_and_titles_in_thai_have_room(site, scenes, open_tab):
    for language, rule in {"ja": ("wordBreak", "auto-phrase"), "th": ("lineHeight", "1.35")}.items():
        scenes(*[{"text": "Go on."}] * 3, language=language)
        page = open_tab(site + PATH).page
        style = page.evaluate("(rule) => getComputedStyle(document.querySelector('h1'))[rule]", rule[0])
        size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
        assert style == rule[1] or abs(float(style.removesuffix("px")) / size - float(rule[1])) < 0.01


#: How far the picture of the second scene is from each edge of the window, and from the marks of the scenes.
AROUND = """() => {
  const scene = document.getElementById("scene-2");
  scene.scrollIntoView({ behavior: "instant" });
  const [shot, rail] = [scene.querySelector(".shot"), document.querySelector(".rail [aria-current]")]
    .map((one) => one.getBoundingClientRect());
  const tools = document.querySelector(".masthead .tools").getBoundingClientRect();
  const { left, top, right, bottom, width, height } = shot;
  return { width, height, left, right: rail.left - right, top: top - tools.bottom, bottom: innerHeight - bottom };
}"""


SHAPED = """(shape) => {
  const scene = document.getElementById("scene-2");
  scene.className = scene.className.replace(/\\b(tall|wide)\\d+/, shape);
}"""


@pytest.mark.parametrize("side", ["start", "end"])
def test_a_whole_picture_has_room_on_wide_screens(site, scenes, open_tab, side):
    scenes(*[{"text": "Go on.", "fit": "contain", "focus": [0.2 if side == "end" else 0.8, 0.5]}] * 3)
    page = open_tab(site + PATH, reduced_motion="reduce").page
    for size, shape in product([(844, 390), (1440, 900)], ["tall50", "wide50"]):
        turned(page, size)
        page.evaluate(SHAPED, shape)
        around = page.evaluate(AROUND)
        assert min(around[edge] for edge in ("left", "right", "top", "bottom")) >= 4, (size, shape, around)


def test_a_small_picture_is_shown_at_most_twice_as_large_as_it_is(site, scenes, open_tab):
    size = {"width": 160, "height": 90}
    jpeg = {**Bake.objects.get().content["scenes"][2]["still"]["landscape"]["jpeg"][0], **size}
    scenes(*[{"text": "Go on.", "still": {"landscape": {"jpeg": [jpeg]}}}] * 3)
    page = open_tab(site + PATH, reduced_motion="reduce").page
    for size in [(390, 844), (844, 390), (2560, 1440)]:
        turned(page, size)
        around = page.evaluate(AROUND)
        assert around["width"] <= 320 and around["height"] <= 181, (size, around)


GROUP = """() => {
  const scene = document.getElementById("scene-2");
  scene.scrollIntoView({ behavior: "instant" });
  const [shot, text, bar] = [scene.querySelector(".shot"), scene.querySelector(".text"),
    document.querySelector(".masthead")].map((one) => one.getBoundingClientRect());
  const rail = document.querySelector(".rail").getBoundingClientRect();
  return { above: shot.top - bar.bottom, between: text.top - shot.bottom, below: rail.top - text.bottom };
}"""


@pytest.mark.parametrize("text", ["Go on.", TEXT[:130], TEXT * 2])
def test_on_a_phone_a_whole_picture_and_its_words_stand_in_the_middle(site, scenes, open_tab, text):
    scenes(*[{"title": "", "text": text, "fit": "contain"}] * 3)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    for shape in ("wide25", "wide50", "wide67", "tall80"):
        page.evaluate(SHAPED, shape)
        group = page.evaluate(GROUP)
        assert 0 < group["between"] < 60 and group["above"] > -8, (shape, group)
        assert group["below"] > 0, f"{shape}: words of which there are not too many are seen at once"
        assert group["below"] < max(200, 2 * group["above"]), f"{shape}: no empty lower half"


def test_what_words_stand_on_fades_as_slowly_as_a_screen_is_wide(site, scenes, open_tab):
    page = open_tab("about:blank", width=2560, height=1440).page
    style = "getComputedStyle(document.querySelector('#scene-2 .ground'), '::before')"
    for place, (side, x) in product(["top", "middle", "bottom"], [("right", 0.8), ("left", 0.2)]):
        scenes(*[{"text": "Go on.", "place": place, "focus": [x, 0.5]}] * 3)
        page.goto(site + PATH)
        reach = page.evaluate(f"{style}.{side}")
        assert -float(reach.removesuffix("px")) > 0.2 * 2560, (place, side)


def test_on_a_phone_the_name_is_seen_where_text_is_twice_as_large(site, scenes, open_tab):
    page = open_tab("about:blank", width=390, height=844, bypass_csp=True).page
    for theme in ("night", "day"):
        scenes(*[{"text": "Go on."}] * 3, look={"theme": theme, "accent": None, "face": "serif"})
        page.goto(site + PATH)
        page.add_style_tag(content="html { font-size: 200% }")
        name = page.locator(".brand bdi")
        width, high, lines = name.evaluate("(one) => [one.clientWidth, one.clientHeight, one.scrollHeight]")
        assert width >= 90 and lines <= high, f"{theme}: all of it"
        assert page.locator(".tools button:visible").last.bounding_box()["x"] + 44 <= 390, theme


def test_only_dark_themes_shade_the_head_of_a_picture(site, scenes, open_tab):
    page = open_tab("about:blank", width=390, height=844).page
    for theme, is_dark in {"night": True, "ink": True, "day": False, "paper": False}.items():
        scenes(*[{"text": "Go on."}] * 3, look={"theme": theme, "accent": None, "face": "serif"})
        page.goto(site + PATH)
        shade, ground = page.evaluate("""() => [
          getComputedStyle(document.querySelector(".masthead"), "::before").content,
          getComputedStyle(document.querySelector(".brand")).backgroundColor,
        ]""")
        assert (shade != "none", ground == "rgba(0, 0, 0, 0)") == (is_dark, is_dark), theme
