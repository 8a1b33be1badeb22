"""What the settings read from the machine: variables and secrets in files, processes, rights, addresses.

A variable NAME can be given as `NAME_FILE`, the path of a file with its value; a secret in a file stands in
no environment and no list of processes. The module also works out how many processes the machine can run,
closes the office's folder to other accounts, and tells whether PostgreSQL and Redis prove who they are.
"""

from __future__ import annotations

import builtins
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from ipaddress import ip_address
from pathlib import Path
from shutil import copymode
from ssl import CERT_NONE, CERT_REQUIRED
from typing import Any, Literal
from urllib.parse import urlsplit
from warnings import catch_warnings

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from environ import FileAwareEnv
from environ.fileaware_mapping import FileAwareMapping
from kombu.utils.url import parse_url

from players.storage import kept_secret

# ---- The number of processes that this machine can run, by its cores and its memory.
MOST_WEB = 4
WEB_MEGABYTES = 160
"""The memory of a web process with warm caches (125 were measured), and some spare."""
OTHERS_MEGABYTES = 640
"""The memory left to the supervisor, the workers and the system before web processes are counted."""
SMALL_MEGABYTES = 1500
"""Below this, one recompute at a time is enough."""


def web_processes() -> int:
    """The number of web processes: WEB_PROCESSES, or one for each core, as memory allows; to `MOST_WEB`.

    `up` starts so many, and each of them shares the office's limits with the others.
    """
    if settings.WEB_PROCESSES:
        return int(settings.WEB_PROCESSES)
    fitting = (memory_megabytes() - OTHERS_MEGABYTES) // WEB_MEGABYTES
    return max(1, min(cores(), fitting, MOST_WEB))


def rating_processes() -> int:
    """The number of worker processes to start: as many offices are recomputed at once."""
    return 1 if memory_megabytes() < SMALL_MEGABYTES else 2


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_megabytes(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """The machine's memory in megabytes, or what a container may have of it."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # no container, or one without a limit: “max”
        total = min(total, int(limit.read_text()))
    return total // 2**20


# ---- The rights of the bytecode that Python writes: whoever may read the sources may read it.
#
# The umask is the data's (`keep_private`); what root's start makes in the program's folder serves the
# office's account.
class _Loader(SourceFileLoader):
    """Python's own, whose bytecode is as readable as its source, and `__pycache__` as the folder above."""

    def set_data(self, path: Any, data: Any, **how: Any) -> None:
        super().set_data(path, data, **how)
        kept, source = Path(path), Path(self.path)
        with suppress(OSError):  # nothing was kept, or the folder is not ours
            copymode(source, kept)
            if kept.parent.parent == source.parent:
                copymode(source.parent, kept.parent)


_hook = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (_Loader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)


# ---- Rights of what the office keeps: nobody but the account that runs it reads its folder.
#
# In it lie births, addresses, password hashes, sessions, letters with links, keys and backups.
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private(folder: Path) -> None:
    """Close the folder, and whatever this process makes from now on, to other accounts; make nothing yet.

    What it makes of its own sources, beside them, stays as open as these are.
    """
    os.umask(OTHERS)
    if _hook not in sys.path_hooks:
        sys.path_hooks.insert(0, _hook)
        sys.path_importer_cache.clear()
    close_to_others(folder)


def tighten(folder: Path) -> None:
    """Close the office's folder and all that lies in it to other accounts: an earlier version did not."""
    close_to_others(folder)
    for path in folder.rglob("*"):
        close_to_others(path)


def open_to_others(folder: Path) -> list[Path]:
    """The folder's files and folders that other accounts of the machine can open; the folder itself first.

    Whatever lies in a closed folder is closed too: nobody gets there.
    """
    if not folder.is_dir() or not folder.stat().st_mode & OTHERS:
        return []
    inside = (path for path in sorted(folder.rglob("*")) if not path.is_symlink())
    return [folder, *(path for path in inside if path.stat().st_mode & OTHERS)]


def close_to_others(path: Path) -> None:
    """Take away the rights of group and others, where they have any and the file is this account's own."""
    try:
        found = path.lstat()
        if found.st_uid == os.geteuid() and found.st_mode & OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
    except (FileNotFoundError, NotADirectoryError):  # a file of a moment, or a folder that nobody made yet
        pass
    except OSError as fault:
        if fault.errno != errno.EROFS:  # what nobody can write is for its owner to close
            raise


# ---- Addresses of PostgreSQL and Redis: on which machine they are, and who checks their certificates.
def tls_of(broker: str) -> dict[str, object] | Literal[False]:
    """Demands on the certificate of a Redis behind TLS; Celery by itself has none. What the address says of
    it (`ssl_…`) comes first.
    """
    if urlsplit(broker).scheme != "rediss":
        return False
    return {"ssl_cert_reqs": CERT_REQUIRED, "ssl_check_hostname": True}


def certificate_is_checked(broker: str) -> bool:
    """Whether a Redis has to prove that it is the one of this address, after what the address says of it."""
    try:
        asked = (tls_of(broker) or {}) | parse_url(broker).get("ssl", {})
    except KeyError:  # a word for ssl_cert_reqs that there is not
        return False
    return asked.get("ssl_cert_reqs", CERT_NONE) != CERT_NONE and bool(asked.get("ssl_check_hostname"))


def unproved_caches(cache: Mapping[str, Any]) -> list[str]:
    """The hosts of a cache's servers that need not prove who they are. `cache`: one of `settings.CACHES`.

    redis-py asks for the certificate and its name by itself, unless the options say otherwise.
    """
    places = cache.get("LOCATION", "")
    parts = [urlsplit(each) for each in ([places] if isinstance(places, str) else places)]
    options = {name: str(value).lower() for name, value in cache.get("OPTIONS", {}).items()}
    proves = options.get("ssl_cert_reqs", "required") not in ("none", "cert_none")
    proves = proves and options.get("ssl_check_hostname", "true") not in ("false", "0", "no")
    return [each.hostname or "" for each in parts if not (each.scheme == "rediss" and proves)]


def is_elsewhere(host: str) -> bool:
    """Whether a server is on another machine. A name without a dot is one of this machine, or of compose's
    own networks.
    """
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return "." in host and not host.startswith("/")


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
