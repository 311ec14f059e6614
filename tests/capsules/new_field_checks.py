"""Where the fields of `tests.support.new_fields` are found. `test_new_field` runs these in a process of their own."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.actors import Actor
from capsules import fields, folder, garbage
from capsules.actions import drafts, editions, previews, revisions, scenes
from capsules.actions.media import delete_asset
from capsules.fields import row_json
from capsules.mcp.scenes import add_scenes, update_scene
from capsules.mcp.stories import create_story, update_story
from capsules.models import Asset, Revision, Scene, Story
from capsules.receivers import stories_of
from config.errors import Conflict, Invalid
from publishing import baking
from publishing.drafts import draft_content
from publishing.mcp.reading import get_story
from publishing.models import Bake
from publishing.studio.differences import between
from publishing.studio.editor import limits
from tests.support import factories
from tests.support.tools import call

SCENE = {
    "corner": "top",
    "credit": "Photo: Ines",
    "quiet": True,
    "eye": [0.25, 0.75],
    "tint": "#b5432a",
    "echo": {"start": 1.0, "length": 2.5},
}
STORY = {
    "season": "paper",
    "thanks": "Jonas",
    "ending": {"words": "That was it.", "tone": "#112233", "loud": True},
}
PLAIN_SCENE = {
    "corner": "auto",
    "credit": "",
    "quiet": False,
    "eye": [0.5, 0.5],
    "tint": None,
    "echo": None,
}
PLAIN_STORY = {"season": "night", "thanks": "", "ending": {"words": "", "tone": None, "loud": False}}


def of(row: Any, names: Any) -> dict[str, Any]:
    """These fields of JSON, or of a row."""
    if isinstance(row, dict):
        return {name: row.get(name) for name in names}
    description = fields.SCENE if isinstance(row, Scene) else fields.STORY
    return {name: description[name].read(row) for name in names}


def values(description: fields.Description, json: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name].from_json(each) for name, each in json.items()}


def write_scene(story: Story, json: dict[str, Any], *, by: Actor, **more: Any) -> None:
    first = story.scenes.first()
    scenes.update_scene(story, first.key, {**values(fields.SCENE, json), **more}, by=by)


def write_story(story: Story, json: dict[str, Any], *, by: Actor) -> None:
    drafts.update_story(story, fields.STORY.to_columns(values(fields.STORY, json)), by=by)


@pytest.fixture
def story(north_shore, rendered, by) -> Story:
    """A ready capsule whose first scene and own fields are not the defaults."""
    made = factories.make_story(north_shore, rendered)
    write_scene(made, SCENE, by=by, backdrop=made.scenes.first().still)
    write_story(made, STORY, by=by)
    previews.build_preview(made)
    factories.finish_encodes(rendered)
    return Story.objects.get(pk=made.pk)


# --- API -------------------------------------------------------------------------------------------------------


def test_the_api_takes_and_answers_it(api, north_shore):
    answer = api.call(
        "POST", "/stories", {"title": "New", **STORY, "scenes": [{"text": "One.", **SCENE}, {}]}
    )
    assert answer.status_code == 201, answer.content
    assert of(answer.json(), STORY) == STORY
    draft = api.get(f"/stories/{answer.json()['id']}/draft").json()
    assert of(draft["story"], STORY) == STORY
    assert [of(scene, SCENE) for scene in draft["scenes"]] == [SCENE, PLAIN_SCENE]
    first = draft["scenes"][0]["id"]
    changed = api.call("PATCH", f"/stories/{answer.json()['id']}/scenes/{first}", {"corner": "bottom"})
    assert changed.json()["corner"] == "bottom"
    changed = api.call("PATCH", f"/stories/{answer.json()['id']}", {"season": "night"})
    assert changed.json()["season"] == "night"


def test_the_api_refuses_what_it_may_not_be(api, story):
    key = story.scenes.first().key
    wrong = {
        "corner": "left",
        "credit": "x" * 41,
        "eye": [2, 0],
        "tint": "red",
        "echo": {"start": -1, "length": 1},
        "backdrop": "no identifier",
    }
    refused = api.call("PATCH", f"/stories/{story.pk}/scenes/{key}", wrong)
    assert refused.status_code == 400
    assert {fault["path"] for fault in refused.json()["details"]} == set(wrong)
    wrong = {"season": "neon", "thanks": "x" * 41, "ending": {"words": "x" * 41, "tone": "red"}}
    refused = api.call("PATCH", f"/stories/{story.pk}", wrong)
    paths = {fault["path"] for fault in refused.json()["details"]}
    assert paths == {"season", "thanks", "ending.words", "ending.tone"}


def test_the_api_describes_it():
    from drf_spectacular.generators import SchemaGenerator

    schemas = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    for name in ("Scene", "SceneRequest", "KeptScene"):
        assert set(SCENE) <= set(schemas[name]["properties"])
    for name in ("Story", "StoryRequest", "KeptStory"):
        assert set(STORY) <= set(schemas[name]["properties"])
    assert schemas["SceneRequest"]["properties"]["credit"]["maxLength"] == 40


# --- What is kept ----------------------------------------------------------------------------------------------


def test_a_revision_keeps_it_and_a_restore_brings_it_back(story, by):
    kept = revisions.name_revision(story, "With it", by=by)
    assert of(kept.content["story"], STORY) == STORY
    assert of(kept.content["scenes"][0], SCENE) == SCENE
    write_scene(story, PLAIN_SCENE, by=by, backdrop=None)
    write_story(story, PLAIN_STORY, by=by)
    restored = revisions.restore_revision(story, kept, by=by)
    assert of(restored, STORY) == STORY
    assert of(restored.scenes.first(), SCENE) == SCENE


def test_an_older_revision_has_its_defaults(story, by):
    kept = revisions.name_revision(story, "Older", by=by)
    content = kept.content
    for row, names in [(content["story"], STORY), *((scene, SCENE) for scene in content["scenes"])]:
        for name in names:
            del row[name]
    Revision.objects.filter(pk=kept.pk).update(content=content)
    restored = revisions.restore_revision(story, Revision.objects.get(pk=kept.pk), by=by)
    assert of(restored, STORY) == PLAIN_STORY
    assert of(restored.scenes.first(), SCENE) == PLAIN_SCENE


def test_what_was_refused_is_kept_with_it(api, story):
    key = story.scenes.first().key
    refused = api.call(
        "PATCH", f"/stories/{story.pk}/scenes/{key}", {"corner": "bottom"}, headers={"If-Match": '"1"'}
    )
    assert refused.status_code == 412
    kept = story.revisions.first()
    assert (kept.kind, kept.content["scenes"][0]["corner"]) == ("conflict", "bottom")


def test_previews_and_bakes_have_it(story):
    preview = story.latest_preview
    assert of(preview.content, STORY) == STORY
    assert of(preview.content["scenes"][0], SCENE) == SCENE
    bake = baking.bake(preview).content
    assert of(bake, STORY) == STORY
    assert of(bake["scenes"][0], SCENE) == SCENE
    shown = draft_content(story)
    assert of(shown, STORY) == STORY
    assert of(shown["scenes"][0], SCENE) == SCENE


def test_an_older_bake_has_its_defaults(story, api):
    assert api.publish(story).status_code == 200
    bake = Bake.objects.get(story=story)
    content = bake.content
    del content["season"], content["scenes"][0]["corner"]
    Bake.objects.filter(pk=bake.pk).update(content=content)
    content = Bake.objects.get(pk=bake.pk).content
    assert (content["season"], content["scenes"][0]["corner"]) == ("night", "auto")


def test_a_preview_without_it_does_not_show_the_draft_any_more(story, by):
    preview = story.latest_preview
    write_scene(story, {"corner": "bottom"}, by=by)
    changed = Story.objects.get(pk=story.pk)
    assert not previews.shows(preview, changed, list(changed.scenes.all()))


# --- Copies ----------------------------------------------------------------------------------------------------


def test_copies_have_it(story, by):
    copy = drafts.duplicate_story(story, by=by)
    assert of(copy, STORY) == STORY
    assert of(copy.scenes.first(), SCENE) == SCENE
    assert of(scenes.duplicate_scene(story, story.scenes.first().key, by=by), SCENE) == SCENE
    edition = editions.add_edition(story, name="de", by=by)
    assert of(edition, STORY) == STORY
    assert of(edition.scenes.first(), SCENE) == SCENE


# --- Files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def backdrop(story, by) -> Asset:
    """A file that only the new field of a scene names."""
    asset = factories.shared_film(story.workspace)
    asset.pk, asset.kind, asset.name, asset.filename = None, "picture", "b" * 64, "backdrop.png"
    asset.save(force_insert=True)
    write_scene(story, {}, by=by, backdrop=asset)
    return asset


def test_a_file_is_of_its_kind_and_workspace(api, story):
    key = story.scenes.first().key
    film = factories.shared_film(story.workspace)
    refused = api.call("PATCH", f"/stories/{story.pk}/scenes/{key}", {"backdrop": str(film.pk)})
    assert [fault["path"] for fault in refused.json()["details"]] == ["backdrop"]


def test_a_file_that_it_names_cannot_be_deleted_and_is_not_swept_away(story, backdrop):
    with pytest.raises(Conflict):
        delete_asset(backdrop)
    Asset.objects.filter(pk=backdrop.pk).update(deleted_at=timezone.now() - timedelta(days=365))
    garbage.forget_media()
    assert Asset.objects.filter(pk=backdrop.pk).exists()


def test_a_copy_in_another_workspace_has_its_own_file(story, backdrop):
    other = factories.make_workspace("west-shore")
    copy = drafts.duplicate_story(story, workspace=other, by=None)
    own = copy.scenes.first().backdrop
    assert own.pk != backdrop.pk and (own.workspace_id, own.name) == (other.pk, backdrop.name)


def test_a_revision_brings_the_file_back(story, backdrop, by):
    kept = revisions.name_revision(story, "With it", by=by)
    write_scene(story, {}, by=by, backdrop=None)
    restored = revisions.restore_revision(story, kept, by=by)
    assert restored.scenes.first().backdrop_id == backdrop.pk


# --- Folders ---------------------------------------------------------------------------------------------------


def test_folders_carry_it_out_and_in(story, north_shore, tmp_path: Path):
    folder.export_story(story, tmp_path / "out")
    manifest = tomllib.loads((tmp_path / "out" / folder.MANIFEST).read_text())
    assert of(manifest, STORY) == STORY
    assert of(manifest["scenes"][0], SCENE) == SCENE
    assert manifest["scenes"][0]["backdrop"] == manifest["scenes"][0]["still"]
    assert not {"corner", "quiet"} & set(manifest["scenes"][1])  # the defaults are not said
    back = folder.import_story(tmp_path / "out", north_shore)
    assert of(back, STORY) == STORY
    assert [of(scene, SCENE) for scene in back.scenes.all()[:2]] == [SCENE, PLAIN_SCENE]
    assert [scene.backdrop_id == scene.still_id for scene in back.scenes.all()[:2]] == [True, False]


def test_folders_are_refused_what_it_may_not_be(tmp_path: Path):
    scene = '[[scenes]]\ntext = "One."\ncorner = "left"\ntint = "red"\nbackdrop = "gone.jpg"\n'
    text = f'title = "T"\nseason = "neon"\n{scene}'
    (tmp_path / folder.MANIFEST).write_text(text)
    with pytest.raises(Invalid) as error:
        folder.read_manifest(tmp_path)
    assert {fault.path for fault in error.value.faults} == {"season", "scenes.0.corner", "scenes.0.tint"}
    (tmp_path / folder.MANIFEST).write_text(text.replace("left", "top").replace("red", "#b5432a"))
    with pytest.raises(Invalid) as error:
        folder.read_manifest(tmp_path)
    assert {fault.path for fault in error.value.faults} == {"season", "scenes.0.backdrop"}


# --- Studio ----------------------------------------------------------------------------------------------------


def test_differences_tell_of_it():
    kept = {"id": "a", **row_json(Scene(), fields.SCENE.fields)}
    before = {"story": PLAIN_STORY, "scenes": [{**kept, **PLAIN_SCENE}]}
    after = {"story": STORY, "scenes": [{**kept, **SCENE}]}
    found = between(before, after)
    assert {"Season", "Thanks", "Last words", "Tone"} <= {field.label for field in found.story}
    (scene,) = found.scenes
    assert [field.label for field in scene.fields] == ["Credit"]
    assert scene.notes[:2] == ["Corner: top", "Quiet: yes"]
    assert any(note.startswith("Tint") for note in scene.notes)


def test_the_editor_starts_with_it(story, client, owner):
    client.force_login(owner)
    page = client.get(f"/studio/stories/{story.pk}")
    boot = page.context["boot"]
    assert of(boot["draft"]["story"], STORY) == STORY
    assert of(boot["draft"]["scenes"][0], SCENE) == SCENE
    assert boot["draft"]["scenes"][0]["backdrop"] == str(story.scenes.first().still_id)
    assert of(boot["emptyScene"], [*SCENE, "backdrop"]) == {**PLAIN_SCENE, "backdrop": None}
    assert limits()["scene"]["credit"] == 40
    assert limits()["story"]["thanks"] == 40


def test_a_person_can_take_it_along(story, owner):
    Story.objects.filter(pk=story.pk).update(created_by=owner)
    (told,) = stories_of(user=owner)["stories"]
    assert told["thanks_to"] == "Jonas"
    assert told["scenes"][0]["credit"] == "Photo: Ines"


# --- AI apps ---------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_tools_take_and_answer_it(by):
    made = call(create_story, by, title="T", language="en", **STORY, scenes=[{"text": "One.", **SCENE}])
    more = call(add_scenes, by, story=made["id"], scenes=[{"text": "Two.", **SCENE}])
    first = made["scenes"][0]["id"]
    call(update_scene, by, story=made["id"], scene=first, corner="bottom")
    call(update_story, by, story=made["id"], season="night")
    answer = call(get_story, by, story=made["id"])
    assert of(answer, STORY) == {**STORY, "season": "night"}
    assert [of(scene, SCENE) for scene in answer["scenes"]] == [{**SCENE, "corner": "bottom"}, SCENE]
    assert len(more["scenes"]) == 2


def test_tools_describe_it():
    assert set(SCENE) <= set(update_scene.parameters["properties"])
    assert update_scene.parameters["properties"]["corner"]["enum"] == ["auto", "top", "bottom"]
    assert set(STORY) <= set(create_story.parameters["properties"])
    assert set(STORY) <= set(update_story.parameters["properties"])
    schema = get_story.fn_metadata.output_schema
    assert schema is not None
    assert set(STORY) <= set(schema["properties"])
    assert set(SCENE) <= set(schema["properties"]["scenes"]["items"]["properties"])
