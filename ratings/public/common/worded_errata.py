"""Puts errata into words for pages: the fault, the clause, and the lists in which it still stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.models import Decision, Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.unrating_reasons import reason_words
from ratings.law import facts, journal
from ratings.public.common.disclosure_limits import Hidden, withheld_of
from ratings.results.models import CorrectedRating, Erratum
from tournaments.events.models import Section

TOLD = 10
"""The most corrections told on a list's page; all stand among the office's errata."""


@dataclass(frozen=True, slots=True)
class WordedErratum:
    """One erratum as a page tells it: what was wrong, under which clause, and which lists it concerns."""

    erratum: Erratum
    line: Fact
    title: str
    wrong: str
    """The fault in general words; empty where there was none (a section rated again)."""
    words: str
    """The office's own words."""
    url: str
    at: datetime
    """The time of the decision here; in a record that was taken in, noon of its day."""


def errata_of(federation: Federation) -> QuerySet[Erratum]:
    """An office's errata, newest first, each with its journal line and what that line takes back or mends."""
    # Worked out, as no index knows it: by that of the federation SQLite would walk through the whole journal.
    of_office = Erratum.objects.alias(office=F("fact__federation_id") + 0)
    found = of_office.filter(office=federation.pk)
    return found.select_related("fact__section__event", "fact__takes").order_by("-fact__number")


def of_section(section: Section) -> QuerySet[Erratum]:
    return errata_of(section.event.federation).filter(fact__section=section)


def worded_errata(federation: Federation, errata: Iterable[Erratum]) -> list[WordedErratum]:
    """Put errata into words for a page; the sections, lists and decisions in them are looked up together."""
    found = list(errata)
    if not found:
        return []
    for erratum in found:
        erratum.fact.federation = federation
    lines = {erratum.pk: journal.parse_line(erratum.fact.line, federation.ruleset) for erratum in found}
    people = _people(federation, lines.values())
    decided = _decided(federation, [erratum.fact for erratum in found])
    hidden = withheld_of(federation) if decided else Hidden()
    return [
        _worded(federation, each, lines[each.pk], people, decided.get(each.fact.number), hidden)
        for each in found
    ]


def _worded(
    federation: Federation,
    erratum: Erratum,
    line: facts.JournalFact,
    people: dict[str, Player],
    decision: Decision | None,
    hidden: Hidden,
) -> WordedErratum:
    fact = erratum.fact
    wrong = reason_words(line.reason) if isinstance(line, facts.Unrated) else ""
    at = decision.at if decision else datetime.combine(fact.on or datetime.now(UTC).date(), time(12), UTC)
    return WordedErratum(
        erratum=erratum,
        line=fact,
        title=_title(fact, line, people),
        wrong=wrong,
        words=hidden.left_out_of(_office_words(decision)),
        url=reverse("ratings:erratum", args=[federation.code, fact.number]),
        at=at,
    )


def _office_words(decision: Decision | None) -> str:
    """The words that officials wrote for the public on an un-rating or a revised list; empty for a merge,
    whose reason stays in the office.
    """
    details = decision.details if decision else {}
    return str(details.get("words") or details.get("note") or "")


def _title(fact: Fact, line: facts.JournalFact, people: dict[str, Player]) -> str:
    match line:
        case facts.Unrated():
            return _("Taken back: %(section)s") % {"section": _section(fact)}
        case facts.Rated():
            return _("Rated again: %(section)s") % {"section": _section(fact)}
        case facts.Merged(player, into):
            return _("One person: %(player)s and %(other)s") % {
                "player": _name(people, player),
                "other": _name(people, into),
            }
        case facts.Parted(player):
            return _("Merge taken back: %(player)s") % {"player": _name(people, player)}
        case facts.Revised(day):
            return _("List of %(day)s, published again") % {"day": date_format(day, "DATE_FORMAT")}
        case _:
            return _("Corrected: %(what)s") % {"what": fact.subject}


def _section(fact: Fact) -> str:
    assert fact.section is not None
    return f"{fact.section.event.name}, {fact.section.name}"


def _name(people: dict[str, Player], number: str) -> str:
    player = people.get(number)
    return f"{player.shown_name} ({number})" if player else number


def _people(federation: Federation, lines: Iterable[facts.JournalFact]) -> dict[str, Player]:
    numbers: set[str] = set()
    for line in lines:
        match line:
            case facts.Merged(player, into):
                numbers |= {player, into}
            case facts.Parted(player):
                numbers.add(player)
    if not numbers:
        return {}
    found = Player.objects.filter(federation=federation, number__in=numbers)
    return {player.number: player for player in found}


def _decided(federation: Federation, lines: Sequence[Fact]) -> dict[int, Decision]:
    """The office's decision that wrote each of these journal lines, by the line's number."""
    about = {f"{what} {line.subject}" for line in lines for what in ("section", "player") if line.subject}
    about |= {f"list {_revised_day(line)}" for line in lines if line.kind == "revised"}
    found = Decision.objects.filter(federation=federation, about__in=about).prefetch_related("words")
    return {number: each for each in found if isinstance(number := each.details.get("fact"), int)}


def _revised_day(line: Fact) -> date | None:
    spoken = journal.parse_line(line.line, line.federation.ruleset)
    return spoken.list if isinstance(spoken, facts.Revised) else None


# ---------------------------------------------------------------- lists and corrections


OF_CORRECTIONS = (
    *("player", "before", "after", "erratum__fact__number", "erratum__fact__on", "erratum__fact__line"),
    *("erratum__fact__subject", "erratum__fact__section__name", "erratum__fact__section__event__name"),
)
"""The fields of corrections, with their lines and sections, by which a player's page tells them."""


class TitledErratum(NamedTuple):
    """An erratum as a player's page names it; the erratum's own page has the office's words."""

    title: str
    url: str
    on: date | None


def corrections_of_player(player: Player, track: str) -> list[tuple[TitledErratum, CorrectedRating]]:
    """The errata of a player's rating in a track, newest first, each with the rating before and after. Errata
    of entries merged into the player's are among them, unless the same erratum names the player's own.
    """
    people = Player.objects.of_one_person(player)
    mine = CorrectedRating.objects.filter(player__in=people, track=track).order_by("-erratum__fact__number")
    rows: dict[int, CorrectedRating] = {}
    for each in mine.select_related("erratum__fact__section__event").only(*OF_CORRECTIONS):
        if each.erratum_id not in rows or each.player_id == player.pk:
            rows[each.erratum_id] = each
    lines = {pk: _line(player.federation, row.erratum.fact) for pk, row in rows.items()}
    named = _people(player.federation, lines.values())
    return [(_titled(player.federation, row.erratum.fact, lines[pk], named), row) for pk, row in rows.items()]


def _line(federation: Federation, fact: Fact) -> facts.JournalFact:
    return journal.parse_line(fact.line, federation.ruleset)


def _titled(
    federation: Federation, fact: Fact, line: facts.JournalFact, people: dict[str, Player]
) -> TitledErratum:
    url = reverse("ratings:erratum", args=[federation.code, fact.number])
    return TitledErratum(_title(fact, line, people), url, fact.on)
