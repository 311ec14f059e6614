"""Names that people know for the browser and the device of a User-Agent header."""

from __future__ import annotations

#: The first mark that the header contains counts: most browsers also claim to be Chrome, and Chrome to be Safari.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("OPiOS/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("YaBrowser/", "Yandex Browser"),
    ("Vivaldi/", "Vivaldi"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chrome"),
    ("Safari/", "Safari"),
)
DEVICES = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "Chromebook"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)
UNKNOWN = "Unknown browser"


def browser_name(agent: str) -> str:
    """What a session page shows: "Safari on iPhone", or "Unknown browser" for whatever is none that we know."""
    browser = named(BROWSERS, agent)
    if not browser or not agent.startswith("Mozilla/"):
        return UNKNOWN
    device = named(DEVICES, agent)
    return f"{browser} on {device}" if device else browser


def named(names: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for mark, name in names if mark in agent), "")
