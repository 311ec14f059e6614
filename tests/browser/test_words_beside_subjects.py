"""Words that have no place of their own leave what a picture is about to be seen, on every screen."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from playwright.sync_api import Page

from capsules.demo import pictures, stories
from capsules.painter.crops import crop_box
from publishing.models import Bake
from publishing.pages.files import page_files
from tests.browser.test_contrast import turn
from tests.support.scenes import STILL
from tests.support.subjects import BOXES

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/north-shore/small-voyages"
SIZES = {
    "": [(390, 844), (360, 740), (375, 600), (768, 1024), (1440, 900)],
    "/embed": [(280, 350), (800, 450)],
}

#: Of the words of a scene and of its picture as it is drawn: boxes in pixels of the window, and the picture's shape.
#: Nothing while the picture loads: a window of another shape takes another file of it.
DRAWN = """(number) => {
  const scene = document.getElementById(`scene-${number}`);
  const picture = scene.querySelector(".shot img");
  if (!picture.complete || picture.naturalWidth < 3) return null;
  const { x: left, y: top } = scene.getBoundingClientRect();
  const within = ({ x, y, width, height }) => [x - left, y - top, x + width - left, y + height - top];
  const lines = [...scene.querySelectorAll("h1, .summary, .byline, .kicker, .text p, .hint, .row > *")]
    .filter((one) => one.offsetHeight > 1 && !one.matches(".visually-hidden"))
    .map((one) => { const range = document.createRange(); range.selectNodeContents(one); return range; })
    .flatMap((range) => [...range.getClientRects()]).filter(({ width }) => width > 1).map(within);
  const shot = scene.querySelector(".shot");
  const probe = document.createElement("i");
  probe.style.cssText = "position: absolute; top: var(--cy); left: var(--cx)";
  shot.append(probe);
  const aim = [probe.offsetLeft / shot.clientWidth, probe.offsetTop / shot.clientHeight];
  probe.remove();
  const rail = document.querySelector(".rail, .progress").getBoundingClientRect();
  const fits = rail.width > innerWidth / 2 && scene.offsetHeight <= innerHeight;
  return { lines, aim, shot: within(shot.getBoundingClientRect()),
    size: [picture.naturalWidth, picture.naturalHeight],
    rail: fits ? [rail.x, rail.y, rail.right, rail.bottom] : null };
}"""

#: The same of some scenes, each once the window is at it and its picture is there.
AT_SCENES = f"""async (numbers) => {{
  const drawn = {DRAWN};
  const all = [];
  for (const number of numbers) {{
    document.getElementById(`scene-${{number}}`).scrollIntoView({{ behavior: "instant" }});
    let found = null;
    for (let frame = 0; frame < 1200 && !(found = drawn(number)); frame += 1) await new Promise(requestAnimationFrame);
    if (!found) throw new Error(`no picture in scene ${{number}}`);
    all.push(found);
  }}
  return all;
}}"""


def shown(box: tuple[float, ...], focus: tuple[float, float], drawn: dict[str, Any]) -> list[float]:
    """A part of a picture in pixels of the window; of its portrait crop, where that is drawn."""
    size, shot = drawn["size"], drawn["shot"]
    if size[0] < size[1]:
        left, top, right, bottom = crop_box((1600, 900), 9 / 16, focus)
        sides = [(left, right - left), (top, bottom - top)]
        box = tuple(
            (part * (1600, 900)[axis % 2] - sides[axis % 2][0]) / sides[axis % 2][1]
            for axis, part in enumerate(box)
        )
    room = (shot[2] - shot[0], shot[3] - shot[1])
    scale = max(room[0] / size[0], room[1] / size[1])
    cut = [size[axis] * scale - room[axis] for axis in (0, 1)]
    return [
        shot[axis % 2] + part * size[axis % 2] * scale - drawn["aim"][axis % 2] * cut[axis % 2]
        for axis, part in enumerate(box)
    ]


def covered(lines: list[list[float]], box: list[float]) -> bool:
    return any(
        line[0] < box[2] and box[0] < line[2] and line[1] < box[3] and box[1] < line[3] for line in lines
    )


def told(content: dict[str, Any], scenes: list[dict[str, Any]], **fields: object) -> None:
    """Gives the live bake these scenes, with the picture that it has."""
    base = {**content["scenes"][2], "place": "auto", "size": "auto", "fit": "auto"}
    last = len(scenes) - 1
    made = [{**base, **scene, "finale": number == last} for number, scene in enumerate(scenes)]
    Bake.objects.update(content={**content, **fields, "scenes": made})
    page_files().drop_all()
    cache.clear()


def demo_scenes(story) -> list[dict[str, Any]]:
    return [
        {
            "title": scene.title,
            "text": scene.text,
            "focus": list(pictures.FOCUS[scene.picture]),
            **({"subject": list(BOXES[scene.picture])} if scene.picture in BOXES else {}),
        }
        for scene in story.scenes
    ]


def faults(page, size: tuple[int, int], scenes: list[dict[str, Any]]) -> list[str]:
    found = []
    width, height = size
    found_there = page.evaluate(AT_SCENES, list(range(1, len(scenes) + 1)))
    for number, (scene, drawn) in enumerate(zip(scenes, found_there, strict=True), start=1):
        (x, y), focus = scene["focus"], tuple(scene["focus"])
        if covered(drawn["lines"], shown((x - 0.01, y - 0.01, x + 0.01, y + 0.01), focus, drawn)):
            found.append(f"scene {number}: the point {focus}")
        box = shown(tuple(scene.get("subject", (x, y, x, y))), focus, drawn)
        room = min(line[1] for line in drawn["lines"]) if width < height else height
        if (
            covered(drawn["lines"], box) and box[3] - box[1] < room
        ):  # what is higher than that cannot be whole
            found.append(f"scene {number}: the box {scene.get('subject')}")
        if drawn["rail"] and covered(drawn["lines"], drawn["rail"]):
            found.append(f"scene {number}: words under the marks")
    return found


def faults_anywhere(page, address: str, scenes: list[dict[str, Any]], views=SIZES) -> list[str]:
    """On screens and in embeds of every size."""
    found = []
    devtools = page.context.new_cdp_session(page)
    for ending, sizes in views.items():
        page.goto(address + ending)
        for size in sizes:
            turn(page, devtools, *size)
            found += [f"{size}{ending}, {fault}" for fault in faults(page, size, scenes)]
    return found


def test_no_scene_of_the_demo_has_words_over_its_subject(site, live_story, open_tab):
    content = Bake.objects.get().content
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    found = {}
    for story in stories.LIVE[:5]:
        scenes = demo_scenes(story)
        told(content, scenes, title=story.title, summary=story.summary)
        found[story.title] = faults_anywhere(page, site + PATH, scenes, {"": [(390, 844), (1440, 900)]})
    assert found == {title: [] for title in found}


EDGES = """() => [...document.querySelectorAll(".ground")].map((ground) => {
  const { left, right } = ground.getBoundingClientRect();
  const shade = getComputedStyle(ground, "::before");
  return left + parseFloat(shade.left) <= 0 && right - parseFloat(shade.right) >= innerWidth;
})"""


def test_what_few_words_stand_on_has_no_edge_on_an_upright_screen(site, live_story, open_tab):
    places = {"auto": "Hm.", "top": "He waits.", "middle": "Sea."}
    scenes = [{"title": "", "text": text, "place": place} for place, text in places.items()]
    told(Bake.objects.get().content, scenes)
    page = open_tab(site + PATH, width=390, height=844, reduced_motion="reduce").page
    for width, height in ((390, 844), (768, 1024)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(EDGES) == [True] * 3, width


def test_words_veil_no_picture_beside_them_on_a_wide_screen(site, live_story, open_tab):
    content = Bake.objects.get().content
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    for theme, fit in (("night", "contain"), ("paper", "cover")):
        told(content, [{"title": "", "text": "He waits.", "fit": fit}] * 2, look={"theme": theme})
        page.goto(site + PATH)
        page.evaluate(STILL)
        # More than one look: a browser that is busy draws the edges in a picture roughly at first.
        looks = (beside_the_words(page, fit) for _ in range(5))
        assert any(seen == without for seen, without in looks), (theme, fit)


def beside_the_words(page: Page, fit: str) -> list[bytes]:
    """What is drawn there with the words and without them."""
    of_picture, of_words = (page.locator(f"#scene-1 {part}").bounding_box() for part in (".shot", ".ground"))
    beside = of_picture
    if fit == "cover":  # beyond the soft edge of the paper that they stand on
        left = of_words["x"] + of_words["width"] + 96
        beside = {"x": left, "y": 0, "width": 1440 - left, "height": 900}
    seen = page.screenshot(clip=beside)
    hidden = page.add_style_tag(content=".words { visibility: hidden }")
    without = page.screenshot(clip=beside)
    hidden.evaluate("(style) => style.remove()")
    return [seen, without]


FACES = [
    (0.35, 0.15, 0.65, 0.5), (0.1, 0.3, 0.32, 0.62), (0.7, 0.1, 0.85, 0.35), (0.6, 0.5, 0.85, 0.85),
    (0.15, 0.55, 0.35, 0.9), (0.42, 0.55, 0.58, 0.8), (0.3, 0.35, 0.7, 0.6),
]  # fmt: skip
TEXTS = ["Two friends.", "They had not met for eleven years, and neither had learned to be on time. " * 2]


def test_words_leave_faces_wherever_they_are(site, live_story, open_tab):
    content = Bake.objects.get().content
    scenes = [
        {
            "title": "",
            "text": text,
            "subject": list(box),
            "focus": [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2],
        }
        for text in TEXTS
        for box in FACES
    ]
    told(content, [{**scenes[0]}, *scenes, {**scenes[0]}], title="A", summary="")
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    assert faults_anywhere(page, site + PATH, [scenes[0], *scenes]) == []
