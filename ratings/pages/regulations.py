"""Pages of the regulations as the program follows them: clauses, readings, numbers, examples.

Each clause is shown with the places that cite it. A worked example shows its input, and the results as the
program computes them when the page is asked for, beside the expected ones.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from functools import cache
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Protocol

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format, get_format
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from players.models import Federation
from players.names import words
from players.settings import ClauseWords, settings_of, terms_of_settings
from players.templatetags.ui import clause_label
from ratings.pages.responses import cached_page
from ratings.player_ratings import kind_words
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.examples import Example, examples_of, label
from ratings.rulesets.profile import equipment_of, form_fields
from ratings.rulesets.readings import COMMON, Enacted, EnactedText
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset, Track
from ratings.workings import GameRow, StepRow, exact_or_shown, game_rows, step_rows, summary_rows
from tournaments.corrections import result_as_read


# ---- The clauses of a text by its chapters, and those that a reader looks for.
class Numbered(Protocol):
    """A clause as a page shows it."""

    @property
    def number(self) -> str: ...

    @property
    def text(self) -> str: ...


@dataclass(slots=True)
class Chapter:
    """A chapter of a text: its subject, and its clauses in order."""

    place: str
    """The chapter's anchor on the page."""
    subject: str
    clauses: list[Numbered]

    @property
    def numbers(self) -> str:
        """The numbers of its first and last clause, as a page cites them."""
        first, last = self.clauses[0].number, self.clauses[-1].number
        return clause_label(first) if first == last else f"{clause_label(first)}–{last}"


def chapters_of(enacted: Enacted, clauses: Iterable[Numbered]) -> Sequence[Chapter]:
    """The clauses by chapter; one chapter of all where the text has none."""
    subjects = dict(enacted.chapters)
    found: list[Chapter] = []
    for clause in clauses:
        if clause.number in subjects or not found:
            subject = _(subjects[clause.number]) if clause.number in subjects else _("Clauses")
            found.append(Chapter(f"chapter-{clause.number}", subject, []))
        found[-1].clauses.append(clause)
    return found


def looked_for(clauses: Iterable[Numbered], wanted: str) -> Iterator[Numbered]:
    """The clauses of a number (`44`, `§44`), or in which every word of a text stands or begins a word."""
    number = wanted.strip().removeprefix("§").strip().upper()
    asked = words(wanted)
    for clause in clauses:
        own = words(" ".join((clause.text, *_beside(clause))))
        begun = asked and all(any(each.startswith(word) for each in own) for word in asked)
        if begun or clause.number.upper() == number:
            yield clause


def _beside(clause: Numbered) -> Iterator[str]:
    """The further words that stand at a clause."""
    for name in ("question", "not_computed", "partly"):
        yield getattr(clause, name, "")
    yield from getattr(clause, "readings", ())


# ---- A worked example of the rules: its input, and the program's results as the page is asked for.
WHEN = ("after", "on")
"""Names of the column of an expectation that says when."""
HOW_MUCH = ("rating", "official")
NONE = ("none", "unrated", "-")


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player's rating in a worked example as the program computes it, beside the expected one."""

    player: str
    track: str
    before: Decimal | None
    after: Decimal | None
    expected: str
    """The expected value; empty where the example expects nothing here."""
    expected_words: str
    """The expected value, as the page says it to its reader."""
    agrees: bool
    steps: list[StepRow]
    games: list[GameRow]
    summary: list[StepRow] = field(default_factory=list)


@dataclass(slots=True)
class ExamplePart:
    """A part of a worked example's page: a fact and the ratings that it gives, or a day and its ratings."""

    title: str
    section: Any = None
    entries: list[tuple[str, str]] = field(default_factory=list)
    """Name and place of everybody entered, where there are no games."""
    games: list[tuple[int, str, str, str]] = field(default_factory=list)
    results: list[PlayerResult] = field(default_factory=list)


@public
@cached_page
def example(request: OfficeRequest, name: str) -> HttpResponseBase:
    found = next((each for each in examples_of(request.office.ruleset) if each.name == name), None)
    if found is None:
        raise Http404(_("There is no such example."))
    parts = list(worked(request.office, found))
    given = list(takewhile(is_given, parts))
    context = {"example": found, "given": given, "parts": parts[len(given) :]}
    return render(request, "ratings/example.html", context)


def is_given(part: ExamplePart) -> bool:
    """Whether a part only introduces people and openings, which the page shows together before the play."""
    return part.section is None and not any(result.expected for result in part.results)


def worked(office: Federation, found: Example) -> Iterator[ExamplePart]:
    """Work an example out now, by the rules: a part for each fact, then one for each day that it asks for."""
    with found.journal.open("rb") as lines:
        record = journal.read_journal(lines)
    names = {
        fact.id: fact.name or fact.id for _number, fact in record.lines if isinstance(fact, facts.Player)
    }
    wanted = ExpectedRatings(found)
    state: facts.State[Any] = facts.State()
    for fact in journal.resolve(record):
        before = facts.State(dict(state.standings), state.wide, set(state.due))
        outcome = office.ruleset.apply(before, fact)
        results = _results(office, before, fact, outcome.changes, names, wanted)
        part = ExamplePart(_title(fact, names), results=list(results))
        if isinstance(fact, facts.RatedSection):
            section = fact.section
            part.section = section
            part.games = [
                (g.round, names[g.first], result_as_read(g.result), names[g.second]) for g in section.games
            ]
            if not section.games:
                part.entries = [(names[each.player], str(each.place or "–")) for each in section.entries]
        yield part
        state.absorb(outcome)
    for day in wanted.days:
        yield _day(office, record, day, names, wanted)


class ExpectedRatings:
    """The ratings that an example expects, by fact or day, player and track."""

    def __init__(self, found: Example) -> None:
        self.rows: dict[tuple[str, str, str], str] = {}
        for table in found.tables:
            how_much = next((column for column in HOW_MUCH if column in table.columns), "")
            if table.columns[0] in WHEN and how_much:
                for row in table.rows:
                    said = dict(zip(table.columns, row, strict=False))
                    self.rows[row[0], said["player"], said.get("track", "")] = said[how_much]

    @property
    def days(self) -> list[date]:
        """The days on which the example expects ratings, in order."""
        found = {when for when, _player, _track in self.rows if len(when) == 10 and when.count("-") == 2}
        return sorted(date.fromisoformat(when) for when in found)

    def of(self, when: str, player: str, track: str) -> str:
        return self.rows.get((when, player, track)) or self.rows.get((when, player, ""), "")


def agrees(expected: str, rating: Decimal | None) -> bool:
    try:
        return Decimal(expected) == rating
    except InvalidOperation:
        return expected in NONE and rating is None


def in_words(expected: str) -> str:
    """An expected value in the reader's language: with its decimal sign, or that no rating is expected."""
    if expected in NONE:
        return _("no rating")
    return expected.replace(".", get_format("DECIMAL_SEPARATOR"))


def _title(fact: facts.Fact, names: Mapping[str, str]) -> str:
    if isinstance(fact, facts.RatedSection):
        return f"{fact.section.event} ({fact.section.id})"
    if isinstance(fact.fact, facts.ListClosing):
        return _("List of %(day)s") % {"day": date_format(fact.fact.on, "DATE_FORMAT")}
    spoken = fact.fact
    who = names.get(getattr(spoken, "player", getattr(spoken, "id", getattr(spoken, "winner", ""))), "")
    return f"{kind_words(journal_lines.KINDS[type(spoken)])}: {who}"


def _results(
    office: Federation,
    before: facts.State[Any],
    fact: facts.Fact,
    changes: list[facts.Change[Any]],
    names: Mapping[str, str],
    wanted: ExpectedRatings,
) -> Iterator[PlayerResult]:
    edition = office.ruleset.edition_for(fact)
    for change in changes:
        with localcontext(CONTEXT):
            working = edition.rules.explain(before, fact, change.player, change.track)
        was = change.before.rating if change.before else None
        expected = wanted.of(label(fact), change.player, change.track)
        who, track, rating = change.player, change.track, change.after.rating
        yield _result(office, edition, who, track, was, rating, working, expected, names)


def _day(
    office: Federation, record: journal.Journal, day: date, names: Mapping[str, str], wanted: ExpectedRatings
) -> ExamplePart:
    """The part of an example for one day: everybody's rating as the rules answer, beside the expected one."""
    state: facts.State[Any] = facts.State()
    for _step in office.ruleset.fold(journal.resolve(record, day), state):
        pass
    part = ExamplePart(_("Asked for %(day)s") % {"day": date_format(day, "DATE_FORMAT")})
    with localcontext(CONTEXT):
        edition = office.ruleset.edition_on(day)
        answers = sorted(edition.rules.answers(state, day), key=lambda row: row.player)
        for row in answers:
            expected = wanted.of(day.isoformat(), row.player, row.track)
            steps = _steps(office.ruleset, state, row.player, row.track, day)
            working = facts.Working(steps)
            part.results.append(
                _result(office, edition, row.player, row.track, None, row.rating, working, expected, names)
            )
    return part


def _steps(
    ruleset: Ruleset, state: facts.State[Any], player: str, track: str, day: date
) -> tuple[facts.WorkingStep, ...]:
    counts = ruleset.figures.counts(state, player, track, day)
    return counts.steps if counts else ()


def _result(
    office: Federation,
    edition: Edition,
    player: str,
    track: str,
    before: Decimal | None,
    after: Decimal | None,
    working: facts.Working,
    expected: str,
    names: Mapping[str, str],
) -> PlayerResult:
    tracks = {each.code: _(each.name) for each in office.ruleset.tracks}
    return PlayerResult(
        player=names.get(player, player),
        track=tracks[track] if len(tracks) > 1 else "",
        before=before,
        after=after,
        expected=expected,
        expected_words=in_words(expected),
        agrees=agrees(expected, after),
        summary=summary_rows(working, office, edition),
        steps=step_rows(working, office, edition),
        games=game_rows(working, office, names),
    )


# ---- Where a clause is used: questions of forms, findings of acceptance, numbers, workings.
_GAP = re.compile(r"\{[^}]*\}")
_END_OF_SENTENCE = re.compile(r"(?<=\.)\s")


@dataclass(frozen=True, slots=True)
class WhereUsed:
    """The places that cite one clause, in words; each may be empty."""

    asked: tuple[str, ...] = ()
    """Questions of the forms with which events are registered and filed."""
    found: tuple[str, ...] = ()
    """Findings of acceptance, by their first sentence; what each case puts in is left open."""
    numbers: tuple[str, ...] = ()
    """Names of numbers on the same page."""
    examples: tuple[Example, ...] = ()
    """Worked examples of whose workings a step follows the clause."""

    def __bool__(self) -> bool:
        return bool(self.asked or self.found or self.numbers or self.examples)


NOWHERE = WhereUsed()


def where_used(ruleset: Ruleset) -> dict[str, WhereUsed]:
    """The uses of each clause and reading of the newest edition that has any."""
    # Acceptance's possible findings by the clause that its code names; one whose clause depends on the case
    # stands at none.
    told: defaultdict[str, list[str]] = defaultdict(list)
    for clause, key in named_findings(ruleset.slug):
        words = _GAP.sub("…", _(ruleset.words.messages[key]))
        first = _END_OF_SENTENCE.split(words, maxsplit=1)[0]
        if first not in told[clause]:
            told[clause].append(first)
    asked, found, numbers = questions_by_clause(ruleset), told, defaultdict(list)
    for each in ruleset.newest.parameters:
        numbers[each.clause].append(_(each.words))
    worked = examples_by_clause(ruleset)
    return {
        clause: WhereUsed(
            tuple(asked.get(clause, ())),
            tuple(found.get(clause, ())),
            tuple(dict.fromkeys(numbers.get(clause, ()))),
            worked.get(clause, ()),
        )
        for clause in ruleset.clauses_of(ruleset.newest)
    }


def questions_by_clause(ruleset: Ruleset) -> Mapping[str, list[str]]:
    """The labels of the forms' fields, and what a region confirms, by clause."""
    asked: defaultdict[str, list[str]] = defaultdict(list)
    for each in form_fields(ruleset):
        if each.clause:
            asked[each.clause].append(_(each.label))
    for said in equipment_of(ruleset).office.confirmations:
        asked[said.clause].append(_(said.words))
    return asked


@cache
def named_findings(slug: str) -> tuple[tuple[str, str], ...]:
    """Clause and key of each finding that stands in a ruleset's code with both, in order of files."""
    folder = Path(import_module(f"ratings.rulesets.{slug}").__path__[0])
    return tuple(pair for path in sorted(folder.rglob("*.py")) for pair in _named_in(path))


def _named_in(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name("Finding"), args=[ast.Constant(clause), _, ast.Constant(key), *_]):
                yield str(clause), str(key)


@cache
def examples_by_clause(ruleset: Ruleset) -> Mapping[str, tuple[Example, ...]]:
    """The worked examples by the clauses that the steps of their workings follow; worked out once."""
    found: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples_of(ruleset):
        for clause in sorted(set(_clauses_worked(ruleset, example))):
            found[clause].append(example)
    return {clause: tuple(examples) for clause, examples in found.items()}


def _clauses_worked(ruleset: Ruleset, example: Example) -> Iterator[str]:
    with example.journal.open("rb") as lines:
        record = journal.read_journal(lines)
    state: facts.State[Any] = facts.State()
    for fact in journal.resolve(record):
        before = facts.State(dict(state.standings), state.wide, set(state.due))
        outcome = ruleset.apply(before, fact)
        rules = ruleset.edition_for(fact).rules
        for change in outcome.changes:
            with localcontext(CONTEXT):
                working = rules.explain(before, fact, change.player, change.track)
            yield from (step.clause for step in (*working.steps, *working.summary))
            yield from (clause for game in working.games for clause in game.clauses)
        state.absorb(outcome)


# ---- The pages: clauses and readings, earlier editions, settings, numbers.
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
    found: dict[str, list[Track]] = {}
    for track in ruleset.tracks:
        found.setdefault(track.group, []).append(track)
    context = {
        "wanted": wanted,
        "found": list(looked_for((*clauses, *common), wanted)) if wanted else [],
        "whole": request.GET.get("open") == "all",
        "ruleset": ruleset,
        "groups": found,
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
            yield Switch(
                str(terms.at_clauses.name),
                words,
                tuple(number for number in in_order if number in numbers),
                words,
            )


def _set_here(at_clauses: ClauseWords, value: bool | str) -> str:
    """The words for a setting's value: a switch's, or the day (ISO) that is set."""
    if isinstance(value, str) and value:
        return at_clauses.on % {"day": date_format(date.fromisoformat(value), "DATE_FORMAT")}
    return str(at_clauses.on if value else at_clauses.off)


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
    parameters: facts.Parameters = edition.parameters
    single, grids = [], []
    for each in parameters:
        if isinstance(each, facts.Grid):
            rows = [[_cell(ruleset, value) for value in row] for row in each.rows]
            grids.append((each.clause, _(each.words), [_(column) for column in each.columns], rows))
        else:
            single.append((each.clause, _(each.words), _cell(ruleset, each.value)[0]))
    return Numbers(edition, single, grids)


def _cell(ruleset: Ruleset, value: facts.Value) -> tuple[str, bool]:
    """A number or code of the rules in words (codes as in forms or messages), and whether it is a number."""
    if not isinstance(value, str):
        return exact_or_shown(value), True
    labels = {choice.value: choice.label for field in form_fields(ruleset) for choice in field.choices}
    return _(labels.get(value) or ruleset.words.messages.get(value, value)), False
