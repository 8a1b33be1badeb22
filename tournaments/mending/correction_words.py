"""Corrections in words: for the office and the region with their reason, for the public without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from tournaments.events.models import Section
from tournaments.mending.models import Correction


class Told(Protocol):
    """The parts of a correction that its words tell."""

    @property
    def what(self) -> str: ...
    @property
    def where(self) -> Any: ...
    @property
    def before(self) -> Any: ...
    @property
    def after(self) -> Any: ...


def words_of(office: Federation, corrections: Iterable[Told]) -> list[str]:
    """Each correction in words: where, and what it was before and after."""
    told = list(corrections)
    numbers = {side["player"] for each in told for side in _sides(each)}
    found = Player.objects.filter(federation=office, number__in=numbers)
    people = found.select_related("merged_into", "federation") if numbers else ()
    names = {player.number: (player.merged_into or player).shown_name for player in people}
    return [_words(each, names) for each in told]


@dataclass(frozen=True, slots=True)
class ToldCorrection:
    """A correction for the office and the region, with its reason."""

    words: str
    on: date
    by: str
    reason: str
    stands: bool
    """Whether it is in what the section holds now; otherwise it was made on the file before."""


def told_of(section: Section) -> list[ToldCorrection]:
    """All corrections that the office ever made in a section, the first first."""
    kept = list(section.corrections.select_related("decision", "reason", "by"))
    if not kept:
        return []
    office = section.event.federation
    standing = set(Correction.objects.standing(section).values_list("pk", flat=True))
    names = office.appointments.names()
    return [
        ToldCorrection(words, one.decision.on, names.get(one.by_id or 0, ""), one.words, one.pk in standing)
        for one, words in zip(kept, words_of(office, kept), strict=True)
    ]


def told_in_public(section: Section) -> list[str]:
    """The corrections in what a section holds now, without the reasons, which may speak of people."""
    if not section.corrections.exists():
        return []
    return words_of(section.event.federation, Correction.objects.standing(section))


def _words(told: Told, names: Mapping[str, str]) -> str:
    if told.what == Correction.What.PLACE:
        return _("%(player)s: place %(before)s → %(after)s") % {
            "player": _name(told.where["entry"], names),
            "before": told.before or "–",
            "after": told.after,
        }
    if told.what == Correction.What.DATE:
        return _date_words(told)
    said = {
        "round": told.where["round"],
        "before": result_as_read(told.before),
        "after": result_as_read(told.after),
    }
    said["game"] = _pair(told.where["sides"], names)
    if told.what == Correction.What.PAIRING:
        said |= {"before": _pair(told.before, names), "after": _pair(told.after, names)}
        return _("round %(round)s: %(before)s → %(after)s") % said
    if told.what == Correction.What.STRUCK:
        return _("round %(round)s, %(game)s, %(before)s: struck, it counts for nothing") % said
    return _("round %(round)s, %(game)s: %(before)s → %(after)s") % said


def _date_words(told: Told) -> str:
    days = {"before": _day(told.before), "after": _day(told.after)}
    if told.where.get("day") == "starts":
        return _("first day: %(before)s → %(after)s") % days
    if told.where.get("day") == "ends":
        return _("last day: %(before)s → %(after)s") % days
    return _("day of round %(round)s: %(before)s → %(after)s") % {**days, "round": told.where["round"]}


def result_as_read(result: Any) -> Any:
    """A result as readers write it."""
    if result == "annulled":
        return _("annulled")
    return "½-½" if result == "1/2" else result


def _day(day: str | None) -> str:
    return date_format(date.fromisoformat(day), "DATE_FORMAT") if day else "–"


def _pair(sides: Any, names: Mapping[str, str]) -> str:
    first, second = (_name(side, names) for side in sides)
    return f"{first} – {second}"


def _name(side: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return names.get(side["player"]) or _("number %(number)s") % {"number": side["number"]}


def _sides(told: Told) -> list[Mapping[str, Any]]:
    sides = [*told.where.get("sides", [])]
    if "entry" in told.where:
        sides.append(told.where["entry"])
    if told.what == Correction.What.PAIRING:
        sides += [*told.before, *told.after]
    return sides


def in_short(corrections: Iterable[Told]) -> list[str]:
    """Corrections for the record of decisions, which names players by their starting numbers."""
    return [_words(each, {}) for each in corrections]
