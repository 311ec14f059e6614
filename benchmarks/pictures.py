"""What readers get of each live capsule: `python -m benchmarks.pictures [ADDRESS] [PART OF A PATH]`, with `make run`.

On phones, tablets, desks and in embeds, scene by scene: whether two pictures are ever seen at once (frames of several
seconds beside the same moment with one layer), whether the first moving frame is the still, and whether the focus
stands above the words; on a phone also sharpness, bytes on the wire, the first picture, LCP at Slow 4G, and frames that
are dropped by a processor four times slower. Prints a table; exit status 1 where an aim (LIMITS) is missed. It needs
a quiet machine: nothing is measured while the load is above CALM.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from PIL import Image, ImageChops, ImageFilter, ImageStat
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.support.chromium import CHROMIUM, FLAGS

CALM = 4.0
#: As a phone draws films. Without a graphics processor, Chromium takes their blue up to 5 of 255 too light (libyuv).
GRAPHICS = ["--use-angle=swiftshader", "--ignore-gpu-blocklist"]
SIZES = {
    "phone": ("", 390, 844, 3),
    "small": ("", 375, 600, 2),
    "tablet": ("", 768, 1024, 2),
    "desk": ("", 1440, 900, 1),
    "embed 280": ("/embed", 280, 350, 2),
    "embed 800": ("/embed", 800, 450, 1),
}
MOMENTS = (0, 700, 1500, 2300, 3000, 4200)  # milliseconds of a film or of the camera's way
LIMITS = {
    "two pictures": 0.02, "jump": 0.01, "blur": 0.1, "under words": 0, "first picture": 60_000, "lcp": 1200,
    "dropped": 0.05,
}  # fmt: skip
ROOM = 100_000  # bytes of a page, and again of each of its scenes; of capsules without films
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 204_800, "uploadThroughput": 96_000}
LCP = """() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
  .observe({type: "largest-contentful-paint", buffered: true}))"""
FRAMES = """() => new Promise((done) => {
  let count = 0;
  const start = performance.now();
  const next = (now) => {
    if (now - start > 3000) return done(count / (now - start) * 1000);
    count += 1;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
HIDE = ".words, .masthead, .rail, .bar, .steps { visibility: hidden !important }"
#: One layer: of a film its own, else the still, and what stands around a whole picture with either.
FILM_ALONE = ".filmed img { visibility: hidden !important }"
STILL_ALONE = ".shot img { opacity: 1 !important } .shot video { display: none !important }"
GO = "(number) => document.getElementById(`scene-${number}`).scrollIntoView({behavior: 'instant'})"
LOADED = "(n) => { const i = document.querySelector(`#scene-${n} .shot img`); return i.complete && i.naturalWidth > 2 }"
#: A picture that is here may still wait to be decoded; until then its place has its colour.
DRAWN = """async (number) => {
  await document.querySelector(`#scene-${number} .shot img`).decode();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
#: Holds what moves in a scene at a moment; returns whether it is a film.
HOLD = """async ([number, moment]) => {
  const scene = document.getElementById(`scene-${number}`);
  const film = scene.querySelector("video");
  if (!film) {
    for (const move of scene.querySelector(".shot img").getAnimations()) { move.pause(); move.currentTime = moment; }
    return false;
  }
  film.pause();
  const wanted = Math.min(moment / 1000, film.duration - 0.1);
  if (film.currentTime !== wanted) {
    const shown = new Promise((done) => film.requestVideoFrameCallback(done));
    film.currentTime = wanted;
    await shown;
  }
  return true;
}"""
FOCUS = """(number) => {
  const scene = document.getElementById(`scene-${number}`);
  const shot = scene.querySelector(".shot");
  const probe = document.createElement("i");
  probe.style.cssText = "position: absolute; top: var(--cy); left: 0";
  shot.append(probe);
  const focus = probe.getBoundingClientRect().top;
  probe.remove();
  const words = [...scene.querySelectorAll("h1, .summary, .byline, .kicker, .text")];
  const tops = words.filter((one) => one.offsetHeight > 1).map((one) => one.getBoundingClientRect().top);
  return [focus, Math.min(...tops)];
}"""


@dataclass
class Wire:
    """Bytes as they came, by kind of what was asked for."""

    kinds: dict[str, str] = field(default_factory=dict)
    bytes: dict[str, float] = field(default_factory=dict)
    first_picture: float = 0

    def listen(self, cdp: CDPSession) -> None:
        cdp.send("Network.enable")
        cdp.on("Network.responseReceived", lambda told: self.kinds.update({told["requestId"]: told["type"]}))
        cdp.on("Network.loadingFinished", self.count)

    def count(self, told: dict[str, Any]) -> None:
        kind = self.kinds.get(told["requestId"], "Other")
        self.bytes[kind] = self.bytes.get(kind, 0) + told["encodedDataLength"]
        if kind == "Image" and not self.first_picture:
            self.first_picture = told["encodedDataLength"]


def live_paths() -> list[str]:
    told = subprocess.run([sys.executable, "manage.py", "demo", "--json"], check=True, capture_output=True)
    return [story["url"] for story in json.loads(told.stdout)["stories"] if story["state"] == "live"]


def drawn(page: Page, *styles: str) -> Image.Image:
    tags = [page.add_style_tag(content=style) for style in (HIDE, *styles)]
    shot = page.screenshot()
    for tag in tags:
        tag.evaluate("(element) => element.remove()")
    return Image.open(io.BytesIO(shot)).convert("RGB")


def difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference of two pictures, 0 to 1."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3 / 255


def edges(picture: Image.Image) -> float:
    return float(ImageStat.Stat(picture.convert("L").filter(ImageFilter.FIND_EDGES)).mean[0])


def scene_measures(page: Page, number: int) -> dict[str, float]:
    """The worst of one scene over MOMENTS."""
    page.evaluate(GO, number)
    page.wait_for_function(LOADED, arg=number, timeout=30_000)
    page.evaluate(DRAWN, number)
    if page.locator(f"#scene-{number} video").count():
        page.wait_for_selector(f"#scene-{number} .filmed", timeout=30_000)
    two, first, is_film = 0.0, None, False
    for moment in MOMENTS:
        is_film = page.evaluate(HOLD, [number, moment])
        frame = drawn(page)
        first = first or frame
        two = max(two, difference(frame, drawn(page, FILM_ALONE if is_film else STILL_ALONE)))
    page.evaluate(HOLD, [number, 0])
    still = drawn(page, STILL_ALONE)
    assert first is not None
    focus, words = page.evaluate(FOCUS, number)
    is_tall = page.viewport_size and page.viewport_size["width"] < page.viewport_size["height"]
    return {
        "two pictures": two,
        "jump": difference(first, still),
        "blur": max(0.0, 1 - edges(first) / max(edges(still), 0.01)),
        "under words": float(bool(is_tall and focus > words)),
    }


def measured(browser: Browser, url: str, size: str) -> dict[str, float]:
    """Of one capsule on one screen: the worst of its scenes, and its bytes."""
    ending, width, height, scale = SIZES[size]
    viewport = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, device_scale_factor=scale, bypass_csp=True)
    page, wire = context.new_page(), Wire()
    wire.listen(context.new_cdp_session(page))
    page.goto(url + ending, wait_until="networkidle")
    scenes = page.locator(".scene").count()
    each = [scene_measures(page, number) for number in range(1, scenes + 1)]
    worst = {name: max(one[name] for one in each) for name in each[0]}
    if size != "phone":
        del worst["blur"]
    page.wait_for_load_state("networkidle")
    if size == "phone" and not wire.bytes.get("Media"):
        worst["bytes of room"] = sum(wire.bytes.values()) / (ROOM * (1 + scenes))
    worst["kB"] = sum(wire.bytes.values()) / 1000
    context.close()
    return worst


def hurried(browser: Browser, url: str) -> dict[str, float]:
    """A phone on a slow line, then one with a slow processor."""
    viewport = {"width": 390, "height": 844}
    context = browser.new_context(viewport=viewport, device_scale_factor=3, bypass_csp=True)
    page, wire = context.new_page(), Wire()
    cdp = context.new_cdp_session(page)
    wire.listen(cdp)
    cdp.send("Network.emulateNetworkConditions", SLOW_4G)
    page.goto(url, wait_until="load")
    lcp = page.evaluate(LCP)
    cdp.send("Network.emulateNetworkConditions", {**SLOW_4G, "latency": 0, "downloadThroughput": -1})
    page.wait_for_load_state("networkidle")
    usual = page.evaluate(FRAMES)
    cdp.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    dropped = max(0.0, 1 - page.evaluate(FRAMES) / usual)
    context.close()
    return {"lcp": lcp, "first picture": wire.first_picture, "dropped": dropped}


def missed(told: dict[str, float]) -> list[str]:
    over = [name for name, most in LIMITS.items() if told.get(name, 0) > most]
    return over + (["bytes"] if told.get("bytes of room", 0) > 1 else [])


def main() -> int:
    address = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    if os.getloadavg()[0] > CALM:
        print(
            f"The load is {os.getloadavg()[0]:.1f}: what is measured would be the machine. Try again later."
        )
        return 2
    broken = 0
    with sync_playwright() as playwright:
        flags = [flag for flag in FLAGS if flag != "--disable-gpu"]
        drawing = playwright.chromium.launch(executable_path=CHROMIUM, args=[*flags, *GRAPHICS])
        plain = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for path in (path for path in live_paths() if part in path):
            rows = {size: measured(drawing, address + path, size) for size in SIZES}
            rows["slow phone"] = hurried(plain, address + path)
            print(path)
            for name, told in rows.items():
                broken += bool(missed(told))
                figures = "  ".join(f"{key} {value:.3g}" for key, value in told.items())
                print(f"  {name:<11}{figures}{'  MISSED: ' if missed(told) else ''}{', '.join(missed(told))}")
        drawing.close()
        plain.close()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
