from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("feed", "0004_feeds_that_changed"),
    ]

    operations = [
        migrations.DeleteModel(name="SitemapChange"),
        migrations.DeleteModel(name="SitemapSection"),
        migrations.AddIndex(
            model_name="card",
            index=models.Index(fields=["updated_at", "publication"], name="card_changed"),
        ),
    ]
