"""Settings for tests: plain static files, fast password hashes, mail in memory."""

from pathlib import Path

from federation_site.settings import *  # noqa: F403

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Offices of two tests may have records with the same numbers. Tests of this cache switch it on.
CACHES["answers"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}  # noqa: F405
CACHES["ranks"] = CACHES["doors"] = CACHES["answers"]  # noqa: F405
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Offices are in English, unless a test sets their language.
OFFICE_LANGUAGE = "en"
# No copies of pages are kept, unless a test names a folder.
KEPT_DIR = Path("/dev/null/kept")
