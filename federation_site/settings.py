"""All settings. The environment decides what differs between a laptop and a server; nothing else does.

DATABASE_URL       where the office is kept            default: SQLite in var/
CELERY_BROKER_URL  what wakes the worker               default: that same database
PRODUCTION         1 behind HTTPS: a secret key of your own, secure cookies, strict transport
SECRET_KEY, ALLOWED_HOSTS                              asked for in production
SECRET_KEY_FALLBACKS  former keys, as long as second factors added under them are in use
SITE_HOST          the name under which offices begin   default: the first of ALLOWED_HOSTS, else localhost
                   their journals' logs
KEYS_DIR           the secret keys that sign journals   default: keys/ in VAR_DIR; the worker alone reads it
BACKUP_DIR         where the worker writes a backup a   default: none is made by the clock
                   day; BACKUP_KEEP, which it keeps; BACKUP_SECRETS=0, without keys
OPERATORS          mail addresses that hear of errors     SENTRY_DSN  where errors are sent, if anywhere
METRICS_TOKEN      what /metrics asks for                 default: a private address, and no proxy
EMAIL_URL          where letters go; asked for in production    default: files in VAR_DIR/mail
CACHE_URL          what pages keep                     default: a table of that database
COUNTERS_URL       tries at sign-in                    default: another table of that database
WEB_PROCESSES      processes of `up`'s web server       default: one for each core, as memory allows
CSRF_TRUSTED_ORIGINS, DEFAULT_FROM_EMAIL, TRUSTED_PROXIES, LOG_LEVEL, DEBUG, VAR_DIR
"""

import tomllib
from pathlib import Path
from typing import Any

import environ
from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import lazystr
from kombu import Queue

from federation_site.processes.logs import configure_logging
from federation_site.processes.private_files import keep_private
from federation_site.processes.secret_key import KeptSecretKey
from federation_site.watch.error_reports import watch_by_sentry

env = environ.Env()
ROOT = Path(__file__).resolve().parent.parent
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
"""The release, which every page names at its foot (docs/releases.md)."""
VAR = Path(env.str("VAR_DIR", default=str(ROOT / "var"))).resolve()
keep_private(VAR)

DEBUG = env.bool("DEBUG", default=False)
PRODUCTION = env.bool("PRODUCTION", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("In production, set SECRET_KEY to a long random text and keep it.")
    SECRET_KEY = lazystr(KeptSecretKey(VAR / "secret_key"))

SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
_FIRST_HOST = "".join(ALLOWED_HOSTS[:1]).lstrip("*.") if PRODUCTION else ""
SITE_HOST = env.str("SITE_HOST", default=_FIRST_HOST) or "localhost"
KEYS_DIR = Path(env.str("KEYS_DIR", default=str(VAR / "keys"))).resolve()
WEB_PROCESSES = env.int("WEB_PROCESSES", default=0)
JOURNALS_DIR = VAR / "journals"
"""Copies of the journals' public form, for readers; whatever lies there is made again when it is missing."""
BACKUP_DIR = Path(_backups).resolve() if (_backups := env.str("BACKUP_DIR", default="")) else None
BACKUP_KEEP = env.str("BACKUP_KEEP", default="7 daily, 4 weekly, 12 monthly")
BACKUP_SECRETS = env.bool("BACKUP_SECRETS", default=True)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
ROOT_URLCONF = "federation_site.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "federation_site",
    "players",
    "tournaments",
    "ratings",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_filters",
    "django_htmx",
    "django_tables2",
    "import_export",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "federation_site.web.middleware.log_requests",
    "federation_site.watch.health.answer_probes",
    "csp.middleware.CSPMiddleware",
    "federation_site.web.middleware.refuse_nul",
    "federation_site.web.middleware.hold_writes_while_migrating",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "federation_site.sign_in.reauthentication_redirect.ask_who_it_is",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "federation_site.web.template_whitespace.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "federation_site.web.context_processors.nonce",
                "players.office.access.office_context",
            ],
        },
    },
]

# The database. Requests are not wrapped in a transaction: each service opens its own.

SQLITE: dict[str, Any] = {
    # A transaction that reads and then writes must wait its turn from the start, or it fails at once.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
}
POSTGRESQL: dict[str, Any] = {
    # A holder that hangs gives its locks back in the end.
    "options": "-c idle_in_transaction_session_timeout=300s -c lock_timeout=30s",
}
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR / 'db.sqlite3'}"),
}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE
else:
    # Granian keeps its threads, and each thread its connection: that is the pool.
    DATABASES["default"] |= {"OPTIONS": POSTGRESQL, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}

# Every process must see the same tries at sign-in, and nothing may push them out: what pages keep lies apart.
CACHES = {
    "default": env.cache_url("COUNTERS_URL", default="dbcache://counters?max_entries=200000"),
    # What one release kept, another cannot always read.
    "pages": env.cache_url("CACHE_URL", default="dbcache://cache") | {"KEY_PREFIX": VERSION},
}

# The worker. A message only wakes it: what there is to do stands in the database.

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="djangodb://localhost")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A Redis that hangs holds a decision up for some seconds (a few tries of one each); the sweep finds the work.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1.0, "socket_timeout": 1.0}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_TIME_LIMIT = 3600
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# What takes minutes, reading files and tables, has a queue of its own: no publication waits behind it.
CELERY_TASK_DEFAULT_QUEUE = "ratings"
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in ("ratings", "files")]
CELERY_TASK_ROUTES = {
    "tournaments.tasks.*": {"queue": "files"},
    "players.tasks.*": {"queue": "files"},
    "federation_site.tasks.send_password_letter": {"queue": "files"},
}
# Each worker sends the sweeps of its queues when it starts, and every so often from then on.
SWEEPS = (
    "federation_site.tasks.give_sign",
    "ratings.tasks.sweep",
    "players.tasks.sweep_register",
    "tournaments.tasks.sweep",
)
SWEEP_SECONDS = 30
CELERY_BEAT_SCHEDULE = {
    "sessions": {"task": "federation_site.tasks.forget_sessions", "schedule": crontab(hour=3, minute=10)},
    "verify": {"task": "federation_site.tasks.verify_offices", "schedule": crontab(hour=3, minute=20)},
    "backup": {"task": "federation_site.tasks.back_up", "schedule": crontab(minute="10,40")},
}
# In memory: a kill cannot leave a broken file behind.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"

# People

AUTH_USER_MODEL = "players.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "federation_site.sign_in.passwords.LengthValidator"},
    {"NAME": "federation_site.sign_in.passwords.FamiliarPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("name", "email")},
    },
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "federation_site.sign_in.allauth_adapter.OfficeAccounts"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # nobody signs up: whoever appoints a person has their address
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # an invitation's link leads on to the desk
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_FORMS = {"reset_password": "federation_site.sign_in.password_letter.ForgottenPasswordForm"}
ACCOUNT_REAUTHENTICATION_TIMEOUT = 20 * 60
ACCOUNT_RATE_LIMITS = {
    "login": None,  # only tries that fail are counted, by `federation_site.sign_in.guessing_limits`
    "login_failed": "5/5m/key,20/h/key",  # of second factors: whoever tries one has the password
    "reset_password": "5/m/ip,30/h/ip,5/h/key",
    "change_password": "5/m/user",
    "reauthenticate": "10/m/user",
}
MFA_ADAPTER = "federation_site.sign_in.second_factors.OfficeFactors"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody enters an address of their own
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
USERSESSIONS_ADAPTER = "federation_site.sign_in.sign_out.OfficeSessions"
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", default=0)
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

vars().update(env.email_url("EMAIL_URL", default=f"filemail:///{VAR / 'mail'}"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="office@localhost")

# What leaves the house, and what may come in

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 60 * 60
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
DEVICE_COOKIE_NAME = "device"
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SILENCED_SYSTEM_CHECKS = ["security.W021"]  # a preload list is for the domain's owner to join
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
    DEVICE_COOKIE_NAME = "__Host-device"

DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024  # an event file never touches the disk on its way to its row
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "federation_site.web.static_files.StaticFiles"},
}

# Words and hours

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [ROOT / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

DJANGO_TABLES2_TEMPLATE = "django_tables2/office.html"
LOGGING_CONFIG = None
ADMINS = [("operator", address) for address in env.list("OPERATORS", default=[])]
SERVER_EMAIL = DEFAULT_FROM_EMAIL
configure_logging(level=env.str("LOG_LEVEL", default="WARNING"), json=PRODUCTION, mail=bool(ADMINS))
if SENTRY_DSN := env.str("SENTRY_DSN", default=""):
    watch_by_sentry(SENTRY_DSN)
