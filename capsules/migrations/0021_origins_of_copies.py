from typing import Any

from django.db import migrations


def note_origins(apps: Any, schema_editor: Any) -> None:
    """Of the copies that were made before: all that they come from, as far as it is still there."""
    Story, Origin = apps.get_model("capsules", "Story"), apps.get_model("capsules", "Origin")
    copies = Story.objects.exclude(duplicate_of=None).values_list("pk", "duplicate_of", "duplicate_of__capsule")
    sources = {pk: {key for key in (source, capsule) if key} for pk, source, capsule in copies.iterator()}
    for copy, far in sources.items():
        found: set[Any] = set()
        while far := far - found:
            found |= far
            far = set().union(*(sources.get(key, set()) for key in far))
        rows = [Origin(story_id=copy, original=key) for key in found - {copy}]
        Origin.objects.bulk_create(rows, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [("capsules", "0020_origins")]

    operations = [migrations.RunPython(note_origins, migrations.RunPython.noop)]
