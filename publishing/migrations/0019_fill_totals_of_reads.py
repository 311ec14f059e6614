from itertools import islice
from typing import Any

from django.db import migrations
from django.db.models import F, Sum
from django.db.models.functions import TruncMonth

TABLES = ("publishing_readmonth", "publishing_workspaceday")
SUMS = {name: Sum(name) for name in ("opened", "read", "finished")}
ROWS = 1000


def fill(apps: Any, schema_editor: Any) -> None:
    """Adds up what was counted before."""
    days = apps.get_model("publishing", "ReadDay").objects.order_by()
    months = days.annotate(month=TruncMonth("day")).values("publication_id", "month")
    of_workspaces = days.annotate(workspace_id=F("publication__story__workspace")).values("workspace_id", "day")
    for name, rows in (("ReadMonth", months), ("WorkspaceDay", of_workspaces)):
        model = apps.get_model("publishing", name)
        sums = rows.annotate(**{f"{each}_sum": total for each, total in SUMS.items()}).iterator()
        while part := [model(**{key.removesuffix("_sum"): v for key, v in row.items()}) for row in islice(sums, ROWS)]:
            model.objects.bulk_create(part)


def empty(apps: Any, schema_editor: Any) -> None:
    for name in ("ReadMonth", "WorkspaceDay"):
        apps.get_model("publishing", name).objects.all().delete()


def index_days(apps: Any, schema_editor: Any, statement: str = "CREATE INDEX {} ON publishing_readday USING brin (day)") -> None:
    """Rows come day by day, so an index of some kilobytes finds those of a few days among many years."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(statement.format("publishing_readday_days"))


def forget_days(apps: Any, schema_editor: Any) -> None:
    index_days(apps, schema_editor, "DROP INDEX {}")


def leave_room(apps: Any, schema_editor: Any) -> None:
    """On each page, so that updates stay on their page and touch no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"ALTER TABLE {table} SET (fillfactor = 80)")


class Migration(migrations.Migration):
    dependencies = [("publishing", "0018_totals_of_reads")]

    operations = [
        migrations.RunPython(leave_room, migrations.RunPython.noop),
        migrations.RunPython(index_days, forget_days),
        migrations.RunPython(fill, empty),
    ]
