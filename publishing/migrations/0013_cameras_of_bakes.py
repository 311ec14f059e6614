"""Says of the scenes of bakes made before whether a camera moved over their still: those that show the film of one.

The films stay named, so that their files are kept: a card may play one.
"""

from django.db import migrations


def say_cameras(apps, schema_editor):
    database = schema_editor.connection.alias
    moves = apps.get_model("capsules", "Encode").objects.using(database).filter(kind="move", state="done")
    made = {
        rendition["name"]
        for outputs in moves.values_list("outputs", flat=True).iterator()
        for rendition in (outputs or {}).get("renditions", [])
    }
    for bake in apps.get_model("publishing", "Bake").objects.using(database).iterator():
        for scene in bake.content["scenes"]:
            films = (scene.get("film") or {}).values()
            scene.setdefault("camera", any(film["name"] in made for film in films))
        bake.save(update_fields=["content"])


class Migration(migrations.Migration):
    dependencies = [
        ("publishing", "0012_apps_tell_and_ask"),
        ("capsules", "0013_names_as_on_screen"),
    ]

    operations = [migrations.RunPython(say_cameras, migrations.RunPython.noop)]
