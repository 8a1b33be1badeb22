"""The body of a cross table as HTML, written in Python, as a template takes many times as long."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from typing import TypeVar

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from players.drawing.decimal_sign import with_own_sign
from players.templatetags import ui
from players.templatetags.safe_text import filled, joined
from ratings.public.events.cross_tables import EntrantRow
from ratings.public.events.round_cells import RoundCell

K = TypeVar("K", bound=str | tuple[str, str])
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
    with_rounds = bool(rounds) and not standings
    body = TableBody(places, measured, rated=not unrated, scored=not unscored, rounds=with_rounds)
    return joined(body.row(row) for row in rows)


TITLE = '<span class="muted">{}</span> '
BELOW = '<span class="sub">{}</span>'
RATED = {
    linked: f'<td class="num">{change}</td><td class="num">{{}}</td><td class="num wide">{{}}</td>'
    for linked, change in ((True, '<a href="{}">{}</a>'), (False, "{}"))
}
"""The cells of a change, by whether it leads to its working, and of the ratings after and before."""
OPENS = (
    '<td class="opens"><details><summary><span class="visually-hidden">{}: </span>{} '
    '<span class="marks" aria-hidden="true">{}</span></summary>{}</details></td>{}'
)
"""The cell that opens the cells of the rounds on a phone, where they stand below the name; and those."""
BEFORE = {2: '<p class="muted">{} {}</p>', 4: '<p class="muted">{} {} · {} {}</p>'}
"""The line that opens with them, by the number of its texts."""
PERSON = {True: '<a href="{}">{}</a>', False: "{}"}
MET = '<span class="met">{}</span>'


TAGS = ((True, "a"), (False, "span"))


class Pieces(dict[K, SafeString]):
    """Pieces of cells, each written once: names, addresses and results come back in many cells."""

    def __init__(self, form: str = "{}") -> None:
        """`form`: that of a piece, with a place for each text of its key."""
        super().__init__()
        self.form = form

    def __missing__(self, key: K) -> SafeString:
        self[key] = piece = filled(self.form, *(key if isinstance(key, tuple) else (key,)))
        return piece


class Rounded(dict[Decimal | None, SafeString]):
    """Ratings as readers see them, each written once."""

    def __init__(self, language: str | None, places: int) -> None:
        super().__init__()
        self.language, self.places = language, places

    def __missing__(self, value: Decimal | None) -> SafeString:
        self[value] = written = filled("{}", ui.rating_in(self.language, value, self.places))
        return written


@cache
def form_of_row(
    title: bool, note: bool, tie_breaks: int | None, linked: bool | None, measured: bool, rounds: bool
) -> str:
    """The form of a row, with a place for each of its texts. `tie_breaks`: how many stand below the score;
    None: the table has no scores. `linked`: whether the change leads to its working; None: there are no
    ratings.
    """
    player = f'<th scope="row" class="player">{TITLE * title}{{}}{BELOW * note}</th>'
    score = "" if tie_breaks is None else f'<td class="score">{{}}{BELOW * tie_breaks}</td>'
    rated = "" if linked is None else RATED[linked]
    performance = '<td class="num wide">{}</td>' * measured
    return f'<tr><td class="place">{{}}</td>{player}{score}{rated}{performance}{OPENS * rounds}</tr>'


class TableBody:
    """The rows of one table. Cells of rounds are put together from parts that come back in many of them."""

    def __init__(
        self, decimals: int, performances: int | None, *, rated: bool, scored: bool, rounds: bool
    ) -> None:
        """`performances`: their decimals; None: the table has none."""
        self.decimals, self.rated, self.scored, self.rounds = decimals, rated, scored, rounds
        self.language = get_language()
        self.known = Pieces[str]()
        self.begins = Pieces[str]('<td class="round {}">')
        """The beginning of a round's cell, by its style."""
        self.forms = Pieces[str]('<a rel="nofollow" title="{}')
        """A link to a form, by the words before the opponent's name …"""
        self.hrefs = Pieces[tuple[str, str]]('{}" href="{}')
        """… by those after it, and the form's address …"""
        self.seats = Pieces[str]('{}">')
        """… and by what the address says of the entrant."""
        self.spans = Pieces[str]('<span title="{}')
        """The same, where there is no form: by the words before the name, and those after it."""
        self.ends = {linked: Pieces[tuple[str, str]](f"{{}}{{}}</{tag}></td>") for linked, tag in TAGS}
        """The end of a cell, by the opponent's side and the result."""
        self.ratings = Rounded(self.language, decimals)
        self.performances = None if performances is None else Rounded(self.language, performances)
        self.people: dict[tuple[str, str], SafeString] = {}
        """Those whom the table has named so far, each with a link to the page."""
        self.met: dict[tuple[tuple[str, str], ...], SafeString] = {}
        """The same as a phone shows them beside a result."""
        self.words = {each: self.known[_(each)] for each in ("Rounds", "Rating before", "Performance")}

    def row(self, row: EntrantRow) -> SafeString:
        """The row of one entrant."""
        measured = self.performances is not None
        tie_breaks = len(row.tie_breaks) if self.scored else None
        linked = row.working_url != "" if self.rated else None
        form = form_of_row(bool(row.title), bool(row.note), tie_breaks, linked, measured, self.rounds)
        place = self.known["" if row.place is None else str(row.place)]
        title, note = [row.title] if row.title else [], [row.note] if row.note else []
        head = *title, self._person(row.name, row.url), *note
        return filled(form, place, *head, *self._figures(row), *self._opened(row))

    def _person(self, name: str, url: str) -> SafeString:
        person = self.people.get((name, url))
        if person is None:
            texts = (url, name) if url else (name,)
            self.people[name, url] = person = filled(PERSON[bool(url)], *texts)
        return person

    def _figures(self, row: EntrantRow) -> list[str]:
        """The texts of the score, the rating and the performance, those that the table has."""
        texts = list[str]()
        if self.scored:
            texts += self.known[with_own_sign(row.score)], *row.tie_breaks
        if self.rated:
            texts += [row.working_url] if row.working_url else []
            texts.append(ui.delta_in(self.language, row.points, self.decimals))
            texts += self.ratings[row.after], self.ratings[row.rating]
        if self.performances is not None:
            texts.append(self.performances[row.performance])
        return texts

    def _opened(self, row: EntrantRow) -> tuple[str, ...]:
        """The texts of the cell that a phone opens, and the cells of the rounds; none without rounds."""
        if not self.rounds:
            return ()
        return (
            self.known[row.name],
            self.words["Rounds"],
            row.marks,
            self._before(row),
            self._cells(row.cells),
        )

    def _before(self, row: EntrantRow) -> str:
        """A line with the rating before and the performance, whose columns a phone has no room for."""
        if not self.rated or row.rating is None:
            return ""
        texts = [self.words["Rating before"], self.ratings[row.rating]]
        if self.performances is not None and row.performance is not None:
            texts += self.words["Performance"], self.performances[row.performance]
        return filled(BEFORE[len(texts)], *texts)

    def _cells(self, cells: Iterable[RoundCell]) -> SafeString:
        """The cells of one row, in pieces: a section of 200 players has 1,800 cells."""
        known, begins, ends = self.known, self.begins, self.ends
        pieces = list[SafeString]()
        for mark, (before, name, after), kind, (form, seat), side, against, met in cells:
            people = self.met.get(met)
            if people is None:
                people = self._met(met)
            if form:
                link = self.forms[before], known[name], self.hrefs[after, form], self.seats[seat]
                pieces += begins[kind], people, *link, known[against], ends[True][side, mark]
            else:
                words = self.spans[before], known[name], self.seats[after]
                pieces += begins[kind], people, *words, known[against], ends[False][side, mark]
        return joined(pieces)

    def _met(self, met: tuple[tuple[str, str], ...]) -> SafeString:
        """The opponents of a round with their pages, or the kind of bye."""
        people = filled(", ".join(["{}"] * len(met)), *(self._person(name, url) for name, url in met))
        self.met[met] = written = filled(MET, people) if met else filled("")
        return written
