"""The settings under test: files served as they lie, cheap password hashes, mail in memory."""

from federation_site.settings import *  # noqa: F403

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Two tests' offices may have records of the same numbers; tests of these answers switch them on.
CACHES["answers"] = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}  # noqa: F405
CACHES["ranks"] = CACHES["doors"] = CACHES["answers"]  # noqa: F405
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
# Tests read English in every office, unless they ask for its own language.
OFFICE_LANGUAGE = "en"
