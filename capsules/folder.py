"""The folder format: `capsule.toml` and the media it names, in and out.

capsule.toml: title, summary, author, language, visibility, cover (from 1), [look] with theme, accent ("#rrggbb") and
face, and [[scenes]] with title, text, alt, still (file name), animation ("auto" or a file name), focus ([x, y] as
fractions), trim ({start, length} in seconds), fit, place, size and finale.
"""

from __future__ import annotations

import re
import shutil
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import tomli_w
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext
from rest_framework import serializers

from accounts.models import User, Workspace
from capsules import rules, storage
from capsules.actions import media as uploads
from capsules.actions import previews, stills
from capsules.actions.drafts import create_story
from capsules.fields import SCENE, STORY, Description, Media, row_json
from capsules.models import Asset, Scene, Story
from capsules.uploads.creating import check_room
from capsules.wire.fields import sent_field, text_field
from config.api import Choice, Text, Whole, check
from config.errors import CapsulesError, Conflict, Fault, Invalid, first
from config.json_types import JsonObject

MANIFEST = "capsule.toml"
MANIFEST_LIMIT = 1 << 20  # bytes
NAME_LIMIT = 255  # bytes of a file name, as file systems have it
#: A key of fifty parts. tomllib takes quadratic time for it, and nobody writes one.
ENDLESS_KEY = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){50}""")


def table_fields(of: Description) -> dict[str, serializers.Field]:
    """Fields of a table, each with its default; files are named in their own way."""
    row = of.model()
    plain = [field for field in of if not isinstance(field, Media)]
    return {field.name: sent_field(of, field, default=field.from_json(field.read(row))) for field in plain}


#: Files that a scene's table names under the field's own name; a film is the `animation`.
NAMED_FILES = [field for field in SCENE.media if field.name != "film"]


class StoryTable(serializers.Serializer):
    visibility = Choice(choices=Story.Visibility.values, default=Story.Visibility.PUBLIC)
    cover = Whole(min_value=1, default=1)
    scenes = serializers.ListField()

    def get_fields(self) -> dict[str, serializers.Field]:
        title = text_field(Story, "title", required=True)
        return {**table_fields(STORY), "title": title, **super().get_fields()}


class SceneTable(serializers.Serializer):
    animation = Text(allow_blank=True, default="")

    def get_fields(self) -> dict[str, serializers.Field]:
        files = {field.name: Text(allow_blank=True, default="") for field in NAMED_FILES}
        return {**table_fields(SCENE), **files, **super().get_fields()}


def read_manifest(folder: Path, manifest: Path | None = None) -> JsonObject:
    """The checked manifest of a folder, or another one that names its files. Raises Invalid with a fault for
    everything wrong, before anything is made.
    """
    content = parse_manifest(manifest or folder / MANIFEST)
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
        raise Invalid(
            gettext("%(manifest)s cannot be imported.") % {"manifest": MANIFEST}, faults=first(faults)
        )
    return content


def parse_manifest(manifest: Path) -> dict[str, object]:
    """The manifest as TOML reads it. Raises Invalid."""
    if not manifest.is_file():
        raise Invalid(
            gettext("%(parent)s has no %(manifest)s.") % {"parent": manifest.parent, "manifest": MANIFEST}
        )
    if manifest.stat().st_size > MANIFEST_LIMIT:
        raise Invalid(
            gettext("%(manifest)s is larger than %(most)s MiB.")
            % {"manifest": MANIFEST, "most": MANIFEST_LIMIT >> 20}
        )
    try:
        text = manifest.read_text("utf-8-sig")  # Windows' Notepad puts a mark before the first letter
        if ENDLESS_KEY.search(text):
            raise Invalid(gettext("%(manifest)s has a key with too many parts.") % {"manifest": MANIFEST})
        return tomllib.loads(text)
    except RecursionError as error:
        raise Invalid(gettext("%(manifest)s is nested too deep.") % {"manifest": MANIFEST}) from error
    except ValueError as error:  # also of a number with thousands of digits
        raise Invalid(
            gettext("%(manifest)s is not valid TOML: %(error)s") % {"manifest": MANIFEST, "error": error}
        ) from error


def scenes_faults(scenes: list[object], cover: object) -> Iterator[Fault]:
    if not scenes:
        yield Fault("scenes", gettext("A capsule needs scenes."))
    elif len(scenes) > settings.SCENES_PER_STORY:
        yield from rules.count_faults(len(scenes))
    elif isinstance(cover, int) and cover > len(scenes):
        yield Fault("cover", gettext("Must name a scene, from 1 to %(number)s.") % {"number": len(scenes)})


def checked_scene(scene: object, folder: Path, *, is_last: bool) -> dict[str, object]:
    """One scene's table. Raises Invalid with paths inside of it."""
    fields = check(SceneTable, scene)
    if "focus" not in cast(dict[str, object], scene):
        del fields["focus"]  # so that one is proposed
    faults = []
    if fields["finale"] and not is_last:
        faults.append(Fault("finale", gettext(rules.FINALE_LAST)))
    for key in ("animation", *(field.name for field in NAMED_FILES)):
        name = fields[key] = spelled_in(folder, fields[key])
        if name and (key, name) != ("animation", "auto") and (message := file_fault(folder, name)):
            faults.append(Fault(key, message))
    if faults:
        raise Invalid(faults=faults)
    return fields


def spelled_in(folder: Path, name: str) -> str:
    """The name of a file as its folder has it: where a Mac wrote it, an accent may be a character of its own."""
    if name.isascii() or not folder.is_dir():
        return name
    names = [each.name for each in folder.iterdir()]
    composed = unicodedata.normalize("NFC", name)
    alike = (each for each in names if unicodedata.normalize("NFC", each) == composed)
    return name if name in names else next(alike, name)


def file_fault(folder: Path, name: str) -> str | None:
    """Why a file cannot be taken from the folder; None for one that can. Nothing outside the folder can."""
    named = name if len(name) <= 80 else f"{name[:80]}…"
    inside = Path(name).name == name and len(name.encode()) <= NAME_LIMIT
    if inside and (folder / name).is_symlink():
        words = gettext("%(file)s is a link to another file. Put the file itself into the folder.")
        return words % {"file": named}
    if not inside or not (folder / name).is_file():
        return gettext("There is no file %(file)s in the folder.") % {"file": named}
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
    """Makes a story from a folder and builds its preview; encodes go on in the background. That of a person (`by`) is
    private, and its files must fit into the workspace.

    `report` gets a line for every scene taken in. Raises Invalid, and Conflict where others filled the workspace
    meanwhile; then nothing was made, and the library is as it was.
    """
    content = read_manifest(folder)
    files = Files(folder, workspace)
    scenes = []
    for index, scene in enumerate(content["scenes"]):
        report(f"scenes.{index}: {scene['text'][:60]}")
        scenes.append(scene_from_table(scene, f"scenes.{index}", files))
    fields = {**content, "cover": content["cover"] - 1}
    del fields["scenes"]
    if edition_of is not None:
        label = edition_name.replace("-", " ").capitalize()
        fields |= {"capsule": edition_of, "edition_name": edition_name, "edition_label": label, "shown": True}
    # Before the transaction: it may take seconds.
    scenes = stills.with_default_stills(workspace, scenes, by=None)
    if by is not None:
        fields["visibility"] = Story.Visibility.PRIVATE
        files.must_fit()
    with transaction.atomic():
        story = create_story(workspace, fields, scenes, by=None)
        if by is not None:
            Story.objects.filter(pk=story.pk).update(created_by=by)
        previews.build_preview(story, by=by)
        uploads.lend_thumbnails(workspace)
    return story


def scene_from_table(scene: JsonObject, path: str, files: Files) -> dict[str, object]:
    """A scene's table, as `create_story` takes it."""
    film = scene["animation"] if scene["animation"] not in ("", "auto") else ""
    named = {
        field.name: files.take(name, field.kind, f"{path}.{field.name}")
        for field in NAMED_FILES
        if (name := scene[field.name])
    }
    # A still that is not named is left out, not None: a film then gets its default one.
    unnamed = {field.name for field in NAMED_FILES} - named.keys()
    return {
        **{name: value for name, value in scene.items() if name not in unnamed},
        **named,
        "animation": "film" if film else scene["animation"],
        "film": files.take(film, "film", f"{path}.animation"),
    }


class Files:
    """The media of a folder, each checked once, however many scenes show it."""

    def __init__(self, folder: Path, workspace: Workspace) -> None:
        self.folder, self.workspace = folder, workspace
        self.taken: dict[tuple[str, str], Asset] = {}
        self.began = timezone.now()
        trash = Asset.objects.filter(workspace=workspace, deleted_at__isnull=False)
        self.in_trash = list(trash.values_list("pk", flat=True))

    def take(self, name: str, kind: str, path: str) -> Asset | None:
        """The asset of a file; None without a name. Raises Invalid at `path`; then what was taken goes again."""
        if name and (name, kind) not in self.taken:
            try:
                self.taken[name, kind] = uploads.upload(self.workspace, self.folder / name, kind=kind)
            except CapsulesError as error:
                self.give_back()
                raise Invalid(
                    gettext("%(name)s cannot be used.") % {"name": name}, faults=[Fault(path, str(error))]
                ) from error
        return self.taken.get((name, kind))

    def must_fit(self) -> None:
        """Raises Conflict where the workspace has too many bytes, now that these are among them; then they go again.

        Of several folders at once, whoever comes last sees the files of all.
        """
        try:
            check_room(self.workspace, 0)
        except Conflict:
            self.give_back()
            raise

    def give_back(self) -> None:
        """Takes out of the library what came with the folder: made for it, or brought back from the trash."""
        own = [asset.pk for asset in self.taken.values()]
        came = Asset.objects.filter(Q(created_at__gte=self.began) | Q(pk__in=self.in_trash))
        used = Scene.every.filter(Q(still=OuterRef("pk")) | Q(film=OuterRef("pk")))
        came = came.filter(Q(pk__in=own) | Q(poster_of__in=own), ~Exists(used), deleted_at=None)
        came.update(deleted_at=timezone.now())


def export_story(story: Story, folder: Path) -> None:
    """Writes a story as a folder that `import_story` makes the same story from. Raises Invalid if it has content."""
    if folder.exists() and any(folder.iterdir()):
        raise Invalid(gettext("%(folder)s is not empty.") % {"folder": folder})
    folder.mkdir(parents=True, exist_ok=True)
    scenes = list(story.scenes.select_related("still", "film"))
    cover = next((i for i, scene in enumerate(scenes) if scene.pk == story.cover_id), 0)
    head = {**row_json(story, STORY.fields), "visibility": story.visibility, "cover": cover + 1}
    for group in STORY.groups:  # of each what is not the default
        usual = group.read(Story())
        own = group.read(story)
        head[group.name] = {name: each for name, each in own.items() if each != usual[name]}
    head = {name: value for name, value in head.items() if value != {}}
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


def scene_table(scene: Scene, names: FileNames) -> dict[str, object]:
    """Its texts, and what is not the default of everything else."""
    fields = row_json(scene, SCENE.words)
    files = {field.name: getattr(scene, field.columns[0]) for field in NAMED_FILES}
    fields |= {name: names.add(asset) for name, asset in files.items() if asset}
    if scene.still:
        fields["focus"] = list(
            scene.focus
        )  # of no picture it is not told, so that one is proposed for the next
    if scene.film and scene.animation == Scene.Animation.FILM:
        fields["animation"] = names.add(scene.film)
    elif scene.animation:
        fields["animation"] = scene.animation
    told = {*fields, "focus"}
    rest = [field for field in SCENE if field.name not in told and not isinstance(field, Media)]
    usual, own = row_json(Scene(), rest), row_json(scene, rest)
    return fields | {name: own[name] for name in own if own[name] != usual[name]}
