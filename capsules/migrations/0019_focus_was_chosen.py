"""A focus beside the middle was chosen by an author: nothing is proposed in its place."""

from django.db import migrations


def say_chosen(apps, schema_editor):
    scenes = apps.get_model("capsules", "Scene").objects.using(schema_editor.connection.alias)
    scenes.exclude(focus_x=0.5, focus_y=0.5).update(focus_chosen=True)


class Migration(migrations.Migration):
    dependencies = [("capsules", "0018_proposed_focus")]

    operations = [migrations.RunPython(say_chosen, migrations.RunPython.noop)]
