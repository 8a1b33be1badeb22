"""Russian mahjong: citations and the index of clauses agree; messages are sound."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from ratings.rulesets import mahjong
from ratings.rulesets.mahjong import messages
from ratings.rulesets.mahjong.clauses import CLAUSES

CITATION = re.compile(r"§(\d+(?:\.\d)?)|\b(?<!\")(D-RMF-\d+)")


def cited() -> set[str]:
    found: set[str] = set()
    for path in Path(mahjong.__path__[0]).rglob("*.py"):
        if path.name != "clauses.py":
            found.update(clause or decision for clause, decision in CITATION.findall(path.read_text("utf-8")))
    return found


def test_each_citation_in_the_code_stands_in_the_index() -> None:
    assert cited() <= CLAUSES.keys()


def test_the_index_has_each_clause_of_the_text_and_each_decision() -> None:
    numbers = {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6", *(str(number) for number in range(1, 7))}
    assert numbers <= CLAUSES.keys()
    assert {f"D-RMF-{number}" for number in range(1, 9)} <= CLAUSES.keys()


def test_no_key_of_a_message_stands_twice() -> None:
    assert sum(map(len, messages.PARTS)) == len(messages.MESSAGES)


def test_the_places_in_messages_have_names() -> None:
    for key, template in messages.MESSAGES.items():
        for _text, name, spec, conversion in Formatter().parse(template):
            assert name is None or (name.isidentifier() and not spec and not conversion), key
