"""Dropping indexes in migrations while the service runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython
from django.db.migrations.state import StateApps

DROP = 'DROP INDEX {quietly} IF EXISTS "{name}"'
MAKE = 'CREATE INDEX {quietly} IF NOT EXISTS "{name}" ON "{table}" ("{column}")'


def drop_indexes(indexes: Mapping[str, tuple[str, str]]) -> RunPython:
    """Drops indexes, each with its table and column; for a migration that is not atomic.

    AlterField with `db_index=False` would also drop a partial unique index of the same column, check every row against
    its foreign key again, and lock all its tables until the last one is done.
    """

    def run(statement: str) -> Callable[[StateApps, BaseDatabaseSchemaEditor], None]:
        def execute(apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
            quietly = "CONCURRENTLY" if editor.connection.vendor == "postgresql" else ""
            for name, (table, column) in indexes.items():
                editor.execute(statement.format(quietly=quietly, name=name, table=table, column=column))

        return execute

    return RunPython(run(DROP), run(MAKE))
