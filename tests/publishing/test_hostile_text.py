"""Whatever an author writes stays text: in the page, the embed, the tags, JSON-LD and oEmbed."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import html5lib
import pytest

from accounts.models import Workspace
from capsules.actions import previews
from capsules.models import Scene, Story
from publishing.models import Bake, Publication
from tests.support import factories
from tests.support.markup import parsed

pytestmark = pytest.mark.django_db
EVIL = (
    "</title></script></style></textarea>--><svg/onload=evil()>\"'`=evil() x=x>"
    '<evil-tag evil="1">{{7*7}}&lt;evil2&gt;\u2028]]>'
)


@pytest.fixture
def addresses(once, north_shore, rendered, api) -> list[str]:
    """Where a hostile capsule and its edition can be met."""
    once("hostile", lambda: make_hostile(north_shore, rendered, api))
    endings = ["", "/embed", "?edition=classroom", "/embed?edition=classroom"]
    return [f"/north-shore/hostile{ending}" for ending in endings]


def make_hostile(north_shore, rendered, api) -> None:
    """A capsule with an edition, hostile in every field that takes text."""
    story = factories.make_story(north_shore, rendered, title="Hostile")
    edition = factories.make_edition(story, rendered)
    api.publish(edition, slug="hostile")
    other = factories.make_story(north_shore, rendered, title="Other")
    api.publish(other, slug="other")
    Workspace.objects.filter(pk=north_shore.pk).update(title=EVIL)
    for each in (story, edition, other):
        Story.objects.filter(pk=each.pk).update(title=EVIL, summary=EVIL, author_name=EVIL)
        Scene.objects.filter(story=each).update(title=EVIL[:80], text=EVIL, alt=EVIL)
        previews.build_preview(Story.objects.get(pk=each.pk))
        factories.finish_encodes(rendered)
        assert api.publish(each).status_code == 200
    Story.objects.filter(pk=edition.pk).update(edition_label=EVIL[:80])


def strangers(tree) -> list[str]:
    """Elements and attributes of the hostile string that a browser would make."""
    found = [str(e.tag) for e in tree.iter() if "evil" in str(e.tag)]
    for element in tree.iter():
        found += [a for a in element.attrib if "evil" in a or a.startswith("on") or a == "x"]
        if element.tag == "script" and element.get("src") is None:
            assert element.get("type") == "application/ld+json"
    return found


def test_no_element_or_attribute_of_a_hostile_string_reaches_a_page(addresses, client):
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        tree = parsed(answer)
        assert strangers(tree) == []
        words = list(tree.itertext())
        assert "49" not in [text.strip() for text in words]
        assert EVIL[:60] in "".join(words)  # it is all there, as text


def test_json_ld_keeps_the_string_as_it_was(addresses, client):
    tree = parsed(client.get(addresses[0]))
    (script,) = [s for s in tree.iter("script") if s.get("type") == "application/ld+json"]
    assert not set(script.text) & set("<>&\u2028\u2029")  # nothing that could end or hide the element
    article = json.loads(script.text)["@graph"][0]
    assert article["headline"] == article["author"]["name"] == article["publisher"]["name"] == EVIL


def test_oembed_carries_the_string_as_text_in_both_formats(addresses, client):
    for address in addresses[::2]:
        url = f"http://127.0.0.1:8000{address}"
        body = client.get("/oembed", {"url": url}).json()
        assert body["title"] == EVIL
        root = ElementTree.fromstring(client.get("/oembed", {"url": url, "format": "xml"}).content)
        assert root.findtext("title") == EVIL
        for html in (body["html"], root.findtext("html")):
            (frame,) = fragment = html5lib.parseFragment(html, namespaceHTMLElements=False)
            assert strangers(fragment) == []
            assert (frame.tag, frame.get("title")) == ("iframe", EVIL)


@pytest.mark.both_databases
def test_control_characters_that_were_kept_before_do_not_reach_readers(live_story, client):
    bake = live_story.publication.live_bake
    content = json.dumps(bake.content).replace("Small voyages", r"Small\u0007\u001b voyages")
    content = content.replace("Scene 2", r"\u202eScene\u009b 2\nסצנה \u2067two\u2069")
    Bake.objects.filter(pk=bake.pk).update(content=json.loads(content))
    for address in ("/north-shore/small-voyages", "/north-shore/small-voyages/embed"):
        text = client.get(address).content.decode()
        assert not set(text) & set("\x07\x1b\x9b\u202e"), address
        assert "Scene 2" in text and "\u2067two\u2069" in text, address
    Workspace.objects.update(title="North\x0b Shore")  # which a white-label answer names
    Publication.objects.update(mode=Publication.Mode.WHITE_LABEL)
    told = client.get("/oembed", {"url": "http://127.0.0.1:8000/north-shore/small-voyages", "format": "xml"})
    assert ElementTree.fromstring(told.content).findtext("title") == "Small voyages"
