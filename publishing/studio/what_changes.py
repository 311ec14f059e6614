"""What a publish changes for readers, in a few sentences: from the version that is live to a preview."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.text import get_text_list
from django.utils.translation import gettext, ngettext

from capsules.fields import SCENE, STORY
from capsules.models import Preview
from config.json_types import JsonMapping
from publishing.models import Publication

WORDS = {field.name for field in SCENE.words}


def what_changes(preview: Preview) -> list[str]:
    """[] for what is not live, and where the preview of the live version is not kept any more."""
    live = Publication.objects.published().filter(story=preview.story_id).values("live_bake")
    before = Preview.objects.filter(bakes__in=live).first()
    return changes_between(before.content, preview.content) if before is not None else []


def changes_between(before: JsonMapping, after: JsonMapping) -> list[str]:
    """From the content of one preview to that of another; scenes are counted as they are in the later one."""
    was = {scene["id"]: scene for scene in before["scenes"]}
    stayed = [(n, was[s["id"]], s) for n, s in enumerate(after["scenes"], 1) if s["id"] in was]
    new = [number for number, scene in enumerate(after["scenes"], 1) if scene["id"] not in was]
    gone = len(was) - len(stayed)
    order = [scene["id"] for _, scene, _ in stayed]
    words = [n for n, old, now in stayed if differs(old, now, words=True)]
    look = [n for n, old, now in stayed if differs(old, now, words=False)]
    said = [
        story_words(before, after),
        of_scenes(
            ngettext("New words: scene %(numbers)s", "New words: scenes %(numbers)s", len(words)), words
        ),
        of_scenes(
            ngettext(
                "New look or movement: scene %(numbers)s",
                "New look or movement: scenes %(numbers)s",
                len(look),
            ),
            look,
        ),
        of_scenes(ngettext("Added: scene %(numbers)s", "Added: scenes %(numbers)s", len(new)), new),
        ngettext("Removed: %(number)s scene", "Removed: %(number)s scenes", gone) % {"number": gone}
        if gone
        else "",
        gettext("Another order of the scenes") if order != [key for key in was if key in order] else "",
        gettext("Another cover") if cover_shown(before) != cover_shown(after) else "",
    ]
    return [each for each in said if each]


def differs(old: JsonMapping, now: JsonMapping, *, words: bool) -> bool:
    """Whether a scene's words differ, or everything else of it."""
    return any(old.get(name) != now[name] for name in now if (name in WORDS) is words)


def story_words(before: JsonMapping, after: JsonMapping) -> str:
    shown = [field for field in STORY.shown if before.get(field.name) != after.get(field.name)]
    if not shown:
        return ""
    fields = listed([gettext(field.label).lower() if field.label else field.name for field in shown])
    return gettext("Of the capsule: %(fields)s") % {"fields": fields}


def of_scenes(words: str, numbers: list[int]) -> str:
    return words % {"numbers": listed([str(number) for number in numbers])} if numbers else ""


def listed(names: Sequence[str]) -> str:
    return get_text_list(list(names), gettext("and"))


def cover_shown(content: JsonMapping) -> object:
    return content["scenes"][content["cover"]]["id"]
