"""The pairs in a ruleset's `examples/`: a journal, and what an official expects of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from ratings.rulesets.facts import Fact, ListClosing, RatedSection
from ratings.rulesets.journal import read_journal, resolve


def journals_of(ruleset: ModuleType) -> list[Path]:
    return sorted(Path(ruleset.__path__[0], "examples").glob("*.ndjson"))


def facts_of(journal: Path) -> list[Fact]:
    return resolve(read_journal(journal.read_bytes().splitlines(keepends=True)))


def label(fact: Fact) -> str:
    """How an expectation names a fact: a section by its id, a list by its day."""
    if isinstance(fact, RatedSection):
        return fact.section.id
    return f"list-{fact.fact.on}" if isinstance(fact.fact, ListClosing) else ""


def expected(journal: Path) -> Iterator[list[str]]:
    for line in journal.with_suffix(".expected").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split()
