"""What a test asks of rows: how they are by now, in what two differ, what was told last, what was said against it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model

from accounts.models import WorkspaceEvent
from capsules.models import Story


@contextmanager
def taken_back() -> Iterator[None]:
    """A trial, after which all rows are as they were: a table of trials then needs one beginning."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def differing(one: Model, other: Model) -> set[str]:
    """The columns in which two rows are not alike."""
    names = [field.attname for field in one._meta.concrete_fields]
    return {name for name in names if getattr(one, name) != getattr(other, name)}


def now(story: Story) -> Story:
    return Story.objects.get(pk=story.pk)


def order_of(story: Story) -> list[str]:
    """The titles of its scenes."""
    return list(story.scenes.order_by("position").values_list("title", flat=True))


def last_event() -> dict[str, Any]:
    """The type and the data of what was told last."""
    event = WorkspaceEvent.objects.latest("pk")
    return {"type": event.type, **event.data}


def faults_of(error: pytest.ExceptionInfo[Any]) -> list[tuple[str, str]]:
    """The path and the message of each."""
    return [(fault.path, fault.message) for fault in error.value.faults]


def paths_of(error: pytest.ExceptionInfo[Any]) -> list[str]:
    return [path for path, _ in faults_of(error)]
