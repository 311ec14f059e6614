"""Names that people know for the browser and the device of a User-Agent header."""

from __future__ import annotations

from django.utils.translation import gettext

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


def browser_name(agent: str) -> str:
    """What a session page shows: "Safari on iPhone", or "Unknown browser" for whatever is none that we know."""
    browser = name_in(BROWSERS, agent)
    if not browser or not agent.startswith("Mozilla/"):
        return gettext("Unknown browser")
    device = name_in(DEVICES, agent)
    return (
        gettext("%(browser)s on %(device)s") % {"browser": browser, "device": device} if device else browser
    )


def name_in(names: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for mark, name in names if mark in agent), "")
