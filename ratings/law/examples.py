"""The worked examples of a ruleset: pairs in its folder `examples/`, a journal and what is expected of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from ratings.law.facts import Fact, ListClosing, RatedSection
from ratings.law.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Expected:
    """A table of an expectation: its columns by name, its rows as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Example:
    name: str
    """Its file's, without the ending: `2-performance`."""
    words: str
    """What it shows."""
    journal: Path
    tables: tuple[Expected, ...]

    @property
    def title(self) -> str:
        return self.name.partition("-")[2].replace("-", " ").capitalize()


@cache
def examples_of(ruleset: Ruleset) -> tuple[Example, ...]:
    """In order of their names; a ruleset may have none."""
    folder = Path(import_module(f"ratings.rulesets.{ruleset.slug}").__path__[0], "examples")
    return tuple(read(journal) for journal in sorted(folder.glob("*.ndjson")))


def read(journal: Path) -> Example:
    """Comments are the words, then, after an empty one, each table: a comment names its columns."""
    lines = journal.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    end = lines.index("#")
    words = " ".join(line.removeprefix("# ") for line in lines[:end])
    tables: list[Expected] = []
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    for line in [*lines[end:], "#"]:
        if line.startswith("#"):
            if rows:
                tables.append(Expected(columns, tuple(rows)))
            columns, rows = tuple(line.removeprefix("#").split()), []
        else:
            rows.append(tuple(line.split(maxsplit=len(columns) - 1)))
    return Example(journal.stem, words, journal, tuple(tables))


def label(fact: Fact) -> str:
    """How an expectation names a fact: a section by its id, a list by its day."""
    if isinstance(fact, RatedSection):
        return fact.section.id
    return f"list-{fact.fact.on}" if isinstance(fact.fact, ListClosing) else ""
