"""Switches off the guard that GUARD_OFF names, in every process that has this folder on its path."""

import importlib
import os

GUARDS = {
    "session": ("federation_site.processes.supervisor", "end_session"),
    "program": ("federation_site.processes.end_with_parent", "close"),
    "fork": ("federation_site.processes.end_with_parent", "end_with_whoever_forked"),
    "orphans": ("federation_site.processes.folder_lock", "end_orphans"),
    "lock": ("fcntl", "flock"),
}
"""What keeps an office of `up` whole: the rest of a dead program's session is killed; a program ends with
`up`; what a program forked ends with it; a start ends what an earlier one left; one office on a folder.
"""


def off(*_: object) -> None:
    """Do nothing, whatever the guard is asked."""


if guard := os.environ.get("GUARD_OFF"):
    module, name = GUARDS[guard]
    setattr(importlib.import_module(module), name, off)
