"""The page New capsule: with photographs, empty, from a finished example, from a text."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.conf import settings
from django.urls import reverse
from PIL import Image, ImageChops, ImageStat

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import advice, media, readiness, stand_ins
from capsules.demo.pictures import FOCUS, file_of
from capsules.examples import FACTS, KINDS, copy_example, examples
from capsules.models import Asset, Story
from capsules.pasting import Piece
from publishing.models import Publication
from publishing.studio.new_capsule import shown
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def writer(client, person):
    client.force_login(person("editor"))
    return client


def new_in(workspace: Workspace, page: str = "studio_new", **more: str) -> str:
    return reverse(page, kwargs={"workspace": workspace.pk, **more})


def editor_of(story: Story) -> str:
    return reverse("studio_editor", kwargs={"story": story.pk})


# --- The page --------------------------------------------------------------------------------------------------


def test_the_page_offers_every_way_to_begin_and_says_little(writer, north_shore):
    page = writer.get(new_in(north_shore)).content.decode()
    for way in ("Start with photographs and films", "Start empty", "<textarea", ".zip"):
        assert way in page
    assert [kind in page for kind in KINDS.values()] == [True] * 6
    assert page.count("<h1") == 1
    assert "<script" not in page.partition("<main")[2]


def test_every_way_to_a_new_capsule_leads_to_the_page(writer, north_shore, ready_story, harbour, person):
    link = f'href="{new_in(north_shore)}"'
    assert (
        link in writer.get(reverse("studio_capsules", kwargs={"workspace": north_shore.pk})).content.decode()
    )
    assert writer.get("/studio/new")["Location"] == new_in(north_shore)
    writer.force_login(person("stranger"))
    empty = writer.get(reverse("studio_capsules", kwargs={"workspace": harbour.pk})).content.decode()
    assert f'href="{new_in(harbour)}"' in empty and empty.count("<h1") == 1


def test_who_may_not_write_is_led_to_the_list_and_a_stranger_nowhere(client, person, north_shore):
    client.force_login(person("viewer"))
    assert client.get(new_in(north_shore))["Location"].endswith(str(north_shore.pk))
    client.force_login(person("stranger"))
    assert client.get(new_in(north_shore)).status_code == 404


def test_a_new_capsule_has_one_scene_that_moves_and_the_name_of_its_author(writer, north_shore):
    answer = writer.post(new_in(north_shore))
    story = Story.objects.get()
    assert answer["Location"] == editor_of(story) and story.visibility == Story.Visibility.PRIVATE
    assert (story.title, story.author_name, story.workspace) == ("Untitled", "Editor", north_shore)
    assert [(scene.text, scene.animation) for scene in story.scenes.all()] == [("", "auto")]


def test_start_empty_opens_the_words_of_the_first_scene(writer, north_shore):
    answer = writer.post(new_in(north_shore), {"empty": ""})
    story = Story.objects.get()
    assert answer["Location"] == f"{editor_of(story)}#{story.scenes.get().key}.text"


# --- Examples --------------------------------------------------------------------------------------------------


def test_every_example_has_another_look_and_two_pictures_alike_in_none():
    found = list(examples().values())
    looks = {(e.content["look"]["theme"], e.content["look"]["face"]) for e in found}
    assert len(found) == len(looks) == 6
    assert {theme for theme, _ in looks} == {"night", "day", "paper", "ink"}
    assert {face for _, face in looks} == {"serif", "sans", "slab"}
    scenes = [scene for example in found for scene in example.content["scenes"]]
    assert {scene["place"] for scene in scenes} == {"auto", "top", "middle", "bottom"}
    assert {scene["size"] for scene in scenes} == {"auto", "large", "small"}
    for example in found:
        stills = [scene["still"] for scene in example.content["scenes"]]
        assert len(set(stills)) == len(stills) >= 5
    assert len({example.opening["still"] for example in found}) == 6


@pytest.mark.parametrize("name", KINDS)
def test_a_copy_lacks_nothing_and_nothing_of_it_is_published(name, writer, north_shore, rendered):
    answer = writer.post(new_in(north_shore, "studio_new_example", name=name))
    story = Story.objects.get()
    assert answer["Location"] == editor_of(story)
    content = examples()[name].content
    assert (story.title, story.theme, story.face) == (
        content["title"],
        *(content["look"][k] for k in ("theme", "face")),
    )
    assert story.visibility == Story.Visibility.PRIVATE and not Publication.objects.exists()
    assert (story.author_name, story.created_by.email) == ("Editor", "editor@north-shore.example")
    factories.finish_encodes(rendered)
    assert readiness.faults(story, story.latest_preview) == []
    scenes = list(story.scenes.select_related("still", "film", "still_encode", "animation_encode"))
    assert [hint.code for hint in advice.hints(story, scenes)] == []


def test_the_editor_has_the_pictures_before_they_are_rendered(writer, north_shore, rendered):
    writer.post(new_in(north_shore, "studio_new_example", name="recipe"))
    story = Story.objects.get()
    draft = writer.get(editor_of(story)).context["boot"]["draft"]
    shown = [scene["still"]["thumbnailUrl"] for scene in draft["scenes"]]
    stills = ("orchard", "harbour", "kitchen", "city", "hill-house")
    assert shown == [f"{settings.APP_URL}{stand_ins.url_of(name)}" for name in stills]
    factories.finish_encodes(rendered)
    draft = writer.get(editor_of(story)).context["boot"]["draft"]
    assert all("/media/" in scene["still"]["thumbnailUrl"] for scene in draft["scenes"])


def test_two_copies_share_the_pictures_and_their_focus_is_known(north_shore, owner):
    by = Actor.by_token(owner)
    one, other = (copy_example(examples()["journey"], north_shore, by=by) for _ in range(2))
    assert Asset.objects.count() == 5
    assert [s.still_encode_id for s in one.scenes.all()] == [s.still_encode_id for s in other.scenes.all()]
    assert list(Asset.objects.get(filename="hut.webp").focus) == list(FOCUS["hut"])


def test_nobody_waits_for_a_look_into_pictures_that_are_known(north_shore, owner, monkeypatch):
    """A child process for each would take longer than the whole page."""
    assert media.inspect(file_of("hut"), "picture") == FACTS
    for look in ("inspect", "find_subject"):
        monkeypatch.setattr(media, look, lambda *args, **more: pytest.fail("It was looked into."))
    copy_example(examples()["journey"], north_shore, by=Actor.by_token(owner))


@pytest.mark.parametrize("who, status", [("viewer", 302), ("stranger", 404)])
def test_only_those_who_write_get_an_example(who, status, client, person, north_shore):
    client.force_login(person(who))
    assert client.post(new_in(north_shore, "studio_new_example", name="recipe")).status_code == status
    assert not Story.objects.exists() and not Asset.objects.exists()


def test_an_unknown_example_is_not_found_and_one_without_room_is_refused_in_words(
    writer, north_shore, settings
):
    assert writer.post(new_in(north_shore, "studio_new_example", name="novel")).status_code == 404
    settings.MEDIA_QUOTA = {"pro": 1, "free": 1}
    answer = writer.post(new_in(north_shore, "studio_new_example", name="recipe"), follow=True)
    assert "does not fit" in answer.content.decode()
    assert not Story.objects.exists()


def test_the_small_copies_of_pictures_show_the_same():
    for name in FOCUS:
        small = Image.open(settings.BASE_DIR / "static" / "examples" / f"{name}.webp").convert("RGB")
        whole = Image.open(file_of(name)).convert("RGB").reduce(4).resize(small.size)
        assert max(ImageStat.Stat(ImageChops.difference(small, whole)).mean) < 6, name


def test_the_small_copies_are_light():
    files = list((settings.BASE_DIR / "static" / "examples").iterdir())
    assert {file.stem for file in files} == FOCUS.keys()
    assert sum(file.stat().st_size for file in files) < 300_000


# --- A text ----------------------------------------------------------------------------------------------------

TEXT = "The Night Ferry\n\nIt leaves at dusk. Nobody is late.\n\nHalfway over, it goes quiet.\n\nThe hills are back."


def state_in(answer) -> str:
    return html.unescape(re.search(r'name="scenes" value="([^"]*)"', answer.content.decode())[1])


def texts_in(state: str) -> list[str]:
    return [text for text, _, removed in json.loads(state) if not removed]


def test_a_pasted_text_is_shown_as_scenes_that_can_be_adjusted_before_they_are_made(writer, north_shore):
    page = new_in(north_shore, "studio_new_text")
    answer = writer.post(page, {"text": TEXT})
    assert "Make 3 scenes" in answer.content.decode() and "has room for" not in answer.content.decode()
    assert not Story.objects.exists()
    form = {"title": "Ferries", "scenes": state_in(answer)}
    for action, left in (
        (
            "merge:2",
            ["It leaves at dusk. Nobody is late.", "Halfway over, it goes quiet.\n\nThe hills are back."],
        ),
        (
            "split:0:1",
            ["It leaves at dusk.", "Nobody is late.", "Halfway over, it goes quiet.\n\nThe hills are back."],
        ),
        ("remove:0", ["Nobody is late.", "Halfway over, it goes quiet.\n\nThe hills are back."]),
        (
            "restore:0",
            ["It leaves at dusk.", "Nobody is late.", "Halfway over, it goes quiet.\n\nThe hills are back."],
        ),
        ("remove:1", ["It leaves at dusk.", "Halfway over, it goes quiet.\n\nThe hills are back."]),
    ):
        form["scenes"] = state_in(writer.post(page, {**form, "do": action}))
        assert texts_in(form["scenes"]) == left
    assert "Put back" in (again := writer.post(page, form).content.decode()) and 'value="Ferries"' in again
    answer = writer.post(page, {**form, "do": "make"})
    story = Story.objects.get()
    assert answer["Location"] == editor_of(story)
    assert story.title == "Ferries" and story.visibility == Story.Visibility.PRIVATE
    assert [scene.text for scene in story.scenes.order_by("position")] == texts_in(form["scenes"])
    assert {scene.animation for scene in story.scenes.all()} == {"auto"}


def test_the_title_is_the_first_short_line(writer, north_shore):
    answer = writer.post(new_in(north_shore, "studio_new_text"), {"text": TEXT})
    assert 'value="The Night Ferry"' in answer.content.decode()


def test_more_scenes_than_there_is_room_for_are_said_in_words_and_none_is_lost(writer, north_shore):
    page = new_in(north_shore, "studio_new_text")
    many = "\n\n".join(f"Paragraph number {number}." for number in range(130))
    answer = writer.post(page, {"text": many})
    words = " ".join(answer.content.decode().split())
    assert (
        "These are 130 scenes, and a capsule has room for 100." in words and "Paragraph number 129." in words
    )
    state = state_in(answer)
    refused = writer.post(page, {"scenes": state, "do": "make"})
    assert texts_in(state_in(refused)) == texts_in(state) and not Story.objects.exists()
    fitted = state_in(writer.post(page, {"scenes": state, "do": "fit"}))
    writer.post(page, {"scenes": fitted, "do": "make"})
    told = "\n\n".join(scene.text for scene in Story.objects.get().scenes.order_by("position"))
    assert told == many


def test_what_the_service_refuses_leaves_everything_on_the_page(writer, north_shore):
    page = new_in(north_shore, "studio_new_text")
    state = state_in(writer.post(page, {"text": TEXT}))
    answer = writer.post(page, {"scenes": state, "title": "x" * 201, "do": "make"})
    assert state_in(answer) == state and "200 characters" in answer.content.decode()
    assert not any(str(message).startswith("title:") for message in answer.context["messages"])


def test_a_scene_is_split_behind_the_sentence_that_was_chosen_and_numbers_are_texts(writer, north_shore):
    page = new_in(north_shore, "studio_new_text")
    form = {"scenes": json.dumps([["One. Two. Three.", "", False], [4, "", 0]]), "do": "split:0:2"}
    assert texts_in(state_in(writer.post(page, form))) == ["One. Two.", "Three.", "4"]


def test_a_button_that_no_page_has_changes_nothing(writer, north_shore):
    scenes = json.dumps([["One.", "", False], ["Two.", "", False]])
    for do in ("split:0:1:2:3", "merge:9", "remove:x"):
        answer = writer.post(new_in(north_shore, "studio_new_text"), {"scenes": scenes, "do": do})
        assert answer.status_code == 200, do
        assert do.startswith("remove") or state_in(answer) == scenes, do


def test_a_text_keeps_its_headings_and_without_a_title_the_capsule_has_none(writer, north_shore):
    page = new_in(north_shore, "studio_new_text")
    state = state_in(writer.post(page, {"text": "# Dusk\n\nIt leaves.\n\n# Dawn\n\nIt is back."}))
    writer.post(page, {"scenes": state, "title": "  ", "do": "make"})
    story = Story.objects.get()
    assert (story.title, story.author_name) == ("Untitled", "Editor")
    titles = [scene.title for scene in story.scenes.order_by("position")]
    assert titles[-1] == "Dawn", titles


def test_scenes_count_without_those_that_are_removed_which_merge_with_none(settings):
    settings.SCENES_PER_STORY = 3
    pieces = [Piece("One. Two."), Piece("Out.", removed=True), Piece("Three."), Piece("Four.")]
    page = shown("T", pieces)
    rows = [(row["number"], row["merges"], row["sentences"]) for row in page.pop("rows")]
    assert rows == [
        (1, False, ["One. ", "Two."]),
        (1, False, ["Out."]),
        (2, False, ["Three."]),
        (3, True, ["Four."]),
    ]
    state = page.pop("state")
    assert json.loads(state)[1] == ["Out.", "", True]
    assert page == {"title": "T", "count": 3, "room": 3, "over": 0, "fits": False}


@pytest.mark.parametrize("letters, fits", [(10, True), (1999, False)])
def test_more_scenes_than_there_is_room_for_fit_where_they_can_be_merged(letters, fits, settings):
    settings.SCENES_PER_STORY = 2
    page = shown("T", [Piece("x" * letters)] * 4)
    assert (page["count"], page["over"], page["fits"]) == (4, 2, fits)
    page = shown("T", [Piece("x" * 999)] * 4)
    assert page["fits"], "two and two fill the room"


def test_who_comes_to_the_scenes_without_a_text_is_led_to_the_page_and_blamed_for_nothing(
    writer, north_shore
):
    answer = writer.get(new_in(north_shore, "studio_new_text"), follow=True)
    assert answer.redirect_chain == [(new_in(north_shore), 302)]
    assert "Paste a text first." not in answer.content.decode()


def test_no_text_leads_back_with_a_sentence(writer, north_shore):
    broken = ("[1]", "[" * 100_000)
    for form in ({"text": " \n "}, *({"scenes": scenes} for scenes in broken), {}):
        answer = writer.post(new_in(north_shore, "studio_new_text"), form, follow=True)
        assert "Paste a text first." in answer.content.decode(), str(form)[:40]


def test_a_capsule_of_no_scene_is_not_made(writer, north_shore):
    form = {"scenes": json.dumps([["One.", "", True]]), "do": "make"}
    answer = writer.post(new_in(north_shore, "studio_new_text"), form)
    assert "Put one back" in answer.content.decode() and not Story.objects.exists()
