"""Every text of the demo can be read over its picture: contrast measured on the pixels that the browser draws."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import uuid
from dataclasses import replace
from functools import cache

import pytest
from django.db import connection
from django.utils import timezone
from PIL import Image
from playwright.sync_api import CDPSession, Page

from capsules import storage
from capsules.demo.pictures import FOCUS, file_of
from capsules.demo.stories import LIVE, DemoStory
from capsules.models import Story
from capsules.painter import crops
from capsules.painter.colour import ambient, luminance
from publishing.models import Bake, Publication
from tests.browser.waiting import drawn_twice

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite", reason="pixels do not depend on the database: measured on SQLite"
    ),
]
DOT = 3  # pixels of the window that are drawn as one dot: their average
VIEWS = {"": [(1440, 900), (390, 844), (844, 390)], "/embed": [(640, 360)]}
PLACES, SIZES = ("top", "middle", "bottom"), ("auto", "large", "small")
LOOKS = [  # each with an accent that could not be read as it is
    {"theme": "night", "accent": "#402010", "face": "sans"},
    {"theme": "day", "accent": "#ffe14d", "face": "slab"},
    {"theme": "paper", "accent": "#9fd8ff", "face": "serif"},
    {"theme": "ink", "accent": "#1020a0", "face": "sans"},
]
NORMAL, LARGE = 4.5, 3.0  # WCAG 2.2, success criterion 1.4.3

#: Goes to a scene; returns every line of text that can be seen there: its box on the page, colour and size.
LINES = """async (number) => {
  const scene = document.getElementById(`scene-${number}`), deck = document.querySelector('.deck');
  if (deck) deck.scrollTo({left: scene.offsetLeft, behavior: 'instant'});
  else scene.scrollIntoView({behavior: 'instant'});
  const picture = scene.querySelector('img');
  for (let frame = 0; !picture.complete && frame < 1200; frame += 1) await new Promise(requestAnimationFrame);
  await picture.decode();
  await document.fonts.ready;

  const isClipped = (it) => Boolean(it) && (getComputedStyle(it).clipPath !== 'none' || isClipped(it.parentElement));
  const lines = [], rail = document.querySelector('.rail')?.getBoundingClientRect();
  const marks = rail && rail.width > innerWidth / 2 ? rail.top : innerHeight; // at the foot of narrow pages
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode, element = node.parentElement, style = getComputedStyle(element);
    if (!node.textContent.trim() || style.visibility === 'hidden' || element.closest('script, .toast')) continue;
    if (element.closest('[aria-disabled=true]') || isClipped(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    for (const box of range.getClientRects()) {
      if (box.width < 4 || box.top < 0 || box.left < 0 || box.bottom > marks || box.right > innerWidth) continue;
      // Words that go by under the marks of the scenes, be it with an edge alone, are not read there.
      const points = [box.top + 1, box.top + box.height / 2, box.bottom - 1];
      const seen = points.map((y) => document.elementFromPoint(box.left + box.width / 2, y));
      if (!seen.every((each) => each && (element.contains(each) || each.contains(element)))) continue;
      if (isClipped(seen[1])) continue;
      const {left, top, right, bottom} = box;
      lines.push({text: node.textContent.trim().slice(0, 40),
                  box: [left + scrollX, top + scrollY, right + scrollX, bottom + scrollY],
                  colour: style.color.match(/[0-9.]+/g).slice(0, 3).map(Number),
                  large: size >= 24 || (bold && size >= 18.66)});
    }
  }
  return JSON.stringify(lines);  // which Playwright hands over as it is
}"""
#: Words are not drawn, while their colour can still be asked for.
BARE = (
    "*, ::before, ::after { -webkit-text-fill-color: transparent !important; text-shadow: none !important }"
)


@cache
def picture(name: str) -> dict:
    """The baked form of a demo picture, as JPEG alone, with two pixels for each dot that is drawn of it at most."""
    whole = Image.open(file_of(name)).convert("RGB").reduce(2)
    box = crops.crop_box(whole.size, 9 / 16, FOCUS[name])
    portrait = whole.crop(tuple(round(side) for side in box))
    still = {
        "landscape": {"jpeg": [stored(whole)]},
        "portrait": {"jpeg": [stored(portrait)]},
    }
    return {"still": still, "colour": ambient(portrait)}


def stored(image: Image.Image) -> dict:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=82)
    digest = hashlib.sha256(file.getvalue()).hexdigest()
    path = storage.blobs().path(f"{digest[:2]}/{digest}.jpeg")
    storage.Path(path).parent.mkdir(parents=True, exist_ok=True)
    storage.Path(path).write_bytes(file.getvalue())
    size = {"width": image.width, "height": image.height, "bytes": file.tell()}
    return {"name": f"{digest[:2]}/{digest}.jpeg", "media_type": "image/jpeg", **size}


def publish(demo: DemoStory, workspace, *, varied: bool = False, **look: str | None) -> str:
    """Makes a demo story live without rendering what this test does not look at; returns its path. In what is varied
    words stand at the top, in the middle and at the bottom in turn.
    """
    scenes = [
        {
            "title": scene.title,
            "text": scene.text,
            "alt": scene.alt,
            "focus": list(FOCUS[scene.picture]),
            "finale": scene.finale,
            "film": None,
            **picture(scene.picture),
            **({"place": PLACES[index % 3], "size": SIZES[index % 3]} if varied else {}),
        }
        for index, scene in enumerate(demo.scenes)
    ]
    content = {"title": demo.title, "summary": demo.summary, "author": demo.author, "language": demo.language}
    content |= {"cover": 0, "card": None, "scenes": scenes, "look": look}
    story = Story.objects.create(workspace=workspace, title=demo.title, visibility="public")
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    bake = Bake.objects.create(story=story, number=1, digest=digest, content=content)
    publication = Publication.objects.create(
        story=story, slug=f"s-{uuid.uuid4().hex[:12]}", live_bake=bake, published_at=timezone.now()
    )
    return str(publication.path)


def around(lines: list[dict]) -> dict[str, int]:
    """The part of the page that has all these lines: what is outside need not be drawn and packed."""
    left, top = (int(min(line["box"][side] for line in lines) // DOT) for side in (0, 1))
    right, bottom = (int(max(line["box"][side] for line in lines) // DOT) + 1 for side in (2, 3))
    return {"x": left * DOT, "y": top * DOT, "width": (right - left) * DOT, "height": (bottom - top) * DOT}


def worst_contrast(shot: Image.Image, line: dict, area: dict[str, int]) -> float:
    """Of a line's colour against what is behind it, where one dot in 200 may be a star. Less than that where it is
    enough for every dot.
    """
    left, top, right, bottom = ((side - area["xy"[n % 2]]) / DOT for n, side in enumerate(line["box"]))
    behind = shot.crop((int(left), int(top), int(right) + 1, int(bottom) + 1))
    ink = brightness(tuple(line["colour"]))
    ends = [brightness(colour) for colour in zip(*behind.getextrema(), strict=True)]  # no pixel is beyond
    nearest = min(contrast(ink, end) for end in ends)
    if nearest >= NORMAL and not ends[0] <= ink <= ends[1]:
        return nearest
    spared = behind.width * behind.height // 200
    colours = behind.getcolors(behind.width * behind.height)
    for ratio, count in sorted((contrast(ink, brightness(colour)), count) for count, colour in colours):
        spared -= count
        if spared < 0:
            return ratio
    raise AssertionError("a line without pixels")


brightness = cache(luminance)


def contrast(one: float, other: float) -> float:
    light, dark = max(one, other), min(one, other)
    return (light + 0.05) / (dark + 0.05)


def test_every_text_stands_out_from_its_picture(site, north_shore, open_tab):
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    for demo in LIVE:
        look = {"theme": "night", "accent": None, "face": "serif", **(demo.look or {})}
        assert_legible_in_every_view(page, site + publish(demo, north_shore, **look), demo)


def test_every_text_stands_out_in_every_theme_and_place(site, north_shore, open_tab):
    page = open_tab("about:blank", reduced_motion="reduce", bypass_csp=True).page
    for look, story in zip(LOOKS, LIVE, strict=False):
        demo = replace(story, scenes=story.scenes[:3])
        assert_legible_in_every_view(page, site + publish(demo, north_shore, varied=True, **look), demo)


def assert_legible_in_every_view(page: Page, address: str, demo: DemoStory) -> None:
    devtools = page.context.new_cdp_session(page)
    for ending, sizes in VIEWS.items():
        page.goto(address + ending)
        page.add_style_tag(content=BARE)
        for width, height in sizes:
            turn(page, devtools, width, height)
            assert_legible(page, devtools, demo, f"{width} x {height}{ending}")


def turn(page: Page, devtools: CDPSession, width: int, height: int) -> None:
    """Gives the window a size, and has it drawn in dots all the time: pictures of it are not drawn anew."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False, "scale": 1 / DOT}
    devtools.send("Emulation.setDeviceMetricsOverride", metrics)
    drawn_twice(page)


def drawn(devtools: CDPSession, area: dict[str, int]) -> Image.Image:
    """A part of the page in dots."""
    clip = {**area, "scale": 1 / DOT}
    told = devtools.send("Page.captureScreenshot", {"clip": clip, "optimizeForSpeed": True})
    return Image.open(io.BytesIO(base64.b64decode(told["data"]))).convert("RGB")


def assert_legible(page: Page, devtools: CDPSession, demo: DemoStory, view: str) -> None:
    seen: set[str] = set()
    faint = []
    for number in range(1, len(demo.scenes) + 1):
        lines = json.loads(page.evaluate(LINES, number))
        area = around(lines)
        shot = drawn(devtools, area)
        for line in lines:
            seen.add(line["text"])
            ratio = worst_contrast(shot, line, area)
            if ratio < (LARGE if line["large"] else NORMAL):
                faint.append(f"{demo.title}, {view}, scene {number}: {line['text']!r} {ratio:.2f}")
    assert not faint, "\n".join(faint)
    texts = {scene.text.strip()[:40] for scene in demo.scenes}
    assert texts <= seen, f"{demo.title}, {view}: a scene's text was never measured"
