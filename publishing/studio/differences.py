"""What differs between two kept drafts, scene by scene and word by word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

from django.utils.translation import gettext, gettext_noop

from capsules import fields
from capsules.fields import SCENE, STORY
from config.json_types import JsonMapping

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST = 600  # words and gaps of a text that are compared one by one; the time grows with their square

#: Fields whose changes `notes_of` says in its own way.
IN_SENTENCES = ("still", "focus", "film", "trim", "animation", "finale")
MOVEMENTS = {
    "none": gettext_noop("none"),
    "auto": gettext_noop("a slow camera move"),
    "film": gettext_noop("a film"),
}


class Part(NamedTuple):
    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True)
class Field:
    label: str
    parts: list[Part]


@dataclass(frozen=True)
class SceneDifference:
    """One scene: `number` is its place in the later draft, or in the earlier one where it is gone."""

    key: str
    number: int
    state: Literal["changed", "added", "removed"]
    fields: list[Field]
    notes: list[str]


@dataclass(frozen=True)
class Difference:
    story: list[Field]
    scenes: list[SceneDifference]

    @property
    def is_none(self) -> bool:
        return not self.story and not self.scenes


def between(before: JsonMapping, after: JsonMapping) -> Difference:
    """From one content of a revision to another; scenes that are the same are left out."""
    was = {scene["id"]: (place, scene) for place, scene in enumerate(before["scenes"], 1)}
    now = {scene["id"]: (place, scene) for place, scene in enumerate(after["scenes"], 1)}
    moved = moved_keys([key for key in was if key in now], [key for key in now if key in was])
    found = []
    for key, (place, scene) in now.items():
        if key not in was:
            found.append(SceneDifference(key, place, "added", differing_texts({}, scene, SCENE.words), []))
            continue
        old_place, old = was[key]
        texts = differing_texts(old, scene, SCENE.words)
        notes = notes_of(old, scene)
        if key in moved:
            notes.append(
                gettext("Moved from place %(before)s to place %(now)s") % {"before": old_place, "now": place}
            )
        if texts or notes:
            found.append(SceneDifference(key, place, "changed", texts, notes))
    found += [
        SceneDifference(key, place, "removed", differing_texts(scene, {}, SCENE.words), [])
        for key, (place, scene) in was.items()
        if key not in now
    ]
    return Difference(differing_texts(before["story"], after["story"], STORY.fields), found)


def moved_keys(before: list[str], after: list[str]) -> set[str]:
    """Those that changed places among the others; as few of them as explain the new order."""
    kept = {
        key
        for match in SequenceMatcher(None, before, after).get_matching_blocks()
        for key in before[match.a : match.a + match.size]
    }
    return set(after) - kept


def differing_texts(
    before: Mapping[str, object], after: Mapping[str, object], of: Collection[fields.Field]
) -> list[Field]:
    pairs = [
        (label, as_text(value_at(before, path)), as_text(value_at(after, path))) for path, label in labels(of)
    ]
    return [
        Field(label and gettext(label), steps_between(old, new)) for label, old, new in pairs if old != new
    ]


def labels(of: Collection[fields.Field]) -> Iterator[tuple[list[str], str]]:
    """The path in JSON and the label of each field, of groups each part's."""
    for each in of:
        parts = each.parts if isinstance(each, fields.Group) else ()
        yield from [([each.name, part.name], part.label) for part in parts] or [([each.name], each.label)]


def value_at(json: Any, path: list[str]) -> object:
    for name in path:
        json = (json or {}).get(name)
    return json


def as_text(value: object) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return "" if value is None else str(value)


def notes_of(before: Mapping[str, object], after: JsonMapping) -> list[str]:
    """What changed in pictures and movement, in words."""
    notes = []
    if before["still"] != after["still"]:
        notes.append(gettext("No picture any more") if after["still"] is None else gettext("Another picture"))
    elif before["focus"] != after["focus"]:
        notes.append(gettext("Another focus of the picture"))
    if before["film"] != after["film"]:
        notes.append(gettext("No film any more") if after["film"] is None else gettext("Another film"))
    if before.get("trim") != after.get("trim"):
        notes.append(trim_note(after["trim"]))
    if before["animation"] != after["animation"]:
        movement = gettext(MOVEMENTS.get(after["animation"]) or str(after["animation"]))
        notes.append(gettext("Movement: %(movement)s") % {"movement": movement})
    if before["finale"] != after["finale"]:
        notes.append(gettext("Is the finale") if after["finale"] else gettext("Is not the finale any more"))
    others = [field for field in SCENE if field.name not in IN_SENTENCES and field not in SCENE.words]
    differing = [field for field in others if before.get(field.name) != after.get(field.name)]
    return notes + [f"{gettext(field.label)}: {as_text(after[field.name])}" for field in differing]


def trim_note(trim: Mapping[str, float] | None) -> str:
    if trim is None:
        return gettext("Part of the film: from its start")
    return gettext("Part of the film: %(length)s seconds from second %(start)s") % {
        "length": format(trim["length"], "g"),
        "start": format(trim["start"], "g"),
    }


def steps_between(before: str, after: str) -> list[Part]:
    """The way from one text to another, in whole words."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    if len(old) > MOST or len(new) > MOST:
        return [part for part in (Part("removed", before), Part("added", after)) if part.text]
    parts: list[Part] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(Part("same", "".join(old[a:b])))
            continue
        if b > a:
            parts.append(Part("removed", "".join(old[a:b])))
        if d > c:
            parts.append(Part("added", "".join(new[c:d])))
    return parts
