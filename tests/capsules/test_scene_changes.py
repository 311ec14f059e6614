"""Scenes that are added, changed, moved, deleted and brought back: what becomes of each column and of their order."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules.actions import encodes, scenes, stills
from capsules.models import Asset, Encode, Scene, Story
from config.errors import Conflict, Forbidden, Invalid, Locked, NotFound, Stale
from tests.support import factories
from tests.support.rows import differing, faults_of, paths_of

GONE = "The scene that this one should follow is gone."
SECOND = "Another scene is the finale already."
LAST = "Nothing comes after the finale."


@pytest.fixture
def draft(north_shore) -> Story:
    """Four scenes of texts, 0 to 3."""
    return factories.make_draft(north_shore, scenes=4)


def scene_at(story: Story, position: int) -> Scene:
    return Scene.objects.get(story=story, position=position)


def keys_of(story: Story) -> list[UUID]:
    """In their order, which has no gap."""
    rows = list(Scene.objects.filter(story=story.pk).order_by("position").values_list("position", "key"))
    assert [position for position, _ in rows] == list(range(len(rows)))
    return [key for _, key in rows]


# --- Adding ------------------------------------------------------------------------------------------------------


def test_every_fault_of_new_scenes_is_named_and_none_is_added(draft, by):
    given = [{"text": "x" * 2001}, {"text": "fine"}, {"title": "a\nb", "focus": (2, 0)}]
    with pytest.raises(Invalid) as refused:
        scenes.add_scenes(draft, given, by=by)
    assert paths_of(refused) == ["scenes.0.text", "scenes.2.title", "scenes.2.focus"]
    with pytest.raises(Invalid) as refused:
        scenes.update_scene(draft, keys_of(draft)[0], given[0], by=by)
    assert paths_of(refused) == ["text"]
    assert len(keys_of(draft)) == 4


def test_several_scenes_are_added_behind_one_in_their_order(draft, by):
    before = keys_of(draft)
    two = [{"text": "a\r\nb"}, {"text": "c"}]
    added = [scene.key for scene in scenes.add_scenes(draft, two, after=before[1], by=by)]
    assert keys_of(draft) == [*before[:2], *added, *before[2:]]
    assert [scene_at(draft, 2).text, scene_at(draft, 3).text] == ["a\nb", "c"]
    assert [(scene.edited_by, scene.settle_at) for scene in (scene_at(draft, 2), scene_at(draft, 3))] == [
        (by.user, None)
    ] * 2
    first = scenes.add_scenes(draft, [{"text": "d"}], after=None, by=None)
    last = scenes.add_scenes(draft, [{"text": "e"}], by=None)
    assert (keys_of(draft)[0], keys_of(draft)[-1]) == (first[0].key, last[0].key)
    assert (first[0].position, last[0].position) == (0, 7)
    assert first[0].edited_by is last[0].edited_by is None
    with pytest.raises(Conflict) as refused:
        scenes.add_scenes(draft, two, after=uuid4(), by=by)
    assert faults_of(refused) == [("after", GONE)]
    assert scenes.add_scenes(draft, [], by=by) == []


@pytest.mark.parametrize("media", ["still", "film", ""])
def test_encodes_of_a_new_scene_are_asked_for_where_it_shows_something(media, draft, rendered, by):
    made = {
        "still": factories.shared_still(draft.workspace, rendered),
        "film": factories.shared_film(draft.workspace),
    }
    given = (
        {media: made[media].pk, "still": None}
        if media == "film"
        else {media: made[media].pk}
        if media
        else {}
    )
    before = timezone.now()
    (scene,) = scenes.add_scenes(draft, [{"text": "New", **given}], by=by)
    settle_at = Scene.objects.get(pk=scene.pk).settle_at
    if media:
        assert before + timedelta(seconds=4) <= settle_at <= timezone.now() + timedelta(seconds=4)
    else:
        assert settle_at is None


def test_there_is_one_finale_and_nothing_behind_it(ready_story, draft, by):
    first, *_, finale = keys_of(ready_story)
    with pytest.raises(Conflict, match=LAST):
        scenes.add_scenes(ready_story, [{"text": "Late"}], by=by)
    with pytest.raises(Conflict, match=LAST):
        scenes.add_scenes(ready_story, [{"text": "Late"}], after=finale, by=by)
    with pytest.raises(Conflict, match=SECOND):
        scenes.add_scenes(ready_story, [{"finale": True}], after=first, by=by)
    with pytest.raises(Conflict, match=SECOND):
        scenes.add_scenes(draft, [{"finale": True}, {"finale": True}], by=by)
    (before,) = scenes.add_scenes(ready_story, [{"text": "Early", "finale": False}], after=first, by=by)
    assert keys_of(ready_story)[1] == before.key and len(keys_of(draft)) == 4
    assert scenes.add_scenes(draft, [{"finale": False}, {"finale": True}], by=by)[1].finale


def test_no_more_scenes_are_added_at_once_than_there_may_be(draft, by, settings):
    settings.SCENES_PER_STORY = 6
    words = "A capsule has at most 6 scenes; this one has {}."
    with pytest.raises(Conflict) as refused:
        scenes.add_scenes(draft, [{}, {}, {}], by=by)
    assert faults_of(refused) == [("scenes", words.format(7))] and str(refused.value) == words.format(7)
    scenes.add_scenes(draft, [{}, {}], by=by)
    with pytest.raises(Conflict) as refused:
        scenes.duplicate_scene(draft, keys_of(draft)[0], by=by)
    assert faults_of(refused) == [("scenes", words.format(7))] and len(keys_of(draft)) == 6


def test_media_that_cannot_be_shown_is_named_at_each_scene(draft, harbour, rendered, by):
    own = {
        "still": factories.shared_still(draft.workspace, rendered),
        "film": factories.shared_film(draft.workspace),
    }
    foreign = factories.shared_film(harbour)
    given = [
        {"still": own["still"].pk},
        {"still": own["film"].pk, "film": own["still"].pk},
        {"film": foreign.pk, "still": uuid4()},
    ]
    with pytest.raises(Invalid) as refused:
        scenes.add_scenes(draft, given, by=by)
    picture, film = (f"This workspace has no {kind} of this id." for kind in ("picture", "film"))
    assert faults_of(refused) == [
        ("scenes.1.still", picture), ("scenes.1.film", film), ("scenes.2.still", picture), ("scenes.2.film", film),
    ]  # fmt: skip
    late = {"film": own["film"].pk, "still": None, "trim": (1.6, 1)}
    with pytest.raises(Invalid) as refused:
        scenes.add_scenes(draft, [{}, late], by=by)
    assert paths_of(refused) == ["scenes.1.trim"]
    assert len(keys_of(draft)) == 4


# --- Changing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [
    {"text": "a\r\nb", "title": "New"}, {"focus": (0.25, 0.5)}, {"still": None}, {"place": "top", "fit": "contain"},
])  # fmt: skip
def test_a_change_is_answered_as_it_is_written(fields, ready_story, by, person):
    editor = Actor.by_token(person("editor"))
    scene = scene_at(ready_story, 1)
    before = timezone.now()
    told = scenes.update_scene(ready_story, scene.key, fields, expected=[scene.version], by=editor)
    row = Scene.objects.get(pk=scene.pk)
    assert differing(told, row) == set()
    assert (row.version, row.edited_by) == (scene.version + 1, editor.user)
    assert before <= row.edited_at <= timezone.now()
    if "text" in fields:
        assert (row.text, row.title, row.settle_at) == ("a\nb", "New", None)
    again = scenes.update_scene(ready_story, scene.key, fields, by=by)
    assert differing(again, row) == set(), "the same once more is no change, and nobody else's"


STILL, MOVING = ("still_encode_id",), ("animation_encode_id",)


@pytest.mark.parametrize("position, fields, unlinked", [
    (1, {"still": "other"}, STILL + MOVING), (1, {"animation": ""}, MOVING), (0, {"film": None}, MOVING),
    (0, {"trim": (0.5, 1.5)}, MOVING), (0, {"animation": "auto"}, MOVING), (0, {"trim": (0.0, 1)}, MOVING),
    (1, {"focus": (0.25, 0.5)}, ()), (1, {"still": None}, STILL + MOVING),
])  # fmt: skip
def test_what_was_rendered_before_is_shown_no_more_once_another_picture_is_chosen(
    position, fields, unlinked, north_shore, rendered, by
):
    story = factories.make_story(north_shore, rendered, films=1)
    scene = scene_at(story, position)
    if position == 0:
        Scene.objects.filter(pk=scene.pk).update(trim_start=0.0, trim_length=1.5)
        scene.refresh_from_db()
    if fields.get("still"):
        other = factories.make_asset(north_shore, name="ab/other.png", filename="other.png")
        fields = {"still": other.pk}
    before = timezone.now()
    scenes.update_scene(story, scene.key, fields, by=by)
    row = Scene.objects.get(pk=scene.pk)
    assert row.settle_at > before
    gone = {name for name in STILL + MOVING if getattr(row, name) is None}
    assert gone == set(unlinked)
    assert all(getattr(row, name) == getattr(scene, name) for name in {*STILL, *MOVING} - gone)


def test_what_was_queued_for_pictures_that_are_replaced_is_forgotten_with_them(north_shore, rendered, by):
    story = factories.make_story(north_shore, rendered, films=1, scenes=2, encoded=False, preview=False)
    scene = scene_at(story, 0)

    def kinds() -> set[str]:
        return set(Encode.objects.values_list("kind", flat=True))

    assert kinds() == {"still", "film"}
    scenes.update_scene(story, scene.key, {"text": "Words alone."}, by=by)
    scenes.update_scene(story, scene.key, {"film": None}, by=by)
    assert kinds() == {"still"}, "the other scene shows it, too"
    scenes.delete_scene(story, scene_at(story, 1).key, by=by)
    Scene.every.exclude(pk=scene.pk).delete()
    scenes.update_scene(story, scene.key, {"still": None}, by=by)
    assert kinds() == set()


def test_the_finale_stays_one_whatever_else_of_it_is_changed(ready_story, by):
    finale, first = scene_at(ready_story, 3), scene_at(ready_story, 0)
    told = scenes.update_scene(ready_story, finale.key, {"text": "The end.", "finale": True}, by=by)
    assert told.finale and told.text == "The end."
    with pytest.raises(Conflict) as refused:
        scenes.update_scene(ready_story, first.key, {"finale": True}, by=by)
    assert faults_of(refused) == [("finale", SECOND)]
    scenes.delete_scene(ready_story, finale.key, by=by)
    assert scenes.update_scene(ready_story, first.key, {"finale": True}, by=by).finale


def film_of(workspace: Workspace, name: str, duration: float) -> Asset:
    return factories.make_asset(workspace, kind="film", name=f"ab/{name}", filename=name, duration=duration)


@pytest.mark.parametrize("first, trim, second, given, left", [
    ("long", (2.0, 1.0), "other", {}, None),  # it was chosen on another film
    ("long", (2.0, 1.0), "other", {"trim": (3.0, 1.0)}, (3.0, 1.0)),
    ("long", (2.0, 1.0), "long", {}, (2.0, 1.0)),
    ("long", (2.0, 1.0), None, {}, None),
    (None, (2.0, 1.0), "long", {}, (2.0, 1.0)),  # it waited for a film
    (None, (9.0, 1.0), "long", {}, None),  # which has no such part
])  # fmt: skip
def test_a_part_stays_with_the_film_on_which_it_was_chosen(first, trim, second, given, left, draft, by):
    films = {name: film_of(draft.workspace, name, 5.0) for name in ("long", "other")}
    scene = scene_at(draft, 0)
    chosen = films[first] if first else None
    Scene.objects.filter(pk=scene.pk).update(film=chosen, trim_start=trim[0], trim_length=trim[1])
    fields = {"film": films[second].pk if second else None, **given}
    scenes.update_scene(draft, scene.key, fields, by=by)
    row = Scene.objects.get(pk=scene.pk)
    assert (row.film_id, row.trim) == (fields["film"], left)


def test_a_part_that_its_film_does_not_have_is_refused_whichever_comes_with_the_change(draft, by):
    short, scene = film_of(draft.workspace, "short", 2.0), scene_at(draft, 0)
    scenes.update_scene(draft, scene.key, {"trim": (400.0, 1.0)}, by=by)
    assert Scene.objects.get(pk=scene.pk).trim == (400.0, 1.0), "it has no film yet"
    for fields in ({"film": short.pk, "trim": (1.6, 1.0)}, {"trim": (1.6, 1.0)}):
        with pytest.raises(Invalid) as refused:
            scenes.update_scene(draft, scene.key, fields, by=by)
        assert paths_of(refused) == ["trim"]
        scenes.update_scene(draft, scene.key, {"film": short.pk, "trim": None}, by=by)
    assert scenes.update_scene(draft, scene.key, {"trim": (1.5, 1.0)}, by=by).trim == (1.5, 1.0)


def test_a_still_follows_its_film_only_where_it_is_still_the_one_that_was_looked_at(ready_story):
    scene = scene_at(ready_story, 1)
    film = film_of(ready_story.workspace, "ferry.mp4", 5.0)
    for instead_of, becomes in ((scene.still, film), (film, None)):
        follows = stills.Follows(still=film, instead_of=instead_of)
        new = scenes.changed_columns(ready_story, scene, {"trim": (1.0, 1.0)}, follows)
        assert (new.get("still"), new["trim_start"]) == (becomes, 1.0)


def test_a_chosen_focus_stays_with_another_picture_and_a_proposed_one_does_not(ready_story, by):
    scene, workspace = scene_at(ready_story, 1), ready_story.workspace
    pictures = [
        factories.make_asset(workspace, name=f"ab/{x}.png", filename="a.png", focus=[x, x])
        for x in (0.2, 0.3)
    ]

    def change(**fields) -> Scene:
        return scenes.update_scene(ready_story, scene.key, fields, by=by)

    assert change(still=pictures[0].pk).focus == (0.2, 0.2)
    assert change(still=pictures[1].pk, focus=(0.9, 0.9)).focus == (0.9, 0.9)
    assert change(still=pictures[0].pk).focus == (0.9, 0.9)
    assert Scene.objects.get(pk=scene.pk).focus_chosen
    (added,) = scenes.add_scenes(ready_story, [{"still": pictures[1].pk}], after=None, by=by)
    assert (added.focus, Scene.objects.get(pk=added.pk).focus_chosen) == ((0.3, 0.3), False)
    (added,) = scenes.add_scenes(ready_story, [{"still": pictures[1].pk, "focus": (1, 0)}], after=None, by=by)
    assert (added.focus, Scene.objects.get(pk=added.pk).focus_chosen) == ((1, 0), True)


def test_who_is_late_is_told_who_was_quicker_when_and_where_they_differ(ready_story, by, person):
    scene = scene_at(ready_story, 1)
    theirs = {"text": "Theirs", "title": "Same"}
    scenes.update_scene(ready_story, scene.key, theirs, by=Actor.by_token(person("editor")))
    Scene.objects.filter(pk=scene.pk).update(edited_at=timezone.now().replace(hour=7, minute=5, second=33))
    scenes.update_scene(ready_story, scene_at(ready_story, 2).key, {"text": "Elsewhere"}, by=by)
    mine = {"text": "Mine", "title": "Same", "focus": (0.1, 0.9), "still": None}
    with pytest.raises(Stale) as late:
        scenes.update_scene(ready_story, scene.key, mine, expected=[1], by=by)
    said = "This scene was changed meanwhile by Editor."
    assert str(late.value) == f"{said} Your version is kept in the history."
    at = "Changed at 07:05 UTC."
    assert faults_of(late) == [("text", at), ("focus", at), ("still", at)]
    assert late.value.version == 2
    kept = ready_story.revisions.first()
    assert (kept.kind, kept.by, late.value.kept_as) == (
        "conflict", by.user, f"/api/v2/stories/{ready_story.pk}/revisions/{kept.number}",
    )  # fmt: skip
    words = [(row["title"], row["text"]) for row in kept.content["scenes"]]
    assert words[1] == ("Same", "Mine") and words[2] == ("Scene 3", "Elsewhere")
    with pytest.raises(Stale) as late:
        scenes.delete_scene(ready_story, scene.key, expected=[1], by=by)
    assert (str(late.value), late.value.kept_as, faults_of(late)) == (said, None, [])
    assert scene.key in keys_of(ready_story)
    with pytest.raises(Stale, match=r"^This scene has no version 3 yet; it is at version 2\. Your version"):
        scenes.update_scene(ready_story, scene.key, {"text": "Ahead"}, expected=[4, 3], by=by)
    scenes.delete_scene(ready_story, scene.key, expected=[1, 2], by=by)
    assert scene.key not in keys_of(ready_story)


# --- Order -------------------------------------------------------------------------------------------------------


def test_a_scene_is_moved_behind_another_that_is_there(draft, by):
    a, b, c, d = keys_of(draft)
    for key, after, order in (
        (a, c, [b, c, a, d]),
        (d, None, [d, b, c, a]),
        (d, b, [b, d, c, a]),
        (a, c, [b, d, c, a]),
    ):
        assert scenes.move_scene(draft, key, after=after, by=by) == order == keys_of(draft)
    for after in (a, uuid4()):
        with pytest.raises(Conflict) as refused:
            scenes.move_scene(draft, a, after=after, by=by)
        assert faults_of(refused) == [("after", GONE)]
    with pytest.raises(NotFound, match="There is no such scene"):
        scenes.move_scene(draft, uuid4(), after=a, by=by)


def test_an_order_has_exactly_the_scenes_that_are_there(draft, by):
    a, b, c, d = keys_of(draft)
    assert scenes.order_scenes(draft, [c, a, d, b], by=by) == [c, a, d, b] == keys_of(draft)
    for wrong in ([a, b, c], [a, b, c, c], [a, b, c, d, d], [a, b, c, uuid4()]):
        with pytest.raises(Conflict) as refused:
            scenes.order_scenes(draft, wrong, by=by)
        assert faults_of(refused) == [
            ("scenes", "These are not exactly the scenes that the story has now.")
        ] and str(refused.value).startswith("These are not")
    assert keys_of(draft) == [c, a, d, b]


# --- Deleting and bringing back ----------------------------------------------------------------------------------


def test_a_scene_is_deleted_by_somebody_and_comes_back_where_it_was(ready_story, by):
    before = keys_of(ready_story)
    scene = scene_at(ready_story, 1)
    assert (
        scenes.delete_scene(ready_story, scene.key, by=by) == keys_of(ready_story) == [before[0], *before[2:]]
    )
    gone = Scene.every.get(pk=scene.pk)
    assert differing(scene, gone) == {"deleted_at", "edited_by_id", "version"}
    assert (gone.edited_by, gone.version) == (by.user, scene.version + 1)
    with pytest.raises(NotFound):
        scenes.delete_scene(ready_story, scene.key, by=by)
    back = scenes.restore_scene(ready_story, scene.key, by=by)
    assert keys_of(ready_story) == before
    assert differing(gone, back) == {"deleted_at", "settle_at", "version"}
    assert back.version == scene.version + 2
    assert differing(back, scenes.restore_scene(ready_story, scene.key, by=by)) == set()


def test_a_scene_comes_back_as_near_to_its_place_as_there_is(draft, by):
    a, b, c, d = keys_of(draft)
    scenes.delete_scene(draft, d, by=by)
    scenes.restore_scene(draft, d, by=by)
    assert keys_of(draft) == [a, b, c, d]
    for key in (d, a, b):
        scenes.delete_scene(draft, key, by=by)
    scenes.restore_scene(draft, d, by=by)
    assert keys_of(draft) == [c, d]
    scenes.restore_scene(draft, b, by=by)
    scenes.restore_scene(draft, a, by=by)
    assert keys_of(draft) == [a, b, c, d]


def test_the_finale_comes_back_as_one_unless_there_is_another(ready_story, by):
    finale = scene_at(ready_story, 3)
    scenes.delete_scene(ready_story, finale.key, by=by)
    assert scenes.restore_scene(ready_story, finale.key, by=by).finale
    scenes.delete_scene(ready_story, finale.key, by=by)
    third = scene_at(ready_story, 2)
    scenes.update_scene(ready_story, third.key, {"finale": True}, by=by)
    back = scenes.restore_scene(ready_story, finale.key, by=by)
    assert (back.finale, Scene.objects.get(pk=finale.pk).finale) == (False, False)
    assert keys_of(ready_story)[2:] == [finale.key, third.key], "nothing comes behind the finale"


@pytest.mark.parametrize("shows, settles", [({"film"}, True), ({"still"}, True), (set(), False)])
def test_what_comes_back_is_rendered_where_it_shows_something(shows, settles, ready_story, by):
    scene = scene_at(ready_story, 1)
    film = factories.shared_film(ready_story.workspace)
    Scene.objects.filter(pk=scene.pk).update(
        still=scene.still if "still" in shows else None, film=film if "film" in shows else None
    )
    scenes.delete_scene(ready_story, scene.key, by=by)
    assert (scenes.restore_scene(ready_story, scene.key, by=by).settle_at is not None) is settles


def test_a_scene_of_another_capsule_is_none_of_this_one(ready_story, draft, by):
    other = scene_at(draft, 0)
    scenes.delete_scene(draft, other.key, by=by)
    with pytest.raises(NotFound, match="There is no such scene"):
        scenes.restore_scene(ready_story, other.key, by=by)
    assert Scene.every.get(pk=other.pk).deleted_at


# --- Who may -----------------------------------------------------------------------------------------------------


def test_nobody_changes_what_they_may_only_read_or_what_is_suspended(draft, by, person):
    viewer = Actor.by_token(person("viewer"))
    calls = [
        lambda story, who: scenes.add_scenes(story, [{}], by=who),
        lambda story, who: scenes.update_scene(story, keys_of(story)[0], {"text": "x"}, by=who),
        lambda story, who: scenes.delete_scene(story, keys_of(story)[0], by=who),
    ]
    for call in calls:
        with pytest.raises(Forbidden):
            call(draft, viewer)
    Workspace.objects.update(suspended_at=timezone.now())
    for call in calls:  # the row is asked, not what the caller has read before
        with pytest.raises(Forbidden):
            call(draft, viewer)
        with pytest.raises(Locked):
            call(draft, by)
    assert draft.scenes.count() == 4


def test_a_new_film_of_another_workspace_or_of_the_trash_brings_no_still(draft, harbour):
    film = film_of(draft.workspace, "ferry.mp4", 3.0)
    picture = factories.make_asset(draft.workspace, name="ab/p.png", filename="p")
    assert stills.film_of(draft.workspace, film.pk) == film
    assert stills.film_of(draft.workspace, film) == film and stills.film_of(draft.workspace, None) is None
    assert stills.film_of(harbour, film.pk) is None and stills.film_of(draft.workspace, picture.pk) is None
    Asset.objects.update(deleted_at=timezone.now())
    assert stills.film_of(draft.workspace, film.pk) is None
    assert encodes.settle_due() == 0
