"""All settings, read from the environment once. `.env.example` lists every variable.

Without any variable set this is the embedded default: SQLite, a broker of files and everything under DATA_DIR.
With DEBUG=false it is production, and refuses to start where a secret or an address is missing.
"""

import logging
import os
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import Environment, database, hosts, mail_server, must_be_address, networks
from config.schema_settings import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS

env = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
env.read_env(BASE_DIR / ".env")
env.ENVIRON = {name: value for name, value in os.environ.items() if value}  # an empty variable is not set

# --- What runs -------------------------------------------------------------------------------------------------

DEVELOPMENT = env.bool("DEBUG", default=True)
DEBUG = False  # Django's debug pages are never shown: the embedded default answers as production does

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / ".data"))).resolve()
PORT = env.port("PORT", default=8000)
WEB_PROCESSES = env.at_least_one("WEB_PROCESSES", default=2)
WEB_THREADS = env.at_least_one("WEB_THREADS", default=32)  # a publish that waits for encodes holds one
CLIENT_PATIENCE = env.int("CLIENT_PATIENCE", default=60)  # seconds a connection may be silent or take nothing
#: Seconds for which a web process that was told to stop still takes requests, each as the last one of its connection.
#: A proxy keeps connections, and fails the request that it sends on one which is closed at that moment.
STOP_FAREWELL = env.float("STOP_FAREWELL", default=2)
STOP_PATIENCE = env.int("STOP_PATIENCE", default=30)  # seconds that what runs may still take after a SIGTERM
SERVICE_NAME = "Capsules"  # in titles, mails and link previews
APP_URL = env.str("APP_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
BASE_URL = env.str("BASE_URL", default=APP_URL).rstrip("/")
must_be_address("APP_URL", APP_URL, "https", "http")
must_be_address("BASE_URL", BASE_URL, "https", "http")


def production_only(name: str, default: str) -> str:
    """The variable; in development the default, in production there is none."""
    value = env.str(name, default="")
    if not value and DEVELOPMENT:
        return default
    if not value:
        raise ImproperlyConfigured(f"Set {name}: production (DEBUG=false) has no default for it.")
    return str(value)


def mail_domain(url: str) -> str:
    """The domain of our own mail addresses: the host of a URL if it is a name, else localhost."""
    host = urlsplit(url).hostname or ""
    return host if "." in host and not host.replace(".", "").isdigit() else "localhost"


DEVELOPMENT_KEY = "for-development-only-and-refused-by-production-0123456789"
SECRET_KEY = production_only("SECRET_KEY", DEVELOPMENT_KEY)
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = hosts(
    "ALLOWED_HOSTS", production_only("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver")
)
if not DEVELOPMENT:
    if any(key == DEVELOPMENT_KEY or len(key) < 50 for key in (SECRET_KEY, *SECRET_KEY_FALLBACKS)):
        raise ImproperlyConfigured(
            "SECRET_KEY and SECRET_KEY_FALLBACKS must be secrets of your own of at least 50 characters. "
            "python -c 'import secrets; print(secrets.token_hex(40))' makes one."
        )
    if any("*" in host for host in ALLOWED_HOSTS):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts of the service; * would admit any.")

INSTALLED_APPS = [
    "config",
    "accounts",
    "capsules",
    "publishing",
    "feed",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.headless",
    "oauth2_provider",
    "django.contrib.admin",
    "django.contrib.humanize",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "csp",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "config.logs.RequestId",
    "config.metrics.RequestTimes",
    "accounts.oauth.cors.OpenCors",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.SecurityPolicy",
    "config.middleware.UsualHeaders",
    "config.not_allowed.MethodNotAllowed",
    "config.words.middleware.English",
    "config.middleware.ApiGate",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.people.sessions.IdleEnd",
    "config.forms.FormGate",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.people.staff.SecondFactorForStaff",
    "config.forms.TextsHaveNoNul",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # every address has one form
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {"words": "config.words.tags"},
        },
    },
]

LANGUAGE_CODE = "en"
#: In which every public page is complete, by the names that their speakers give them; see config/words.
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("fr", "Français"),
    ("es", "Español"),
    ("it", "Italiano"),
    ("nl", "Nederlands"),
    ("pt", "Português"),
    ("pl", "Polski"),
    ("uk", "Українська"),
    ("ar", "العربية"),
    ("tr", "Türkçe"),
    ("ja", "日本語"),
]
LOCALE_PATHS = [
    BASE_DIR / "locale",
    BASE_DIR / "config/locale",  # how the pages of django-allauth say things
]
TIME_ZONE = "UTC"

# --- Where data lives ------------------------------------------------------------------------------------------

DATABASE_URL = production_only("DATABASE_URL", f"sqlite:///{DATA_DIR / 'capsules.sqlite3'}")
DATABASES = {"default": database(DATABASE_URL)}
DATABASE = DATABASES["default"]
if DATABASE["ENGINE"].endswith("sqlite3"):
    DATABASE["CONN_MAX_AGE"] = None
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # a deferred one fails at its first write when another was quicker
        "timeout": 30,
        "cached_statements": 512,  # one publish has sixty; of the usual 128 most were parsed again and again
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
    }
    DATABASE["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASE["CONN_MAX_AGE"] = 0  # the pool keeps them
    DATABASE["CONN_HEALTH_CHECKS"] = True  # so that a restarted server costs no request
    DATABASE["OPTIONS"] = {
        "pool": {
            "min_size": 1,
            "max_size": env.at_least_one("DATABASE_POOL", default=16),
            "timeout": 2,  # seconds to wait for one: while all are in use, and while the server is away
            "reconnect_timeout": 1,  # seconds; the next request tries again
        },
        "connect_timeout": 2,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 5000,  # milliseconds
    }
PAGES_DIR = Path(env.str("PAGES_DIR", default=str(DATA_DIR / "pages"))).resolve()  # rendered pages
LIST_MAX_AGE = env.float("LIST_MAX_AGE", default=30)  # seconds after which lists follow the ranks
DATABASE_STATEMENT_TIMEOUT = env.int("DATABASE_STATEMENT_TIMEOUT", default=30)  # seconds, in the web server

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    must_be_address("REDIS_URL", REDIS_URL, "redis", "rediss")
REDIS_PREFIX = env.str("REDIS_PREFIX", default="capsules:")  # of all keys: others may use the same Redis
REDIS_TIMEOUT = 1.0  # seconds; a frozen Redis must not hold a request

CACHES = {  # how often somebody tried to log in: shared by all processes, and there while Redis is not
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

STORAGE_URL = env.str("STORAGE_URL", default="")  # s3://bucket?endpoint_url=...; empty: files under DATA_DIR
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA_DIR / "media"
FOLDERS = {"default": "originals", "blobs": "blobs", "hidden": "hidden", "parts": "parts"}  # by storage
STORAGES: dict[str, dict[str, object]] = {
    name: {"BACKEND": "capsules.storage.ContentStorage", "OPTIONS": {"folder": folder}}
    for name, folder in FOLDERS.items()
}
STORAGES["staticfiles"] = {"BACKEND": "config.static.StaticStorage"}
MEDIA_ORIGIN: list[str] = []  # where pictures and films come from, besides our own address
if STORAGE_URL:
    from botocore.config import Config

    must_be_address("STORAGE_URL", STORAGE_URL, "s3")
    bucket = urlsplit(STORAGE_URL)
    options: dict[str, str] = dict(parse_qsl(bucket.query))
    #: A bucket that hangs is away after seconds: botocore would wait for a minute, five times.
    client = Config(
        connect_timeout=3,
        read_timeout=10,
        retries={"total_max_attempts": 2, "mode": "standard"},
        signature_version=options.pop("signature_version", None),
        s3={"addressing_style": options.pop("addressing_style", None)},
    )
    impatient = client.merge(Config(connect_timeout=2, read_timeout=2, retries={"total_max_attempts": 1}))
    s3 = {
        "bucket_name": bucket.hostname,
        "access_key": unquote(bucket.username or "") or None,  # without one, boto3 looks where it always does
        "secret_key": unquote(bucket.password or "") or None,
        "file_overwrite": True,  # a name belongs to one content
        "client_config": client,
        **options,
    }
    public = {
        "querystring_auth": False,
        "object_parameters": {"CacheControl": "public, max-age=31536000, immutable"},
    }
    backend = "storages.backends.s3.S3Storage"
    for name, location in FOLDERS.items():
        more = public if name == "blobs" else {}
        STORAGES[name] = {"BACKEND": backend, "OPTIONS": {**s3, **more, "location": location}}
    STORAGES["readyz"] = {"BACKEND": backend, "OPTIONS": {**s3, "client_config": impatient}}
    if "custom_domain" in s3:  # where readers reach the bucket, with or without a path
        MEDIA_ORIGIN = [f"https://{str(s3['custom_domain']).partition('/')[0]}"]
    else:
        MEDIA_ORIGIN = [str(s3.get("endpoint_url") or f"https://{bucket.hostname}.s3.amazonaws.com")]
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# --- Who may ---------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "accounts.people.guessing.NotGuessable"},
    {"NAME": "accounts.people.passwords.EndOwnTokens"},
]
TOKEN_AUDIENCE = f"{BASE_URL}/api/v2"
MCP_PORT = env.port("MCP_PORT", default=PORT + 1)  # 0: `manage.py serve` starts no MCP server
MCP_CONNECTIONS = env.at_least_one("MCP_CONNECTIONS", default=2048)  # open ones
MCP_URL = env.str(
    "MCP_URL", default=f"http://127.0.0.1:{MCP_PORT}/mcp" if DEVELOPMENT else f"{BASE_URL}/mcp"
).rstrip("/")  # where AI apps connect, and the audience of their tokens
must_be_address("MCP_URL", MCP_URL, "https", "http")
FIRST_PARTY_TOKEN_TTL = timedelta(hours=1)

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "studio"
ACCOUNT_ADAPTER = "accounts.people.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.people.signup.SignupForm"
ACCOUNT_FORMS = {
    "signup": "accounts.people.passwords.RegistrationForm",
    "set_password": "accounts.people.passwords.SetPasswordForm",
    "change_password": "accounts.people.passwords.ChangePasswordForm",
    "reset_password_from_key": "accounts.people.passwords.ResetPasswordKeyForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_DISPLAY = "accounts.people.adapters.display_name"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before the address changes; and wherever our pages ask for it
ACCOUNT_EMAIL_CONFIRMATION_AUTHENTICATED_REDIRECT_URL = "/account/email/"  # which shows it
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(APP_URL).scheme
MFA_ADAPTER = "accounts.people.adapters.MfaAdapter"
MFA_FORMS = {
    "activate_totp": "accounts.people.totp.ActivateForm",
    "authenticate": "accounts.people.totp.AuthenticateForm",
    "reauthenticate": "accounts.people.totp.ReauthenticateForm",
    "add_webauthn": "accounts.people.passkeys.AddWebAuthnForm",
    "edit_webauthn": "accounts.people.passkeys.EditWebAuthnForm",
    "login_webauthn": "accounts.people.passkeys.LoginWebAuthnForm",
    "reauthenticate_webauthn": "accounts.people.passkeys.ReauthenticateWebAuthnForm",
}
MFA_TOTP_ISSUER = SERVICE_NAME
MFA_TOTP_TOLERANCE = 1  # steps of 30 s before and after: a slow hand, a phone a few seconds off
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = urlsplit(APP_URL).hostname == "localhost"
HEADLESS_CLIENTS = ("app",)
HEADLESS_TOKEN_STRATEGY = "accounts.people.headless.BearerTokenStrategy"  # noqa: S105 (a class, not a secret)

PASSWORD_HASHERS = [
    "accounts.people.hashing.PasswordHasher",
    "accounts.oauth.credentials.ClientSecretHasher",
]
OAUTH2_PROVIDER_APPLICATION_MODEL = "accounts.Application"
OAUTH2_PROVIDER_GRANT_MODEL = "accounts.Grant"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "accounts.AccessToken"  # noqa: S105 (a model)
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "accounts.RefreshToken"  # noqa: S105 (a model)
OAUTH2_PROVIDER_ID_TOKEN_MODEL = "accounts.IDToken"  # noqa: S105 (a model)
OAUTH2_PROVIDER = {
    "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",  # codes and refresh tokens, nothing else
    "OAUTH2_VALIDATOR_CLASS": "accounts.oauth.validator.Validator",
    "ACCESS_TOKEN_GENERATOR": "accounts.oauth.credentials.access_token",
    "REFRESH_TOKEN_GENERATOR": "accounts.oauth.credentials.refresh_token",  # else they come out as access tokens
    "CLIENT_SECRET_HASHER": "client_secret",
    "ACCESS_TOKEN_EXPIRE_SECONDS": 15 * 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 90 * 24 * 3600,  # without a refresh
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": 60,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "SCOPES_BACKEND_CLASS": "accounts.oauth.credentials.Scopes",
    "OIDC_ISS_ENDPOINT": BASE_URL,  # the issuer
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],  # before the client is known; a client brings its own
    **{
        f"COMPLIANT_BCP_RFC9700_{rule}": True
        for rule in (
            *("IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "PKCE_REQUIRED", "ACCESS_TOKEN_TRANSPORT"),
            *("AUTHZ_RESPONSE_ISS", "TOKEN_STORAGE", "REFRESH_TOKEN", "REDIRECT_URI_SCHEME"),
            "REDIRECT_URI_MATCHING",
        )
    },
}

OAUTH_PRIVATE_SCHEMES = frozenset(env.list("OAUTH_PRIVATE_SCHEMES", default=[]))  # of apps, without a dot
REQUIRE_STAFF_MFA = env.bool("REQUIRE_STAFF_MFA", default=not DEVELOPMENT)  # a second factor, for the admin
INVITATIONS_A_DAY = env.int("INVITATIONS_A_DAY", default=20)  # for one workspace, and for one person

SECURE = urlsplit(APP_URL).scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
if SECURE:  # browsers take cookies of these names from this very host only, over https
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SESSION_IDLE = timedelta(days=7)  # a session that nobody uses ends; none lives longer than two weeks
SECURE_SSL_REDIRECT = SECURE and env.bool("SSL_REDIRECT", default=True)
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)  # the proxy sets X-Forwarded-Proto and X-Forwarded-For
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
ALLAUTH_TRUSTED_PROXY_COUNT = int(BEHIND_PROXY)
SECURE_HSTS_SECONDS = 31536000 if SECURE else 0
# Both bind every other site under the domain too, so the operator decides. Django warns without them.
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE and env.bool("HSTS_SUBDOMAINS", default=False)
SECURE_HSTS_PRELOAD = SECURE and env.bool("HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "font-src": ["'self'"],
        "img-src": ["'self'", "data:", *MEDIA_ORIGIN],
        "media-src": ["'self'", *MEDIA_ORIGIN],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}
NEVER_USED = ("accelerometer", "camera", "geolocation", "gyroscope", "microphone", "payment", "usb")
PERMISSIONS_POLICY = ", ".join(f"{feature}=()" for feature in NEVER_USED)
CSRF_TRUSTED_ORIGINS = [APP_URL]
CSRF_FAILURE_VIEW = "config.views.came_from_elsewhere"

#: Private networks, by commas, that may be called at addresses which others chose, over http too: 10.1.0.0/16.
FETCH_PRIVATE = networks("FETCH_PRIVATE", env.list("FETCH_PRIVATE", default=[]))

# --- What is sent ----------------------------------------------------------------------------------------------

EMAIL_URL = env.str("EMAIL_URL", default="")  # smtp://, smtp+tls:// or smtps://user:password@host:port
OUTBOX_DIR = DATA_DIR / "outbox"
if EMAIL_URL:
    vars().update(mail_server(EMAIL_URL))
else:
    EMAIL_BACKEND = "config.outbox.OutboxBackend"  # readable files in OUTBOX_DIR
EMAIL_TIMEOUT = 30  # seconds the mail server may take for one answer
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"capsules@{mail_domain(APP_URL)}")
BOUNCE_EMAIL = env.str("BOUNCE_EMAIL", default="")  # where undeliverable premieres return; empty: From
MAIL_RATE = env.float("MAIL_RATE", default=50)  # premiere mails a second, all workers together; 0: no limit

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.negotiation.AlwaysJson",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "config.schema_generator.Operations",
    "EXCEPTION_HANDLER": "config.api.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_PUBLISH_RETRY = False  # a lost message only means that the sweep finds the row later
QUEUE_DIR = DATA_DIR / "queue"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object]
if REDIS_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "global_keyprefix": REDIS_PREFIX,
        "socket_timeout": REDIS_TIMEOUT,
        "socket_connect_timeout": REDIS_TIMEOUT,
        "max_retries": 1,
        "interval_start": 0.1,  # seconds; kombu would rest for two
    }
    CELERY_WORKER_PREFETCH_MULTIPLIER = 1
else:
    CELERY_BROKER_TRANSPORT = "config.broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR),
        "data_folder_out": str(QUEUE_DIR),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.05,
    }
    CELERY_WORKER_PREFETCH_MULTIPLIER = 4  # times the threads: with less, beat starves on a broker of files

# --- Limits ----------------------------------------------------------------------------------------------------

API_BODY_LIMIT = 64 * 1024  # bytes
STORY_BODY_LIMIT = 512 * 1024  # bytes; a story with its scenes
API_DEPTH_LIMIT = 20  # levels of JSON
RATES = {  # requests a minute: reads and writes for one credential, the others for one address
    "read": env.int("RATE_READ", default=600),
    "write": env.int("RATE_WRITE", default=60),
    "author": env.int("RATE_AUTHOR", default=240),  # writes of drafts for one credential
    "feed": env.int("RATE_FEED", default=300),
    "subscribe": env.int("RATE_SUBSCRIBE", default=10),  # forms from one address
    "subscription": 3,  # forms for one mail address
    "registration": env.int("RATE_REGISTRATION", default=20),
    "token": env.int("RATE_TOKEN", default=120),
    "login": 100,  # an hour: attempts for one account, wherever from
    "account mail": 20,  # a day: links and codes to one mail address
    "subscription mail": 10,  # a day: subscribe forms for one mail address
}
MAX_BYTES = {"picture": 40 * 10**6, "film": 500 * 10**6}  # of one uploaded file
UPLOAD_SLICE = 8 * 2**20  # bytes of an upload that are stored at once: what a killed server can lose
UPLOAD_LEASE = 15  # seconds a request that receives a file may be silent before another may go on
UPLOAD_CHECK_LEASE = env.int("UPLOAD_CHECK_LEASE", default=60)  # seconds a worker at a file may be silent
UPLOAD_RETENTION = timedelta(hours=24)  # after this, a file that did not come whole is dropped
UPLOAD_MEMORY = timedelta(days=7)  # how long one can ask what became of an upload
UPLOADS_OPEN = env.int("UPLOADS_OPEN", default=20)  # of one workspace at once
UPLOAD_LINK_FILES = 10
MEDIA_QUOTA = {  # bytes of all files of a workspace, by plan
    "free": env.int("MEDIA_QUOTA_FREE", default=5) * 10**9,
    "pro": env.int("MEDIA_QUOTA_PRO", default=100) * 10**9,
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # a larger upload goes through a temporary file

SWEEP_INTERVAL = env.int("SWEEP_INTERVAL", default=15)  # seconds between two sweeps
PUBLISH_LEASE = env.int("PUBLISH_LEASE", default=60)  # seconds until a silent publish may be taken over
PUBLISH_SLOTS = env.at_least_one("PUBLISH_SLOTS", default=8)  # publishes a web process carries out at once
PUBLISH_SLOT_WAIT = env.float("PUBLISH_SLOT_WAIT", default=10)  # seconds to wait for one of them
ENCODE_WAIT = env.int("ENCODE_WAIT", default=300)  # seconds a publish waits for scene videos
ENCODE_SLOTS = env.int("ENCODE_SLOTS", default=2)  # encodes and checks of files that a worker runs at once
FETCH_SLOTS = env.int("FETCH_SLOTS", default=2)  # addresses a worker fetches files from at once
CELERY_WORKER_CONCURRENCY = ENCODE_SLOTS + FETCH_SLOTS + 2  # threads: for sweeps and mails, too
TRIED_FOR = timedelta(hours=24)  # how long a fault that is not the file's puts an encode or check off
ENCODE_LEASE = 60  # seconds an encode may be silent before the sweep starts it again
ENCODE_ATTEMPTS = 3  # of an encode that kills its worker
SETTLE = env.float("SETTLE", default=4)  # seconds a picture is left alone before its encodes are asked for
FOLDER_FILES = 250  # in an uploaded archive
FOLDER_BYTES = env.int("FOLDER_BYTES", default=1 << 30)  # of an uploaded archive when it is unpacked
FORM_LIMIT = 4 * 2**20  # bytes of a form
FILE_FORM_LIMIT = FOLDER_BYTES + FORM_LIMIT  # and of one with a file: an archive is the largest
SCENES_PER_STORY = env.int("SCENES_PER_STORY", default=100)
REVISIONS_PER_STORY = env.int("REVISIONS_PER_STORY", default=200)  # named and published ones come on top
REVISION_RETENTION = timedelta(days=30)  # after this, automatic revisions are thinned to one a day
TRASH_RETENTION = timedelta(days=30)
PREVIEW_RETENTION = timedelta(days=7)  # of previews that are neither the latest nor baked
BAKES_KEPT = 10  # versions of a story that can go live again, besides the live one
IDEMPOTENCY_RETENTION = timedelta(hours=24)
IDEMPOTENCY_LEASE = 60  # seconds after which a call that never answered may be repeated
BLOB_RETENTION = timedelta(hours=24)  # a file that nothing refers to is kept this long after it was written
DELIVERIES_KEPT = env.int("DELIVERIES_KEPT", default=90)  # days after the end of a premiere; numbers stay
LEFT_SUBSCRIBERS_KEPT = env.int("LEFT_SUBSCRIBERS_KEPT", default=30)  # days; a keyed hash stays
UNCONFIRMED_KEPT = env.int("UNCONFIRMED_KEPT", default=7)  # days that a sign-up has to confirm its address
SECURITY_EVENTS_KEPT = env.int("SECURITY_EVENTS_KEPT", default=365)  # days
PUBLICATION_EVENTS_KEPT = env.int("PUBLICATION_EVENTS_KEPT", default=365)  # days
WEBSUB_HUB = env.str("WEBSUB_HUB", default="")  # the hub that is told of new capsules; empty: none
FEED_INTERVAL = env.int("FEED_INTERVAL", default=60)  # seconds after which the ranks follow views and pins
PREMIERE_DELAY = env.int("PREMIERE_DELAY", default=300)  # seconds between the first publish and its email
PREMIERE_LEASE = env.int("PREMIERE_LEASE", default=120)  # seconds a sender may be silent

CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
#: Seconds between two calls of a task by the timer.
TIMER = {
    "capsules.tasks.sweep": SWEEP_INTERVAL,
    "accounts.tasks.forget_old_windows": 300,
    "accounts.tasks.forget_what_expired": 3600,
    "accounts.tasks.send_webhooks": SWEEP_INTERVAL,
    "accounts.tasks.send_account_mails": SWEEP_INTERVAL,
    "capsules.tasks.collect_garbage": 3600,
    "feed.tasks.refresh_ranks": FEED_INTERVAL,
    "feed.tasks.tell_hub": FEED_INTERVAL,
    "publishing.tasks.sweep": SWEEP_INTERVAL,
    "publishing.tasks.send_premieres": SWEEP_INTERVAL,
    "publishing.tasks.send_confirmations": SWEEP_INTERVAL,
}
STALE_AFTER = 600  # seconds, at least, after which such a call is dropped; clocks of machines may differ
# While no worker is there calls gather: each that runs looks at all that is due, and one would do.
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": every, "options": {"expires": max(every, STALE_AFTER)}}
    for task, every in TIMER.items()
}

LOG_FORMAT = env.str("LOG_FORMAT", default="text" if DEVELOPMENT else "json")
if LOG_FORMAT not in ("text", "json"):
    raise ImproperlyConfigured("LOG_FORMAT is text or json.")
LOG_LEVEL = env.str("LOG_LEVEL", default="WARNING").upper()
if LOG_LEVEL not in logging.getLevelNamesMapping():
    raise ImproperlyConfigured("LOG_LEVEL is DEBUG, INFO, WARNING, ERROR or CRITICAL.")
ACCESS_LOG = env.bool("ACCESS_LOG", default=False)  # a line for each request that Django answers
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")  # the bearer of /metrics; without it there is none
LOG_LINE = "{asctime} {levelname} {name}: {message}"
LOG_TO = {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}
REFUSED = ("DisallowedHost", "RequestDataTooBig", "TooManyFieldsSent", "TooManyFilesSent")  # by Django
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.logs.PlainFormatter", "format": LOG_LINE, "style": "{"},
        "json": {"()": "config.logs.JsonLines"},
    },
    "filters": {
        "outages": {"()": "config.outage.OneLineForAnOutage"},
        "strangers": {"()": "config.logs.WarningOfStrangers"},
        "request_id": {"()": "config.logs.WithRequestId"},
        "addresses": {"()": "config.logs.WithoutSecretAddresses"},
    },
    "handlers": {"console": {**LOG_TO, "filters": ["outages", "request_id", "addresses"]}},
    "loggers": {
        "oauthlib": {"level": "INFO"},  # at DEBUG it would log codes and tokens
        **{f"django.security.{refused}": {"filters": ["strangers"]} for refused in REFUSED},
        "config.access": {"level": "INFO"},
        "urllib3": {"level": "ERROR"},  # of a broken answer it logs the whole address, which may be a secret
        # config.api logs each fault; ACCESS_LOG and metrics tell the rest.
        "django.request": {"level": "CRITICAL"},
        "django.security.csrf": {"level": "ERROR"},
        "waitress.queue": {"level": "ERROR"},  # a line for each request that waits for a thread
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}

try:
    DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds codes, links and originals
    if (there := DATA_DIR.stat()).st_uid == os.getuid() and there.st_mode & 0o007:
        DATA_DIR.chmod(there.st_mode & 0o770)  # one that was made before
    for folder in (MEDIA_ROOT, STATIC_ROOT, QUEUE_DIR, QUEUE_DIR / "control"):
        folder.mkdir(parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(
        f"DATA_DIR must be a folder that this user may write in: {error.strerror}: {error.filename}"
    ) from error
