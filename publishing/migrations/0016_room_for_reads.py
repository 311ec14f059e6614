from typing import Any

from django.db import migrations

TABLES = ("publishing_readday", "publishing_readsource")


def set_fillfactor(apps: Any, schema_editor: Any, value: str = "SET (fillfactor = 80)") -> None:
    """Leaves room on each page, so that the updates of a day stay on their page and touch no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"ALTER TABLE {table} {value}")


def reset_fillfactor(apps: Any, schema_editor: Any) -> None:
    set_fillfactor(apps, schema_editor, "RESET (fillfactor)")


class Migration(migrations.Migration):

    dependencies = [("publishing", "0015_reads")]

    operations = [migrations.RunPython(set_fillfactor, reset_fillfactor)]
