"""The fields of a story itself: what a change writes, who hears of it, what is refused and in which words."""

from __future__ import annotations

import uuid

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace, WorkspaceEvent
from capsules import signals
from capsules.actions import drafts, editions, keeping, scenes, writing
from capsules.models import Revision, Scene, Story
from config.errors import Conflict, Forbidden, Invalid, Locked, NotFound, Stale
from tests.support import factories
from tests.support.rows import differing, faults_of, now, paths_of


@pytest.fixture
def edition(ready_story, by) -> Story:
    return editions.add_edition(ready_story, name="de", label="Deutsch", by=by)


# --- Changing ----------------------------------------------------------------------------------------------------


def test_a_change_of_a_story_is_one_version_one_revision_and_somebodys(ready_story, by):
    scenes.update_scene(ready_story, ready_story.scenes.first().key, {"text": "New"}, by=None)
    before, moment = now(ready_story), timezone.now()
    assert before.version < before.revision
    changes = {"title": "Larger", "summary": "a\r\nb", "look": {"theme": "paper"}, "author": "Ines"}
    told = drafts.update_story(ready_story, changes, expected=[before.version], by=by)
    row = now(ready_story)
    assert differing(told, row) == set()
    assert differing(before, row) == {
        "title", "summary", "theme", "author_name", "version", "revision", "updated_at", "edited_by_id",
    }  # fmt: skip
    assert (row.summary, row.version, row.revision, row.edited_by) == (
        "a\nb", before.version + 1, before.revision + 1, by.user,
    )  # fmt: skip
    assert moment <= row.updated_at <= timezone.now()
    assert keeping.content_in(row.revisions.first())["story"]["title"] == "Larger"
    told = drafts.update_story(now(ready_story), {"title": "Larger", "summary": "Other"}, by=None)
    assert differing(told, row) == {"summary", "version", "revision", "updated_at", "edited_by_id"}


def test_the_cover_is_a_scene_that_the_story_has_now(ready_story, by, north_shore):
    first, second = ready_story.scenes.order_by("position")[:2]
    assert drafts.update_story(ready_story, {"cover": second.key}, by=by).cover == second
    version = now(ready_story).version
    assert drafts.update_story(ready_story, {"cover": second.key}, by=by).version == version
    scenes.delete_scene(ready_story, first.key, by=by)
    elsewhere = factories.make_draft(north_shore).scenes.get()
    for key in (first.key, elsewhere.key, uuid.uuid4()):
        with pytest.raises(Invalid) as refused:
            drafts.update_story(ready_story, {"cover": key}, by=by)
        assert faults_of(refused) == [("cover", "This story has no such scene.")]
    assert drafts.update_story(ready_story, {"cover": None}, by=by).cover is None


@pytest.mark.parametrize("fields, is_told", [
    ({"edition_name": "at"}, True), ({"edition_label": "Other"}, True), ({"shown": True}, True), ({"cover": 1}, True),
    ({"title": "Other", "edition_label": "Other"}, True), ({"title": "Other"}, False), ({"shown": False}, False),
])  # fmt: skip
def test_who_shows_an_edition_hears_of_what_readers_see_at_once(fields, is_told, edition, by):
    told = []

    def hear(story, before, by, **kwargs):
        told.append((story.pk, story.edition_name, story.edition_label, story.shown, before.shown, by))

    if "cover" in fields:
        fields = {"cover": edition.scenes.get(position=1).key}
    signals.presentation_changed.connect(hear)
    try:
        drafts.update_story(edition, fields, by=by)
    finally:
        signals.presentation_changed.disconnect(hear)
    row = now(edition)
    now_seen = (row.pk, row.edition_name, row.edition_label, row.shown, False, by)
    assert told == ([now_seen] if is_told else [])


def test_what_only_an_edition_has_is_refused_for_a_capsule(ready_story, by):
    fields = {"shown": True, "edition_name": "de", "edition_label": "Deutsch", "title": "Other"}
    with pytest.raises(Conflict, match="This story is a capsule, not an edition") as refused:
        drafts.update_story(ready_story, fields, by=by)
    assert faults_of(refused) == [
        (path, "Only an edition has this.") for path in ("shown", "editionName", "editionLabel")
    ]
    for name in ("shown", "edition_name", "edition_label"):
        with pytest.raises(Conflict):
            drafts.update_story(ready_story, {name: fields[name]}, by=by)
    assert differing(now(ready_story), ready_story) == set()


def test_a_name_of_an_edition_is_taken_once_a_capsule(ready_story, edition, by):
    other = editions.add_edition(ready_story, name="fr", by=by)
    with pytest.raises(Conflict) as refused:
        drafts.update_story(other, {"edition_name": "de", "title": "Other"}, by=by)
    taken = "An edition of this name already exists in this capsule."
    assert (str(refused.value), faults_of(refused)) == (taken, [("editionName", taken)])
    assert differing(now(other), other) == set()


def test_every_fault_of_a_change_is_named_on_the_wire(ready_story, by):
    fields = {"title": " ", "author_name": "a\nb", "look": {"accent": "red"}, "edition_label": "x" * 81}
    with pytest.raises(Invalid) as refused:
        drafts.update_story(ready_story, fields, by=by)
    assert sorted(paths_of(refused)) == ["author", "editionLabel", "look.accent", "title"]
    assert differing(now(ready_story), ready_story) == set()


# --- Coming too late ---------------------------------------------------------------------------------------------


def test_who_is_late_is_told_what_differs_and_keeps_all_that_they_sent(edition, by, person):
    editor = Actor.by_token(person("editor"))
    second = edition.scenes.get(position=1)
    scenes.update_scene(edition, second.key, {"text": "New"}, by=by)
    drafts.update_story(edition, {"title": "Theirs", "edition_label": "Theirs"}, by=editor)
    Story.objects.filter(pk=edition.pk).update(updated_at=timezone.now().replace(hour=7, minute=5, second=33))
    mine = {
        "title": "Mine", "summary": "", "look": {"theme": "paper"}, "edition_name": "at", "edition_label": "Theirs",
        "cover": second.key,
    }  # fmt: skip
    with pytest.raises(Stale) as late:
        drafts.update_story(edition, mine, expected=[1], by=by)
    assert (
        str(late.value) == "This story was changed meanwhile by Editor. Your version is kept in the history."
    )
    assert late.value.version == 2
    paths = sorted(paths_of(late))
    assert {message for _, message in faults_of(late)} == {"Changed at 07:05 UTC."}
    kept = edition.revisions.first()
    assert (kept.kind, kept.by) == ("conflict", by.user)
    content = kept.content["story"]
    assert (content["title"], content["look"]["theme"], content["cover"]) == (
        "Mine",
        "paper",
        str(second.key),
    )
    assert (content["editionName"], content["editionLabel"]) == ("at", "Theirs")
    assert paths == ["cover", "editionName", "look", "title"], "what is the same by now is no matter"
    drafts.update_story(edition, {"cover": second.key}, by=editor)
    with pytest.raises(Stale):
        drafts.update_story(edition, {"cover": None}, expected=[1], by=by)
    assert edition.revisions.first().content["story"]["cover"] is None
    assert now(edition).title == "Theirs"


def test_how_it_is_told_who_was_quicker(ready_story, by, person):
    editor = Actor.by_token(person("editor"))
    late = " Your version is kept in the history."

    def told(who: Actor | None, *expected: int) -> str:
        with pytest.raises(Stale) as refused:
            drafts.update_story(ready_story, {"title": str(uuid.uuid4())}, expected=expected, by=who)
        said, kept, _ = str(refused.value).partition(late)
        assert kept
        return said

    drafts.update_story(ready_story, {"title": "Theirs"}, by=editor)
    assert told(editor, 1) == "You changed this story in another tab or program."
    assert told(by, 1) == told(None, 1) == "This story was changed meanwhile by Editor."
    assert told(by, 1, 9) == "This story was changed meanwhile by Editor."
    assert told(by, 9, 8) == "This story has no version 8 yet; it is at version 2."
    assert told(by) == "This story was changed meanwhile by Editor."
    editor.user.name = ""
    editor.user.save()
    assert told(by, 1) == "This story was changed meanwhile."
    drafts.update_story(ready_story, {"title": "By the service"}, by=None)
    assert told(by, 1) == told(None, 1) == "This story was changed meanwhile."


# --- Who may -----------------------------------------------------------------------------------------------------


def test_a_story_is_found_by_who_may_read_it_and_else_missed_in_the_same_words(ready_story, by, person):
    assert writing.find_story(by, str(ready_story.pk)) == ready_story
    gone = factories.make_draft(ready_story.workspace).pk
    Story.objects.filter(pk=gone).update(deleted_at=timezone.now())
    stranger = Actor.by_token(person("stranger"))
    for who, id in ((stranger, ready_story.pk), (by, gone), (by, uuid.uuid4()), (by, "x")):
        with pytest.raises(NotFound, match=r"^There is no such story\.$"):
            writing.find_story(who, id)
        with pytest.raises(NotFound, match=r"^Not here\.$"):
            writing.find_story(who, id, "Not here.")


def test_the_role_is_asked_before_anything_else_and_as_it_is_now(ready_story, by, person):
    viewer = Actor.by_token(person("viewer"))
    with pytest.raises(Forbidden, match="Your role in this workspace does not allow writing"):
        drafts.update_story(ready_story, {"title": "x"}, expected=[99], by=viewer)
    assert writing.check_may_change(None, ready_story.workspace) is None
    Workspace.objects.update(suspended_at=timezone.now())
    with pytest.raises(Forbidden):
        drafts.update_story(ready_story, {"title": "x"}, by=viewer)
    for who in (by, None):
        with pytest.raises(Locked, match="This workspace is suspended"):
            drafts.update_story(ready_story, {"title": "x"}, by=who)
    Story.objects.update(deleted_at=timezone.now())
    with pytest.raises(NotFound):
        drafts.update_story(ready_story, {"title": "x"}, by=by)
    assert not WorkspaceEvent.objects.filter(type="story.trashed").exists()
    assert not Revision.objects.filter(kind="conflict").exists() and Scene.objects.count() == 4
