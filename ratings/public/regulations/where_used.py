"""Tells where a clause is used: questions of forms, findings of acceptance, numbers, workings of examples."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import localcontext
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from ratings.equipment.find_equipment import equipment_of, form_fields
from ratings.law import journal
from ratings.law.facts import State
from ratings.law.ruleset import CONTEXT, Ruleset
from ratings.law.ruleset_helpers.example_files import Example, examples_of

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
    asked, found, numbers = questions_by_clause(ruleset), findings_by_clause(ruleset), defaultdict(list)
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
    for field in form_fields(ruleset):
        if field.clause:
            asked[field.clause].append(_(field.label))
    for said in equipment_of(ruleset).office.confirmations:
        asked[said.clause].append(_(said.words))
    return asked


def findings_by_clause(ruleset: Ruleset) -> Mapping[str, list[str]]:
    """Acceptance's possible findings by the clause that its code names; one whose clause depends on the case
    stands at none.
    """
    told: defaultdict[str, list[str]] = defaultdict(list)
    for clause, key in named_findings(ruleset.slug):
        words = _GAP.sub("…", _(ruleset.words.messages[key]))
        first = _END_OF_SENTENCE.split(words, maxsplit=1)[0]
        if first not in told[clause]:
            told[clause].append(first)
    return told


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
    state: State[Any] = State()
    for fact in journal.resolve(record):
        before = State(dict(state.standings), state.wide, set(state.due))
        outcome = ruleset.apply(before, fact)
        rules = ruleset.edition_for(fact).rules
        for change in outcome.changes:
            with localcontext(CONTEXT):
                working = rules.explain(before, fact, change.player, change.track)
            yield from (step.clause for step in (*working.steps, *working.summary))
            yield from (clause for game in working.games for clause in game.clauses)
        state.absorb(outcome)
