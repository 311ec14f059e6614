"""The token of a running call is called as every other lease's in code; its column keeps its name."""

import uuid

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0013_taking_down")]

    operations = [
        migrations.AlterField(
            model_name="idempotentanswer",
            name="token",
            field=models.UUIDField(db_column="token", default=uuid.uuid4, editable=False),
        ),
        migrations.RenameField(
            model_name="idempotentanswer", old_name="token", new_name="lease_token"
        ),
        migrations.AlterField(
            model_name="idempotentanswer",
            name="lease_until",
            field=models.DateTimeField(editable=False),
        ),
    ]
