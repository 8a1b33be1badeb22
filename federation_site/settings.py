"""All settings. The environment decides what differs between a laptop and a server; nothing else does.

docs/operating.md has them in one table. Of each, NAME_FILE may name a file with the value: so secrets are
given to containers and units.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import lazystr
from kombu import Queue

from federation_site.catalogues import readable_folders
from federation_site.environment import Environment, KeptSecretKey, set_umask_and_close_folder, tls_options
from federation_site.logs import configure_logging, watch_by_sentry

env = Environment()
ROOT = Path(__file__).resolve().parent.parent
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
"""The release (CONTRIBUTING.md)."""
VAR = Path(env.str("VAR_DIR", default=str(ROOT / "var"))).resolve()
set_umask_and_close_folder(VAR)

PRODUCTION = env.bool("PRODUCTION", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("In production, set SECRET_KEY to a long random text and keep it.")
    SECRET_KEY = lazystr(KeptSecretKey(VAR / "secret_key"))

SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
_FIRST_HOST = "".join(ALLOWED_HOSTS[:1]).lstrip("*.") if PRODUCTION else ""
SITE_HOST = _FIRST_HOST or "localhost"
SITE_ADDRESS = (
    f"https://{SITE_HOST}" if PRODUCTION else f"http://127.0.0.1:{env.str('UP_PORT', default='8000')}"
)
"""The beginning of links that commands print and letters contain; `up` sets UP_PORT."""
KEYS_DIR = Path(env.str("KEYS_DIR", default=str(VAR / "keys"))).resolve()
WEB_PROCESSES = env.int("WEB_PROCESSES", default=env.int("GRANIAN_WORKERS", default=0))
JOURNALS_DIR = VAR / "journals"
"""Copies of the journals' public form, which are recreated if they are missing."""
DUMPS_DIR = VAR / "dumps"
"""Each office's dump for the public, which is recreated if it is missing."""
KEPT_FOR_PROXY = bool(_kept := env.str("KEPT_DIR", default=""))
KEPT_DIR = Path(_kept or VAR / "kept").resolve()
"""Copies of public pages, and for the proxy its error pages and the style (`players.kept_pages`)."""
BACKUP_DIR = Path(_backups).resolve() if (_backups := env.str("BACKUP_DIR", default="")) else None
BACKUP_KEEP = env.str("BACKUP_KEEP", default="7 daily, 4 weekly, 12 monthly")
BACKUP_SECRETS = env.bool("BACKUP_SECRETS", default=True)
CSRF_FAILURE_VIEW = "federation_site.sign_in.expired_form"
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
    "django.contrib.sitemaps",
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
    "federation_site.middleware.add_security_headers",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "federation_site.middleware.compress_answers",
    "federation_site.middleware.log_requests",
    "federation_site.middleware.SpeakLanguages",
    "federation_site.watch.answer_probes",
    "federation_site.middleware.refuse_nul_in_address",
    "federation_site.middleware.refuse_other_methods",
    "federation_site.middleware.hold_writes_while_migrating",
    "ratings.pages.responses.answer_kept_pages",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "federation_site.sign_in.renew_or_end_sessions",
    "allauth.account.middleware.AccountMiddleware",
    "federation_site.sign_in.redirect_to_reauthentication",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATE_LOADERS = (
    "federation_site.templates.Loader",
    "django.template.loaders.app_directories.Loader",
)
TEMPLATES = [
    {
        "NAME": "django",
        "BACKEND": "federation_site.templates.PageTemplates",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "builtins": ["players.templatetags.ui"],
            "loaders": [("django.template.loaders.cached.Loader", TEMPLATE_LOADERS)],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "federation_site.operations.operator_context",
                "players.access.office_context",
            ],
        },
    },
]

# The database. Requests are not wrapped in a transaction: each service opens its own.
SQLITE: dict[str, Any] = {
    # A transaction that reads and then writes must take the lock at its start, or it fails at once.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # None of these may wait for a writer.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
}
POSTGRESQL: dict[str, Any] = {
    # A transaction that hangs releases its locks in the end; who waits for one hears of it before
    # `federation_site.gateway.DATABASE_PATIENCE` is over.
    "options": "-c idle_in_transaction_session_timeout=300s -c lock_timeout=10s",
    # If the server hangs or its machine is gone, requests fail after some seconds; a short pause is no error.
    "connect_timeout": 13,
    "tcp_user_timeout": 30_000,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
DATABASES: dict[str, dict[str, Any]] = {
    "default": env.db_url("DATABASE_URL", default=f"sqlite:///{VAR / 'db.sqlite3'}"),
}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
DATABASE_OWNER: dict[str, Any] = {}
if _owner := env.str("DATABASE_OWNER_URL", default=""):
    DATABASE_OWNER = env.db_url("DATABASE_OWNER_URL")
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE
    # django-tables2 would load it, and with it PostgreSQL's driver.
    sys.modules.setdefault("django.contrib.postgres.fields", None)  # type: ignore[arg-type]
else:
    # Options of DATABASE_URL, such as sslmode, have precedence.
    POSTGRESQL |= DATABASES["default"].get("OPTIONS", {})
    # Granian keeps its threads, and each thread its connection, so no pool is needed.
    DATABASES["default"] |= {"OPTIONS": POSTGRESQL, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}
    DATABASES["default"]["ENGINE"] = "federation_site.postgresql"

# All processes must see the same attempts to sign in, and pages must not push them out, so these have caches
# of their own. On SQLite that of pages is in files, because in the database readers would wait for writers.
PAGE_CACHE_DIR = VAR / "page_cache"
_IN_FILES = {
    "BACKEND": "federation_site.templates.PageFiles",
    "LOCATION": str(PAGE_CACHE_DIR),
    "OPTIONS": {"MAX_ENTRIES": 1000},
}
_ON_SQLITE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
_IN_TABLES: dict[str, Any] = {"BACKEND": "django.core.cache.backends.db.DatabaseCache"}
_PAGES = _IN_FILES if _ON_SQLITE else _IN_TABLES | {"LOCATION": "cache"}
CACHES: dict[str, dict[str, Any]] = {
    # Counters of attempts to sign in.
    "default": _IN_TABLES | {"LOCATION": "counters", "OPTIONS": {"MAX_ENTRIES": 200_000}},
    # Another release cannot always read what one release cached.
    "pages": _PAGES | {"KEY_PREFIX": VERSION},
    # Compressed responses to visitors (some 10 KB each), in the memory of each web process.
    "answers": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "answers",
        "OPTIONS": {"MAX_ENTRIES": 2000},
    },
    # The URLs of these responses: a kilobyte each.
    "doors": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "doors",
        "OPTIONS": {"MAX_ENTRIES": 5000},
    },
    # Ranks within the filters of large lists, and lists by name: up to 100 KB, or four bytes a row.
    "ranks": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "ranks",
        "OPTIONS": {"MAX_ENTRIES": 100},
    },
}

# The worker. A message only wakes it: what there is to do is in the database.
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="djangodb://localhost")
CELERY_BROKER_USE_SSL = tls_options(CELERY_BROKER_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A Redis that hangs delays a decision by some seconds (a few attempts of one each); the sweep finds the work.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1.0, "socket_timeout": 1.0}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_TIME_LIMIT = 3600
CELERY_TASK_PUBLISH_RETRY = False
# A worker takes no more messages than it has processes. Of Redis's, Celery counts those at work. kombu would
# count those without a receipt, and for good one whose receipt a hanging Redis did not take.
CELERY_WORKER_DISABLE_PREFETCH = CELERY_BROKER_URL.startswith("redis")
CELERY_WORKER_PREFETCH_MULTIPLIER = 0 if CELERY_WORKER_DISABLE_PREFETCH else 1
# A new process after so many tasks gives memory back. It is forked beside threads that use the database,
# which SQLite does not bear: the process would hold their locks, or get I/O errors, at all its tasks.
CELERY_WORKER_MAX_TASKS_PER_CHILD = None if _ON_SQLITE else 200
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Parsing files and tables takes minutes, and has a queue of its own so that no publication waits for it. A
# dump takes at most one of a worker's processes (`ratings.tasks.draw_dump`).
CELERY_TASK_DEFAULT_QUEUE = "ratings"
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in ("ratings", "files")]
CELERY_TASK_ROUTES = {
    "players.tasks.sweep_files": {"queue": "files"},
    "federation_site.tasks.give_sign_of_files": {"queue": "files"},
    "ratings.tasks.draw_dump": {"queue": "files"},
    "ratings.tasks.offer_checkpoints": {"queue": "files"},
}
# In the order in which the sweep does them.
JOB_KINDS = (
    "tournaments.uploads.UploadJobs",
    "tournaments.uploads.ArchiveJobs",
    "ratings.register_import.RegisterImportJobs",
    "ratings.history.HistoryJobs",
    "ratings.merging.OutlookJobs",
)
# What each stored column is held against (`players.held`).
SOURCES = "ratings.sources.SOURCES"
# Each worker sends the sweeps of its queues at its start and every SWEEP_SECONDS.
SWEEPS = (
    "federation_site.tasks.give_sign",
    "federation_site.tasks.look_at_the_clock",
    "federation_site.tasks.give_sign_of_files",
    "ratings.tasks.sweep",
    "players.tasks.sweep_files",
)
SWEEP_SECONDS = 30

# People
AUTH_USER_MODEL = "players.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "federation_site.sign_in.LengthValidator"},
    {"NAME": "federation_site.sign_in.FamiliarPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("name", "email")},
    },
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "federation_site.sign_in.OfficeAccounts"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # nobody signs up: people are appointed by their address
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True  # an invitation leads to the desk
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_FORMS = {
    "reset_password": "federation_site.sign_in.ForgottenPasswordForm",
    "user_token": "players.appointments.LinkForm",
}
ACCOUNT_REAUTHENTICATION_TIMEOUT = 20 * 60
ACCOUNT_RATE_LIMITS = {
    "login": None,  # counted by `federation_site.sign_in`
    "login_failed": "5/5m/key,20/h/key",  # of second factors
    "reset_password": "5/m/ip,30/h/ip,5/h/key",
    "change_password": "5/m/user",
    "reauthenticate": "10/m/user",
}
MFA_ADAPTER = "federation_site.sign_in.OfficeFactors"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody enters an address of their own
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
USERSESSIONS_ADAPTER = "federation_site.sign_in.OfficeSessions"
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXIES", default=0)
SECURITY_CONTACT: str = env.str("SECURITY_CONTACT", default="").strip()
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")

vars().update(env.email_url("EMAIL_URL", default=f"filemail:///{VAR / 'mail'}"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="office@localhost")

# Security and uploads
# Messages may contain names, and a cookie of their own would not be bound to the host.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "object-src": [NONE],
        # No nonce: a page that is answered with 304 has an old one in its content.
        "script-src": [SELF],
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
SESSION_IDLE_AGE = 2 * 60 * 60
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
DEVICE_COOKIE_NAME, SEEN_COOKIE_NAME = "device", "seen"
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # not asked through the proxy
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SILENCED_SYSTEM_CHECKS = ["security.W021"]  # a preload list is for the domain's owner to join
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
    DEVICE_COOKIE_NAME, SEEN_COOKIE_NAME = "__Host-device", "__Host-seen"

DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024  # never by a disk
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

STATIC_URL = "static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR / "static"))).resolve()
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "federation_site.public_files.StaticFiles"},
}

# Languages and time
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pl", "Polski"), ("cs", "Čeština"), ("ru", "Русский")]
LOCALE_PATHS = readable_folders(ROOT)
LANGUAGE_COOKIE_NAME = "__Host-language" if PRODUCTION else "language"
LANGUAGE_COOKIE_AGE, LANGUAGE_COOKIE_SECURE, LANGUAGE_COOKIE_HTTPONLY = 365 * 24 * 3600, PRODUCTION, True
OFFICE_LANGUAGE = env.str("OFFICE_LANGUAGE", default="", choices=("", *dict(LANGUAGES)))
FORMAT_MODULE_PATH = "federation_site.formats"
USE_TZ, TIME_ZONE = True, "UTC"

DJANGO_TABLES2_TEMPLATE = "django_tables2/office.html"
DJANGO_TABLES2_TABLE_ATTRS = {"class": "cards"}
LOGGING_CONFIG = None
ADMINS = [("operator", address) for address in env.list("OPERATORS", default=[])]
SERVER_EMAIL = DEFAULT_FROM_EMAIL
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO" if PRODUCTION else "WARNING")
configure_logging(level=LOG_LEVEL, json=PRODUCTION, mail=bool(ADMINS))
if SENTRY_DSN := env.str("SENTRY_DSN", default=""):
    watch_by_sentry(SENTRY_DSN)
