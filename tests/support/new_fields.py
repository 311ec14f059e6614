"""A pytest plugin: fields that a story and a scene do not have, each added as a new one would be.

That is a column of the model and a line of the description, before anything else is loaded.
`tests/capsules/test_new_field.py` runs the checks under it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection, models
from django.db.models.signals import class_prepared
from django.dispatch import receiver

from capsules import fields
from capsules.fields import Choice, Colour, Flag, Group, Media, Point, Span, Words

CORNERS = [("auto", "auto"), ("top", "top"), ("bottom", "bottom")]
SEASONS = [("night", "night"), ("paper", "paper")]
COLUMNS: dict[str, dict[str, models.Field]] = {
    "Scene": {
        "corner": models.CharField(max_length=6, choices=CORNERS, default="auto"),
        "credit": models.CharField(max_length=40, blank=True),
        "quiet": models.BooleanField(default=False),
        "eye_x": models.FloatField(default=0.5),
        "eye_y": models.FloatField(default=0.5),
        "tint": models.CharField(max_length=7, blank=True),
        "echo_start": models.FloatField(null=True),
        "echo_length": models.FloatField(null=True),
        "backdrop": models.ForeignKey(
            "capsules.Asset", on_delete=models.PROTECT, null=True, related_name="scenes_as_backdrop"
        ),
    },
    "Story": {
        "season": models.CharField(max_length=5, choices=SEASONS, default="night"),
        "thanks_to": models.CharField(max_length=40, blank=True),
        "closing": models.CharField(max_length=40, blank=True),
        "closing_tone": models.CharField(max_length=7, blank=True),
        "closing_loud": models.BooleanField(default=False),
    },
}
OF_SCENE = (
    Choice("corner", "Corner"),
    Words("credit", "Credit"),
    Flag("quiet", "Quiet"),
    Point("eye", "Eye"),
    Colour("tint", "Tint"),
    Span("echo", "Echo"),
    Media("backdrop", "Backdrop", kind="picture", shown=False),
)
OF_STORY = (
    Choice("season", "Season"),
    Words("thanks", "Thanks", column="thanks_to"),
    Group(
        "ending",
        parts=(
            Words("words", "Last words", column="closing"),
            Colour("tone", "Tone", column="closing_tone"),
            Flag("loud", "Loud", column="closing_loud"),
        ),
    ),
)
fields.SCENE = replace(fields.SCENE, fields=(*fields.SCENE.fields, *OF_SCENE))
fields.STORY = replace(fields.STORY, fields=(*fields.STORY.fields, *OF_STORY))


@receiver(class_prepared)
def add_columns(sender: type[models.Model], **kwargs: Any) -> None:
    if sender._meta.app_label == "capsules" and sender.__module__.startswith("capsules."):
        for name, column in COLUMNS.get(sender.__name__, {}).items():
            column.contribute_to_class(sender, name)


@pytest.fixture(scope="session", autouse=True)
def columns(django_db_setup: None, django_db_blocker: Any) -> None:
    """What the migration of a new field does."""
    from capsules.models import Scene, Story

    with django_db_blocker.unblock(), connection.schema_editor() as editor:
        for model in (Scene, Story):
            added = [model._meta.get_field(name) for name in COLUMNS[model.__name__]]
            # SQLite copies the table for a column that has a default, then with every column of the model.
            for column in sorted(added, key=lambda column: not column.null):
                editor.add_field(model, column)
