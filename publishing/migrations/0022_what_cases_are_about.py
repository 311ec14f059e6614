from typing import Any

from django.db import migrations
from django.db.models import OuterRef, Subquery


def note_stories(apps: Any, schema_editor: Any) -> None:
    """Of the cases that were there before: their stories, and the addresses that they keep."""
    names = ("Case", "HeldSlug", "Publication", "Slug")
    Case, HeldSlug, Publication, Slug = (apps.get_model("publishing", name) for name in names)
    stories = Publication.objects.filter(pk=OuterRef("publication")).values("story")
    Case.objects.filter(kind="capsule", about=None).update(about=Subquery(stories[:1]))
    going_on = Slug.objects.filter(publication__frozen_case__ended_at=None, publication__frozen_case__isnull=False)
    rows = going_on.values_list("text", "publication__frozen_case")
    HeldSlug.objects.bulk_create((HeldSlug(text=text, case_id=case) for text, case in rows), ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [("publishing", "0021_cases_outlive_capsules")]

    operations = [migrations.RunPython(note_stories, migrations.RunPython.noop)]
