"""The fields of stories and scenes as serializers have them, with the limits and sentences of `capsules.rules`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field, set_override
from rest_framework import serializers

from capsules import fields, rules
from capsules.fields import Description
from capsules.models import Scene
from capsules.models.stories import COLOUR
from config.api import NEEDED, Choice, Flag, Id, Text, WireSerializer
from config.errors import Fault

GROUPS: dict[str, type[WireSerializer]] = {}
COLOUR_NEEDED = "Must be a colour like #b5432a, or null."


class Words(Text):
    """A text of an author, with the limits and sentences of `capsules.rules`."""

    def __init__(
        self,
        faults: Callable[[dict[str, object]], Iterable[Fault]],
        name: str,
        *,
        schema: dict[str, object],
        **kwargs: object,
    ) -> None:
        def check(value: str) -> None:
            messages = [fault.message for fault in faults({name: value})]
            if messages:
                raise ValidationError(messages)

        super().__init__(allow_blank=True, required=kwargs.pop("required", False), **kwargs)
        self.validators = [check]  # DRF's own would say the same fault again in other words
        set_override(self, "field", {"type": "string", **schema})

    def run_validation(self, data: object = serializers.empty) -> object:
        value = super().run_validation(data)
        if value == "":
            self.run_validators(value)  # which DRF spares a blank text that may be one
        return value


class Named(Choice):
    """One of the choices of a column, by the names that they have in JSON."""

    def __init__(self, field: fields.Choice, names: list[str], **kwargs: Any) -> None:
        super().__init__(choices=names, **kwargs)
        self.described = field

    def to_internal_value(self, data: object) -> object:
        return self.described.from_json(super().to_internal_value(data))


def sent_fields(of: Description) -> dict[str, serializers.Field]:
    """Fields for what authors send, none of them required."""
    return {field.name: sent_field(of, field) for field in of}


def sent_field(of: Description, field: fields.Field, **options: Any) -> serializers.Field:
    """The field that takes what an author sends."""
    if field.column:
        options["source"] = field.column
    return sent_part(of, field, **options)


def sent_part(of: Description, field: fields.Field, **options: Any) -> serializers.Field:
    """As `sent_field`, in a group: the value of one goes by the names of its parts."""
    options = {"required": False, "help_text": field.help or None, **options}
    match field:
        case fields.Group():
            return group_class("Request", of, field, sent_part)(**options)
        case fields.Words():
            return text_field(of.model, field.columns[0], **options)
        case fields.Choice():
            return Named(field, of.names_of(field), **options)
        case fields.Flag():
            return Flag(**options)
        case fields.Point():
            return FocusField(**options)
        case fields.Span():
            return TrimField(allow_null=True, **options)
        case fields.Colour():
            return ColourField(allow_null=True, **options)
        case fields.Media():
            return Id(allow_null=True, **options)
    raise TypeError(field)


def group_class(
    use: str, of: Description, group: fields.Group, field: Callable[..., serializers.Field]
) -> type[WireSerializer]:
    """The serializer of the object of a group; of what is sent, what is unknown in it is refused with its path.

    One class a name, as the OpenAPI document needs it.
    """
    name = f"{group.name.capitalize()}{use}Serializer"
    if name not in GROUPS:
        GROUPS[name] = type(name, (WireSerializer,), {part.name: field(of, part) for part in group.parts})
    return GROUPS[name]


def answered_fields(of: Description) -> dict[str, serializers.Field]:
    """Fields for what is answered: the JSON of each."""
    return {field.name: answered_field(of, field) for field in of}


def answered_field(of: Description, field: fields.Field) -> serializers.Field:
    match field:
        case fields.Words():
            return serializers.CharField()
        case fields.Choice():
            return serializers.ChoiceField(of.names_of(field))
        case fields.Flag():
            return serializers.BooleanField()
        case fields.Point():
            return FocusField()
        case fields.Span():
            return TrimField(allow_null=True)
        case fields.Colour():
            return ColourField(allow_null=True)
        case fields.Group():
            return group_class("", of, field, answered_field)()
        case fields.Media():
            return Id(allow_null=True)
    raise TypeError(field)


def text_field(model: Any, name: str, **kwargs: object) -> Words:
    """A text of a column, with its length and its pattern."""
    faults = rules.scene_faults if model is Scene else rules.story_faults
    column = model._meta.get_field(name)
    schema: dict[str, object] = {"maxLength": column.max_length}
    patterns: list[Any] = [each.regex for each in column.validators if isinstance(each, RegexValidator)]
    if patterns:
        schema["pattern"] = patterns[0].pattern
    if not column.blank or patterns:
        schema["minLength"] = 1
    return Words(faults, name, schema=schema, **kwargs)


@extend_schema_field(
    {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "minItems": 2, "maxItems": 2}
)
class FocusField(serializers.Field):
    """The point that crops must keep: [x, y] as fractions."""

    default_error_messages: ClassVar = {**NEEDED}

    def to_internal_value(self, data: object) -> tuple[float, float]:
        if not rules.is_focus(data):
            raise serializers.ValidationError(rules.FRACTIONS)
        return float(data[0]), float(data[1])

    def to_representation(self, value: Sequence[float]) -> list[float]:
        return list(value)


@extend_schema_field({"type": "string", "pattern": COLOUR, "nullable": True})
class ColourField(Text):
    """A colour as #rrggbb, or null; as a value its small letters, or an empty text."""

    def run_validation(self, data: object = serializers.empty) -> object:
        return "" if data is None else super().run_validation(data)

    def to_internal_value(self, data: object) -> str:
        value = str(super().to_internal_value(data))
        if not re.fullmatch(COLOUR, value):
            raise serializers.ValidationError(COLOUR_NEEDED)
        return value.lower()


@extend_schema_field(
    {
        "type": "object",
        "nullable": True,
        "properties": {
            "start": {"type": "number", "minimum": 0},
            "length": {
                "type": "number",
                "exclusiveMinimum": True,
                "minimum": 0,
                "maximum": rules.LONGEST_FILM,
            },
        },
        "required": ["start", "length"],
        "additionalProperties": False,
    }
)
class TrimField(serializers.Field):
    """The part of a film: {start, length} in seconds, or null."""

    def to_internal_value(self, data: object) -> tuple[float, float]:
        if not isinstance(data, dict) or set(data) != {"start", "length"}:
            raise serializers.ValidationError(rules.TRIM)
        value = data["start"], data["length"]
        if not rules.is_span(value):
            raise serializers.ValidationError(rules.TRIM)
        return float(value[0]), float(value[1])

    def to_representation(self, value: object) -> object:
        return value
