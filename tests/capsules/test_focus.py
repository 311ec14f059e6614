"""A focus is proposed for each picture: its faces, or what it is about."""

from __future__ import annotations

import logging
import random

import pytest
from PIL import Image, ImageDraw

from capsules import media
from capsules.demo import pictures
from capsules.media import painting, proposals
from capsules.media.child import Limits
from capsules.painter import subjects, tasks
from tests.support.drawing import draw_faces
from tests.support.subjects import SIZE as DRAWN
from tests.support.subjects import drawn, is_inside, of_the_demo, put_subject

pytestmark = pytest.mark.usefixtures("patient_search")

SIZE = (1200, 800)


@pytest.fixture(scope="module")
def portrait(tmp_path_factory):
    return draw_faces(tmp_path_factory.mktemp("faces") / "one.png", [(960, 240)], size=SIZE, face=220)


def find(path) -> media.Subject:
    return media.find_subject(path, media.inspect(path, "picture"))


def test_faces_are_found_and_many_of_them_are_kept_together(portrait, tmp_path):
    found = find(portrait)
    ((left, top, right, bottom),) = found.faces
    assert left < 960 / 1200 < right and top < 240 / 800 < bottom
    assert found.focus == pytest.approx((960 / 1200, 240 / 800), abs=0.04)

    places = [(160 + 180 * place, 300 + place % 2 * 120) for place in range(8)]
    eight = draw_faces(tmp_path / "eight.png", places, size=(1600, 800), face=120)
    focus, faces = subjects.main_subject(Image.open(eight))
    assert len(faces) == 8
    assert focus == pytest.approx((0.5, 0.45), abs=0.05)


def test_a_picture_for_links_keeps_a_face_whole_that_is_higher_than_it(tmp_path):
    upright = draw_faces(tmp_path / "upright.png", [(270, 320)], size=(540, 960), face=330)
    focus, _ = subjects.main_subject(Image.open(upright))
    tasks.cover(str(upright), "image/png", focus, str(tmp_path / "card.jpg"), "card")
    ((_, top, _, bottom),) = subjects.faces_in(Image.open(tmp_path / "card.jpg").convert("L"))
    assert top > 0.05 and bottom < 0.95, "with its hair and its chin"


@pytest.mark.parametrize("degrees", [30, -30])
def test_the_face_of_an_inclined_head_is_found(portrait, degrees):
    wall = (120, 140, 160)
    picture = Image.open(portrait).rotate(degrees, center=(960, 240), fillcolor=wall)
    focus, ((left, top, right, bottom),) = subjects.main_subject(picture)
    assert focus == pytest.approx((960 / 1200, 240 / 800), abs=0.04)
    assert (right - left) * 1200 == pytest.approx(220 * 1.15, rel=0.25)
    assert (right - left) * 1200 == pytest.approx((bottom - top) * 800, abs=2)


def test_a_small_bright_spot_does_not_outdo_the_thing_beside_it():
    picture = Image.new("RGB", DRAWN, "#20242c")
    box = (0.62, 0.45, 0.9, 0.85)
    put_subject(picture, box, "#39463c", random.Random(1))
    ImageDraw.Draw(picture).ellipse((113, 78, 137, 102), fill="#fffbe8")
    assert is_inside(subjects.main_subject(picture)[0], box)


def test_it_is_in_the_moon_over_dark_hills():
    night = Image.new("RGB", (960, 640), "#101a33")
    draw = ImageDraw.Draw(night)
    draw.ellipse((200, 140, 300, 240), fill="#fffbe8")
    draw.polygon([(500, 560), (640, 440), (800, 560)], fill="#18233d")
    assert subjects.main_subject(night)[0] == pytest.approx((250 / 960, 190 / 640), abs=0.02)


def test_without_a_face_it_is_in_what_the_picture_is_about():
    """In nine of ten; each subject stands well off the middle, so that an answer that is always the middle has none."""
    cases = [*drawn(), *of_the_demo()]
    assert len(cases) >= 70
    assert not any(is_inside((0.5, 0.5), box) for _, _, box in cases)
    missed = [name for name, picture, box in cases if not is_inside(subjects.detail_in(picture), box)]
    assert len(missed) <= len(cases) / 10, missed
    under_the_moon = {"crossing 0", "crossing 3", "crossing 5"}
    assert under_the_moon < {name for name, _, _ in cases} and under_the_moon.isdisjoint(missed), (
        "in the ferry"
    )


def test_there_is_no_face_under_the_sea():
    assert subjects.faces_in(Image.open(pictures.file_of("undersea")).convert("L")) == []


def test_of_a_picture_of_one_colour_it_is_the_middle():
    nothing, faces = subjects.main_subject(Image.new("RGB", (300, 200), "#46507a"))
    assert nothing == pytest.approx((0.5, 0.5), abs=0.01) and faces == []


def test_between_two_subjects_it_is_one_of_them():
    picture = Image.new("RGB", DRAWN, "#8f9aa5")
    boxes = [(0.07, 0.35, 0.29, 0.65), (0.71, 0.35, 0.93, 0.65)]
    for box in boxes:
        put_subject(picture, box, "#f4d35e", random.Random(1))
    focus, _ = subjects.main_subject(picture)
    assert any(is_inside(focus, box) for box in boxes)


def test_a_search_that_hangs_leaves_the_middle_and_a_word_in_the_log(portrait, monkeypatch, caplog):
    facts = media.inspect(portrait, "picture")
    monkeypatch.setattr(painting, "PROGRAM", "import time; time.sleep(60)")
    monkeypatch.setattr(proposals, "LIMITS", Limits(0.2, 1, 2 << 30, 1 << 20))
    with caplog.at_level(logging.WARNING):
        assert media.find_subject(portrait, facts) == media.Subject()
    assert "No focus could be proposed" in caplog.text
