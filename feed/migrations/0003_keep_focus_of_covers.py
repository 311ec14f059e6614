"""Cards from before covers had a focus get that of their live bake."""

from typing import Any

from django.db import migrations


def copy_focus(apps: Any, schema_editor: Any) -> None:
    Card = apps.get_model("feed", "Card")
    for card in Card.objects.select_related("publication__live_bake").iterator(chunk_size=200):
        content = card.publication.live_bake.content
        card.cover["focus"] = content["scenes"][content["cover"]]["focus"]
        card.save(update_fields=["cover"])


def drop_focus(apps: Any, schema_editor: Any) -> None:
    Card = apps.get_model("feed", "Card")
    for card in Card.objects.iterator(chunk_size=200):
        card.cover.pop("focus", None)
        card.save(update_fields=["cover"])


class Migration(migrations.Migration):
    dependencies = [
        ("feed", "0002_room_for_view_counts"),
        ("publishing", "0001_publications"),
    ]

    operations = [migrations.RunPython(copy_focus, drop_focus)]
