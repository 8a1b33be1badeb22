"""Chess South Africa: citations and the index of clauses agree; messages are sound."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from ratings.rulesets import csa
from ratings.rulesets.csa import messages
from ratings.rulesets.csa.clauses import CLAUSES

CITATION = re.compile(r"§(\d+(?:\.\d+)*)|\b(?<!\")(D-CSA-\d+)")


def cited() -> set[str]:
    found: set[str] = set()
    for path in Path(csa.__path__[0]).rglob("*.py"):
        if path.name != "clauses.py":
            found.update(clause or decision for clause, decision in CITATION.findall(path.read_text("utf-8")))
    return found


def test_each_citation_in_the_code_stands_in_the_index() -> None:
    assert cited() <= CLAUSES.keys()


def test_the_index_has_each_clause_of_the_text_and_each_decision() -> None:
    assert {str(number) for number in range(1, 70)} <= CLAUSES.keys()
    assert {f"D-CSA-{number}" for number in range(1, 22)} <= CLAUSES.keys()


def test_no_key_of_a_message_stands_twice() -> None:
    play = (
        messages.STATUSES,
        messages.STEPS,
        messages.LISTED,
        messages.BARS,
        messages.SUMMARIES,
        messages.NOTES,
        messages.TABLES,
    )
    told = (messages.FINDINGS, messages.DEADLINES, messages.PLANNED)
    parts = (*play, *told, messages.NOTICES)
    assert sum(map(len, parts)) == len(messages.MESSAGES)


def test_the_places_in_messages_have_names() -> None:
    for key, template in messages.MESSAGES.items():
        for _text, name, spec, conversion in Formatter().parse(template):
            assert name is None or (name.isidentifier() and not spec and not conversion), key
