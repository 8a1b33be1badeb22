"""The worked examples of a ruleset: pairs of a journal and an `.expected` file in its folder `examples/`."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from ratings.rulesets.facts import Fact, ListClosing, RatedSection
from ratings.rulesets.ruleset import Ruleset

TITLE_CONTEXT = "title of a worked example"
"""The context of titles in catalogues of translations: “Register” is a button elsewhere."""


ExpectedTable = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""A table of the results expected of an example's journal: column names, and rows of text."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: a journal, a description, and the results expected of it."""

    name: str
    """The file's name without its ending: `2-performance`."""
    words: str
    """A description of the example, in English, which pages translate."""
    journal: Path
    tables: tuple[ExpectedTable, ...]

    @property
    def title(self) -> str:
        """The English title, made from the file's name."""
        return self.name.partition("-")[2].replace("-", " ").capitalize()


@cache
def examples_of(ruleset: Ruleset) -> tuple[Example, ...]:
    """The worked examples of a ruleset, sorted by file name."""
    folder = Path(import_module(f"ratings.rulesets.{ruleset.slug}").__path__[0], "examples")
    return tuple(read_example(journal) for journal in sorted(folder.glob("*.ndjson")))


def read_example(file: Path) -> Example:
    """Read an example, given its journal or the `.expected` file beside it.

    The latter has comments with the description, an empty comment, then tables, each under a comment with
    its column names.
    """
    lines = file.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    end = lines.index("#")
    words = " ".join(line.removeprefix("# ") for line in lines[:end])
    tables: list[ExpectedTable] = []
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    for line in [*lines[end:], "#"]:
        if line.startswith("#"):
            if rows:
                tables.append((columns, tuple(rows)))
            columns, rows = tuple(line.removeprefix("#").split()), []
        else:
            rows.append(tuple(line.split(maxsplit=len(columns) - 1)))
    return Example(file.stem, words, file.with_suffix(".ndjson"), tuple(tables))


def fact_label(fact: Fact) -> str:
    """The name of a fact in an example's tables: a section's id, `list-2024-04-01`, else empty."""
    if isinstance(fact, RatedSection):
        return fact.section.id
    return f"list-{fact.fact.on}" if isinstance(fact.fact, ListClosing) else ""
