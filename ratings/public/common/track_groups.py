"""Groups a federation's tracks, by name, for readers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from django.http import Http404
from django.utils.translation import gettext as _

from ratings.law.ruleset import Ruleset, Track


class OfTrack(Protocol):
    @property
    def track(self) -> str: ...


T = TypeVar("T", bound=OfTrack)


def track_of(ruleset: Ruleset, code: str) -> Track:
    """The track of a code; 404 if there is none."""
    for track in ruleset.tracks:
        if track.code == code:
            return track
    raise Http404(_("There is no such rating."))


def by_group(ruleset: Ruleset, things: Iterable[T]) -> list[tuple[str, list[T]]]:
    """Sort lists, or anything else with a `track`, into the ruleset's groups of tracks: pairs of the group's
    name and its members, in the order of the tracks.
    """
    of_track: dict[str, list[T]] = {}
    for thing in things:
        of_track.setdefault(thing.track, []).append(thing)
    groups: dict[str, list[T]] = {}
    for track in ruleset.tracks:
        if found := of_track.get(track.code):
            groups.setdefault(track.group, []).extend(found)
    return [(_(name) if name else "", members) for name, members in groups.items()]
