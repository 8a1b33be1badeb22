"""Explains changes of ratings: runs the rules again on what was stored, and puts their steps into words.

Nothing of this is stored: the same functions that moved the rating say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from heapq import merge
from types import MappingProxyType

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.display import localize_decimal
from players.models import Federation, Ledger, Player
from players.storage import page_cache
from ratings.journal import aliases, aliases_at, build_foldable_fact
from ratings.models import Change, Fact, PastChange
from ratings.results import get_known_rows, get_section_links, state_before
from ratings.rulesets import facts
from ratings.rulesets.facts import GameLine, Needs, PlayerId, RuleTable, Value, Working, WorkingStep
from ratings.rulesets.ruleset import CONTEXT, Edition

PLACES = 4
"""The number of decimals in words; the exact number is shown beside them."""
COMPETITION = "competition"
"""The input of a step that is a section's id."""
NO_LINKS: Mapping[str, SafeString] = MappingProxyType({})
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
    earlier = find_collected_results(change, known_by)
    return replace(working, tables=(earlier, *working.tables)) if earlier else working


def find_collected_results(change: Change | PastChange, known_by: int | None) -> RuleTable | None:
    """Return the table of results collected, before a change, for a first rating, if the ruleset has one."""
    ruleset = change.fact.federation.ruleset
    if ruleset.figures.collected is None or change.fact.kind != "rated":
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
        (number, ruleset.storage.load(change.track, text)) for _, number, text in newest_first
    )


def fact_with_notes(row: Fact, known_by: int | None = None) -> facts.Fact:
    """Return the fact of a row, with the notes that the ruleset adds by the order of all facts.

    The notes as known now are cached until the next recompute.
    """
    federation = row.federation
    names = aliases(federation) if known_by is None else aliases_at(federation, known_by)
    fact = build_foldable_fact(row, names)
    if federation.ruleset.journal.annotate is None or not isinstance(fact, facts.RatedSection):
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


def step_rows(
    working: Working, federation: Federation, edition: Edition, *, linked: bool = False
) -> list[StepRow]:
    """Return the steps of a working in words, each with its clause in that edition.

    `linked`: with links to competitions by name, which takes a query; else with their ids.
    """
    mentioned = {str(step.inputs[COMPETITION]) for step in working.steps if COMPETITION in step.inputs}
    links = get_section_links(federation, mentioned) if linked else {}
    return [_step_row(step, federation, edition, links=links) for step in working.steps]


def summary_rows(working: Working, federation: Federation, edition: Edition) -> list[StepRow]:
    """Return the parts of the opening sentence of a working, with rounded numbers."""
    places = max(SUMMARY_PLACES, federation.publication.decimals)
    return [_step_row(step, federation, edition, places) for step in working.summary]


def _step_row(
    step: WorkingStep,
    federation: Federation,
    edition: Edition,
    places: int | None = None,
    links: Mapping[str, SafeString] = NO_LINKS,
) -> StepRow:
    """Put a step into words: in one sentence with `places` decimals, or (None) with the formula apart.

    `links`: those to competitions, by id.
    """
    ruleset = federation.ruleset
    clauses = ruleset.clauses_of(edition)
    messages = ruleset.words.messages
    values = {name: translate_value(messages, value) for name, value in step.inputs.items()}
    values["result"] = translate_value(messages, step.result)
    if (competition := str(step.inputs.get(COMPETITION))) in links:
        values[COMPETITION] = links[competition]
    message = _(messages.get(step.key, step.key))
    words, formula = split_formula(message) if places is None else (message, "")
    return StepRow(
        clause=step.clause,
        clause_url=clause_url(federation, step.clause, edition),
        says=_(clauses[step.clause]) if step.clause in clauses else "",
        words=fill_message(words, values, PLACES if places is None else places),
        formula=fill_message(formula, values) if formula else "",
        total="" if step.result is None else value_as_html(values["result"]),
        exact=tuple(
            (name, localize_exact(value))
            for name, value in values.items()
            if isinstance(value, Decimal) and value_in_words(value) != localize_exact(value)
        ),
    )


def translate_value(messages: Mapping[str, str], value: Value) -> Value:
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


def fill_message(message: str, values: Mapping[str, Value], places: int = PLACES) -> SafeString:
    """Fill values into a message as HTML; a rounded number has its exact value in attributes."""
    return format_html(message, **{name: value_as_html(value, places) for name, value in values.items()})


def value_as_html(value: Value, places: int = PLACES) -> SafeString | str:
    """Return a value in words; a rounded number as HTML with the exact value in attributes."""
    if not isinstance(value, Decimal) or value_in_words(value, places) == localize_exact(value):
        return value_in_words(value, places)
    plain = format(value, "f")
    return format_html(
        '<data value="{}" title="{}">{}</data>', plain, localize_exact(value), value_in_words(value, places)
    )


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


def aligned_html(value: Decimal) -> SafeString:
    """Return a number as HTML for a column, with a fixed number of decimals, and exact in attributes."""
    rounded = localize_decimal(format(value.quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_UP), "f"))
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
    working: Working, federation: Federation, names: Mapping[PlayerId, str] | None = None
) -> list[GameRow]:
    """Return the games of a working as rows, from the player's own side, with opponents' present names.

    `names`: those of opponents who are in no register.
    """
    if names is not None:
        return [_game_row(game, names.get(game.opponent, ""), "", federation) for game in working.games]
    numbers = {game.opponent for game in working.games if game.opponent}
    people = Player.objects.filter(federation=federation, number__in=numbers)
    people = people.select_related("federation").defer("born", "sex")
    found = {player.number: (player.shown_name, player.get_absolute_url()) for player in people}
    return [_game_row(game, *found.get(game.opponent, ("", "")), federation) for game in working.games]


def _game_row(game: GameLine, opponent: str, url: str, federation: Federation) -> GameRow:
    bye, publication = game.result in facts.BYE_KINDS, federation.publication
    messages = federation.ruleset.words.messages
    return GameRow(
        round=game.round,
        opponent="–" if bye else opponent or game.opponent,
        opponent_url=url,
        first=game.first,
        side="" if bye else _(publication.sides[0 if game.first else 1]),
        opponent_rating=value_as_html(game.opponent_rating),
        expected=None if game.expected is None else aligned_html(game.expected),
        score=None if game.score is None else publication.notation.score(game.score),
        note=_(messages.get(game.note, game.note)) if game.note else "",
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
