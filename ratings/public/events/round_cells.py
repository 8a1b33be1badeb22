"""The cells of a cross table's rounds: what one entrant played in a round, its marks and its words.

A section of 200 players has 1,800 of them, each shown twice: they hold texts in parts, of which there are
few, so that a page escapes each part once.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ratings.equipment.result_marks import Notation
from ratings.law.facts import PLAYED
from tournaments.events.models import Bye

KINDS = {Decimal(1): "won", Decimal("0.5"): "drawn", Decimal(0): "lost"}


class RoundCell(NamedTuple):
    mark: str = "–"
    """The result alone, without the opponent's number."""
    said: tuple[str, str, str] = ("", "", "")
    """Words for screen readers and the pointer: before the opponent's name, the name, after it."""
    kind: str = "unplayed"
    form: tuple[str, str] = ("", "")
    """The form that reports a mistake in what was played then, as two parts of its address: that of the round
    and that of the entrant; empty unless the section is rated.
    """
    side: str = ""
    """The letter of the side: `w`."""
    against: str = ""
    """The row's number of the opponent; empty: none."""
    met: tuple[tuple[str, str], ...] = ()
    """Each opponent's name and page, or the kind of bye: a phone shows them beside the result."""

    @property
    def text(self) -> str:
        """The words in the table: `12w1`."""
        return f"{self.against}{self.side}{self.mark}"

    @property
    def words(self) -> str:
        return "".join(self.said)

    @property
    def url(self) -> str:
        return "".join(self.form)


NONE = (RoundCell(),)
"""The cells of whoever played nothing in a round."""


def mark_of(result: str, side: int, notation: Notation) -> tuple[str, str]:
    """The mark of a game's result in a cell, seen from one side (0 first, 1 second), and the cell's style:
    `1` won, `+` won by forfeit.
    """
    kind = KINDS[PLAYED[result][side]] if result in PLAYED else "unplayed"
    return notation.marks[result][side], kind


def bye_cell(bye: Bye, notation: Notation) -> RoundCell:
    words = {
        "pairing": _("allocated bye"),
        "full": _("full-point bye"),
        "half": _("half-point bye"),
        "zero": _("not paired"),
    }
    kind = words.get(bye.kind, bye.kind)
    return RoundCell(mark_of_bye(bye.kind, notation), (kind, "", ""), met=((kind, ""),))


def mark_of_bye(kind: str, notation: Notation) -> str:
    """The mark of a round without an opponent: a sign, or a word short enough for a cell."""
    mark = notation.byes.get(kind, kind)
    return pgettext("a mark in a cross table", "bye") if mark == "bye" else mark


def joined_cell(cells: Sequence[RoundCell]) -> RoundCell:
    """Join the cells of all that one entrant played in a round; an empty cell if that is nothing."""
    if len(cells) < 2:
        return cells[0] if cells else NONE[0]
    texts, words = (
        ", ".join(filter(None, parts)) for parts in zip(*((c.text, c.words) for c in cells), strict=True)
    )
    met = tuple(dict.fromkeys(each for cell in cells for each in cell.met))
    return RoundCell(texts, (words, "", ""), cells[-1].kind, cells[-1].form, met=met)
