import accounts.models.clients
import accounts.models.invitations
import accounts.models.keys
import accounts.models.people
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import oauth2_provider.generators
import oauth2_provider.models
import uuid
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models


# The table of Django's database cache, where the rate limits of signing in are counted.
def create(apps, schema_editor):
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def drop(apps, schema_editor):
    schema_editor.execute("DROP TABLE IF EXISTS cache")


class Migration(migrations.Migration):

    # The library's first migration refers to the models that stand in for its own.
    run_before = [('oauth2_provider', '0001_initial')]

    replaces = [
        ('accounts', '0001_people_and_workspaces'),
        ('accounts', '0002_accounts_and_connected_apps'),
        ('accounts', '0003_cache_table'),
        ('accounts', '0004_idempotent_answers'),
        ('accounts', '0005_end_invitations_with_their_giver'),
        ('accounts', '0006_address_changes'),
        ('accounts', '0007_key_scopes_and_consent_times'),
        ('accounts', '0008_retired_names'),
        ('accounts', '0009_workspace_faces'),
        ('accounts', '0010_answers_go_with_user_and_workspace'),
        ('accounts', '0011_account_mails'),
        ('accounts', '0012_permission_to_publish'),
        ('accounts', '0013_taking_down'),
        ('accounts', '0014_idempotent_answer_is_leased'),
        ('accounts', '0015_visits_and_personal_tokens'),
        ('accounts', '0016_account_in_the_fediverse'),
        ('accounts', '0017_the_log_of_a_workspace'),
        ('accounts', '0018_workspace_time_zone'),
        ('accounts', '0019_webhooks'),
        ('accounts', '0020_account_mail_is_leased'),
        ('accounts', '0021_when_a_webhook_failed_last'),
        ('accounts', '0022_webhooks_keep_every_old_secret'),
        ('accounts', '0023_audit_log_without_doubled_indexes'),
        ('accounts', '0024_no_doubled_indexes'),
    ]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='AccountMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('lease_until', models.DateTimeField(editable=False, null=True)),
                ('content', models.TextField(editable=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('next_try_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True, editable=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='RetiredName',
            fields=[
                ('name', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('retired_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='Workspace',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('title', models.CharField(max_length=120)),
                ('name', models.CharField(help_text='First segment of every public link. Fixed forever by the first publish.', max_length=40, validators=[django.core.validators.RegexValidator('^[a-z0-9-]{3,40}$', 'Use 3 to 40 lowercase letters, digits and hyphens.')])),
                ('name_claimed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('about', models.CharField(blank=True, help_text='A few words for its readers.', max_length=300)),
                ('links', models.JSONField(blank=True, default=list, help_text='Addresses of it elsewhere, a list of str.')),
                ('fediverse', models.CharField(blank=True, help_text='Its account there, @name@host: Mastodon credits links to it.', max_length=130)),
                ('picture', models.CharField(blank=True, editable=False, help_text='A square JPEG among the blobs, by its name.', max_length=80)),
                ('plan', models.CharField(choices=[('free', 'Free'), ('pro', 'Pro')], default='free', max_length=8)),
                ('time_zone', models.CharField(default='UTC', help_text='Whose days its numbers are of, like Europe/Lisbon.', max_length=64, validators=[accounts.models.people.check_time_zone])),
                ('suspended_at', models.DateTimeField(blank=True, help_text='Set: nothing of it is public, and nothing can be made so.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['title'],
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('name', models.CharField(blank=True, max_length=120)),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('is_staff', models.BooleanField(default=False, verbose_name='staff')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('token_generation', models.PositiveIntegerField(default=0, editable=False, help_text='First-party tokens of an earlier generation are refused.')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'ordering': ['email'],
            },
        ),
        migrations.CreateModel(
            name='Application',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('client_id', models.CharField(db_index=True, default=oauth2_provider.generators.generate_client_id, max_length=255, unique=True, verbose_name='client ID')),
                ('redirect_uris', models.TextField(blank=True, help_text='Allowed URIs list, space separated', verbose_name='redirect URIs')),
                ('post_logout_redirect_uris', models.TextField(blank=True, default='', help_text='Allowed Post Logout URIs list, space separated', verbose_name='post logout redirect URIs')),
                ('client_type', models.CharField(choices=[('confidential', 'Confidential'), ('public', 'Public')], max_length=32, verbose_name='client type')),
                ('authorization_grant_type', models.CharField(choices=[('authorization-code', 'Authorization code'), ('urn:ietf:params:oauth:grant-type:device_code', 'Device Code'), ('implicit', 'Implicit'), ('password', 'Resource owner password-based'), ('client-credentials', 'Client credentials'), ('openid-hybrid', 'OpenID connect hybrid')], max_length=44, verbose_name='authorization grant type')),
                ('client_secret', oauth2_provider.models.ClientSecretField(blank=True, db_index=True, default=oauth2_provider.generators.generate_client_secret, help_text='Client secret for authentication', max_length=255, verbose_name='client secret')),
                ('hash_client_secret', models.BooleanField(default=True, verbose_name='hash client secret')),
                ('name', models.CharField(blank=True, max_length=255, verbose_name='name')),
                ('skip_authorization', models.BooleanField(default=False, verbose_name='skip authorization')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('algorithm', models.CharField(blank=True, choices=[('', 'No OIDC support'), ('RS256', 'RSA with SHA-2 256'), ('HS256', 'HMAC with SHA-2 256')], default='', max_length=5, verbose_name='algorithm')),
                ('allowed_origins', models.TextField(blank=True, default='', help_text='Allowed origins list to enable CORS, space separated', verbose_name='allowed origins')),
                ('registration_source', models.CharField(choices=[('manual', 'Manual'), ('dcr', 'Dynamic Client Registration'), ('cimd', 'Client ID Metadata Document')], default='manual', help_text='How this application was registered (manual, DCR per RFC 7591, or CIMD)', max_length=32, verbose_name='registration source')),
                ('cimd_expires_at', models.DateTimeField(blank=True, default=None, help_text='When the cached Client ID Metadata Document should be re-fetched', null=True, verbose_name='CIMD expires at')),
                ('client_uri', models.URLField(blank=True, max_length=500)),
                ('logo_uri', models.URLField(blank=True, help_text='Told to API clients; never fetched.', max_length=500)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'OAuth client',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Connection',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('scopes', models.JSONField(default=list, help_text='Scopes granted, in a fixed order.')),
                ('publishing', models.CharField(choices=[('asked', 'Publish when I asked it to, and tell me'), ('prepares', 'Prepare everything; I press Publish myself')], db_default='asked', default='asked', help_text='How it publishes, where its scopes allow that.', max_length=8)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('consented_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('handshake_at', models.DateTimeField(editable=False, null=True)),
                ('listed_at', models.DateTimeField(editable=False, help_text='It last asked for the tools.', null=True)),
                ('called_at', models.DateTimeField(editable=False, help_text='It last used a tool.', null=True)),
                ('refused_at', models.DateTimeField(editable=False, null=True)),
                ('refusal', models.CharField(blank=True, choices=[('scope', 'Connect it again from the app, and allow what it asks for.'), ('role', 'It can do no more than you: ask an owner of the workspace for another role.'), ('token', 'Sign in again from the app. If it goes on, disconnect it here and connect it once more.'), ('audience', 'Give the app the address for AI apps, and connect it again.'), ('rate', 'It calls too often. Wait a minute.'), ('protocol', 'Update the app, and connect it as an MCP server of the kind HTTP (streamable HTTP).'), ('suspended', 'The workspace was taken down; its pages in the studio say why.')], db_default='', default='', editable=False, max_length=9)),
                ('refusal_words', models.CharField(blank=True, db_default='', default='', editable=False, max_length=200)),
                ('revoked_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('ended_because', models.CharField(blank=True, choices=[('revoked', 'disconnected by its owner'), ('client', 'signed out by the app'), ('staff', 'disconnected by staff'), ('reuse', 'a used code or refresh token came back'), ('password', 'disconnected with a changed password'), ('idle', 'not used for a long time'), ('unused', 'the app did not finish connecting'), ('expired', 'a year has passed since it was allowed'), ('token', 'its personal token has expired')], editable=False, max_length=8)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='connections', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='connections', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('expires', models.DateTimeField(verbose_name='expires')),
                ('redirect_uri', models.TextField(verbose_name='redirect URI')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('code_challenge', models.CharField(blank=True, default='', max_length=128, verbose_name='code challenge')),
                ('code_challenge_method', models.CharField(blank=True, choices=[('plain', 'plain'), ('S256', 'S256')], default='', max_length=10, verbose_name='code challenge method')),
                ('nonce', models.CharField(blank=True, default='', max_length=255, verbose_name='nonce')),
                ('claims', models.TextField(blank=True, verbose_name='claims')),
                ('resource', oauth2_provider.models.ResourceJSONField(blank=True, default=list, verbose_name='resource')),
                ('code', accounts.models.clients.DigestField(max_length=64, unique=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.connection')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='IDToken',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('jti', models.UUIDField(default=uuid.uuid4, editable=False, unique=True, verbose_name='JWT Token ID')),
                ('expires', models.DateTimeField(verbose_name='expires')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('application', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('token', models.TextField(verbose_name='token')),
                ('token_checksum', oauth2_provider.models.TokenChecksumField(db_index=True, max_length=64, unique=True, verbose_name='token checksum')),
                ('expires', models.DateTimeField(verbose_name='expires')),
                ('scope', models.TextField(blank=True, verbose_name='scope')),
                ('resource', oauth2_provider.models.ResourceJSONField(blank=True, default=list, verbose_name='resource')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                ('application', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.connection')),
                ('id_token', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='access_token', to=settings.OAUTH2_PROVIDER_ID_TOKEN_MODEL, verbose_name='ID token')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('admin', 'Admin'), ('editor', 'Editor'), ('viewer', 'Viewer')], max_length=8)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='PersonalToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(help_text='The beginning of the secret, to tell tokens apart.', max_length=20)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('expires_at', models.DateTimeField()),
                ('connection', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='token', to='accounts.connection')),
            ],
        ),
        migrations.CreateModel(
            name='RateWindow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=96)),
                ('minute', models.BigIntegerField()),
                ('count', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('key', 'minute'), name='one_rate_window_a_minute')],
            },
        ),
        migrations.CreateModel(
            name='Reach',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_default', models.BooleanField(default=False)),
                ('connection', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reaches', to='accounts.connection')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reaches', to='accounts.membership')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('connection', 'membership'), name='one_reach_a_workspace'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('connection',), name='one_default_a_connection')],
            },
        ),
        migrations.AddField(
            model_name='connection',
            name='memberships',
            field=models.ManyToManyField(related_name='connections', through='accounts.Reach', to='accounts.membership'),
        ),
        migrations.CreateModel(
            name='RefreshToken',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('token', models.TextField(verbose_name='token')),
                ('token_checksum', oauth2_provider.models.TokenChecksumField(max_length=64, verbose_name='token checksum')),
                ('token_family', models.UUIDField(blank=True, editable=False, null=True, verbose_name='token family')),
                ('resource', oauth2_provider.models.ResourceJSONField(blank=True, default=list, verbose_name='resource')),
                ('created', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                ('updated', models.DateTimeField(auto_now=True, verbose_name='updated')),
                ('revoked', models.DateTimeField(null=True, verbose_name='revoked')),
                ('access_token', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='refresh_token', to=settings.OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL, verbose_name='access token')),
                ('application', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL, verbose_name='application')),
                ('connection', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='refresh_tokens', to='accounts.connection')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='%(app_label)s_%(class)s', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['token_family'], name='accounts_re_token_f_fefc6c_idx')],
                'unique_together': {('token_checksum', 'revoked')},
            },
        ),
        migrations.AddField(
            model_name='accesstoken',
            name='source_refresh_token',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='refreshed_access_token', to=settings.OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL, verbose_name='source refresh token'),
        ),
        migrations.CreateModel(
            name='WorkspaceLog',
            fields=[
                ('workspace', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='log', serialize=False, to='accounts.workspace')),
                ('last', models.PositiveBigIntegerField(default=0, help_text='The highest number that was given.')),
                ('dispatched', models.PositiveBigIntegerField(default=0, help_text='The highest number that webhooks have.')),
                ('forgotten', models.PositiveBigIntegerField(default=0, help_text='The highest number that is not kept any more.')),
            ],
        ),
        migrations.AddField(
            model_name='workspace',
            name='members',
            field=models.ManyToManyField(related_name='workspaces', through='accounts.Membership', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('lease_token', models.UUIDField(editable=False, null=True)),
                ('lease_until', models.DateTimeField(editable=False, null=True)),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('url', models.CharField(max_length=500)),
                ('types', models.JSONField(help_text='The types of events that it is told of; null for all.', null=True)),
                ('description', models.CharField(blank=True, max_length=200)),
                ('secret', models.TextField(editable=False)),
                ('old_secrets', models.JSONField(default=list, editable=False, help_text='Those that still sign: secret, until.')),
                ('private_key', models.TextField(editable=False)),
                ('public_key', models.CharField(editable=False, max_length=60)),
                ('is_on', models.BooleanField(default=True, verbose_name='on')),
                ('off_because', models.CharField(blank=True, help_text='Why the service turned it off.', max_length=200)),
                ('failing_since', models.DateTimeField(editable=False, null=True)),
                ('last_failure_at', models.DateTimeField(editable=False, null=True)),
                ('last_success_at', models.DateTimeField(editable=False, null=True)),
                ('next_at', models.DateTimeField(editable=False, help_text='When a sender looks at it next.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.workspace')),
            ],
            options={
                'ordering': ['created_at'],
                'indexes': [models.Index(condition=models.Q(('is_on', True)), fields=['next_at'], name='webhook_next')],
            },
        ),
        migrations.CreateModel(
            name='SecurityEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('kind', models.CharField(choices=[('signed_up', 'Signed up'), ('logged_in', 'Signed in'), ('login_failed', 'Sign-in failed'), ('password_changed', 'Password changed'), ('address_changed', 'Email address changed'), ('mfa_changed', 'Second factor changed'), ('key_made', 'API key made'), ('key_revoked', 'API key revoked'), ('app_connected', 'App connected'), ('app_changed', 'Permission of an app changed'), ('app_revoked', 'App disconnected'), ('member_invited', 'Member invited'), ('invitation_withdrawn', 'Invitation withdrawn'), ('member_joined', 'Member joined'), ('member_removed', 'Member removed'), ('role_changed', 'Role changed'), ('workspace_changed', 'Workspace changed'), ('workspace_suspended', 'Workspace suspended'), ('workspace_resumed', 'Suspension ended'), ('reported', 'Reported by a reader'), ('frozen', 'Taken down by staff'), ('dismissed', 'Report dismissed'), ('appealed', 'Decision appealed'), ('upheld', 'Decision upheld'), ('lifted', 'Given back by staff'), ('webhook_changed', 'Webhook changed'), ('workspace_erased', 'Workspace deleted'), ('account_disabled', 'Account disabled'), ('account_enabled', 'Account enabled again'), ('account_erased', 'Account deleted'), ('data_downloaded', 'Own data downloaded'), ('subscribers_exported', 'Subscribers exported'), ('subscribers_imported', 'Subscribers imported'), ('subscriber_erased', 'Subscriber deleted'), ('published', 'Published'), ('unpublished', 'Unpublished')], max_length=24)),
                ('subject', models.CharField(blank=True, help_text='Whom or what it happened to.', max_length=200)),
                ('user', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['workspace', '-at'], name='events_of_workspace'), models.Index(fields=['user', '-at'], name='events_of_user')],
            },
        ),
        migrations.AddField(
            model_name='membership',
            name='workspace',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.workspace'),
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254)),
                ('role', models.CharField(choices=[('owner', 'Owner'), ('admin', 'Admin'), ('editor', 'Editor'), ('viewer', 'Viewer')], max_length=8)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(default=accounts.models.invitations.in_a_week)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.workspace')),
            ],
            options={
                'ordering': ['-created_at'],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'email'), name='one_invitation_an_address')],
            },
        ),
        migrations.CreateModel(
            name='IdempotentAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('credential', models.CharField(max_length=96)),
                ('key', models.CharField(max_length=255)),
                ('request', models.CharField(help_text='SHA-256 of method, address and body.', max_length=64)),
                ('lease_token', models.UUIDField(db_column='token', default=uuid.uuid4, editable=False)),
                ('lease_until', models.DateTimeField(editable=False)),
                ('status', models.PositiveSmallIntegerField(null=True)),
                ('headers', models.JSONField(default=dict)),
                ('body', models.TextField(blank=True)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(help_text='Where the call acted: its answer is not given again to who may not act there any more.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'indexes': [models.Index(fields=['at'], name='idempotent_answer_at')],
                'constraints': [models.UniqueConstraint(fields=('credential', 'key'), name='one_answer_an_idempotency_key')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('label', models.CharField(blank=True, max_length=80)),
                ('prefix', models.CharField(help_text='The beginning of the key, to tell keys apart.', max_length=16)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('scopes', models.JSONField(default=accounts.models.keys.publishing_scopes, help_text='What the key may do, as far as its maker may.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('creator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to=settings.AUTH_USER_MODEL)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_keys', to='accounts.workspace')),
            ],
            options={
                'verbose_name': 'API key',
                'ordering': ['-created_at'],
            },
        ),
        migrations.AddField(
            model_name='user',
            name='default_workspace',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.workspace'),
        ),
        migrations.CreateModel(
            name='WorkspaceEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveBigIntegerField(editable=False, help_text="Its place in the workspace's log, from 1.", null=True)),
                ('key', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('type', models.CharField(max_length=32)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('data', models.JSONField(default=dict)),
                ('workspace', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspace')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('sequence__isnull', True)), fields=['workspace'], name='event_unnumbered')],
                'constraints': [models.UniqueConstraint(fields=('workspace', 'sequence'), name='event_once_a_sequence')],
            },
        ),
        migrations.CreateModel(
            name='WebhookDelivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sample', models.JSONField(editable=False, null=True)),
                ('type', models.CharField(max_length=32)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('failed', 'Failed')], default='waiting', max_length=7)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('attempts', models.JSONField(default=list, help_text='[{at, status, error, ms, answer}], the first first.')),
                ('next_attempt_at', models.DateTimeField(default=django.utils.timezone.now, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('finished_at', models.DateTimeField(editable=False, null=True)),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='accounts.webhook')),
                ('event', models.ForeignKey(help_text='None: a test.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.workspaceevent')),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['webhook', '-id'], name='webhook_deliveries'), models.Index(condition=models.Q(('state', 'waiting')), fields=['webhook', 'id'], name='webhook_waiting')],
            },
        ),
        migrations.AddIndex(
            model_name='connection',
            index=models.Index(fields=['user', '-created_at'], name='connections_newest_first'),
        ),
        migrations.AddConstraint(
            model_name='connection',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('user', 'client'), name='one_connection_a_client'),
        ),
        migrations.AddConstraint(
            model_name='workspace',
            constraint=models.UniqueConstraint(condition=models.Q(('name_claimed_at__isnull', False)), fields=('name',), name='workspace_name_claimed_once', violation_error_message='Another workspace has claimed this name.'),
        ),
        migrations.AddConstraint(
            model_name='workspace',
            constraint=models.CheckConstraint(condition=models.Q(('name__regex', '^[a-z0-9-]{3,40}$')), name='workspace_name_form'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.UniqueConstraint(fields=('workspace', 'user'), name='one_membership_a_workspace'),
        ),
        migrations.RunPython(create, drop),
    ]
