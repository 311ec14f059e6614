"""The sitemap: all that is public, nothing else, in the form that search engines ask for."""

from __future__ import annotations

import gzip
from xml.etree import ElementTree

import pytest

from feed import sitemap
from feed.models import Card
from tests.support import factories
from tests.support.listing import list_capsules
from tests.support.sitemaps import check_index, check_urlset

pytestmark = pytest.mark.django_db


def read(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/xml"
    return ElementTree.fromstring(answer.content)


def sections(client):
    """Every section as a mapping from address to its entry, by the section's address."""
    found = {}
    for address in check_index(read(client, "/sitemap.xml")):
        path = address.removeprefix("http://127.0.0.1:8000")
        found[path] = check_urlset(read(client, path))
    return found


def addresses(client):
    return {address: entry for section in sections(client).values() for address, entry in section.items()}


@pytest.fixture(autouse=True)
def app_url(settings):
    settings.APP_URL = "http://127.0.0.1:8000"


CAPSULE = "http://127.0.0.1:8000/north-shore/small-voyages"
SHOWCASE = "http://127.0.0.1:8000/"


def test_a_published_capsule_appears_with_picture_and_film(client, live_story, rendered):
    factories.make_heroes(rendered)
    found = addresses(client)
    assert set(found) == {SHOWCASE, CAPSULE}

    entry = found[CAPSULE]
    assert entry.lastmod == live_story.publication.updated_at
    assert entry.images[0].endswith(".jpeg")
    assert entry.videos[0]["title"] == "Small voyages"
    assert entry.videos[0]["content_loc"].endswith(".mp4")
    assert entry.alternates == {}


def test_an_empty_service_has_a_valid_sitemap(client, db):
    assert set(addresses(client)) == {SHOWCASE}


def test_an_unpublished_capsule_disappears_and_a_changed_slug_moves(client, api, live_story):
    addresses(client)
    api.publish(live_story, slug="far-away")
    assert set(addresses(client)) == {SHOWCASE, "http://127.0.0.1:8000/north-shore/far-away"}
    api.unpublish(live_story)
    assert set(addresses(client)) == {SHOWCASE}


def test_editions_stand_beside_each_other_with_their_languages(client, api, live_story, rendered):
    german = factories.make_edition(live_story, rendered, name="deutsch", language="de")
    simple = factories.make_edition(live_story, rendered, name="simple")
    hidden = factories.make_edition(live_story, rendered, name="hidden", language="fr", shown=False)
    for edition in (german, simple):
        assert api.publish(edition).status_code == 200
    assert api.publish(hidden).status_code == 200

    found = addresses(client)
    alone = f"{CAPSULE}-hidden"  # published alone, it is listed like any capsule
    assert set(found) == {SHOWCASE, CAPSULE, f"{CAPSULE}?edition=deutsch", f"{CAPSULE}?edition=simple", alone}
    links = {"en": CAPSULE, "de": f"{CAPSULE}?edition=deutsch", "x-default": CAPSULE}
    assert all(found[address].alternates == links for address in found if address not in (SHOWCASE, alone))


def test_awkward_words_stay_valid_xml(client, live_story, rendered):
    factories.make_heroes(rendered)
    Card.objects.update(title="<Ferries> & “tides” " + "very " * 30, excerpt="A & B < C ]]> 🙂")
    [video] = addresses(client)[CAPSULE].videos
    assert video["title"].startswith("<Ferries> & “tides”")
    assert len(video["title"]) <= 100
    assert video["description"] == "A & B < C ]]> 🙂"


def test_sections_are_ranges_of_ids_and_each_address_stands_once(
    client, north_shore, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(sitemap, "IDS", 10)
    cards = list_capsules(north_shore, 35)

    found = sections(client)
    assert all(len(section) <= 10 for path, section in found.items() if path != "/sitemaps/0.xml")
    assert len([address for section in found.values() for address in section]) == 36 == len(addresses(client))
    first = cards[20].pk // 10 * 10
    with django_assert_num_queries(2):  # cards, editions
        assert client.get(f"/sitemaps/{first}.xml").status_code == 200


def test_a_section_has_the_date_of_its_latest_change_and_goes_when_it_empties(
    client, north_shore, monkeypatch
):
    monkeypatch.setattr(sitemap, "IDS", 10)
    cards = list_capsules(north_shore, 25)
    first = cards[-1].pk // 10 * 10
    path = f"/sitemaps/{first}.xml"
    index = client.get("/sitemap.xml").content.decode()
    assert f"{path}</loc><lastmod>{cards[-1].updated_at.isoformat()}</lastmod>" in index

    Card.objects.filter(pk__gte=first).delete()
    assert path not in sections(client)
    assert client.get(path).status_code == 404


def test_there_is_no_section_elsewhere(client, live_story):
    for first in (1, 9_000_000, 10**30):
        assert client.get(f"/sitemaps/{first}.xml").status_code == 404, first


@pytest.mark.both_databases
def test_a_section_is_sent_packed_to_who_can_unpack_it(client, live_story):
    path = list(sections(client))[-1]
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.content).startswith(b"<?xml")

    again = client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
    assert again.status_code == 304
