"""The lists of the studio: what is on a page of them, in which order, and what a card says of a capsule."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.actors import Actor
from accounts.statements import Reason
from capsules.actions import trash
from capsules.models import Asset, Encode, Story
from publishing import actions
from tests.support import factories
from tests.support.markup import parsed, words_of
from tests.support.moderation import make_staff, take_down
from tests.support.queries import asks_as_often

pytestmark = pytest.mark.django_db


@pytest.fixture
def capsules(sign_in, north_shore):
    """`capsules(**query)`: the list as a viewer sees it."""
    client, url = sign_in("viewer"), reverse("studio_capsules", kwargs={"workspace": north_shore.pk})
    return lambda **query: client.get(url, query)


@pytest.fixture
def library(sign_in, north_shore):
    """`library(**query)`: the files as a viewer sees them."""
    client, url = sign_in("viewer"), reverse("studio_media", kwargs={"workspace": north_shore.pk})
    return lambda **query: client.get(url, query)


def titles(page: HttpResponse) -> list[str]:
    return [card.story.title for card in page.context["cards"]]


def files(page: HttpResponse) -> list[str]:
    return [asset.filename for asset, _ in page.context["items"]]


def chosen(page: HttpResponse) -> list[str]:
    """The choices above a list that are marked as the present ones."""
    [nav] = [nav for nav in parsed(page).iter("nav") if nav.get("class") == "list-filter"]
    return [words_of(link) for link in nav.iter("a") if link.get("aria-current")]


def searched(page: HttpResponse) -> str:
    [field] = [field for field in parsed(page).iter("input") if field.get("id") == "search"]
    return str(field.get("value"))


# --- Capsules ----------------------------------------------------------------------------------------------------


def test_the_list_has_the_order_that_was_chosen(capsules, north_shore):
    now = timezone.now()
    for place, title in enumerate(("Boat", "Anchor", "Current")):
        story = factories.make_draft(north_shore, title=title)
        later, earlier = now + timedelta(minutes=place), now - timedelta(minutes=place)
        Story.objects.filter(pk=story.pk).update(created_at=later, updated_at=earlier)
    for sort, words, order in (
        ("edited", "Last edited", ["Boat", "Anchor", "Current"]),
        ("title", "Title", ["Anchor", "Boat", "Current"]),
        ("created", "Newest", ["Current", "Anchor", "Boat"]),
    ):
        page = capsules(sort=sort, show="drafts")
        assert (titles(page), chosen(page)) == (order, ["Drafts", words])


def test_a_page_of_the_list_has_24_capsules(capsules, north_shore):
    Story.objects.bulk_create(Story(workspace=north_shore, title=f"{number:02}") for number in range(25))
    first, second = capsules(sort="title"), capsules(sort="title", page=2)
    assert titles(first) == [f"{number:02}" for number in range(24)]
    assert titles(second) == ["24"]
    assert b"?page=2&amp;show=all&amp;sort=title&amp;q=" in first.content
    assert b"?page=1&amp;show=all&amp;sort=title&amp;q=" in second.content
    assert titles(capsules(sort="title", page=9)) == ["24"]


@pytest.mark.both_databases
def test_titles_are_searched_for_a_word_in_any_letters(capsules, north_shore):
    for title in ("A quiet draft", "Another", "y" * 200):
        factories.make_draft(north_shore, title=title)
    Story.objects.filter(title="Another").update(summary="A quiet one.")
    found = capsules(q="  QUIET ")
    assert (titles(found), searched(found)) == (["A quiet draft"], "QUIET")
    assert titles(capsules(q="y" * 201)) == ["y" * 200], "as many letters are read as the field takes"


def test_a_capsule_that_was_unpublished_is_a_draft_again(capsules, live_story, owner):
    Story.objects.filter(pk=live_story.pk).update(title="Changed since")
    actions.unpublish(live_story, by=Actor.by_token(owner))
    assert titles(capsules(show="live")) == []
    page = capsules(show="drafts")
    [card] = page.context["cards"]
    assert (card.is_live, card.link, card.has_unpublished_changes) == (False, "", False)
    [state] = [each for each in parsed(page).iter("p") if each.get("class") == "capsule-state"]
    assert words_of(state) == "Draft ready to publish"


def test_editions_are_in_the_menu_of_their_capsule_and_not_in_the_list(capsules, ready_story, rendered):
    factories.make_edition(ready_story, rendered)
    page = capsules()
    assert titles(page) == ["Small voyages"] and "Edition: Classroom" in words_of(parsed(page))


def test_a_card_says_what_was_taken_down_and_leads_to_the_reasons_and_no_reader_there(capsules, live_story):
    reasons = reverse("studio_taken_down", args=[live_story.pk])
    assert reasons not in capsules().content.decode()
    take_down(live_story, Reason.RIGHTS, by=make_staff())
    page = capsules()
    words = words_of(parsed(page))
    assert "Taken down" in words and "Copy link" not in words and reasons in page.content.decode()


@pytest.mark.parametrize("scenes, missing", [(0, 3), (4, 4)])
def test_a_card_counts_what_is_missing(scenes, missing, capsules, north_shore):
    factories.make_draft(north_shore, scenes=scenes)
    assert f"Draft {missing} things missing" in words_of(parsed(capsules()))


def test_a_card_shows_another_picture_where_the_chosen_one_is_not_there_yet(capsules, ready_story):
    chosen = ready_story.scenes.get(position=1)
    ready_story.scenes.filter(pk=chosen.pk).update(still_encode=None)
    ready_story.scenes.filter(position=0).update(focus_x=0.25, focus_y=0.5)
    Story.objects.filter(pk=ready_story.pk).update(cover=chosen)
    [card] = capsules().context["cards"]
    assert card.picture.focus == (0.25, 0.5)


def test_a_card_tells_how_much_of_all_its_pictures_and_films_is_rendered(capsules, ready_story):
    film = Encode.objects.create(kind="film", recipe="a film", sources=[], state="running", progress=21)
    ready_story.scenes.filter(position=0).update(animation_encode=film)
    assert "being prepared, 88 %" in words_of(parsed(capsules())), (
        "six parts are done, and 21 % of the seventh"
    )


# --- The trash ---------------------------------------------------------------------------------------------------


def test_the_trash_has_what_went_last_first_and_not_what_went_with_its_capsule(
    sign_in, ready_story, rendered, owner
):
    by, edition = Actor.by_token(owner), factories.make_edition(ready_story, rendered)
    for story in (factories.make_draft(ready_story.workspace, title="First"), ready_story):
        trash.trash_story(story, by=by)
    edition.refresh_from_db()
    assert edition.deleted_at is not None
    url = reverse("studio_trash", kwargs={"workspace": ready_story.workspace_id})
    rows = sign_in("viewer").get(url).context["cards"]
    assert [card.story.title for card, _ in rows] == ["Small voyages", "First"]


def test_an_edition_that_was_moved_to_the_trash_by_itself_is_brought_back_from_it(
    sign_in, ready_story, rendered, owner
):
    edition = factories.make_edition(ready_story, rendered)
    trash.trash_story(edition, by=Actor.by_token(owner))
    client, place = sign_in("owner"), {"workspace": ready_story.workspace_id}
    assert "Trash 1" in words_of(parsed(client.get(reverse("studio_capsules", kwargs=place))))
    [row] = parsed(client.get(reverse("studio_trash", kwargs=place))).findall(".//ul[@class='trash-rows']/li")
    assert words_of(row).startswith("Small voyages, classroom An edition of “Small voyages” Moved here by ")
    back = reverse("studio_restore", kwargs={"story": edition.pk})
    assert back in [form.get("action") for form in row.iter("form")]
    client.post(back)
    edition.refresh_from_db()
    assert edition.deleted_at is None


def test_the_trash_is_drawn_with_as_many_queries_however_many_editions_it_has(
    sign_in, ready_story, rendered, owner
):
    def throw_away(name: str) -> None:
        trash.trash_story(factories.make_edition(ready_story, rendered, name), by=Actor.by_token(owner))

    throw_away("classroom")
    url = reverse("studio_trash", kwargs={"workspace": ready_story.workspace_id})
    assert asks_as_often(sign_in("viewer"), url, after=lambda: throw_away("short"))


def test_what_is_back_already_opens_when_it_is_brought_back_again(sign_in, ready_story):
    url = reverse("studio_restore", kwargs={"story": ready_story.pk})
    answer = sign_in("owner").post(url, follow=True)
    assert answer.redirect_chain == [(reverse("studio_editor", kwargs={"story": ready_story.pk}), 302)]
    assert answer.context["boot"]["told"] == "", "it may be published by now"


# --- Files -------------------------------------------------------------------------------------------------------


def test_a_page_of_the_library_has_48_files_the_newest_first(library, north_shore):
    now = timezone.now()
    Asset.objects.bulk_create(
        Asset(
            workspace=north_shore, kind="picture", name=f"{number}", filename=f"{number}.png", width=2, height=2,
            created_at=now - timedelta(minutes=number),
        )
        for number in range(49)
    )  # fmt: skip
    first, second = library(q=".png"), library(q=".png", page=2)
    assert files(first) == [f"{number}.png" for number in range(48)]
    assert files(second) == ["48.png"]
    assert b"?page=2&amp;kind=all&amp;q=.png" in first.content


def test_the_library_says_what_it_shows_and_when_it_has_nothing_at_all(library, north_shore):
    assert b"Pictures and films that you put into scenes are kept here" in library().content
    for query in ({"kind": "film"}, {"q": "nowhere"}):
        assert b"No files match." in library(**query).content
    film = factories.shared_film(north_shore)
    still = {"name": "aa/a.png", "filename": "A still.png", "width": 2, "height": 2, "poster_of": film}
    Asset.objects.create(workspace=north_shore, kind="picture", **still)
    page = library(kind="picture", q="  STILL ")
    assert (files(page), chosen(page), searched(page)) == (["A still.png"], ["Pictures"], "STILL")
    assert files(library(kind="film")) == ["film.mp4"] and files(library(kind="odd", q="x" * 201)) == []


def test_a_file_keeps_its_picture_though_the_scene_that_showed_it_is_gone(library, ready_story, rendered):
    unfinished = Encode.objects.create(kind="still", recipe="a still", sources=[], state="running")
    ready_story.scenes.filter(position__in=(0, 3)).update(still_encode=unfinished)
    ready_story.scenes.update(deleted_at=timezone.now())
    [(_, picture)] = library().context["items"]
    assert picture == factories.smallest_jpeg(rendered)
