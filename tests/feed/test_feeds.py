"""Feeds in both forms, what leads to them, the hub that is told of them, and /llms.txt."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from accounts.models import Workspace
from feed import hub
from feed.mcp import feed_markdown
from feed.models import Card
from tests.publishing.test_pages import links, metas
from tests.support.listing import list_capsules
from tests.support.receiver import LOOKS

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
HERE = "http://127.0.0.1:8000"
LISTS = ["", "/north-shore"]


@pytest.fixture
def told(settings):
    """What a hub was asked for, by address; it is `WEBSUB_HUB` and answers `told.status`."""

    class Hub(BaseHTTPRequestHandler):
        def do_POST(self):
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            server.asked.append((form["hub.mode"], sorted(form["hub.url"])))
            self.send_response(server.status)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Hub)
    server.asked, server.status = [], 204
    thread = threading.Thread(target=server.serve_forever, args=[LOOKS])
    thread.start()
    settings.WEBSUB_HUB = f"http://127.0.0.1:{server.server_port}/hub"
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("path", LISTS)
def test_a_feed_says_the_same_in_both_forms(path, client, north_shore, live_story):
    list_capsules(north_shore, 60)
    feed = client.get(f"{path}/feed.json").json()
    atom = ElementTree.fromstring(client.get(f"{path}/feed.atom").content)
    entries = [
        (entry.findtext(f"{ATOM}id"), entry.find(f"{ATOM}link").get("href"), entry.findtext(f"{ATOM}title"))
        for entry in atom.findall(f"{ATOM}entry")
    ]
    assert [(item["id"], item["url"], item["title"]) for item in feed["items"]] == entries
    assert len(entries) == 50
    assert feed["version"] == "https://jsonfeed.org/version/1.1" and "hubs" not in feed
    assert feed["feed_url"] == f"{HERE}{path}/feed.json"
    assert feed["home_page_url"] == f"{HERE}{path or '/'}" == atom.find(f"{ATOM}link").get("href")
    with_picture = next(item for item in feed["items"] if item["title"] == live_story.title)
    assert with_picture["image"].startswith(f"{HERE}/media/")
    assert client.get(f"{path}/feed.json").headers["Cache-Control"].startswith("public")


def test_pages_lead_to_both_and_those_of_a_white_label_to_neither(client, live_story, api, north_shore):
    def kinds(path):
        return {link.get("type"): link["href"] for link in links(client.get(path), "alternate")}

    for path in ("/north-shore", "/north-shore/small-voyages"):
        assert kinds(path)["application/atom+xml"].endswith("/north-shore/feed.atom")
        assert kinds(path)["application/feed+json"].endswith("/north-shore/feed.json")
    Workspace.objects.filter(pk=north_shore.pk).update(plan="pro")
    assert api.publish(live_story, publicationMode="WHITE_LABEL").status_code == 200
    assert set(kinds("/north-shore/small-voyages")) == {"text/markdown"}


def test_a_hub_is_named_in_feeds_and_told_of_each_publish_once(told, ready_story, api, client, settings):
    api.publish(ready_story)
    assert hub.tell_changes() == 4
    assert hub.tell_changes() == 0
    feeds = [f"{HERE}{path}/feed.{form}" for path in LISTS for form in ("atom", "json")]
    assert told.asked == [(["publish"], sorted(feeds))]
    answer = client.get("/north-shore/feed.json")
    assert answer.headers["Link"] == f'<{settings.WEBSUB_HUB}>; rel="hub", <{feeds[3]}>; rel="self"'
    assert answer.json()["hubs"] == [{"type": "WebSub", "url": settings.WEBSUB_HUB}]
    atom = ElementTree.fromstring(client.get("/feed.atom").content)
    rels = {link.get("rel"): link.get("href") for link in atom.findall(f"{ATOM}link")}
    assert (rels["hub"], rels["self"]) == (settings.WEBSUB_HUB, feeds[0])


def test_llms_txt_leads_to_the_newest_as_markdown_and_to_nothing_hidden(client, live_story, api):
    text = client.get("/llms.txt").content.decode()
    assert f"]({HERE}/north-shore/small-voyages.md): " in text
    for line in text.splitlines():
        path = line.partition(f"]({HERE}")[2].partition(")")[0]
        if path and path != "/mcp":  # a program of its own
            assert client.get(path).status_code == 200, path
    api.publish(live_story, unlisted=True)
    assert "small-voyages" not in client.get("/llms.txt").content.decode()


def test_mastodon_finds_whom_to_credit(client, live_story, north_shore):
    assert "fediverse:creator" not in metas(client.get("/north-shore/small-voyages"))
    Workspace.objects.filter(pk=north_shore.pk).update(fediverse="@shore@mastodon.example")
    for path in ("/north-shore", "/north-shore/small-voyages"):
        assert metas(client.get(path))["fediverse:creator"] == "@shore@mastodon.example"


def test_the_opening_scene_is_an_entry_that_feed_readers_understand(client, live_story):
    text = client.get("/north-shore/small-voyages").content.decode()
    for name in ("h-entry", "p-name", "p-author h-card", "dt-published", "u-url", "e-content"):
        assert name in text, name


def test_the_feed_that_ai_apps_read_has_links_to_capsules_only(live_story):
    """A title is not markup there either: it would send the reader of the list anywhere."""
    hostile = {"title": "Look [here](https://evil.example) ]", "excerpt": "![p](https://evil.example) <b>*x*"}
    Card.objects.filter(story=live_story).update(**hostile)
    (item,) = [token for token in MarkdownIt("commonmark").parse(feed_markdown()) if token.type == "inline"]
    link, *words = item.children
    assert link.attrs == {"href": f"{HERE}/north-shore/small-voyages"}
    assert {token.type for token in words} == {"text", "link_close"}
    assert "".join(token.content for token in words) == ": ".join(hostile.values())
