import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('feed', '0001_cards_ranks_and_pins'),
        ('feed', '0002_room_for_view_counts'),
        ('feed', '0003_keep_focus_of_covers'),
        ('feed', '0004_feeds_that_changed'),
        ('feed', '0005_sitemap_from_the_cards'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0024_no_doubled_indexes'),
        ('capsules', '0001_squashed_0025_no_doubled_indexes'),
        ('publishing', '0001_squashed_0025_no_doubled_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='Card',
            fields=[
                ('publication', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='card', serialize=False, to='publishing.publication')),
                ('slug', models.CharField(max_length=50)),
                ('title', models.CharField(max_length=200)),
                ('excerpt', models.CharField(max_length=200)),
                ('author_name', models.CharField(blank=True, max_length=120, verbose_name='author')),
                ('language', models.CharField(max_length=35)),
                ('scene_count', models.PositiveSmallIntegerField(verbose_name='scenes')),
                ('cover', models.JSONField(blank=True, default=dict)),
                ('film', models.CharField(blank=True, help_text='Blob of the hero of the bake.', max_length=80)),
                ('clip', models.CharField(blank=True, help_text='Blob of the social clip, once it is there.', max_length=80)),
                ('published_at', models.DateTimeField()),
                ('updated_at', models.DateTimeField(help_text='The latest publish.')),
                ('story', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='card', to='capsules.story')),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'indexes': [models.Index(models.OrderBy(models.F('published_at'), descending=True), models.OrderBy(models.F('publication'), descending=True), name='card_newest'), models.Index(models.F('workspace'), models.OrderBy(models.F('published_at'), descending=True), models.OrderBy(models.F('publication'), descending=True), name='card_of_workspace'), models.Index(fields=['updated_at', 'publication'], name='card_changed')],
            },
        ),
        migrations.CreateModel(
            name='FeedChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(max_length=41)),
            ],
        ),
        migrations.CreateModel(
            name='Pin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tier', models.CharField(choices=[('headline', 'Headline'), ('featured', 'Featured')], default='featured', max_length=8)),
                ('place', models.PositiveSmallIntegerField(blank=True, help_text='1 stands first in its tier. Empty: by views, behind those with a place.', null=True)),
                ('starts_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='start')),
                ('ends_at', models.DateTimeField(blank=True, help_text='Empty: until you end it.', null=True, verbose_name='end')),
                ('ended_at', models.DateTimeField(editable=False, help_text='When the capsule stopped being Featured or public.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('created_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pins', to='publishing.publication', verbose_name='capsule')),
            ],
            options={
                'ordering': ['-starts_at'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('publication',), name='one_pin_a_capsule'), models.CheckConstraint(condition=models.Q(('place__isnull', True), ('place__range', (1, 255)), _connector='OR'), name='pin_place_range'), models.CheckConstraint(condition=models.Q(('ends_at__isnull', True), ('ends_at__gt', models.F('starts_at')), _connector='OR'), name='pin_ends_after_start', violation_error_message='The end must come after the start.')],
            },
        ),
        migrations.CreateModel(
            name='FeedRank',
            fields=[
                ('card', models.OneToOneField(db_column='publication_id', on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rank', serialize=False, to='feed.card')),
                ('sort_key', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(models.OrderBy(models.F('sort_key'), descending=True), models.OrderBy(models.F('card'), descending=True), name='feed_rank_order')],
            },
        ),
    ]
