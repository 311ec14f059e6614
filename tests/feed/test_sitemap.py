"""The sitemap: all that is public, nothing else, in the form that search engines ask for."""

from __future__ import annotations

import gzip
import time
from xml.etree import ElementTree

import pytest

from accounts.actors import Actor
from capsules.garbage import blobs_in_use
from feed import sitemap
from feed.models import Card, SitemapChange, SitemapSection
from publishing import actions
from tests.support import factories
from tests.support.listing import list_capsules
from tests.support.sitemaps import check_index, check_urlset

pytestmark = pytest.mark.django_db


def read(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/xml"
    return ElementTree.fromstring(b"".join(answer) if answer.streaming else answer.content)


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
    assert entry.lastmod == live_story.publication.updated_at.replace(microsecond=0)
    assert entry.images[0].endswith(".jpeg")
    assert entry.videos[0]["title"] == "Small voyages"
    assert entry.videos[0]["content_loc"].endswith(".mp4")
    assert entry.alternates == {}


def test_an_empty_service_has_a_valid_sitemap(client, db):
    assert set(addresses(client)) == {SHOWCASE}


@pytest.mark.parametrize("level", ["unlisted", "private"])
def test_what_is_not_public_disappears(client, live_story, owner, level):
    assert CAPSULE in addresses(client)
    actions.set_visibility(live_story, level, by=Actor.by_token(owner))
    assert CAPSULE not in addresses(client)

    actions.set_visibility(live_story, "featured", by=Actor.by_token(owner))
    assert (CAPSULE in addresses(client)) == (level == "unlisted")


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
    SitemapChange.objects.create(publication_id=live_story.publication.pk)
    [video] = addresses(client)[CAPSULE].videos
    assert video["title"].startswith("<Ferries> & “tides”")
    assert len(video["title"]) <= 100
    assert video["description"] == "A & B < C ]]> 🙂"


def test_sections_are_split_at_the_limit_and_each_address_stands_once(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "ADDRESSES", 10)
    monkeypatch.setattr(sitemap, "CHUNK", 7)
    list_capsules(north_shore, 35)

    found = sections(client)
    assert [len(section) for section in found.values()] == [10, 10, 10, 6]
    assert len({address for section in found.values() for address in section}) == 36


def test_sections_are_split_by_size_too(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "BYTES", 5000)
    list_capsules(north_shore, 20)
    assert len(sections(client)) > 2
    assert len(addresses(client)) == 21


def test_only_the_section_of_a_change_is_written_again(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "ADDRESSES", 10)
    cards = list_capsules(north_shore, 35)
    sitemap.write_changed()
    sitemap.write_changed()
    before = dict(SitemapSection.objects.values_list("first", "version"))

    cards[12].publication.delete()
    assert sitemap.write_changed() == 1
    assert not SitemapChange.objects.exists()
    after = dict(SitemapSection.objects.values_list("first", "version"))
    assert [first for first in before if before[first] != after[first]] == [cards[9].pk]
    assert sitemap.write_changed() == 0


def test_what_collects_garbage_knows_the_sections(client, live_story):
    sections(client)
    names = set(SitemapSection.objects.values_list("name", flat=True))
    assert names and names <= blobs_in_use()


def test_a_section_that_empties_is_dropped(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "ADDRESSES", 10)
    cards = list_capsules(north_shore, 15)
    assert len(sections(client)) == 2
    Card.objects.filter(pk__gte=cards[9].pk).delete()
    assert [len(section) for section in sections(client).values()] == [10]


def test_a_writer_that_was_overtaken_changes_nothing(north_shore):
    list_capsules(north_shore, 3)
    sitemap.write_changed()
    late = SitemapSection.objects.get()
    SitemapChange.objects.create(publication_id=1)
    sitemap.write_changed()

    assert not sitemap.fill_section(late, None, time.monotonic() + 10)
    assert SitemapSection.objects.get().version == late.version + 1


def test_a_run_writes_for_a_while_and_the_next_one_goes_on(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "ADDRESSES", 10)
    list_capsules(north_shore, 35)
    with monkeypatch.context() as patient:
        patient.setattr(sitemap, "BUDGET", -1)
        assert sitemap.write_changed() == 0
        late = time.monotonic() - 1
        section = SitemapSection.objects.get()
        assert sitemap.fill_section(section, None, late)
        assert [bool(section.name) for section in SitemapSection.objects.all()] == [True, False]
    while sitemap.write_changed():
        pass
    assert len(addresses(client)) == 36


def test_an_unchanged_section_keeps_its_date(north_shore):
    cards = list_capsules(north_shore, 3)
    sitemap.write_changed()
    before = SitemapSection.objects.get().modified_at
    SitemapChange.objects.create(publication_id=cards[0].pk)
    assert sitemap.write_changed() == 1
    assert SitemapSection.objects.get().modified_at == before


def test_a_request_leaves_large_sections_to_the_task(client, north_shore, monkeypatch):
    monkeypatch.setattr(sitemap, "QUICK", 5)
    list_capsules(north_shore, 8)
    answer = client.get("/sitemap.xml")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")

    sitemap.write_changed()
    assert len(addresses(client)) == 9


def test_a_section_is_sent_packed_to_who_can_unpack_it(client, live_story):
    [path] = sections(client)
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(b"".join(packed)).startswith(b"<?xml")

    again = client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]})
    assert again.status_code == 304
    assert client.get("/sitemaps/12345.xml").status_code == 404
