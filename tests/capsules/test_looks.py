"""A capsule's look, and fit, place, size and trim of its scenes: what they may be. Where they go: test_new_field."""

from __future__ import annotations

import pytest

from capsules.models import Story
from tests.support import factories

REFUSED = [
    ("stories", {"look": {"theme": "neon"}}, "look.theme"),
    ("stories", {"look": {"face": "comic"}}, "look.face"),
    ("stories", {"look": {"accent": "red"}}, "look.accent"),
    ("stories", {"look": {"accent": 7}}, "look.accent"),
    ("stories", {"look": {"mood": "calm"}}, "look.mood"),
    ("stories", {"look": None}, "look"),
    ("scenes", {"fit": "fill"}, "fit"),
    ("scenes", {"place": "left"}, "place"),
    ("scenes", {"size": None}, "size"),
    ("scenes", {"trim": {"start": 0, "length": 12.5}}, "trim"),
    ("scenes", {"trim": {"start": -1, "length": 2}}, "trim"),
    ("scenes", {"trim": {"start": 0, "length": 0}}, "trim"),
    ("scenes", {"trim": {"start": 0}}, "trim"),
    ("scenes", {"trim": {"start": True, "length": 2}}, "trim"),
    ("scenes", {"trim": {"start": 9, "length": 2}}, "trim"),  # the film lasts eight seconds
]


@pytest.fixture
def story(north_shore) -> Story:
    """A draft whose only scene has a film of eight seconds."""
    made = factories.make_draft(north_shore)
    made.scenes.update(film=factories.make_asset(north_shore, kind="film", duration=8), animation="film")
    return made


def test_what_it_may_not_be_is_refused_with_its_path(story, api):
    first = story.scenes.get().key
    for kind, body, path in REFUSED:
        address = f"/stories/{story.pk}" + (f"/scenes/{first}" if kind == "scenes" else "")
        refused = api.call("PATCH", address, body)
        assert (refused.status_code, [each["path"] for each in refused.json()["details"]]) == (400, [path])
    assert "ends after 8.0 seconds" in refused.json()["details"][0]["message"]


def test_one_part_of_it_changes_alone_and_null_takes_the_accent_away(story, api):
    look = {"theme": "paper", "accent": "#b5432a", "face": "slab"}
    for change in ({**look, "accent": "#B5432A"}, {"accent": None}, {"theme": "ink"}):
        look |= change | ({"accent": "#b5432a"} if change.get("accent") else {})
        assert api.call("PATCH", f"/stories/{story.pk}", {"look": change}).json()["look"] == look
