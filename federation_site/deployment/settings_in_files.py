"""Settings whose values lie in files: a secret there stands in no environment and no list of processes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any
from warnings import catch_warnings

from django.core.exceptions import ImproperlyConfigured
from environ import FileAwareEnv
from environ.fileaware_mapping import FileAwareMapping

ON, OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_DATABASE, _CACHE = "postgres://user:password@host/name", "redis://host/1 or dbcache://table"
FORMS = {
    "DATABASE_URL": _DATABASE,
    "DATABASE_OWNER_URL": _DATABASE,
    "EMAIL_URL": "smtp+tls://user:password@host:587, with %23 for # in the password, %2F for /, %40 for @",
    "CACHE_URL": _CACHE,
    "COUNTERS_URL": _CACHE,
}
"""The form of the address in a setting, for whoever wrote it otherwise."""


class Files(FileAwareMapping):
    """The environment, where `NAME_FILE` names the file that holds the value of NAME, without its last
    line break.

    Raises ImproperlyConfigured where that file is empty or cannot be read.
    """

    def __getitem__(self, name: str) -> str:
        try:
            value: str = super().__getitem__(name)
        except (OSError, UnicodeDecodeError) as fault:
            why = fault.strerror if isinstance(fault, OSError) else "it is no text"
            raise self._wrong(name, f"which cannot be read: {why}") from None
        if not self.env.get(f"{name}_FILE"):
            return value
        if not value.strip():
            raise self._wrong(name, "which is empty")
        return value.rstrip("\r\n")

    def _wrong(self, name: str, what: str) -> ImproperlyConfigured:
        return ImproperlyConfigured(f"{name}_FILE names {self.env[f'{name}_FILE']}, {what}.")


class Environment(FileAwareEnv):
    """django-environ's readers over the environment and the files that it names.

    Each raises ImproperlyConfigured, naming the setting, where its value cannot be read. An address may hold
    a password, so it is not repeated.
    """

    ENVIRON = Files()

    def bool(self, var: builtins.str, default: Any = FileAwareEnv.NOTSET) -> builtins.bool:
        """A setting that is on or off. What is neither is refused: a protection must not be off by a slip."""
        said = str(self.str(var, default=default)).strip().lower()
        if said in ON or said in OFF:
            return said in ON
        raise ImproperlyConfigured(f"{var} is “{said}”: write 1 or 0.")

    def int(self, var: builtins.str, default: Any = FileAwareEnv.NOTSET) -> builtins.int:
        said = str(self.str(var, default=default)).strip()
        if said.isdecimal():
            return int(said)
        raise ImproperlyConfigured(f"{var} is “{said}”: write a number.")

    def db_url(
        self, var: builtins.str, default: Any = FileAwareEnv.NOTSET, engine: builtins.str | None = None
    ) -> Any:
        found = super().db_url
        return self._address(var, "ENGINE", lambda: found(var, default, engine))

    def email_url(
        self, var: builtins.str, default: Any = FileAwareEnv.NOTSET, backend: builtins.str | None = None
    ) -> Any:
        found = super().email_url
        return self._address(var, "EMAIL_BACKEND", lambda: found(var, default, backend))

    def cache_url(
        self, var: builtins.str, default: Any = FileAwareEnv.NOTSET, backend: builtins.str | None = None
    ) -> Any:
        found = super().cache_url
        return self._address(var, "BACKEND", lambda: found(var, default, backend))

    def _address(
        self, var: builtins.str, needed: builtins.str, read: Callable[[], dict[builtins.str, Any]]
    ) -> dict[builtins.str, Any]:
        try:
            with catch_warnings(action="ignore"):  # they repeat what was written
                found = read()
        except (ImproperlyConfigured, ValueError) as fault:
            if str(fault).startswith(f"{var}_FILE"):
                raise
            found = {}
        if "." in found.get(needed, ""):  # the module that speaks with it
            return found
        raise ImproperlyConfigured(f"{var} is no address of its kind: write it as {FORMS[var]}.")
