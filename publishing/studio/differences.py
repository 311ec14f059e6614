"""What differs between two kept drafts, scene by scene and word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

WORDS = re.compile(r"\s+|\w+|[^\w\s]")
MOST = 600  # words and gaps of a text that are compared one by one; the time grows with their square

FIELDS = {"title": "Heading", "text": "Text", "alt": "Alternative text"}
STORY_FIELDS = {
    "title": "Title",
    "summary": "Sentence under the title",
    "author": "Author",
    "language": "Language",
}
MOVEMENTS = {"none": "none", "auto": "a slow camera move", "film": "a film"}


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


def between(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    """From one content of a revision to another; scenes that are the same are left out."""
    was = {scene["id"]: (place, scene) for place, scene in enumerate(before["scenes"], 1)}
    now = {scene["id"]: (place, scene) for place, scene in enumerate(after["scenes"], 1)}
    moved = moved_keys([key for key in was if key in now], [key for key in now if key in was])
    found = []
    for key, (place, scene) in now.items():
        if key not in was:
            found.append(SceneDifference(key, place, "added", fields_of({}, scene, FIELDS), []))
            continue
        old_place, old = was[key]
        fields = fields_of(old, scene, FIELDS)
        notes = notes_of(old, scene)
        if key in moved:
            notes.append(f"Moved from place {old_place} to place {place}")
        if fields or notes:
            found.append(SceneDifference(key, place, "changed", fields, notes))
    found += [
        SceneDifference(key, place, "removed", fields_of(scene, {}, FIELDS), [])
        for key, (place, scene) in was.items()
        if key not in now
    ]
    return Difference(fields_of(before["story"], after["story"], STORY_FIELDS), found)


def moved_keys(before: list[str], after: list[str]) -> set[str]:
    """Those that changed places among the others; as few of them as explain the new order."""
    kept = {
        key
        for match in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        for key in before[match.a : match.a + match.size]
    }
    return set(after) - kept


def fields_of(before: Mapping[str, Any], after: Mapping[str, Any], labels: Mapping[str, str]) -> list[Field]:
    pairs = [(label, before.get(name) or "", after.get(name) or "") for name, label in labels.items()]
    return [Field(label, words(old, new)) for label, old, new in pairs if old != new]


def notes_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What changed in pictures and movement, in words."""
    notes = []
    if before["still"] != after["still"]:
        notes.append("No picture any more" if after["still"] is None else "Another picture")
    elif before["focus"] != after["focus"]:
        notes.append("Another focus of the picture")
    if before["film"] != after["film"]:
        notes.append("No film any more" if after["film"] is None else "Another film")
    if before["animation"] != after["animation"]:
        notes.append(f"Movement: {MOVEMENTS.get(after['animation'], after['animation'])}")
    if before["finale"] != after["finale"]:
        notes.append("Is the finale" if after["finale"] else "Is not the finale any more")
    return notes


def words(before: str, after: str) -> list[Part]:
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
