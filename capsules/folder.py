"""The folder format: `capsule.toml` and the media it names, in and out.

capsule.toml: title, summary, author, language, visibility, cover (from 1), and [[scenes]] with title, text, alt,
still (file name), animation ("auto" or a file name), focus ([x, y] as fractions) and finale.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tomli_w
from django.conf import settings
from django.db import transaction
from rest_framework import serializers

from accounts.models import User, Workspace
from capsules import rules, storage
from capsules.actions import media as uploads
from capsules.actions import previews
from capsules.actions.drafts import SceneDraft, create_story
from capsules.api.fields import FocusField, words
from capsules.models import Asset, Scene, Story
from config.api import Choice, Flag, Text, Whole, check
from config.errors import CapsulesError, Fault, Invalid, first

MANIFEST = "capsule.toml"
SAMPLE = Path(__file__).parent / "sample"  # a capsule for somebody who has none yet
MANIFEST_LIMIT = 1 << 20  # bytes
NAME_LIMIT = 255  # bytes of a file name, as file systems have it
#: A key of fifty parts. tomllib takes quadratic time for it, and nobody writes one.
ENDLESS_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){50}""")


class StoryTable(serializers.Serializer):
    title = words(Story, "title", required=True)
    summary = words(Story, "summary", default="")
    author = words(Story, "author_name", default="")
    language = words(Story, "language", default="en")
    visibility = Choice(choices=Story.Visibility.values, default=Story.Visibility.PUBLIC)
    cover = Whole(min_value=1, default=1)
    scenes = serializers.ListField()


class SceneTable(serializers.Serializer):
    title = words(Scene, "title", default="")
    text = words(Scene, "text", default="")
    alt = words(Scene, "alt", default="")
    still = Text(allow_blank=True, default="")
    animation = Text(allow_blank=True, default="")
    focus = FocusField(default=(0.5, 0.5))
    finale = Flag(default=False)


def read(folder: Path) -> dict[str, Any]:
    """The checked manifest of a folder. Raises Invalid with a fault for everything wrong, before anything is made."""
    content = parsed(folder)
    faults: list[Fault] = []
    try:
        content = check(StoryTable, content)
    except Invalid as error:
        faults += error.faults
    scenes = content.get("scenes")
    if isinstance(scenes, list):
        faults += scenes_faults(scenes, content.get("cover"))
        for index, scene in enumerate(scenes[: settings.SCENES_PER_STORY]):
            last = index == len(scenes) - 1
            try:
                scenes[index] = checked_scene(scene, folder, is_last=last)
            except Invalid as error:
                faults += [Fault(f"scenes.{index}.{path}".rstrip("."), text) for path, text in error.faults]
    if faults:
        raise Invalid(f"{MANIFEST} cannot be imported.", faults=first(faults))
    return content


def parsed(folder: Path) -> dict[str, Any]:
    """The manifest as TOML reads it. Raises Invalid."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise Invalid(f"{folder} has no {MANIFEST}.")
    if manifest.stat().st_size > MANIFEST_LIMIT:
        raise Invalid(f"{MANIFEST} is larger than {MANIFEST_LIMIT >> 20} MiB.")
    try:
        text = manifest.read_text("utf-8-sig")  # Windows' Notepad puts a mark before the first letter
        if ENDLESS_KEY.search(text):
            raise Invalid(f"{MANIFEST} has a key with too many parts.")
        return tomllib.loads(text)
    except RecursionError as error:
        raise Invalid(f"{MANIFEST} is nested too deep.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{MANIFEST} is not valid TOML: {error}") from error


def scenes_faults(scenes: list[Any], cover: Any) -> Iterator[Fault]:
    if not scenes:
        yield Fault("scenes", "A capsule needs scenes.")
    elif len(scenes) > settings.SCENES_PER_STORY:
        yield from rules.count_faults(len(scenes))
    elif isinstance(cover, int) and cover > len(scenes):
        yield Fault("cover", f"Must name a scene, from 1 to {len(scenes)}.")


def checked_scene(scene: Any, folder: Path, *, is_last: bool) -> dict[str, Any]:
    """One scene's table. Raises Invalid with paths inside of it."""
    fields = check(SceneTable, scene)
    faults = []
    if fields["finale"] and not is_last:
        faults.append(Fault("finale", rules.FINALE_LAST))
    for key in ("still", "animation"):
        name = fields[key]
        if name and (key, name) != ("animation", "auto") and (message := file_fault(folder, name)):
            faults.append(Fault(key, message))
    if faults:
        raise Invalid(faults=faults)
    return fields


def file_fault(folder: Path, name: str) -> str | None:
    """Why a file cannot be taken from the folder; None for one that can. Nothing outside the folder can."""
    named = name if len(name) <= 80 else f"{name[:80]}…"
    inside = Path(name).name == name and len(name.encode()) <= NAME_LIMIT
    if inside and (folder / name).is_symlink():
        return f"{named} is a link to another file. Put the file itself into the folder."
    if not inside or not (folder / name).is_file():
        return f"There is no file {named} in the folder."
    return None


def printable(text: str) -> str:
    """`text` without anything that a terminal would obey."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def import_story(
    folder: Path,
    workspace: Workspace,
    *,
    by: User | None = None,
    edition_of: Story | None = None,
    edition_name: str = "",
    report: Callable[[str], None] = lambda line: None,
) -> Story:
    """Makes a story from a folder and builds its preview; encodes go on in the background.

    `report` gets a line for every scene taken in. Raises Invalid; then nothing was made.
    """
    content = read(folder)
    files = Files(folder, workspace)
    drafts = []
    for index, scene in enumerate(content["scenes"]):
        report(f"scenes.{index}: {scene['text'][:60]}")
        drafts.append(draft_of(scene, f"scenes.{index}", files))
    fields = {
        **{name: content[name] for name in ("title", "summary", "language", "visibility")},
        "author_name": content["author"],
        "cover": content["cover"] - 1,
    }
    if edition_of is not None:
        fields |= {
            "capsule": edition_of,
            "edition_name": edition_name,
            "edition_label": edition_name.replace("-", " ").capitalize(),
            "shown": True,
        }
    with transaction.atomic():
        story = create_story(workspace, fields, [draft.fields() for draft in drafts], by=None)
        if by is not None:
            Story.objects.filter(pk=story.pk).update(created_by=by)
        previews.build_preview(story, by=by)
        uploads.lend_thumbnails(workspace)
    return story


def draft_of(scene: dict[str, Any], path: str, files: Files) -> SceneDraft:
    film = scene["animation"] if scene["animation"] not in ("", "auto") else ""
    return SceneDraft(
        title=scene["title"],
        text=scene["text"],
        alt=scene["alt"],
        still=files.take(scene["still"], "picture", f"{path}.still"),
        focus=scene["focus"],
        animation="film" if film else scene["animation"],
        film=files.take(film, "film", f"{path}.animation"),
        finale=scene["finale"],
    )


class Files:
    """The media of a folder, each checked once, however many scenes show it."""

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self.folder, self.workspace = folder, workspace
        self.taken: dict[tuple[str, str], Asset] = {}

    def take(self, name: str, kind: str, path: str) -> Asset | None:
        """The asset of a file; None without a name. Raises Invalid at `path`."""
        if name and (name, kind) not in self.taken:
            try:
                self.taken[name, kind] = uploads.upload(self.workspace, self.folder / name, kind=kind)
            except CapsulesError as error:
                raise Invalid(f"{name} cannot be used.", faults=[Fault(path, str(error))]) from error
        return self.taken.get((name, kind))


def export_story(story: Story, folder: Path) -> None:
    """Writes a story as a folder that `import_story` makes the same story from. Raises Invalid if it has content."""
    if folder.exists() and any(folder.iterdir()):
        raise Invalid(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    scenes = list(story.scenes.select_related("still", "film"))
    cover = next((i for i, scene in enumerate(scenes) if scene.pk == story.cover_id), 0)
    head = {
        "title": story.title,
        "summary": story.summary,
        "author": story.author_name,
        "language": story.language,
        "visibility": story.visibility,
        "cover": cover + 1,
    }
    names = FileNames(folder)
    content = head | {"scenes": [scene_table(scene, names) for scene in scenes]}
    (folder / MANIFEST).write_text(tomli_w.dumps(content))


class FileNames:
    """Copies originals into a folder, each once, under its author's file name where that is free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken: dict[str, str] = {}  # file name → storage name

    def add(self, asset: Asset) -> str:
        suffix = Path(asset.name).suffix
        stem = Path(asset.filename).stem or "file"
        endings = [suffix, f"-{Path(asset.name).stem[:8]}{suffix}"]
        candidates = [cut_to_bytes(stem, NAME_LIMIT - len(ending)) + ending for ending in endings]
        name = next(c for c in candidates if self.taken.get(c, asset.name) == asset.name)
        if name not in self.taken:
            self.taken[name] = asset.name
            with storage.local_file(storage.originals(), asset.name) as source:
                shutil.copyfile(source, self.folder / name)
        return name


def cut_to_bytes(text: str, limit: int) -> str:
    """The beginning of a text that has at most so many bytes, without a part of a character."""
    return text.encode()[:limit].decode(errors="ignore")


def scene_table(scene: Scene, names: FileNames) -> dict[str, Any]:
    fields: dict[str, Any] = {"title": scene.title, "text": scene.text, "alt": scene.alt}
    if scene.still:
        fields |= {"still": names.add(scene.still), "focus": list(scene.focus)}
    if scene.film and scene.animation == Scene.Animation.FILM:
        fields["animation"] = names.add(scene.film)
    elif scene.animation:
        fields["animation"] = scene.animation
    if scene.finale:
        fields["finale"] = True
    return fields
