"""The files that a demo office offers to a newcomer until they are uploaded."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from players.office.models import Federation
from tournaments.events.models import Event, Stage


def folder(federation: Federation) -> Path:
    return Path(settings.VAR) / "demo" / federation.code


def offered(federation: Federation, regions: frozenset[int] | None = None) -> list[tuple[Event, str]]:
    """The events whose demo file nobody uploaded yet, each with the file's name. `regions`: the keys of the
    only regions to look at; None: all.
    """
    if not federation.demo or not folder(federation).is_dir():
        return []
    waiting = federation.events.filter(sections__stage=Stage.REGISTERED).distinct()
    if regions is not None:
        waiting = waiting.filter(region__in=regions)
    files = {path.name.partition("_")[0]: path.name for path in sorted(folder(federation).iterdir())}
    return [(event, files[event.number]) for event in waiting if event.number in files]
