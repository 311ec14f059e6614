"""Two who copy at once, or one who copies what another one changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import transaction

from accounts.models import Workspace
from capsules.actions import drafts, encodes, media, scenes
from capsules.models import Asset, Encode, Scene
from tests.support import factories, media_files
from tests.support.locks import in_the_way

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


def pictures(workspace: Workspace, folder: Path) -> list[Asset]:
    files = [media_files.saved(folder, f"{n}.png", media_files.photo(90 + n, 90)) for n in range(2)]
    return [media.upload(workspace, file, kind="picture") for file in files]


def test_two_copies_that_bring_the_same_files_in_another_order(north_shore, harbour, tmp_path):
    stills = pictures(north_shore, tmp_path)
    stories = [factories.make_draft(north_shore, scenes=2) for _ in range(2)]
    for story, order in zip(stories, (stills, stills[::-1]), strict=True):
        for scene, still in zip(story.scenes.all(), order, strict=True):
            Scene.objects.filter(pk=scene.pk).update(still=still)
    one, two = stories
    with in_the_way(
        'INSERT INTO "capsules_asset"', lambda: drafts.duplicate_story(two, workspace=harbour, by=None)
    ) as answers:
        drafts.duplicate_story(one, workspace=harbour, by=None)
    assert [type(answer).__name__ for answer in answers] == ["Story"]
    assert Asset.objects.filter(workspace=harbour).count() == 2


def test_a_copy_has_its_rendering_though_the_original_gets_another_picture_meanwhile(north_shore, tmp_path):
    before, after = pictures(north_shore, tmp_path)
    story = factories.make_draft(north_shore)
    (scene,) = story.scenes.all()
    scenes.update_scene(story, scene.key, {"still": before}, by=None)
    with transaction.atomic():
        encodes.point_at_encodes(list(story.scenes.select_related("still", "film")))
    queued = Encode.objects.get(state=Encode.State.QUEUED)
    with in_the_way(
        'INSERT INTO "capsules_scene"',
        lambda: scenes.update_scene(story, scene.key, {"still": after}, by=None).still,
    ) as answers:
        copy = drafts.duplicate_story(story, by=None)
    assert answers == [after]
    assert copy.scenes.get().still_encode == queued
