"""Fields of what authors send, with the limits and sentences of `capsules.rules`: for the API and for folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import ValidationError
from drf_spectacular.utils import extend_schema_field, set_override
from rest_framework import serializers

from capsules import rules
from capsules.models import Scene
from config.api import Text
from config.errors import Fault


class Words(Text):
    """A text of an author, with the limits and sentences of `capsules.rules`."""

    def __init__(
        self,
        faults: Callable[[dict[str, Any]], Iterable[Fault]],
        name: str,
        *,
        schema: dict[str, Any],
        **kwargs: Any,
    ) -> None:
        def check(value: str) -> None:
            messages = [fault.message for fault in faults({name: value})]
            if messages:
                raise ValidationError(messages)

        super().__init__(allow_blank=True, required=kwargs.pop("required", False), **kwargs)
        self.validators = [check]  # DRF's own would say the same fault again in other words
        set_override(self, "field", {"type": "string", **schema})


def words(model: Any, name: str, *, pattern: str = "", **kwargs: Any) -> Words:
    faults = rules.scene_faults if model is Scene else rules.story_faults
    schema: dict[str, Any] = {"maxLength": model._meta.get_field(name).max_length}
    if pattern:
        schema["pattern"] = pattern
    if kwargs.pop("min_length", 0):
        schema["minLength"] = 1
    return Words(faults, name, schema=schema, **kwargs)


@extend_schema_field(
    {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "minItems": 2, "maxItems": 2}
)
class FocusField(serializers.Field):
    """The point that crops must keep: [x, y] as fractions."""

    def to_internal_value(self, data: Any) -> tuple[float, float]:
        if not rules.is_focus(data):
            raise serializers.ValidationError(rules.FRACTIONS)
        return float(data[0]), float(data[1])

    def to_representation(self, value: Any) -> list[float]:
        return list(value)
