"""What the migrations made of the database: every index that the models name, and none that another one begins with."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import ForeignKey, Model

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
OURS = [
    m
    for name in ("accounts", "capsules", "publishing", "feed")
    for m in apps.get_app_config(name).get_models()
]


@cache
def in_the_database(model: type[Model]) -> dict[str, dict[str, Any]]:
    with connection.cursor() as cursor:
        return connection.introspection.get_constraints(cursor, model._meta.db_table)


def named(model: type[Model]) -> list[Any]:
    return [*model._meta.indexes, *model._meta.constraints]


def test_every_index_and_constraint_of_a_model_is_in_the_database():
    """A column that loses its own index must not lose the partial ones that others need."""
    for model in OURS:
        assert {each.name for each in named(model)} <= set(in_the_database(model)), model


def test_no_index_repeats_the_beginning_of_another():
    repeated = set()
    for model in OURS:
        partial = {each.name for each in named(model) if getattr(each, "condition", None)}
        whole = {
            name: each["columns"]
            for name, each in in_the_database(model).items()
            if (each["index"] or each["unique"]) and name not in partial and not name.endswith("_like")
        }
        repeated |= {
            (model._meta.label, one, other)
            for one, other in permutations(whole, 2)
            if whole[one] and whole[one] == whole[other][: len(whole[one])]
        }
    assert not repeated


def test_what_belongs_to_a_row_is_found_by_an_index():
    """So that whatever is deleted with it is not looked for in the whole table."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # it has no rows, of which all are read at once
    for model in OURS:
        for field in [field for field in model._meta.local_fields if isinstance(field, ForeignKey)]:
            value = field.target_field.get_default() or 1
            plan = model._base_manager.filter(**{field.attname: value}).order_by().explain()
            assert "Seq Scan" not in plan and "SCAN " not in plan, (field, plan)
