"""A secret key that the embedded default makes and keeps, when somebody first signs."""

import secrets
from functools import cached_property
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from ratings.storage.secret_file import kept_secret


class KeptSecretKey:
    """A secret key kept in a file; made when its text is first asked for, not when the settings are read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        """The key, made if there is none. Raises ImproperlyConfigured where it cannot be stored."""
        return self._key

    @cached_property
    def _key(self) -> str:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return kept_secret(self._path, secrets.token_urlsafe(60))
        except OSError as fault:
            raise ImproperlyConfigured(
                f"The secret key cannot be kept in {self._path.parent}: {fault.strerror}."
                " Set SECRET_KEY, or VAR_DIR to a folder that can be written."
            ) from None
