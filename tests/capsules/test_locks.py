"""Whoever changes a draft, or counts what a workspace has, holds a row meanwhile: two at once go one after another."""

from __future__ import annotations

import pytest
from django.utils import timezone

from capsules.actions import drafts, editions, encodes, media, previews, revisions, scenes, trash
from capsules.models import Asset, Scene
from capsules.uploads import creating
from tests.support.locks import noted_locks

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
STORY, WORKSPACE = "capsules_story", "accounts_workspace"
CHANGES = {
    "story": lambda story, key, by: drafts.update_story(story, {"title": "Other"}, by=by),
    "scene": lambda story, key, by: scenes.update_scene(story, key, {"text": "Other"}, by=by),
    "move": lambda story, key, by: scenes.move_scene(story, key, after=None, by=by),
    "copy": lambda story, key, by: scenes.duplicate_scene(story, key, by=by),
    "delete": lambda story, key, by: scenes.delete_scene(story, key, by=by),
    "add": lambda story, key, by: scenes.add_scenes(story, [{"text": "New"}], after=key, by=by),
    "name": lambda story, key, by: revisions.name_revision(story, "Here", by=by),
    "edition": lambda story, key, by: editions.add_edition(story, name="de", by=by),
    "preview": lambda story, key, by: previews.build_preview(story, by=by.user),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_holds_its_story_first(change, ready_story, by):
    with noted_locks() as locked:
        change(ready_story, ready_story.scenes.get(position=1).key, by)
    assert locked[0] == STORY


def test_the_trash_holds_what_it_takes_and_gives_back(live_story, by):
    with noted_locks() as locked:
        trash.trash_story(live_story, unpublish=True, by=by)
    assert locked[0] == "publishing_publication" and STORY in locked, "in the order of a publish"
    with noted_locks() as locked:
        trash.restore_story(live_story, by=by)
    assert locked[0] == STORY
    trash.trash_story(live_story, unpublish=True, by=by)
    with noted_locks() as locked:
        trash.purge_story(live_story, title=live_story.title, by=by)
    assert locked[0] == STORY


def test_an_earlier_draft_comes_back_into_a_story_that_is_held(ready_story, by):
    kept = revisions.name_revision(ready_story, "Here", by=by)
    with noted_locks() as locked:
        revisions.restore_revision(ready_story, kept, by=by)
    assert locked[0] == STORY


def test_encodes_are_asked_for_with_the_story_held(ready_story):
    Scene.objects.filter(story=ready_story).update(settle_at=timezone.now())
    with noted_locks() as locked:
        assert encodes.settle_due() == ready_story.scenes.count()
    assert locked[0] == STORY


def test_files_are_counted_and_deleted_with_the_workspace_held(north_shore, owner, ready_story):
    with noted_locks() as locked:
        creating.begin_upload(north_shore, kind="picture", filename="a.png", size=9, by=owner)
    assert locked[0] == WORKSPACE
    unused = Asset.objects.filter(workspace=north_shore).first()
    Scene.every.all().delete()
    with noted_locks() as locked:
        media.delete_asset(unused)
    assert locked[0] == WORKSPACE
