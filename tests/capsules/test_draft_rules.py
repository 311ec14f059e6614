"""Rules of drafts that one change of a line would end, each by the way that people go."""

from __future__ import annotations

import pytest
from django.db.models import F
from django.utils import timezone

from accounts.actors import Actor
from capsules.actions import drafts, editions, previews, revisions, scenes, trash
from capsules.actions.encodes import Wanted
from capsules.models import Asset, Scene, Story
from config.errors import Conflict, Forbidden, Invalid, NotFound


def test_the_copy_of_a_finale_comes_before_it_and_is_none(ready_story, by):
    finale = ready_story.scenes.get(finale=True)
    copy = scenes.duplicate_scene(ready_story, finale.key, by=by)
    last, before = ready_story.scenes.order_by("-position")[:2]
    assert (before.pk, last.pk) == (copy.pk, finale.pk)
    assert list(ready_story.scenes.values_list("finale", flat=True)) == [False, False, False, False, True]


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


def test_an_edition_without_a_name_is_refused_at_its_name(ready_story, by):
    with pytest.raises(Invalid) as refused:
        editions.add_edition(ready_story, name="", by=by)
    assert [fault.path for fault in refused.value.faults] == ["name"]


def test_what_is_gone_for_good_cannot_be_restored(ready_story, by):
    trash.delete_forever(Story.objects.get(pk=ready_story.pk), by=by)
    with pytest.raises(NotFound):
        trash.restore_story(ready_story, by=by)


def test_another_part_and_another_way_of_the_camera_are_other_encodes():
    sources = [["default", "a"]]
    still = Wanted("still", sources, (0.5, 0.5))
    moves = Wanted("move", sources, None, points=[(0.1, 0.1), (0.9, 0.9)])
    there = [Wanted("move", sources, None, points=[(0.1, 0.1), (0.8, 0.9)]), Wanted("move", sources, None)]
    parts = [Wanted("film", sources, trim=trim) for trim in (None, (0.0, 4.0), (1.0, 4.0))]
    assert len({wanted.recipe for wanted in (still, moves, *there, *parts)}) == 7


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
