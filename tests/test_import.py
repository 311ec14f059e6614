"""The folder format, in and out, by the commands that people run."""

from __future__ import annotations

import json
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from capsules import storage
from capsules.models import Encode, Scene, Story
from tests import factories, media_files

pytestmark = pytest.mark.django_db(transaction=True)

MANIFEST = """
title = "Two \\"quoted\\" words – ü"
language = "pt-BR"
visibility = "unlisted"
cover = 2

[[scenes]]
text = "First.\\nSecond line."
alt = "A picture."
still = "a.png"
animation = "auto"
focus = [0.25, 0.75]

[[scenes]]
title = "Middle"
text = "Second."
still = "b.png"
animation = "clip.mp4"

[[scenes]]
text = "Third."
still = "a.png"
finale = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    factories.draw_picture(source / "a.png")
    factories.draw_picture(source / "b.png", colour="#7a4650")
    media_files.film(source, size="320x180")
    (source / "capsule.toml").write_text(MANIFEST)
    return source


def run(*args: str) -> str:
    out = StringIO()
    call_command(*args, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_folder_becomes_a_capsule_that_one_call_publishes(folder, north_shore, api, client):
    answer = json.loads(run("import_capsule", str(folder), "--workspace", "north-shore", "--json"))
    story = Story.objects.get(pk=answer["id"])
    assert (story.title, story.language, story.visibility) == ('Two "quoted" words – ü', "pt-BR", "unlisted")
    assert story.cover == story.scenes.get(position=1)
    assert story.scenes.get(position=0).focus == (0.25, 0.75)
    assert story.latest_preview.state == "ready"
    published = api.publish(story)
    assert published.status_code == 200, published.content
    page = client.get(published.json()["url"]).content.decode()
    assert "Second line." in page
    film = story.scenes.get(position=1).animation_encode.renditions("film")[0]
    assert client.get(storage.blobs().url(film["name"])).status_code == 200


def test_an_exported_capsule_imports_as_the_same_capsule(folder, north_shore, tmp_path):
    first = run("import_capsule", str(folder), "--workspace", "north-shore").strip()
    run("export_capsule", first, str(tmp_path / "out"))
    second = run("import_capsule", str(tmp_path / "out"), "--workspace", "north-shore").strip()
    assert first != second
    previews = [Story.objects.get(pk=pk).latest_preview.content for pk in (first, second)]
    assert previews[0] == previews[1], "the same words, and the same encodes: nothing is encoded twice"
    assert tomllib.loads((tmp_path / "out/capsule.toml").read_text())["scenes"][2]["finale"] is True
    with pytest.raises(CommandError, match="is not empty"):
        run("export_capsule", first, str(tmp_path / "out"))


def test_an_edition_is_imported_beside_its_capsule(folder, north_shore):
    capsule = run("import_capsule", str(folder), "--workspace", "north-shore").strip()
    options = ["--edition-of", capsule, "--edition", "short"]
    edition = run("import_capsule", str(folder), "--workspace", "north-shore", *options).strip()
    story = Story.objects.get(pk=edition)
    assert (str(story.capsule_id), story.edition_name, story.shown) == (capsule, "short", True)
    with pytest.raises(CommandError, match="already exists"):
        run("import_capsule", str(folder), "--workspace", "north-shore", *options)


@pytest.mark.parametrize(
    "change, message",
    [
        (("title", "titel"), "titel: There is no such key."),
        (("cover = 2", "cover = 9"), "cover: Must name a scene, from 1 to 3."),
        (("cover = 2", 'cover = "2"'), "cover: Must be a int."),
        (("a.png", "gone.png"), "scenes.0.still: There is no file gone.png in the folder."),
        (("a.png", "../a.png"), "scenes.0.still: There is no file ../a.png in the folder."),
        (("0.75", "1.75"), "scenes.0.focus: Must be two fractions from 0 to 1."),
        (("pt-BR", "portuguese!"), "language: Use a language tag like en or pt-BR."),
        (("unlisted", "secret"), "visibility: Must be one of private, unlisted, public, featured."),
        (("[[scenes]]", "[[scenes"), "capsule.toml is not valid TOML"),
    ],
)
def test_a_wrong_manifest_is_refused_with_the_place_and_nothing_is_made(folder, north_shore, change, message):
    manifest = folder / "capsule.toml"
    manifest.write_text(manifest.read_text().replace(*change))
    with pytest.raises(CommandError) as refused:
        run("import_capsule", str(folder), "--workspace", "north-shore")
    assert message in str(refused.value)
    assert not Story.objects.exists()


def test_a_hostile_file_is_refused_with_the_scene_named(folder, north_shore):
    (folder / "clip.mp4").write_text("ffconcat version 1.0\nfile /etc/passwd\n")
    with pytest.raises(CommandError) as refused:
        run("import_capsule", str(folder), "--workspace", "north-shore")
    assert "scenes.1.animation: " in str(refused.value)
    assert not Scene.objects.exists()
    assert not Encode.objects.exists()
