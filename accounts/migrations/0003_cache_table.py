from django.core.management import call_command
from django.db import migrations


# The table of Django's database cache, where the rate limits of signing in are counted.
def create(apps, schema_editor):
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def drop(apps, schema_editor):
    schema_editor.execute("DROP TABLE IF EXISTS cache")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_accounts_and_connected_apps")]
    operations = [migrations.RunPython(create, drop)]
