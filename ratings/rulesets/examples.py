"""The worked examples of a ruleset: pairs in its folder `examples/`, a journal and its expectation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from ratings.rulesets.facts import Fact, ListClosing, RatedSection
from ratings.rulesets.ruleset import Ruleset

TITLE = "title of a worked example"
"""The context of titles in catalogues of translations: “Register” is a button elsewhere."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A table of the results that an example's journal must give: column names, and rows of text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example of a ruleset: a journal, what it shows, and the results expected of it."""

    name: str
    """The file's name without its ending: `2-performance`."""
    words: str
    """A description of what the example shows, in English; pages say it in the reader's language."""
    journal: Path
    tables: tuple[Expected, ...]

    @property
    def title(self) -> str:
        """The English title, made from the file's name."""
        return self.name.partition("-")[2].replace("-", " ").capitalize()


@cache
def examples_of(ruleset: Ruleset) -> tuple[Example, ...]:
    """The worked examples of a ruleset, sorted by file name; there may be none."""
    folder = Path(import_module(f"ratings.rulesets.{ruleset.slug}").__path__[0], "examples")
    return tuple(read(journal) for journal in sorted(folder.glob("*.ndjson")))


def read(file: Path) -> Example:
    """Read the example of a journal file and the `.expected` file beside it, given either: comments with its
    words, an empty comment, then tables, each under a comment of column names.
    """
    lines = file.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
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
    return Example(file.stem, words, file.with_suffix(".ndjson"), tuple(tables))


def label(fact: Fact) -> str:
    """The name of a fact in an example's tables: a section's id, `list-2024-04-01`, or empty for
    other facts.
    """
    if isinstance(fact, RatedSection):
        return fact.section.id
    return f"list-{fact.fact.on}" if isinstance(fact.fact, ListClosing) else ""
