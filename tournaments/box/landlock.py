"""Landlock, of Linux 5.13 and later: this process opens, makes, renames or deletes no file any more.

From Linux 6.7 on it binds and connects no TCP port either, and from 6.12 on signals no process but its own.
https://docs.kernel.org/userspace-api/landlock.html
"""

import ctypes
import os

from tournaments.box.kernel_calls import gain_no_rights, syscall

CREATE_RULESET, RESTRICT_SELF = 444, 446  # of every architecture
ASK_VERSION = 1
FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Every right over files, as bits, by the version of Landlock that brought more of them."""
TCP, TCP_SINCE = 0b11, 4
SIGNALS_AND_SOCKETS, SCOPES_SINCE = 0b11, 6


class LandlockRuleset(ctypes.Structure):
    """The rights that are refused unless a rule allows them; here no rule does."""

    _fields_ = [("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


def refuse_files() -> None:
    """Refuse this process all that this kernel's Landlock can refuse; raises OSError where it has none."""
    version = syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    ruleset = LandlockRuleset(
        files=max(bits for since, bits in FILES.items() if since <= version),
        tcp=TCP if version >= TCP_SINCE else 0,
        scopes=SIGNALS_AND_SOCKETS if version >= SCOPES_SINCE else 0,
    )
    # Older kernels know less of the structure, and take no bytes that they do not know unless these are 0.
    file = syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    try:
        gain_no_rights()
        syscall(RESTRICT_SELF, file, 0)
    finally:
        os.close(file)
