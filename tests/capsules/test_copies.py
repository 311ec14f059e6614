"""New stories, copies and editions: who is named in their rows, what they have of the original, what is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.actors import Actor
from accounts.models import Membership, User, Workspace
from capsules.actions import drafts, editions, media, scenes
from capsules.models import Asset, Encode, Origin, Scene, Story
from config.errors import Conflict, Forbidden, Invalid, Locked
from tests.support import factories
from tests.support.rows import differing, faults_of, last_event, paths_of

Make = Callable[[Story, Actor | None], Story]
MAKES: dict[str, Make] = {
    "story": lambda story, by: drafts.create_story(
        story.workspace, {"title": "New"}, [{"text": "one"}], by=by
    ),
    "copy": lambda story, by: drafts.duplicate_story(story, by=by),
    "edition": lambda story, by: editions.add_edition(story, name="de", by=by),
}


@pytest.fixture
def by(owner: User) -> Actor:
    return Actor.by_token(owner, via="studio")


@pytest.fixture
def odd_story(ready_story: Story) -> Story:
    """A capsule that has another value than the default wherever it may have one."""
    Story.objects.filter(pk=ready_story.pk).update(
        summary="Three crossings.",
        language="pt-BR",
        theme="paper",
        accent="#b5432a",
        face="slab",
        visibility="unlisted",
        cover=ready_story.scenes.get(position=1),
        created_by=None,
        version=7,
    )
    ready_story.scenes.filter(position=1).update(
        focus_x=0.25,
        focus_y=0.75,
        focus_chosen=True,
        film=factories.shared_film(ready_story.workspace),
        trim_start=0.5,
        trim_length=1,
        fit="contain",
        place="top",
        size="small",
        animation_encode=Encode.objects.get(kind=Encode.Kind.CARD),
        settle_at=timezone.now(),
        version=5,
    )
    ready_story.scenes.filter(position=2).update(still=None, still_encode=None, animation="")
    return Story.objects.get(pk=ready_story.pk)


def scenes_of(story: Story) -> list[Scene]:
    return list(Scene.objects.filter(story=story.pk))


@pytest.mark.parametrize("who", ["a person", "the service"])
@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_who_makes_a_story_is_named_in_all_its_rows_and_where_it_is_told(make, who, ready_story, by):
    actor = by if who == "a person" else None
    user, via = (by.user, "studio") if actor else (None, "import")
    drafts.create_story(ready_story.workspace, {"title": "Before"}, by=actor)
    story = Story.objects.get(pk=make(ready_story, actor).pk)
    assert (story.created_by, story.edited_by) == (user, user)
    assert {scene.edited_by for scene in scenes_of(story)} == {user}
    assert [(kept.kind, kept.by, kept.via) for kept in story.revisions.all()] == [("auto", user, via)]
    told = last_event()
    assert (told["type"], told["via"]) == ("story.created", "studio" if actor else "service")
    assert told["story"] == {"id": str(story.pk), "title": story.title, "url": None}


def test_a_copy_is_private_and_has_all_else_of_its_original(odd_story, by):
    copy = Story.objects.get(pk=drafts.duplicate_story(odd_story, by=by).pk)
    assert differing(odd_story, copy) == {
        "id", "title", "visibility", "cover_id", "created_by_id", "created_at", "updated_at", "version",
        "edited_by_id", "duplicate_of_id",
    }  # fmt: skip
    assert (copy.title, copy.visibility) == ("Copy of Small voyages", "private")
    assert (copy.duplicate_of, copy.cover) == (odd_story, copy.scenes.get(position=1))
    for original, scene in zip(scenes_of(odd_story), scenes_of(copy), strict=True):
        others = {"id", "key", "story_id", "edited_at", "edited_by_id", "version"}
        assert differing(original, scene) <= others
    told = last_event()
    assert (told["copyOf"], told["capsuleId"]) == (str(odd_story.pk), None)


def test_an_edition_has_all_of_its_capsule_and_knows_of_which_scene_each_is_a_copy(odd_story, by):
    made = editions.add_edition(odd_story, name="de", label="Deutsch", shown=True, by=by)
    edition = Story.objects.get(pk=made.pk)
    assert differing(made, edition) == set()
    assert differing(odd_story, edition) == {
        "id", "cover_id", "capsule_id", "edition_name", "edition_label", "shown", "created_by_id", "created_at",
        "updated_at", "version", "edited_by_id",
    }  # fmt: skip
    assert (edition.capsule, edition.edition_name, edition.edition_label) == (odd_story, "de", "Deutsch")
    assert edition.shown and edition.cover == edition.scenes.get(position=1)
    for original, scene in zip(scenes_of(odd_story), scenes_of(edition), strict=True):
        assert (scene.copied_from, scene.copied_version) == (original, original.version)
        others = {"id", "key", "story_id", "edited_at", "edited_by_id", "version"}
        assert differing(original, scene) <= {*others, "copied_from_id", "copied_version"}
    told = last_event()
    assert (told["copyOf"], told["capsuleId"]) == (None, str(odd_story.pk))
    assert not editions.add_edition(odd_story, name="en", language="en", by=by).shown
    assert Story.objects.get(edition_name="en").language == "en"


def test_a_copy_of_a_long_title_has_as_much_of_it_as_fits(ready_story, by):
    ready_story.title = "x" * 200
    assert drafts.duplicate_story(ready_story, by=by).title == "Copy of " + "x" * 192
    assert drafts.duplicate_story(ready_story, title="Again", by=by).title == "Again"


def test_a_title_that_is_none_is_refused_and_no_copy_is_made(ready_story, by):
    for title in (" ", "x" * 201):
        with pytest.raises(Invalid) as refused:
            drafts.duplicate_story(ready_story, title=title, by=by)
        assert paths_of(refused) == ["title"]
    assert Story.objects.count() == 1


def test_a_copy_of_an_edition_comes_from_its_capsule_too_and_from_all_that_this_comes_from(ready_story, by):
    capsule = drafts.duplicate_story(ready_story, by=by)
    edition = editions.add_edition(capsule, name="de", by=by)
    copy = drafts.duplicate_story(edition, by=by)
    again = drafts.duplicate_story(copy, by=by)

    def origins(story: Story) -> set[object]:
        return set(Origin.objects.filter(story=story).values_list("original", flat=True))

    assert origins(copy) == {edition.pk, capsule.pk, ready_story.pk}
    assert origins(again) == {copy.pk, *origins(copy)}
    assert (copy.capsule, copy.edition_name, copy.shown) == (None, "", False)
    assert (copy.duplicate_of, again.duplicate_of) == (edition, copy)


def test_a_file_of_another_workspace_is_copied_with_all_that_is_known_of_it(odd_story, harbour):
    Asset.objects.update(bytes=77)
    Asset.objects.filter(kind="picture").update(focus=[0.25, 0.5], faces=[[0.2, 0.4, 0.3, 0.6]])
    originals = scenes_of(odd_story)
    media.ask_for_thumbnail(originals[1].still)
    copies = scenes_of(drafts.duplicate_story(odd_story, workspace=harbour, by=None))
    assert all(asset.workspace == harbour for asset in (copies[1].still, copies[1].film))
    known = {"id", "workspace_id", "created_at"}
    for original, copy in ((originals[1].still, copies[1].still), (originals[1].film, copies[1].film)):
        assert differing(Asset.objects.get(pk=original.pk), copy) == known
    Asset.objects.filter(workspace=harbour).update(deleted_at=timezone.now())
    again = scenes_of(drafts.duplicate_story(odd_story, workspace=harbour, by=None))
    assert (again[1].still, again[1].film) == (copies[1].still, copies[1].film)
    assert again[1].still.deleted_at is again[1].film.deleted_at is None, "a scene shows them"


def test_who_may_write_elsewhere_alone_copies_a_story_that_they_can_read(ready_story, harbour, person):
    viewer = person("viewer")
    Membership.objects.create(workspace=harbour, user=viewer, role="editor")
    copy = drafts.duplicate_story(ready_story, workspace=harbour, by=Actor.by_token(viewer))
    assert copy.workspace == harbour
    for make in MAKES.values():
        with pytest.raises(Forbidden):
            make(ready_story, Actor.by_token(viewer))


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_nothing_is_made_in_a_suspended_workspace(make, ready_story, by):
    Workspace.objects.update(suspended_at=timezone.now())
    story = Story.objects.get(pk=ready_story.pk)
    for actor in (by, None):
        with pytest.raises(Locked):
            make(story, actor)
    assert Story.objects.count() == 1


def test_from_a_suspended_workspace_a_copy_goes_into_another(ready_story, harbour, owner):
    Workspace.objects.exclude(pk=harbour.pk).update(suspended_at=timezone.now())
    story = Story.objects.get(pk=ready_story.pk)
    assert drafts.duplicate_story(story, workspace=harbour, by=None).workspace == harbour


def test_an_edition_of_an_edition_or_of_a_taken_name_is_refused(ready_story, by):
    edition = editions.add_edition(ready_story, name="de", by=by)
    with pytest.raises(Conflict, match="An edition cannot have editions"):
        editions.add_edition(edition, name="at", by=by)
    with pytest.raises(Conflict) as refused:
        editions.add_edition(ready_story, name="de", by=by)
    fields = {"title": "By hand", "capsule": ready_story, "edition_name": "de"}
    with pytest.raises(Conflict) as refused_too:
        drafts.create_story(ready_story.workspace, fields, by=by)
    taken = "An edition of this name already exists in this capsule."
    for error in (refused, refused_too):
        assert str(error.value) == taken
        assert faults_of(error) == [("name", taken)]
    with pytest.raises(Invalid) as invalid:
        editions.add_edition(ready_story, name="at", label="a\nb", by=by)
    assert paths_of(invalid) == ["label"]
    assert list(Story.objects.filter(capsule=ready_story)) == [edition]


def test_a_note_is_taken_by_who_may_write_now_of_a_scene_that_has_an_original(ready_story, by, person):
    edition = editions.add_edition(ready_story, name="de", by=by)
    first, second = edition.scenes.order_by("position")[:2]
    Scene.objects.filter(pk=second.copied_from_id).update(version=5)
    scenes.update_scene(edition, first.key, {"text": "Eins."}, by=by)
    Scene.objects.filter(pk=first.pk).update(copied_from=None)
    before = Story.objects.get(pk=edition.pk)
    with pytest.raises(Conflict, match="This scene has no original"):
        editions.take_note(edition, first.key, seen=1, by=by)
    with pytest.raises(Forbidden):
        editions.take_note(edition, second.key, seen=3, by=Actor.by_token(person("viewer")))
    editions.take_note(edition, second.key, seen=3, by=by)
    versions = list(edition.scenes.order_by("position").values_list("copied_version", flat=True))
    assert versions == [1, 3, 1, 1] and differing(before, Story.objects.get(pk=edition.pk)) == set()
    Workspace.objects.update(suspended_at=timezone.now())
    with pytest.raises(Locked):
        editions.take_note(edition, second.key, seen=5, by=by)
    assert Scene.objects.get(pk=second.pk).copied_version == 3


def test_a_story_is_made_with_its_cover_among_its_scenes(north_shore, by):
    texts = [{"text": text} for text in ("one", "two", "three")]
    for cover in (0, 2):
        made = drafts.create_story(north_shore, {"title": "New", "cover": cover}, texts, by=by)
        assert made.cover_id == Story.objects.get(pk=made.pk).cover_id == scenes_of(made)[cover].pk
    made = drafts.create_story(north_shore, {"title": "New", "visibility": "unlisted"}, texts, by=by)
    assert (made.cover, Story.objects.get(pk=made.pk).visibility) == (None, "unlisted")
    for cover in (-1, 3):
        with pytest.raises(Invalid) as refused:
            drafts.create_story(north_shore, {"title": "New", "cover": cover}, texts, by=by)
        assert paths_of(refused) == ["cover"]


def test_every_fault_of_a_new_story_is_named_at_its_place(north_shore, by):
    two = [{"text": "one", "finale": True}, {"title": "a\nb", "finale": True}]
    with pytest.raises(Invalid) as refused:
        drafts.create_story(north_shore, {}, two, by=by)
    assert paths_of(refused) == ["title", "scenes.0.finale", "scenes.1.title"]


def test_media_of_a_new_story_is_refused_at_its_scene(north_shore, harbour, rendered, by):
    still = factories.shared_still(harbour, rendered).pk
    own = factories.shared_still(north_shore, rendered).pk
    film = factories.shared_film(north_shore)
    late = {"film": film.pk, "trim": (9, 1)}
    for given, path in ({"film": own}, "film"), ({"still": still}, "still"), (late, "trim"):
        with pytest.raises(Invalid) as refused:
            drafts.create_story(north_shore, {"title": "New"}, [{"text": "one"}, given], by=by)
        assert paths_of(refused) == [f"scenes.1.{path}"]


def test_the_copy_of_a_scene_is_its_copiers(odd_story, by):
    original = odd_story.scenes.get(position=1)
    copy = Scene.objects.get(pk=scenes.duplicate_scene(odd_story, original.key, by=by).pk)
    assert differing(original, copy) == {"id", "key", "position", "edited_at", "edited_by_id", "version"}
    assert (copy.edited_by, copy.position) == (by.user, 2)
