"""Whoever may only read finds no button that writes on any page of the studio, and whoever may write does."""

from __future__ import annotations

import uuid

import html5lib
import pytest

from accounts.actors import Actor
from capsules.actions import trash
from tests.support import factories
from tests.support.markup import parsed, words_of

pytestmark = pytest.mark.django_db
STORY = "/studio/stories/{story}"
WORKSPACE = "/studio/{workspace}"
PAGES = {
    "the capsules": WORKSPACE,
    "the media": f"{WORKSPACE}/media",
    "the trash": f"{WORKSPACE}/trash",
    "the numbers": f"{WORKSPACE}/statistics",
    "the editions": f"{STORY}/editions",
    "an edition": "/studio/stories/{edition}/editions",
    "the history": f"{STORY}/history",
    "a draft of before": f"{STORY}/history?at=1",
    "a draft and the one before": f"{STORY}/history?at=1&against=before",
    "the versions": f"{STORY}/versions",
    "the publish": f"{STORY}/publish",
    "the editor without script": STORY,
}


@pytest.fixture
def pressed(once, live_story, owner, person, rendered, api, client):
    """What somebody can press on a page that sends a form, besides signing out."""

    def fill() -> uuid.UUID:
        gone = factories.make_story(live_story.workspace, rendered, title="Gone")
        trash.trash_story(gone, by=Actor(owner, "session"))
        live_story.title = "Other voyages"
        live_story.save()
        api.publish(live_story)
        return factories.make_edition(live_story, rendered).pk

    edition = once("pressed", fill)

    def at(page: str, who: str) -> list[str]:
        client.force_login(person(who))
        address = page.format(story=live_story.pk, workspace=live_story.workspace_id, edition=edition)
        answer = client.get(address)
        assert answer.status_code == 200, answer.status_code
        tree = parsed(answer)
        found = []
        for form in tree.iter("form"):
            if form.get("method") == "post" and "data-sign-out" not in form.attrib:
                found += map(words_of, form.iter("button"))
        return found

    return at


def test_a_viewer_finds_no_button_that_writes_and_an_editor_those_of_what_they_may_do(pressed):
    found = {page: pressed(address, "viewer") for page, address in PAGES.items()}
    assert found == {page: [] for page in PAGES}
    without = {page for page, address in PAGES.items() if not pressed(address, "editor")}
    assert without <= {"the numbers", "the versions", "a draft of before"}


def test_only_who_manages_a_workspace_deletes_forever_and_says_whose_days_are_counted(pressed):
    for page, button in (("the trash", "Delete forever"), ("the numbers", "Save")):
        assert button in pressed(PAGES[page], "owner")
        assert button not in pressed(PAGES[page], "editor")


def test_a_viewers_plain_fields_are_read_only(pressed, client, live_story):
    for who, is_free in (("viewer", False), ("editor", True)):
        pressed(PAGES["the editor without script"], who)
        page = client.get(STORY.format(story=live_story.pk)).content.decode()
        tree = html5lib.parse(page, scripting=False, namespaceHTMLElements=False)
        fields = [it for it in tree.iter() if it.tag in ("input", "textarea") and it.get("type") != "hidden"]
        assert fields
        assert {"readonly" not in it.attrib for it in fields} == {is_free}
