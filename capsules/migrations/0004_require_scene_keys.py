import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("capsules", "0003_fill_scene_keys")]

    operations = [
        migrations.AlterField(
            model_name="scene",
            name="key",
            field=models.UUIDField(
                default=uuid.uuid4,
                editable=False,
                help_text="Its identifier in the API.",
                unique=True,
            ),
        ),
    ]
