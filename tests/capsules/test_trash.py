"""The trash: what it does to each row of a capsule and its editions, what is told, and who may empty it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.actions import editions, trash
from capsules.models import Story
from config.errors import Conflict, Forbidden, Invalid, Locked, NotFound
from publishing.models import Publication, PublicationEvent
from tests.support.rows import last_event, paths_of

NOT_IN_IT = "This story is not in the trash."


@pytest.fixture
def by(owner):
    return Actor.by_token(owner, via="studio")


@pytest.fixture
def family(ready_story, by) -> list[Story]:
    """A capsule with two editions; last an edition that went to the trash a day before."""
    made = [editions.add_edition(ready_story, name=name, by=by) for name in ("de", "fr", "it")]
    trash.trash_story(made[-1], by=by)
    yesterday = timezone.now() - timedelta(days=1)
    Story.objects.filter(pk=made[-1].pk).update(deleted_at=yesterday, deleted_by=None)
    return [Story.objects.get(pk=story.pk) for story in (ready_story, *made)]


def now(stories: list[Story]) -> list[Story]:
    return [Story.objects.get(pk=story.pk) for story in stories]


def test_a_capsule_goes_with_its_editions_at_one_moment_by_one_person(family, by, settings):
    at = trash.trash_story(family[0], by=by)
    *together, before = now(family)
    assert [(row.deleted_at, row.deleted_by) for row in together] == [(at, by.user)] * 3
    assert [row.revision for row in together] == [row.revision + 1 for row in family[:3]]
    assert (before.deleted_at, before.deleted_by, before.revision) == (
        family[3].deleted_at, None, family[3].revision,
    )  # fmt: skip
    settings.TRASH_RETENTION = timedelta(days=3)
    assert trash.purge_time(at) == at + timedelta(days=3)
    with pytest.raises(Conflict, match="Restore the capsule first"):
        trash.restore_story(before, by=by)
    told = last_event()
    assert sorted(told.pop("editions")) == sorted(str(row.pk) for row in together[1:])
    about = {"id": str(family[0].pk), "title": family[0].title, "url": None}
    assert told == {
        "type": "story.trashed", "story": about, "via": "studio", "label": "", "wasPublished": False,
        "editionCount": 2,
    }  # fmt: skip


def test_a_capsule_comes_back_with_the_editions_that_went_with_it_as_a_change_of_each(family, by):
    trash.trash_story(family[0], by=by)
    at = timezone.now()
    gone = now(family)
    restored = trash.restore_story(family[0], by=by)
    *together, before = now(family)
    assert [(row.deleted_at, row.deleted_by) for row in together] == [(None, None)] * 3
    assert [row.revision for row in together] == [row.revision + 1 for row in gone[:3]]
    assert all(row.updated_at >= at for row in together)
    assert (before.deleted_at, before.revision) == (gone[3].deleted_at, gone[3].revision)
    assert (restored.deleted_at, restored.revision) == (None, together[0].revision)
    told = last_event()
    assert told["editions"] == [str(row.pk) for row in together[1:]], "in the order in which they were made"
    assert (told["type"], told["via"], told["editionCount"]) == ("story.restored", "studio", 2)


def test_an_edition_goes_and_comes_back_alone(family, by):
    _, edition, other, _ = family
    trash.trash_story(edition, by=by)
    assert last_event()["editions"] == [] and last_event()["story"]["id"] == str(edition.pk)
    assert [row.deleted_at is None for row in now(family)] == [True, False, True, False]
    trash.restore_story(edition, by=by)
    assert now([other])[0].revision == other.revision


def test_what_is_in_the_trash_is_not_trashed_again(family, by):
    trash.trash_story(family[0], by=by)
    gone = now(family)
    with pytest.raises(NotFound):
        trash.trash_story(family[0], by=by)
    assert [(row.deleted_at, row.revision) for row in now(family)] == [
        (row.deleted_at, row.revision) for row in gone
    ]


def test_what_is_not_in_the_trash_is_neither_restored_nor_deleted(ready_story, by):
    with pytest.raises(Conflict, match=NOT_IN_IT):
        trash.restore_story(ready_story, by=by)
    with pytest.raises(Conflict, match=NOT_IN_IT):
        trash.purge_story(ready_story, title=ready_story.title, by=by)
    assert Story.objects.get().revision == ready_story.revision


def test_a_suspended_workspace_may_take_a_capsule_down_but_not_bring_it_back(ready_story, by):
    Workspace.objects.update(suspended_at=timezone.now())
    trash.trash_story(Story.objects.get(pk=ready_story.pk), by=by)
    with pytest.raises(Locked):
        trash.restore_story(ready_story, by=by)
    assert Story.objects.get().deleted_at
    trash.purge_story(ready_story, title=ready_story.title, by=by)
    assert not Story.objects.exists()


@pytest.mark.parametrize("who", ["owner", "admin", "editor", "viewer", "stranger"])
def test_who_may_bring_back_and_who_may_delete_forever(who, ready_story, person, by):
    trash.trash_story(ready_story, by=by)
    somebody = Actor.by_token(person(who))
    if who in ("viewer", "stranger"):
        with pytest.raises(Forbidden, match="does not allow writing"):
            trash.restore_story(ready_story, by=somebody)
    else:
        assert trash.restore_story(ready_story, by=somebody).deleted_at is None
        trash.trash_story(ready_story, by=by)
    if who in ("owner", "admin"):
        trash.purge_story(ready_story, title=ready_story.title, by=somebody)
    else:
        words = "Only an owner or an admin" if who == "editor" else "does not allow writing"
        with pytest.raises(Forbidden, match=words):
            trash.purge_story(ready_story, title=ready_story.title, by=somebody)
    assert Story.objects.exists() is (who not in ("owner", "admin"))


@pytest.mark.parametrize("title, typed, is_sure", [
    ("Small voyages", " Small voyages\n", True), (" Small voyages ", "Small voyages", True),
    ("Small voyages", "small voyages", False), ("Small voyages", "", False), ("Small voyages", "Small", False),
])  # fmt: skip
def test_who_deletes_forever_types_the_title(title, typed, is_sure, ready_story, by):
    trash.trash_story(ready_story, by=by)
    Story.objects.update(title=title)
    if is_sure:
        trash.purge_story(ready_story, title=typed, by=by)
        assert not Story.objects.exists() and last_event()["via"] == "studio"
        with pytest.raises(NotFound):
            trash.purge_story(ready_story, title=typed, by=by)
    else:
        with pytest.raises(Invalid) as refused:
            trash.purge_story(ready_story, title=typed, by=by)
        assert paths_of(refused) == ["title"]
        assert Story.objects.exists()


def test_of_a_capsule_that_was_live_it_is_told_and_not_of_one_whose_edition_was(live_story, by):
    trash.trash_story(live_story, unpublish=True, by=by)
    assert last_event()["wasPublished"] is True
    noted = PublicationEvent.objects.filter(story=live_story).latest("pk")
    assert (noted.action, noted.by, noted.via) == (PublicationEvent.Action.UNPUBLISHED, by.user, "studio")
    trash.restore_story(live_story, by=by)
    trash.trash_story(live_story, unpublish=True, by=by)
    assert last_event()["wasPublished"] is False


def test_a_live_capsule_goes_nowhere_unless_somebody_says_so(live_story, by):
    editions.add_edition(live_story, name="de", by=by)
    with pytest.raises(Conflict):
        trash.trash_story(live_story, by=by)
    assert set(Story.objects.values_list("deleted_at", flat=True)) == {None}


def test_a_capsule_stays_live_while_an_edition_of_it_is_published(live_story, by):
    edition = editions.add_edition(live_story, name="de", by=by)
    until = timezone.now() + timedelta(seconds=30)
    Publication.objects.create(story=edition, lease_token=uuid4(), lease_until=until)
    with pytest.raises(Locked):
        trash.trash_story(live_story, unpublish=True, by=by)
    assert Publication.objects.get(story=live_story).is_published
    assert set(Story.objects.values_list("deleted_at", flat=True)) == {None}
