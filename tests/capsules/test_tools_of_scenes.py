"""What the tools about scenes refuse and put right."""

from __future__ import annotations

import pytest
from django.utils import timezone

from capsules.mcp.answers import rendering
from capsules.mcp.media import get_media
from capsules.mcp.scenes import update_scene
from capsules.mcp.stories import add_edition, update_story
from capsules.models import Asset, Encode, Scene, Story, Upload
from capsules.uploads.creating import begin_upload
from tests.support import factories
from tests.support.rows import order_of
from tests.support.tools import ask, call

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(ready_story: Story) -> Story:
    ready_story.scenes.update(finale=False)
    return ready_story


@pytest.mark.parametrize("position, place", [(1, 0), (3, 2), (4, 3), (99, 3)])
def test_a_scene_goes_to_its_new_number_and_to_the_end_for_a_number_beyond(position, place, story, by):
    first = story.scenes.get(position=0)
    call(update_scene, by, story=str(story.pk), scene=str(first.key), position=position)
    assert order_of(story).index(first.title) == place


@pytest.mark.parametrize("position", [1, 99])
def test_the_only_scene_of_a_capsule_stays_where_it_is(position, story, by):
    only = story.scenes.get(position=0)
    story.scenes.exclude(pk=only.pk).delete()
    call(update_scene, by, story=str(story.pk), scene=str(only.key), position=position)
    assert order_of(story) == [only.title]


def test_a_file_is_named_once(story, by):
    scene = story.scenes.first()
    both = {"media_id": str(scene.still_id), "media_url": "https://pictures.example/a.jpg"}
    refused = ask(update_scene, by, story=str(story.pk), scene=str(scene.key), **both)
    assert refused.is_error
    (detail,) = refused.structured_content["details"]
    assert detail == {"path": "media_url", "message": "Give either media_id or media_url, not both."}


def test_null_takes_a_choice_back_where_there_is_a_default_to_go_back_to(story, by):
    scene = story.scenes.get(position=0)
    film = factories.shared_film(story.workspace)
    Scene.objects.filter(pk=scene.pk).update(trim_start=1, trim_length=2, animation="film", film=film)
    named = {"story": str(story.pk), "scene": str(scene.key)}
    call(update_scene, by, **named, title="Now", animation=None)
    scene.refresh_from_db()
    assert (scene.trim_start, scene.trim_length, scene.animation) == (1, 2, "film"), "it was not given"
    call(update_scene, by, **named, trim=None)
    scene.refresh_from_db()
    assert (scene.trim_start, scene.trim_length, scene.title) == (None, None, "Now")


def test_a_part_that_was_chosen_of_a_film_is_not_one_of_the_next(story, by):
    scene, film = story.scenes.first(), factories.shared_film(story.workspace)
    Scene.objects.filter(pk=scene.pk).update(trim_start=1, trim_length=2, animation="film", film=film)
    other = Asset.objects.create(
        workspace=story.workspace, kind="film", name="ab/other.mp4", width=320, height=180, duration=2
    )
    stills = [
        Asset.objects.create(
            workspace=story.workspace, kind="picture", name=f"ab/{start}", width=1, height=1, poster_of=other,
            begins=[start],
        )
        for start in (1, None)
    ]  # fmt: skip
    call(update_scene, by, story=str(story.pk), scene=str(scene.key), media_id=str(other.pk))
    scene.refresh_from_db()
    assert (scene.trim_start, scene.trim_length, scene.still) == (None, None, stills[1])


def test_files_that_were_deleted_are_not_among_the_newest(story, by):
    asset = story.scenes.first().still
    for name in ("kept", "gone"):
        begin_upload(story.workspace, kind="picture", filename=name, size=1, by=by.user)
    Upload.objects.filter(filename="gone").update(asset=asset)
    assert call(get_media, by)["newest"]
    Asset.objects.update(deleted_at=timezone.now())
    assert [each["filename"] for each in call(get_media, by)["newest"]] == ["kept"]


def test_an_edition_names_each_scene_once(story, by):
    first, second = (str(scene.key) for scene in story.scenes.all()[:2])
    texts = [{"scene": key, "text": "Eins."} for key in (first, second, first.upper())]
    refused = ask(add_edition, by, story=str(story.pk), name="de", language="de", texts=texts)
    assert [detail["path"] for detail in refused.structured_content["details"]] == ["texts.2.scene"]
    assert not story.editions.exists()


def test_null_takes_the_accent_back_and_leaves_what_has_no_default(story, by):
    call(update_story, by, story=str(story.pk), look={"theme": "paper", "accent": "#B5432A"})
    call(update_story, by, story=str(story.pk), look={"theme": None, "accent": None, "face": "slab"})
    story.refresh_from_db()
    assert (story.theme, story.accent, story.face) == ("paper", "", "slab")


def test_a_scene_says_how_far_its_pictures_are(story):
    scene = story.scenes.get(position=0)
    encodes = Encode.objects.filter(pk=scene.still_encode_id)

    def told(**changes) -> str:
        Scene.objects.filter(pk=scene.pk).update(**changes)
        return rendering(Scene.objects.get(pk=scene.pk))

    assert told() == "done"
    encodes.update(state="running", progress=63)
    assert told() == "63 %"
    encodes.update(state="failed", error="It is broken.")
    assert told() == "failed: It is broken."
    assert told(still_encode=None, animation_encode=None) == "waiting"
    assert told(still=None, animation="") == "no picture"


def test_tools_say_what_may_be_null():
    trim = update_scene.parameters["properties"]["trim"]
    assert {"type": "null"} in trim["anyOf"]
    look = update_story.parameters["properties"]["look"]
    assert look["type"] == "object"
    kinds = {name: part["type"] for name, part in look["properties"].items()}
    assert kinds == {"theme": "string", "accent": ["string", "null"], "face": "string"}
