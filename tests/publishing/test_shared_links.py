"""What is shown of a link where it is shared: before a publish, after it, and in the list of capsules."""

from __future__ import annotations

import pytest
from django.urls import reverse

from capsules.actions import previews
from publishing.models import Publication, ViewCount
from publishing.studio.what_changes import changes_between
from tests.support import factories

LINK = "http://127.0.0.1:8000/north-shore/small-voyages"


@pytest.fixture
def as_owner(client, person):
    client.force_login(person("owner"))
    return client


def card_of(story, number: int) -> str:
    return reverse("studio_preview_card", kwargs={"story": story.pk, "number": number})


def publish_page_of(story) -> str:
    return reverse("studio_publish", kwargs={"story": story.pk})


def rewrite(api, story, rendered, text: str = "Only in the draft.") -> int:
    """Changes the words of the first scene and builds a preview of it; returns its number."""
    api.call("PATCH", f"/stories/{story.pk}/scenes/{story.scenes.get(position=0).key}", {"text": text})
    story.refresh_from_db()
    built = previews.build_preview(story)
    factories.finish_encodes(rendered)
    return built.number


def test_the_card_of_a_preview_is_what_the_page_would_tell_chat_apps(as_owner, ready_story, api):
    card = as_owner.get(card_of(ready_story, 1)).json()
    assert (card["host"], card["title"]) == ("127.0.0.1:8000", "Small voyages")
    assert (card["opening"], card["alt"]) == ("This is scene 1 of Small voyages.", "Picture 1.")
    assert card["changes"] == []
    api.publish(ready_story)
    page = as_owner.get(LINK.removeprefix("http://127.0.0.1:8000")).content.decode()
    assert f'<meta property="og:image" content="http://127.0.0.1:8000{card["picture"]}">' in page


def test_a_preview_that_is_not_ready_and_a_capsule_that_is_not_live_have_no_card(as_owner, ready_story):
    ready_story.scenes.filter(position=2).update(still=None, still_encode=None, animation="")
    previews.build_preview(ready_story)
    assert as_owner.get(card_of(ready_story, 2)).status_code == 404
    assert as_owner.get(card_of(ready_story, 9)).status_code == 404
    assert as_owner.get(reverse("studio_card", kwargs={"story": ready_story.pk})).status_code == 404


def test_only_members_get_the_cards(client, person, live_story):
    for who, status in (("viewer", 200), ("stranger", 404)):
        client.force_login(person(who))
        assert client.get(card_of(live_story, 1)).status_code == status
        assert client.get(reverse("studio_card", kwargs={"story": live_story.pk})).status_code == status


def test_the_card_of_what_is_live_stays_until_the_publish_and_has_the_code_that_embeds_it(
    as_owner, live_story, api, rendered
):
    number = rewrite(api, live_story, rendered)
    answer = as_owner.get(reverse("studio_card", kwargs={"story": live_story.pk}))
    assert "no-store" in answer["Cache-Control"]
    live = answer.json()
    assert live["opening"] == "This is scene 1 of Small voyages."
    assert live["embed"].startswith(f'<iframe src="{LINK}/embed"')
    told = as_owner.get(card_of(live_story, number)).json()
    assert (told["opening"], told["changes"]) == ("Only in the draft.", ["New words: scene 1"])
    again = rewrite(api, live_story, rendered, "This is scene 1 of Small voyages.")
    changes = as_owner.get(card_of(live_story, again)).json()["changes"]
    assert changes == [], "readers get it as it is, whatever the last preview had"


def test_the_card_of_an_edition_is_its_own(as_owner, live_story, rendered, api):
    edition = factories.make_edition(live_story, rendered)
    assert api.publish(edition).status_code == 200
    card = as_owner.get(reverse("studio_card", kwargs={"story": edition.pk})).json()
    assert card["title"] == "Small voyages, classroom" and "edition=classroom" in card["embed"]


@pytest.mark.parametrize("state", ["building", "failed"])
def test_a_preview_that_is_not_rendered_shows_nothing(state, as_owner, ready_story):
    preview = ready_story.latest_preview
    preview.encodes.update(state={"building": "running", "failed": "failed"}[state])
    here = {"story": ready_story.pk, "number": preview.number}
    for name, more in (("preview_frame", {}), ("preview_card", {}), ("letter", {"mode": "FULL"})):
        assert as_owner.get(reverse(f"studio_{name}", kwargs={**here, **more})).status_code == 404, name
    page = as_owner.get(reverse("studio_preview", kwargs=here), {"as": "card"})
    assert (page.status_code, page.context["card"]) == (200, None)


def test_an_unknown_way_to_look_at_a_preview_is_that_of_a_desk(as_owner, ready_story):
    page = as_owner.get(reverse("studio_preview", kwargs={"story": ready_story.pk, "number": 1}), {"as": "x"})
    assert page.context["chosen"] == "desktop"


def test_a_draft_has_the_share_buttons_that_its_page_has(as_owner, live_story):
    for shares in (True, False):
        Publication.objects.filter(story=live_story).update(show_social_share=shares)
        frame = as_owner.get(reverse("studio_frame", kwargs={"story": live_story.pk})).content.decode()
        assert ('popovertarget="share"' in frame) is shares


def test_a_draft_leads_to_the_capsule_that_its_page_leads_to(as_owner, live_story, api, rendered):
    api.publish(factories.make_story(live_story.workspace, rendered, title="Before it"))
    frame = as_owner.get(reverse("studio_frame", kwargs={"story": live_story.pk})).content.decode()
    way_on = frame[frame.index('href="/north-shore/before-it" rel="next"') :]
    assert '<img class="x50 y50"' in way_on, "its picture is cropped around its focus"


SCENES = [{"id": key, "text": key, "still": 1, "focus": [0.5, 0.5]} for key in "abc"]
BEFORE = {"title": "T", "cover": 0, "scenes": SCENES}


@pytest.mark.parametrize(
    "after, said",
    [
        ({}, []),
        ({"title": "U", "language": "de"}, ["Of the capsule: title and language"]),
        ({"summary": "S.", "look": {"theme": "ink"}}, ["Of the capsule: sentence under the title and look"]),
        ({"scenes": [{**SCENES[0], "text": "x"}, *SCENES[1:]]}, ["New words: scene 1"]),
        ({"scenes": [{**s, "text": "x"} for s in SCENES]}, ["New words: scenes 1, 2 and 3"]),
        ({"scenes": [SCENES[0], {**SCENES[1], "still": 2}, SCENES[2]]}, ["New look or movement: scene 2"]),
        ({"scenes": [{**s, "fit": "contain"} for s in SCENES]}, ["New look or movement: scenes 1, 2 and 3"]),
        ({"scenes": [*SCENES, {**SCENES[0], "id": "d"}]}, ["Added: scene 4"]),
        ({"scenes": [*SCENES, *({**SCENES[0], "id": key} for key in "de")]}, ["Added: scenes 4 and 5"]),
        ({"scenes": SCENES[:2]}, ["Removed: 1 scene"]),
        ({"scenes": SCENES[:1]}, ["Removed: 2 scenes"]),
        ({"scenes": [SCENES[1], SCENES[0], SCENES[2]], "cover": 1}, ["Another order of the scenes"]),
        ({"scenes": [*SCENES[:2], {**SCENES[0], "id": "d"}]}, ["Added: scene 3", "Removed: 1 scene"]),
        ({"scenes": SCENES[1:], "cover": 0}, ["Removed: 1 scene", "Another cover"]),
        ({"scenes": [SCENES[0], SCENES[2], SCENES[1]]}, ["Another order of the scenes"]),
    ],
)
def test_what_changes_for_readers_is_said_by_scene(after, said):
    assert changes_between(BEFORE, {**BEFORE, **after}) == said


def test_the_plain_page_shows_the_card_before_a_publish_and_asks_for_the_rest_folded(as_owner, ready_story):
    page = as_owner.get(publish_page_of(ready_story)).content.decode()
    assert page.index('class="link-cards"') < page.index('name="slug"') < page.index('class="publish-more"')
    assert page.index('class="publish-more"') < page.index('name="readers"')
    assert '<details class="publish-more">' in page
    assert 'name="email"' in page[: page.index('class="publish-more"')]


def test_what_was_refused_in_the_folded_part_is_not_hidden(as_owner, ready_story):
    form = {"slug": "small-voyages", "readers": "nobody", "brand": "STANDARD", "email": "OFF"}
    assert b'<details class="publish-more" open>' in as_owner.post(publish_page_of(ready_story), form).content


def test_a_republish_of_words_says_what_changes_and_nothing_of_preparing(as_owner, live_story, api, rendered):
    here = f"/stories/{live_story.pk}/scenes/{live_story.scenes.get(position=0).key}"
    api.call("PATCH", here, {"text": "New."})
    page = as_owner.get(publish_page_of(live_story)).content.decode()
    assert "Publish changes to" in page and "prepared" not in page and "Prepare" not in page
    as_owner.post(reverse("studio_prepare", kwargs={"story": live_story.pk}))
    factories.finish_encodes(rendered)
    shown = as_owner.get(publish_page_of(live_story))
    cards = [shown.context[name]["opening"] for name in ("live_card", "card")]
    assert cards == ["This is scene 1 of Small voyages.", "New."]
    page = shown.content.decode()
    assert "<li>New words: scene 1</li>" in page
    assert page.index("New words: scene 1") < page.index("<h2>Live</h2>")


def test_what_has_pictures_to_prepare_says_so(as_owner, live_story, api):
    here = f"/stories/{live_story.pk}/scenes/{live_story.scenes.get(position=0).key}"
    api.call("PATCH", here, {"focus": [0.1, 0.1]})
    page = as_owner.get(publish_page_of(live_story)).content.decode()
    assert "That takes a minute or two" in page and "Prepare it" in page


def test_what_is_live_has_a_card_a_qr_code_and_what_embeds_it(as_owner, live_story):
    page = as_owner.get(publish_page_of(live_story)).content.decode()
    assert 'class="link-card"' in page
    assert f'alt="QR code of {LINK}"' in page
    qr = as_owner.get(f"{reverse('studio_qr')}?url={LINK}")
    assert (qr.status_code, qr["Content-Type"]) == (200, "image/svg+xml")
    assert f"&lt;iframe src=&quot;{LINK}/embed&quot;" in page
    for words in ("Open</a>", ">Copy link</button>", ">Share</button>", ">Copy embed code</button>"):
        assert words in page


def test_the_list_says_how_often_a_live_capsule_was_opened_and_copies_its_link(as_owner, live_story):
    factories.make_draft(live_story.workspace)
    url = reverse("studio_capsules", kwargs={"workspace": live_story.workspace_id})
    page = as_owner.get(url).content.decode()
    assert page.count(" opened</span>") == page.count("data-copy") == 1
    assert "<span>0 opened</span>" in page
    assert f'data-copy="{LINK}" hidden>Copy link</button>' in " ".join(page.split())
    ViewCount.objects.create(publication=live_story.publication, views=1234)
    assert "<span>1,234 opened</span>" in as_owner.get(url).content.decode()
