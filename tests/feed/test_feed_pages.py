"""The showcase as a reader meets it, with and without JavaScript, and its Atom feed."""

from __future__ import annotations

import re
from importlib import import_module
from xml.etree import ElementTree

import html5lib
import pytest
from django.apps import apps

from feed.actions import save_pin
from feed.cards import cover_of
from feed.models import Card, FeedRank, Pin
from publishing.models import Publication
from tests.support import factories
from tests.support.listing import list_capsules

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def titles(page):
    return re.findall(r'<a href="(/[^"]+/[^"]+)">([^<]+)</a></h[23]>', page.content.decode())


def next_link(page):
    found = re.search(r'rel="next" href="(\?after=[^"]+)"', page.content.decode())
    return found and found[1]


def test_the_showcase_shows_each_capsule_with_its_facts(client, live_story, rendered):
    factories.make_heroes(rendered)
    page = client.get("/")
    text = page.content.decode()

    assert titles(page) == [("/north-shore/small-voyages", "Small voyages")]
    for fact in (
        "By <bdi>Ines Okafor</bdi>",
        '<a href="/north-shore"><bdi>North Shore Press</bdi></a>',
        "4 scenes",
        'alt="Picture 1."',
    ):
        assert fact in text
    assert re.search(r'<video src="/media/[^"]+\.mp4" muted loop playsinline preload="none"', text)


def test_views_are_shown_once_there_are_some(client, north_shore):
    list_capsules(north_shore, 2, views=lambda index: [9, 10][index])
    text = client.get("/").content.decode()
    assert "10 views" in text and "9 views" not in text


def test_a_title_says_its_own_language(client, north_shore):
    list_capsules(north_shore, 2)
    Card.objects.update(language="fa")
    text = client.get("/").content.decode()
    assert re.search(r'<h2 id="lead-title" lang="fa" dir="rtl">', text)
    assert '<h3 lang="fa" dir="rtl">' in text


def test_a_white_label_capsule_is_listed_but_never_the_lead(client, north_shore):
    list_capsules(north_shore, 2, views=lambda index: index)
    Publication.objects.filter(slug="capsule-1").update(mode=Publication.Mode.WHITE_LABEL)
    text = client.get("/").content.decode()
    assert re.search(r'<h2 id="lead-title".*?Capsule 0</a></h2>', text, re.S)
    assert "Capsule 1</a></h3>" in text


def test_an_empty_showcase_says_so(client, db):
    assert "Nothing has been published yet" in client.get("/").content.decode()


def test_the_showcase_is_paged_by_plain_links(client, north_shore):
    list_capsules(north_shore, 60, views=lambda index: index)
    page = client.get("/")
    seen = titles(page)
    while link := next_link(page):
        page = client.get(f"/{link}")
        assert 'content="noindex, follow"' in page.content.decode()
        seen += titles(page)
    assert [title for _, title in seen] == [f"Capsule {index}" for index in reversed(range(60))]


def test_an_old_link_leads_to_the_first_page(client, north_shore):
    list_capsules(north_shore, 3)
    answer = client.get("/?after=old")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_pinned_capsules_stand_under_their_own_heading(client, api, live_story):
    live_story.visibility = "featured"
    live_story.save()
    save_pin(Pin(publication=live_story.publication, tier="featured"))
    list_capsules(live_story.workspace, 2, views=lambda index: 50)
    FeedRank.objects.filter(card__slug="capsule-1").update(sort_key=2 << 56)  # a headline above it

    text = client.get("/").content.decode()
    assert text.index("Capsule 0") < text.index("Featured</h2>") < text.index("Small voyages</a></h3>")
    assert text.index("Small voyages</a></h3>") < text.index("All capsules</h2>")


def test_an_author_with_the_name_of_the_workspace_is_not_named_twice(client, north_shore):
    list_capsules(north_shore, 2)
    for author, count in [("Ines Okafor", 2), (north_shore.title, 0)]:
        Card.objects.update(author_name=author)
        assert client.get("/").content.decode().count("By <bdi>") == count


def test_titles_cannot_smuggle_markup(client, north_shore):
    list_capsules(north_shore, 1)
    Card.objects.update(title="<script>alert(1)</script>", excerpt='"><img src=x>', author_name="<b>A</b>")
    for address in ("/", "/north-shore"):
        text = client.get(address).content.decode()
        assert "<script>alert" not in text
        assert "<b>A" not in text


@pytest.mark.parametrize("address", ["/", "/north-shore"])
def test_lists_are_valid_html_without_inline_style_or_script(client, live_story, address):
    text = client.get(address).content.decode()
    html5lib.HTMLParser(strict=True).parse(text)
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]* src=)", text)


@pytest.mark.parametrize("address, most", [("/", 1), ("/north-shore", 3), ("/feed.atom", 1)])
def test_a_list_costs_the_same_queries_whatever_its_length(
    client, north_shore, django_assert_num_queries, address, most
):
    list_capsules(north_shore, 3)
    with django_assert_num_queries(most):
        client.get(address)
    list_capsules(north_shore, 40)
    with django_assert_num_queries(most):
        client.get(address)


def entries(client, address):
    feed = ElementTree.fromstring(client.get(address).content)
    assert feed.tag == f"{ATOM}feed"
    return [
        {child.tag.removeprefix(ATOM): child.text or child.get("href") for child in entry}
        for entry in feed.findall(f"{ATOM}entry")
    ]


def test_an_entry_has_text_as_text_and_a_picture(client, live_story):
    Card.objects.update(excerpt='1 < 2 <img src=x onerror="alert(1)">')
    feed = ElementTree.fromstring(client.get("/feed.atom").content)
    summary = feed.find(f"{ATOM}entry/{ATOM}summary")
    assert (summary.get("type"), summary.text) == ("text", '1 < 2 <img src=x onerror="alert(1)">')
    picture = feed.find(f"{ATOM}entry/{{http://search.yahoo.com/mrss/}}thumbnail")
    assert picture.get("url") == f"http://127.0.0.1:8000{Card.objects.get().cover_url}"
    assert feed.find(f"{ATOM}icon").text.endswith(".svg")


def test_an_entry_keeps_its_id_through_republish_and_slug_change(client, api, live_story):
    [before] = entries(client, "/feed.atom")
    assert before["id"] == f"urn:uuid:{live_story.pk}"
    assert before["link"].endswith("/north-shore/small-voyages")

    api.publish(live_story, slug="far-away")
    [after] = entries(client, "/feed.atom")
    assert after["id"] == before["id"]
    assert after["link"].endswith("/north-shore/far-away")
    assert after["published"] == before["published"]
    assert after["updated"] >= before["updated"]


def test_atom_lists_the_newest_first_and_no_unlisted_one(client, api, north_shore, live_story):
    list_capsules(north_shore, 60)
    api.publish(live_story, unlisted=True)
    names = [entry["title"] for entry in entries(client, "/feed.atom")]
    assert names == [f"Capsule {index}" for index in reversed(range(10, 60))]


def test_cards_from_before_covers_had_a_focus_get_that_of_their_bake(live_story):
    card = Card.objects.get(story=live_story)
    focus = card.cover.pop("focus")
    card.save()
    import_module("feed.migrations.0003_keep_focus_of_covers").copy_focus(apps, None)
    card.refresh_from_db()
    assert card.cover["focus"] == focus


def test_a_cover_keeps_the_focus_of_its_scene(live_story, client):
    content = live_story.publication.live_bake.content
    content["scenes"][content["cover"]]["focus"] = [0.45, 0.25]
    Card.objects.update(cover=cover_of(content))
    for path in ("/", "/north-shore"):
        assert 'class="cover x45 y25"' in client.get(path).content.decode(), path


@pytest.mark.parametrize("path", ["/", "/north-shore"])
def test_a_list_leads_to_itself_in_each_language_and_back_to_its_start(client, north_shore, path):
    list_capsules(north_shore, 27)
    first = client.get(f"{path}?language=pt-BR").content.decode()
    assert f'<a href="{path}"\n        lang="en" hreflang="en"' in first
    assert f'<a href="{path}?language=ar"\n        lang="ar" hreflang="ar"' in first
    assert re.findall(r'lang="(\w+)"\s+aria-current', first) == ["pt"]

    further = client.get(path + next_link(client.get(path))).content.decode()
    assert f'<a class="pill" href="{path}"' in further  # by which "Back to the start" leads there
