"""Calls of the Linux kernel that Python has no name for. Each raises OSError where the kernel refuses."""

import ctypes
import os
import sys

PR_SET_NO_NEW_PRIVS = 38


def prctl(option: int, *values: object) -> None:
    _checked(_libc().prctl(option, *values))


def syscall(number: int, *values: object) -> int:
    return _checked(_libc().syscall(number, *values))


def gain_no_rights() -> None:
    """Let no program that this process runs have more rights than it; locks ask for that first."""
    prctl(PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0)))


def _libc() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise OSError("not Linux")
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
