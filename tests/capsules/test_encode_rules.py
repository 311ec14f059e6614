"""Encodes and previews: what is asked for, when and how soon, what is forgotten, what a preview freezes and tells."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Workspace
from capsules import media, signals, tasks
from capsules.actions import drafts, encodes, previews, scenes
from capsules.actions.encodes import Wanted
from capsules.models import Asset, Encode, Preview, Scene, Story
from config.errors import Conflict, Forbidden, Locked
from tests.support import factories
from tests.support.locks import noted_locks
from tests.support.rows import last_event, now

SOURCES = [["default", "ab/a.png"]]
SECOND = timedelta(seconds=1)


def encode_of(**fields) -> Encode:
    number = Encode.objects.count()
    return Encode.objects.create(**{"kind": "still", "recipe": f"r{number}", "sources": [], **fields})


# --- Asking ------------------------------------------------------------------------------------------------------


def test_a_recipe_is_another_where_the_outcome_would_be(monkeypatch):
    def recipe(kind: str = "still", x: float = 0.5, **fields) -> str:
        return Wanted(kind, SOURCES, (x, 0.5), **fields).recipe

    first = recipe()
    assert recipe(priority=9) == recipe(x=0.5004) == recipe(x=0.4996) == first
    others = [
        recipe("card"),
        recipe(x=0.501),
        recipe(trim=(0.0, 1.0)),
        Wanted("still", [], (0.5, 0.5)).recipe,
    ]
    monkeypatch.setitem(media.RECIPE_VERSIONS, "still", 99)
    others.append(recipe())
    monkeypatch.setattr(media, "ffmpeg_build", lambda: "another")
    others.append(recipe())
    assert len({first, *others}) == 7


@pytest.mark.django_db
def test_what_is_wanted_is_written_into_its_row():
    points = [(0.12345, 0.5), (0.5, 0.98765)]
    made = encodes.request("move", SOURCES * 2, points=points, priority=4)
    row = Encode.objects.get(pk=made.pk)
    assert (row.kind, row.sources, row.focus, row.trim) == (
        "move",
        SOURCES * 2,
        [[0.123, 0.5], [0.5, 0.988]],
        None,
    )
    assert (row.priority, row.state) == (4, "queued")
    film = Wanted("film", SOURCES, None, 3, trim=(0.5, 2.0))
    still = Wanted("still", SOURCES, (0.12345, 0.5))
    found = encodes.ensure([film, still, film])
    assert set(found) == {film.recipe, still.recipe}
    row = Encode.objects.get(recipe=film.recipe)
    assert (row.kind, row.focus, row.trim, row.priority) == ("film", None, [0.5, 2.0], 3)
    assert Encode.objects.get(recipe=still.recipe).focus == [0.123, 0.5]
    assert encodes.ensure([film]) == {film.recipe: row} and Encode.objects.count() == 3
    with noted_locks() as locked:
        encodes.ensure([film])
    assert locked == ["capsules_encode"], "so that nobody forgets it meanwhile"
    with CaptureQueriesContext(connection) as asked:
        encodes.ensure([film, still])
    assert any('ORDER BY "capsules_encode"."recipe" ASC' in query["sql"] for query in asked), (
        "none waits for another"
    )


@pytest.mark.parametrize("animation, shows, still, moving", [
    ("", "still film", "still", None), ("auto", "still film", "still", "still"),
    ("film", "still film", "still", "film"), ("film", "still", "still", None), ("auto", "film", None, None),
    ("film", "film", None, "film"), ("", "film", None, None),
])  # fmt: skip
def test_what_renders_a_scene(animation, shows, still, moving):
    scene = Scene(animation=animation, focus_x=0.25, focus_y=0.75, trim_start=0.5, trim_length=2, finale=True)
    for kind in shows.split():
        setattr(scene, kind, Asset(kind=kind, name=f"ab/{kind}"))
    wanted = encodes.wanted_encodes(scene, priority=5)
    expected = {
        "still": Wanted("still", [["default", "ab/still"]], (0.25, 0.75), 5),
        "film": Wanted("film", [["default", "ab/film"]], None, 6, trim=(0.5, 2)),
        None: None,
    }
    assert (wanted.get("still_encode"), wanted.get("animation_encode")) == (expected[still], expected[moving])
    card = Wanted("card", [["default", "ab/still"]], (0.25, 0.75))
    assert encodes.card_of(scene) == (card if still else None)


# --- Settling ----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_woken_when_a_picture_has_been_left_alone_and_when_it_is_asked_for(
    north_shore, rendered, queue, settings
):
    story = factories.make_story(north_shore, rendered, scenes=2, finale=False)
    settings.SETTLE = 7
    queue("")
    before = timezone.now()
    settle_at = encodes.settle_time()
    (woken,) = queue(tasks.settle_scenes.name)
    after = timezone.now()
    assert before + 7 * SECOND <= settle_at <= after + 7 * SECOND
    assert before + 7.1 * SECOND <= woken <= after + 7.1 * SECOND, "a moment later"
    story.scenes.update(settle_at=before)
    queue("")
    assert encodes.settle_due() == 2
    assert queue(tasks.check_and_encode.name)
    encode = Encode.objects.first()
    Encode.objects.filter(pk=encode.pk).update(state="failed")
    queue("")
    assert encodes.retry_encode(encode) is True
    assert queue(tasks.check_and_encode.name) == [None]


@pytest.mark.django_db
def test_scenes_that_are_due_are_settled_and_no_others(north_shore, rendered):
    story, other, trashed = (
        factories.make_story(north_shore, rendered, title=title, scenes=4, finale=False, preview=False)
        for title in ("One", "Two", "Three")
    )
    moment = timezone.now()
    Scene.objects.update(settle_at=moment - SECOND, still_encode=None, animation_encode=None)
    story.scenes.filter(position=1).update(settle_at=moment + 60 * SECOND)
    story.scenes.filter(position=2).update(deleted_at=moment)
    story.scenes.filter(position=3).update(settle_at=None)
    Story.objects.filter(pk=trashed.pk).update(deleted_at=moment)
    assert encodes.settle_due() == 5
    settled = list(
        Scene.every.filter(story=story).order_by("position").values_list("still_encode", "settle_at")
    )
    assert [encode is not None for encode, _ in settled] == [True, False, False, False]
    assert [at is not None for _, at in settled] == [False, True, True, False]
    assert set(other.scenes.values_list("settle_at", flat=True)) == {None}
    assert set(trashed.scenes.values_list("still_encode", flat=True)) == {None}
    assert encodes.settle_due() == 0


@pytest.mark.django_db
def test_scenes_are_pointed_at_what_they_want_now_and_the_rest_is_forgotten(north_shore, rendered):
    story = factories.make_story(north_shore, rendered, scenes=2, films=1, preview=False, encoded=False)
    assert set(Encode.objects.values_list("kind", flat=True)) == {"still", "film"}
    Scene.objects.update(settle_at=timezone.now(), focus_x=0.9)
    first, second = story.scenes.select_related("still", "film")
    for scene, animation in ((first, ""), (second, "auto")):
        scene.focus_x, scene.animation = 0.9, animation
    card = encodes.card_of(first)
    found = encodes.point_at_encodes([first, second], priority=3, also=[card])
    assert {encode.kind for encode in found.values()} == {"still", "card"} and card.recipe in found
    (still,) = (encode for encode in found.values() if encode.kind == "still")
    assert set(Encode.objects.all()) == set(found.values()), "what was queued for nobody is no more"
    assert (still.focus, still.priority) == ([0.9, 0.5], 3)
    for scene, moving in ((first, None), (second, still)):
        for row in (scene, Scene.objects.get(pk=scene.pk)):
            assert (row.still_encode, row.animation_encode, row.settle_at) == (still, moving, None)


@pytest.mark.django_db
def test_what_is_queued_is_forgotten_where_nobody_has_begun_it_or_refers_to_it(ready_story):
    states = {state: encode_of(state=state) for state in Encode.State.values}
    shown, elsewhere = encode_of(), encode_of()
    ready_story.scenes.filter(position=0).update(still_encode=shown)
    others = encode_of()

    def needs(**kwargs):
        return [elsewhere.pk]

    signals.encodes_in_use.connect(needs)
    try:
        with noted_locks() as locked:
            encodes.forget_queued([each.pk for each in (*states.values(), shown, elsewhere)])
    finally:
        signals.encodes_in_use.disconnect(needs)
    assert locked == ["capsules_encode"], "before it is asked who refers to it"
    left = set(Encode.objects.filter(recipe__startswith="r", sources=[]))
    assert left == {*states.values(), shown, elsewhere, others} - {states["queued"]}


@pytest.mark.django_db
def test_a_failed_encode_is_queued_as_if_it_were_new_and_no_other_is(ready_story):
    old = timezone.now() - timedelta(days=9)
    preview = ready_story.previews.get()
    Preview.objects.update(told="failed")
    encode = preview.encodes.first()
    fields = {
        "attempts": 3, "progress": 40, "error": "No.", "detail": "None.", "created_at": old, "finished_at": old,
    }  # fmt: skip
    Encode.objects.filter(pk=encode.pk).update(**fields, state="failed")
    assert encodes.retry_encode(encode) is True
    row = Encode.objects.get(pk=encode.pk)
    assert (row.state, row.attempts, row.progress, row.error, row.detail, row.finished_at) == (
        "queued", 0, 0, "", "", None,
    )  # fmt: skip
    assert row.created_at > old + timedelta(days=8)
    assert Preview.objects.get(pk=preview.pk).told == "", "what becomes of it is news again"
    for state in ("queued", "running", "done"):
        Encode.objects.filter(pk=encode.pk).update(**fields, state=state)
        assert encodes.retry_encode(encode) is False
        row.refresh_from_db()
        assert (row.state, row.attempts, row.finished_at) == (state, 3, old)


# --- Previews ----------------------------------------------------------------------------------------------------


def test_a_preview_freezes_words_pictures_and_the_card_of_its_cover(ready_story, by, rendered):
    second = ready_story.scenes.get(position=1)
    face = [0.1, 0.1, 0.3, 0.3]
    Asset.objects.filter(pk=second.still_id).update(faces=[face])
    ready_story.scenes.filter(position=2).update(text="")
    drafts.update_story(ready_story, {"cover": second.key, "summary": "Three crossings."}, by=by)
    scenes.update_scene(ready_story, second.key, {"focus": (0.2, 0.2)}, by=by)
    film = factories.shared_film(ready_story.workspace)
    scenes.update_scene(ready_story, second.key, {"film": film.pk, "animation": "film", "trim": None}, by=by)
    story = now(ready_story)
    built = previews.build_preview(story, by=by.user)
    row = Preview.objects.get(pk=built.pk)
    card = Encode.objects.get(pk=row.content["card"])
    assert (card.kind, card.focus) == ("card", [0.2, 0.2])
    assert (row.number, row.revision, row.created_by, row.state) == (2, story.revision, by.user, "building")
    drafted = list(story.scenes.all())
    assert (row.content["cover"], row.content["title"], row.content["summary"]) == (
        1, "Small voyages", "Three crossings.",
    )  # fmt: skip
    assert [
        (each["id"], each["text"], each["still"], each["animation"]) for each in row.content["scenes"]
    ] == [(str(scene.key), scene.text, scene.still_encode_id, scene.animation_encode_id) for scene in drafted]
    assert [each.get("subject") for each in row.content["scenes"]] == [None, face, None, None]
    wanted = {pk for scene in drafted for pk in (scene.still_encode_id, scene.animation_encode_id) if pk}
    assert set(row.encodes.values_list("pk", flat=True)) == {*wanted, card.pk}
    assert {scene.settle_at for scene in drafted} == {None}


def test_previews_are_numbered_on_and_told_once_they_are_rendered(ready_story):
    first = ready_story.previews.get()
    Preview.objects.filter(pk=first.pk).update(number=7)
    built = previews.build_preview(ready_story)
    row = Preview.objects.get(pk=built.pk)
    assert (row.number, row.told, row.created_by) == (8, "ready", None)
    told = last_event()
    assert (told["type"], told["previewNumber"]) == ("preview.ready", 8)


def test_there_is_nothing_to_preview_without_scenes_and_no_card_without_a_picture(north_shore, by):
    empty = factories.make_draft(north_shore, scenes=0)
    with pytest.raises(Conflict, match="There is nothing to preview: the story has no scene yet"):
        previews.request_preview(empty, by=by)
    assert not Preview.objects.exists()
    built = previews.request_preview(factories.make_draft(north_shore), by=by)
    assert (built.content["card"], built.encodes.count(), built.state) == (None, 0, "ready")
    assert built.created_by == by.user


def test_which_drafts_a_preview_shows(ready_story, by):
    preview, drafted = ready_story.previews.get(), list(ready_story.scenes.all())

    def is_shown() -> bool:
        story = now(ready_story)
        return previews.shows(preview, story, list(story.scenes.all()))

    drafts.update_story(ready_story, {"title": "Other"}, by=by)
    assert not is_shown()
    drafts.update_story(ready_story, {"title": "Small voyages"}, by=by)
    assert is_shown(), "changed and changed back"
    drafts.update_story(ready_story, {"cover": drafted[1].key}, by=by)
    assert not is_shown()
    drafts.update_story(ready_story, {"cover": drafted[0].key}, by=by)
    assert is_shown(), "the first one is the cover anyway"
    scenes.move_scene(ready_story, drafted[0].key, after=drafted[1].key, by=by)
    assert not is_shown()
    Preview.objects.filter(pk=preview.pk).update(revision=now(ready_story).revision)
    preview.refresh_from_db()
    assert is_shown(), "that is what it is of, whatever the words are"


def test_a_preview_is_built_once_for_a_draft_unless_it_failed(ready_story, by):
    first = ready_story.previews.get()
    encode = first.encodes.first()
    for state in ("running", "done"):
        Encode.objects.filter(pk=encode.pk).update(state=state)
        assert previews.request_preview(now(ready_story), by=by) == first
    scenes.update_scene(ready_story, ready_story.scenes.first().key, {"text": "Other"}, by=by)
    second = previews.request_preview(now(ready_story), by=by)
    assert (second.number, previews.request_preview(now(ready_story), by=by)) == (2, second)
    Encode.objects.filter(pk=encode.pk).update(state="failed")
    assert previews.request_preview(now(ready_story), by=by).number == 3


def test_all_that_failed_of_a_preview_is_tried_again_and_nothing_else(ready_story, by):
    preview = ready_story.previews.get()
    one, *others = preview.encodes.order_by("pk")
    assert others
    with pytest.raises(Conflict, match="Nothing of this preview failed"):
        previews.retry_preview(ready_story, preview, by=by)
    elsewhere = encode_of(state="failed")
    for failed in ([one, *others], others):
        Encode.objects.filter(pk__in=[each.pk for each in failed]).update(state="failed", attempts=2)
        previews.retry_preview(ready_story, preview, by=by)
        states = dict(preview.encodes.values_list("pk", "state"))
        assert states == {pk: "queued" if pk in {each.pk for each in failed} else "done" for pk in states}
        Encode.objects.filter(state="queued").update(state="done")
    elsewhere.refresh_from_db()
    assert elsewhere.state == "failed"


def test_previews_are_asked_for_by_who_may_write_now(ready_story, by, person):
    preview = ready_story.previews.get()
    Encode.objects.update(state="failed")
    calls = [
        lambda who: previews.request_preview(now(ready_story), by=who),
        lambda who: previews.retry_preview(now(ready_story), preview, by=who),
    ]
    for call in calls:
        with pytest.raises(Forbidden):
            call(Actor.by_token(person("viewer")))
    Workspace.objects.update(suspended_at=timezone.now())
    for call in calls:
        with pytest.raises(Locked):
            call(by)
    assert ready_story.previews.count() == 1 and not Encode.objects.filter(state="queued").exists()
