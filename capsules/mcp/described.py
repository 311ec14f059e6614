"""The fields of `capsules.fields` as tools take and answer them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, TypeVar

import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict, create_model

from capsules import fields, rules
from capsules.fields import Description, Flag, Point
from config.json_types import JsonObject

Focus = Annotated[list[float], pydantic.Field(description="[x, y] from 0 to 1 that crops keep")]
ANSWERED: dict[type, object] = {
    Flag: bool,
    Point: list[float],
    fields.Span: dict[str, float] | None,
    fields.Group: JsonObject,
}


class Part(BaseModel):
    """Of a film, in seconds: at most 12"""

    model_config = ConfigDict(extra="forbid")
    start: float
    length: float


Annotation = Any  # a type, a union or an Annotated, which have no type of their own
Arguments = Mapping[str, tuple[Annotation, object]]  # of each its annotation, and its default
Tool = TypeVar("Tool", bound=Callable[..., object])

#: The value of a nullable argument that was given as null; one that was not given is None.
CLEARED: Any = object()


def type_of(of: Description, field: fields.Field) -> Annotation:
    """The type of a field's JSON."""
    match field:
        case fields.Group():
            parts = {part.name: (optional(of, part), None) for part in field.parts}
            return arguments_model(field.name.capitalize(), parts)
        case fields.Span():
            return Part
        case fields.Colour():
            return Annotated[str, pydantic.Field(description="#rrggbb")]
        case fields.Choice():
            return Literal[tuple(of.names_of(field))]
        case Flag():
            return bool
        case Point():
            return Focus
    return str


def optional(of: Description, field: fields.Field) -> Annotation:
    """The type of an argument that may be left out; null is told apart from that where the field may be null."""
    kind = type_of(of, field) | None
    if not field.nullable:
        return kind
    given = AfterValidator(lambda value: CLEARED if value is None else value)  # a default is not validated
    return Annotated[kind, given, pydantic.Field(json_schema_extra={"nullable": True})]


def arguments(
    of: Description, given: Collection[fields.Field], *, required: Collection[str] = (), hints: bool = True
) -> Arguments:
    """Type and default of these fields as arguments: those that are not required are None where they are left out."""
    found = {}
    for field in given:
        kind = type_of(of, field) if field.name in required else optional(of, field)
        if hints and field.hint:
            kind = Annotated[kind, pydantic.Field(description=field.hint)]
        found[field.name] = (kind, ... if field.name in required else None)
    return found


def arguments_model(name: str, arguments: Arguments) -> type[BaseModel]:
    """A model of arguments that refuses what it does not know."""
    extended: Any = create_model
    model: type[BaseModel] = extended(name, __config__=ConfigDict(extra="forbid"), **arguments)
    return model


def answer_types(given: Collection[fields.Field]) -> dict[str, object]:
    """Type of these fields in an answer."""
    return {field.name: ANSWERED.get(type(field), str) for field in given}


def takes(more: Arguments) -> Callable[[Tool], Tool]:
    """Gives a tool arguments besides its own, which it gets in its `**fields`."""

    def decorate(function: Tool) -> Tool:
        signature = inspect.signature(function, eval_str=True)
        own = list(signature.parameters.values())[:-1]
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=kind,
                default=inspect.Parameter.empty if default is ... else default,
            )
            for name, (kind, default) in more.items()
        ]
        # Or Python refuses a needed argument behind an optional one.
        own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
        needed = [each for each in own if each.default is inspect.Parameter.empty]
        optional = [each for each in own if each.default is not inspect.Parameter.empty]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*needed, *added, *optional]
        )
        return function

    return decorate


def values(of: Description, given: Mapping[str, object]) -> dict[str, object]:
    """The fields that were given, as actions take them."""
    known = {field: plain(given[field.name]) for field in of if given.get(field.name) is not None}
    return rules.tidied({field.name: field.from_json(json) for field, json in known.items()})


def plain(given: object) -> object:
    """An argument as JSON; of an object what was said, and nothing else."""
    if isinstance(given, BaseModel):
        return {name: plain(value) for name, value in given if value is not None}
    return None if given is CLEARED else given


def columns(of: Description, given: Mapping[str, object]) -> dict[str, object]:
    """The fields that were given, as columns."""
    return of.to_columns(values(of, given))
