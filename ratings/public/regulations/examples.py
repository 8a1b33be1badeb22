"""A worked example of the rules: its input, and the program's results as the page is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation, localcontext
from itertools import takewhile
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.utils.formats import date_format, get_format
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from ratings.law import journal
from ratings.law.facts import Change, Fact, ListClosing, Player, RatedSection, State
from ratings.law.rule_outputs import Working, WorkingStep
from ratings.law.ruleset import CONTEXT, Edition, Ruleset
from ratings.law.ruleset_helpers.example_files import Example, examples_of, label
from ratings.public.common.caching import cached_page
from ratings.public.players.player_ratings import kind_words
from ratings.results.workings import GameRow, StepRow, game_rows, step_rows, summary_rows
from tournaments.mending.correction_words import result_as_read

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
    names = {fact.id: fact.name or fact.id for _number, fact in record.lines if isinstance(fact, Player)}
    wanted = ExpectedRatings(found)
    state: State[Any] = State()
    for fact in journal.resolve(record):
        before = State(dict(state.standings), state.wide, set(state.due))
        outcome = office.ruleset.apply(before, fact)
        yield _part(fact, names, _results(office, before, fact, outcome.changes, names, wanted))
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


def _part(fact: Fact, names: Mapping[str, str], results: Iterator[PlayerResult]) -> ExamplePart:
    part = ExamplePart(_title(fact, names), results=list(results))
    if isinstance(fact, RatedSection):
        section = fact.section
        part.section = section
        part.games = [
            (g.round, names[g.first], result_as_read(g.result), names[g.second]) for g in section.games
        ]
        if not section.games:
            part.entries = [(names[each.player], str(each.place or "–")) for each in section.entries]
    return part


def _title(fact: Fact, names: Mapping[str, str]) -> str:
    if isinstance(fact, RatedSection):
        return f"{fact.section.event} ({fact.section.id})"
    if isinstance(fact.fact, ListClosing):
        return _("List of %(day)s") % {"day": date_format(fact.fact.on, "DATE_FORMAT")}
    spoken = fact.fact
    who = names.get(getattr(spoken, "player", getattr(spoken, "id", getattr(spoken, "winner", ""))), "")
    return f"{kind_words(journal.KINDS[type(spoken)])}: {who}"


def _results(
    office: Federation,
    before: State[Any],
    fact: Fact,
    changes: list[Change[Any]],
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
    state: State[Any] = State()
    for _step in office.ruleset.fold(journal.resolve(record, day), state):
        pass
    part = ExamplePart(_("Asked for %(day)s") % {"day": date_format(day, "DATE_FORMAT")})
    with localcontext(CONTEXT):
        edition = office.ruleset.edition_on(day)
        answers = sorted(edition.rules.answers(state, day), key=lambda row: row.player)
        for row in answers:
            expected = wanted.of(day.isoformat(), row.player, row.track)
            steps = _steps(office.ruleset, state, row.player, row.track, day)
            working = Working(steps)
            part.results.append(
                _result(office, edition, row.player, row.track, None, row.rating, working, expected, names)
            )
    return part


def _steps(
    ruleset: Ruleset, state: State[Any], player: str, track: str, day: date
) -> tuple[WorkingStep, ...]:
    counts = ruleset.figures.counts(state, player, track, day)
    return counts.steps if counts else ()


def _result(
    office: Federation,
    edition: Edition,
    player: str,
    track: str,
    before: Decimal | None,
    after: Decimal | None,
    working: Working,
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
