"""A workspace's profile: what it lists, and what it must not."""

from __future__ import annotations

import re

import pytest

from tests.support import factories
from tests.support.listing import list_capsules

pytestmark = pytest.mark.django_db


def titles(page):
    return re.findall(r"<a href=\"/[^\"]+/[^\"]+\">([^<]+)</a></h3>", page.content.decode())


def test_a_profile_lists_the_capsules_of_its_workspace_newest_first(client, live_story, harbour):
    list_capsules(live_story.workspace, 2)
    list_capsules(harbour, 1)

    page = client.get("/north-shore")
    assert titles(page) == ["Small voyages", "Capsule 1", "Capsule 0"]
    assert "North Shore Press" in page.content.decode()
    assert "3 capsules:" in page.content.decode()


def test_a_card_wears_the_look_of_its_capsule(client, api, north_shore, rendered):
    story = factories.make_story(north_shore, rendered, title="On paper")
    preview = story.latest_preview
    preview.content["look"] = {"theme": "paper", "accent": "#ffe14d", "face": "slab"}
    preview.save()
    assert api.publish(story).status_code == 200
    (card,) = re.findall(r'<li class="card ([^"]+)"', client.get("/north-shore").content.decode())
    assert card.split()[:4] == ["theme-paper", "face-slab", "accented", "accent-deep"]


def test_the_first_picture_of_a_profile_is_fetched_at_once_and_the_others_when_they_are_near(
    client, live_story, north_shore, rendered, api
):
    api.publish(factories.make_story(north_shore, rendered, title="Another one"))
    pictures = re.findall(r"<img[^>]+>", client.get("/north-shore").content.decode())
    covers = [one for one in pictures if "srcset" in one]
    assert ["lazy" in one for one in covers] == [False, True]
    assert 'fetchpriority="high"' in covers[0]


def test_a_profile_without_capsules_says_so(client, api, live_story):
    api.unpublish(live_story)
    page = client.get("/north-shore")
    assert page.status_code == 200
    assert "shows no capsules at the moment" in page.content.decode()


def test_a_name_nobody_has_claimed_opens_nothing(client, north_shore):
    for name in ("north-shore", "nobody", "North-Shore", "nörd"):
        assert client.get(f"/{name}").status_code == 404, name
        assert client.get(f"/{name}/feed.atom").status_code == 404, name


def test_a_claimed_name_is_not_shared_with_a_workspace_that_only_wants_it(client, live_story):
    factories.make_workspace("north-shore", title="Impostor", roles=())
    assert "Impostor" not in client.get("/north-shore").content.decode()


def test_a_profile_is_paged_by_plain_links(client, north_shore):
    list_capsules(north_shore, 50)
    page, seen = client.get("/north-shore"), []
    while True:
        seen += titles(page)
        link = re.search(r'rel="next" href="(\?after=[^"]+)"', page.content.decode())
        if not link:
            break
        page = client.get(f"/north-shore{link[1]}")
    assert seen == [f"Capsule {index}" for index in reversed(range(50))]


def test_an_old_link_leads_to_the_first_page(client, live_story):
    answer = client.get("/north-shore?after=old")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/north-shore")


def test_a_link_of_another_profile_leads_to_the_first_page(client, north_shore, harbour):
    list_capsules(north_shore, 25)
    list_capsules(harbour, 1)
    link = re.search(r'href="(\?after=[^"]+)"', client.get("/north-shore").content.decode())[1]
    answer = client.get(f"/{harbour.name}{link}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/{harbour.name}")


def test_under_the_api_an_unknown_address_is_still_told_in_json(client, db):
    answer = client.get("/api/nothing")
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/json")
