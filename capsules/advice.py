"""What would make a capsule better. None of it prevents a publish; see `readiness` for what does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import get_language_info

from capsules.models import Scene, Story
from capsules.painter.crops import (
    PORTRAIT_RATIO,
    UPRIGHT,
    Focus,
    Size,
    crop_box,
    is_cut_on_phones,
    is_low,
    is_narrow,
)
from capsules.texts import is_blank

UNTITLED = "Untitled"  # what a new capsule is called until somebody gives it a title
LONG_TITLE = 70  # characters
SCENES = range(5, 31)  # how many a reader likes
LONG_SCENE = 280  # characters
SHORT_STORY = 100  # characters, all scenes together
SMALL_STILL = 1280  # pixels wide
WIDE = 16 / 9  # a screen that is not a phone
SHORT_FILM, CUT_FILM = 2, 12  # seconds
DARK = 24  # of 255, the lightest channel of a picture's colour
FILE_NAME = re.compile(
    r".*\.(jpe?g|png|webp|avif|heic|gif|mp4|mov|webm)|(img|dsc|pxl)[-_ ]?\d+", re.IGNORECASE
)


class Hint(NamedTuple):
    code: str
    path: str
    message: str


def hints(story: Story, scenes: Sequence[Scene]) -> list[Hint]:
    """Every hint for a draft; `scenes` with their media and encodes selected along."""
    found = [*story_hints(story, scenes)]
    stills = Counter(scene.still_id for scene in scenes if scene.still_id)
    for index, scene in enumerate(scenes):
        found += scene_hints(scene, f"scenes.{index}")
        if scene.still_id and stills[scene.still_id] > 1:
            found.append(
                Hint("still-twice", f"scenes.{index}.still", "Another scene shows the same picture.")
            )
    if scenes and not scenes[0].animation:
        message = "Let something move in the opening scene."
        found.append(Hint("opening-without-movement", "scenes.0.animation", message))
    return found + list(cover_hints(story, scenes)) + list(edition_hints(scenes))


def is_untitled(story: Story) -> bool:
    return story.title.strip() == UNTITLED


def story_hints(story: Story, scenes: Sequence[Scene]) -> Iterator[Hint]:
    if is_untitled(story):
        yield Hint("title-untitled", "title", f"“{UNTITLED}” is what readers would see. Give it a title.")
    if len(story.title) > LONG_TITLE:
        yield Hint(
            "title-long", "title", f"Titles over {LONG_TITLE} characters are cut in lists and previews."
        )
    if is_blank(story.summary):
        yield Hint("summary-missing", "summary", "Add one sentence that says what it is about.")
    if is_blank(story.author_name):
        yield Hint("author-missing", "author", "Say who wrote it.")
    if scenes and len(scenes) not in SCENES:
        message = f"{SCENES.start} to {SCENES.stop - 1} scenes read best; this has {len(scenes)}."
        yield Hint("scene-count", "scenes", message)
    if scenes and sum(len(scene.text) for scene in scenes) < SHORT_STORY:
        yield Hint("story-short", "scenes", "There is very little to read.")
    if scenes and not any(scene.finale for scene in scenes):
        yield Hint(
            "finale-missing", "scenes", "Make the last scene the finale, so that readers feel the end."
        )
    usual = usual_language(story)
    if usual and usual != story.language:
        others, own = language_name(usual), language_name(story.language)
        message = f"Most capsules of this workspace are in {others}. Is {own} right?"
        yield Hint("language-unusual", "language", message)


def language_name(tag: str) -> str:
    """A language for people: "German (de)"."""
    try:
        return f"{get_language_info(tag.lower())['name']} ({tag})"
    except KeyError:
        return tag


def usual_language(story: Story) -> str | None:
    """The language of most capsules of the workspace; None with fewer than three others."""
    others = Story.objects.present().filter(workspace=story.workspace_id, capsule=None).exclude(pk=story.pk)
    languages = Counter(others.values_list("language", flat=True).order_by("-updated_at")[:50])
    if story.capsule_id is not None or sum(languages.values()) < 3:
        return None
    language, times = languages.most_common(1)[0]
    return language if times * 2 > sum(languages.values()) else None


def scene_hints(scene: Scene, path: str) -> Iterator[Hint]:
    if len(scene.text) > LONG_SCENE:
        message = f"Texts over {LONG_SCENE} characters cover the picture on a phone."
        yield Hint("text-long", f"{path}.text", message)
    if scene.still is not None:
        yield from alt_hints(scene, f"{path}.alt")
        if scene.still.width < SMALL_STILL:
            message = (
                f"This picture is {scene.still.width} pixels wide; "
                f"pictures at least {SMALL_STILL} pixels wide look sharp."
            )
            yield Hint("still-small", f"{path}.still", message)
        yield from face_hints(scene, path)
    if scene.film is not None and scene.animation == Scene.Animation.FILM:
        if (scene.film.duration or 0) < SHORT_FILM:
            yield Hint("film-short", f"{path}.film", f"This film is shorter than {SHORT_FILM:g} seconds.")
        elif (
            scene.film.duration or 0
        ) > CUT_FILM and scene.trim is None:  # else its author chose what is shown
            message = f"Only the first {CUT_FILM} seconds of this film are shown."
            yield Hint("film-cut", f"{path}.trim", message)


def face_hints(scene: Scene, path: str) -> Iterator[Hint]:
    """Where a face is cut that its picture shows whole. Upright and small pictures stand whole on wide screens."""
    still = scene.still
    if still is None or not still.faces or scene.fit == Scene.Fit.CONTAIN:
        return
    size, point = (still.width, still.height), (scene.focus_x, scene.focus_y)
    is_whole = scene.fit == Scene.Fit.AUTO and (still.width < UPRIGHT * still.height or is_narrow(size))
    if not is_whole and cuts_a_face(still.faces, size, WIDE, point):
        yield Hint("face-cut", f"{path}.focus", "A face is cut on wide screens. Move the focus to it.")
    elif not is_whole_on_phones(scene, size) and cuts_a_face(still.faces, size, PORTRAIT_RATIO, point):
        yield Hint("face-cut", f"{path}.focus", "A face is cut on phones. Move the focus to it.")


def is_whole_on_phones(scene: Scene, size: Size) -> bool:
    subject = scene.subject if scene.fit == Scene.Fit.AUTO else None
    is_small = scene.fit == Scene.Fit.AUTO and is_low(size)
    return is_small or (subject is not None and is_cut_on_phones(subject, size[0] / size[1]))


def cuts_a_face(faces: list[list[float]], size: Size, ratio: float, focus: Focus) -> bool:
    """Whether a crop leaves out a part of the largest face."""
    left, top, right, bottom = crop_box(size, ratio, focus)
    face = [part * size[side % 2] for side, part in enumerate(faces[0])]
    return not (left <= face[0] and face[2] <= right and top <= face[1] and face[3] <= bottom)


def alt_hints(scene: Scene, path: str) -> Iterator[Hint]:
    alt = scene.alt.strip()
    if is_blank(alt):
        yield Hint("alt-missing", path, "Say what the picture shows, for readers who cannot see it.")
    elif alt == scene.text.strip():
        yield Hint("alt-is-text", path, "This repeats the scene's text. Say what the picture shows.")
    elif FILE_NAME.fullmatch(alt):
        yield Hint("alt-is-file-name", path, "This is a file's name. Say what the picture shows.")


def cover_hints(story: Story, scenes: Sequence[Scene]) -> Iterator[Hint]:
    cover = next((scene for scene in scenes if scene.pk == story.cover_id), scenes[0] if scenes else None)
    encode = cover.still_encode if cover else None
    colour = ((encode.outputs or {}).get("colour") or "") if encode else ""
    if colour and max(int(colour[i : i + 2], 16) for i in (1, 3, 5)) < DARK:
        yield Hint(
            "cover-dark", "cover", "The chosen image is very dark. Another scene's picture may show better."
        )


def edition_hints(scenes: Sequence[Scene]) -> Iterator[Hint]:
    originals = {scene.copied_from_id for scene in scenes if scene.copied_from_id}
    versions = dict(Scene.every.filter(pk__in=originals).values_list("pk", "version")) if originals else {}
    for index, scene in enumerate(scenes):
        now = versions.get(scene.copied_from_id) if scene.copied_from_id else None
        if now is not None and scene.copied_version is not None and now > scene.copied_version:
            message = "The original of this scene has changed since it was copied."
            yield Hint("edition-older", f"scenes.{index}.text", message)
