"""What the settings read from the machine: environment variables, processes, file permissions, addresses.

A variable NAME can be set as `NAME_FILE`, the path of a file with its value, to keep secrets out of the
environment and of lists of processes.
"""

import builtins
import errno
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from ssl import CERT_NONE, CERT_REQUIRED
from typing import Any, Literal
from urllib.parse import urlsplit
from warnings import catch_warnings

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from environ import FileAwareEnv
from environ.fileaware_mapping import FileAwareMapping
from kombu.utils.url import parse_url

from players.writing import load_or_create_secret

# ---- Numbers of processes
MOST_WEB_PROCESSES = 4
WEB_MEGABYTES = 100
"""The memory of a further web process: 65 with warm caches were measured."""
OTHERS_MEGABYTES = 500
"""The memory for the supervisor, the workers and the system."""
SMALL_MEGABYTES = 1500
"""With less memory, only one office is recomputed at a time."""
MOST_RATING_PROCESSES = 4
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


def web_processes() -> int:
    """WEB_PROCESSES, or one process for each core, as memory and `MOST_WEB_PROCESSES` allow."""
    if settings.WEB_PROCESSES:
        return int(settings.WEB_PROCESSES)
    fitting = (memory_megabytes() - OTHERS_MEGABYTES) // WEB_MEGABYTES
    return max(1, min(cores(), fitting, MOST_WEB_PROCESSES))


def rating_processes() -> int:
    """The number of worker processes of `up`, and of offices that are recomputed at once: as many as
    WEB_PROCESSES, or as memory allows.
    """
    if settings.WEB_PROCESSES:
        return min(int(settings.WEB_PROCESSES), MOST_RATING_PROCESSES)
    return 1 if memory_megabytes() < SMALL_MEGABYTES else 2


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_megabytes() -> int:
    """The memory of the machine or the container in megabytes."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # no container, or one without a limit: “max”
        total = min(total, int(CONTAINER_LIMIT.read_text()))
    return total // 2**20


# ---- Permissions of the data: births, addresses, password hashes, sessions, letters, keys and backups
OTHERS_MODE = stat.S_IRWXG | stat.S_IRWXO


def set_umask_and_close_folder(folder: Path) -> None:
    """Close the folder, and all that this process writes, to other accounts."""
    os.umask(OTHERS_MODE)
    close_to_others(folder)


def close_tree_to_others(folder: Path) -> None:
    """Close the office's folder and its content to other accounts, as earlier versions did not."""
    close_to_others(folder)
    for path in folder.rglob("*"):
        close_to_others(path)


def list_paths_open_to_others(folder: Path) -> list[Path]:
    """The folder and those of its files and folders that other accounts can open; empty if it is closed."""
    if not folder.is_dir() or not folder.stat().st_mode & OTHERS_MODE:
        return []
    inside = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
    return [folder, *(path for path in inside if path.stat().st_mode & OTHERS_MODE)]


def close_to_others(path: Path) -> None:
    """Remove the permissions of group and others from a file of this account."""
    try:
        status = path.lstat()
        if (
            status.st_uid == os.geteuid()
            and status.st_mode & OTHERS_MODE
            and not stat.S_ISLNK(status.st_mode)
        ):
            path.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS_MODE)
    except (FileNotFoundError, NotADirectoryError):  # a temporary file, or a folder that is not made yet
        pass
    except OSError as fault:
        if fault.errno != errno.EROFS:
            raise


# ---- Addresses of PostgreSQL and Redis, and verification of their certificates
def tls_options(broker: str) -> dict[str, object] | Literal[False]:
    """Celery's SSL options for a Redis URL, to verify its certificate; `ssl_…` in the URL has precedence."""
    if urlsplit(broker).scheme != "rediss":
        return False
    return {"ssl_cert_reqs": CERT_REQUIRED, "ssl_check_hostname": True}


def is_certificate_verified(broker: str) -> bool:
    """Whether certificate and host name of a Redis URL are verified."""
    try:
        options = (tls_options(broker) or {}) | parse_url(broker).get("ssl", {})
    except KeyError:  # an invalid value of ssl_cert_reqs
        return False
    return options.get("ssl_cert_reqs", CERT_NONE) != CERT_NONE and bool(options.get("ssl_check_hostname"))


def is_remote_host(host: str) -> bool:
    """Whether a server is on another machine; names without a dot are of compose's networks, or this one."""
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return "." in host and not host.startswith("/")


class KeptSecretKey:
    """A secret key in a file, which is created when the key is first used, not when the settings are read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        """The key. Raises ImproperlyConfigured if it cannot be stored."""
        return self._key

    @cached_property
    def _key(self) -> str:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return load_or_create_secret(self._path, secrets.token_urlsafe(60))
        except OSError as fault:
            raise ImproperlyConfigured(
                f"The secret key cannot be kept in {self._path.parent}: {fault.strerror}."
                " Set SECRET_KEY, or VAR_DIR to a folder that can be written."
            ) from None


ON, OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_DATABASE = "postgres://user:password@host/name"
URL_EXAMPLES = {
    "DATABASE_URL": _DATABASE,
    "DATABASE_OWNER_URL": _DATABASE,
    "EMAIL_URL": "smtp+tls://user:password@host:587, with %23 for # in the password, %2F for /, %40 for @",
}
"""The form of the URL in a setting, for error messages."""


class EnvironmentFiles(FileAwareMapping):
    """The environment, where `NAME_FILE` is the path of a file with the value of NAME.

    A line break at its end is removed. Raises ImproperlyConfigured if the file is empty or cannot be read.
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
    """django-environ's readers, which raise ImproperlyConfigured with the setting's name for a bad value.

    The value itself is not shown, because a URL may contain a password.
    """

    ENVIRON = EnvironmentFiles()

    def bool(self, var: builtins.str, default: Any = FileAwareEnv.NOTSET) -> builtins.bool:
        """A setting that is on or off. Other values are errors: a typo must not turn a protection off."""
        value = str(self.str(var, default=default)).strip().lower()
        if value in ON or value in OFF:
            return value in ON
        raise ImproperlyConfigured(f"{var} is “{value}”: write 1 or 0.")

    def int(self, var: builtins.str, default: Any = FileAwareEnv.NOTSET) -> builtins.int:
        value = str(self.str(var, default=default)).strip()
        if value.isdecimal():
            return int(value)
        raise ImproperlyConfigured(f"{var} is “{value}”: write a number.")

    def db_url(
        self, var: builtins.str, default: Any = FileAwareEnv.NOTSET, engine: builtins.str | None = None
    ) -> Any:
        parse = super().db_url
        return self._parse_url(var, "ENGINE", lambda: parse(var, default, engine))

    def email_url(
        self, var: builtins.str, default: Any = FileAwareEnv.NOTSET, backend: builtins.str | None = None
    ) -> Any:
        parse = super().email_url
        return self._parse_url(var, "EMAIL_BACKEND", lambda: parse(var, default, backend))

    def _parse_url(
        self, var: builtins.str, needed: builtins.str, parse: Callable[[], dict[builtins.str, Any]]
    ) -> dict[builtins.str, Any]:
        try:
            with catch_warnings(action="ignore"):  # they show the value
                found = parse()
        except (ImproperlyConfigured, ValueError) as fault:
            if str(fault).startswith(f"{var}_FILE"):
                raise
            found = {}
        if "." in found.get(needed, ""):  # the dotted path of a backend
            return found
        raise ImproperlyConfigured(f"{var} is no address of its kind: write it as {URL_EXAMPLES[var]}.")
