"""The body of a cross table as HTML, written in Python, as a template takes many times as long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.templatetags import ui
from ratings.public.events.cross_tables import EntrantRow, OpenedGame, RoundCell

register = template.Library()
RATED = '<td class="num">{}</td><td class="num">{}</td><td class="num wide">{}</td>'
LINKED = '<td class="round {}"><a rel="nofollow" href="{}" title="{}">{}</a></td>'
UNLINKED = '<td class="round {}"><span title="{}">{}</span></td>'
OPENED = (
    '<details><summary><span class="visually-hidden">{}: </span>{} <span class="marks" aria-hidden="true">'
    "{}</span></summary>{}<ol>{}</ol></details>"
)
PERSON = {True: '<a href="{}">{}</a>', False: "<span>{}</span>"}
OUTCOME = {
    True: '<a class="{}" rel="nofollow" href="{}" title="{}">{}</a>',
    False: '<span class="{}">{}</span>',
}
ITEM = {
    (person, report): f'<li><span class="muted">{{}}</span> {PERSON[person]} {OUTCOME[report]}</li>'
    for person in PERSON
    for report in OUTCOME
}
"""A game of a list by whether its name leads to a page and its result to a form."""


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
    return format_html_join("\n", "{}", ((part,) for row in rows for part in body.row(row)))


@dataclass(frozen=True, slots=True)
class TableBody:
    """The rows of one table, by what they have in common."""

    decimals: int
    performances: int | None
    """The decimals of performances; None: the table has none."""
    rated: bool
    scored: bool
    rounds: bool
    standings: bool

    def row(self, row: EntrantRow) -> Iterator[SafeString]:
        """Yield the row of one entrant, and the one below it that opens on a phone."""
        place = "" if row.place is None else row.place
        cells = "" if self.standings else _cells(row.cells)
        figures = format_html("{}{}{}", *self._figures(row))
        yield format_html('<tr><td class="place">{}</td>{}{}{}</tr>', place, _head(row), figures, cells)
        if self.rounds and row.opened:
            yield format_html('<tr class="opens"><td colspan="5">{}</td></tr>', self._opened(row))

    def _figures(self, row: EntrantRow) -> tuple[str, str, str]:
        """The cells of the score, the rating and the performance, each empty where the table has none."""
        score = rating = performance = ""
        if self.scored:
            below = format_html_join("", '<span class="sub">{}</span>', ((each,) for each in row.tie_breaks))
            score = format_html('<td class="score">{}{}</td>', row.score, below)
        if self.rated:
            figures = self._change(row), self._rating(row.after), self._rating(row.rating)
            rating = format_html(RATED, *figures)
        if self.performances is not None:
            measured = ui.rating(row.performance, self.performances)
            performance = format_html('<td class="num wide">{}</td>', measured)
        return score, rating, performance

    def _change(self, row: EntrantRow) -> str:
        moved: str = ui.delta(row.points, self.decimals)
        return format_html('<a href="{}">{}</a>', row.working_url, moved) if row.working_url else moved

    def _rating(self, value: Decimal | None) -> str:
        return ui.rating(value, self.decimals)

    def _opened(self, row: EntrantRow) -> SafeString:
        games = _games(row.opened)
        return format_html(OPENED, row.name, _("Rounds"), row.marks, self._before(row), games)

    def _before(self, row: EntrantRow) -> str:
        """A line with the rating before and the performance, whose columns a phone has no room for."""
        if not self.rated or row.rating is None:
            return ""
        words = f"{_('Rating before')} {self._rating(row.rating)}"
        if self.performances is not None and row.performance is not None:
            words += f" · {_('Performance')} {ui.rating(row.performance, self.performances)}"
        return format_html('<p class="muted">{}</p>', words)


def _head(row: EntrantRow) -> SafeString:
    title = format_html('<span class="muted">{}</span> ', row.title) if row.title else ""
    note = format_html('<span class="sub">{}</span>', row.note) if row.note else ""
    person = format_html('<a href="{}">{}</a>', row.url, row.name) if row.url else row.name
    return format_html('<th scope="row" class="player">{}{}{}</th>', title, person, note)


def _cells(cells: Iterable[RoundCell]) -> SafeString:
    """The cells of one row in one go: a call for each would take twice as long."""
    template, texts = [], list[str]()
    for cell in cells:
        if cell.url:
            template.append(LINKED)
            texts += cell.kind, cell.url, cell.words, cell.text
        else:
            template.append(UNLINKED)
            texts += cell.kind, cell.words, cell.text
    return format_html("".join(template), *texts) if texts else format_html("{}", "")


def _games(games: Iterable[OpenedGame]) -> SafeString:
    """The games of one row in one go, as items of a list."""
    template, texts = [], list[object]()
    for game in games:
        template.append(ITEM[bool(game.person_url), bool(game.url)])
        texts.append(game.number)
        texts += (game.person_url, game.name) if game.person_url else (game.name,)
        texts.append(game.kind)
        texts += (game.url, game.words) if game.url else ()
        texts.append(game.side + game.mark)
    return format_html("".join(template), *texts)
