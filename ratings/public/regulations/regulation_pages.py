"""Pages of the regulations as the program follows them: clauses, readings, numbers, editions, examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.office.settings_schema import ClauseWords, settings_of, terms_of_settings
from ratings.equipment.find_equipment import form_fields
from ratings.law.parameters import Grid, Parameters
from ratings.law.rule_outputs import Value
from ratings.law.ruleset import Edition, Ruleset, Track
from ratings.law.ruleset_helpers.common_readings import COMMON
from ratings.law.ruleset_helpers.example_files import examples_of
from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.public.common.caching import cached_page
from ratings.public.regulations.chapters import chapters_of, looked_for
from ratings.public.regulations.where_used import NOWHERE, WhereUsed, where_used
from ratings.results.workings import exact_or_shown

NOTHING_KNOWN = Enacted(EnactedText("", ""))


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the regulations or a reading (`D-…`) for its page: the words and what goes with them."""

    number: str
    text: str
    question: str = ""
    """The question that the text leaves open, if it is a reading."""
    not_computed: str = ""
    """The reason why no page and no command carries it out."""
    partly: str = ""
    """The part that no page and no command carries out."""
    readings: tuple[str, ...] = ()
    """Readings of small points on which it is silent."""
    set_here: tuple[str, ...] = ()
    """This office's settings that change its effect."""
    place: str = ""
    """The clause's anchor on the page."""
    used: WhereUsed = NOWHERE
    """The places that cite it; of the newest edition alone."""


@dataclass(frozen=True, slots=True)
class Amended:
    """An earlier edition, with those of its clauses that read otherwise in the newest."""

    edition: Edition
    until: date
    """The first day of the next."""
    clauses: list[Clause]


@public
@cached_page
def regulations(request: OfficeRequest) -> HttpResponseBase:
    office = request.office
    ruleset, enacted = office.ruleset, office.publication.enacted
    uses = where_used(ruleset)
    clauses = [replace(each, used=uses[each.number]) for each in clauses_of(office, ruleset.newest)]
    common = [
        Clause(number, _(says), _(asks), place=f"clause-{number}") for number, (asks, says) in COMMON.items()
    ]
    wanted = request.GET.get("q", "").strip()[:60]
    context = {
        "wanted": wanted,
        "found": list(looked_for((*clauses, *common), wanted)) if wanted else [],
        "whole": request.GET.get("open") == "all",
        "ruleset": ruleset,
        "groups": _groups(ruleset.tracks),
        "chapters": chapters_of(
            enacted or NOTHING_KNOWN, [each for each in clauses if not is_reading(each.number)]
        ),
        "readings": [clause for clause in clauses if is_reading(clause.number)],
        "amended": list(amended_of(office)),
        "common": common,
        "switches": list(switches_of(office, ruleset.newest)),
        "source": enacted.source if enacted else None,
        "editions": [_edition(ruleset, edition) for edition in reversed(ruleset.editions)],
        "examples": examples_of(ruleset),
    }
    return render(request, "ratings/regulations.html", context)


def amended_of(office: Federation) -> Iterator[Amended]:
    """The earlier editions that the newest one differs from in words or numbers, the latest first."""
    ruleset = office.ruleset
    newest = ruleset.clauses_of(ruleset.newest)
    for edition, following in reversed(list(pairwise(ruleset.editions))):
        clauses = ruleset.clauses_of(edition)
        others = [
            each for each in clauses_of(office, edition) if clauses[each.number] != newest.get(each.number)
        ]
        if others:
            yield Amended(edition, following.in_force, others)


def clauses_of(office: Federation, edition: Edition) -> Iterator[Clause]:
    """Every clause and reading of an edition, in order."""
    ruleset, enacted = office.ruleset, enacted_of(office, edition)
    switches = list(switches_of(office, edition))
    for number, text in ruleset.clauses_of(edition).items():
        yield Clause(
            number,
            _(text),
            _words(ruleset.words.questions.get(number)),
            _words(enacted.not_computed.get(number)),
            _words(enacted.partly_computed.get(number)),
            tuple(_(reading) for of_clause, reading in enacted.smaller_readings if of_clause == number),
            tuple(switch.at_the_clause for switch in switches if number in switch.clauses),
            ruleset.place_of(number, edition),
        )


def enacted_of(office: Federation, edition: Edition) -> Enacted:
    """The edition's source and the clauses that the program does not carry out, as its ruleset gives them."""
    enacted = office.publication.enacted or NOTHING_KNOWN
    return enacted.earlier.get(edition.in_force, enacted)


def _words(text: str | None) -> str:
    return _(text) if text else ""


@dataclass(frozen=True, slots=True)
class Switch:
    """One setting of the office that makes clauses binding or mere notices: the value and the clauses."""

    name: str
    stands: str
    """The value of the setting, in a sentence."""
    clauses: tuple[str, ...]
    at_the_clause: str
    """The words shown at each of these clauses."""


def switches_of(office: Federation, edition: Edition) -> Iterator[Switch]:
    """The office's settings on which clauses of the edition depend, as the notes on the edition name them."""
    settings, enacted = settings_of(office), enacted_of(office, edition)
    in_order = tuple(office.ruleset.clauses_of(edition))
    for name, terms in terms_of_settings().items():
        if terms.at_clauses and (numbers := enacted.settings.get(name)):
            words = _set_here(terms.at_clauses, getattr(settings, name))
            yield Switch(str(terms.at_clauses.name), words, _in_order(in_order, numbers), words)


def _set_here(at_clauses: ClauseWords, value: bool | str) -> str:
    """The words for a setting's value: a switch's, or the day (ISO) that is set."""
    if isinstance(value, str) and value:
        return at_clauses.on % {"day": date_format(date.fromisoformat(value), "DATE_FORMAT")}
    return str(at_clauses.on if value else at_clauses.off)


def _in_order(clauses: Sequence[str], numbers: Collection[str]) -> tuple[str, ...]:
    return tuple(number for number in clauses if number in numbers)


def is_reading(number: str) -> bool:
    """Whether this is the number of a reading (`D-…`), our understanding of an open text, not of a clause."""
    return number.startswith("D-")


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of an edition's rules (K, limits, tables), in words, each with its clause."""

    edition: Edition
    single: list[tuple[str, str, str]]
    """Clause, name, value."""
    grids: list[tuple[str, str, list[str], list[list[tuple[str, bool]]]]]
    """Clause, name, columns, rows of cells, each cell with whether it is a number."""


def _edition(ruleset: Ruleset, edition: Edition) -> Numbers:
    parameters: Parameters = edition.parameters
    single, grids = [], []
    for each in parameters:
        if isinstance(each, Grid):
            rows = [[_cell(ruleset, value) for value in row] for row in each.rows]
            grids.append((each.clause, _(each.words), [_(column) for column in each.columns], rows))
        else:
            single.append((each.clause, _(each.words), _cell(ruleset, each.value)[0]))
    return Numbers(edition, single, grids)


def _cell(ruleset: Ruleset, value: Value) -> tuple[str, bool]:
    """A number or code of the rules in words (codes as in forms or messages), and whether it is a number."""
    if not isinstance(value, str):
        return exact_or_shown(value), True
    labels = {choice.value: choice.label for field in form_fields(ruleset) for choice in field.choices}
    return _(labels.get(value) or ruleset.words.messages.get(value, value)), False


def _groups(tracks: Sequence[Track]) -> dict[str, list[Track]]:
    found: dict[str, list[Track]] = {}
    for track in tracks:
        found.setdefault(track.group, []).append(track)
    return found
