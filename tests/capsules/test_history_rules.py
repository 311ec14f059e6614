"""The history of a draft: what a revision has, which changes belong to it, how long it stays, what comes back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db.models import F
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.actions import drafts, keeping, revisions, scenes, trash
from capsules.models import Asset, Revision, Scene, Story
from config.errors import Conflict, Forbidden, Invalid, Locked, NotFound, Stale
from tests.support import factories
from tests.support.rows import differing, faults_of, now

AUTO, NAMED, RESTORED, CONFLICT = (Revision.Kind[name] for name in ("AUTO", "NAMED", "RESTORED", "CONFLICT"))


@pytest.fixture
def by(owner):
    return Actor.by_token(owner, via="studio")


@pytest.fixture
def story(ready_story, by) -> Story:
    """A capsule of three scenes and a finale, of which the second is a film, and the cover."""
    second = ready_story.scenes.get(position=1)
    film = factories.shared_film(ready_story.workspace)
    Scene.objects.filter(pk=second.pk).update(film=film, animation="film", trim_start=0.5, trim_length=1)
    return drafts.update_story(ready_story, {"cover": second.key, "summary": "Before."}, by=by)


def draft_of(story: Story) -> dict:
    return keeping.content_of(now(story))


def write(story: Story, text: str, by: Actor | None, **options) -> Scene:
    return scenes.update_scene(story, story.scenes.first().key, {"text": text}, by=by, **options)


def kept(story: Story) -> list[tuple]:
    """Newest first."""
    return list(story.revisions.values_list("number", "kind", "changes"))


# --- Naming ------------------------------------------------------------------------------------------------------


def test_a_named_moment_has_the_draft_its_name_and_who_named_it(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    row = Revision.objects.get(pk=named.pk)
    assert (row.kind, row.label, row.by, row.via, row.changes) == (NAMED, "Here", by.user, "studio", 1)
    assert row.content == draft_of(story) and row.content["story"]["cover"] == str(story.cover.key)
    assert now(story).revision == story.revision, "nothing of the draft was changed"


@pytest.mark.parametrize("kind, after", [
    ("auto", "named"), ("restored", "named"), ("named", "named"), ("published", "published"), ("conflict", "conflict"),
])  # fmt: skip
def test_a_name_makes_what_would_be_forgotten_stay_and_leaves_the_rest(kind, after, story, by, person):
    old = keeping.keep_revision(story, kind, by=by, label="Old")
    content = keeping.content_in(old)
    editor = Actor.by_token(person("editor"))
    revisions.name_kept(story, old, "New", by=editor)
    row = Revision.objects.get(pk=old.pk)
    assert (row.kind, row.label, row.by, keeping.content_in(row)) == (after, "New", by.user, content)


def test_moments_are_named_by_who_may_write_now(story, by, person):
    old, viewer = story.revisions.first(), Actor.by_token(person("viewer"))
    calls = [
        lambda who: revisions.name_revision(story, "Here", by=who),
        lambda who: revisions.name_kept(story, old, "Here", by=who),
        lambda who: revisions.restore_revision(story, old, by=who),
    ]
    before = kept(story)

    def all_raise(error: type[Exception], who: Actor) -> None:
        for call in calls:
            with pytest.raises(error):
                call(who)
        assert kept(story) == before and not story.revisions.filter(label="Here").exists()

    all_raise(Forbidden, viewer)
    Workspace.objects.update(suspended_at=timezone.now())
    all_raise(Locked, by)
    all_raise(Forbidden, viewer)
    Story.objects.update(deleted_at=timezone.now())
    all_raise(NotFound, by)


# --- Which changes belong together -------------------------------------------------------------------------------


@pytest.mark.parametrize("change, via", [
    ({"via": "studio"}, "studio"), ({"via": "token"}, "api"), ({"via": "key"}, "api"), ({"via": "app"}, "api"),
    ({"via": "app", "tool": "update_scene"}, "mcp"), ({"via": "staff"}, "staff"), (None, "import"),
])  # fmt: skip
def test_a_revision_knows_through_what_it_was_made(change, via, story, by):
    actor = None if change is None else replace(by, **change)
    write(story, "New words.", actor)
    row = story.revisions.first()
    assert (row.via, row.by) == (via, actor and actor.user)


@pytest.mark.parametrize("minutes, belongs", [(9.9, True), (10.1, False)])
def test_changes_of_ten_minutes_belong_together(minutes, belongs, story, by):
    write(story, "First.", by)
    first = story.revisions.first()
    at = first.created_at + timedelta(minutes=minutes)
    with time_machine.travel(at, tick=False):
        write(story, "Later.", by)
    row = story.revisions.first()
    assert (row.pk == first.pk) is belongs
    assert (row.updated_at, row.changes, row.content) == (at, first.changes + 1 if belongs else 1, None)
    first.refresh_from_db()
    assert belongs or first.content["scenes"][0]["text"] == "First."


def test_a_change_belongs_to_the_last_of_its_maker_past_others_and_refusals(story, by, person):
    editor = Actor.by_token(person("editor"))
    write(story, "Mine.", by)
    mine = story.revisions.first()
    changes = mine.changes
    write(story, "Theirs.", editor)
    with pytest.raises(Stale):
        write(story, "Late.", by, expected=[1])
    write(story, "Mine again.", by)
    mine.refresh_from_db()
    assert (mine.content, mine.changes) == (None, changes + 1)
    assert [kind for _, kind, _ in kept(story)][:2] == ["conflict", "auto"]
    theirs = story.revisions.get(by=editor.user)
    assert theirs.content["scenes"][0]["text"] == "Theirs."
    assert keeping.content_in(mine) == draft_of(story)


@pytest.mark.parametrize("kind", [NAMED, RESTORED, Revision.Kind.PUBLISHED])
def test_a_change_after_a_kept_moment_begins_another_revision(kind, story, by):
    write(story, "First.", by)
    keeping.keep_revision(story, kind, by=by)
    write(story, "Second.", by)
    assert [each for _, each, _ in kept(story)][:3] == ["auto", kind, "auto"]
    assert [keeping.content_in(row)["scenes"][0]["text"] for row in story.revisions.all()[:3]] == [
        "Second.", "First.", "First.",
    ]  # fmt: skip


# --- How many are kept -------------------------------------------------------------------------------------------


def test_the_oldest_of_what_nobody_chose_to_keep_go_and_numbers_go_on(story, by, north_shore, settings):
    other = factories.make_draft(north_shore)
    Revision.objects.filter(story=story).delete()
    for kind in (AUTO, NAMED, CONFLICT, Revision.Kind.PUBLISHED, RESTORED):
        keeping.keep_revision(story, kind, by=by)
    settings.REVISIONS_PER_STORY = 3
    number = keeping.keep_revision(story, CONFLICT, by=by).number
    assert [kind for _, kind, _ in kept(story)] == ["conflict", "restored", "published", "conflict", "named"]
    assert number == 6
    Revision.objects.filter(story=story, number__lt=5).delete()
    assert keeping.keep_revision(story, NAMED, by=by).number == 7
    assert other.revisions.count() == 1


def test_a_revision_that_is_thinned_out_while_it_is_read_has_what_it_had(story, by):
    write(story, "A word.", by)
    read = story.revisions.first()
    Revision.objects.filter(pk=read.pk).delete()
    assert (read.content, keeping.content_in(read)) == (None, draft_of(story))


def test_a_refusal_is_kept_again_once_two_others_came_after_it(story, by):
    def refused(text: str) -> str:
        with pytest.raises(Stale) as late:
            write(story, text, by, expected=[99])
        return late.value.kept_as

    first, second = refused("one"), refused("two")
    assert [refused("one"), refused("two")] == [first, second]
    third = refused("three")
    assert refused("two") == second and refused("one") not in (first, second, third)
    assert story.revisions.filter(kind=CONFLICT).count() == 4


# --- Going back --------------------------------------------------------------------------------------------------


def test_a_draft_comes_back_in_every_field_and_the_present_one_is_kept_first(story, by, person, north_shore):
    (long_gone,) = scenes.add_scenes(story, [{"text": "Gone"}], after=None, by=by)
    scenes.delete_scene(story, long_gone.key, by=by)
    long_gone.refresh_from_db()
    before, named = draft_of(story), revisions.name_revision(story, "Here", by=by)
    first, second, third, finale = story.scenes.order_by("position")
    drafts.update_story(
        story, {"title": "Other", "summary": "", "look": {"theme": "paper"}, "cover": None}, by=by
    )
    scenes.update_scene(story, finale.key, {"text": "Other"}, by=by)
    scenes.delete_scene(story, finale.key, by=by)
    (added,) = scenes.add_scenes(story, [{"text": "New", "finale": True}], by=by)
    scenes.move_scene(story, first.key, after=third.key, by=by)
    scenes.update_scene(
        story, second.key, {"text": "Other", "still": None, "film": None, "place": "top"}, by=by
    )
    changed, row = draft_of(story), now(story)
    Scene.objects.filter(story=story).update(edited_at=row.created_at)

    editor, moment = Actor.by_token(person("editor")), timezone.now()
    told = revisions.restore_revision(story, named, expected=[row.revision], by=editor)
    assert draft_of(story) == before and differing(told, now(story)) == set()
    assert (told.version, told.revision, told.edited_by) == (row.version + 1, row.revision + 1, editor.user)
    gone = Scene.every.get(pk=added.pk)
    assert gone.deleted_at >= moment and gone.version == added.version + 1
    assert differing(long_gone, Scene.every.get(pk=long_gone.pk)) == set()
    for scene in story.scenes.all():
        assert scene.edited_by == editor.user and scene.edited_at >= moment
    auto, restored, before_it = story.revisions.all()[:3]
    assert keeping.content_in(before_it) == changed
    assert (auto.kind, auto.by, keeping.content_in(auto)) == (AUTO, editor.user, before)
    assert (restored.kind, restored.by, restored.label, restored.content) == (
        RESTORED, editor.user, "Before going back", changed,
    )  # fmt: skip
    told = revisions.restore_revision(story, restored, by=editor)
    assert (draft_of(story), told.cover, changed["story"]["cover"]) == (changed, None, None)


def test_only_the_scenes_that_are_named_come_back(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    first, second, third, _ = story.scenes.order_by("position")
    drafts.update_story(story, {"title": "Other", "cover": None}, by=by)
    for scene in (first, second):
        scenes.update_scene(story, scene.key, {"text": "Other"}, by=by)
    scenes.delete_scene(story, third.key, by=by)
    scenes.move_scene(story, second.key, after=None, by=by)
    (added,) = scenes.add_scenes(story, [{"text": "New"}], after=second.key, by=by)
    version = now(story).version
    told = revisions.restore_revision(story, named, scenes=[second.key, third.key], by=by)
    assert (told.title, told.cover, told.version) == ("Other", None, version)
    texts = {scene.key: scene.text for scene in story.scenes.all()}
    assert (texts[first.key], texts[second.key], texts[third.key]) == ("Other", second.text, third.text)
    keys = list(story.scenes.order_by("position").values_list("key", flat=True))
    assert keys[:2] == [second.key, third.key] and set(keys) >= {first.key, added.key}
    assert list(story.scenes.values_list("position", flat=True)) == [0, 1, 2, 3, 4]


def test_a_deleted_scene_comes_back_alone_behind_the_one_that_it_followed(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    first, second, third, finale = (scene.key for scene in story.scenes.order_by("position"))

    def order() -> list[UUID]:
        return list(story.scenes.order_by("position").values_list("key", flat=True))

    for gone in (first, third, finale):
        scenes.delete_scene(story, gone, by=by)
        revisions.restore_revision(story, named, scenes=[gone], by=by)
        assert order() == [first, second, third, finale]
    for gone in (second, third):
        scenes.delete_scene(story, gone, by=by)
    revisions.restore_revision(story, named, scenes=[third], by=by)
    assert order() == [first, third, finale], "what it followed is gone: behind the one before that"


def test_a_scene_that_the_revision_does_not_have_is_named_by_its_place(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    known = [scene.key for scene in story.scenes.all()]
    with pytest.raises(Invalid) as refused:
        revisions.restore_revision(story, named, scenes=[known[0], uuid4(), known[1], uuid4()], by=by)
    assert faults_of(refused) == [
        ("scenes.1", "This revision has no such scene."), ("scenes.3", "This revision has no such scene."),
    ]  # fmt: skip


def test_the_finale_of_an_earlier_draft_comes_back_where_there_is_no_other(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    *_, third, finale = story.scenes.order_by("position")
    scenes.move_scene(story, third.key, after=finale.key, by=by)
    scenes.update_scene(story, finale.key, {"finale": False}, by=by)
    scenes.update_scene(story, third.key, {"finale": True}, by=by)

    def finales() -> list[Scene]:
        return list(story.scenes.filter(finale=True))

    revisions.restore_revision(story, named, scenes=[finale.key], by=by)
    assert finales() == [third], "one scene alone does not take the place of another"
    revisions.restore_revision(story, named, scenes=[third.key, finale.key], by=by)
    assert finales() == [finale]
    scenes.update_scene(story, finale.key, {"finale": False}, by=by)
    scenes.update_scene(story, third.key, {"finale": True}, by=by)
    revisions.restore_revision(story, named, by=by)
    assert finales() == [finale] and story.scenes.last() == finale


def test_a_draft_comes_back_wherever_its_finale_stood(story, by):
    first, *_, finale = story.scenes.order_by("position")
    scenes.move_scene(story, finale.key, after=None, by=by)
    named = revisions.name_revision(story, "Here", by=by)
    scenes.update_scene(story, finale.key, {"finale": False}, by=by)
    scenes.update_scene(story, first.key, {"finale": True}, by=by)
    revisions.restore_revision(story, named, by=by)
    assert draft_of(story) == named.content


def test_a_scene_that_was_purged_since_comes_back_alone_at_the_end(north_shore, by):
    draft = factories.make_draft(north_shore, scenes=3)
    named = revisions.name_revision(draft, "Here", by=by)
    one, two, three = draft.scenes.order_by("position")
    scenes.delete_scene(draft, one.key, by=by)
    Scene.every.filter(pk=one.pk).delete()
    revisions.restore_revision(draft, named, scenes=[one.key], by=by)
    assert [scene.key for scene in draft.scenes.order_by("position")] == [two.key, three.key, one.key]


def test_what_was_purged_since_comes_back_alone_before_the_finale(story, by):
    named = revisions.name_revision(story, "Here", by=by)
    one, *others = story.scenes.order_by("position")
    assert others[-1].finale
    scenes.delete_scene(story, one.key, by=by)
    Scene.every.filter(pk=one.pk).delete()
    revisions.restore_revision(story, named, scenes=[one.key], by=by)
    order = [*others[:-1], one, others[-1]]
    assert [scene.key for scene in story.scenes.order_by("position")] == [scene.key for scene in order]


def test_what_was_purged_since_comes_back_under_its_identifier(story, by, person):
    named, second = revisions.name_revision(story, "Here", by=by), story.cover
    scenes.delete_scene(story, second.key, by=by)
    Scene.every.filter(pk=second.pk).delete()
    editor = Actor.by_token(person("editor"))
    revisions.restore_revision(story, named, scenes=[second.key], by=editor)
    back = story.scenes.get(key=second.key)
    assert (back.text, back.still, back.edited_by) == (second.text, second.still, editor.user)
    assert back.settle_at > timezone.now()
    assert revisions.restore_revision(story, named, by=editor).cover == back
    assert draft_of(story) == named.content


def test_a_file_that_is_gone_for_good_leaves_its_scene_without_one(story, by, harbour):
    named = revisions.name_revision(story, "Here", by=by)
    Scene.every.update(still=None)
    Asset.objects.update(workspace=harbour)
    revisions.restore_revision(story, named, by=by)
    assert {scene.still for scene in story.scenes.all()} == {None}


def test_who_would_overwrite_a_draft_that_went_on_is_told_so(story, by, person):
    named = revisions.name_revision(story, "Here", by=by)
    write(story, "Theirs.", Actor.by_token(person("editor")))
    Story.objects.update(version=F("version") + 50, updated_at=timezone.now().replace(hour=7, minute=5))
    before, at = kept(story), now(story).revision
    with pytest.raises(Stale) as late:
        revisions.restore_revision(story, named, expected=[at - 1], by=by)
    assert (str(late.value), late.value.version) == ("This draft was changed meanwhile by Editor.", at)
    with pytest.raises(Stale, match=f"This draft has no version {at + 1} yet; it is at version {at}"):
        revisions.restore_revision(story, named, expected=[at + 1], by=by)
    assert kept(story) == before and draft_of(story)["scenes"][0]["text"] == "Theirs."


def test_no_more_scenes_come_back_than_there_may_be(story, by, settings):
    named, key = revisions.name_revision(story, "Here", by=by), story.scenes.first().key
    scenes.delete_scene(story, key, by=by)
    settings.SCENES_PER_STORY = 3
    with pytest.raises(Conflict):
        revisions.restore_revision(story, named, scenes=[key], by=by)
    settings.SCENES_PER_STORY = 4
    revisions.restore_revision(story, named, scenes=[key], by=by)
    assert story.scenes.first().key == key
    scenes.delete_scene(story, key, by=by)
    Scene.every.filter(key=key).delete()  # and where it was purged since
    settings.SCENES_PER_STORY = 3
    with pytest.raises(Conflict):
        revisions.restore_revision(story, named, scenes=[key], by=by)
    trash.trash_story(story, by=by)
    with pytest.raises(NotFound):
        revisions.restore_revision(story, named, by=by)
