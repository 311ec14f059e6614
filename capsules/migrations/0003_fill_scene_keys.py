import uuid

from django.db import migrations


def fill_keys(apps, schema_editor):
    scenes = apps.get_model("capsules", "Scene").objects.using(schema_editor.connection.alias)
    while batch := list(scenes.filter(key__isnull=True).only("pk")[:1000]):
        for scene in batch:
            scene.key = uuid.uuid4()
        scenes.bulk_update(batch, ["key"])


class Migration(migrations.Migration):
    dependencies = [("capsules", "0002_drafts_and_revisions")]

    operations = [migrations.RunPython(fill_keys, migrations.RunPython.noop, elidable=True)]
