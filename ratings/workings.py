"""Explains changes of ratings: runs the rules again on what was stored, and puts their steps into words.

Nothing of this is stored: the same functions that moved the rating say why.
"""

import ast
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from heapq import merge
from types import MappingProxyType
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.display import localize_decimal
from players.models import Federation, Ledger
from players.writing import page_cache
from ratings.disclosure import get_named_players
from ratings.journal import aliases, aliases_at, build_foldable_fact
from ratings.models import Change, Fact, PastChange
from ratings.results import get_known_rows, get_section_links, state_before
from ratings.rulesets import facts
from ratings.rulesets.facts import GameLine, Needs, PlayerId, RuleTable, Terms, Value, Working, WorkingStep
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset

PLACES = 4
"""The least number of decimals in words, if a number has more; the exact number is shown beside them."""
COMPETITION, LINE = "competition", "line"
"""The input of a step that is a section's id; that which is the journal's line of its rating, None for the
very section that the working is about.
"""
NO_LINKS: Mapping[str, SafeString] = MappingProxyType({})
Decimals = Mapping[Decimal, int]
"""By the absolute value of a number: with how many decimals it is printed, where `PLACES` are too few."""
NO_DECIMALS: Decimals = MappingProxyType({})
SUMMARY_PLACES = 2
"""The number of decimals in the opening sentence, if ratings have no more."""


@dataclass(frozen=True, slots=True)
class StepRow:
    clause: str
    clause_url: str
    says: str
    """The clause in our own words."""
    words: SafeString
    formula: SafeString | str
    """The formula with its numbers, if the words have one."""
    total: SafeString | str
    """The result, if the step has one."""
    exact: tuple[tuple[str, str], ...]
    """The numbers that the words round, by name, with all their digits."""


@dataclass(frozen=True, slots=True)
class GameRow:
    round: int
    opponent: str
    opponent_url: str
    first: bool
    side: str
    opponent_rating: SafeString | str
    expected: SafeString | str | None
    score: str | None
    note: str
    clauses: tuple[str, ...]
    """The clauses of the note."""


def explain_change(change: Change | PastChange, known_by: int | None = None) -> Working:
    """Explain a change by the rules of its edition, run on the state before its fact.

    `known_by`: as known by the lines up to that one; None: by all.
    """
    federation = change.fact.federation
    fact = fact_with_notes(change.fact, known_by)
    number = change.player.number
    rules = federation.ruleset.rules_for(fact)
    needs = rules.needs(fact)
    state = state_before(
        federation, change.order, frozenset((number,)) if needs is Needs.DUE else needs, known_by
    )
    with localcontext(CONTEXT):
        working = rules.explain(state, fact, number, change.track)
    earlier = find_collected_results(change, working, known_by)
    return replace(working, tables=(earlier, *working.tables)) if earlier else working


def find_collected_results(
    change: Change | PastChange, working: Working, known_by: int | None
) -> RuleTable | None:
    """Return the table of what earlier sections brought to a first rating, or to points that a list adds, if
    the ruleset has one.
    """
    ruleset = change.fact.federation.ruleset
    if ruleset.figures.collected is None or change.fact.kind not in ("rated", "list"):
        return None
    newest_first = merge(
        *(
            rows.filter(player=change.player, track=change.track, order__lt=change.order)
            .order_by("-order")
            .values_list("order", "fact__number", "state")
            .iterator(chunk_size=50)
            for rows in get_known_rows(Change, PastChange, known_by)
        ),
        reverse=True,
    )
    return ruleset.figures.collected(
        working,
        ((number, ruleset.storage.load(change.track, text)) for _, number, text in newest_first),
    )


def fact_with_notes(row: Fact, known_by: int | None = None) -> facts.Fact:
    """Return the fact of a row, with the notes that the ruleset adds by the order of all facts.

    The notes as known now are cached until the next recompute.
    """
    federation = row.federation
    names = aliases(federation) if known_by is None else aliases_at(federation, known_by)
    fact = build_foldable_fact(row, names)
    if federation.ruleset.journal.notes_of is None or not isinstance(fact, facts.RatedSection):
        return fact
    if known_by is not None:
        return replace(fact, notes=_notes(federation, names, known_by).get(fact.number, ()))
    done = Ledger.objects.values_list("done", flat=True).get(federation=federation)
    key = f"notes-{federation.pk}-{done}"
    if (notes := page_cache.get(key)) is None:
        notes = _notes(federation, names, None)
        page_cache.set(key, notes)
    return replace(fact, notes=notes.get(fact.number, ()))


def _notes(
    federation: Federation, names: Mapping[PlayerId, PlayerId], line: int | None
) -> dict[int, tuple[str, ...]]:
    rows = Fact.objects.filter(federation=federation).in_force(line)
    rows = rows.select_related("takes", "first_rated", "federation")
    ordered = federation.ruleset.sort_for_fold(build_foldable_fact(each, names) for each in rows)
    return {each.number: each.notes for each in ordered if isinstance(each, facts.RatedSection)}


# ---- The digits with which a formula comes out
SIGNS = str.maketrans({"−": "-", "×": "*", "÷": "/"})
OPERATIONS: Mapping[type[ast.operator], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of a working: what is computed, from which numbers, and what it gives."""

    expression: ast.expr
    numbers: Mapping[str, Value | Terms]
    result: Decimal | int
    constants: Mapping[str, Value] = field(default_factory=dict)
    """The numbers of the edition, which are always printed with all their digits."""

    def terms(self, name: str) -> list[Decimal]:
        value = self.numbers[name] if name in self.numbers else self.constants[name]
        return [Decimal(str(each)) for each in (value if isinstance(value, tuple) else (value,))]

    def to_print_longer(self, decimals: Decimals, least: int) -> list[Decimal]:
        """The numbers that need a further decimal before the formula comes out as it is printed: those it
        is computed from, or its result, if the rules round that and the page rounds it once more.
        """
        if self.comes_out(decimals, least):
            return []
        numbers = [Decimal(self.result)]
        if self.comes_out(decimals, least, exactly=True):
            names = {node.id for node in ast.walk(self.expression) if isinstance(node, ast.Name)}
            numbers = [term for name in names & self.numbers.keys() for term in self.terms(name)]
        return [each for each in numbers if round_as_printed(each, decimals, least) != each]

    def comes_out(self, decimals: Decimals, least: int, *, exactly: bool = False) -> bool:
        """Whether the numbers, as printed with so many decimals (or with all of them, `exactly`), give the
        result as it is printed.
        """
        found = self._compute(self.expression, None if exactly else decimals, least)
        places = 0
        if isinstance(self.result, Decimal):
            exponent = int(self.result.as_tuple().exponent)
            places = max(0, min(count_decimals(self.result, decimals, least), -exponent))
        unit = Decimal(1).scaleb(-places)
        return found.quantize(unit, ROUND_HALF_UP) == Decimal(self.result).quantize(unit, ROUND_HALF_UP)

    def _compute(self, node: ast.expr, decimals: Decimals | None, least: int) -> Decimal:
        match node:
            case ast.Constant():
                return Decimal(str(node.value))
            case ast.Name():
                exact = decimals is None or node.id not in self.numbers
                terms = self.terms(node.id)
                return sum(
                    (each if exact else round_as_printed(each, decimals or {}, least) for each in terms),
                    Decimal(0),
                )
            case ast.UnaryOp(op=ast.USub()):
                return -self._compute(node.operand, decimals, least)
            case ast.BinOp():
                left, right = (self._compute(side, decimals, least) for side in (node.left, node.right))
                return Decimal(OPERATIONS[type(node.op)](left, right))
        raise ValueError(f"no arithmetic: {ast.dump(node)}")


def count_decimals(value: Decimal, decimals: Decimals, least: int) -> int:
    return max(least, decimals.get(value.copy_abs(), least))


def round_as_printed(value: Decimal, decimals: Decimals, least: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-count_decimals(value, decimals, least)), ROUND_HALF_UP)


@cache
def parse_expression(formula: str) -> ast.expr:
    """The left side of a formula in a message, its places as names: `{k} × {difference} = {result}`."""
    python = re.sub(r"{(\w+)}", r"\1", formula.rpartition(" = ")[0]).translate(SIGNS).replace("^", "**")
    return ast.parse(python, mode="eval").body


def choose_decimals(
    working: Working, ruleset: Ruleset, edition: Edition, *, summary: bool = False, least: int = PLACES
) -> Decimals:
    """The decimals with which each number of a working is printed, so that whoever works out a formula with
    the digits that are printed comes to the digits that are printed. `summary`: those of the opening
    sentence, else of the steps and tables.
    """
    constants = ruleset.numbers_of(edition)
    formulas = [
        Formula(parse_expression(text), step.inputs, step.result, constants)
        for step in (working.summary if summary else working.steps)
        if isinstance(step.result, Decimal | int)
        and (text := split_formula(ruleset.words.messages.get(step.key, ""))[1])
    ]
    if not summary:
        formulas += [each for table in working.tables for each in column_sums(table)]
    decimals: dict[Decimal, int] = {}

    with localcontext(CONTEXT):
        settled = False
        while not settled:
            settled = True
            for formula in reversed(formulas):  # a result printed longer needs longer numbers before it
                while longer := formula.to_print_longer(decimals, least):
                    settled = False
                    for each in longer:
                        decimals[each.copy_abs()] = count_decimals(each, decimals, least) + 1
    return decimals


def column_sums(table: RuleTable) -> Iterator[Formula]:
    """What the columns of a table with a row `together` add up to."""
    if not table.rows or table.rows[-1][0] != facts.TOGETHER:
        return
    for column in zip(*table.rows, strict=True):
        if isinstance(column[-1], Decimal):
            yield Formula(ast.Name("terms"), {"terms": column[:-1]}, column[-1])


# ---- In words
def step_rows(
    working: Working, federation: Federation, edition: Edition, *, linked: bool = False
) -> list[StepRow]:
    """Return the steps of a working in words, each with its clause in that edition.

    `linked`: with links to sections by name, which takes two queries; else with their ids or lines.
    """
    links: dict[str, SafeString] = {}
    if linked:
        ids, lines = (
            {str(step.inputs[name]) for step in working.steps if step.inputs.get(name) is not None}
            for name in (COMPETITION, LINE)
        )
        links = get_section_links(federation, ids, lines)
    decimals = choose_decimals(working, federation.ruleset, edition)
    return [_step_row(step, federation, edition, decimals, links=links) for step in working.steps]


def summary_rows(working: Working, federation: Federation, edition: Edition) -> list[StepRow]:
    """Return the parts of the opening sentence of a working, with rounded numbers."""
    places = max(SUMMARY_PLACES, federation.publication.decimals)
    decimals = choose_decimals(working, federation.ruleset, edition, summary=True, least=places)
    return [_step_row(step, federation, edition, decimals, places) for step in working.summary]


def _step_row(
    step: WorkingStep,
    federation: Federation,
    edition: Edition,
    decimals: Decimals,
    places: int | None = None,
    links: Mapping[str, SafeString] = NO_LINKS,
) -> StepRow:
    """Put a step into words: in one sentence with `places` decimals, or (None) with the formula apart.

    `links`: those to sections, by id or line.
    """
    ruleset = federation.ruleset
    clauses = ruleset.clauses_of(edition)
    messages = ruleset.words.messages
    values: dict[str, Value | Terms] = {**numbers_in_words(ruleset, edition)}
    values |= {name: translate_value(messages, value) for name, value in step.inputs.items()}
    result = values["result"] = translate_value(messages, step.result)
    for name in step.inputs.keys() & {COMPETITION, LINE}:
        values[name] = links.get(str(step.inputs[name])) or describe_section(name, step.inputs[name])
    message = _(messages.get(step.key, step.key))
    words, formula = split_formula(message) if places is None else (message, "")
    least = PLACES if places is None else places
    return StepRow(
        clause=step.clause,
        clause_url=clause_url(federation, step.clause, edition),
        says=_(clauses[step.clause]) if step.clause in clauses else "",
        words=fill_message(words, values, decimals, least),
        formula=fill_message(formula, values, decimals) if formula else "",
        total="" if step.result is None else value_as_html(result, decimals, least),
        exact=tuple(
            (name, localize_exact(value))
            for name, value in values.items()
            if isinstance(value, Decimal) and is_shortened(value, count_decimals(value, decimals, least))
        ),
    )


def describe_section(name: str, value: Value | Terms) -> str:
    """A section in words where no page of it is known: its id, or the line of its rating."""
    if name == COMPETITION:
        return str(value)
    return _("this event") if value is None else _("line %(line)s of the journal") % {"line": value}


def numbers_in_words(ruleset: Ruleset, edition: Edition) -> dict[str, str]:
    """Return the numbers of an edition that messages have places for, each with all its digits."""
    return {name: exact_value_in_words(value) for name, value in ruleset.numbers_of(edition).items()}


def message_in_words(key: str, ruleset: Ruleset, edition: Edition) -> str:
    """Return a message without places but those of the edition's numbers; "" for the key ""."""
    message = _(ruleset.words.messages.get(key, key)) if key else ""
    return message.format(**numbers_in_words(ruleset, edition))


def translate_value(messages: Mapping[str, str], value: Value | Terms) -> Value | Terms:
    """Translate a value of a step, if the rules have words for it: a rank by its name."""
    return _(messages.get(value, value)) if value and isinstance(value, str) else value


def clause_url(federation: Federation, clause: str, edition: Edition) -> str:
    regulations = reverse("ratings:regulations", args=[federation.code])
    return f"{regulations}#{federation.ruleset.clause_anchor(clause, edition)}"


def split_formula(message: str) -> tuple[str, str]:
    """Split a message into its words and the formula at its end, if any: `Performance`, `{average} + … =
    {result}`.
    """
    words, colon, formula = message.rpartition(": ")
    return (words, formula) if colon and " = " in formula else (message, "")


def fill_message(
    message: str,
    values: Mapping[str, Value | Terms],
    decimals: Decimals = NO_DECIMALS,
    least: int = PLACES,
) -> SafeString:
    """Fill values into a message as HTML; a rounded number has its exact value in attributes. What is added
    with a minus is taken away.
    """
    shown = {**values}
    for name, value in values.items():
        place = f"{{{name}}}"
        if isinstance(value, Decimal | int) and value < 0 and message.count(place) == 1:
            taken_away = message.replace(f"+ {place}", f"− {place}")
            if taken_away != message:
                message, shown[name] = taken_away, Decimal(value).copy_abs()
    return format_html(
        message, **{name: value_as_html(value, decimals, least) for name, value in shown.items()}
    )


def value_as_html(
    value: Value | Terms, decimals: Decimals = NO_DECIMALS, least: int = PLACES
) -> SafeString | str:
    """Return a value in words; a rounded number as HTML with the exact value in attributes, terms with their
    signs between them.
    """
    if isinstance(value, tuple):
        numbers = [Decimal(each) for each in value if isinstance(each, Decimal | int)] or [Decimal(0)]
        further = (
            ("−" if each < 0 else "+", value_as_html(each.copy_abs(), decimals, least))
            for each in numbers[1:]
        )
        first = value_as_html(numbers[0], decimals, least)
        return format_html("{}{}", first, format_html_join("", " {} {}", further))
    places = count_decimals(value, decimals, least) if isinstance(value, Decimal) else least
    if not isinstance(value, Decimal) or not is_shortened(value, places):
        return value_in_words(value, places)
    plain = format(value, "f")
    return format_html(
        '<data value="{}" title="{}">{}</data>', plain, localize_exact(value), value_in_words(value, places)
    )


def is_shortened(value: Decimal, places: int) -> bool:
    """Whether a number in words with so many decimals is without its last digits."""
    return value_in_words(value, places) != localize_exact(value)


def value_in_words(value: Value, places: int = PLACES) -> str:
    """Return a value as text, with a true minus sign. A number with more than `places` decimals is rounded
    half up and keeps all of those places, so that it does not look whole.
    """
    if value is None:
        return "–"
    if isinstance(value, date):
        return date_format(value, "DATE_FORMAT")
    if not isinstance(value, Decimal):
        return str(value).replace("-", "−") if isinstance(value, int) else str(value)
    if len(_digits(value).partition(".")[2]) <= places:
        return localize_exact(value)
    cut = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return localize_decimal(format(cut, "f").replace("-", "−")) if cut else "0"


def exact_value_in_words(value: Value) -> str:
    """Return a number with all its digits, any other value in words."""
    return localize_exact(value) if isinstance(value, Decimal) else value_in_words(value)


def aligned_html(value: Decimal, places: int = PLACES) -> SafeString:
    """Return a number as HTML for a column, with a fixed number of decimals, and exact in attributes."""
    rounded = localize_decimal(format(value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP), "f"))
    return format_html(
        '<data value="{}" title="{}">{}</data>', format(value, "f"), localize_exact(value), rounded
    )


def localize_exact(value: Decimal) -> str:
    """Return every digit of a number: no exponent, no trailing zeros, the decimal sign of the language."""
    return localize_decimal(_digits(value))


def _digits(value: Decimal) -> str:
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text.replace("-", "−")


def game_rows(
    working: Working,
    federation: Federation,
    edition: Edition,
    names: Mapping[PlayerId, str] | None = None,
) -> list[GameRow]:
    """Return the games of a working as rows, from the player's own side, with opponents' present names.

    `names`: those of opponents who are in no register.
    """
    decimals = choose_decimals(working, federation.ruleset, edition)
    if names is not None:
        return [
            _game_row(game, names.get(game.opponent, ""), "", federation, edition, decimals)
            for game in working.games
        ]
    numbers = {game.opponent for game in working.games if game.opponent}
    people = get_named_players(federation, numbers).values()
    found = {player.number: (player.shown_name, player.get_absolute_url()) for player in people}
    return [
        _game_row(game, *found.get(game.opponent, ("", "")), federation, edition, decimals)
        for game in working.games
    ]


def _game_row(
    game: GameLine, opponent: str, url: str, federation: Federation, edition: Edition, decimals: Decimals
) -> GameRow:
    bye, publication = game.result in facts.BYE_KINDS, federation.publication
    return GameRow(
        round=game.round,
        opponent="–" if bye else opponent or game.opponent,
        opponent_url=url,
        first=game.first,
        side="" if bye else _(publication.sides[0 if game.first else 1]),
        opponent_rating=value_as_html(game.opponent_rating, decimals),
        expected=None
        if game.expected is None
        else aligned_html(game.expected, count_decimals(game.expected, decimals, PLACES)),
        score=None if game.score is None else publication.notation.score(game.score),
        note=message_in_words(game.note, federation.ruleset, edition),
        clauses=game.clauses,
    )


def iter_rounded_numbers(rows: list[StepRow]) -> Iterator[tuple[int, str, str]]:
    """Yield every number that the words of these steps round: the step's number, its name, all its digits."""
    for number, row in enumerate(rows, start=1):
        for name, value in row.exact:
            yield number, name, value


def edition_of(change: Change | PastChange) -> Edition:
    return change.fact.federation.ruleset.edition_for(build_foldable_fact(change.fact))


def change_at(
    federation: Federation, player_number: str, track: str, line: int, known_by: int | None = None
) -> Change | PastChange:
    """Return the change of a player's rating by a line of the journal, as known by the lines up to
    `known_by`, or by all; raises `Change.DoesNotExist`.
    """
    for rows in get_known_rows(Change, PastChange, known_by):
        related = rows.select_related(
            "fact__federation",
            "fact__takes",
            "fact__first_rated",
            "fact__section__event",
            "player__federation",
        )
        found: Change | PastChange | None = related.filter(
            fact=Fact.objects.filter(federation=federation, number=line).values("pk")[:1],
            player__federation=federation,
            player__number=player_number,
            track=track,
        ).first()
        if found is not None:
            return found
    raise Change.DoesNotExist
