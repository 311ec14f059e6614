"""Files that are taken in, stills that are drawn from films, and files that are deleted: each column and each word."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings as base
from django.utils import timezone
from PIL import Image

from accounts.actors import Actor
from accounts.models import User, Workspace
from capsules import storage, tasks
from capsules.actions import drafts, editions, media, scenes, stills
from capsules.models import Asset, Encode, Scene, Story
from config.errors import Conflict, Invalid, TooLarge
from tests.support import factories, media_files
from tests.support.rows import faults_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return media_files.saved(tmp_path, "ferry.png", media_files.photo(320, 200))


@pytest.fixture
def film(north_shore: Workspace, clip: Path, owner: User) -> Asset:
    return media.take_in(north_shore, clip, kind="film", filename="ferry.mp4", by=owner)[0]


def taken(asset: Asset) -> tuple[object, ...]:
    row = Asset.objects.get(pk=asset.pk)
    return (
        row.kind,
        row.filename,
        row.media_type,
        row.width,
        row.height,
        row.duration,
        row.bytes,
        row.created_by,
    )


# --- Taking in ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("patient_search")
def test_a_picture_is_taken_in_with_all_that_is_known_of_it(north_shore, picture, owner, queue):
    queue("")
    asset, facts = media.take_in(north_shore, picture, kind="picture", by=owner)
    size = picture.stat().st_size
    assert taken(asset) == ("picture", "ferry.png", "image/png", facts.width, facts.height, None, size, owner)
    row = Asset.objects.get(pk=asset.pk)
    assert (row.focus is not None, row.faces, row.poster_of, row.begins) == (True, [], None, None)
    thumbnail = row.still_encode
    assert (thumbnail.kind, thumbnail.priority, thumbnail.sources) == ("still", -1, [["default", row.name]])
    assert thumbnail.focus == [round(part, 3) for part in row.focus]
    assert queue(tasks.check_and_encode.name) == [None]
    again, _ = media.take_in(north_shore, picture, kind="picture", filename="other.png")
    assert (again, taken(again), Encode.objects.count()) == (asset, taken(asset), 1)
    assert queue(tasks.check_and_encode.name) == [], "its thumbnail is there"
    Asset.objects.update(deleted_at=timezone.now())
    back, _ = media.take_in(north_shore, picture, kind="picture")
    assert back == asset and Asset.objects.get().deleted_at is None


def test_a_film_is_taken_in_with_the_still_with_which_it_begins(north_shore, film, clip, owner):
    kind, filename, media_type, *_, duration, size, by = taken(film)
    assert (kind, filename, media_type, by) == ("film", "ferry.mp4", "video/mp4", owner)
    assert (duration, size) == (pytest.approx(1, abs=0.1), clip.stat().st_size)
    still = film.posters.get()
    assert (still.filename, still.created_by, still.begins_at) == ("ferry, still.png", owner, [None])
    assert still.taken_at == pytest.approx(0, abs=0.1) and still.still_encode
    media.take_in(north_shore, clip, kind="film")
    assert film.posters.count() == 1


def test_films_that_begin_with_the_same_frame_have_a_still_each(north_shore, film, clip, tmp_path):
    longer = tmp_path / "longer.mp4"
    longer.write_bytes(clip.read_bytes() + b"\0\0\0\x08free")
    other, _ = media.take_in(north_shore, longer, kind="film")
    still, first = other.posters.get(), film.posters.get()
    assert still != first and (still.filename, still.begins_at) == ("longer, still.png", [None])
    with storage.originals().open(still.name) as one, storage.originals().open(first.name) as two:
        assert Image.open(one).tobytes() == Image.open(two).tobytes()


def test_content_of_the_service_has_its_name_and_nobody_who_brought_it(north_shore, picture, clip):
    asset = media.upload(north_shore, picture, kind="picture", propose=False)
    row = Asset.objects.get(pk=asset.pk)
    assert (row.filename, row.created_by, row.focus, row.still_encode) == ("ferry.png", None, None, None)
    assert media.focus_of(row) == (0.5, 0.5)
    row.focus = [0.2, 0.7]
    assert media.focus_of(row) == (0.2, 0.7)
    film = media.upload(north_shore, clip, kind="film", filename="x" * 199 + "ab")
    assert film.filename == Asset.objects.get(pk=film.pk).filename == "x" * 199 + "a"
    assert film.posters.get().created_by is None


def test_each_scene_with_a_film_has_its_still_unless_something_was_said_of_one(north_shore, film):
    given = [{"text": "x"}, {"film": film.pk}, {"film": film.pk, "still": None}, {"film": film.pk}]
    story = drafts.create_story(north_shore, {"title": "New"}, given, by=None)
    scenes.add_scenes(story, given, by=None)
    poster = film.posters.get()
    shown = [scene.still for scene in Scene.objects.filter(story=story).order_by("position")]
    assert shown == [None, poster, None, poster] * 2


@pytest.mark.parametrize("kind, advice", [
    ("picture", "Export it smaller"), ("film", "Cut it to the twelve seconds that are shown"),
])  # fmt: skip
def test_a_file_that_is_too_large_is_refused_with_what_would_help(
    kind, advice, settings, north_shore, tmp_path
):
    settings.MAX_BYTES = {**base.MAX_BYTES, kind: 5_000_000}
    media.check_bytes(kind, 5_000_000)
    with pytest.raises(TooLarge) as refused:
        media.check_bytes(kind, 1_234_567_890)
    assert str(refused.value) == (
        f"This {kind} has 1,235 MB, and the most we take is 5 MB. {advice} and try again."
    )
    with pytest.raises(TooLarge, match="has 6 MB, and the most we take is 5 MB"):
        media.check_bytes(kind, 5_000_001)
    (tmp_path / "large").write_bytes(bytes(5_000_001))
    for take in (media.upload, media.take_in):
        with pytest.raises(TooLarge):
            take(north_shore, tmp_path / "large", kind=kind)


def test_thumbnails_are_lent_to_pictures_that_have_none_of_their_own(ready_story, harbour, rendered, picture):
    workspace = ready_story.workspace
    shown = ready_story.scenes.first().still
    first = Scene.objects.filter(still=shown).order_by("pk").first().still_encode
    other = Encode.objects.create(kind="still", recipe="other", sources=[])
    Scene.objects.filter(pk=ready_story.scenes.last().pk).update(still_encode=other)
    Asset.objects.update(still_encode=None)
    own = media.store_asset(workspace, picture, media.media.inspect(picture, "picture"), filename="own.png")
    elsewhere = factories.make_story(harbour, rendered, preview=False).scenes.first().still
    assert media.lend_thumbnails(workspace) == 1
    thumbnails = dict(Asset.objects.values_list("pk", "still_encode"))
    assert thumbnails == {shown.pk: first.pk, own.pk: None, elsewhere.pk: None}
    Asset.objects.filter(pk=shown.pk).update(still_encode=other)
    assert media.lend_thumbnails(workspace) == 0
    assert Asset.objects.get(pk=shown.pk).still_encode == other


# --- Stills ------------------------------------------------------------------------------------------------------


def test_a_still_is_taken_at_any_time_of_a_film_by_somebody_who_chose_it(film, person, picture):
    editor = person("editor")
    still = media.take_still(film, at=0.5, by=editor)
    row = Asset.objects.get(pk=still.pk)
    assert (row.poster_of, row.created_by, row.begins, row.filename) == (
        film,
        editor,
        None,
        "ferry, still.png",
    )
    assert row.taken_at == pytest.approx(0.5, abs=0.1) and row.still_encode
    assert media.take_still(film, at=film.duration, by=editor).poster_of == film
    length = format(film.duration, "g")
    with pytest.raises(Invalid) as refused:
        media.take_still(film, at=film.duration + 0.01, by=editor)
    assert faults_of(refused) == [("at", f"Must be a time within the film, from 0 to {length} seconds.")]
    with pytest.raises(Conflict, match="Only a film has stills to take"):
        media.take_still(still, at=0, by=editor)
    film.filename = ""
    Asset.objects.filter(poster_of=film).delete()
    assert media.take_still(film, at=0.5, by=None).filename == "film, still.png"


def test_one_frame_may_be_where_several_parts_begin(film, clip):
    first = media.draw_still(film, clip, at=0.525, by=None, begins=True)
    for at in (0.535, 0.545):
        assert media.draw_still(film, clip, at=at, by=None, begins=True) == first
    assert media.draw_still(film, clip, at=0.555, by=None) == first
    row = Asset.objects.get(pk=first.pk)
    assert (row.begins, row.taken_at) == ([0.525, 0.535, 0.545], first.taken_at)
    assert film.posters.count() == 2
    later = media.draw_still(film, clip, at=0.1, by=None, begins=True)
    Asset.objects.filter(pk=later.pk).update(begins=row.begins)
    assert stills.default_still(film, 0.525, by=None) == first, "the older of two that begin there"
    Asset.objects.filter(pk=first.pk).update(poster_of=None, taken_at=None, begins=None)
    assert media.draw_still(film, clip, at=0.525, by=None).taken_at is None, "it came as a picture of its own"


# --- Deleting ----------------------------------------------------------------------------------------------------


def test_who_may_not_delete_a_file_is_told_where_it_is_used_in_the_order_of_a_list(
    ready_story, owner, rendered
):
    edition = editions.add_edition(ready_story, name="de", by=Actor.by_token(owner))
    Story.objects.filter(pk=edition.pk).update(title="A ferry")
    still = ready_story.scenes.first().still
    gone = factories.make_story(ready_story.workspace, rendered, title="A", preview=False)
    Story.objects.filter(pk=gone.pk).update(deleted_at=timezone.now())
    edition.scenes.filter(position=1).update(deleted_at=timezone.now(), still=still)
    with pytest.raises(Conflict, match="This file is still used") as refused:
        media.delete_asset(still)
    ferry, voyage = (list(story.scenes.order_by("position")) for story in (edition, ready_story))
    assert faults_of(refused) == [
        *(
            (f"stories.{edition.pk}.scenes.{scene.key}", f"Scene {number} of “A ferry” (edition de) uses it.")
            for number, scene in zip((1, 3, 4), ferry, strict=True)
        ),
        *(
            (f"stories.{ready_story.pk}.scenes.{scene.key}", f"Scene {number} of “Small voyages” uses it.")
            for number, scene in zip((1, 2), voyage[:2], strict=True)
        ),
        ("", "Others use it too."),
    ]
    Scene.objects.exclude(story=gone).update(still=None)
    before = timezone.now()
    at = media.delete_asset(still)
    assert before <= at == Asset.objects.get(pk=still.pk).deleted_at


@pytest.mark.parametrize("column", ["still", "film"])
def test_a_file_is_used_by_a_scene_that_shows_it_in_whichever_way(column, north_shore, harbour, film):
    asset = film if column == "film" else film.posters.get()
    size = {"width": asset.width, "height": asset.height}
    Asset.objects.create(workspace=harbour, kind=asset.kind, name=asset.name, filename="theirs", **size)
    story = factories.make_draft(north_shore)
    story.scenes.update(**{column: asset})
    with pytest.raises(Conflict):
        media.delete_asset(asset)
    story.scenes.update(**{column: None})
    assert media.delete_asset(asset)
    assert list(Asset.objects.exclude(deleted_at=None)) == [asset]
