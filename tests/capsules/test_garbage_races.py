"""What somebody begins to use again while it is collected stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage
from django.db import transaction
from django.utils import timezone
from storages.backends.s3 import S3Storage

from accounts.actors import Actor
from capsules import garbage, housekeeping
from capsules.actions import encodes, keeping, media, previews, revisions, scenes
from capsules.models import Asset, Encode, Preview, Revision, Scene
from config.errors import NotFound
from publishing import baking
from tests.support import media_files
from tests.support.bucket import REGION, bucket
from tests.support.locks import in_the_way

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@contextmanager
def meanwhile(words: str, deed: Callable[[], object]) -> Iterator[None]:
    """Somebody else does something, and has done it, right after the first statement with these words."""
    with in_the_way(words, deed, stalls=None) as came:
        yield
    assert len(came) == 1 and not isinstance(came[0], Exception), came


def test_the_card_of_a_new_preview_stays_though_nothing_named_it_before(ready_story):
    Preview.objects.all().delete()
    Encode.objects.update(finished_at=timezone.now() - settings.BLOB_RETENTION - timedelta(hours=1))
    with meanwhile("EXISTS(SELECT", lambda: previews.build_preview(ready_story)):
        garbage.forget_encodes()
    preview = ready_story.latest_preview
    assert preview.state == "ready" and baking.bake(preview).content["card"] is not None


def test_what_nothing_names_goes_all_the_same(ready_story, monkeypatch):
    monkeypatch.setattr(garbage, "AT_ONCE", 1)
    Preview.objects.all().delete()
    ready_story.scenes.update(still_encode=None, animation_encode=None)
    Encode.objects.update(finished_at=timezone.now() - settings.BLOB_RETENTION - timedelta(hours=1))
    assert Encode.objects.count() > 1
    garbage.forget_encodes()
    assert not Encode.objects.exists()


def test_a_file_that_comes_back_into_the_library_stays(north_shore, tmp_path):
    source = media_files.saved(tmp_path, "still.png", media_files.picture(64, 64))
    still = media.take_in(north_shore, source, kind=Asset.Kind.PICTURE)[0]
    Asset.objects.update(deleted_at=timezone.now() - settings.TRASH_RETENTION - timedelta(days=1))

    def send_again() -> None:
        assert media.take_in(north_shore, source, kind=Asset.Kind.PICTURE)[0] == still

    with meanwhile("capsules_revision", send_again):
        garbage.forget_media()
    assert Asset.objects.present().get() == still


def test_the_thumbnail_of_a_file_that_was_here_before_stays(north_shore, tmp_path, monkeypatch):
    def ask_then_collect(*args: Any, **named: Any) -> Encode:
        encode = encodes.request(*args, **named)
        transaction.on_commit(garbage.forget_encodes)  # as soon as nobody holds it
        return encode

    source = media_files.saved(tmp_path, "still.png", media_files.picture(64, 64))
    media.take_in(north_shore, source, kind=Asset.Kind.PICTURE)
    Asset.objects.all().delete()
    Encode.objects.update(finished_at=timezone.now() - settings.BLOB_RETENTION - timedelta(hours=1))
    monkeypatch.setattr(media, "request", ask_then_collect)
    media.take_in(north_shore, source, kind=Asset.Kind.PICTURE)
    assert Asset.objects.get().still_encode == Encode.objects.get()


def test_a_revision_that_is_named_at_this_moment_stays(ready_story, owner):
    at = timezone.now() - settings.REVISION_RETENTION - timedelta(days=1)
    at = at.replace(hour=12)
    kept = [
        Revision.objects.create(story=ready_story, number=900 + n, content={}, updated_at=at)
        for n in range(3)
    ]

    def name() -> None:
        revisions.name_kept(ready_story, kept[0], "The first words", by=Actor.by_token(owner))

    with meanwhile("ROW_NUMBER()", name):
        housekeeping.thin_revisions(timezone.now())
    left = Revision.objects.filter(pk__in=[each.pk for each in kept]).order_by("pk")
    assert list(left) == [kept[0], kept[2]]


def test_a_scene_that_is_brought_back_at_this_moment_stays(ready_story):
    one, other = ready_story.scenes.all()[:2]
    long_ago = timezone.now() - settings.TRASH_RETENTION - timedelta(days=1)
    Scene.objects.filter(pk__in=[one.pk, other.pk]).update(deleted_at=long_ago)
    with meanwhile('"deleted_at" < ', lambda: scenes.restore_scene(ready_story, one.key, by=None)):
        assert housekeeping.purge_scenes(timezone.now()) == 1
    assert list(Scene.every.filter(pk__in=[one.pk, other.pk])) == [one]


class Asked(set[str]):
    """What is in use. While it is asked about a file, somebody drops whatever there is."""

    def __init__(self, files: Storage) -> None:
        self.files = files

    def __contains__(self, name: object) -> bool:
        names = list(garbage.walk(self.files))
        for each in (*names, *{each.partition("/")[0] for each in names}):
            self.files.delete(each)
        return False


@pytest.mark.parametrize("place", ["a disk", "a bucket"])
def test_what_is_dropped_while_it_is_looked_through_ends_nothing(place, tmp_path):
    with ExitStack() as stack:
        files: Storage = FileSystemStorage(tmp_path)
        if place == "a bucket":
            address, *_ = stack.enter_context(bucket())
            files = S3Storage(
                bucket_name="capsules",
                endpoint_url=address,
                access_key="key",
                secret_key="secret",
                region_name=REGION,
                location="parts",
            )
        for name in ("one/a", "one/b", "two/a"):
            files.save(name, ContentFile(b"a part"))
        assert garbage.sweep_files(files, Asked(files)) == 0
        assert list(garbage.walk(files)) == []


def test_a_revision_that_was_thinned_meanwhile_is_not_named(ready_story, owner):
    kept = keeping.keep_revision(ready_story, "auto", by=None)
    Revision.objects.filter(pk=kept.pk).delete()
    with pytest.raises(NotFound):
        revisions.name_kept(ready_story, kept, "Mine", by=Actor.by_token(owner))
