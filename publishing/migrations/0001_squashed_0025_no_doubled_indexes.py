import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import publishing.models.cases
import publishing.models.reads
import publishing.models.subscribers
import uuid
from django.conf import settings
from django.db import migrations, models


#: Percent of a page that is filled at first.
ROOM = {
    "publishing_viewcount": 70,
    "publishing_readday": 80,
    "publishing_readsource": 80,
    "publishing_readmonth": 80,
    "publishing_workspaceday": 80,
}


def leave_room(apps, schema_editor):
    """On each page of what is counted, so that an update stays on its page and touches no index (HOT)."""
    if schema_editor.connection.vendor == "postgresql":
        for table, percent in ROOM.items():
            schema_editor.execute(f"ALTER TABLE {table} SET (fillfactor = {percent})")


def index_days(apps, schema_editor):
    """Rows come day by day, so an index of some kilobytes finds those of a few days among many years."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("CREATE INDEX publishing_readday_days ON publishing_readday USING brin (day)")


class Migration(migrations.Migration):

    replaces = [
        ('publishing', '0001_publications'),
        ('publishing', '0002_view_counts'),
        ('publishing', '0003_social_clips'),
        ('publishing', '0004_view_marks_and_flushes'),
        ('publishing', '0005_subscribers_and_premieres'),
        ('publishing', '0006_live_bake_goes_with_its_story'),
        ('publishing', '0007_publication_events'),
        ('publishing', '0008_erased_addresses_and_tallies'),
        ('publishing', '0009_page_changes'),
        ('publishing', '0010_events_by_time'),
        ('publishing', '0011_cases_and_reports'),
        ('publishing', '0012_apps_tell_and_ask'),
        ('publishing', '0013_cameras_of_bakes'),
        ('publishing', '0014_heroes_of_bakes'),
        ('publishing', '0015_reads'),
        ('publishing', '0016_room_for_reads'),
        ('publishing', '0017_language_of_subscribers'),
        ('publishing', '0018_totals_of_reads'),
        ('publishing', '0019_fill_totals_of_reads'),
        ('publishing', '0020_subscription_request_is_leased'),
        ('publishing', '0021_cases_outlive_capsules'),
        ('publishing', '0022_what_cases_are_about'),
        ('publishing', '0023_via_of_events'),
        ('publishing', '0024_history_without_a_doubled_index'),
        ('publishing', '0025_no_doubled_indexes'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0024_no_doubled_indexes'),
        ('capsules', '0001_squashed_0025_no_doubled_indexes'),
    ]

    operations = [
        migrations.CreateModel(
            name='MailServer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('next_free_at', models.DateTimeField(help_text='When the rate allows the next message.', null=True)),
                ('paused_until', models.DateTimeField(null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0, help_text='Pauses since it last took a message.')),
                ('reason', models.TextField(blank=True)),
            ],
        ),
        migrations.CreateModel(
            name='PageChange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('workspace', models.CharField(help_text='Its name, or what stands for the list of all.', max_length=40)),
                ('changed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Publication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('lease_until', models.DateTimeField(editable=False, null=True)),
                ('slug', models.CharField(blank=True, max_length=50, null=True, unique=True)),
                ('mode', models.CharField(choices=[('STANDARD', 'Standard'), ('WHITE_LABEL', 'White Label')], default='STANDARD', max_length=11)),
                ('show_social_share', models.BooleanField(default=True)),
                ('published_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('first_published_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('updated_at', models.DateTimeField(blank=True, editable=False, help_text='The latest publish.', null=True)),
                ('frozen_at', models.DateTimeField(blank=True, editable=False, help_text='Set: staff took it down. An edition goes with its capsule.', null=True)),
                ('frees_slug', models.BooleanField(default=False, editable=False, help_text='Whether its slug is to be free once the case has ended.')),
            ],
            options={
                'ordering': [models.OrderBy(models.F('published_at'), descending=True, nulls_last=True)],
            },
        ),
        migrations.CreateModel(
            name='Suppression',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('reason', models.CharField(choices=[('bounce', 'the address does not exist'), ('complaint', 'its owner reported our mail as unwanted'), ('staff', 'closed by staff')], max_length=9)),
                ('detail', models.TextField(blank=True, help_text='What the mail server or the report said.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='ViewFlush',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('applied_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Bake',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('digest', models.CharField(help_text='SHA-256 of the content.', max_length=64)),
                ('content', models.JSONField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('replaced_at', models.DateTimeField(editable=False, help_text='Since when no reader gets it.', null=True)),
                ('clip', models.ForeignKey(help_text='The social clip, made after the publish.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='capsules.encode')),
                ('hero', models.ForeignKey(help_text="The camera's move over a still, for cards; made after the publish where no scene has a film.", null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='capsules.encode')),
                ('preview', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='bakes', to='capsules.preview')),
                ('story', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='bakes', to='capsules.story')),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(fields=('story', 'number'), name='bake_number_once_a_story'), models.UniqueConstraint(fields=('story', 'digest'), name='bake_content_once_a_story')],
            },
        ),
        migrations.CreateModel(
            name='Case',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(default=publishing.models.cases.new_number, editable=False, max_length=9, unique=True)),
                ('kind', models.CharField(choices=[('capsule', 'Capsule'), ('workspace', 'Workspace')], default='capsule', max_length=9)),
                ('about', models.UUIDField(db_index=True, editable=False, help_text='The story of the capsule, also once it was deleted.', null=True)),
                ('subject', models.CharField(blank=True, help_text='The link when the case began.', max_length=200)),
                ('state', models.CharField(choices=[('open', 'open'), ('frozen', 'taken down'), ('dismissed', 'dismissed'), ('appealed', 'appealed'), ('upheld', 'upheld after an appeal'), ('lifted', 'lifted')], default='open', max_length=9)),
                ('found', models.CharField(choices=[('report', 'by reports of readers'), ('staff', 'by the staff themselves')], default='report', max_length=6)),
                ('reason', models.CharField(blank=True, choices=[('illegal', 'It is against the law'), ('rights', 'It uses my work, my picture or my name without my consent'), ('hate', 'Hate, threats or violence'), ('spam', 'Spam, fraud or deceit'), ('other', 'Something else')], max_length=7)),
                ('rule', models.CharField(blank=True, help_text='Which one, as the owner reads it.', max_length=200, verbose_name='law or rule')),
                ('words', models.TextField(blank=True, help_text='The reasons, as the owner reads them.', max_length=2000)),
                ('appeal', models.TextField(blank=True, help_text='What an owner says against it.', max_length=4000)),
                ('answer', models.TextField(blank=True, help_text='What the owner was answered.', max_length=2000)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('decided_at', models.DateTimeField(editable=False, null=True)),
                ('appealed_at', models.DateTimeField(editable=False, null=True)),
                ('ended_at', models.DateTimeField(editable=False, help_text='Dismissed, upheld or lifted.', null=True)),
                ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('handled_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='cases', to='accounts.workspace')),
            ],
            options={
                'ordering': ['-opened_at'],
            },
        ),
        migrations.CreateModel(
            name='ErasedAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
                ('erased_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'digest'), name='one_erased_address_a_workspace')],
            },
        ),
        migrations.CreateModel(
            name='HeldSlug',
            fields=[
                ('text', models.CharField(max_length=50, primary_key=True, serialize=False)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='held_slugs', to='publishing.case')),
            ],
        ),
        migrations.CreateModel(
            name='SceneOrder',
            fields=[
                ('edition', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='scene_order', serialize=False, to='publishing.publication')),
                ('keys', models.JSONField(default=list, help_text='Scene keys, a list of str.')),
            ],
        ),
        migrations.CreateModel(
            name='ViewCount',
            fields=[
                ('publication', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='view_count', serialize=False, to='publishing.publication')),
                ('views', models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name='publication',
            name='frozen_case',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='frozen', to='publishing.case'),
        ),
        migrations.AddField(
            model_name='publication',
            name='live_bake',
            field=models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='publishing.bake'),
        ),
        migrations.AddField(
            model_name='publication',
            name='story',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='publication', to='capsules.story'),
        ),
        migrations.CreateModel(
            name='Premiere',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mode', models.CharField(choices=[('FULL', 'whole capsule'), ('TEASER', 'teaser'), ('OFF', 'none')], max_length=6)),
                ('state', models.CharField(choices=[('scheduled', 'scheduled'), ('sending', 'being sent'), ('done', 'sent'), ('cancelled', 'cancelled'), ('cancelled_partial', 'cancelled after it began'), ('held', 'held for staff')], default='scheduled', max_length=17)),
                ('note', models.TextField(blank=True, help_text='Why it is held or was cancelled.')),
                ('due_at', models.DateTimeField(help_text="By the database's clock.")),
                ('armings', models.PositiveSmallIntegerField(default=1, help_text='How often it was scheduled.')),
                ('started_at', models.DateTimeField(editable=False, null=True)),
                ('enrolled_to', models.BigIntegerField(default=0, editable=False, help_text='The last subscriber looked at.')),
                ('enrolled_at', models.DateTimeField(editable=False, null=True)),
                ('finished_at', models.DateTimeField(editable=False, null=True)),
                ('tally', models.JSONField(editable=False, help_text='Deliveries by state, once the deliveries themselves are deleted.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('bake', models.ForeignKey(help_text='What the mails showed last.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='publishing.bake')),
                ('publication', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='premiere', to='publishing.publication')),
            ],
            options={
                'ordering': ['-due_at'],
                'indexes': [models.Index(fields=['state', 'due_at'], name='premiere_due')],
            },
        ),
        migrations.AddField(
            model_name='case',
            name='publication',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='cases', to='publishing.publication'),
        ),
        migrations.CreateModel(
            name='PublicationEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('action', models.CharField(choices=[('published', 'published'), ('republished', 'republished'), ('unpublished', 'unpublished'), ('visibility', 'visibility changed'), ('restored', 'an earlier version made live again'), ('premiere cancelled', 'premiere cancelled')], max_length=18)),
                ('via', models.CharField(help_text='studio, token, app, key, mail or staff; service where nobody asked.', max_length=8)),
                ('label', models.CharField(blank=True, help_text='The name of the app or the key.', max_length=120)),
                ('detail', models.JSONField(blank=True, default=dict)),
                ('bake', models.ForeignKey(help_text='The version it is about.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='publishing.bake')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('story', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='publication_events', to='capsules.story')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['story', '-id'], name='publication_history'), models.Index(fields=['at'], name='publication_event_at')],
            },
        ),
        migrations.CreateModel(
            name='PublishAsk',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('credential', models.CharField(help_text='Of the app, as `Actor.credential`.', max_length=64)),
                ('app', models.CharField(max_length=120)),
                ('wishes', models.JSONField(default=dict)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('published', 'Published'), ('declined', 'Declined')], default='waiting', max_length=9)),
                ('answered_at', models.DateTimeField(null=True)),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='publish_asks', to='capsules.story')),
                ('user', models.ForeignKey(help_text='Whose app it is.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-asked_at'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('story', 'credential'), name='one_waiting_ask_a_story_and_app')],
            },
        ),
        migrations.CreateModel(
            name='PublishNotice',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('app', models.CharField(help_text="The name of the app; empty for a token of one's own.", max_length=120)),
                ('published_at', models.DateTimeField(help_text='When the publication became live that it is about.')),
                ('seen_at', models.DateTimeField(null=True)),
                ('email_cancelled_at', models.DateTimeField(null=True)),
                ('unpublished_at', models.DateTimeField(null=True)),
                ('story', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='publish_notices', to='capsules.story')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-published_at'],
                'indexes': [models.Index(condition=models.Q(('seen_at__isnull', True)), fields=['user'], name='unseen_publish_notices')],
            },
        ),
        migrations.CreateModel(
            name='ReadDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(help_text="Of the workspace's time zone.")),
                ('surface', models.PositiveSmallIntegerField(choices=[(1, 'page'), (2, 'embed'), (3, 'mail')])),
                ('opened', models.PositiveIntegerField(default=0)),
                ('read', models.PositiveIntegerField(default=0, help_text='Reached the second scene.')),
                ('finished', models.PositiveIntegerField(default=0, help_text='Reached the last scene of what they read.')),
                ('reached', publishing.models.reads.NumbersField(blank=True, default='', help_text='Readers by scene, in the order of `SceneOrder.keys`.')),
                ('edition', models.ForeignKey(help_text='Whose bake they read: that of the publication itself, or of an edition shown with it.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='publishing.publication')),
                ('publication', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='read_days', to='publishing.publication')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('publication', 'day', 'edition', 'surface'), name='read_day_once')],
            },
        ),
        migrations.CreateModel(
            name='ReadMonth',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened', models.PositiveBigIntegerField(default=0)),
                ('read', models.PositiveBigIntegerField(default=0)),
                ('finished', models.PositiveBigIntegerField(default=0)),
                ('month', models.DateField(help_text='Its first day.')),
                ('publication', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='publishing.publication')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('publication', 'month'), name='read_month_once')],
            },
        ),
        migrations.CreateModel(
            name='ReadSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('host', models.CharField(blank=True, max_length=253)),
                ('opened', models.PositiveIntegerField(default=0)),
                ('edition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='publishing.publication')),
                ('publication', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='read_sources', to='publishing.publication')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('publication', 'day', 'edition', 'host'), name='read_source_once_a_day')],
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('why', models.CharField(choices=[('illegal', 'It is against the law'), ('rights', 'It uses my work, my picture or my name without my consent'), ('hate', 'Hate, threats or violence'), ('spam', 'Spam, fraud or deceit'), ('other', 'Something else')], max_length=7)),
                ('words', models.TextField(blank=True, max_length=2000)),
                ('email', models.EmailField(blank=True, help_text='Shown to nobody but staff.', max_length=254)),
                ('language', models.CharField(blank=True, help_text='Of the page with the form.', max_length=35)),
                ('network', models.CharField(blank=True, editable=False, help_text='A keyed hash of where it came from.', max_length=32)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='publishing.case')),
            ],
            options={
                'ordering': ['-at'],
                'indexes': [models.Index(fields=['network', 'at'], name='report_by_network')],
            },
        ),
        migrations.CreateModel(
            name='Slug',
            fields=[
                ('text', models.CharField(max_length=50, primary_key=True, serialize=False)),
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slugs', to='publishing.publication')),
            ],
        ),
        migrations.CreateModel(
            name='Subscriber',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(help_text='In lower case, its domain in ASCII.', max_length=254)),
                ('token', models.CharField(default=publishing.models.subscribers.new_token, editable=False, max_length=40, unique=True)),
                ('source', models.CharField(choices=[('form', 'confirmed by the link in a mail'), ('import', 'brought by the workspace')], max_length=6)),
                ('consent', models.TextField(help_text='How we know that this person agreed.')),
                ('language', models.CharField(blank=True, help_text='Of the page where they subscribed; empty: not known.', max_length=35)),
                ('confirmed_at', models.DateTimeField()),
                ('unsubscribed_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='subscribers', to='accounts.workspace')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'email'), name='one_subscriber_an_address')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('lease_until', models.DateTimeField(editable=False, null=True)),
                ('email', models.EmailField(max_length=254)),
                ('state', models.CharField(choices=[('pending', 'waiting'), ('claimed', 'taken by a worker'), ('submitting', 'being handed over'), ('sent', 'handed to the mail server'), ('failed', 'refused by the mail server'), ('uncertain', 'handed over, answer lost'), ('cancelled', 'cancelled')], default='pending', max_length=10)),
                ('refusals', models.PositiveSmallIntegerField(default=0, help_text='How often the server said: later.')),
                ('next_try_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(editable=False, null=True)),
                ('error', models.TextField(blank=True)),
                ('premiere', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='publishing.premiere')),
                ('subscriber', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='deliveries', to='publishing.subscriber')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('next_try_at__isnull', False)), fields=['premiere', 'next_try_at', 'id'], name='delivery_pending'), models.Index(condition=models.Q(('lease_until__isnull', False)), fields=['lease_until'], name='delivery_leased')],
                'constraints': [models.UniqueConstraint(fields=('premiere', 'subscriber'), name='one_delivery_a_subscriber'), models.UniqueConstraint(fields=('premiere', 'email'), name='one_delivery_an_address'), models.CheckConstraint(condition=models.Q(models.Q(('next_try_at__isnull', False), ('state', 'pending')), models.Q(('next_try_at__isnull', True), models.Q(('state', 'pending'), _negated=True)), _connector='OR'), name='pending_delivery_has_a_time')],
            },
        ),
        migrations.CreateModel(
            name='SubscriptionRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('lease_until', models.DateTimeField(editable=False, null=True)),
                ('email', models.EmailField(max_length=254)),
                ('token', models.CharField(default=publishing.models.subscribers.new_token, editable=False, max_length=40, unique=True)),
                ('language', models.CharField(blank=True, help_text='Of the page with the form.', max_length=35)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('next_try_at', models.DateTimeField(db_index=True, help_text='Set while its mail is due.', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Tries of the mail that is due.')),
                ('mails', models.PositiveSmallIntegerField(default=0, help_text='How many it was sent.')),
                ('sent_at', models.DateTimeField(null=True)),
                ('error', models.TextField(blank=True)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='subscription_requests', to='accounts.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'email'), name='one_request_an_address')],
            },
        ),
        migrations.CreateModel(
            name='WorkspaceDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opened', models.PositiveBigIntegerField(default=0)),
                ('read', models.PositiveBigIntegerField(default=0)),
                ('finished', models.PositiveBigIntegerField(default=0)),
                ('day', models.DateField()),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('workspace', 'day'), name='workspace_day_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='publication',
            constraint=models.CheckConstraint(condition=models.Q(('published_at__isnull', True), models.Q(('live_bake__isnull', False), ('slug__isnull', False)), _connector='OR'), name='published_has_slug_and_bake'),
        ),
        migrations.AddIndex(
            model_name='case',
            index=models.Index(fields=['state', 'opened_at'], name='case_by_state'),
        ),
        migrations.AddConstraint(
            model_name='case',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'capsule'), ('state__in', ['open', 'frozen', 'appealed', 'upheld'])), fields=('publication',), name='one_case_a_capsule'),
        ),
        migrations.AddConstraint(
            model_name='case',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'workspace'), ('state__in', ['open', 'frozen', 'appealed', 'upheld'])), fields=('workspace',), name='one_case_a_workspace'),
        ),
        migrations.RunPython(leave_room, migrations.RunPython.noop),
        migrations.RunPython(index_days, migrations.RunPython.noop),
    ]
