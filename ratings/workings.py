"""A change opened into its working: the rules are run again on what was stored, their steps put into words.

Nothing of this is stored: the same functions that moved the rating say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from django.core.cache import cache
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.models import Federation, Ledger, Player
from ratings.models import Change, Fact
from ratings.rulesets import facts
from ratings.rulesets.facts import Needs, PlayerId
from ratings.rulesets.reports import GameLine, Step, Value, Working
from ratings.rulesets.ruleset import CONTEXT, Edition, Ruleset
from ratings.states import aliases, folded_fact, state_before

PLACES = 4
"""Decimals that words show; the exact number stands beside them."""
RESULTS = {"1-0": "1–0", "0-1": "0–1", "1/2": "½–½", "0-0": "0–0"}


@dataclass(frozen=True, slots=True)
class StepRow:
    clause: str
    clause_url: str
    says: str
    """What the clause says."""
    words: SafeString
    formula: SafeString | str
    """The sum with its numbers in it, where the words hold one."""
    total: SafeString | str
    """The result; empty where the step gives none."""
    exact: tuple[tuple[str, str], ...]
    """The numbers that the words shorten, by name, with all their digits."""


@dataclass(frozen=True, slots=True)
class GameRow:
    round: int
    opponent: str
    opponent_url: str
    first: bool
    side: str
    result: str
    opponent_rating: Decimal | None
    expected: SafeString | str | None
    score: str | None
    note: str


def working_of(change: Change) -> Working:
    """The rules' own account of a change: on the state before its fact, by the edition in force for it."""
    federation = change.fact.federation
    fact = noted(change.fact)
    number = change.player.number
    rules = federation.ruleset.rules_for(fact)
    state = state_before(federation, change.order, _whose(rules.needs(fact), number))
    with localcontext(CONTEXT):
        return rules.explain(state, fact, number, change.track)


def noted(row: Fact) -> facts.Fact:
    """A fact as it was folded, with what only the order of the journal shows. That is looked for once as long
    as nothing is folded anew.
    """
    fact, federation = folded_fact(row), row.federation
    if federation.ruleset.annotate is None or not isinstance(fact, facts.RatedSection):
        return fact
    done = Ledger.objects.values_list("done", flat=True).get(federation=federation)
    key = f"notes-{federation.pk}-{done}"
    if (notes := cache.get(key)) is None:
        names, rows = aliases(federation), Fact.objects.filter(federation=federation).in_force()
        found = (folded_fact(each, names) for each in rows.select_related("takes", "federation"))
        ordered = federation.ruleset.journal_order(found)
        notes = {each.number: each.notes for each in ordered if isinstance(each, facts.RatedSection)}
        cache.set(key, notes)
    return replace(fact, notes=notes.get(fact.number, ()))


def _whose(needs: frozenset[PlayerId] | Needs, player: PlayerId) -> frozenset[PlayerId] | Needs:
    """At a list nobody's rating depends on another's, so one of the many who are due is enough."""
    return frozenset((player,)) if needs is Needs.DUE else needs


def step_rows(working: Working, federation: Federation) -> list[StepRow]:
    """The steps in words, in order."""
    regulations = reverse("ratings:regulations", args=[federation.code])
    return [_step_row(step, federation.ruleset, regulations) for step in working.steps]


def _step_row(step: Step, ruleset: Ruleset, regulations: str) -> StepRow:
    values = {**step.inputs, "result": step.result}
    words, formula = apart(_(ruleset.messages.get(step.key, step.key)))
    return StepRow(
        clause=step.clause,
        clause_url=f"{regulations}#{anchor(step.clause)}",
        says=_(ruleset.clauses[step.clause]) if step.clause in ruleset.clauses else "",
        words=put_in(words, values),
        formula=put_in(formula, values) if formula else "",
        total="" if step.result is None else marked(step.result),
        exact=tuple(
            (name, exact(value))
            for name, value in values.items()
            if isinstance(value, Decimal) and shown(value) != exact(value)
        ),
    )


def anchor(clause: str) -> str:
    """Where a clause stands on the page of the regulations."""
    return f"clause-{clause}"


def apart(message: str) -> tuple[str, str]:
    """A message whose last part is a sum, cut before the sum: `Performance`, `{average} + … = {result}`."""
    words, colon, formula = message.rpartition(": ")
    return (words, formula) if colon and " = " in formula else (message, "")


def put_in(message: str, values: Mapping[str, Value]) -> SafeString:
    """A message with its values in place, each number with its exact value behind it."""
    return format_html(message, **{name: marked(value) for name, value in values.items()})


def marked(value: Value) -> SafeString | str:
    """A number as words show it; where that shortens it, with the exact value for machines and pointers."""
    if not isinstance(value, Decimal) or shown(value) == exact(value):
        return shown(value)
    plain = format(value, "f")
    return format_html('<data value="{}" title="{}">{}</data>', plain, exact(value), shown(value))


def shown(value: Value, places: int = PLACES) -> str:
    """A value for reading: numbers plain, half up to a few decimals, with a true minus sign."""
    if value is None:
        return "–"
    if isinstance(value, date):
        return date_format(value, "j F Y")
    if not isinstance(value, Decimal):
        return str(value).replace("-", "−") if isinstance(value, int) else str(value)
    if value.as_tuple().exponent < -places:  # type: ignore[operator]
        value = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return exact(value)


def exact_or_shown(value: Value) -> str:
    """A value with all its digits."""
    return exact(value) if isinstance(value, Decimal) else shown(value)


def aligned(value: Decimal) -> SafeString:
    """A number for a column: always with the same decimals, the exact value behind it."""
    rounded = format(value.quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_UP), "f")
    return format_html('<data value="{}" title="{}">{}</data>', format(value, "f"), exact(value), rounded)


def exact(value: Decimal) -> str:
    """Every digit, no exponent, no trailing zeros."""
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text.replace("-", "−")


def game_rows(
    working: Working, federation: Federation, names: Mapping[PlayerId, str] | None = None
) -> list[GameRow]:
    """The games from the player's own side, opponents by the names they go by now; of people who are in no
    register, by the names given.
    """
    if names is not None:
        return [
            _game_row(game, names.get(game.opponent, ""), "", federation.ruleset) for game in working.games
        ]
    numbers = {game.opponent for game in working.games if game.opponent}
    people = Player.objects.filter(federation=federation, number__in=numbers).select_related("federation")
    known = {player.number: player for player in people}
    rows = ((game, known.get(game.opponent)) for game in working.games)
    return [
        _game_row(
            game,
            opponent.shown_name if opponent else "",
            opponent.get_absolute_url() if opponent else "",
            federation.ruleset,
        )
        for game, opponent in rows
    ]


def _game_row(game: GameLine, opponent: str, url: str, ruleset: Ruleset) -> GameRow:
    bye = game.result in facts.BYES
    return GameRow(
        round=game.round,
        opponent="–" if bye else opponent or game.opponent,
        opponent_url=url,
        first=game.first,
        side="" if bye else _(ruleset.sides[0 if game.first else 1]),
        result="–" if bye else RESULTS.get(game.result, game.result),
        opponent_rating=game.opponent_rating,
        expected=None if game.expected is None else aligned(game.expected),
        score=None if game.score is None else shown(game.score).replace("0.5", "½"),
        note=_(ruleset.messages.get(game.note, game.note)) if game.note else "",
    )


def exact_numbers(rows: list[StepRow]) -> Iterator[tuple[int, str, str]]:
    """Step, name and value of every number that the words shorten."""
    for number, row in enumerate(rows, start=1):
        for name, value in row.exact:
            yield number, name, value


def edition_of(change: Change) -> Edition:
    """The edition of the regulations under which a change was made."""
    return change.fact.federation.ruleset.edition_for(folded_fact(change.fact))


def change_at(federation: Federation, number: str, track: str, line: int) -> Change:
    """The change that a line of the journal brought a player; raises `Change.DoesNotExist`."""
    changes: Any = Change.objects.select_related(
        "fact__federation", "fact__takes", "fact__section__event", "player__federation"
    )
    found: Change = changes.get(
        fact=Fact.objects.filter(federation=federation, number=line).values("pk")[:1],
        player__federation=federation,
        player__number=number,
        track=track,
    )
    return found
