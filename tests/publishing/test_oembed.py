"""GET /oembed: for every client that has only a link."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import html5lib
import pytest

from tests.support import factories

pytestmark = pytest.mark.django_db
SITE = "http://127.0.0.1:8000"
LINK = f"{SITE}/north-shore/small-voyages"


@pytest.fixture
def ask(live_story, client):
    def get(url: str | None = LINK, **query):
        return client.get("/oembed", {**({"url": url} if url is not None else {}), **query})

    return get


def test_it_tells_how_to_show_a_capsule(ask):
    answer = ask()
    assert answer["Content-Type"] == "application/json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    body = answer.json()
    frame = html5lib.parseFragment(body.pop("html"), namespaceHTMLElements=False)[0]
    assert body.pop("thumbnail_url").startswith(f"{SITE}/media/")
    assert body == {
        "version": "1.0",
        "type": "video",
        "title": "Small voyages",
        "author_name": "Ines Okafor",
        "author_url": f"{SITE}/north-shore",
        "provider_name": "Capsules",
        "provider_url": SITE,
        "cache_age": 300,
        "width": 640,
        "height": 360,
        "thumbnail_width": 1200,
        "thumbnail_height": 630,
    }
    assert frame.tag == "iframe"
    assert frame.get("src") == f"{LINK}/embed"
    assert (frame.get("width"), frame.get("height"), frame.get("title")) == ("640", "360", "Small voyages")
    sandbox = frame.get("sandbox").split()
    assert "allow-scripts" in sandbox and "allow-same-origin" not in sandbox


def test_xml_says_the_same(ask):
    answer = ask(format="xml")
    assert answer["Content-Type"] == "text/xml; charset=utf-8"
    told = {child.tag: child.text for child in ElementTree.fromstring(answer.content)}
    assert told == {name: str(value) for name, value in ask().json().items()}


def test_it_fits_whatever_room_there_is(ask):
    for limits, size in (
        ({"maxwidth": 480}, (480, 350)),
        ({"maxwidth": 280}, (280, 350)),
        ({"maxwidth": 280, "maxheight": 200}, (280, 200)),
        ({"maxwidth": 1000}, (1000, 562)),
        ({"maxheight": 180}, (320, 180)),
        ({"maxwidth": 480, "maxheight": 180}, (320, 180)),
        ({"maxwidth": 99999999, "maxheight": 99999999}, (1280, 720)),
        ({"maxwidth": 1}, (1, 350)),
        ({"maxwidth": "0" * 5000 + "280", "maxheight": 180}, (280, 180)),
        ({"maxwidth": 7, "maxheight": 1}, (1, 1)),
        ({"maxwidth": 0}, (640, 360)),
        ({"maxwidth": -5}, (640, 360)),
        ({"maxwidth": "9" * 400}, (640, 360)),
        ({"maxwidth": "wide", "maxheight": "1e3"}, (640, 360)),
        ({"maxwidth": "٣٠٠"}, (640, 360)),
    ):
        body = ask(**limits).json()
        assert (body["width"], body["height"]) == size, limits
        room = {name: value for name, value in limits.items() if isinstance(value, int) and value > 0}
        widest, highest = room.get("maxwidth", 9999), room.get("maxheight", 9999)
        assert body["width"] <= widest and body["height"] <= highest, limits
        assert body.get("thumbnail_width", 0) <= widest, limits
        assert body.get("thumbnail_height", 0) <= highest, limits
        low, tall = re.search(r"min-height:clamp\((\d+)px,.*,(\d+)px\)", body["html"]).groups()
        assert int(low) <= int(tall) <= highest, f"on a phone too: {limits}"


def test_other_forms_of_the_link_mean_the_same_capsule(ask):
    for url in (
        f"{LINK}/",
        f"{LINK}/embed",
        f"{LINK}?utm_source=x",
        f"{LINK}#scene-2",
        f"{LINK}?edition=none-such",
        "HTTP://127.0.0.1:8000/north-shore/small-voyages",
    ):
        assert ask(url).json()["title"] == "Small voyages", url


def test_an_edition_link_embeds_that_edition(live_story, rendered, api, ask):
    api.publish(factories.make_edition(live_story, rendered))
    body = ask(f"{LINK}?edition=classroom").json()
    assert body["title"] == "Small voyages, classroom"
    assert f'src="{LINK}/embed?edition=classroom"' in body["html"]


def test_any_other_address_is_unknown(ask):
    for url in (
        f"{SITE}/north-shore/none",
        f"{SITE}/harbour/small-voyages",
        f"{LINK}//",
        f"{LINK}/more",
        f"{SITE}//north-shore/small-voyages",
        f"{SITE}/north-shore/../north-shore/small-voyages",
        "http://127.0.0.1:8000@evil.example/north-shore/small-voyages",
        "http://evil.example@127.0.0.1:8000/north-shore/small-voyages",
        "http://127.0.0.1:8000./north-shore/small-voyages",
        "http://127.0.0.1.:8000/north-shore/small-voyages",
        "http://127.0.0.1/north-shore/small-voyages",
        "http://127.0.0.1:8000.evil.example/north-shore/small-voyages",
        "http://127.0.0.1:99999/north-shore/small-voyages",
        "http://[::1/north-shore/small-voyages",
        "//127.0.0.1:8000/north-shore/small-voyages",
        "https://127.0.0.1:8000/north-shore/small-voyages",
        "ftp://127.0.0.1:8000/north-shore/small-voyages",
        "javascript:alert(1)",
        "/north-shore/small-voyages",
        "http://127.0.0.1:8000\\@evil.example/north-shore/small-voyages",
        "http://127.0.0.1:8000/north-\tshore/small-voyages",
        "http://evil.example/north-shore/small-voyages",
        "http://127.0.0.1:8000/north-shore/small-voyages\x00",
        "x" * 9000,
    ):
        assert ask(url).status_code == 404, url
    assert ask(f"{LINK}/more", format="xml").status_code == 404


def test_an_unpublished_capsule_is_unknown(live_story, api, ask):
    api.unpublish(live_story)
    answer = ask()
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert "error" in answer.json()


def test_a_wrong_question_is_told_apart(ask):
    for query, status in (({"url": ""}, 400), ({"format": ""}, 501)):  # test_headers.py has the others
        assert ask(**query).status_code == status, query


def test_a_white_label_answer_names_the_workspace_alone(ready_story, api, client):
    api.publish(ready_story, publicationMode="WHITE_LABEL")
    answer = client.get("/oembed", {"url": LINK})
    told = answer.json()
    assert (told["provider_name"], told["author_name"]) == ("North Shore Press", "Ines Okafor")
    assert not {"provider_url", "author_url"} & set(told)
    assert "capsules" not in answer.content.decode().lower()
