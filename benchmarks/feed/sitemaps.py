"""The sitemap of everything: how long index and sections take, and whether they are valid and complete."""

from __future__ import annotations

import statistics
import time
from xml.etree import ElementTree

from django.test import Client

from benchmarks.feed.build import HIDDEN
from tests.support.sitemaps import check_index, check_urlset


def measure(listed: int) -> None:
    took, index = timed("/sitemap.xml")
    sections = [
        timed(path) for path in (address[address.index("/sitemaps") :] for address in check_index(index))
    ]
    addresses = [address for _, section in sections for address in check_urlset(section)]
    numbers = [int(address.rpartition("-")[2]) for address in addresses if "capsule-" in address]
    assert sorted(numbers) == list(range(1, listed + 1)), "every listed capsule once, and no hidden one"
    times = [seconds * 1000 for seconds, _ in sections]
    print(
        f"\nsitemap: index {took * 1000:.0f} ms; {len(sections)} sections, median {statistics.median(times):.0f}, "
        f"slowest {max(times):.0f} ms; all valid, none of the {2 * HIDDEN:,} hidden capsules"
    )


def timed(path: str) -> tuple[float, ElementTree.Element]:
    began = time.perf_counter()
    body = Client().get(path).content
    return time.perf_counter() - began, ElementTree.fromstring(body)  # noqa: S314  (our own)
