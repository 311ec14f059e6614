"""How a look is drawn: classes for a policy that admits no inline style, and an accent that can be read.

`static/studio/accent.js` does the sums of `legible` for the editor.
"""

from __future__ import annotations

from capsules.content import Look
from capsules.painter.colour import luminance
from capsules.templatetags.blobs import colour as colour_classes
from config.json_types import JsonMapping

DARK_THEMES = ("night", "ink")
#: The luminance of the ground that is worst for an accent: the brightest of dark themes, the darkest of light ones.
GROUNDS = {"night": 0.055, "ink": 0.03, "day": 0.62, "paper": 0.58}
CONTRAST = 4.8  # a little more than 4.5, because a picture shines through
STEPS = 50
LIGHT_GROUNDS = {"day": "#f6f3f0", "paper": "#f3e9d8"}  # of the browser around the page
FONTS = {
    "serif": "fonts/fraunces-latin-wght-normal.woff2",
    "sans": "fonts/inter-latin-wght-normal.woff2",
    "slab": "fonts/roboto-slab-latin-wght-normal.woff2",
}
FEW, MANY = 48, 320  # characters: a line of about eight words, a paragraph


def legible(accent: str, theme: str) -> str:
    """The accent itself, or what it becomes until it stands out from the theme's ground: #rrggbb."""
    target = 255 if theme in DARK_THEMES else 0
    own = bytes.fromhex(accent.removeprefix("#"))
    for step in range(STEPS + 1):
        mixed = [round(part + (target - part) * step / STEPS) for part in own]
        shown = tuple(part // 8 * 8 + 4 for part in mixed)  # as the classes of looks.css have it
        if contrast(luminance(shown), GROUNDS[theme]) >= CONTRAST:
            break
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def classes(look: Look) -> str:
    """The classes of a page's root element: theme, typeface, accent."""
    found = [f"theme-{look['theme']}", f"face-{look['face']}"]
    if look["accent"]:
        shown = legible(look["accent"], look["theme"])
        bright = luminance(tuple(bytes.fromhex(shown[1:]))) > 0.18
        found += ["accented", "accent-bright" if bright else "accent-deep", colour_classes(shown)]
    return " ".join(found)


def size_of(scene: JsonMapping) -> str:
    """How large the words of a scene stand: large, small, or "usual" between a line and a paragraph."""
    if scene["size"] != "auto":
        return str(scene["size"])
    text = scene["text"].strip()
    if len(text) <= FEW and "\n" not in text:
        return "large"
    return "small" if len(text) > MANY else "usual"
