"""What a story and a scene consist of: each field of theirs, described once.

A new field takes a column of its model, a line here, and the template that draws it. Drafts, revisions, previews,
bakes, folders, the API, the tools of AI apps, differences and the editor's data are made from these lines.

A field has three forms: columns of a row; the value that authors give (`still` is an Asset or its id, `focus` a pair,
`animation` "" for none); and JSON, on the wire and in what is kept (an id, a list, "none"). A group is several fields
under one name: a value of it has those that are given.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.apps import apps
from django.db import models
from django.utils.translation import gettext_noop as _

from config.json_types import JsonObject

Value = Any  # of a field, or its JSON: what it is belongs to the kind of field


@dataclass(frozen=True)
class Field:
    name: str  # on the wire, and in what is kept
    label: str = ""  # in the history of the studio
    column: str = ""  # where it is not called like the field
    help: str = ""  # in the reference of the API
    hint: str = ""  # for AI apps
    shown: bool = True  # readers get it: previews and bakes have it
    pictured: bool = False  # encodes depend on it

    #: Whether null in JSON takes a choice back.
    nullable: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column or self.name,)

    def read(self, row: models.Model) -> object:
        """The JSON of a row's field."""
        return self.to_json(getattr(row, self.columns[0]))

    def to_json(self, value: object) -> object:
        return value

    def from_json(self, json: object) -> object:
        return json

    def to_columns(self, value: object) -> dict[str, object]:
        return {self.columns[0]: value}


@dataclass(frozen=True)
class Words(Field):
    """A text; of several lines where `lines` is True."""

    lines: bool = False


@dataclass(frozen=True)
class Flag(Field):
    """True or false."""


@dataclass(frozen=True)
class Choice(Field):
    """One of the choices of its column; `blank` is what no choice is called in JSON."""

    blank: str = ""

    def to_json(self, value: object) -> Value:
        return value or self.blank

    def from_json(self, json: object) -> object:
        return "" if json == self.blank else json


@dataclass(frozen=True)
class Point(Field):
    """A place in a picture: two fractions in two columns."""

    @property
    def columns(self) -> tuple[str, ...]:
        return f"{self.name}_x", f"{self.name}_y"

    def read(self, row: models.Model) -> object:
        return [getattr(row, column) for column in self.columns]

    def to_json(self, value: Value) -> object:
        return list(value)

    def from_json(self, json: Value) -> object:
        return tuple(json)

    def to_columns(self, value: Value) -> JsonObject:
        return dict(zip(self.columns, value, strict=True))


@dataclass(frozen=True)
class Media(Field):
    """A file of the workspace, "picture" or "film", by its identifier; whoever takes JSON finds the file."""

    nullable = True
    kind: str = ""

    def read(self, row: models.Model) -> object:
        return self.to_json(getattr(row, f"{self.columns[0]}_id"))

    def to_json(self, value: Value) -> object:
        key = value if isinstance(value, uuid.UUID | None) else value.pk
        return str(key) if key else None


@dataclass(frozen=True)
class Colour(Field):
    """A colour as #rrggbb; "" as a value and null in JSON where none was chosen."""

    nullable = True

    def to_json(self, value: object) -> object:
        return value or None

    def from_json(self, json: Value) -> Value:
        return (json or "").lower()


@dataclass(frozen=True)
class Span(Field):
    """A part of a film, {start, length} in seconds, or null: a pair or None as a value, two columns."""

    nullable = True

    @property
    def columns(self) -> tuple[str, ...]:
        return f"{self.name}_start", f"{self.name}_length"

    def read(self, row: models.Model) -> object:
        start, length = (getattr(row, column) for column in self.columns)
        return None if start is None else {"start": start, "length": length}

    def to_json(self, value: Value) -> Value:
        return None if value is None else dict(zip(("start", "length"), value, strict=True))

    def from_json(self, json: Value) -> Value:
        return None if json is None else (float(json["start"]), float(json["length"]))

    def to_columns(self, value: Value) -> JsonObject:
        return dict(zip(self.columns, value or (None, None), strict=True))


@dataclass(frozen=True)
class Group(Field):
    """Several fields, as one object in JSON."""

    parts: tuple[Field, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(columns_of(self.parts))

    def read(self, row: models.Model) -> dict[str, object]:
        return row_json(row, self.parts)

    def kept_parts(self, json: Mapping[str, object]) -> dict[str, object]:
        """What the JSON of a whole row has of this group."""
        kept = json.get(self.name)
        return dict(kept) if isinstance(kept, dict) else {}

    def to_json(self, value: Value) -> Value:
        return {part.name: part.to_json(value[part.name]) for part in self.parts if part.name in value}

    def from_json(self, json: Value) -> Value:
        return {part.name: part.from_json(json[part.name]) for part in self.parts if part.name in json}

    def to_columns(self, value: Value) -> JsonObject:
        given = [part for part in self.parts if part.name in value]
        return {name: each for part in given for name, each in part.to_columns(value[part.name]).items()}


@dataclass(frozen=True)
class Description:
    """All fields of one model that an author writes, in the order in which they are told."""

    model_name: str
    fields: tuple[Field, ...]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)

    @property
    def model(self) -> type[models.Model]:
        return apps.get_model("capsules", self.model_name)

    @property
    def shown(self) -> list[Field]:
        return [field for field in self if field.shown]

    @property
    def words(self) -> list[Words]:
        return [field for field in self if isinstance(field, Words)]

    @property
    def media(self) -> list[Media]:
        return [field for field in self if isinstance(field, Media)]

    @property
    def groups(self) -> list[Group]:
        return [field for field in self if isinstance(field, Group)]

    @property
    def single(self) -> dict[str, Field]:
        """Every field that is no group, by its path on the wire: parts of groups too."""
        found = {field.name: field for field in self if not isinstance(field, Group)}
        return found | {f"{group.name}.{part.name}": part for group in self.groups for part in group.parts}

    @property
    def columns(self) -> list[str]:
        return columns_of(self.fields)

    def names_of(self, field: Choice) -> list[str]:
        """What the choices of a field are called in JSON."""
        column: Any = self.model._meta.get_field(field.columns[0])
        return [field.to_json(value) for value, _ in column.flatchoices]

    @property
    def pictured(self) -> frozenset[str]:
        """The columns that encodes depend on."""
        return frozenset(columns_of([field for field in self if field.pictured]))

    def to_columns(self, values: Mapping[str, object]) -> dict[str, object]:
        """Values of some fields, as columns; other names are columns already."""
        given = [field for field in self if field.name in values]
        found = {name: value for name, value in values.items() if name not in {field.name for field in given}}
        for field in given:
            found |= field.to_columns(values[field.name])
        return found

    def with_defaults(self, json: Mapping[str, object], fields: Collection[Field]) -> dict[str, object]:
        """JSON with the defaults of the fields that it lacks, because it was kept before they were added."""
        groups = [field for field in fields if isinstance(field, Group)]
        own = {group: group.kept_parts(json) for group in groups}
        if all(field.name in json for field in fields) and all(
            len(parts) == len(group.parts) for group, parts in own.items()
        ):
            return dict(json)
        row = self.model()
        whole = {group.name: {**group.read(row), **parts} for group, parts in own.items()}
        return {**row_json(row, fields), **json, **whole}


def row_json(row: models.Model, fields: Collection[Field]) -> dict[str, object]:
    """These fields of a row, as JSON."""
    return {field.name: field.read(row) for field in fields}


def columns_of(fields: Collection[Field]) -> list[str]:
    return [column for field in fields for column in field.columns]


STORY = Description(
    "Story",
    (
        Words("title", _("Title"), hint="At most 70 characters read best"),
        Words("summary", _("Sentence under the title"), lines=True, hint="One sentence under the title"),
        Words("author", _("Author"), column="author_name"),
        Words("language", _("Language"), hint="Tag of the texts' language: en, de, pt-BR"),
        Group(
            "look",
            help="How readers see it, from the next publish on.",
            parts=(
                Choice("theme", _("Theme"), help="Ground and colour of the words."),
                Colour(
                    "accent",
                    _("Accent"),
                    help="Of rule, progress and links: darkened or lightened until it is legible. null: the theme's.",
                ),
                Choice("face", _("Typeface")),
            ),
        ),
    ),
)

SCENE = Description(
    "Scene",
    (
        Words("title", _("Heading")),
        Words("text", _("Text"), lines=True, hint="20 to 280 characters read best"),
        Words(
            "alt",
            _("Alternative text"),
            lines=True,
            help="What somebody hears who cannot see the picture.",
            hint="What the picture shows, for people who cannot see it",
        ),
        Media(
            "still",
            kind="picture",
            shown=False,
            pictured=True,
            help="The identifier of a picture of the workspace.",
        ),
        Point("focus", pictured=True),
        Choice(
            "animation",
            shown=False,
            pictured=True,
            blank="none",
            help="auto: a slow camera move over the still; film: the film.",
            hint="auto: slow camera move, the default of a picture; film: the default of a film",
        ),
        Media(
            "film", kind="film", shown=False, pictured=True, help="The identifier of a film of the workspace."
        ),
        Span(
            "trim",
            _("Part of the film"),
            shown=False,
            pictured=True,
            help="Which part of the film is shown, in seconds, at most 12; null: its first twelve.",
        ),
        Choice(
            "fit",
            _("Fit of the picture"),
            help="cover: the picture or film fills the screen; contain: it stands whole; auto: by its shape.",
        ),
        Choice("place", _("Place of the words"), help="auto: opposite the focus."),
        Choice("size", _("Size of the words"), help="auto: a few words stand large, a paragraph small."),
        Flag(
            "finale",
            help="The last scene may be one: a still, no animation.",
            hint="Only the last scene: a still",
        ),
    ),
)
