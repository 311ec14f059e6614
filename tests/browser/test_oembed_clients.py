"""Client libraries that others wrote find the capsule behind a link and understand what they are told."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def test_client_libraries_find_and_understand_it(site, live_story):
    import micawber  # late, with what it brings along: each process of the tests reads this file
    import pyoembed

    link = f"{site}/north-shore/small-voyages"
    discovered = pyoembed.oEmbed(link, maxwidth=500)
    assert (discovered["type"], discovered["title"], discovered["width"]) == ("video", "Small voyages", 500)

    registry = micawber.ProviderRegistry()
    registry.register(rf"{site}/[a-z0-9-]+/[a-z0-9-]+", micawber.Provider(f"{site}/oembed"))
    asked = registry.request(link, maxwidth=500)
    assert asked["html"] == discovered["html"]
    _, found = micawber.extract(f"Read {link} tonight", registry)
    assert found[link]["type"] == "video"
