"""Every hint to an author, on either side of its limit; the document of them is docs/authoring.md."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

import pytest

from capsules import advice
from capsules.models import Asset, Encode, Scene, Story
from tests.support import factories

pytestmark = pytest.mark.django_db
OUTPUTS, FACES = "scenes.0.still_encode.outputs", "scenes.2.still.faces"
WIDE_FACE = [[0.02, 0.4, 0.12, 0.6]]


@pytest.fixture
def draft(north_shore, rendered) -> SimpleNamespace:
    """A story of five scenes that lacks nothing; what is changed of it is not saved."""
    story = factories.make_story(north_shore, rendered, scenes=5, preview=False, summary="Five voyages.")
    scenes = list(story.scenes.all())
    for scene in scenes:
        scene.still = Asset(pk=uuid.uuid4(), width=1280, height=720, faces=[])
        scene.still_encode = Encode(outputs={"colour": "#808080"})
    scenes[1].film = Asset(pk=uuid.uuid4(), duration=5)
    scenes[1].animation = Scene.Animation.FILM
    return SimpleNamespace(story=story, scenes=scenes)


def change(draft: SimpleNamespace, changes: dict[str, Any]) -> None:
    """`changes`: values by the path of what has them, as `scenes.1.still.width`."""
    for path, value in changes.items():
        it: Any = draft
        *way, name = path.split(".")
        for step in way:
            it = it[int(step)] if step.isdigit() else getattr(it, step)
        setattr(it, name, value)


def told(draft: SimpleNamespace) -> list[tuple[str, str]]:
    return [(hint.code, hint.path) for hint in advice.hints(draft.story, draft.scenes)]


def short(count: int) -> dict[str, str]:
    """Texts of so many characters in all."""
    return {f"scenes.{n}.text": "x" * (count if n == 4 else 0) for n in range(5)}


#: code, path, what is just fine, what is not any more
LIMITS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("title-untitled", "title", {"story.title": "Untitled, 1921"}, {"story.title": " Untitled "}),
    ("title-long", "title", {"story.title": "x" * 70}, {"story.title": "x" * 71}),
    ("summary-missing", "summary", {"story.summary": "."}, {"story.summary": " \n"}),
    ("author-missing", "author", {"story.author_name": "I"}, {"story.author_name": "\u200b "}),
    ("story-short", "scenes", short(100), short(99)),
    ("finale-missing", "scenes", {}, {"scenes.4.finale": False}),
    ("text-long", "scenes.2.text", {"scenes.2.text": "x" * 280}, {"scenes.2.text": "x" * 281}),
    ("alt-missing", "scenes.2.alt", {"scenes.2.alt": "."}, {"scenes.2.alt": " "}),
    ("alt-is-text", "scenes.2.alt", {"scenes.2.text": "A boat."}, {"scenes.2.alt": " A boat. "}),
    ("alt-is-file-name", "scenes.2.alt", {"scenes.2.alt": "IMG_2031, a boat"}, {"scenes.2.alt": "IMG_2031"}),
    ("alt-is-file-name", "scenes.2.alt", {"scenes.2.alt": "A boat.jpeg at sea"}, {"scenes.2.alt": "A boat.JPEG"}),
    ("still-small", "scenes.2.still", {"scenes.2.still.width": 1280}, {"scenes.2.still.width": 1279}),
    ("opening-without-movement", "scenes.0.animation", {"scenes.3.animation": ""}, {"scenes.0.animation": ""}),
    ("film-short", "scenes.1.film", {"scenes.1.film.duration": 2}, {"scenes.1.film.duration": 1.9}),
    ("film-cut", "scenes.1.trim", {"scenes.1.film.duration": 12}, {"scenes.1.film.duration": 12.1}),
    ("cover-dark", "cover", {OUTPUTS: {"colour": "#180000"}}, {OUTPUTS: {"colour": "#171717"}}),
    ("face-cut", "scenes.2.focus", {FACES: [[0.4, 0.2, 0.6, 0.8]]}, {FACES: WIDE_FACE}),
]  # fmt: skip


@pytest.mark.parametrize(
    "code, path, fine, bad", LIMITS, ids=[f"{row[0]}-{n}" for n, row in enumerate(LIMITS)]
)
def test_a_hint_begins_at_its_limit(draft, code, path, fine, bad):
    assert told(draft) == []
    change(draft, fine)
    assert told(draft) == []
    change(draft, bad)
    assert told(draft) == [(code, path)]


@pytest.mark.parametrize("count, is_told", [(4, True), (5, False), (30, False), (31, True)])
def test_readers_like_five_to_thirty_scenes(draft, count, is_told):
    draft.scenes = [*draft.scenes[:4][: count - 1], *draft.scenes[-1:]]
    while len(draft.scenes) < count:
        extra = Scene(text="More.", alt="More to see.", animation="auto")
        extra.still = Asset(pk=uuid.uuid4(), width=1280, height=720, faces=[])
        draft.scenes.insert(2, extra)
    assert told(draft) == ([("scene-count", "scenes")] if is_told else [])


def test_a_picture_that_two_scenes_show_is_told_at_both(draft):
    draft.scenes[3].still = draft.scenes[2].still
    assert told(draft) == [("still-twice", "scenes.2.still"), ("still-twice", "scenes.3.still")]


def test_of_a_film_that_is_not_played_nothing_is_told(draft):
    change(draft, {"scenes.1.film.duration": 1, "scenes.1.animation": Scene.Animation.AUTO})
    assert told(draft) == []


def test_the_cover_is_looked_at_that_was_chosen(draft):
    dark = {"scenes.3.still_encode.outputs": {"colour": "#101010"}}
    change(draft, dark)
    assert told(draft) == []
    draft.story.cover_id = draft.scenes[3].pk
    assert told(draft) == [("cover-dark", "cover")]


def test_a_face_counts_where_a_crop_leaves_out_what_the_picture_shows(draft):
    change(draft, {FACES: WIDE_FACE, "scenes.2.fit": Scene.Fit.CONTAIN})
    assert told(draft) == []
    # Two people of whom a phone's crop would cut one stand whole there, unless the picture is to fill it.
    two = {FACES: [[0.1, 0.2, 0.3, 0.4], [0.7, 0.2, 0.9, 0.4]], "scenes.2.still.focus": [0.5, 0.3]}
    change(draft, {**two, "scenes.2.focus_x": 0.5, "scenes.2.focus_y": 0.3, "scenes.2.fit": Scene.Fit.AUTO})
    assert told(draft) == []
    draft.scenes[2].fit = Scene.Fit.COVER
    assert told(draft) == [("face-cut", "scenes.2.focus")]
    change(draft, {"scenes.2.focus_y": 0.5})
    # Upright, it stands whole on wide screens, and on a phone all of its height is seen; filled, wide screens cut it.
    change(
        draft, {FACES: [[0.4, 0.0, 0.6, 0.1]], "scenes.2.still.height": 2048, "scenes.2.fit": Scene.Fit.AUTO}
    )
    assert told(draft) == []
    draft.scenes[2].fit = Scene.Fit.COVER
    assert told(draft) == [("face-cut", "scenes.2.focus")]
    assert "wide screens" in advice.hints(draft.story, draft.scenes)[0].message


LANGUAGES = [  # of others, and which of them is usual
    (["de", "de"], None),
    (["de", "de", "de"], "de"),
    (["de", "de", "nl"], "de"),
    (["de", "de", "nl", "nl"], None),
    (["en", "en", "nl"], "en"),
]


@pytest.mark.parametrize("others, usual", LANGUAGES)
def test_a_language_is_unusual_where_most_of_three_others_have_another(draft, north_shore, others, usual):
    assert draft.story.language == "en"
    for language in others:
        other = factories.make_draft(north_shore)
        Story.objects.filter(pk=other.pk).update(language=language)
    assert advice.usual_language(draft.story) == usual
    assert told(draft) == ([("language-unusual", "language")] if usual == "de" else [])


@pytest.mark.parametrize(
    "tag, shown", [("de", "German (de)"), ("pt-BR", "Brazilian Portuguese (pt-BR)"), ("tlh", "tlh")]
)
def test_languages_are_named_for_people(tag, shown):
    assert advice.language_name(tag) == shown


def test_editions_have_a_language_of_their_own(draft, north_shore):
    """Neither does theirs count for the workspace, nor is it asked for."""
    for _ in range(3):
        other = factories.make_draft(north_shore)
        Story.objects.filter(pk=other.pk).update(
            language="de", capsule=draft.story, edition_name=str(other.pk)[:8]
        )
    assert told(draft) == []
    Story.objects.exclude(pk=draft.story.pk).update(capsule=None, edition_name="")
    assert told(draft) == [("language-unusual", "language")]
    draft.story.capsule_id = uuid.uuid4()
    assert told(draft) == []
