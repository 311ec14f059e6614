"""What every page keeps, as it is served: one heading at the top, ways that lead somewhere, who may index it."""

from __future__ import annotations

import html5lib
import pytest

from tests.support import factories
from tests.support.markup import metas, parsed

pytestmark = pytest.mark.django_db
NOINDEX, LISTED = "noindex", None
#: Address → what robots are told: each public page, and one of each kind that a person has.
PUBLIC = {
    "/": LISTED,
    "/north-shore": LISTED,
    "/north-shore/small-voyages": "index, max-image-preview:large, max-video-preview:-1",
    "/north-shore/small-voyages?edition=classroom": "index, max-image-preview:large, max-video-preview:-1",
    "/north-shore/small-voyages/embed": NOINDEX,
    "/north-shore/none": NOINDEX,
    "/subscribe/north-shore": NOINDEX,
    "/report": NOINDEX,
    "/report?link=/north-shore/small-voyages": NOINDEX,
    "/privacy": LISTED,
    "/api/v2/docs": LISTED,
    "/account/login/": NOINDEX,
    "/account/signup/": NOINDEX,
    "/account/password/reset/": NOINDEX,
}
OF_A_PERSON = {
    "/account/": NOINDEX,
    "/account/workspaces/{workspace}": NOINDEX,
    "/subscribers/{workspace}": NOINDEX,
    "/studio/{workspace}": LISTED,
    "/studio/{workspace}/face": NOINDEX,
    "/studio/stories/{story}": NOINDEX,
    "/studio/stories/{story}/history": LISTED,
    "/studio/stories/{story}/preview/1": NOINDEX,
}
ALL = PUBLIC | OF_A_PERSON
#: Pages that begin with their content, or are there to be answered and no more.
NO_SKIP = ("/embed", "/none", "/studio/stories/{story}", "/subscribe/north-shore", "/preview/1")


@pytest.fixture
def tree(live_story, rendered, api, owner, client):
    """A page as it is parsed, opened by an owner where it is not public."""

    def opened(address: str):
        if address == "/north-shore/small-voyages?edition=classroom":
            api.publish(factories.make_edition(live_story, rendered))
        if address in OF_A_PERSON:
            client.force_login(owner)
        path = address.format(workspace=live_story.workspace_id, story=live_story.pk)
        answer = client.get(path, follow=True)
        assert answer.status_code == (404 if address.endswith("/none") else 200), answer.status_code
        return parsed(answer)

    return opened


@pytest.mark.parametrize("address", ALL)
def test_a_page_keeps_what_every_page_keeps(address, tree):
    page = tree(address)
    metas = {it.get("name"): it.get("content") for it in page.iter("meta")}
    assert metas.get("robots") == ALL[address]
    assert metas["viewport"].startswith("width=device-width, initial-scale=1")
    assert (page.get("lang"), page.get("dir")) == ("en", "ltr")

    ids = [it.get("id") for it in page.iter() if it.get("id")]
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "aria-describedby", "for", "popovertarget"):
        named = {each for it in page.iter() for each in it.get(name, "").split()}
        # A fault has its place in a form before there is one, and the editor's dialogs come with its script.
        assert {
            it for it in named - set(ids) if not it.endswith("-fault") and it != "dialog-title"
        } == set(), name
    anchors = {it.get("href")[1:] for it in page.iter("a") if it.get("href", "").startswith("#")}
    assert anchors <= set(ids)

    if not address.endswith(NO_SKIP) and not address.startswith("/report"):
        check_first_way(page)


def check_first_way(page) -> None:
    """It leads to the content of the page."""
    first = next(page.iter("a"))
    assert "skip" in first.get("class").split()
    target = first.get("href")[1:]
    (content,) = (it for it in page.iter() if it.get("id") == target)
    assert content.tag == "section" or content.get("tabindex") == "-1"


def by_class(page, name: str):
    (found,) = (it for it in page.iter() if name in it.get("class", "").split())
    return found


def test_the_reader_tells_ears_where_a_scene_begins_and_what_happens(tree):
    page = tree("/north-shore/small-voyages")
    scenes = [it for it in page.iter("section") if "scene" in it.get("class").split()]
    assert [it.get("aria-labelledby") for it in scenes] == ["label-1", "label-2", "label-3", "label-4"]
    toast = by_class(page, "toast")
    assert (toast.get("popover"), toast.get("role")) == ("manual", "status")
    assert by_class(page, "hint").get("aria-hidden") == "true"
    code = next(it for it in page.iter("textarea"))
    assert "readonly" in code.attrib and code.get("dir") == "ltr"
    for name in ("motion", "play"):
        (button,) = (it for it in page.iter("button") if it.get("id") == name)
        assert "hidden" in button.attrib


def test_the_embed_can_be_turned_by_keys_and_says_its_title(tree):
    page = tree("/north-shore/small-voyages/embed")
    deck = by_class(page, "deck")
    assert (deck.get("tabindex"), deck.get("aria-label")) == ("0", "Small voyages")
    assert [it.get("aria-label") for it in deck][:2] == ["1 / 4: Scene 1", "2 / 4: Scene 2"]
    steps = [it for it in page.iter("button") if it.get("id") in ("back", "on", "motion", "play")]
    assert len(steps) == 4 and all("hidden" in it.attrib for it in steps)


@pytest.mark.parametrize("ending, surface", [("", ""), ("/embed", "&s=embed")])
def test_who_reads_without_script_is_counted_by_a_picture(ending, surface, live_story, client):
    text = client.get(f"/north-shore/small-voyages{ending}").content.decode()
    tree = html5lib.parse(text, scripting=False, namespaceHTMLElements=False)
    (noscript,) = tree.iter("noscript")
    (picture,) = noscript.iter("img")
    publication = live_story.publication
    assert picture.get("src") == f"/r/{publication.pk}?b={publication.live_bake.number}&e={surface}"
    assert (picture.get("alt"), picture.get("width")) == ("", "1")


@pytest.mark.parametrize("ending", ["", "/embed"])
def test_words_of_an_author_run_in_their_own_direction(ending, live_story, client):
    page = parsed(client.get(f"/north-shore/small-voyages{ending}"))
    theirs = [
        it for it in page.iter() if it.tag == "h1" or {"text", "kicker"} & {*it.get("class", "").split()}
    ]
    assert len(theirs) >= 5
    assert {it.get("dir") for it in theirs} == {"auto"}


def test_who_shares_a_capsule_gives_its_picture_in_words_and_its_times(live_story, client):
    answer = client.get("/north-shore/small-voyages")
    page, told = parsed(answer), metas(answer)
    published = live_story.publication.published_at.isoformat()
    assert told["twitter:image:alt"] == told["og:image:alt"] == "Picture 1."
    assert told["author"] == told["article:author"] == "Ines Okafor"
    assert told["og:image:type"] == "image/jpeg"
    assert told["og:url"] == "http://127.0.0.1:8000/north-shore/small-voyages"
    assert told["article:published_time"] == told["article:modified_time"] == published.replace(".000000", "")
    assert by_class(page, "u-url").get("value") == told["og:url"]
    assert by_class(page, "dt-published").get("datetime") == told["article:published_time"]
