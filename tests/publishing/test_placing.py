"""What a picture is about is kept with what is frozen, and words stand beside it."""

from __future__ import annotations

import pytest

from capsules.actions.previews import build_preview
from capsules.models import Asset
from capsules.painter.crops import subject_box
from config.words.languages import page_in
from publishing.models import Bake
from publishing.pages import placing

LEFT, RIGHT, MIDDLE = [0.1, 0.2, 0.3, 0.5], [0.6, 0.3, 0.8, 0.6], [0.4, 0.4, 0.6, 0.6]


@pytest.mark.parametrize(
    "focus, proposed, box",
    [
        ((0.45, 0.4), (0.45, 0.4), [0.1, 0.2, 0.8, 0.6]),  # of all faces
        ((0.7, 0.4), (0.45, 0.4), RIGHT),  # its author chose one
        ((0.5, 0.9), (0.45, 0.4), None),  # its author chose something else
    ],
)
def test_a_focus_stands_for_the_faces_that_it_was_proposed_for_or_for_the_one_that_was_chosen(
    focus, proposed, box
):
    assert subject_box([LEFT, RIGHT], focus, proposed) == box
    assert subject_box([], focus, proposed) is None


@pytest.mark.django_db
def test_preview_and_bake_keep_what_a_picture_is_about(ready_story, api):
    build_preview(ready_story)
    assert all("subject" not in scene for scene in ready_story.latest_preview.content["scenes"])
    Asset.objects.update(faces=[LEFT, MIDDLE])  # the focus lies in the second
    build_preview(ready_story)
    assert api.publish(ready_story).status_code == 200
    assert {tuple(scene["subject"]) for scene in Bake.objects.get().content["scenes"]} == {tuple(MIDDLE)}


def content_of(box, text="Two friends.", **fields):
    still = {"landscape": {"jpeg": [{"name": "a", "width": 1600, "height": 900}]}}
    scene = {
        "title": "", "text": text, "place": "auto", "size": "auto", "fit": "auto", "film": None, "camera": True,
        "focus": [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], "subject": box, "still": still,
    }  # fmt: skip
    return {"title": "A", "summary": "", "scenes": [scene, {**scene, **fields}, scene]}


@pytest.mark.parametrize(
    "box, side, place",
    [
        ([0.6, 0.2, 0.8, 0.5], "start", "low"),
        ([0.1, 0.2, 0.3, 0.5], "end", "low"),
        ([0.2, 0.6, 0.8, 0.95], "start", "high"),
        ([0.4, 0.5, 0.9, 0.99], "start", "high"),
    ],
)
@pytest.mark.parametrize("shape", [placing.PAGE, placing.EMBED])
def test_words_stand_at_the_first_place_that_is_free(box, side, place, shape):
    found = placing.placed(content_of(box), 1, shape)
    assert (found["side"], found["shown_place"]) == (side, place)


def test_on_a_page_from_right_to_left_the_sides_are_mirrored():
    with page_in("ar"):
        assert placing.placed(content_of([0.6, 0.2, 0.8, 0.5]), 1, placing.PAGE)["side"] == "end"


def test_a_chosen_place_is_kept_and_an_old_bake_has_a_point():
    content = content_of([0.6, 0.2, 0.8, 0.9], place="bottom")
    assert placing.placed(content, 1, placing.PAGE)["shown_place"] == "bottom"
    del content["scenes"][2]["subject"]
    assert placing.placed(content, 2, placing.PAGE)["bottom"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    "text, is_short",
    [
        ("Some doors are loud.", True),
        ("By morning the hills have come back one at a time, each paler than the last.", True),
        ("Then the harbour, smaller than remembered. " * 6, False),
        ("One.\n" * 9, False),
    ],
)
def test_only_few_words_leave_most_of_a_phone_to_the_picture(text, is_short):
    content = content_of(MIDDLE, text=text)
    found = [placing.placed(content, index, placing.PAGE)["is_short"] for index in range(3)]
    assert found == [False, is_short, False], "the first and the last scene tell more than their text"
