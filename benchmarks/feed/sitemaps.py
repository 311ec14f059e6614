"""The sitemap of everything: time, peak memory, validity, and a request while it is there."""

from __future__ import annotations

import gzip
import resource
import subprocess
import sys
import time
from xml.etree import ElementTree

from django.test import Client

from benchmarks.feed.build import HIDDEN
from capsules import storage
from feed import sitemap
from feed.models import SitemapChange, SitemapSection
from tests.support.sitemaps import SITEMAP, check_index, check_url


def write() -> None:
    """In a process of its own, so that the peak is the writer's alone."""
    began = time.perf_counter()
    while sitemap.write_changed():
        pass
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sections = SitemapSection.objects.count()
    print(f"\nsitemap: {sections} sections in {time.perf_counter() - began:.0f} s, peak {peak:.0f} MB")


def measure(listed: int) -> None:
    subprocess.run([sys.executable, "-m", "benchmarks.feed", "--write-sitemap"], check=True)
    addresses = {address for section in SitemapSection.objects.all() for address in valid(section)}
    numbers = {int(address.rpartition("-")[2]) for address in addresses if "capsule-" in address}
    assert numbers == set(range(1, listed + 1)), "every listed capsule once"
    assert not numbers & set(range(listed + 1, listed + 2 * HIDDEN + 1)), "no hidden one"
    print(
        f"  every section is valid; {len(addresses):,} addresses, none twice, none of the {2 * HIDDEN:,} hidden ones"
    )
    SitemapChange.objects.create(publication_id=listed // 2)
    began = time.perf_counter()
    sitemap.write_changed()
    print(f"  one changed section written again in {time.perf_counter() - began:.1f} s")
    request(Client())


def valid(section: SitemapSection) -> list[str]:
    """The addresses of a section, each entry checked strictly."""
    found = []
    with storage.blobs().open(section.name) as file, gzip.GzipFile(fileobj=file) as xml:
        for _, element in ElementTree.iterparse(xml):  # noqa: S314  (our own)
            if element.tag == f"{SITEMAP}url":
                found.append(check_url(element)[0])
                element.clear()
    assert len(found) == section.addresses == len(set(found))
    return found


def request(client: Client) -> None:
    began = time.perf_counter()
    index = check_index(ElementTree.fromstring(client.get("/sitemap.xml").content))  # noqa: S314
    middle = time.perf_counter()
    path = index[1].partition("/sitemaps")[2]
    size = sum(map(len, client.get(f"/sitemaps{path}", headers={"Accept-Encoding": "gzip"})))
    print(f"  request: index {(middle - began) * 1000:.0f} ms, a section ({size / 1e6:.1f} MB) "
          f"{(time.perf_counter() - middle) * 1000:.0f} ms")  # fmt: skip
