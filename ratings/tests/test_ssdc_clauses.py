"""Sports Dots: citations and the index of clauses agree; messages are sound."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from ratings.rulesets import ssdc
from ratings.rulesets.ssdc import messages
from ratings.rulesets.ssdc.clauses import CLAUSES

CITATION = re.compile(r"§(\d+(?:\.\d+)*)(?:–§(\d+(?:\.\d+)*))?|\b(?<!\")(D-SSDC-\d+)")
TEXT = {1: 8, 2: 5, 3: 5, 4: 6, 5: 2}
"""How many articles each section of the text has."""


def cited() -> set[str]:
    found: set[str] = set()
    for path in Path(ssdc.__path__[0]).rglob("*.py"):
        if path.name != "clauses.py":
            for first, last, decision in CITATION.findall(path.read_text("utf-8")):
                found |= {first, last, decision} - {""}
    return found


def test_each_citation_in_the_code_stands_in_the_index() -> None:
    sections = {"1", "2", "3", "4", "5"}
    assert cited() - sections <= CLAUSES.keys()


def test_the_index_has_each_clause_of_the_text_and_each_decision() -> None:
    articles = {f"{section}.{number}" for section, last in TEXT.items() for number in range(1, last + 1)}
    assert articles <= CLAUSES.keys()
    assert {f"D-SSDC-{number}" for number in range(1, 11)} <= CLAUSES.keys()


def test_no_key_of_a_message_stands_twice() -> None:
    parts = (
        messages.STATUSES,
        messages.RANK_NAMES,
        messages.CATEGORIES,
        messages.CATEGORY_NAMES,
        messages.HELD,
        messages.TABLES,
        messages.STEPS,
        messages.LISTED,
        messages.BARS,
        messages.SUMMARIES,
        messages.NOTES,
        messages.FINDINGS,
        messages.DEADLINES,
        messages.NOTICES,
    )
    assert sum(map(len, parts)) == len(messages.MESSAGES)


def test_the_places_in_messages_have_names() -> None:
    for key, template in messages.MESSAGES.items():
        for _text, name, spec, conversion in Formatter().parse(template):
            assert name is None or (name.isidentifier() and not spec and not conversion), key
