"""Whether the stage of the editor is what readers get: `python -m benchmarks.stage [ADDRESS]`, with `make run` running.

Compares, pixel by pixel, every scene of every live demo capsule in the frame of the editor and on its page, at the size
of a desk and of a phone. Exit status 1 where one differs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from PIL import ImageChops
from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.scenes import scenes_of

SIZES = [(1280, 720), (390, 844)]


def live_capsules() -> list[dict[str, Any]]:
    told = subprocess.run([sys.executable, "manage.py", "demo", "--json"], check=True, capture_output=True)
    return [story for story in json.loads(told.stdout)["stories"] if story["state"] == "live"]


def signed_in(browser: Browser, address: str, width: int, height: int) -> Page:
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, reduced_motion="reduce", bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}/account/login/")
    page.get_by_label("Email").fill("owner@north-shore.example")
    page.locator("input[name=password]").fill("demo-only")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/login" not in url)
    return page


def main(address: str) -> int:
    equal = seen = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for width, height in SIZES:
            page = signed_in(browser, address, width, height)
            for story in live_capsules():
                stage = list(scenes_of(page, f"{address}/studio/stories/{story['id']}/frame"))
                live = list(scenes_of(page, address + story["url"]))
                pairs = zip(stage, live, strict=True)
                differ = [
                    n
                    for n, (one, other) in enumerate(pairs, 1)
                    if ImageChops.difference(one, other).getbbox()
                ]
                equal, seen = equal + len(live) - len(differ), seen + len(live)
                print(
                    f"{width}x{height} {story['title']}: {len(live)} scenes, different: {differ or 'none'}",
                    flush=True,
                )
    print(f"{equal} of {seen} are equal")
    return int(not seen or equal != seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"))
