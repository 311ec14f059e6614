"""What was taken down is gone everywhere at once, and back as it was when that ends: a capsule or a workspace."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from accounts.actions import workspaces
from accounts.statements import Reason, Statement
from capsules.mcp.answers import story_cards
from publishing.mcp import reading
from publishing.models import Publication
from publishing.moderation import actions as moderation
from tests.support import factories
from tests.support.moderation import browser_of
from tests.support.sitemaps import whole_sitemap

pytestmark = pytest.mark.django_db

PAGE = "/north-shore/small-voyages"
LISTS = ("/", "/feed.atom", "/feed.json", "/llms.txt", "/api/v2/feed")
OWN_LISTS = ("/north-shore", "/north-shore/feed.atom", "/north-shore/feed.json")
OEMBED = f"/oembed?url={settings.APP_URL}{PAGE}"


def seen(client, path: str) -> tuple[int, bytes]:
    client.logout()
    answer = client.get(path)
    return answer.status_code, b"".join(answer.streaming_content) if answer.streaming else answer.content


def is_listed(client, path: str) -> bool:
    status, body = seen(client, path)
    return status == 200 and b"small-voyages" in body


def public_things(client) -> dict[str, Any]:
    """Everything that the world gets of the capsule, by address."""
    pages = {path: seen(client, path) for path in (PAGE, f"{PAGE}/embed", f"{PAGE}.md", OEMBED)}
    lists = {path: is_listed(client, path) for path in (*LISTS, *OWN_LISTS)}
    return {**pages, **lists, "sitemap": PAGE in whole_sitemap(client)}


@pytest.fixture(params=["frozen", "suspended"])
def down(request, freeze, north_shore, staff, live_story):
    """Takes the live story down in one of the two ways; returns what ends that."""

    def take(reason: str = Reason.RIGHTS):
        if request.param == "frozen":
            case = freeze(live_story, reason)
            return lambda: moderation.lift(case, words="We were wrong.", by=staff)
        workspaces.suspend(north_shore, by=staff, statement=Statement(reason, "Rule 4", "Words."))
        return lambda: workspaces.resume(north_shore, by=staff)

    take.way = request.param
    return take


def test_it_is_gone_everywhere_and_back_byte_for_byte(down, client):
    before = public_things(client)
    assert all(before.values()) and before[PAGE][0] == 200
    end = down()
    after = public_things(client)
    assert [after[path][0] for path in (PAGE, f"{PAGE}/embed", f"{PAGE}.md", OEMBED)] == [404] * 4
    assert not any(after[path] for path in (*LISTS, *OWN_LISTS, "sitemap"))
    told = after[PAGE][1] + after[f"{PAGE}/embed"][1]
    assert told.count(b"was taken down") >= 2 and b"Small voyages" not in told
    assert "blocked-by" not in client.get(PAGE).get("Link", "")
    end()
    assert public_things(client) == before


def test_the_address_of_what_is_against_the_law_says_so(down, client):
    down(Reason.ILLEGAL)
    client.logout()
    for path in (PAGE, f"{PAGE}/embed", f"{PAGE}.md"):
        answer = client.get(path)
        assert answer.status_code == 451 and "was taken down" in answer.content.decode()
        assert answer["Cache-Control"] == "public, max-age=30"
        assert "blocked-by" in answer["Link"]
    assert "frame-ancestors *" in client.get(f"{PAGE}/embed")["Content-Security-Policy"]


def test_a_white_label_capsule_is_not_branded_by_its_notice(freeze, api, client, live_story):
    api.publish(live_story, publicationMode="WHITE_LABEL")
    freeze(live_story)
    client.logout()
    page = client.get(PAGE).content.decode()
    assert "was taken down" in page
    assert settings.SERVICE_NAME not in page.replace("capsule", "") and 'href="/"' not in page


def test_the_profile_of_a_suspended_workspace_is_gone_and_nobody_subscribes(live_story, staff, client):
    workspaces.suspend(live_story.workspace, by=staff)
    client.logout()
    for path in ("/north-shore", "/north-shore/feed.atom", "/subscribe/north-shore"):
        assert client.get(path).status_code == 404, path
    assert "was taken down" in client.get("/north-shore").content.decode()


def test_the_api_tells_its_people_why(down, api, live_story, north_shore, owner):
    draft = factories.make_draft(north_shore)
    end = down()
    told = api.get(f"/stories/{live_story.pk}").json()
    assert told["takenDown"]["reason"] == "rights" and told["takenDown"]["rule"] == "Rule 4"
    assert (
        told["takenDown"]["appealable"] is True and told["takenDown"]["words"] and told["takenDown"]["since"]
    )
    assert told["publication"]["isPublished"] is False and told["publication"]["url"] is None
    assert told["publication"]["slug"] == "small-voyages", "the slug stays reserved"
    (version,) = api.get(f"/stories/{live_story.pk}/publication/versions").json()["items"]
    assert version["isLive"] is False
    page = browser_of(owner).get(f"/studio/stories/{live_story.pk}/versions").content.decode()
    assert "Version 1" in page and ">Live<" not in page
    other = api.get(f"/stories/{draft.pk}").json()["takenDown"]
    assert (other is None) is (down.way == "frozen"), "every story of a suspended workspace, drafts too"
    listed = {story["id"]: story for story in api.get("/stories").json()["items"]}
    assert listed[str(live_story.pk)]["takenDown"] == told["takenDown"]
    end()
    assert api.get(f"/stories/{live_story.pk}").json()["takenDown"] is None


def test_apps_are_told_as_the_api_tells(down, live_story):
    assert "taken_down" not in reading.own_fields(live_story)
    down()
    live_story.workspace.refresh_from_db()
    told = reading.own_fields(live_story)["taken_down"]
    assert (told["reason"], told["rule"], told["appealable"]) == ("rights", "Rule 4", True)
    assert not story_cards([live_story])[0]["is_published"]


def test_without_a_statement_the_reason_is_null(live_story, staff, api):
    workspaces.suspend(live_story.workspace, by=staff)
    told = api.get(f"/stories/{live_story.pk}").json()["takenDown"]
    assert (told["reason"], told["words"]) == (None, "")


@pytest.mark.both_databases
def test_a_frozen_capsule_takes_its_editions_along(live_story, rendered, api, client, freeze, staff):
    shown = factories.make_edition(live_story, rendered, "short")
    alone = factories.make_edition(live_story, rendered, "long", shown=False)
    new = factories.make_edition(live_story, rendered, "new", shown=False)
    assert api.publish(shown).status_code == api.publish(alone).status_code == 200
    path = api.state(alone).json()["url"]
    case = freeze(alone)
    assert case.publication.story == live_story
    for story in (live_story, shown, alone, new):
        assert api.get(f"/stories/{story.pk}").json()["takenDown"], story
        assert api.publish(story).status_code == 423
    client.logout()
    assert [client.get(each).status_code for each in (path, f"{PAGE}?edition=short")] == [404, 404]
    moderation.lift(case, by=staff)
    client.logout()
    assert [client.get(each).status_code for each in (path, f"{PAGE}?edition=short")] == [200, 200]


@pytest.mark.both_databases
def test_a_freeze_meets_a_publish_that_is_on_its_way(live_story, api, freeze, monkeypatch, client):
    from publishing import baking

    monkeypatch.setattr(baking, "wait_for_encodes", lambda *called: freeze(live_story))
    answer = api.publish(live_story)
    assert answer.status_code == 423, answer.content
    assert Publication.objects.get(story=live_story).frozen_at is not None
    client.logout()
    assert client.get(PAGE).status_code == 404
