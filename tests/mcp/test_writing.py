"""What tools write of capsules and scenes, and what they answer then; all in this process."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.mcp.tools import in_thread
from capsules.actions import trash
from capsules.mcp import fetched
from capsules.mcp.media import create_upload_link
from capsules.mcp.previews import build_preview
from capsules.mcp.scenes import add_scenes, remove_scene, update_scene
from capsules.mcp.stories import add_edition, create_story, update_story
from capsules.models import Asset, Revision, Scene, Story, Upload
from tests.support import factories
from tests.support.rows import order_of
from tests.support.tools import ask, awaited, call, refusal

pytestmark = pytest.mark.django_db(transaction=True)

MEND = "Mend these faults with update_scene or add_scenes, then call build_preview."
COMPLETE = "Look at the pictures with view_picture, or call build_preview."
CORRECT = "Correct the arguments named here and call the tool again."
NO_FILE = "This workspace has no picture or film of this id."
NO_FILM = "A picture is not a film. Say auto for a slow camera move, or none."
BOTH = "Give either media_id or media_url, not both."


@pytest.fixture
def film(north_shore) -> Asset:
    """A film with two stills: with which it begins, and with which a part of it does."""
    film = factories.shared_film(north_shore)
    for start in (None, 0.5):
        Asset.objects.create(
            workspace=north_shore,
            kind="picture",
            name=f"ab/{start}",
            width=1,
            height=1,
            poster_of=film,
            begins=[start],
        )
    return film


@pytest.fixture
def theirs(annexe) -> Asset:
    """A picture of another workspace of the owner's."""
    return Asset.objects.create(workspace=annexe, kind="picture", name="ab/theirs", width=1, height=1)


def key(story: Story, place: int) -> str:
    return str(story.scenes.get(position=place).key)


def told_of(story: Story, *places: int) -> list[dict[str, Any]]:
    """How an answer to a change tells of scenes."""
    return [
        {"id": str(scene.key), "number": scene.position + 1, "version": scene.version}
        for scene in story.scenes.order_by("position")
        if not places or scene.position in places
    ]


def written(story: Story, **more: Any) -> dict[str, Any]:
    story.refresh_from_db()
    own = {"id": str(story.pk), "version": story.version, "revision": story.revision}
    return {**own, "scenes": told_of(story), **more}


def faults(told: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["path"], each["message"]) for each in told["details"]]


# --- Capsules --------------------------------------------------------------------------------------------------


def test_a_capsule_is_made_with_its_scenes_in_the_default_workspace(ready_story, still, film, by):
    scenes = [
        {"text": "One.\r\nTwo.", "title": "Heading", "alt": "A boat.", "media_id": str(still.pk)},
        {
            "text": "Three.",
            "media_id": str(film.pk),
            "trim": {"start": 0.5, "length": 1},
            "focus": [0.2, 0.3],
        },
        {"text": "Four.", "animation": "auto", "fit": "contain"},
        {"text": "Five.", "media_id": str(still.pk), "animation": "none"},
        {"text": "Six.", "media_id": str(still.pk), "finale": True},
    ]
    look = {"theme": "paper", "accent": "#B5432A"}
    told = call(
        create_story,
        by,
        title="Made",
        language="de",
        author="An app",
        look=look,
        summary="So.",
        scenes=scenes,
    )
    story = Story.objects.get(pk=told["id"])
    assert (story.title, story.language, story.author_name, story.summary) == ("Made", "de", "An app", "So.")
    assert (story.theme, story.accent, story.workspace_id) == ("paper", "#b5432a", ready_story.workspace_id)
    assert story.visibility == "private" and story.edited_by == by.user
    kept = [
        (row.text, row.still_id, row.film_id, row.animation, row.trim, row.finale)
        for row in story.scenes.order_by("position")
    ]
    assert kept == [
        ("One.\nTwo.", still.pk, None, "auto", None, False),
        ("Three.", film.posters.get(name="ab/0.5").pk, film.pk, "film", (0.5, 1.0), False),
        ("Four.", None, None, "auto", None, False),
        ("Five.", still.pk, None, "", None, False),
        ("Six.", still.pk, None, "", None, True),
    ]
    first, second, third = story.scenes.order_by("position")[:3]
    assert (first.title, first.alt, second.focus, third.fit) == ("Heading", "A boat.", (0.2, 0.3), "contain")
    lacks = [
        ("scenes.2.still", "This scene has no picture.", key(story, 2), 3),
        ("scenes.2.animation", "This scene is not animated.", key(story, 2), 3),
        ("scenes.3.animation", "This scene is not animated.", key(story, 3), 4),
    ]
    assert told == written(
        story, faults=[dict(zip(("path", "message", "scene", "number"), each, strict=True)) for each in lacks],
        next=MEND,
    )  # fmt: skip


def test_a_capsule_without_faults_is_to_be_looked_at(ready_story, still, by, annexe):
    scenes = [{"text": f"Scene {n}.", "media_id": str(still.pk)} for n in range(3)]
    told = call(create_story, by, title="Whole", language="en", scenes=scenes)
    assert told == written(Story.objects.get(pk=told["id"]), faults=[], next=COMPLETE)
    bare = call(create_story, by, title="Bare", language="en", workspace=str(annexe.pk))
    assert Story.objects.get(pk=bare["id"]).workspace == annexe
    (fault,) = bare["faults"]
    assert fault == {"path": "scenes", "message": "A capsule needs at least three scenes; this one has 0."}


def test_every_fault_of_a_capsule_and_its_files_is_told_at_once(ready_story, still, theirs, by):
    gone = Asset.objects.create(
        workspace=ready_story.workspace, kind="picture", name="ab/gone", width=1, height=1,
        deleted_at=timezone.now(),
    )  # fmt: skip
    url = "https://pictures.example/a.jpg"
    scenes = [
        {"text": "x" * 2001},
        {"text": "1", "media_id": str(theirs.pk)},
        {"text": "2", "media_id": str(gone.pk)},
        {"text": "3", "media_id": str(still.pk), "animation": "film"},
        {"text": "4", "media_id": str(still.pk), "media_url": url},
    ]
    before = Story.objects.count()
    told = refusal(create_story, by, title=" ", language="en", scenes=scenes)
    assert (told["error"], told["next"]) == ("The story cannot be saved.", CORRECT)
    of_files = [
        ("scenes.1.media_id", NO_FILE),
        ("scenes.2.media_id", NO_FILE),
        ("scenes.3.animation", NO_FILM),
        ("scenes.4.media_url", BOTH),
    ]
    too_long = ("scenes.0.text", "At most 2000 characters; this has 2001.")
    assert faults(told) == [("title", "A capsule needs a title."), too_long, *of_files]
    assert Story.objects.count() == before
    story = ready_story.pk
    told = refusal(add_scenes, by, story=str(story), scenes=scenes)
    assert (told["error"], faults(told)) == ("The scene cannot be saved.", [too_long, *of_files])


@pytest.mark.parametrize(
    "scene, path",
    [
        ({"text": "x", "colour": "red"}, "scenes.0.colour"),
        ({"text": "x", "trim": {"start": 0, "length": 1, "end": 2}}, "scenes.0.trim.end"),
        ({"title": "No text"}, "scenes.0.text"),
        ({"text": "x", "fit": "wide"}, "scenes.0.fit"),
        ({"text": "x", "animation": ""}, "scenes.0.animation"),
    ],
)
def test_what_no_scene_has_is_refused_by_its_name(scene, path, ready_story, by):
    told = refusal(add_scenes, by, story=str(ready_story.pk), scenes=[scene])
    assert [each["path"] for each in told["details"]] == [path]
    assert refusal(add_scenes, by, story=str(ready_story.pk), scenes=[])["details"][0]["path"] == "scenes"


def test_a_part_of_the_look_that_there_is_not_is_refused(ready_story, by):
    told = refusal(update_story, by, story=str(ready_story.pk), look={"font": "serif"})
    assert [each["path"] for each in told["details"]] == ["look.font"]


def test_a_capsules_own_fields_are_changed_and_nothing_else_of_it(ready_story, by):
    before = ready_story.revision
    second = ready_story.scenes.get(position=1)
    told = call(
        update_story,
        by,
        story=str(ready_story.pk),
        author="",
        look={"face": "slab"},
        cover_scene=str(second.key),
    )
    ready_story.refresh_from_db()
    assert told == {"id": str(ready_story.pk), "version": ready_story.version, "revision": before + 1}
    assert (ready_story.author_name, ready_story.face, ready_story.cover) == ("", "slab", second)
    assert (ready_story.title, ready_story.edited_by) == ("Small voyages", by.user)
    assert refusal(update_story, by, story=str(ready_story.pk)) == {
        "error": "Say what to change.",
        "next": CORRECT,
    }


def test_a_cover_is_a_scene_of_this_capsule(ready_story, by):
    other = factories.make_draft(ready_story.workspace)
    for cover in ("nothing", key(other, 0)):
        told = refusal(update_story, by, story=str(ready_story.pk), cover_scene=cover)
        assert [each["path"] for each in told["details"]] == ["cover_scene"]
    ready_story.refresh_from_db()
    assert ready_story.cover is None


def test_a_change_of_an_old_version_is_refused_with_the_way_on(ready_story, by):
    at = {"story": str(ready_story.pk), "expected_version": ready_story.version}
    call(update_story, by, **at, title="The first change")
    late = refusal(update_story, by, **at, title="Too late")
    step = "Read it again with get_story, put both changes together, and call again with its present version."
    assert late["next"] == step and "changed this story" in late["error"]
    scene = ready_story.scenes.get(position=0)
    at = {"story": str(ready_story.pk), "scene": str(scene.key), "expected_version": scene.version}
    call(update_scene, by, **at, text="The first change.")
    assert refusal(update_scene, by, **at, text="Too late.", position=3)["next"] == step
    assert ready_story.scenes.get(position=0).text == "The first change."
    ready_story.refresh_from_db()
    assert ready_story.title == "The first change"


@pytest.mark.parametrize("who", ["viewer", "stranger"])
def test_nothing_is_written_for_those_who_may_not(who, ready_story, person):
    app = Actor.by_token(person(who))
    story, scene = str(ready_story.pk), key(ready_story, 0)
    calls = [
        ask(update_story, app, story=story, title=" "),
        ask(update_story, app, story=story),
        ask(add_edition, app, story=story, language="?", name="No Name"),
        ask(add_scenes, app, story=story, scenes=[{"text": "x" * 2001}]),
        ask(update_scene, app, story=story, scene="x", text="Not mine."),
        ask(remove_scene, app, story=story, scene=scene),
        ask(remove_scene, app, story=story, scene="x"),
        ask(create_upload_link, app, story=story),
        ask(build_preview, app, story=story),
    ]
    role = "Your role in this workspace does not allow writing."
    said = {"viewer": role, "stranger": "There is no such story."}[who]
    assert [told.structured_content["error"] for told in calls] == [said] * len(calls)
    assert not Revision.objects.filter(story=ready_story).exists() and ready_story.scenes.count() == 4
    if who == "viewer":
        assert refusal(create_story, app, title=" ", language="en")["error"] == role


# --- Scenes ----------------------------------------------------------------------------------------------------


@pytest.fixture
def story(ready_story) -> Story:
    ready_story.scenes.update(finale=False, animation="auto")
    return ready_story


def test_scenes_come_behind_the_named_one_or_at_the_end(story, by):
    given = [{"text": "A.", "title": "A"}, {"text": "B.", "title": "B"}]
    told = call(add_scenes, by, story=str(story.pk), scenes=given, after=key(story, 1))
    assert order_of(story) == ["Scene 1", "Scene 2", "A", "B", "Scene 3", "Scene 4"]
    assert [each["number"] for each in told["scenes"]] == [1, 2, 3, 4, 5, 6]
    assert {each["number"] for each in told["faults"]} >= {3, 4} and told["next"] == MEND
    call(add_scenes, by, story=str(story.pk), scenes=[{"text": "C.", "title": "C"}])
    assert order_of(story)[-1] == "C"
    other = factories.make_draft(story.workspace)
    unknown = refusal(add_scenes, by, story=str(story.pk), scenes=given, after=key(other, 0))
    assert unknown["error"] == "There is no such scene."


def test_nothing_comes_behind_a_finale(ready_story, by):
    told = refusal(add_scenes, by, story=str(ready_story.pk), scenes=[{"text": "Too late."}])
    assert told["error"] == "Nothing comes after the finale." and ready_story.scenes.count() == 4


def test_one_scene_is_changed_and_the_answer_is_about_it_alone(story, by, film):
    scene = story.scenes.get(position=2)
    story.scenes.filter(position=0).update(text="")
    told = call(
        update_scene, by, story=str(story.pk), scene=str(scene.key), text="", title="Now", position=2,
        media_id=str(film.pk), trim={"start": 0.5, "length": 1}, focus=[0.1, 0.9],
    )  # fmt: skip
    scene.refresh_from_db()
    assert (scene.title, scene.text, scene.position, scene.focus) == ("Now", "", 1, (0.1, 0.9))
    assert (scene.film, scene.animation, scene.trim) == (film, "film", (0.5, 1.0))
    assert (scene.edited_by, scene.alt) == (by.user, "Picture 3.")
    fault = {
        "path": "scenes.1.text",
        "message": "This scene has no text.",
        "scene": str(scene.key),
        "number": 2,
    }
    assert told == written(story, scenes=told_of(story, 1), faults=[fault], next=MEND)


def test_a_scene_keeps_the_part_of_its_film_when_the_same_one_is_named_again(story, by, film):
    scene = story.scenes.get(position=0)
    named = {"story": str(story.pk), "scene": str(scene.key)}
    Scene.objects.filter(pk=scene.pk).update(film=film, animation="film", trim_start=0.5, trim_length=1)
    call(update_scene, by, **named, media_id=str(film.pk))
    scene.refresh_from_db()
    assert (scene.trim, scene.animation) == ((0.5, 1.0), "film")
    assert scene.still == film.posters.get(name="ab/0.5")
    call(update_scene, by, **named, media_id=str(film.pk), trim=None)
    assert Scene.objects.get(pk=scene.pk).still == film.posters.get(name="ab/None"), "of the whole film"
    call(update_scene, by, **named, animation="auto")
    scene.refresh_from_db()
    assert (scene.animation, scene.film) == ("auto", film)
    call(update_scene, by, **named, animation="film")
    call(update_scene, by, **named, animation="none")
    scene.refresh_from_db()
    assert scene.animation == ""


def test_a_picture_moves_unless_it_is_a_finale_or_told_not_to(ready_story, by, still):
    last, first = ready_story.scenes.get(position=3), ready_story.scenes.get(position=0)
    media = {"story": str(ready_story.pk), "media_id": str(still.pk)}
    call(update_scene, by, **media, scene=str(last.key))
    call(update_scene, by, **media, scene=str(first.key), animation="none")
    last.refresh_from_db()
    first.refresh_from_db()
    assert (last.animation, first.animation) == ("", "")
    call(update_scene, by, **media, scene=str(last.key), finale=False)
    call(update_scene, by, **media, scene=str(first.key))
    last.refresh_from_db()
    first.refresh_from_db()
    assert (last.animation, last.finale, first.animation) == ("auto", False, "auto")


def test_what_is_wrong_with_the_words_and_the_file_of_a_scene_is_told_at_once(story, by, still, theirs):
    named = {"story": str(story.pk), "scene": key(story, 0)}
    wrong = {"text": "x" * 2001}
    too_long = ("text", "At most 2000 characters; this has 2001.")
    told = refusal(update_scene, by, **named, **wrong, media_id=str(theirs.pk))
    assert (told["error"], faults(told)) == ("The scene cannot be saved.", [too_long, ("media_id", NO_FILE)])
    told = refusal(update_scene, by, **named, **wrong, animation="film")
    assert faults(told) == [too_long, ("animation", NO_FILM)]
    told = refusal(update_scene, by, **named, media_id=str(still.pk), animation="film")
    assert faults(told) == [("animation", NO_FILM)]
    told = refusal(update_scene, by, **named, focus=[2, 3], media_id="nothing")
    assert [path for path, _ in faults(told)] == ["focus", "media_id"]
    told = refusal(update_scene, by, story=str(story.pk), scene="x", text="y")
    assert told["error"] == "There is no such scene."
    other = factories.make_draft(story.workspace)
    told = refusal(update_scene, by, story=str(story.pk), scene=key(other, 0), text="y")
    assert told["error"] == "There is no such scene."
    assert faults(refusal(update_scene, by, **named, position=0))[0][0] == "position"
    assert story.scenes.get(position=0).text == "This is scene 1 of Small voyages."


def test_a_scene_is_removed_once(story, by):
    second = key(story, 1)
    told = call(remove_scene, by, story=str(story.pk), scene=second)
    assert told == written(story) and order_of(story) == ["Scene 1", "Scene 3", "Scene 4"]
    again = refusal(remove_scene, by, story=str(story.pk), scene=second)
    assert again == {
        "error": "This capsule has no such scene now. Perhaps it was removed already.",
        "next": "get_story tells the scenes that it has.",
    }
    other = factories.make_draft(story.workspace)
    for scene in (key(other, 0), "x"):
        assert "no such scene now" in refusal(remove_scene, by, story=str(story.pk), scene=scene)["error"]
    assert other.scenes.count() == 1
    kept = Revision.objects.filter(story=story).latest("pk")
    assert (kept.by, kept.via) == (by.user, "mcp")


# --- Editions --------------------------------------------------------------------------------------------------


def test_an_edition_has_the_words_that_were_given_and_else_those_of_the_original(story, by):
    given = [
        {"scene": key(story, 2).upper(), "text": "Drei.", "title": "", "alt": "Bild 3."},
        {"scene": key(story, 0), "text": "Eins.", "title": "Szene 1"},
    ]
    told = call(
        add_edition,
        by,
        story=str(story.pk),
        language="de",
        name="de",
        label="Deutsch",
        title="Reisen",
        texts=given,
    )
    edition = story.editions.get()
    assert (edition.title, edition.language, edition.edition_name, edition.edition_label, edition.shown) == (
        "Reisen", "de", "de", "Deutsch", False,
    )  # fmt: skip
    assert [(row.title, row.text, row.alt) for row in edition.scenes.order_by("position")] == [
        ("Szene 1", "Eins.", "Picture 1."),
        ("Scene 2", "This is scene 2 of Small voyages.", "Picture 2."),
        ("Scene 3", "Drei.", "Bild 3."),
        ("Scene 4", "This is scene 4 of Small voyages.", "Picture 4."),
    ]
    untold = [
        {
            "path": f"scenes.{place}.text",
            "message": "This scene still has the words of the original.",
            "scene": key(edition, place),
            "number": place + 1,
        }
        for place in (1, 3)
    ]
    step = "Give the scenes named here their words with update_scene of this edition."
    assert told == written(edition, faults=untold, next=step)


def test_an_edition_that_has_words_for_every_scene_is_complete(story, by):
    given = [{"scene": key(story, place), "text": ""} for place in range(4)]
    told = call(add_edition, by, story=str(story.pk), language="de", name="de", texts=given)
    edition = story.editions.get()
    assert told == written(edition, faults=[], next=COMPLETE)
    assert (edition.title, edition.edition_label) == ("Small voyages", "")
    assert {row.text for row in edition.scenes.all()} == {""}


def test_everything_wrong_with_an_edition_is_told_before_any_is_made(story, by):
    given = [{"scene": key(story, 0), "text": "x" * 2001}, {"scene": "x", "text": "", "alt": "y" * 9999}]
    told = refusal(
        add_edition,
        by,
        story=str(story.pk),
        language="?",
        name="No Name",
        label="x" * 999,
        title=" ",
        texts=given,
    )
    assert told["error"] == "The edition cannot be saved."
    assert [path for path, _ in faults(told)] == [
        "name", "label", "language", "title", "texts.0.text", "texts.1.scene", "texts.1.alt",
    ]  # fmt: skip
    assert ("texts.1.scene", "The capsule has no such scene, or it is named twice.") in faults(told)
    assert not story.editions.exists()
    trash.trash_story(story, by=by)
    gone = refusal(add_edition, by, story=str(story.pk), language="de", name="de")
    assert gone["error"] == "There is no such story."


# --- Files by their address ------------------------------------------------------------------------------------

URL = "https://pictures.example/album/Moon.MP4?size=1"


@pytest.fixture
def no_patience(monkeypatch) -> None:
    monkeypatch.setattr(fetched, "PATIENCE", 0)


@pytest.mark.usefixtures("no_patience")
def test_a_file_that_does_not_come_in_time_is_told_with_its_upload(story, person):
    by = Actor.by_token(person("editor"))
    named = {"story": str(story.pk), "scene": key(story, 0)}
    assert story.scenes.get(position=0).film is None, "what is coming may be one"
    told = call(update_scene, by, **named, media_url=URL, animation="film")
    upload = Upload.objects.get()
    assert told["media"] == [
        {"scene": key(story, 0), "upload": str(upload.pk), "state": "checking", "error": None}
    ]
    assert told["next"] == (
        "Some media are still being fetched. Ask get_media for each upload, then give its media_id to update_scene."
    )
    assert (upload.kind, upload.filename, upload.source_url) == ("film", "Moon.MP4", URL)
    assert (upload.workspace, upload.created_by, upload.credential) == (
        story.workspace,
        by.user,
        by.credential,
    )


def while_files_come(asset: Asset, by: Actor, tool: Any, **given: Any) -> dict[str, Any]:
    """What a tool answers when every address of its call turns out to be this file."""

    def came() -> int:
        return Upload.objects.filter(state="checking").update(state="ready", asset=asset)

    async def come() -> None:
        while True:
            await in_thread("read", came)
            await anyio.sleep(0.02)

    async def work() -> Any:
        async with anyio.create_task_group() as group:
            group.start_soon(come)
            told = await tool.run(given, None)
            group.cancel_scope.cancel()
        return told

    told = awaited(by, work)
    assert not told.is_error, told.content
    return dict(told.structured_content)


@pytest.fixture
def looks_often(monkeypatch) -> None:
    monkeypatch.setattr(fetched, "POLL", 0.02)


@pytest.mark.usefixtures("looks_often")
def test_files_that_come_while_the_call_waits_are_shown_as_was_said(story, by, still):
    moved = {"text": "A moving one.", "media_url": URL, "animation": "auto"}
    still_one = {"text": "A still one.", "media_url": URL, "animation": "none"}
    last = {"text": "The end.", "media_url": URL, "finale": True}
    told = while_files_come(still, by, add_scenes, story=str(story.pk), scenes=[moved, still_one, last])
    made = story.scenes.order_by("position")[4:]
    assert [(row.still, row.animation) for row in made] == [(still, "auto"), (still, ""), (still, "")]
    assert [(each["scene"], each["state"]) for each in told["media"]] == [
        (str(row.key), "ready") for row in made
    ]
    assert told["next"] == MEND
    refused = {"text": "None.", "media_url": "ftp://a.example/b.png"}
    other = factories.make_draft(story.workspace)
    told = while_files_come(still, by, add_scenes, story=str(other.pk), scenes=[refused, moved])
    assert [each["state"] for each in told["media"]] == ["refused", "ready"]
    assert told["next"].startswith("Some media were refused: see their errors")


@pytest.mark.usefixtures("looks_often")
def test_the_address_of_a_file_takes_the_animation_that_was_said_with_it(ready_story, by, still):
    first, last = ready_story.scenes.get(position=0), ready_story.scenes.get(position=3)
    refused = refusal(update_scene, by, story=str(ready_story.pk), scene=str(first.key), animation="film")
    assert [path for path, _ in faults(refused)] == ["animation"], "its picture is none"
    for scene, said in ((first, {"animation": "none"}), (last, {})):
        Scene.objects.filter(pk=scene.pk).update(still=None)
        named = {"story": str(ready_story.pk), "scene": str(scene.key), "media_url": URL}
        while_files_come(still, by, update_scene, **named, **said)
        scene.refresh_from_db()
        assert (scene.still, scene.animation) == (still, "")


@pytest.mark.usefixtures("no_patience")
def test_what_is_still_being_fetched_is_no_fault_and_what_was_refused_is(north_shore, by):
    scenes = [
        {"text": "One.", "media_url": "ftp://pictures.example/a.png"},
        {"text": "Two."},
        {"text": "Three.", "media_url": URL, "animation": "film"},
    ]
    told = call(create_story, by, title="Far", language="en", scenes=scenes)
    story = Story.objects.get(pk=told["id"])
    assert [(each["scene"], each["state"]) for each in told["media"]] == [
        (key(story, 0), "refused"),
        (key(story, 2), "checking"),
    ]
    assert told["media"][0]["upload"] is None and "https://" in told["media"][0]["error"]
    assert {each["number"] for each in told["faults"]} == {1, 2}
    assert told["next"].startswith("Some media are still being fetched.")
    assert {row.animation for row in story.scenes.all()} == {""}, "until it has come"
    more = call(add_scenes, by, story=told["id"], scenes=[{"text": "Four.", "media_url": URL}])
    assert [each["scene"] for each in more["media"]] == [key(story, 3)]
    assert {each["number"] for each in more["faults"]} == {1, 2, 3}, "of this call alone"


def test_when_every_file_is_over_and_some_were_refused_the_answer_says_so(story, by):
    told = call(update_scene, by, story=str(story.pk), scene=key(story, 0), media_url="ftp://a.example/b.png")
    assert (
        told["next"]
        == "Some media were refused: see their errors, and give the scenes others by update_scene."
    )
    assert [each["state"] for each in told["media"]] == ["refused"]
    told = refusal(update_scene, by, story=str(story.pk), scene=key(story, 0), media_url=URL, media_id="x")
    assert faults(told) == [("media_url", BOTH)] and not Upload.objects.exists()
