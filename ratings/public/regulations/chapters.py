"""The clauses of a text by its chapters, and those that a reader looks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _

from players.register.name_folding import words
from players.templatetags.ui import clause_label
from ratings.law.ruleset_helpers.source_and_omissions import Enacted


class Numbered(Protocol):
    """A clause as a page shows it."""

    @property
    def number(self) -> str: ...

    @property
    def text(self) -> str: ...


@dataclass(slots=True)
class Chapter:
    """A chapter of a text: its subject, and its clauses in order."""

    place: str
    """The chapter's anchor on the page."""
    subject: str
    clauses: list[Numbered]

    @property
    def numbers(self) -> str:
        """The numbers of its first and last clause, as a page cites them."""
        first, last = self.clauses[0].number, self.clauses[-1].number
        return clause_label(first) if first == last else f"{clause_label(first)}–{last}"


def chapters_of(enacted: Enacted, clauses: Iterable[Numbered]) -> Sequence[Chapter]:
    """The clauses by chapter; one chapter of all where the text has none."""
    subjects = dict(enacted.chapters)
    found: list[Chapter] = []
    for clause in clauses:
        if clause.number in subjects or not found:
            subject = _(subjects[clause.number]) if clause.number in subjects else _("Clauses")
            found.append(Chapter(f"chapter-{clause.number}", subject, []))
        found[-1].clauses.append(clause)
    return found


def looked_for(clauses: Iterable[Numbered], wanted: str) -> Iterator[Numbered]:
    """The clauses of a number (`44`, `§44`), or in which every word of a text stands or begins a word."""
    number = wanted.strip().removeprefix("§").strip().upper()
    asked = words(wanted)
    for clause in clauses:
        own = words(" ".join((clause.text, *_beside(clause))))
        begun = asked and all(any(each.startswith(word) for each in own) for word in asked)
        if begun or clause.number.upper() == number:
            yield clause


def _beside(clause: Numbered) -> Iterator[str]:
    """The further words that stand at a clause."""
    for name in ("question", "not_computed", "partly"):
        yield getattr(clause, name, "")
    yield from getattr(clause, "readings", ())
