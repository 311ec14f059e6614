"""Which programs tell by their names that nobody reads what they open."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from crawlerdetect import CrawlerDetect  # type: ignore[import-untyped]

LONGEST_AGENT = 300  # characters of a name that are looked at: what a pattern costs grows with them
MOST_AGENTS = 1000  # whose names are remembered
#: What crawlerdetect takes for a browser.
MORE_NAMES = re.compile(r"headless|prerender|cardyb|preview|skype|monitor|uptime|^$", re.IGNORECASE)


def is_robot(agent: str) -> bool:
    """By the User-Agent header."""
    return is_known(agent[:LONGEST_AGENT])


@lru_cache(MOST_AGENTS)
def is_known(agent: str) -> bool:
    return bool(MORE_NAMES.search(agent.strip())) or bool(known_names().is_crawler(agent))


@cache
def known_names() -> CrawlerDetect:
    return CrawlerDetect()
