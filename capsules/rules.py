"""The limits of what an author writes: one rule and one sentence each, for the API, imports and the admin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import CharField, Field, Model, TextField

from capsules.models import Scene, Story
from capsules.texts import is_blank
from config.errors import Fault
from config.texts import check_one_line, unix_breaks

#: What a field is called on the wire, where that is not its own name.
WIRE_NAMES = {"author_name": "author", "edition_name": "editionName", "edition_label": "editionLabel"}

#: Texts that may have more than one line.
OF_LINES = ("summary", "text", "alt")

NO_TITLE = "A capsule needs a title."
FINALE_LAST = "Only the last scene may be the finale."
FRACTIONS = "Must be two fractions from 0 to 1."


def story_faults(fields: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with these fields of a story, by wire names."""
    for name, value in fields.items():
        wire = WIRE_NAMES.get(name, name)
        if name == "title" and is_blank(value):
            yield Fault(wire, NO_TITLE)
        yield from (Fault(wire, message) for message in field_messages(Story, name, value))


def scene_faults(fields: Mapping[str, Any], path: str = "") -> Iterator[Fault]:
    """What is wrong with these fields of a scene; `path` goes before their names."""
    for name, value in fields.items():
        if name == "focus":
            if not is_focus(value):
                yield Fault(f"{path}focus", FRACTIONS)
        else:
            yield from (Fault(f"{path}{name}", message) for message in field_messages(Scene, name, value))


def tidied(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as they are kept: lines of texts end as they do everywhere here, whatever ended them at the sender."""
    return {name: unix_breaks(value) if isinstance(value, str) else value for name, value in fields.items()}


def is_focus(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(
            isinstance(part, int | float) and not isinstance(part, bool) and 0 <= part <= 1 for part in value
        )
    )


def count_faults(scenes: int) -> list[Fault]:
    """What is wrong with so many scenes."""
    limit = settings.SCENES_PER_STORY
    message = f"A capsule has at most {limit} scenes; this one has {scenes}."
    return [Fault("scenes", message)] if scenes > limit else []


def field_messages(model: type[Model], name: str, value: Any) -> Iterator[str]:
    """What the model's own limits say about a value. A TextField's length is checked here, as no database does."""
    try:
        field = model._meta.get_field(name)
    except FieldDoesNotExist:
        return
    if not isinstance(field, CharField | TextField) or not isinstance(value, str):
        return
    yield from text_messages(field, value)


def text_messages(field: Field[Any, Any], value: str) -> Iterator[str]:
    if field.max_length is not None and len(value) > field.max_length:
        yield f"At most {field.max_length} characters; this has {len(value)}."
        return
    if not value:
        return
    if field.choices and value not in dict(field.flatchoices):
        yield f"Must be one of {', '.join(key for key, _ in field.flatchoices)}."
    for validator in [*field.validators, *([] if field.name in OF_LINES else [check_one_line])]:
        try:
            validator(value)
        except ValidationError as error:
            yield from error.messages
