"""Scenes on screens of every shape: what is seen of a picture, and how much room its words have."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from publishing.looks import classes
from publishing.models import Bake
from tests.browser.test_words_beside_subjects import AT_SCENES, PATH, shown, told
from tests.browser.waiting import resize

pytestmark = pytest.mark.django_db(transaction=True)
UPRIGHT = "/north-shore/small-voyages/embed"
TEXT = "By morning the hills have come back one at a time, each paler than the last. " * 3
ROOM = """() => {
  const ground = document.querySelector("#scene-1 .ground");
  const { left, right } = ground.getBoundingClientRect();
  const shade = right - parseFloat(getComputedStyle(ground, "::before").right);
  const rail = document.querySelector(".rail")?.getBoundingClientRect().right;
  const [words, stage] = [".words", ".stage"].map((part) => document.querySelector(`#scene-1 ${part}`).offsetHeight);
  const brand = document.querySelector(".brand")?.getBoundingClientRect().left;
  return { left, shade, rail, brand, high: words - stage };
}"""
#: Of the words of each scene: where they begin in it, and how wide they are.
GROUNDS = """all => all.map((it) => {
  const { x, width } = it.getBoundingClientRect();
  return [x - it.closest(".scene").getBoundingClientRect().x, width];
})"""


@pytest.fixture
def scenes(live_story) -> Any:
    """`scenes(*scenes, **fields)`: what the live capsule shows."""
    content = Bake.objects.get().content
    return lambda *scenes, **fields: told(content, list(scenes), **fields)


def room_of(page) -> dict[str, float]:
    page.wait_for_timeout(300)  # until the opening scene has found its size
    return page.evaluate(ROOM)


def test_in_an_embed_words_have_lines_of_words_one_edge_and_leave_a_whole_picture(site, scenes, open_tab):
    whole, few = {"text": TEXT, "fit": "contain"}, {"text": "Go on."}
    scenes(
        {**whole, "focus": [0.8, 0.5]},
        {**whole, "focus": [0.2, 0.5]},
        {"text": "Whole, with a few words.", "place": "middle", "fit": "contain"},
        {**few, "fit": "contain"},
        *[{**few, "focus": [x, 0.5]} for x in (0.2, 0.8, 0.2)],
    )
    page = open_tab(site + UPRIGHT, width=400, height=300, reduced_motion="reduce").page
    room_of(page)
    widths = [width for _, width in page.locator(".ground").evaluate_all(GROUNDS)[:2]]
    assert min(widths) > 130, f"several words a line beside a whole picture, on either side: {widths}"

    resize(page, 280, 350)
    begin = [x for x, _ in page.locator(".ground").evaluate_all(GROUNDS)]
    assert len({begin[0], *begin[4:]}) == 1, f"all at one edge where it is upright: {begin}"
    [drawn] = page.evaluate(AT_SCENES, [3])
    assert min(line[1] for line in drawn["lines"]) >= drawn["shot"][3], (
        "words in the middle, below the picture"
    )

    resize(page, 360, 200)
    bottom = page.locator(".brand").evaluate("(it) => it.getBoundingClientRect().bottom")
    above = page.locator("#scene-4 .shot").evaluate("(it) => it.getBoundingClientRect().top")
    assert above >= bottom, "a picture that stands whole begins below the bar"


def test_words_at_the_top_of_a_phone_leave_a_head_below_them_and_are_printed_without_a_fade(
    site, scenes, open_tab
):
    face = (0.35, 0.08, 0.65, 0.4)
    person = {"text": "Words over a picture of a person.", "place": "top", "focus": [0.5, 0.24]}
    go_on = {"text": "Go on.", "place": "top"}
    scenes(go_on, {**go_on, "focus": [0.5, 0.24], "subject": list(face)}, person, go_on, go_on, go_on)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    for number, shape in ((3, "full"), (4, "wide56"), (5, "full")):
        page.evaluate(SHAPED, [number, shape])

    [drawn] = page.evaluate(AT_SCENES, [2])
    head = shown(face, (0.5, 0.24), drawn)
    assert head[1] >= 0.4 * 844 and head[1] > max(line[3] for line in drawn["lines"])

    [drawn] = page.evaluate(AT_SCENES, [3])  # an upright picture
    eyes = drawn["shot"][1] + drawn["aim"][1] * (drawn["shot"][3] - drawn["shot"][1])
    assert eyes > max(line[3] for line in drawn["lines"]) + 136, "below what they stand on, too"

    page.emulate_media(media="print")
    for number in (4, 5):
        fade = page.locator(f"#scene-{number} .shot").evaluate("(it) => getComputedStyle(it).maskImage")
        assert fade == "none", number


def test_on_a_phone_on_its_side_words_leave_its_camera_and_a_face_and_begin_at_one_edge(
    site, scenes, open_tab
):
    scenes(*[{"text": TEXT, "focus": [x, 0.5]} for x in (0.5, 0.45, 0.45, 0.45)])
    page = open_tab(site + PATH, width=844, height=390, reduced_motion="reduce").page
    assert room_of(page)["shade"] < 0.5 * 844, "what they stand on ends before the middle of a face"
    begin = {x for x, _ in page.locator(".ground").evaluate_all(GROUNDS)[1:]}
    assert len(begin) == 1, "the end stands beside a face as every scene does"
    insets = {"left": 47, "right": 47, "top": 0, "bottom": 21}
    page.context.new_cdp_session(page).send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    room = room_of(page)
    assert room["left"] >= 47 and room["brand"] >= 47 and room["rail"] <= 844 - 47


def test_a_long_title_leaves_room_for_words_and_lines_of_japanese_end_between_phrases(site, scenes, open_tab):
    scenes(*[{"title": "", "text": "Go on."}] * 3, title="The unreasonably long title of a capsule " * 4)
    page = open_tab(site + PATH, reduced_motion="reduce").page
    for size in ((1440, 900), (320, 568)):
        resize(page, *size)
        assert room_of(page)["high"] <= 0, size

    page.evaluate("() => { document.documentElement.lang = 'ja' }")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).wordBreak") == "auto-phrase"


#: How far the picture of a scene is from each edge of the window, and from the marks of the scenes.
AROUND = """(number) => {
  const scene = document.getElementById(`scene-${number}`);
  scene.scrollIntoView({ behavior: "instant" });
  const [shot, rail] = [scene.querySelector(".shot"), document.querySelector(".rail [aria-current]")]
    .map((one) => one.getBoundingClientRect());
  const tools = document.querySelector(".masthead .tools").getBoundingClientRect();
  const { left, top, right, bottom, width, height } = shot;
  return { width, height, left, right: rail.left - right, top: top - tools.bottom, bottom: innerHeight - bottom };
}"""


SHAPED = """([number, shape]) => {
  const scene = document.getElementById(`scene-${number}`);
  scene.className = scene.className.replace(/\\b(tall|wide)\\d+/, shape);
}"""


def test_on_wide_screens_a_whole_picture_has_room_a_small_one_is_small_and_words_stand_on_a_slow_fade(
    site, scenes, open_tab
):
    focuses = {2: 0.8, 3: 0.2}  # words at the start, and at the end
    scenes(*[{"text": "Go on.", "fit": "contain", "focus": [focuses.get(n, 0.8), 0.5]} for n in range(1, 5)])
    page = open_tab(site + PATH, reduced_motion="reduce").page
    for size in ((844, 390), (1440, 900)):
        resize(page, *size)
        for shape, number in product(["tall50", "wide50"], focuses):
            page.evaluate(SHAPED, [number, shape])
            around = page.evaluate(AROUND, number)
            room = min(around[edge] for edge in ("left", "right", "top", "bottom"))
            assert room >= 4, (size, shape, number, around)

    size = {"width": 160, "height": 90}
    jpeg = {**Bake.objects.get().content["scenes"][2]["still"]["landscape"]["jpeg"][0], **size}
    scenes(*[{"text": "Go on.", "still": {"landscape": {"jpeg": [jpeg]}}}] * 3)
    page.goto(site + PATH)
    for size in [(390, 844), (844, 390), (1440, 900)]:
        resize(page, *size)
        around = page.evaluate(AROUND, 2)
        assert around["width"] <= 320 and around["height"] <= 181, (size, around)

    rows = dict(enumerate(product(["top", "middle", "bottom"], [("right", 0.8), ("left", 0.2)]), start=2))
    beside = [{"text": "Go on.", "place": place, "focus": [x, 0.5]} for place, (_, x) in rows.values()]
    scenes(beside[0], *beside, beside[-1])
    page.goto(site + PATH)
    for number, (place, (side, _)) in rows.items():
        style = f"getComputedStyle(document.querySelector('#scene-{number} .ground'), '::before')"
        reach = page.evaluate(f"{style}.{side}")
        assert -float(reach.removesuffix("px")) > 0.2 * 1440, (place, side)


GROUP = """(number) => {
  const scene = document.getElementById(`scene-${number}`);
  scene.scrollIntoView({ behavior: "instant" });
  const [shot, text, bar] = [scene.querySelector(".shot"), scene.querySelector(".text"),
    document.querySelector(".masthead")].map((one) => one.getBoundingClientRect());
  const rail = document.querySelector(".rail").getBoundingClientRect();
  return { above: shot.top - bar.bottom, between: text.top - shot.bottom, below: rail.top - text.bottom };
}"""


def test_on_a_phone_a_whole_picture_and_its_words_stand_in_the_middle(site, scenes, open_tab):
    texts = {2: "Go on.", 3: TEXT[:130], 4: TEXT * 2}
    whole = [{"title": "", "text": texts.get(n, "Go on."), "fit": "contain"} for n in range(1, 6)]
    scenes(*whole)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    for number, shape in product(texts, ("wide25", "wide50", "wide67", "tall80")):
        page.evaluate(SHAPED, [number, shape])
        group = page.evaluate(GROUP, number)
        where = f"scene {number}, {shape}"
        assert 0 < group["between"] < 60 and group["above"] > -8, (where, group)
        assert group["below"] > 0, f"{where}: words of which there are not too many are seen at once"
        assert group["below"] < max(200, 2 * group["above"]), f"{where}: no empty lower half"


def test_only_dark_themes_shade_the_head_of_a_picture_and_the_name_is_seen_in_large_text(
    site, scenes, open_tab
):
    scenes(*[{"text": "Go on."}] * 3)
    options = {"width": 390, "height": 844, "reduced_motion": "reduce", "bypass_csp": True}
    page = open_tab(site + PATH, **options).page
    page.add_style_tag(content="html { font-size: 200% }")
    for theme, is_dark in {"night": True, "ink": True, "day": False, "paper": False}.items():
        look = {"theme": theme, "accent": None, "face": "serif"}
        page.evaluate("(look) => { document.documentElement.className = look }", classes(look))
        shade, ground = page.evaluate("""() => [
          getComputedStyle(document.querySelector(".masthead"), "::before").content,
          getComputedStyle(document.querySelector(".brand")).backgroundColor,
        ]""")
        assert (shade != "none", ground == "rgba(0, 0, 0, 0)") == (is_dark, is_dark), theme
        name = page.locator(".brand bdi")
        width, high, lines = name.evaluate("(one) => [one.clientWidth, one.clientHeight, one.scrollHeight]")
        assert width >= 90 and lines <= high, f"{theme}: all of it"
        assert page.locator(".tools button:visible").last.bounding_box()["x"] + 44 <= 390, theme
