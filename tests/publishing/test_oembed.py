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


@pytest.mark.parametrize(
    "limits, size",
    [
        ({"maxwidth": 480}, (480, 350)),
        ({"maxwidth": 280}, (280, 350)),
        ({"maxwidth": 280, "maxheight": 200}, (280, 200)),
        ({"maxwidth": 1000}, (1000, 562)),
        ({"maxheight": 180}, (320, 180)),
        ({"maxwidth": 480, "maxheight": 180}, (320, 180)),
        ({"maxwidth": 99999999, "maxheight": 99999999}, (1280, 720)),
        ({"maxwidth": 1}, (1, 350)),
        ({"maxwidth": "0" * 5000 + "480", "maxheight": 180}, (320, 180)),
        ({"maxwidth": 7, "maxheight": 1}, (1, 1)),
        ({"maxwidth": 0}, (640, 360)),
        ({"maxwidth": -5}, (640, 360)),
        ({"maxwidth": "9" * 400}, (640, 360)),
        ({"maxwidth": "wide", "maxheight": "1e3"}, (640, 360)),
        ({"maxwidth": "٣٠٠"}, (640, 360)),
    ],
)
def test_it_fits_whatever_room_there_is(limits, size, ask):
    body = ask(**limits).json()
    assert (body["width"], body["height"]) == size
    room = {name: value for name, value in limits.items() if isinstance(value, int) and value > 0}
    assert body["width"] <= room.get("maxwidth", 9999) and body["height"] <= room.get("maxheight", 9999)
    if "thumbnail_width" in body:
        assert body["thumbnail_width"] <= room.get("maxwidth", 9999)
        assert body["thumbnail_height"] <= room.get("maxheight", 9999)
    low, tall = re.search(r"min-height:clamp\((\d+)px,.*,(\d+)px\)", body["html"]).groups()
    assert int(low) <= int(tall) <= room.get("maxheight", 9999), "on a phone too"


@pytest.mark.parametrize(
    "url",
    [
        f"{LINK}/",
        f"{LINK}/embed",
        f"{LINK}?utm_source=x",
        f"{LINK}#scene-2",
        f"{LINK}?edition=none-such",
        "HTTP://127.0.0.1:8000/north-shore/small-voyages",
    ],
)
def test_other_forms_of_the_link_mean_the_same_capsule(url, ask):
    assert ask(url).json()["title"] == "Small voyages"


def test_an_edition_link_embeds_that_edition(live_story, rendered, api, ask):
    api.publish(factories.make_edition(live_story, rendered))
    body = ask(f"{LINK}?edition=classroom").json()
    assert body["title"] == "Small voyages, classroom"
    assert f'src="{LINK}/embed?edition=classroom"' in body["html"]


@pytest.mark.parametrize(
    "url",
    [
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
    ],
)
@pytest.mark.parametrize("format", ["json", "xml"])
def test_any_other_address_is_unknown(url, format, ask):
    answer = ask(url, format=format)
    assert answer.status_code == 404
    assert "Traceback" not in answer.content.decode()


def test_an_unpublished_capsule_is_unknown(live_story, api, ask):
    api.unpublish(live_story)
    answer = ask()
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert "error" in answer.json()


@pytest.mark.parametrize(
    "query, status",
    [({"url": None}, 400), ({"url": ""}, 400), ({"format": "yaml"}, 501), ({"format": ""}, 501)],
)
def test_a_wrong_question_is_told_apart(query, status, ask):
    assert ask(**query).status_code == status


def test_only_reading_is_possible(live_story, client):
    assert client.post("/oembed").status_code == 405


def test_a_white_label_answer_names_the_workspace_alone(ready_story, api, client):
    api.publish(ready_story, publicationMode="WHITE_LABEL")
    answer = client.get("/oembed", {"url": LINK})
    told = answer.json()
    assert (told["provider_name"], told["author_name"]) == ("North Shore Press", "Ines Okafor")
    assert not {"provider_url", "author_url"} & set(told)
    assert "capsules" not in answer.content.decode().lower()
