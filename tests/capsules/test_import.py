"""The folder format, in and out, by the commands that people run."""

from __future__ import annotations

import json
import shutil
import tomllib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Workspace
from capsules import media, storage
from capsules.models import Asset, Encode, Scene, Story
from tests.support import factories, media_files
from tests.support.kept import Keeper

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


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    factories.draw_picture(source / "a.png")
    factories.draw_picture(source / "b.png", colour="#7a4650")
    media_files.film(source, size="64x64")
    (source / "capsule.toml").write_text(MANIFEST)
    return source


@pytest.fixture
def folder(source: Path, tmp_path: Path) -> Path:
    return shutil.copytree(source, tmp_path / "source")


def run(*args: str) -> str:
    out = StringIO()
    call_command(*args, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def looked_into(source: Path, north_shore: Workspace, once: Keeper) -> tuple[str, list[str]]:
    """The id of the capsule that the folder becomes, and the files that were looked into for it."""

    def make() -> tuple[str, list[str]]:
        seen: list[str] = []
        real = media.inspect
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(media, "inspect", lambda path, kind: seen.append(path.name) or real(path, kind))
            made = run("import_capsule", str(source), "--workspace", "north-shore", "--json")
        return str(json.loads(made)["id"]), seen

    return once("imported", make)


@pytest.fixture
def imported(looked_into: tuple[str, list[str]]) -> str:
    return looked_into[0]


def test_a_folder_becomes_a_capsule_that_one_call_publishes(imported, api, client):
    story = Story.objects.get(pk=imported)
    assert (story.title, story.language, story.visibility) == ('Two "quoted" words – ü', "pt-BR", "unlisted")
    assert story.cover == story.scenes.get(position=1)
    first, second, third = story.scenes.order_by("position")
    assert first.focus == (0.25, 0.75) and list(third.focus) == list(third.still.focus or (0.5, 0.5))
    assert [first.focus_chosen, second.focus_chosen, third.focus_chosen] == [True, False, False]
    assert story.latest_preview.state == "ready"
    published = api.publish(story)
    assert published.status_code == 200, published.content
    page = client.get(published.json()["url"]).content.decode()
    assert "Second line." in page
    film = second.animation_encode.renditions("film")[0]
    assert client.get(storage.blobs().url(film["name"])).status_code == 200


def test_an_import_tells_what_a_publish_would_still_lack(folder, north_shore):
    (folder / "capsule.toml").write_text('title = "Short"\n[[scenes]]\ntext = "One."\n')
    told = StringIO()
    call_command("import_capsule", str(folder), "--workspace", "north-shore", stdout=StringIO(), stderr=told)
    assert told.getvalue().splitlines()[-4:] == [
        "It is imported, but cannot be published yet:",
        "  scenes: A capsule needs at least three scenes; this one has 1.",
        "  scenes.0.still: This scene has no picture.",
        "  scenes.0.animation: This scene is not animated.",
    ]


def test_an_exported_capsule_imports_as_the_same_capsule(imported, tmp_path):
    first = imported
    run("export_capsule", first, str(tmp_path / "out"))
    second = run("import_capsule", str(tmp_path / "out"), "--workspace", "north-shore").strip()
    assert first != second
    previews = [Story.objects.get(pk=pk).latest_preview.content for pk in (first, second)]
    for preview in previews:
        assert all(scene.pop("id") for scene in preview["scenes"])
    assert previews[0] == previews[1], "the same words, and the same encodes: nothing is encoded twice"
    assert tomllib.loads((tmp_path / "out/capsule.toml").read_text())["scenes"][2]["finale"] is True
    with pytest.raises(CommandError, match="is not empty"):
        run("export_capsule", first, str(tmp_path / "out"))
    names_too_long_for_a_disk_are_cut(first, tmp_path / "long")


def names_too_long_for_a_disk_are_cut(story: str, out: Path) -> None:
    Asset.objects.update(filename="😀" * 190 + ".png")
    run("export_capsule", story, str(out))
    stills = [scene["still"] for scene in tomllib.loads((out / "capsule.toml").read_text())["scenes"]]
    assert len(set(stills)) == 2 and all(name.startswith("😀" * 50) for name in stills)
    assert run("import_capsule", str(out), "--workspace", "north-shore")


def test_an_edition_is_imported_beside_its_capsule_by_a_manifest_of_windows_notepad(folder, imported):
    manifest = folder / "capsule.toml"
    manifest.write_bytes(b"\xef\xbb\xbf" + manifest.read_bytes())
    options = ["--edition-of", imported, "--edition", "short"]
    edition = run("import_capsule", str(folder), "--workspace", "north-shore", *options).strip()
    story = Story.objects.get(pk=edition)
    assert (str(story.capsule_id), story.edition_name, story.shown) == (imported, "short", True)
    with pytest.raises(CommandError, match="already exists"):
        run("import_capsule", str(folder), "--workspace", "north-shore", *options)


def test_an_edition_is_not_imported_into_another_workspace_than_its_capsule(folder, ready_story, harbour):
    options = ["--edition-of", str(ready_story.pk), "--edition", "short"]
    with pytest.raises(CommandError, match=r"There is no capsule \S+ in the workspace harbour"):
        run("import_capsule", str(folder), "--workspace", "harbour", *options)
    assert not ready_story.editions.exists()


WRONG = [
    (("title", "titel"), "titel: There is no field of this name."),
    (("cover = 2", "cover = 9"), "cover: Must name a scene, from 1 to 3."),
    (("cover = 2", 'cover = "2"'), "cover: Must be a whole number."),
    (("a.png", "gone.png"), "scenes.0.still: There is no file gone.png in the folder."),
    (("a.png", "../a.png"), "scenes.0.still: There is no file ../a.png in the folder."),
    (("0.75", "1.75"), "scenes.0.focus: Must be two fractions from 0 to 1."),
    (("pt-BR", "portuguese!"), "language: Use a language tag like en or pt-BR."),
    (("unlisted", "secret"), "visibility: Must be one of private, unlisted, public, featured."),
    (("[[scenes]]", "[[scenes"), "capsule.toml is not valid TOML"),
    (("cover = 2", "cover = " + "9" * 5000), "capsule.toml is not valid TOML"),
    (("cover = 2", "cover = " + "[" * 3000 + "]" * 3000), "capsule.toml is nested too deep."),
    (("cover = 2", "a." * 60 + "b = 1"), "capsule.toml has a key with too many parts."),
    (("cover = 2", "#" + "x" * (1 << 20)), "capsule.toml is larger than 1 MiB."),
    (("cover = 2", "\n".join(f"k{i} = 1" for i in range(5000))), "… and 4980 more."),
    (("a.png", "a" * 5000), f"scenes.0.still: There is no file {'a' * 80}… in the folder."),
    (("a.png", "a\\u001b[31m.png"), "There is no file a\\x1b[31m.png in the folder."),
    (("finale", "[[scenes]]\n" * 100 + "finale"), "A capsule has at most 100 scenes; this one has 103."),
]


def test_a_wrong_manifest_is_refused_with_the_place_and_nothing_is_made(folder, north_shore):
    manifest = folder / "capsule.toml"
    for change, message in WRONG:
        manifest.write_text(MANIFEST.replace(*change))
        with pytest.raises(CommandError) as refused:
            run("import_capsule", str(folder), "--workspace", "north-shore")
        assert message in str(refused.value)
    assert not Story.objects.exists()


def test_a_file_outside_of_the_folder_is_not_followed(folder, north_shore, tmp_path):
    (folder / "a.png").rename(tmp_path / "elsewhere.png")
    (folder / "a.png").symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(CommandError, match=r"scenes\.0\.still: a\.png is a link to another file"):
        run("import_capsule", str(folder), "--workspace", "north-shore")
    assert not Asset.objects.exists()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(folder, north_shore):
    with (folder / "b.png").open("r+b") as picture:
        picture.truncate(41 * 10**6)
    with pytest.raises(CommandError, match="has 41 MB, and the most we take is 40 MB"):
        run("import_capsule", str(folder), "--workspace", "north-shore")


def test_a_hostile_file_is_refused_with_the_scene_named(folder, north_shore):
    (folder / "clip.mp4").write_text("ffconcat version 1.0\nfile /etc/passwd\n")
    with pytest.raises(CommandError) as refused:
        run("import_capsule", str(folder), "--workspace", "north-shore")
    assert "scenes.1.animation: " in str(refused.value)
    assert not Scene.objects.exists()
    assert not Encode.objects.exists()


def test_what_a_folder_brought_is_looked_into_once_rendered_once_and_has_thumbnails_in_the_library(
    looked_into, api, rendered
):
    seen = looked_into[1]
    assert sorted(seen) == ["a.png", "b.png", "clip.mp4"], "not the frame that the film brings: we wrote it"
    stills = Encode.objects.filter(kind="still")
    assert stills.count() == 4, "three scenes, and the frame that the film brought"
    factories.finish_encodes(rendered)
    told = {item["filename"]: item["thumbnailUrl"] for item in api.get("/media").json()["items"]}
    assert sorted(told) == ["a.png", "b.png", "clip, still.png", "clip.mp4"]
    assert None not in told.values()
