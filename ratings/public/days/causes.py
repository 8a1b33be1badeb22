"""Puts the lines of the journal that moved ratings into words: what was decided, and by which clause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.players_by_number import named
from ratings.lists.models import RatingList
from ratings.public.common.worded_errata import WordedErratum, errata_of, worded_errata
from ratings.public.players.player_ratings import kind_words, section_url
from ratings.results.workings import clause_url


@dataclass(frozen=True, slots=True)
class WordedCause:
    """One decision that moved ratings, as the journal's line has it, in words for a page."""

    line: int
    """The number of the line."""
    kind: str
    on: date | None
    words: str
    url: str
    """The page of what was decided; empty if there is none."""
    why: str = ""
    """The reason of a correction, in general words; empty where there is none."""
    clause: str = ""
    """The clause on it: the one from which day a section counts, or the one on corrections; empty: none."""
    clause_url: str = ""


def causes_of(office: Federation, lines: Sequence[Fact]) -> dict[int, WordedCause]:
    """Lines of the journal in words, by number; what they name is looked up together. The lines have their
    sections' events loaded.
    """
    told = _errata(office, lines)
    people = named(office, {line.subject for line in lines if line.kind in ("rank", "opening")})
    listed = _listed(office, lines)
    return {line.number: _cause(office, line, told, people, listed) for line in lines}


def _errata(office: Federation, lines: Iterable[Fact]) -> dict[int, WordedErratum]:
    found = errata_of(office).filter(fact__in=[line.pk for line in lines])
    return {each.line.number: each for each in worded_errata(office, found)}


def _listed(office: Federation, lines: Iterable[Fact]) -> set[int]:
    """The keys of the lines that published a list of anybody."""
    keys = [line.pk for line in lines if line.kind == "list"]
    lists = RatingList.objects.of(office).filter(fact__in=keys) if keys else RatingList.objects.none()
    return set(lists.order_by().values_list("fact_id", flat=True).distinct())


def _cause(
    office: Federation,
    line: Fact,
    told: Mapping[int, WordedErratum],
    people: Mapping[str, Player],
    listed: set[int],
) -> WordedCause:
    erratum = told.get(line.number)
    clause = _clause(office, line, corrects=erratum is not None)
    edition = office.ruleset.edition_of_day(line.on)
    words, url = (erratum.title, erratum.url) if erratum else _worded(office, line, people, listed)
    return WordedCause(
        line=line.number,
        kind=line.kind,
        on=line.on,
        words=words,
        url=url,
        why=erratum.wrong if erratum else "",
        clause=clause,
        clause_url=clause_url(office, clause, edition) if clause else "",
    )


def _clause(office: Federation, line: Fact, *, corrects: bool) -> str:
    if line.section_id is None:
        return ""
    if corrects:
        return office.equipment.office.powers.unrating.clause
    return office.ruleset.journal.counts_from


def _worded(
    office: Federation, line: Fact, people: Mapping[str, Player], listed: set[int]
) -> tuple[str, str]:
    """The words and the address of a line that corrects nothing."""
    if line.section is not None:
        event = line.section.event
        words = _("Rated: %(section)s") % {"section": f"{event.name}, {line.section.name}"}
        return words, section_url(office, event.number, line.section.code)
    if line.kind == "list" and line.on is not None:
        address = reverse("ratings:list_day", args=[office.code, RatingList(on=line.on).label])
        words = _("List of %(day)s") % {"day": date_format(line.on, "DATE_FORMAT")}
        return words, address if line.pk in listed else ""
    if line.kind == "taken_over":
        return _("A history was taken over from before this office"), ""
    if (player := people.get(line.subject)) is not None:
        told = {"what": kind_words(line.kind), "player": player.shown_name}
        return _("%(what)s: %(player)s") % told, player.get_absolute_url()
    return kind_words(line.kind), ""
