"""A federation is four parts, each short enough to be filled from the guide's table."""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

from ratings.rulesets import demo, ruleset
from ratings.rulesets.demo import Demo
from ratings.rulesets.profile import Office, Publication
from ratings.rulesets.ruleset import Ruleset

GUIDE = Path(__file__).parents[2] / "docs/new-federation.md"
PARTS = (Ruleset, Office, Publication, Demo)
MATTERS = (
    ruleset.Words,
    ruleset.Storage,
    ruleset.SectionRules,
    ruleset.JournalRules,
    ruleset.PreRatings,
    ruleset.Calendar,
    ruleset.PlayerFigures,
    demo.DemoEvents,
    demo.PresentDays,
    demo.DemoOpenings,
    demo.DemoHabits,
)
MOST = 12

of_each = pytest.mark.parametrize("part", [*PARTS, *MATTERS], ids=lambda part: part.__name__)


def is_asked_of_all(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@of_each
def test_a_part_has_at_most_twelve_fields(part: Any) -> None:
    assert 1 <= len(fields(part)) <= MOST


@of_each
def test_what_every_federation_gives_comes_before_what_some_give(part: Any) -> None:
    asked = [is_asked_of_all(field) for field in fields(part)]
    assert asked == sorted(asked, reverse=True)


@pytest.mark.parametrize("part", [*PARTS, *MATTERS[:7]], ids=lambda part: part.__name__)
def test_the_guide_names_each_field_once_and_says_whether_every_federation_gives_it(part: Any) -> None:
    rows = dict(rows_of(part.__name__))
    assert rows == {field.name: is_asked_of_all(field) for field in fields(part)}


def rows_of(part: str) -> list[tuple[str, bool]]:
    """The fields in the guide's row of a part: those that all give, then those that some give."""
    row = re.search(rf"^\| `{part}`[^|]*\|([^|]*)\|([^|]*)\|$", GUIDE.read_text("utf-8"), re.M)
    assert row is not None, part
    return [(name, not at) for at, cell in enumerate(row.groups()) for name in re.findall(r"`(\w+)`", cell)]
