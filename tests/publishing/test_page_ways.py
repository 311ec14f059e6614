"""Ways and words of a page that are there for some people, or in some states, and not for others."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.support.listing import list_capsules
from tests.support.markup import parsed

pytestmark = pytest.mark.django_db


def ways(answer) -> set[str]:
    return {it.get("href") for it in parsed(answer).iter("a")}


@pytest.mark.parametrize(
    "who, manages, owns", [("owner", True, True), ("admin", True, False), ("editor", False, False)]
)
def test_ways_into_the_settings_are_for_who_manages_and_the_last_for_owners(
    who, manages, owns, person, client, north_shore
):
    client.force_login(person(who))
    settings = f"/account/workspaces/{north_shore.pk}"
    assert (settings in ways(client.get("/account/"))) is manages
    in_studio = ways(client.get(f"/studio/{north_shore.pk}"))
    assert ({settings, f"/subscribers/{north_shore.pk}"} <= in_studio) is manages
    assert (settings in in_studio) is manages
    if manages:
        assert (f"{settings}/delete" in ways(client.get(settings))) is owns


def test_the_tabs_of_a_workspace_say_which_of_its_pages_is_open(north_shore, owner, client):
    client.force_login(owner)
    for page in ("", "/members", "/keys", "/webhooks", "/apps", "/audit-log"):
        path = f"/account/workspaces/{north_shore.pk}{page}"
        tabs = next(it for it in parsed(client.get(path)).iter("nav") if it.get("class") == "tabs")
        assert [it.get("href") for it in tabs.iter("a") if it.get("aria-current") == "page"] == [path]


@pytest.mark.parametrize("path", ["", "?as=embed"])
def test_what_was_never_published_cannot_be_reported(path, ready_story, owner, client):
    client.force_login(owner)
    for frame in ("frame", "preview/1/frame"):
        answer = client.get(f"/studio/stories/{ready_story.pk}/{frame}{path}")
        assert answer.status_code == 200
        assert not [way for way in ways(answer) if way.startswith("/report")]


def test_a_frame_of_what_is_gone_leads_nowhere_and_the_page_leads_on(live_story, api, client):
    api.unpublish(live_story)
    framed, page = (client.get(f"/north-shore/small-voyages{ending}") for ending in ("/embed", ""))
    assert ways(framed) == set() and "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "has been moved or unpublished by its author" in framed.content.decode()
    assert {"/", "/north-shore"} <= ways(page)
    assert "There is no capsule of" in page.content.decode()


def test_only_the_first_page_of_a_list_is_for_search_engines(live_story, north_shore, client):
    address = "/north-shore"
    list_capsules(north_shore, 27)
    first = client.get(address)
    (on,) = [it for it in parsed(first).iter("a") if it.get("rel") == "next"]
    further = client.get(f"{address}{on.get('href')}")
    robots = [
        [it.get("content") for it in parsed(page).iter("meta") if it.get("name") == "robots"]
        for page in (first, further)
    ]
    assert robots == [[], ["noindex, follow"]]
    for page in (first, further):
        (canonical,) = [it.get("href") for it in parsed(page).iter("link") if it.get("rel") == "canonical"]
        assert canonical.startswith("http://127.0.0.1:8000/")


def test_a_search_keeps_which_capsules_are_shown_and_says_what_it_is(live_story, owner, client):
    client.force_login(owner)
    page = parsed(client.get(f"/studio/{live_story.workspace_id}?show=live"))
    (form,) = [it for it in page.iter("form") if it.get("role") == "search"]
    assert {it.get("name"): it.get("value") for it in form.iter("input")} == {"q": "", "show": "live"}


def test_what_was_done_is_said_on_the_next_page(live_story, owner, client):
    client.force_login(owner)
    client.post("/account/profile", {"name": "Ines Okafor"})
    page = parsed(client.get(f"/studio/{live_story.workspace_id}"))
    told = [it for it in page.iter("p") if "message" in it.get("class", "").split()]
    assert told and all(it.get("role") == "status" for it in told)


def test_a_viewer_is_told_why_a_page_of_the_studio_writes_nothing(live_story, person, client):
    client.force_login(person("viewer"))
    page = client.get(f"/studio/{live_story.workspace_id}").content.decode()
    assert "ask an owner" in page.lower()


@pytest.mark.parametrize("address", ["/", "/north-shore", "/account/login/", "/api/v2/docs"])
def test_every_link_of_a_public_page_leads_somewhere(address, live_story, client):
    found = {link.get("href").partition("#")[0] for link in parsed(client.get(address)).iter("a")}
    ours = {link.removeprefix(settings.APP_URL) for link in found if not link.startswith("mailto:")}
    told = {link: client.get(link).status_code for link in ours if link.startswith("/")}
    assert told and {link: status for link, status in told.items() if status >= 400} == {}
