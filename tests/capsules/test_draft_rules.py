"""Rules of drafts that one change of a line would end, each by the way that people go."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Membership, Workspace
from capsules import garbage, housekeeping
from capsules.actions import drafts, editions, encodes, keeping, media, previews, revisions, scenes, trash
from capsules.actions.encodes import Wanted
from capsules.models import Asset, Encode, Revision, Scene, Story
from capsules.models.origins import Origin
from config.errors import Conflict, Forbidden, Invalid, Locked, NotFound, TooLarge
from tests.support import factories
from tests.support.rows import order_of

# --- The finale is last ----------------------------------------------------------------------------------------


def test_the_copy_of_a_finale_comes_before_it_and_is_none(ready_story, by):
    finale = ready_story.scenes.get(finale=True)
    copy = scenes.duplicate_scene(ready_story, finale.key, by=by)
    last, before = ready_story.scenes.order_by("-position")[:2]
    assert (before.pk, last.pk) == (copy.pk, finale.pk)
    assert list(ready_story.scenes.values_list("finale", flat=True)) == [False, False, False, False, True]


def test_a_scene_that_comes_back_does_not_come_behind_the_finale(ready_story, by):
    third = ready_story.scenes.get(position=2)
    scenes.delete_scene(ready_story, third.key, by=by)
    for title in ("Scene 1", "Scene 2"):
        scenes.delete_scene(ready_story, ready_story.scenes.get(title=title).key, by=by)
    scenes.restore_scene(ready_story, third.key, by=by)
    assert order_of(ready_story) == ["Scene 3", "Scene 4"]
    assert ready_story.scenes.order_by("position").last().finale


# --- The history -----------------------------------------------------------------------------------------------


def test_changes_after_a_named_moment_are_a_revision_of_their_own(ready_story, by):
    first = ready_story.scenes.first().key
    scenes.update_scene(ready_story, first, {"text": "One."}, by=by)
    automatic = ready_story.revisions.get(kind=Revision.Kind.AUTO)
    keeping.keep_revision(ready_story, Revision.Kind.NAMED, by=by, label="Here")
    scenes.update_scene(ready_story, first, {"text": "Two."}, by=by)
    automatic.refresh_from_db()
    assert automatic.content["scenes"][0]["text"] == "One."
    assert [row.kind for row in ready_story.revisions.all()] == ["auto", "named", "auto"]


def test_what_was_refused_is_forgotten_in_the_end(ready_story, settings):
    old = timezone.now() - settings.REVISION_RETENTION - timedelta(days=1)
    for kind in (Revision.Kind.CONFLICT, Revision.Kind.RESTORED, Revision.Kind.NAMED):
        kept = keeping.keep_revision(ready_story, kind, by=None)
        Revision.objects.filter(pk=kept.pk).update(updated_at=old)
    housekeeping.thin_revisions(timezone.now())
    assert [row.kind for row in ready_story.revisions.all()] == ["named"]


# --- The trash -------------------------------------------------------------------------------------------------


def test_an_edition_does_not_come_back_without_its_capsule(ready_story, by):
    edition = editions.add_edition(ready_story, name="de", by=by)
    trash.trash_story(ready_story, by=by)
    with pytest.raises(Conflict, match="Restore the capsule first"):
        trash.restore_story(edition, by=by)
    assert Story.objects.filter(pk=edition.pk, deleted_at__isnull=False).exists()


def test_an_edition_that_was_deleted_before_stays_when_the_capsule_comes_back(ready_story, by):
    before, together = (editions.add_edition(ready_story, name=name, by=by) for name in ("de", "fr"))
    trash.trash_story(before, by=by)
    Story.objects.filter(pk=before.pk).update(deleted_at=timezone.now() - timedelta(hours=1))
    trash.trash_story(ready_story, by=by)
    trash.restore_story(ready_story, by=by)
    present = Story.objects.present().values_list("pk", flat=True)
    assert ready_story.pk in present and together.pk in present and before.pk not in present


# --- Media -----------------------------------------------------------------------------------------------------


@pytest.fixture
def film(north_shore) -> Asset:
    size = {"width": 1280, "height": 720, "duration": 4.0}
    return Asset.objects.create(
        workspace=north_shore,
        kind="film",
        name="ab/film.mp4",
        filename="film.mp4",
        media_type="video/mp4",
        **size,
    )


def test_a_film_that_a_scene_shows_is_not_deleted(ready_story, film, by, api):
    scenes.update_scene(ready_story, ready_story.scenes.first().key, {"film": film.pk}, by=by)
    refused = api.call("DELETE", f"/media/{film.pk}")
    assert refused.status_code == 409 and "Scene 1" in refused.json()["details"][0]["message"]
    film.refresh_from_db()
    assert film.deleted_at is None


def test_a_deleted_file_cannot_be_put_into_a_scene(ready_story, film, by):
    Asset.objects.filter(pk=film.pk).update(deleted_at=timezone.now())
    with pytest.raises(Invalid) as error:
        scenes.update_scene(ready_story, ready_story.scenes.first().key, {"film": film.pk}, by=by)
    assert [fault.path for fault in error.value.faults] == ["film"]


def test_files_that_the_history_names_are_kept(ready_story, film, by, settings):
    first = ready_story.scenes.first().key
    scenes.update_scene(ready_story, first, {"film": film.pk}, by=by)
    keeping.keep_revision(ready_story, Revision.Kind.NAMED, by=by)
    scenes.update_scene(ready_story, first, {"film": None}, by=by)
    long_ago = timezone.now() - settings.TRASH_RETENTION - timedelta(days=1)
    Asset.objects.filter(pk=film.pk).update(deleted_at=long_ago)
    garbage.forget_media()
    assert Asset.objects.filter(pk=film.pk).exists()
    Revision.objects.filter(story=ready_story).delete()
    garbage.forget_media()
    assert not Asset.objects.filter(pk=film.pk).exists()


def test_the_cover_comes_back_with_an_earlier_draft_which_is_one_change_of_each_scene(ready_story, by):
    first, second = ready_story.scenes.order_by("position")[:2]
    drafts.update_story(ready_story, {"cover": second.key}, by=by)
    kept = revisions.name_revision(ready_story, "Here", by=by)
    drafts.update_story(ready_story, {"cover": first.key}, by=by)
    versions = dict(ready_story.scenes.values_list("key", "version"))
    rendered = set(ready_story.scenes.values_list("still_encode", "animation_encode"))
    assert revisions.restore_revision(ready_story, kept, by=by).cover == second
    assert set(ready_story.scenes.values_list("still_encode", "animation_encode")) == rendered, "as they were"
    assert dict(ready_story.scenes.values_list("key", F("version") - 1)) == versions


def test_a_picture_of_an_earlier_draft_is_rendered_again(ready_story, by):
    kept = revisions.name_revision(ready_story, "Here", by=by)
    first = ready_story.scenes.first()
    scenes.update_scene(ready_story, first.key, {"focus": (0.1, 0.9)}, by=by)
    Scene.objects.update(settle_at=None)
    revisions.restore_revision(ready_story, kept, by=by)
    changed = ready_story.scenes.exclude(settle_at=None)
    assert list(changed.values_list("pk", "still_encode")) == [(first.pk, None)]


def test_a_picture_that_was_deleted_from_the_library_comes_back_with_an_earlier_draft(ready_story, by):
    first = ready_story.scenes.first()
    kept = revisions.name_revision(ready_story, "Here", by=by)
    scenes.update_scene(ready_story, first.key, {"still": None}, by=by)
    Asset.objects.filter(pk=first.still_id).update(deleted_at=timezone.now())
    revisions.restore_revision(ready_story, kept, by=by)
    assert ready_story.scenes.get(key=first.key).still == first.still


def test_the_focus_that_is_proposed_is_chosen_for_one_scene_alone(ready_story, by):
    first = ready_story.scenes.first()
    scenes.update_scene(ready_story, first.key, {"focus": tuple(first.focus)}, by=by)
    assert list(ready_story.scenes.filter(focus_chosen=True)) == [first]


def test_a_preview_shows_no_draft_whose_pictures_are_still_to_be_settled(ready_story):
    preview = ready_story.previews.get()
    Story.objects.filter(pk=ready_story.pk).update(revision=F("revision") + 1)
    ready_story.refresh_from_db()
    drafted = list(ready_story.scenes.all())
    assert previews.shows(preview, ready_story, drafted)
    drafted[1].settle_at = timezone.now()
    assert not previews.shows(preview, ready_story, drafted)


def test_a_preview_that_failed_is_built_anew_when_it_is_asked_for_again(ready_story, by):
    failed = ready_story.previews.get()
    assert previews.request_preview(ready_story, by=by) == failed, "as long as it is good"
    encode = failed.encodes.first()
    Encode.objects.filter(pk=encode.pk).update(state=Encode.State.FAILED, attempts=3)
    assert previews.request_preview(ready_story, by=by).number == failed.number + 1
    encode.refresh_from_db()
    encodes.retry_encode(encode)
    encode.refresh_from_db()
    assert (encode.state, encode.attempts) == (Encode.State.QUEUED, 0)


def test_what_a_restore_kept_stays_for_good_once_it_has_a_name(ready_story, by):
    kept = revisions.name_revision(ready_story, "Here", by=by)
    revisions.restore_revision(ready_story, kept, by=by)
    restored = ready_story.revisions.get(kind=Revision.Kind.RESTORED)
    assert revisions.name_kept(ready_story, restored, "Before", by=by).kind == Revision.Kind.NAMED


def test_an_edition_needs_a_name_and_a_language_that_are_some(ready_story, by):
    with pytest.raises(Invalid) as refused:
        editions.add_edition(ready_story, name="No name!", language="x" * 99, by=by)
    assert [fault.path for fault in refused.value.faults] == ["name", "language"]


def test_who_may_make_no_edition_is_told_so_before_what_is_wrong_with_it(ready_story, person):
    with pytest.raises(Forbidden):
        editions.add_edition(ready_story, name="No name!", by=Actor.by_token(person("viewer")))


def test_who_may_write_nothing_moves_nothing_to_the_trash(ready_story, person):
    with pytest.raises(Forbidden):
        trash.trash_story(ready_story, by=Actor.by_token(person("viewer")))
    assert Story.objects.present().filter(pk=ready_story.pk).exists()


def test_a_scene_comes_back_only_where_there_is_room_for_it(ready_story, by, settings):
    gone = ready_story.scenes.get(position=0)
    scenes.delete_scene(ready_story, gone.key, by=by)
    settings.SCENES_PER_STORY = ready_story.scenes.count()
    with pytest.raises(Conflict):
        scenes.restore_scene(ready_story, gone.key, by=by)
    assert not ready_story.scenes.filter(key=gone.key).exists()


def test_a_scene_that_comes_back_is_rendered_whatever_it_shows(ready_story, by):
    scene = ready_story.scenes.get(position=0)
    assert scene.still and not scene.film
    scenes.delete_scene(ready_story, scene.key, by=by)
    assert Scene.every.get(pk=scene.pk).version == scene.version + 1
    assert scenes.restore_scene(ready_story, scene.key, by=by).settle_at


def test_a_film_that_is_not_chosen_is_not_rendered():
    film = Asset(kind="film", name="film")
    parts = encodes.wanted_encodes(Scene(film=film, animation=Scene.Animation.NONE))
    assert parts == {}
    assert encodes.wanted_encodes(Scene(film=None, animation=Scene.Animation.FILM)) == {}
    assert len(encodes.wanted_encodes(Scene(film=film, animation=Scene.Animation.FILM))) == 1


def test_an_edition_without_a_name_is_refused_at_its_name(ready_story, by):
    with pytest.raises(Invalid) as refused:
        editions.add_edition(ready_story, name="", by=by)
    assert [fault.path for fault in refused.value.faults] == ["name"]


def test_a_file_is_as_large_as_it_may_be_whichever_way_it_comes(north_shore, tmp_path, settings):
    picture = factories.draw_picture(tmp_path / "ferry.png")
    settings.MAX_BYTES = dict.fromkeys(settings.MAX_BYTES, picture.stat().st_size - 1)
    with pytest.raises(TooLarge):
        media.take_in(north_shore, picture, kind="picture")


def test_what_is_gone_for_good_cannot_be_restored(ready_story, by):
    trash.delete_forever(Story.objects.get(pk=ready_story.pk), by=by)
    with pytest.raises(NotFound):
        trash.restore_story(ready_story, by=by)


def test_the_history_knows_what_a_tool_of_the_mcp_server_changed(ready_story, by):
    key = ready_story.scenes.first().key
    scenes.update_scene(ready_story, key, {"text": "By a tool."}, by=replace(by, tool="update_scene"))
    assert ready_story.revisions.first().via == Revision.Via.MCP


def test_a_copy_of_a_copy_knows_where_it_comes_from_and_no_copy_goes_into_a_suspended_workspace(
    ready_story, harbour, by
):
    copy = drafts.duplicate_story(drafts.duplicate_story(ready_story, by=by), by=by)
    assert ready_story.pk in set(Origin.objects.filter(story=copy).values_list("original", flat=True))
    Membership.objects.create(workspace=harbour, user=by.user, role="editor")
    Workspace.objects.filter(pk=harbour.pk).update(suspended_at=timezone.now())
    with pytest.raises(Locked):
        drafts.duplicate_story(
            ready_story, workspace=Workspace.objects.get(pk=harbour.pk), by=Actor.by_token(by.user)
        )


def test_a_text_is_measured_whatever_it_comes_by(ready_story, by):
    with pytest.raises(Invalid) as refused:
        scenes.update_scene(ready_story, ready_story.scenes.first().key, {"text": "x" * 2001}, by=by)
    assert [fault.path for fault in refused.value.faults] == ["text"]


def test_a_capsule_is_deleted_forever_with_its_editions(ready_story, by):
    editions.add_edition(ready_story, name="de", by=by)
    assert trash.delete_forever(ready_story, by=by) == 2
    assert not Story.objects.exists()


def test_another_part_and_another_way_of_the_camera_are_other_encodes():
    sources = [["default", "a"]]
    still = Wanted("still", sources, (0.5, 0.5))
    moves = Wanted("move", sources, None, points=[(0.1, 0.1), (0.9, 0.9)])
    there = [Wanted("move", sources, None, points=[(0.1, 0.1), (0.8, 0.9)]), Wanted("move", sources, None)]
    parts = [Wanted("film", sources, trim=trim) for trim in (None, (0.0, 4.0), (1.0, 4.0))]
    assert len({wanted.recipe for wanted in (still, moves, *there, *parts)}) == 7


# --- Editions --------------------------------------------------------------------------------------------------


def test_an_edition_has_the_chosen_picture_of_its_capsule(ready_story, by):
    chosen = ready_story.scenes.get(position=1)
    drafts.set_cover(ready_story, chosen)
    edition = editions.add_edition(Story.objects.get(pk=ready_story.pk), name="de", by=by)
    assert edition.cover == edition.scenes.get(copied_from=chosen)


def test_nobody_has_seen_a_version_that_is_not_there_yet(ready_story, by):
    edition = editions.add_edition(ready_story, name="de", by=by)
    copy = edition.scenes.first()
    scenes.update_scene(ready_story, copy.copied_from.key, {"text": "Once more."}, by=by)
    editions.take_note(edition, copy.key, seen=1, by=by)
    copy.refresh_from_db()
    assert copy.copied_version == 1 < copy.copied_from.version, "the original has changed since"
    editions.take_note(edition, copy.key, seen=99, by=by)
    copy.refresh_from_db()
    assert (
        copy.copied_version == copy.copied_from.version == Scene.objects.get(pk=copy.copied_from_id).version
    )


def test_a_copy_in_another_workspace_shows_files_of_that_one(ready_story, harbour, by):
    from capsules.actions import drafts

    copy = drafts.duplicate_story(ready_story, workspace=harbour, by=None)
    assert {scene.still.workspace_id for scene in copy.scenes.select_related("still")} == {harbour.pk}
    assert factories.make_draft(harbour).workspace_id == harbour.pk
