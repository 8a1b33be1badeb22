"""The regulations as the program follows them: clauses, readings, numbers, editions, worked examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from ratings.public.kept import kept
from ratings.rulesets.examples import examples_of
from ratings.rulesets.parameters import Grid, Parameters
from ratings.rulesets.reports import Value
from ratings.rulesets.ruleset import Edition, Ruleset, Track
from ratings.workings import anchor, exact_or_shown


@public
@kept
def regulations(request: OfficeRequest) -> HttpResponseBase:
    ruleset = request.office.ruleset
    clauses = [(number, anchor(number), words) for number, words in ruleset.clauses.items()]
    context = {
        "ruleset": ruleset,
        "groups": _groups(ruleset.tracks),
        "clauses": [clause for clause in clauses if not is_reading(clause[0])],
        "readings": [
            (number, place, ruleset.questions.get(number, ""), words)
            for number, place, words in clauses
            if is_reading(number)
        ],
        "editions": [_edition(ruleset, edition) for edition in reversed(ruleset.editions)],
        "examples": examples_of(ruleset),
    }
    return render(request, "ratings/regulations.html", context)


def is_reading(number: str) -> bool:
    """`D-…`: what holds where the text is open, beside the numbers of the text itself."""
    return number.startswith("D-")


@dataclass(frozen=True, slots=True)
class Numbers:
    """An edition with its numbers in words."""

    edition: Edition
    single: list[tuple[str, str, str]]
    """Clause, name, value."""
    grids: list[tuple[str, str, list[str], list[list[tuple[str, bool]]]]]
    """Clause, name, columns, rows of cells, each with whether it is a number."""


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
    """A value in words: codes by the labels that the forms have, or by the messages."""
    if not isinstance(value, str):
        return exact_or_shown(value), True
    labels = {choice.value: choice.label for field in ruleset.form_fields for choice in field.choices}
    return _(labels.get(value) or ruleset.messages.get(value, value)), False


def _groups(tracks: Sequence[Track]) -> dict[str, list[Track]]:
    found: dict[str, list[Track]] = {}
    for track in tracks:
        found.setdefault(track.group, []).append(track)
    return found
