"""How pictures and films stand on a screen by default: by their shape, unless their author chose."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from publishing.pages.framing import framing_of


def scene(width: int, height: int, *, film: bool = False, fit: str = "auto") -> dict:
    size = {"name": "ab/a", "media_type": "x", "width": width, "height": height, "bytes": 1}
    still = {"landscape": {"jpeg": [size]}, "portrait": {"jpeg": [size]}}
    films = {"mp4": {**size, "duration": 2.0}} if film else None
    return {"still": still, "film": films, "camera": not film, "focus": [0.25, 0.5], "fit": fit}


@pytest.mark.parametrize(
    "made, tall, wide, full",
    [
        (scene(1920, 1080), False, False, False),  # a picture fills every screen,
        (scene(3000, 4000), False, True, True),  # an upright one a phone from edge to edge,
        (scene(8000, 1000), True, False, False),  # and of a panorama a phone shows all
        (scene(1920, 1080, film=True), True, False, False),
        (scene(1080, 1920, film=True), False, True, True),
        (scene(1000, 1000, film=True), True, True, False),
        (scene(1920, 1080, film=True, fit="cover"), False, False, False),
        (scene(1080, 1920, fit="contain"), True, True, False),
        (scene(1080, 1920, fit="cover"), False, False, True),
        (
            {**scene(1600, 900), "subject": [0.2, 0.1, 0.8, 0.5]},
            True,
            False,
            False,
        ),  # two people keep their heads
        ({**scene(1600, 900), "subject": [0.4, 0.1, 0.7, 0.5]}, False, False, False),
        ({**scene(1600, 900, fit="cover"), "subject": [0.2, 0.1, 0.8, 0.5]}, False, False, False),
    ],
)
def test_a_shape_stands_as_it_is_seen_best_unless_its_author_chose(made, tall, wide, full):
    framing = framing_of(made)
    assert (framing.whole_tall, framing.whole_wide, framing.full) == (tall, wide, full)


@pytest.mark.parametrize(
    "made, tall, wide, widest",
    [
        (
            scene(300, 200),
            True,
            True,
            "small8",
        ),  # a small picture stands whole, and not much larger than it is,
        (
            scene(600, 400),
            False,
            True,
            "small15",
        ),  # on a phone one of this size fills its part of the screen,
        (scene(640, 360), False, False, None),  # and this one every screen
        (scene(300, 200, fit="cover"), False, False, None),
        (scene(300, 200, fit="contain"), True, True, "small8"),
        (scene(300, 200, film=True), True, False, "small8"),
        (scene(640, 360, fit="contain"), True, True, None),
    ],
)
def test_a_small_picture_is_not_blown_up(made, tall, wide, widest):
    framing = framing_of(made)
    assert (framing.whole_tall, framing.whole_wide) == (tall, wide)
    assert [name for name in framing.classes.split() if name.startswith("small")] == (
        [widest] if widest else []
    )
    sheet = (Path(settings.BASE_DIR) / "static/looks.css").read_text()
    assert widest is None or f".{widest} {{" in sheet


@pytest.mark.parametrize(
    "made, is_cut",
    [
        (scene(2400, 1000), True),
        (scene(2300, 1000), False),
        (scene(2400, 1000, film=True), False),
        (scene(2400, 1000, fit="contain"), False),
    ],
)
def test_of_a_panorama_a_phone_shows_a_part_as_wide_as_the_screen(made, is_cut):
    framing = framing_of(made)
    assert ("panorama" in framing.classes.split()) is is_cut
    if is_cut:
        assert framing.sources[-1]["sizes"] == "max(100vw, 240vh)", (
            "it is drawn larger than the screen is wide"
        )


def test_the_still_of_a_film_is_framed_as_the_film_is_so_that_nothing_jumps():
    covering = framing_of(scene(1920, 1080, film=True, fit="cover"))
    assert [source["portrait"] for source in covering.sources] == [False]
    assert covering.portrait_focus is None
    cropped = framing_of(scene(1920, 1080))
    assert [source["portrait"] for source in cropped.sources] == [True, False]
    assert cropped.portrait_focus == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize(
    ("made", "sizes"),
    [
        (scene(1920, 1080, fit="cover"), "max(100vw, 178vh)"),
        (scene(1080, 1920, film=True), "(orientation: portrait) max(100vw, 57vh), min(54vw, 57vh)"),
        (scene(1920, 1080, film=True), "(orientation: portrait) 100vw, max(100vw, 178vh)"),
        (scene(1080, 1920, fit="contain"), "(orientation: portrait) 100vw, min(54vw, 57vh)"),
    ],
)
def test_a_browser_is_told_how_wide_a_picture_is_drawn_so_that_it_takes_one_as_sharp(made, sizes):
    assert framing_of(made).sources[-1]["sizes"] == sizes


def test_every_shape_that_is_taken_has_a_class():
    sheet = (Path(settings.BASE_DIR) / "static/looks.css").read_text()
    for width, height in [(125, 1000), (1000, 125), (999, 1000), (1000, 999), (1, 1), (9, 16)]:
        names = framing_of(scene(width, height)).classes.split()
        [shape] = [name for name in names if name.startswith(("tall", "wide"))]
        assert f".{shape} {{" in sheet
