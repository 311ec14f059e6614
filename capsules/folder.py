"""The folder format: `capsule.toml` and the media it names, in and out.

capsule.toml: title, summary, author, language, visibility, cover (from 1), and [[scenes]] with title, text, alt,
still (file name), animation ("auto" or a file name), focus ([x, y] as fractions) and finale.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.models import User, Workspace
from capsules import actions, storage
from capsules.actions import SceneDraft
from capsules.models import Asset, Scene, Story
from config.errors import CapsulesError, Fault, Invalid

MANIFEST = "capsule.toml"
STORY_KEYS = {
    "title": str,
    "summary": str,
    "author": str,
    "language": str,
    "visibility": str,
    "cover": int,
    "scenes": list,
}
SCENE_KEYS = {
    "title": str,
    "text": str,
    "alt": str,
    "still": str,
    "animation": str,
    "focus": list,
    "finale": bool,
}


def read(folder: Path) -> dict[str, Any]:
    """The checked manifest of a folder. Raises Invalid with a fault for everything wrong, before anything is made."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise Invalid(f"{folder} has no {MANIFEST}.")
    try:
        content = tomllib.loads(manifest.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{MANIFEST} is not valid TOML: {error}") from error
    faults = type_faults(content, STORY_KEYS, "")
    for index, scene in enumerate(content.get("scenes", []) if not faults else []):
        path = f"scenes.{index}"
        faults += (
            type_faults(scene, SCENE_KEYS, f"{path}.")
            if isinstance(scene, dict)
            else [Fault(path, "Not a table.")]
        )
    if not faults:
        faults = list(value_faults(content, folder))
    if faults:
        raise Invalid(f"{MANIFEST} cannot be imported.", faults=faults)
    return content


def type_faults(table: dict[str, Any], keys: dict[str, type], prefix: str) -> list[Fault]:
    unknown = [Fault(prefix + key, "There is no such key.") for key in table if key not in keys]
    wrong = [
        Fault(prefix + key, f"Must be a {kind.__name__}.")
        for key, kind in keys.items()
        if key in table
        and (not isinstance(table[key], kind) or (kind is int and isinstance(table[key], bool)))
    ]
    return unknown + wrong


def value_faults(content: dict[str, Any], folder: Path) -> list[Fault]:
    scenes = content.get("scenes", [])
    faults = [] if content.get("title", "").strip() else [Fault("title", "A capsule needs a title.")]
    if not scenes:
        faults.append(Fault("scenes", "A capsule needs scenes."))
    if content.get("visibility", "public") not in Story.Visibility.values:
        faults.append(Fault("visibility", f"Must be one of {', '.join(Story.Visibility.values)}."))
    if scenes and not 1 <= content.get("cover", 1) <= len(scenes):
        faults.append(Fault("cover", f"Must name a scene, from 1 to {len(scenes)}."))
    for index, scene in enumerate(scenes):
        faults += scene_value_faults(scene, f"scenes.{index}", folder, is_last=index == len(scenes) - 1)
    return faults


def scene_value_faults(scene: dict[str, Any], path: str, folder: Path, *, is_last: bool) -> list[Fault]:
    focus = scene.get("focus", [0.5, 0.5])
    faults = []
    if len(focus) != 2 or not all(isinstance(part, int | float) and 0 <= part <= 1 for part in focus):
        faults.append(Fault(f"{path}.focus", "Must be two fractions from 0 to 1."))
    if scene.get("finale") and not is_last:
        faults.append(Fault(f"{path}.finale", "Only the last scene may be the finale."))
    files = {"still": scene.get("still"), "animation": scene.get("animation")}
    for key, name in files.items():
        if name in (None, "") or (key == "animation" and name == "auto"):
            continue
        if Path(name).name != name or not (folder / name).is_file():
            faults.append(Fault(f"{path}.{key}", f"There is no file {name} in the folder."))
    return faults


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
    drafts = [
        draft_of(scene, f"scenes.{index}", folder, workspace, report)
        for index, scene in enumerate(content["scenes"])
    ]
    with transaction.atomic():
        story = Story(
            workspace=workspace,
            title=content["title"],
            summary=content.get("summary", ""),
            author_name=content.get("author", ""),
            language=content.get("language", "en"),
            visibility=content.get("visibility", Story.Visibility.PUBLIC),
            capsule=edition_of,
            edition_name=edition_name,
            edition_label=edition_name.replace("-", " ").capitalize(),
            shown=edition_of is not None,
            created_by=by,
        )
        actions.save_story(story)
        scenes = [actions.add_scene(story, draft) for draft in drafts]
        story.cover = scenes[content.get("cover", 1) - 1]
        story.save(update_fields=["cover", "updated_at"])
        actions.build_preview(story, by=by)
    return story


def draft_of(
    scene: dict[str, Any], path: str, folder: Path, workspace: Workspace, report: Callable[[str], None]
) -> SceneDraft:
    report(f"{path}: {scene.get('text', '')[:60]}")
    animation = scene.get("animation", "")
    film = animation if animation not in ("", "auto") else None
    still = scene.get("still")
    return SceneDraft(
        title=scene.get("title", ""),
        text=scene.get("text", ""),
        alt=scene.get("alt", ""),
        still=taken_in(workspace, folder / still, "picture", f"{path}.still") if still else None,
        focus=(float(scene["focus"][0]), float(scene["focus"][1])) if "focus" in scene else (0.5, 0.5),
        animation="film" if film else animation,
        film=taken_in(workspace, folder / film, "film", f"{path}.animation") if film else None,
        finale=scene.get("finale", False),
    )


def taken_in(workspace: Workspace, source: Path, kind: str, path: str) -> Asset:
    try:
        return actions.upload(workspace, source, kind=kind)
    except CapsulesError as error:
        raise Invalid(f"{source.name} cannot be used.", faults=[Fault(path, str(error))]) from error


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
    tables = [table(head), *("\n[[scenes]]\n" + table(scene_table(scene, names)) for scene in scenes)]
    (folder / MANIFEST).write_text("".join(tables))


class FileNames:
    """Copies originals into a folder, each once, under its author's file name where that is free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.taken: dict[str, str] = {}  # file name → storage name

    def add(self, asset: Asset) -> str:
        suffix = Path(asset.name).suffix
        stem = Path(asset.filename).stem or "file"
        candidates = [f"{stem}{suffix}", f"{stem}-{Path(asset.name).stem[:8]}{suffix}"]
        name = next(c for c in candidates if self.taken.get(c, asset.name) == asset.name)
        if name not in self.taken:
            self.taken[name] = asset.name
            with storage.local_file(storage.originals(), asset.name) as source:
                shutil.copyfile(source, self.folder / name)
        return name


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


def table(fields: dict[str, Any]) -> str:
    """TOML key = value lines."""
    return "".join(f"{key} = {toml(value)}\n" for key, value in fields.items())


def toml(value: Any) -> str:
    """One TOML value. A TOML basic string is a JSON string, but for the DEL character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
