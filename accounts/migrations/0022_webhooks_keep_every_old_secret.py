from django.db import migrations, models


def keep_old_secret(apps, schema_editor):
    for webhook in apps.get_model("accounts", "Webhook").objects.exclude(old_secret_until=None):
        webhook.old_secrets = [{"secret": webhook.old_secret, "until": webhook.old_secret_until.isoformat()}]
        webhook.save(update_fields=["old_secrets"])


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0021_when_a_webhook_failed_last"),
    ]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="old_secrets",
            field=models.JSONField(default=list, editable=False, help_text="Those that still sign: secret, until."),
        ),
        migrations.RunPython(keep_old_secret, migrations.RunPython.noop),
        migrations.RemoveField(model_name="webhook", name="old_secret"),
        migrations.RemoveField(model_name="webhook", name="old_secret_until"),
    ]
