from django.db import migrations, models

from capsules.fields import SCENE, STORY


def give_copies(apps, schema_editor):
    """Going back: each revision gets the copy of the draft that it is the same as."""
    Revision, Scene = apps.get_model('capsules', 'Revision'), apps.get_model('capsules', 'Scene')
    for revision in Revision.objects.filter(content__isnull=True).select_related('story').iterator():
        scenes = Scene.objects.filter(story=revision.story, deleted_at=None).order_by('position')
        cover = next((str(scene.key) for scene in scenes if scene.pk == revision.story.cover_id), None)
        revision.content = {
            'story': {**known(revision.story, STORY), 'cover': cover},
            'scenes': [{'id': str(scene.key), **known(scene, SCENE)} for scene in scenes],
        }
        revision.save(update_fields=['content'])


def known(row, description):
    """The fields that the row has: those that came later are read with their defaults."""
    return {
        field.name: field.read(row)
        for field in description
        if all(hasattr(row, column) for column in field.columns)
    }


class Migration(migrations.Migration):

    dependencies = [('capsules', '0014_fit_place_size')]

    operations = [
        migrations.AlterField('revision', 'content', models.JSONField(null=True)),
        migrations.RunPython(migrations.RunPython.noop, give_copies),
    ]
