"""The look of a capsule in its mail, where neither custom properties nor fonts of ours can be counted on."""

from __future__ import annotations

from capsules.content import Look
from capsules.painter.colour import luminance
from publishing.looks import DARK_THEMES, legible

#: Night is sent as mails are read: light, and dark where the reader's mail program is. The others are themselves.
COLOURS = {
    "night": ("#f4eee6", "#fffdf9", "#23172f", "#5c4a73", "#9a4a1c", "#ffcf87", "#23172f", "#e6dccf"),
    "day": ("#f6f3f0", "#fffdfb", "#1b1522", "#483f52", "#7a3413", "#7a3413", "#ffffff", "#ddd6d0"),
    "paper": ("#f3e9d8", "#fbf4e7", "#2a1f14", "#54452f", "#7d2d12", "#7d2d12", "#fffaf0", "#e0d2b8"),
    "ink": ("#0a0a0c", "#141417", "#fafaf7", "#c6c6c9", "#f0ede4", "#f0ede4", "#131316", "#33333a"),
}
NAMES = ("page", "sheet", "ink", "soft", "accent", "button", "button_ink", "line")
FACES = {
    "serif": 'Fraunces, Georgia, "Times New Roman", serif',
    "sans": 'Inter, -apple-system, "Segoe UI", Roboto, Arial, sans-serif',
    "slab": '"Roboto Slab", Rockwell, Georgia, serif',
}
NIGHT_ACCENT = "#ffcf87"


def colours_of(look: Look) -> dict[str, str]:
    """What `premiere/mail.css` is filled with. `scheme` is what the mail says of itself; `night_accent`, for dark mail
    programs, is "" in a look that does not change with them.
    """
    theme, accent = look["theme"], look["accent"]
    found = dict(zip(NAMES, COLOURS[theme], strict=True))
    if accent:
        shown = legible(accent, "ink" if theme == "ink" else "day")
        bright = luminance(tuple(bytes.fromhex(shown[1:]))) > 0.18
        found |= {"accent": shown, "button": shown, "button_ink": "#17101f" if bright else "#ffffff"}
    changes = theme == "night"
    return {
        **found,
        "face": FACES[look["face"]],
        "scheme": "light dark" if changes else "dark" if theme in DARK_THEMES else "light",
        "night_accent": (legible(accent, theme) if accent else NIGHT_ACCENT) if changes else "",
    }
