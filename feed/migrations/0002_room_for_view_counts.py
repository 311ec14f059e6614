from typing import Any

from django.db import migrations


def set_fillfactor(apps: Any, schema_editor: Any, value: str = "SET (fillfactor = 70)") -> None:
    """Leaves room on each page of view counts, so that an update stays on its page and touches no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE publishing_viewcount {value}")


def reset_fillfactor(apps: Any, schema_editor: Any) -> None:
    set_fillfactor(apps, schema_editor, "RESET (fillfactor)")


class Migration(migrations.Migration):

    dependencies = [
        ('feed', '0001_cards_ranks_and_pins'),
        ('publishing', '0002_view_counts'),
    ]

    operations = [migrations.RunPython(set_fillfactor, reset_fillfactor)]
