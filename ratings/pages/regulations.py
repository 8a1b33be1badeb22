"""Pages of the regulations as the program follows them: clauses, readings, numbers, examples."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Protocol

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format, get_format
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation
from players.names import begin_words, fold_words
from players.settings import edition_in_force, get_settings, setting_terms
from players.templatetags.ui import clause_label
from ratings.pages.responses import cached_page
from ratings.player_ratings import describe_kind
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.examples import Example, examples_of, fact_label
from ratings.rulesets.parameters import Grid, Parameter
from ratings.rulesets.profile import equipment_of, form_fields
from ratings.rulesets.readings import COMMON_READINGS, Enacted, EnactedText
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset, Track
from ratings.workings import exact_value_in_words, game_rows, step_rows, summary_rows
from tournaments.findings import result_in_words


# ---- Clauses by chapter, and the search
class Numbered(Protocol):
    @property
    def number(self) -> str: ...

    @property
    def text(self) -> str: ...


@dataclass(slots=True)
class Chapter:
    place: str
    """The chapter's anchor on the page."""
    subject: str
    clauses: list[Numbered]

    @property
    def numbers(self) -> str:
        """The range of its clauses' numbers."""
        first, last = self.clauses[0].number, self.clauses[-1].number
        return clause_label(first) if first == last else f"{clause_label(first)}–{last}"


def chapters_of(enacted: Enacted, clauses: Iterable[Numbered]) -> Sequence[Chapter]:
    """The clauses by chapter; a text without chapters is one chapter."""
    subjects = dict(enacted.chapters)
    chapters: list[Chapter] = []
    for clause in clauses:
        if clause.number in subjects or not chapters:
            subject = _(subjects[clause.number]) if clause.number in subjects else _("Clauses")
            chapters.append(Chapter(f"chapter-{clause.number}", subject, []))
        chapters[-1].clauses.append(clause)
    return chapters


def search_clauses(clauses: Iterable[Numbered], wanted: str) -> Iterator[Numbered]:
    """Clauses with this number (`44`, `§44`), or that have words beginning with each word of the text."""
    number = wanted.strip().removeprefix("§").strip().upper()
    asked = fold_words(wanted)
    for clause in clauses:
        notes = (getattr(clause, name, "") for name in ("question", "not_computed", "partly"))
        matches = begin_words(asked, clause.text, *notes, *getattr(clause, "readings", ()))
        if matches or clause.number.upper() == number:
            yield clause


# ---- Worked examples, computed when the page is asked for
TIME_COLUMNS = ("after", "on")
"""Names of the first column of expected ratings: the fact after which, or the day on which, they hold."""
RATING_COLUMNS = ("rating", "official")
UNRATED = ("none", "unrated", "-")
"""Expected values that stand for no rating."""


@dataclass(slots=True)
class ExamplePart:
    """A part of a worked example: a fact and the ratings that it gives, or a day and its ratings."""

    title: str
    section: Any = None
    entries: list[tuple[str, str]] = field(default_factory=list)
    """Names and places of the entries, where there are no games."""
    games: list[tuple[int, str, str, str]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)


@page(PUBLIC, caching=cached_page)
def example(request: OfficeRequest, name: str) -> HttpResponseBase:
    found = next((each for each in examples_of(request.office.ruleset) if each.name == name), None)
    if found is None:
        raise Http404(_("There is no such example."))
    parts = list(compute_example(request.office, found))
    given = list(takewhile(is_introduction, parts))
    context = {"example": found, "given": given, "parts": parts[len(given) :]}
    return render(request, "ratings/example.html", context)


def is_introduction(part: ExamplePart) -> bool:
    """Whether a part only introduces people and openings, which the page shows together before the play."""
    return part.section is None and not any(result["expected"] for result in part.results)


def compute_example(office: Federation, example: Example) -> Iterator[ExamplePart]:
    """Compute an example by the rules: a part for each fact, then one for each day that it asks for."""
    with example.journal.open("rb") as lines:
        record = journal.read_journal(lines)
    names = {
        fact.id: fact.name or fact.id for _number, fact in record.lines if isinstance(fact, facts.Player)
    }
    expected = ExpectedRatings(example)
    state: facts.State[Any] = facts.State()
    for fact in journal.resolve(record):
        before = facts.State(dict(state.standings), state.wide, set(state.due))
        outcome = office.ruleset.apply(before, fact)
        results = _results(office, before, fact, outcome.changes, names, expected)
        part = ExamplePart(_title(fact, names), results=list(results))
        if isinstance(fact, facts.RatedSection):
            section = fact.section
            part.section = section
            part.games = [
                (g.round, names[g.first], result_in_words(g.result), names[g.second]) for g in section.games
            ]
            if not section.games:
                part.entries = [(names[each.player], str(each.place or "–")) for each in section.entries]
        yield part
        state.absorb(outcome)
    for day in expected.days:
        yield _day_part(office, record, day, names, expected)


class ExpectedRatings:
    """The ratings that an example expects, by fact or day, player and track."""

    def __init__(self, example: Example) -> None:
        self.rows: dict[tuple[str, str, str], str] = {}
        for columns, rows in example.tables:
            rating_column = next((column for column in RATING_COLUMNS if column in columns), "")
            if columns[0] in TIME_COLUMNS and rating_column:
                for row in rows:
                    cells = dict(zip(columns, row, strict=False))
                    self.rows[row[0], cells["player"], cells.get("track", "")] = cells[rating_column]

    @property
    def days(self) -> list[date]:
        """The days on which the example expects ratings, in order."""
        days = {when for when, _player, _track in self.rows if len(when) == 10 and when.count("-") == 2}
        return sorted(date.fromisoformat(when) for when in days)

    def get(self, when: str, player: str, track: str) -> str:
        return self.rows.get((when, player, track)) or self.rows.get((when, player, ""), "")


def agrees(expected: str, rating: Decimal | None) -> bool:
    try:
        return Decimal(expected) == rating
    except InvalidOperation:
        return expected in UNRATED and rating is None


def _title(fact: facts.Fact, names: Mapping[str, str]) -> str:
    if isinstance(fact, facts.RatedSection):
        return f"{fact.section.event} ({fact.section.id})"
    line = fact.fact
    if isinstance(line, facts.ListClosing):
        return _("List of %(day)s") % {"day": date_format(line.on, "DATE_FORMAT")}
    who = names.get(getattr(line, "player", getattr(line, "id", getattr(line, "winner", ""))), "")
    return f"{describe_kind(journal_lines.KINDS[type(line)])}: {who}"


def _results(
    office: Federation,
    before: facts.State[Any],
    fact: facts.Fact,
    changes: list[facts.Change[Any]],
    names: Mapping[str, str],
    expected: ExpectedRatings,
) -> Iterator[dict[str, Any]]:
    edition = office.ruleset.edition_for(fact)
    for change in changes:
        player, track = change.player, change.track
        with localcontext(CONTEXT):
            working = edition.rules.explain(before, fact, player, track)
        old = change.before.rating if change.before else None
        new, wanted = change.after.rating, expected.get(fact_label(fact), player, track)
        yield _result(office, edition, player, track, old, new, working, wanted, names)


def _day_part(
    office: Federation,
    record: journal.Journal,
    day: date,
    names: Mapping[str, str],
    expected: ExpectedRatings,
) -> ExamplePart:
    """The part of an example for one day: each player's rating on it, with its working."""
    state: facts.State[Any] = facts.State()
    for _step in office.ruleset.fold(journal.resolve(record, day), state):
        pass
    part = ExamplePart(_("Asked for %(day)s") % {"day": date_format(day, "DATE_FORMAT")})
    with localcontext(CONTEXT):
        edition = office.ruleset.edition_on(day)
        answers = sorted(edition.rules.answers(state, day), key=lambda row: row.player)
        for row in answers:
            wanted = expected.get(day.isoformat(), row.player, row.track)
            counts = office.ruleset.figures.counts(state, row.player, row.track, day)
            working = facts.Working(counts.steps if counts else ())
            part.results.append(
                _result(office, edition, row.player, row.track, None, row.rating, working, wanted, names)
            )
    return part


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
) -> dict[str, Any]:
    """A player's computed and `expected` rating (empty where the example states none), with the working."""
    tracks = {each.code: _(each.name) for each in office.ruleset.tracks}
    words = expected.replace(".", get_format("DECIMAL_SEPARATOR"))
    return {
        "player": names.get(player, player),
        "track": tracks[track] if len(tracks) > 1 else "",
        "before": before,
        "after": after,
        "expected": expected,
        "expected_words": _("no rating") if expected in UNRATED else words,
        "agrees": agrees(expected, after),
        "summary": summary_rows(working, office, edition),
        "steps": step_rows(working, office, edition),
        "games": game_rows(working, office, edition, names),
    }


# ---- Where a clause is used
_PLACEHOLDER = re.compile(r"\{[^}]*\}")
_END_OF_SENTENCE = re.compile(r"(?<=\.)\s")


@dataclass(frozen=True, slots=True)
class ClauseUses:
    """The uses of one clause, in words; each may be empty."""

    asked: tuple[str, ...] = ()
    """Questions of the forms with which events are registered and filed."""
    found: tuple[str, ...] = ()
    """First sentences of findings of acceptance, with `…` for what differs by case."""
    numbers: tuple[str, ...] = ()
    """Names of numbers on the same page."""
    examples: tuple[Example, ...] = ()
    """Worked examples in whose workings a step follows the clause."""

    def __bool__(self) -> bool:
        return bool(self.asked or self.found or self.numbers or self.examples)


def uses_by_clause(ruleset: Ruleset, edition: Edition) -> dict[str, ClauseUses]:
    """The uses of each clause and reading of an edition."""
    findings: defaultdict[str, list[str]] = defaultdict(list)
    for clause, key in parse_clause_finding_pairs(ruleset.slug):
        words = _PLACEHOLDER.sub("…", _(ruleset.words.messages[key]))
        findings[clause].append(_END_OF_SENTENCE.split(words, maxsplit=1)[0])
    numbers: defaultdict[str, list[str]] = defaultdict(list)
    for each in edition.parameters:
        numbers[each.clause].append(_(each.label))
    questions, examples = questions_by_clause(ruleset), examples_by_clause(ruleset)
    return {
        clause: ClauseUses(
            tuple(questions.get(clause, ())),
            tuple(dict.fromkeys(findings.get(clause, ()))),
            tuple(dict.fromkeys(numbers.get(clause, ()))),
            examples.get(clause, ()),
        )
        for clause in ruleset.clauses_of(edition)
    }


def questions_by_clause(ruleset: Ruleset) -> Mapping[str, list[str]]:
    """The labels of the forms' fields, and what a region confirms, by clause."""
    questions: defaultdict[str, list[str]] = defaultdict(list)
    for each in form_fields(ruleset):
        if each.clause:
            questions[each.clause].append(_(each.label))
    for confirmation in equipment_of(ruleset).office.confirmations:
        questions[confirmation.clause].append(_(confirmation.words))
    return questions


@cache
def parse_clause_finding_pairs(slug: str) -> tuple[tuple[str, str], ...]:
    """Clause and key of each finding that a ruleset's code writes with literal ones, in order of files.

    A finding whose clause depends on the case is in none.
    """
    folder = Path(import_module(f"ratings.rulesets.{slug}").__path__[0])
    return tuple(pair for path in sorted(folder.rglob("*.py")) for pair in _findings_in(path))


def _findings_in(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name("Finding"), args=[ast.Constant(clause), _, ast.Constant(key), *_]):
                yield str(clause), str(key)


@cache
def examples_by_clause(ruleset: Ruleset) -> Mapping[str, tuple[Example, ...]]:
    """The worked examples by the clauses that the steps of their workings follow."""
    found: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples_of(ruleset):
        for clause in sorted(set(_cited_clauses(ruleset, example))):
            found[clause].append(example)
    return {clause: tuple(examples) for clause, examples in found.items()}


def _cited_clauses(ruleset: Ruleset, example: Example) -> Iterator[str]:
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


# ---- The page of the regulations
NOTHING_ENACTED = Enacted(EnactedText("", ""))


@dataclass(frozen=True, slots=True)
class ClauseChange:
    """What an edition changes in a clause's words."""

    day: date
    """The first day of the edition."""
    parts: tuple[tuple[str, str], ...]
    """The words in order, each run with `same`, `gone` or `new`."""
    place: str = ""
    """The anchor of the new words; empty if they have one elsewhere, or there are none."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the regulations or a reading (`D-…`), with notes on it."""

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
    used: ClauseUses = ClauseUses()
    """Its uses; of the edition in force alone."""
    changes: tuple[ClauseChange, ...] = ()
    """The changes of its words that come; of an earlier edition's clause, that by which it ended."""
    since: date | None = None
    """The day from which a clause holds that is not in force yet."""


@page(PUBLIC, caching=cached_page)
def regulations(request: OfficeRequest) -> HttpResponseBase:
    office = request.office
    ruleset, enacted = office.ruleset, office.publication.enacted
    current = edition_in_force(office)
    at = ruleset.editions.index(current)
    earlier, coming = ruleset.editions[:at], ruleset.editions[at + 1 :]
    uses = uses_by_clause(ruleset, current)
    in_force = [replace(each, used=uses[each.number]) for each in clauses_of(office, current)]
    clauses = add_coming_changes(office, in_force, (current, *coming))
    common = [
        Clause(number, _(says), _(asks), place=f"clause-{number}")
        for number, (asks, says) in COMMON_READINGS.items()
    ]
    wanted = request.GET.get("q", "").strip()[:60]
    groups: dict[str, list[Track]] = {}
    for track in ruleset.tracks:
        groups.setdefault(track.group, []).append(track)
    context = {
        "wanted": wanted,
        "found": list(search_clauses((*clauses, *common), wanted)) if wanted else [],
        "whole": request.GET.get("open") == "all",
        "ruleset": ruleset,
        "groups": groups,
        "chapters": chapters_of(
            enacted or NOTHING_ENACTED, [each for each in clauses if not is_reading(each.number)]
        ),
        "readings": [clause for clause in clauses if is_reading(clause.number)],
        "amended": list(amended_editions(office, (*earlier, current))),
        "coming": coming,
        "common": common,
        "switches": list(list_clause_settings(office, current)),
        "source": enacted.source if enacted else None,
        "enacted_url": get_settings(office).enacted_text or (enacted.source.url if enacted else ""),
        "editions": [
            _numbers(ruleset, current, current),
            *(_numbers(ruleset, *pair) for pair in pairwise((current, *coming))),
            *(_numbers(ruleset, *pair, past=True) for pair in reversed([*pairwise((*earlier, current))])),
        ],
        "examples": examples_of(ruleset),
    }
    return render(request, "ratings/regulations.html", context)


def add_coming_changes(
    office: Federation, clauses: Sequence[Clause], editions: Sequence[Edition]
) -> list[Clause]:
    """The clauses of the first of these editions with the changes that the others make; new clauses stand
    where they will.
    """
    ruleset, found = office.ruleset, {each.number: each for each in clauses}
    for before, after in pairwise(editions):
        old, order = ruleset.clauses_of(before), list(found)
        for at, each in enumerate(clauses_of(office, after)):
            if each.number not in found:
                found[each.number] = replace(each, since=after.in_force)
                order.insert(at, each.number)
            elif ruleset.clauses_of(after)[each.number] != old.get(each.number):
                parts = word_changes(_words(old.get(each.number)), each.text)
                change = ClauseChange(after.in_force, parts, each.place)
                found[each.number] = with_change(found[each.number], change)
        for number in old.keys() - ruleset.clauses_of(after).keys():
            change = ClauseChange(after.in_force, word_changes(_words(old[number]), ""))
            found[number] = with_change(found[number], change)
        found = {number: found[number] for number in order}
    return list(found.values())


def with_change(clause: Clause, change: ClauseChange) -> Clause:
    return replace(clause, changes=(*clause.changes, change))


def word_changes(old: str, new: str) -> tuple[tuple[str, str], ...]:
    """The words of two texts in order, each run of words with `same`, `gone` or `new`."""
    before, after = old.split(), new.split()
    parts: list[tuple[str, str]] = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(("same", " ".join(before[i:j])))
            continue
        if i < j:
            parts.append(("gone", " ".join(before[i:j])))
        if k < m:
            parts.append(("new", " ".join(after[k:m])))
    return tuple(parts)


def amended_editions(office: Federation, editions: Sequence[Edition]) -> Iterator[dict[str, Any]]:
    """The editions before the last of these with their clauses that the next one changed, the latest first;
    `until`: the first day of that next one.
    """
    ruleset = office.ruleset
    in_force = ruleset.clauses_of(editions[-1])
    for edition, following in reversed(list(pairwise(editions))):
        new, amended = ruleset.clauses_of(following), []
        for each in clauses_of(office, edition):
            if ruleset.clauses_of(edition)[each.number] != new.get(each.number):
                parts = word_changes(each.text, _(new[each.number]) if each.number in new else "")
                once_more = ruleset.clauses_of(edition)[each.number] == in_force.get(each.number)
                amended.append(
                    replace(
                        each,
                        place="" if once_more else each.place,
                        changes=(ClauseChange(following.in_force, parts),),
                    )
                )
        if amended:
            yield {"edition": edition, "until": following.in_force, "clauses": amended}


def clauses_of(office: Federation, edition: Edition) -> Iterator[Clause]:
    """Every clause and reading of an edition, in order."""
    ruleset, enacted = office.ruleset, enacted_of(office, edition)
    switches = list(list_clause_settings(office, edition))
    for number, text in ruleset.clauses_of(edition).items():
        yield Clause(
            number,
            _(text),
            _words(ruleset.words.questions.get(number)),
            _words(enacted.not_computed.get(number)),
            _words(enacted.partly_computed.get(number)),
            tuple(_(reading) for clause, reading in enacted.smaller_readings if clause == number),
            tuple(switch["stands"] for switch in switches if number in switch["clauses"]),
            ruleset.clause_anchor(number, edition),
        )


def enacted_of(office: Federation, edition: Edition) -> Enacted:
    """The edition's source and the clauses that the program does not carry out, as its ruleset gives them."""
    enacted = office.publication.enacted or NOTHING_ENACTED
    return enacted.earlier.get(edition.in_force, enacted)


def _words(text: str | None) -> str:
    return _(text) if text else ""


def list_clause_settings(office: Federation, edition: Edition) -> Iterator[dict[str, Any]]:
    """The office's settings that make clauses of the edition binding or mere notices: the name, the value in
    a sentence, and the clauses.
    """
    settings, enacted = get_settings(office), enacted_of(office, edition)
    for name, terms in setting_terms().items():
        if terms.at_clauses and (depending := enacted.settings.get(name)):
            title, on, off = terms.at_clauses
            words = _setting_words(str(on), str(off), getattr(settings, name))
            clauses = tuple(each for each in office.ruleset.clauses_of(edition) if each in depending)
            yield {"name": str(title), "stands": words, "clauses": clauses}


def _setting_words(on: str, off: str, value: bool | str) -> str:
    """The words for a setting's value, which is a switch or a day (ISO)."""
    if isinstance(value, str) and value:
        return on % {"day": date_format(date.fromisoformat(value), "DATE_FORMAT")}
    return on if value else off


def is_reading(number: str) -> bool:
    """Whether this is the number of a reading (`D-…`), not of a clause."""
    return number.startswith("D-")


def _numbers(ruleset: Ruleset, before: Edition, after: Edition, *, past: bool = False) -> dict[str, Any]:
    """The numbers of an edition's rules (K, limits, tables) in words: `single` ones by clause, name, value,
    source; `grids` by clause, name, columns, rows of cells, each cell with whether it is a number.

    Of two editions, those that the later changes: as they become, or, if `past`, as they were.
    """
    edition, other = (before, after) if past else (after, before)
    known = {each.key: each for each in other.parameters} if other is not edition else {}
    single, grids = [], []
    for each in edition.parameters:
        same = known.get(each.key)
        if isinstance(each, Grid):
            if isinstance(same, Grid) and same.shown_rows == each.shown_rows:
                continue
            rows = [[_cell(ruleset, value) for value in row] for row in each.shown_rows]
            grids.append((each.clause, _(each.label), [_(column) for column in each.columns], rows))
        elif not isinstance(same, Parameter) or same.value != each.value:
            source = each.values[-1].source
            single.append((each.clause, _(each.label), _cell(ruleset, each.value)[0], source))
    return {
        "edition": edition,
        "single": single,
        "grids": grids,
        "some": other is not edition,
        "coming": other is not edition and not past,
    }


def _cell(ruleset: Ruleset, value: facts.Value) -> tuple[str, bool]:
    """A number or code of the rules in words, and whether it is a number."""
    if not isinstance(value, str):
        return exact_value_in_words(value), True
    labels = {choice.value: choice.label for field in form_fields(ruleset) for choice in field.choices}
    return _(labels.get(value) or ruleset.words.messages.get(value, value)), False
