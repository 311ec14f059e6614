"""The limits of what an author writes: one rule and one sentence each, for the API, imports and the admin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import CharField, Field, Model, TextField
from django.utils.translation import gettext, gettext_noop

from capsules.fields import SCENE, STORY, Point, Span
from capsules.models import Scene, Story
from capsules.texts import is_blank
from config.errors import Fault
from config.json_types import JsonMapping, JsonObject
from config.texts import check_one_line, unix_breaks

#: What a field is called on the wire, where that is not its own name.
WIRE_NAMES = {field.columns[0]: path for path, field in STORY.single.items() if field.columns[0] != path} | {
    "edition_name": "editionName",
    "edition_label": "editionLabel",
}

#: Texts that may have more than one line.
OF_LINES = [field.name for field in [*STORY.words, *SCENE.words] if field.lines]

NO_TITLE = gettext_noop("A capsule needs a title.")
FINALE_LAST = gettext_noop("Only the last scene may be the finale.")
FRACTIONS = gettext_noop("Must be two fractions from 0 to 1.")
LONGEST_FILM = 12  # seconds
SHORTEST_FILM = 0.5
TRIM = gettext_noop(
    "Must be {start, length} in seconds, of which length is more than 0 and at most 12; or null."
)


def story_faults(fields: JsonMapping) -> Iterator[Fault]:
    """What is wrong with these fields of a story, by wire names."""
    for name, value in fields.items():
        wire = WIRE_NAMES.get(name, name)
        if name == "title" and is_blank(value):
            yield Fault(wire, gettext(NO_TITLE))
        yield from (Fault(wire, message) for message in field_messages(Story, name, value))


def scene_faults(fields: Mapping[str, object], path: str = "") -> Iterator[Fault]:
    """What is wrong with these fields of a scene; `path` goes before their names."""
    for name, value in fields.items():
        if isinstance(SCENE[name], Point):
            if not is_focus(value):
                yield Fault(f"{path}{name}", gettext(FRACTIONS))
        elif isinstance(SCENE[name], Span):
            if not is_span(value):
                yield Fault(f"{path}{name}", gettext(TRIM))
        else:
            yield from (Fault(f"{path}{name}", message) for message in field_messages(Scene, name, value))


def tidied(fields: Mapping[str, object]) -> JsonObject:
    """The fields as they are kept: lines of texts end as they do everywhere here, whatever ended them at the sender."""
    return {name: unix_breaks(value) if isinstance(value, str) else value for name, value in fields.items()}


def is_focus(value: object) -> TypeGuard[Sequence[float]]:
    return are_two_numbers(value) and all(0 <= part <= 1 for part in value)


def is_span(value: object) -> bool:
    """Whether it may be the part of a film: a start and a length, or None."""
    return value is None or (are_two_numbers(value) and 0 <= value[0] < 1e6 and 0 < value[1] <= LONGEST_FILM)


def are_two_numbers(value: Any) -> TypeGuard[Sequence[float]]:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(part, int | float) and not isinstance(part, bool) for part in value)
    )


def trim_faults(trim: Sequence[float] | None, duration: float | None, path: str = "") -> list[Fault]:
    """What is wrong with the part of a film that lasts so long; nothing where there is no film yet."""
    latest = max(0.0, (duration or 0) - SHORTEST_FILM)
    if trim is None or duration is None or trim[0] <= latest:
        return []
    message = gettext(
        "This film ends after %(end).1f seconds; the part can start at %(latest).1f at the latest."
    )
    return [Fault(f"{path}trim", message % {"end": duration, "latest": latest})]


def count_faults(scenes: int) -> list[Fault]:
    """What is wrong with so many scenes."""
    limit = settings.SCENES_PER_STORY
    message = gettext("A capsule has at most %(limit)s scenes; this one has %(scenes)s.")
    return [Fault("scenes", message % {"limit": limit, "scenes": scenes})] if scenes > limit else []


def field_messages(model: type[Model], name: str, value: object) -> Iterator[str]:
    """What the model's own limits say about a value. A TextField's length is checked here, as no database does."""
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return
    if not isinstance(field, CharField | TextField) or not isinstance(value, str):
        return
    yield from text_messages(field, value)


def text_messages(field: Field[object, object], value: str) -> Iterator[str]:
    if field.max_length is not None and len(value) > field.max_length:
        yield gettext("At most %(most)s characters; this has %(number)s.") % {
            "most": field.max_length,
            "number": len(value),
        }
        return
    if not value:
        return
    if field.choices and value not in dict(field.flatchoices):
        names = ", ".join(key for key, _ in field.flatchoices)
        yield gettext("Must be one of %(names)s.") % {"names": names}
    for validator in [*field.validators, *([] if field.name in OF_LINES else [check_one_line])]:
        try:
            validator(value)
        except ValidationError as error:
            yield from error.messages
