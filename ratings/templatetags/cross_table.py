"""The body of a cross table as HTML, written in Python, as a template takes many times as long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from players.templatetags import ui
from ratings.public.events.cross_tables import EntrantRow, OpenedGame, RoundCell

register = template.Library()


@register.simple_tag
def cross_rows(
    rows: Iterable[EntrantRow],
    rounds: Iterable[int],
    decimals: int | str,
    performances: int | str | None = None,
    *,
    unrated: bool = False,
    unscored: bool = False,
    standings: bool = False,
) -> SafeString:
    """The rows of a section's table, as `components/cross_table.html` says of each. Whatever a template does
    not name arrives as an empty text.
    """
    places = decimals if isinstance(decimals, int) else 1
    measured = performances if isinstance(performances, int) else None
    body = TableBody(places, measured, not unrated, not unscored, bool(rounds), bool(standings))
    # Every text of people and of the record is escaped where it is put in.
    return mark_safe("\n".join(part for row in rows for part in body.row(row)))


@dataclass(frozen=True, slots=True)
class TableBody:
    """What all rows of one table have in common."""

    decimals: int
    performances: int | None
    """The decimals of performances; None: the table has none."""
    rated: bool
    scored: bool
    rounds: bool
    standings: bool

    def row(self, row: EntrantRow) -> Iterator[str]:
        """Yield the row of one entrant, and the one below it that opens on a phone."""
        place = "" if row.place is None else row.place
        cells = "" if self.standings else "".join(map(_cell, row.cells))
        yield f'<tr><td class="place">{place}</td>{_head(row)}{self._figures(row)}{cells}</tr>'
        if self.rounds and row.opened:
            yield f'<tr class="opens"><td colspan="5">{self._opened(row)}</td></tr>'

    def _figures(self, row: EntrantRow) -> str:
        found = ""
        if self.scored:
            below = "".join(f'<span class="sub">{escape(words)}</span>' for words in row.tie_breaks)
            found += f'<td class="score">{escape(row.score)}{below}</td>'
        if self.rated:
            found += (
                f'<td class="num">{self._change(row)}</td><td class="num">{self._rating(row.after)}</td>'
                f'<td class="num wide">{self._rating(row.rating)}</td>'
            )
        if self.performances is not None:
            found += f'<td class="num wide">{ui.rating(row.performance, self.performances)}</td>'
        return found

    def _change(self, row: EntrantRow) -> str:
        moved: str = ui.delta(row.points, self.decimals)
        return f'<a href="{escape(row.working_url)}">{moved}</a>' if row.working_url else moved

    def _rating(self, value: Decimal | None) -> str:
        return escape(ui.rating(value, self.decimals))

    def _opened(self, row: EntrantRow) -> str:
        marks = f'<span class="marks" aria-hidden="true">{escape(row.marks)}</span>'
        return (
            f'<details><summary><span class="visually-hidden">{escape(row.name)}: </span>'
            f"{escape(_('Rounds'))} {marks}</summary>"
            f"{self._before(row)}<ol>{''.join(map(_game, row.opened))}</ol></details>"
        )

    def _before(self, row: EntrantRow) -> str:
        """A line with the rating before and the performance, whose columns a phone has no room for."""
        if not self.rated or row.rating is None:
            return ""
        words = f"{escape(_('Rating before'))} {self._rating(row.rating)}"
        if self.performances is not None and row.performance is not None:
            performance = escape(ui.rating(row.performance, self.performances))
            words += f" · {escape(_('Performance'))} {performance}"
        return f'<p class="muted">{words}</p>'


def _head(row: EntrantRow) -> str:
    name = escape(row.name)
    title = f'<span class="muted">{escape(row.title)}</span> ' if row.title else ""
    note = f'<span class="sub">{escape(row.note)}</span>' if row.note else ""
    person = f'<a href="{escape(row.url)}">{name}</a>' if row.url else name
    return f'<th scope="row" class="player">{title}{person}{note}</th>'


def _cell(cell: RoundCell) -> str:
    text, words = escape(cell.text), escape(cell.words)
    if cell.url:
        inside = f'<a rel="nofollow" href="{escape(cell.url)}" title="{words}">{text}</a>'
    else:
        inside = f'<span title="{words}">{text}</span>'
    return f'<td class="round {cell.kind}">{inside}</td>'


def _game(game: OpenedGame) -> str:
    name, result = escape(game.name), escape(game.side + game.mark)
    person = f'<a href="{escape(game.person_url)}">{name}</a>' if game.person_url else f"<span>{name}</span>"
    if game.url:
        told = f'rel="nofollow" href="{escape(game.url)}" title="{escape(game.words)}"'
        outcome = f'<a class="{game.kind}" {told}>{result}</a>'
    else:
        outcome = f'<span class="{game.kind}">{result}</span>'
    return f'<li><span class="muted">{game.number}</span> {person} {outcome}</li>'
