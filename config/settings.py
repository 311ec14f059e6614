"""All settings, read from the environment once. `.env.example` lists every variable.

Without any variable set this is the embedded default: SQLite, a broker of files and everything under DATA_DIR.
With DEBUG=false it is production, and refuses to start where a secret or an address is missing.
"""

from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
env.read_env(BASE_DIR / ".env")

# --- What runs -------------------------------------------------------------------------------------------------

DEVELOPMENT = env.bool("DEBUG", default=True)
DEBUG = False  # Django's debug pages are never shown: the embedded default answers as production does

DATA_DIR = Path(env.str("DATA_DIR", default=str(BASE_DIR / ".data"))).resolve()
PORT = env.int("PORT", default=8000)
WEB_PROCESSES = env.int("WEB_PROCESSES", default=2)
WEB_THREADS = env.int("WEB_THREADS", default=64)  # a publish that waits for encodes holds one
APP_URL = env.str("APP_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
BASE_URL = env.str("BASE_URL", default=APP_URL).rstrip("/")
VIEW_BEACON = env.bool("VIEW_BEACON", default=False)  # pages tell of their views: a CDN keeps them


def production_only(name: str, default: str) -> str:
    """The variable; in development the default, in production there is none."""
    value = env.str(name, default="")
    if not value and DEVELOPMENT:
        return default
    if not value:
        raise ImproperlyConfigured(f"Set {name}: production (DEBUG=false) has no default for it.")
    return str(value)


def mail_domain(url: str) -> str:
    """What stands after the @ of our own addresses: the host of a URL, where that is a name."""
    host = urlsplit(url).hostname or ""
    return host if "." in host and not host.replace(".", "").isdigit() else "localhost"


SECRET_KEY = production_only("SECRET_KEY", "for-development-only-and-refused-by-production-0123456789")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = [
    host.strip()
    for host in production_only("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1],testserver").split(",")
]

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
    "accounts.oauth.cors.OpenCors",
    "config.middleware.ApiGate",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.PermissionsPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
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
        },
    },
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

# --- Where data lives ------------------------------------------------------------------------------------------

DATABASE_URL = production_only("DATABASE_URL", f"sqlite:///{DATA_DIR / 'capsules.sqlite3'}")
DATABASES = {"default": environ.Env.db_url_config(DATABASE_URL)}
DATABASE = DATABASES["default"]
if DATABASE["ENGINE"].endswith("sqlite3"):
    DATABASE["CONN_MAX_AGE"] = None
    DATABASE["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",  # a deferred one fails at its first write when another was quicker
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=30000;",
    }
    DATABASE["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASE["CONN_MAX_AGE"] = 0  # the pool keeps them
    DATABASE["OPTIONS"] = {
        "pool": {"min_size": 1, "max_size": env.int("DATABASE_POOL", default=16), "timeout": 20},
        "connect_timeout": 5,
    }

REDIS_URL = env.str("REDIS_URL", default="")
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
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "capsules.storage.OriginalStorage"},
    "blobs": {"BACKEND": "capsules.storage.BlobStorage"},
    "staticfiles": {"BACKEND": "config.static.StaticStorage"},
}
MEDIA_ORIGIN: list[str] = []  # where pictures and films come from, besides our own address
if STORAGE_URL:
    bucket = urlsplit(STORAGE_URL)
    s3 = {
        "bucket_name": bucket.hostname,
        "access_key": unquote(bucket.username or "") or None,  # without one, boto3 looks where it always does
        "secret_key": unquote(bucket.password or "") or None,
        "file_overwrite": True,  # a name belongs to one content
        **dict(parse_qsl(bucket.query)),
    }
    public = {
        "querystring_auth": False,
        "object_parameters": {"CacheControl": "public, max-age=31536000, immutable"},
    }
    backend = "storages.backends.s3.S3Storage"
    STORAGES["default"] = {"BACKEND": backend, "OPTIONS": {**s3, "location": "originals"}}
    STORAGES["blobs"] = {"BACKEND": backend, "OPTIONS": {**s3, **public, "location": "blobs"}}
    bucket_host = s3.get("custom_domain") or f"{bucket.hostname}.s3.amazonaws.com"
    MEDIA_ORIGIN = [str(s3.get("endpoint_url") or f"https://{bucket_host}")]
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# --- Who may ---------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
TOKEN_AUDIENCE = f"{BASE_URL}/api/v2"
FIRST_PARTY_TOKEN_TTL = timedelta(hours=1)

AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account_home"
ACCOUNT_ADAPTER = "accounts.people.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "accounts.people.signup.SignupForm"
ACCOUNT_FORMS = {
    "change_password": "accounts.people.passwords.ChangePasswordForm",
    "reset_password_from_key": "accounts.people.passwords.ResetPasswordKeyForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_DISPLAY = "accounts.people.adapters.display_name"
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(APP_URL).scheme
MFA_ADAPTER = "accounts.people.adapters.MfaAdapter"
MFA_TOTP_ISSUER = "Capsules"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = urlsplit(APP_URL).hostname == "localhost"
HEADLESS_CLIENTS = ("app",)
HEADLESS_TOKEN_STRATEGY = "accounts.people.headless.BearerTokenStrategy"  # noqa: S105 (a class, not a secret)

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
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
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "SCOPES_BACKEND_CLASS": "accounts.oauth.credentials.Scopes",
    "OIDC_ISS_ENDPOINT": BASE_URL,  # the issuer
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],  # before the client is known; a client brings its own
    **{
        f"COMPLIANT_BCP_RFC9700_{rule}": True
        for rule in (
            "IMPLICIT_GRANT",
            "PASSWORD_GRANT",
            "PKCE_METHOD",
            "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS",
            "TOKEN_STORAGE",
            "REFRESH_TOKEN",
            "REDIRECT_URI_SCHEME",
            "REDIRECT_URI_MATCHING",
            "PKCE_REQUIRED",
        )
    },
}

SECURE = urlsplit(APP_URL).scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SECURE_SSL_REDIRECT = SECURE and env.bool("SSL_REDIRECT", default=True)
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)  # the proxy sets X-Forwarded-Proto and X-Forwarded-For
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
ALLAUTH_TRUSTED_PROXY_COUNT = int(BEHIND_PROXY)
SECURE_HSTS_SECONDS = 31536000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
X_FRAME_OPTIONS = "DENY"
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
PERMISSIONS_POLICY = (
    "accelerometer=(), camera=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()"
)
CSRF_TRUSTED_ORIGINS = [APP_URL]

# --- What is sent ----------------------------------------------------------------------------------------------

EMAIL_URL = env.str("EMAIL_URL", default="")  # smtp://, smtp+tls:// or smtps://user:password@host:port
OUTBOX_DIR = DATA_DIR / "outbox"
if EMAIL_URL:
    # What everybody calls smtps, TLS from the first byte, the library calls smtp+ssl, and STARTTLS smtps.
    vars().update(environ.Env.email_url_config(EMAIL_URL.replace("smtps://", "smtp+ssl://", 1)))
else:
    EMAIL_BACKEND = "config.outbox.OutboxBackend"  # readable files in OUTBOX_DIR
EMAIL_TIMEOUT = 30  # seconds the mail server may take for one answer
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"capsules@{mail_domain(APP_URL)}")
BOUNCE_EMAIL = env.str(
    "BOUNCE_EMAIL", default=""
)  # where undeliverable premieres return; empty: the From address
MAIL_RATE = env.float("MAIL_RATE", default=50)  # premiere mails a second, all workers together; 0: no limit

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.negotiation.AlwaysJson",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "config.api.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Capsule Publishing and Account API",
    "DESCRIPTION": "Publish short scene-based stories (capsules) under public links.",
    "VERSION": "2.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v2",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {"PublicationMode": "publishing.models.Publication.Mode"},
    "PREPROCESSING_HOOKS": ["config.schema.only_documented"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.schema.closed_requests",
    ],
}

CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_PUBLISH_RETRY = False  # a lost message only means that the sweep finds the row later
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
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
    CELERY_WORKER_PREFETCH_MULTIPLIER = 4  # times 4 threads: with less, beat starves on a broker of files

# --- Limits ----------------------------------------------------------------------------------------------------

API_BODY_LIMIT = 64 * 1024  # bytes
API_DEPTH_LIMIT = 20  # levels of JSON
RATES = {  # requests a minute: reads and writes for one credential, the others for one address
    "read": env.int("RATE_READ", default=600),
    "write": env.int("RATE_WRITE", default=60),
    "feed": env.int("RATE_FEED", default=300),
    "subscribe": env.int("RATE_SUBSCRIBE", default=10),  # forms from one address
    "subscription": 3,  # forms for one mail address
    "registration": env.int("RATE_REGISTRATION", default=20),
    "token": env.int("RATE_TOKEN", default=120),
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # a larger upload goes through a temporary file

SWEEP_INTERVAL = env.int("SWEEP_INTERVAL", default=15)  # seconds between two sweeps
PUBLISH_LEASE = env.int(
    "PUBLISH_LEASE", default=60
)  # seconds a publish may be silent before another may start
PUBLISH_SLOTS = env.int("PUBLISH_SLOTS", default=8)  # publishes a web process carries out at once
PUBLISH_SLOT_WAIT = env.float("PUBLISH_SLOT_WAIT", default=10)  # seconds to wait for one of them
ENCODE_WAIT = env.int("ENCODE_WAIT", default=300)  # seconds a publish waits for scene videos
ENCODE_SLOTS = env.int("ENCODE_SLOTS", default=2)  # encodes a worker runs at once
ENCODE_LEASE = 60  # seconds an encode may be silent before the sweep starts it again
ENCODE_ATTEMPTS = 3  # of an encode that kills its worker
BLOB_RETENTION = timedelta(hours=24)  # what nobody refers to any more is kept this long
FEED_INTERVAL = env.int("FEED_INTERVAL", default=60)  # seconds after which lists follow views and pins
PREMIERE_DELAY = env.int("PREMIERE_DELAY", default=300)  # seconds between the first publish and its email
PREMIERE_LEASE = env.int("PREMIERE_LEASE", default=120)  # seconds a sender may be silent

CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "sweep capsules": {"task": "capsules.tasks.sweep", "schedule": SWEEP_INTERVAL},
    "forget old rate windows": {"task": "accounts.tasks.forget_old_windows", "schedule": 300},
    "forget what expired": {"task": "accounts.tasks.forget_what_expired", "schedule": 3600},
    "collect garbage": {"task": "capsules.tasks.collect_garbage", "schedule": 3600},
    "refresh feed": {"task": "feed.tasks.refresh", "schedule": FEED_INTERVAL},
    "write sitemap": {"task": "feed.tasks.write_sitemap", "schedule": FEED_INTERVAL},
    "forget old view marks": {"task": "publishing.tasks.forget_old_view_marks", "schedule": 3600},
    "sweep publishing": {"task": "publishing.tasks.sweep", "schedule": SWEEP_INTERVAL},
    "send premieres": {"task": "publishing.tasks.send_premieres", "schedule": SWEEP_INTERVAL},
    "send confirmations": {"task": "publishing.tasks.send_confirmations", "schedule": SWEEP_INTERVAL},
}

if REDIS_URL:  # without it, the page servers write their views to the database themselves
    CELERY_BEAT_SCHEDULE["flush views"] = {"task": "publishing.tasks.flush_views", "schedule": 5}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "loggers": {"oauthlib": {"level": "INFO"}},  # at DEBUG it would log codes and tokens
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="WARNING")},
}

for folder in (DATA_DIR, MEDIA_ROOT, STATIC_ROOT, QUEUE_DIR, QUEUE_DIR / "control"):
    folder.mkdir(parents=True, exist_ok=True)
