"""Switches off the guard that GUARD_OFF names, in every process that has this folder on its path.

FOLD_PAUSE, in seconds, makes each line of a fold last so much longer, and the writing of what came of it
ten times that: faults then meet both under way.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

GUARDS = {
    # what keeps the processes of `up` whole
    "session": ("federation_site.processes", "end_group"),
    "program": ("federation_site.processes", "close"),
    "fork": ("federation_site.processes", "end_with_whoever_forked"),
    "orphans": ("federation_site.processes", "end_orphans"),
    "lock": ("fcntl", "flock"),
    "whole-pool": ("federation_site.celery", "end_if_killed"),
    # what keeps decisions and their effects whole
    "sweep": ("federation_site.celery", "send_sweeps"),
    "takeover": ("players.jobs", "free"),
    "leap": ("players.jobs", "free"),
    "give-back": ("players.jobs", "DATABASE_TROUBLE"),
    "one-writer": ("ratings.recompute", "Ledger"),
    "one-transaction": ("ratings.recompute", "_write"),
    "version": ("ratings.approval", "_move"),
    "broker-patience": ("federation_site.settings", "CELERY_BROKER_TRANSPORT_OPTIONS"),
    "fresh-connection": ("federation_site.settings", "DATABASES"),
}
"""The module and the name of each guard."""


def off(*_: object, **__: object) -> None:
    """Do nothing, whatever the guard is asked."""


def _switch_off(guard: str, module: Any) -> None:
    name = GUARDS[guard][1]
    if guard == "takeover":  # a job in hand is never free, however long its worker is dead
        module.free = lambda jobs: jobs.filter(heartbeat=None)
    elif guard == "leap":  # only silence tells of a death
        module.free = lambda jobs: jobs.filter(
            module.Q(heartbeat=None) | module.Q(heartbeat__lt=module.timezone.now() - jobs.model.silence)
        )
    elif guard == "give-back":  # a broken connection is a failing rule
        module.DATABASE_TROUBLE = ()
    elif guard == "one-writer":  # whoever folded writes, whatever was written meanwhile
        rows = module.Ledger.objects
        module.Ledger = SimpleNamespace(
            objects=SimpleNamespace(
                filter=lambda *, pk, **_: rows.filter(pk=pk), get=rows.get, pending=rows.pending
            )
        )
    elif guard == "one-transaction":  # each table by itself
        module._write = module._write.__wrapped__
    elif guard == "version":  # a decision asks neither what was seen nor what is there
        module._move = lambda section, version, *, seen, to, **fields: module.Section.objects.filter(
            pk=section.pk
        ).update(stage=to, version=version + 1, **fields)
    elif guard == "broker-patience":
        module.CELERY_BROKER_TRANSPORT_OPTIONS.clear()
    elif guard == "fresh-connection":
        module.DATABASES["default"]["CONN_HEALTH_CHECKS"] = False
    else:
        setattr(module, name, off)


class Afterwards(MetaPathFinder):
    """Calls a function with a module as soon as that has been imported."""

    def __init__(self, name: str, then: Callable[[ModuleType], None]) -> None:
        self.name, self.then = name, then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_then(module: ModuleType) -> None:
                run(module)
                self.then(module)

            spec.loader.exec_module = run_and_then  # type: ignore[method-assign]
        return spec


def _slow_down(seconds: float, module: Any) -> None:
    step = module.Progress.step

    def slower(self: Any) -> None:
        time.sleep(seconds)
        step(self)

    module.Progress.step = slower


def _slow_writing_down(seconds: float, module: Any) -> None:
    write = module._write_standings

    def slower(work: Any) -> None:
        time.sleep(10 * seconds)
        write(work)

    module._write_standings = slower


if guard := os.environ.get("GUARD_OFF", ""):
    if guard == "lock":  # built in: nobody can wait for its import
        fcntl.flock = off
    elif guard not in GUARDS:
        from tests.guards_off.guards_of_races import GUARDS_OF_RACES

        sys.meta_path.insert(0, Afterwards(*GUARDS_OF_RACES[guard]))
    else:
        sys.meta_path.insert(0, Afterwards(GUARDS[guard][0], partial(_switch_off, guard)))
if pause := float(os.environ.get("FOLD_PAUSE") or 0):
    sys.meta_path[:0] = [
        Afterwards("ratings.recompute", partial(_slow_down, pause)),
        Afterwards("ratings.recompute", partial(_slow_writing_down, pause)),
    ]
