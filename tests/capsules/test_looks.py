"""A capsule's look, and fit, place, size and trim of its scenes, through every door."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from capsules import folder
from capsules.actions import drafts, editions, encodes, previews, revisions, scenes
from capsules.fields import SCENE, STORY, row_json
from capsules.mcp.scenes import update_scene
from capsules.mcp.stories import update_story
from capsules.models import Asset, Scene, Story
from config.errors import Invalid
from publishing import baking
from publishing.models import Bake
from publishing.studio.differences import between
from tests.support import factories
from tests.support.tools import call

LOOK = {"theme": "paper", "accent": "#b5432a", "face": "slab"}
USUAL = {"theme": "night", "accent": None, "face": "serif"}
OF_SCENE = {
    "fit": "contain",
    "place": "top",
    "size": "small",
    "trim": {"start": 1.5, "length": 4.0},
}
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


def own(row: Any) -> dict[str, Any]:
    """What these fields of a scene are, in JSON or in a row."""
    return {name: row[name] if isinstance(row, dict) else SCENE[name].read(row) for name in OF_SCENE}


@pytest.fixture
def film(north_shore) -> Asset:
    return Asset.objects.create(
        workspace=north_shore,
        kind="film",
        name="ab/film.mp4",
        filename="film.mp4",
        media_type="video/mp4",
        width=1080,
        height=1920,
        duration=8.0,
        bytes=1,
    )


@pytest.fixture
def story(north_shore, rendered, by, film) -> Story:
    """A ready capsule that looks otherwise than the default; its second scene has a film."""
    made = factories.make_story(north_shore, rendered)
    first, second = made.scenes.all()[:2]
    drafts.update_story(made, {"look": LOOK}, by=by)
    scenes.update_scene(made, first.key, {"fit": "contain", "place": "top", "size": "small"}, by=by)
    trim = {"film": film.pk, "animation": "film", "trim": (1.5, 4.0)}
    scenes.update_scene(made, second.key, {**trim, "fit": "contain", "place": "top", "size": "small"}, by=by)
    return Story.objects.get(pk=made.pk)


def test_the_look_goes_through_every_door_and_back(story, api, by):
    second = story.scenes.all()[1].key
    told = api.get(f"/stories/{story.pk}/draft").json()
    assert told["story"]["look"] == LOOK
    assert own(told["scenes"][1]) == OF_SCENE
    assert told["scenes"][2]["trim"] is None

    # One part alone changes, and null takes the accent away.
    changed = api.call("PATCH", f"/stories/{story.pk}", {"look": {"accent": None}})
    assert changed.json()["look"] == {**LOOK, "accent": None}
    changed = api.call("PATCH", f"/stories/{story.pk}", {"look": {"accent": "#B5432A"}})
    assert changed.json()["look"] == LOOK
    changed = api.call("PATCH", f"/stories/{story.pk}/scenes/{second}", {"trim": None})
    assert changed.json()["trim"] is None
    api.call("PATCH", f"/stories/{story.pk}/scenes/{second}", {"trim": {"start": 1.5, "length": 4}})

    # The history keeps it, tells of it and brings it back.
    story.refresh_from_db()
    kept = revisions.name_revision(story, "With it", by=by)
    assert kept.content["story"]["look"] == LOOK
    drafts.update_story(story, {"look": {"theme": "night", "accent": "", "face": "serif"}}, by=by)
    plain = {"fit": "auto", "place": "auto", "size": "auto", "trim": None}
    scenes.update_scene(story, second, plain, by=by)
    now = revisions.name_revision(story, "Without it", by=by)
    found = between(kept.content, now.content)
    assert {field.label for field in found.story} == {"Theme", "Accent", "Typeface"}
    assert "Part of the film: from its start" in found.scenes[0].notes
    assert "Place of the words: auto" in found.scenes[0].notes
    restored = revisions.restore_revision(story, kept, by=by)
    assert row_json(restored, STORY.fields)["look"] == LOOK
    assert own(restored.scenes.get(key=second)) == OF_SCENE

    # What was refused is kept as it was sent.
    late = api.call("PATCH", f"/stories/{story.pk}", {"look": {"theme": "ink"}}, headers={"If-Match": '"1"'})
    assert late.status_code == 412
    assert story.revisions.first().content["story"]["look"] == {**LOOK, "theme": "ink"}

    # Copies have it, and an edition may differ.
    edition = editions.add_edition(restored, name="de", by=by)
    assert row_json(edition, STORY.fields)["look"] == LOOK
    drafts.update_story(edition, {"look": {"theme": "day"}}, by=by)
    assert row_json(Story.objects.get(pk=story.pk), STORY.fields)["look"] == LOOK
    assert own(drafts.duplicate_story(restored, by=by).scenes.all()[1]) == OF_SCENE


def test_published_versions_keep_their_look(story, api, by, rendered):
    second = story.scenes.all()[1]
    scenes.update_scene(story, second.key, {"film": None, "animation": "auto"}, by=by)
    story.refresh_from_db()
    previews.build_preview(story)
    factories.finish_encodes(rendered)
    frozen = story.latest_preview.content
    assert frozen["look"] == LOOK
    baked = baking.bake(story.latest_preview).content
    assert (baked["look"], baked["scenes"][0]["place"]) == (LOOK, "top")
    assert api.publish(story).status_code == 200
    drafts.update_story(story, {"look": {"theme": "day"}}, by=by)
    bake = Bake.objects.get(story=story)
    assert bake.content["look"] == LOOK
    # One from before there were looks, and one from before a part of them.
    for look, read in [(None, USUAL), ({"theme": "ink"}, {**USUAL, "theme": "ink"})]:
        older = {**bake.content, "look": look}
        if look is None:
            del older["look"]
        Bake.objects.filter(pk=bake.pk).update(content=older)
        assert Bake.objects.get(pk=bake.pk).content["look"] == read


def test_a_folder_and_ai_apps_carry_it(story, by, north_shore, tmp_path: Path):
    second = story.scenes.all()[1]
    scenes.update_scene(story, second.key, {"film": None, "animation": "auto"}, by=by)
    scenes.update_scene(story, second.key, {"trim": (1.5, 4.0)}, by=by)
    folder.export_story(story, tmp_path / "out")
    manifest = tomllib.loads((tmp_path / "out" / folder.MANIFEST).read_text())
    assert manifest["look"] == LOOK
    assert own(manifest["scenes"][1]) == OF_SCENE
    assert not {"trim", "fit"} & set(manifest["scenes"][2])
    back = folder.import_story(tmp_path / "out", north_shore)
    assert row_json(back, STORY.fields)["look"] == LOOK
    assert [own(scene) for scene in back.scenes.all()[1:3]] == [OF_SCENE, own(Scene())]
    text = 'title = "T"\n[look]\ntheme = "neon"\n[[scenes]]\ntext = "One."\nplace = "left"\n'
    (tmp_path / folder.MANIFEST).write_text(text)
    with pytest.raises(Invalid) as error:
        folder.read_manifest(tmp_path)
    assert {fault.path for fault in error.value.faults} == {"look.theme", "scenes.0.place"}


@pytest.mark.django_db(transaction=True)
def test_tools_change_a_part_of_it(story, by):
    second = story.scenes.all()[1].key
    call(update_story, by, story=str(story.pk), look={"theme": "ink", "accent": None})
    assert row_json(Story.objects.get(pk=story.pk), STORY.fields)["look"] == {
        "theme": "ink",
        "accent": None,
        "face": "slab",
    }
    changes = {"trim": {"start": 2, "length": 3}, "place": "middle"}
    call(update_scene, by, story=str(story.pk), scene=str(second), **changes)
    row = Scene.objects.get(key=second)
    assert (row.trim, row.place) == ((2.0, 3.0), "middle")
    assert encodes.wanted_encodes(row)[encodes.ANIMATION].trim == (2.0, 3.0)


def test_what_it_may_not_be_is_refused_with_its_path(story, api):
    second = story.scenes.all()[1].key
    for kind, body, path in REFUSED:
        address = f"/stories/{story.pk}" + (f"/scenes/{second}" if kind == "scenes" else "")
        refused = api.call("PATCH", address, body)
        assert (refused.status_code, [each["path"] for each in refused.json()["details"]]) == (400, [path])
    assert "ends after 8.0 seconds" in refused.json()["details"][0]["message"]


def test_another_film_is_shown_from_its_start(story, by, film):
    second = story.scenes.all()[1]
    assert second.trim == (1.5, 4.0)
    film.pk, film.name = None, "cd/film.mp4"
    film.id = Asset().id
    film.save(force_insert=True)
    assert scenes.update_scene(story, second.key, {"film": film.pk}, by=by).trim is None
