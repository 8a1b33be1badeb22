"""Template tags and filters for pages that show ratings.

Rows of cross tables, histories, games and rules' tables are written in Python, because templates take many
times as long.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, TypeVar

from django import template
from django.template.defaultfilters import stringfilter
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext as _, ngettext, pgettext

from players.access import OfficeRequest, Permission
from players.display import format_escaped, join_escaped, localize_decimal
from players.languages import mark_language
from players.mail import is_mailbox_open
from players.models import Federation
from players.settings import edition_in_force, today
from players.templatetags import ui
from players.templatetags.ui import clause_label
from ratings import disclosure
from ratings.cross_tables import EntrantRow, RoundCell
from ratings.demo.office import list_demo_files_to_upload
from ratings.models import ListRow
from ratings.pages.play import (
    EventRow,
    HistoryLine,
    MeasuredGame,
    Meetings,
    OwnGame,
    PlayInSection,
    PublishedOtherwise,
    SideResults,
    StatementMonth,
)
from ratings.pages.players import set_shown_ratings
from ratings.pages.rule_tables import WordedCell, WordedTable, label_of
from ratings.pages.tables import EMPTY_HTML, UNMOVED, format_after, format_at_once, format_movement
from ratings.rulesets.examples import TITLE_CONTEXT as EXAMPLE_TITLE, Example
from ratings.rulesets.profile import Page, pages_of
from ratings.rulesets.ruleset import Edition
from ratings.statement import Balance, Movement
from ratings.workings import clause_url, localize_exact
from tournaments.announcements import find_headline_notice

# ---- The body of a cross table
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
    """The rows of a section's table; `components/cross_table.html` explains the arguments.

    What a template leaves out arrives as an empty text.
    """
    body = TableBody(
        decimals if isinstance(decimals, int) else 1,
        performances if isinstance(performances, int) else None,
        rated=not unrated,
        scored=not unscored,
        rounds=bool(rounds) and not standings,
    )
    return join_escaped(body.row(row) for row in rows)


@register.simple_tag
def at_once(moved: Movement, places: int) -> SafeString:
    """What came at once, as shown."""
    return format_at_once(get_language(), moved.as_shown(places), places)


@register.simple_tag
def after(moved: Movement, places: int) -> SafeString:
    """The rating after, as shown, with what it comes to with the next list."""
    return format_after(get_language(), moved, places)


@register.simple_tag
def movement(moved: Movement | None, places: int) -> SafeString:
    """What came at once and what waits, as shown."""
    return join_escaped(format_movement(get_language(), moved, places))


TITLE = '<span class="muted">{}</span> '
BELOW = '<span class="sub">{}</span>'
RATED_CELLS = {
    linked: f'<td class="num">{change}{{}}</td><td class="num">{{}}</td><td class="num wide">{{}}</td>'
    for linked, change in ((True, '<a href="{}">{}</a>'), (False, "{}"))
}
"""The cells of a change, with or without a link to its working, with what of it waits, and of the ratings
after and before.
"""
ROUNDS_CELL = (
    '<td class="opens"><details><summary><span class="visually-hidden">{}: </span>{} '
    '<span class="marks" aria-hidden="true">{}</span></summary>{}</details></td>{}'
)
"""The cell that on a phone opens the cells of the rounds below the name, and those cells."""
RATING_BEFORE = {2: '<p class="muted">{} {}</p>', 4: '<p class="muted">{} {} · {} {}</p>'}
"""The line that opens with them, by its number of texts."""
PLAYER = {True: '<a href="{}">{}</a>', False: "{}"}
OPPONENTS = '<span class="met">{}</span>'
TAGS = ((True, "a"), (False, "span"))


class Pieces(dict[K, SafeString]):
    """Pieces of cells, cached because names, addresses and results recur.

    `form` has a place for each text of a key.
    """

    def __init__(self, form: str = "{}") -> None:
        super().__init__()
        self.form = form

    def __missing__(self, key: K) -> SafeString:
        self[key] = piece = format_escaped(self.form, *(key if isinstance(key, tuple) else (key,)))
        return piece


class RatingTexts(dict[Decimal | None, SafeString]):
    """Ratings as readers see them, cached."""

    def __init__(self, language: str | None, places: int) -> None:
        super().__init__()
        self.language, self.places = language, places

    def __missing__(self, value: Decimal | None) -> SafeString:
        self[value] = written = format_escaped("{}", ui.format_rating(self.language, value, self.places))
        return written


@cache
def row_format(
    anchor: bool,
    title: bool,
    note: bool,
    tie_breaks: int | None,
    linked: bool | None,
    measured: bool,
    rounds: bool,
) -> str:
    """The form of a row, with a place for each of its texts.

    `tie_breaks`: their number; None: the table has no scores. `linked`: whether the change links to its
    working; None: the table has no ratings.
    """
    player = f'<th scope="row" class="player">{TITLE * title}{{}}{BELOW * note}</th>'
    score = "" if tie_breaks is None else f'<td class="score">{{}}{BELOW * tie_breaks}</td>'
    rated = "" if linked is None else RATED_CELLS[linked]
    performance = '<td class="num wide">{}</td>' * measured
    begin = '<tr id="p{}">' if anchor else "<tr>"
    return f'{begin}<td class="place">{{}}</td>{player}{score}{rated}{performance}{ROUNDS_CELL * rounds}</tr>'


class TableBody:
    """The rows of one table, with cells of rounds made from cached pieces.

    `performances`: their decimals; None: the table has none.
    """

    def __init__(
        self, decimals: int, performances: int | None, *, rated: bool, scored: bool, rounds: bool
    ) -> None:
        self.decimals, self.rated, self.scored, self.rounds = decimals, rated, scored, rounds
        self.language = get_language()
        self.known = Pieces[str]()
        self.begins = Pieces[str]('<td class="round {}">')
        """The beginning of a round's cell, by its style."""
        self.forms = Pieces[str]('<a rel="nofollow" title="{}')
        """A link to a form, by the words before the opponent's name."""
        self.hrefs = Pieces[tuple[str, str]]('{}" href="{}')
        """Its continuation, by the words after the name and the form's address."""
        self.seats = Pieces[str]('{}">')
        """Its end, by what the address says of the entrant."""
        self.spans = Pieces[str]('<span title="{}')
        """The beginning where there is no form, by the words before the name."""
        self.ends = {linked: Pieces[tuple[str, str]](f"{{}}{{}}</{tag}></td>") for linked, tag in TAGS}
        """The end of a cell, by the opponent's side and the result."""
        self.ratings = RatingTexts(self.language, decimals)
        self.performances = None if performances is None else RatingTexts(self.language, performances)
        self.people: dict[tuple[str, str], SafeString] = {}
        """Links to players, by name and address."""
        self.opponents: dict[tuple[tuple[str, str], ...], SafeString] = {}
        """Opponents as a phone shows them beside a result."""
        self.words = {each: self.known[_(each)] for each in ("Rounds", "Rating before", "Performance")}

    def row(self, row: EntrantRow) -> SafeString:
        tie_breaks = len(row.tie_breaks) if self.scored else None
        linked = row.working_url != "" if self.rated else None
        measured = self.performances is not None
        anchor = [row.number] if row.number else []
        form = row_format(
            bool(anchor), bool(row.title), bool(row.note), tie_breaks, linked, measured, self.rounds
        )
        place = self.known["" if row.place is None else str(row.place)]
        title, note = [row.title] if row.title else [], [row.note] if row.note else []
        head = *title, self._person(row.name, row.url), *note
        return format_escaped(form, *anchor, place, *head, *self._figures(row), *self._rounds_texts(row))

    def _person(self, name: str, url: str) -> SafeString:
        person = self.people.get((name, url))
        if person is None:
            texts = (url, name) if url else (name,)
            self.people[name, url] = person = format_escaped(PLAYER[bool(url)], *texts)
        return person

    def _figures(self, row: EntrantRow) -> list[str]:
        """The texts of the score, the rating and the performance, as far as the table has them."""
        texts = list[str]()
        if self.scored:
            texts += self.known[localize_decimal(row.score)], *row.tie_breaks
        if self.rated:
            texts += [row.working_url] if row.working_url else []
            moved = row.movement or UNMOVED
            at_once, waits = format_movement(self.language, row.movement, self.decimals)
            texts += (at_once, waits) if at_once else (waits, at_once)  # a link has words
            texts += self.ratings[moved.after.rating], self.ratings[moved.before.rating]
        if self.performances is not None:
            texts.append(self.performances[row.performance])
        return texts

    def _rounds_texts(self, row: EntrantRow) -> tuple[str, ...]:
        """The texts of the cell that a phone opens, and the cells of the rounds; none without rounds."""
        if not self.rounds:
            return ()
        name, rounds = self.known[row.name], self.words["Rounds"]
        return name, rounds, row.marks, self._rating_before(row), self._cells(row.cells)

    def _rating_before(self, row: EntrantRow) -> str:
        """A line with the rating before and the performance, because a phone does not show their columns."""
        if not self.rated or row.rating is None:
            return ""
        texts = [self.words["Rating before"], self.ratings[row.rating]]
        if self.performances is not None and row.performance is not None:
            texts += self.words["Performance"], self.performances[row.performance]
        return format_escaped(RATING_BEFORE[len(texts)], *texts)

    def _cells(self, cells: Iterable[RoundCell]) -> SafeString:
        """The cells of one row, from pieces, because a section of 200 players has 1,800 cells."""
        known, begins, ends = self.known, self.begins, self.ends
        pieces = list[SafeString]()
        for mark, (before, name, after), kind, (form, seat), side, against, met in cells:
            people = self.opponents.get(met)
            if people is None:
                people = self._opponents(met)
            if form:
                link = self.forms[before], known[name], self.hrefs[after, form], self.seats[seat]
                pieces += begins[kind], people, *link, known[against], ends[True][side, mark]
            else:
                words = self.spans[before], known[name], self.seats[after]
                pieces += begins[kind], people, *words, known[against], ends[False][side, mark]
        return join_escaped(pieces)

    def _opponents(self, met: tuple[tuple[str, str], ...]) -> SafeString:
        """The opponents of a round with links, or the kind of bye."""
        people = format_escaped(", ".join(["{}"] * len(met)), *(self._person(name, url) for name, url in met))
        self.opponents[met] = written = format_escaped(OPPONENTS, people) if met else format_escaped("")
        return written


@register.inclusion_tag("ratings/office/demo_files.html", takes_context=True)
def demo_files(context: dict[str, Any]) -> dict[str, Any]:
    """The sample files that a demo offers for upload, and its mailbox; neither in a real office."""
    request: OfficeRequest = context["request"]
    permission = Permission.SECTIONS_FILE
    everywhere = permission in request.rights.everywhere
    regions = None if everywhere else request.rights.region_keys_unless_everywhere(permission)
    files = list_demo_files_to_upload(request.office, regions)
    return {"office": request.office, "files": files, "mailbox": request.office.demo and is_mailbox_open()}


# ---- A player's games and changes of rating
GAMES_HEAD = (
    '<thead><tr><th scope="col" class="num"><abbr title="{}">{}</abbr></th><th scope="col">{}</th>'
    '<th scope="col" class="num">{}</th><th scope="col" class="num">{}</th>{}</tr></thead>'
)


GAME_ROWS = {
    (linked, expected): '<tr><td class="num">{}</td><th scope="row">'
    + ('<a href="{}">{}</a>' if linked else "{}")
    + '<span class="sub">{}</span></th><td class="num">{}</td><td class="num {}">{}</td>'
    + ('<td class="num">{}</td>' if expected else "")
    + "</tr>"
    for linked in (True, False)
    for expected in (True, False)
}
"""The form of a game, by whether its opponent has a page and whether there are expected scores."""


@register.simple_tag
def games_of_event(row: EventRow, office: Federation, *, expected: bool) -> SafeString:
    """The games of one section as a table; `expected`: with a column of expected scores."""
    words = (_("Round"), _("Rd"), _("Opponent"), _("Rating"), _("Result"))
    last = format_escaped('<th scope="col" class="num">{}</th>', _("Expected")) if expected else ""
    head = format_escaped(GAMES_HEAD, *words, last)
    sides = [_(side) for side in office.publication.sides]
    language, places = get_language(), office.publication.decimals
    rows = join_escaped(
        _game(each, sides, ui.format_rating(language, each.rating, places), expected=expected)
        for each in row.games
    )
    return format_escaped('<table class="games">{}<tbody>{}</tbody></table>', head, rows)


def _game(row: MeasuredGame, sides: Sequence[str], rating: str, *, expected: bool) -> SafeString:
    """One game as a row, filled at once because a page has dozens."""
    game, opponent = row.game, row.game.opponent
    name = [opponent.get_absolute_url(), opponent.marked_name] if opponent else ["–"]
    last = ["–" if row.expected is None else localize_decimal(f"{row.expected:.2f}")] if expected else []
    form = GAME_ROWS[opponent is not None, expected]
    return format_escaped(form, game.round, *name, sides[game.side], rating, game.kind, game.mark, *last)


@register.filter
def in_games(play: PlayInSection) -> str:
    """The games of a section in words: how many, won, drawn and lost."""
    kinds = [game.kind for game in play.games if game.played]
    if not kinds:
        return _("No game was played")
    counts = {"count": len(kinds), **{kind: kinds.count(kind) for kind in ("won", "drawn", "lost")}}
    if not counts["drawn"]:
        words = ngettext(
            "%(count)s game: %(won)s won, %(lost)s lost",
            "%(count)s games: %(won)s won, %(lost)s lost",
            len(kinds),
        )
    else:
        words = ngettext(
            "%(count)s game: %(won)s won, %(drawn)s drawn, %(lost)s lost",
            "%(count)s games: %(won)s won, %(drawn)s drawn, %(lost)s lost",
            len(kinds),
        )
    return words % counts


@register.filter
def side_of(game: OwnGame, office: Federation) -> str:
    """The side that the player had in a game, in the federation's words."""
    return _(office.publication.sides[game.side])


@register.filter
def share(tally: SideResults) -> str:
    """The points of a tally's games in percent."""
    if not tally.games:
        return "–"
    points = (tally.won + Decimal(tally.drawn) / 2) * 100 / tally.games
    return pgettext("of a hundred", "%(points)s%%") % {"points": f"{points:.0f}"}


@register.simple_tag
def met_score(met: Meetings, office: Federation) -> str:
    """The score of a player against one opponent."""
    written = office.publication.notation.score
    return f"{written(met.points)} : {written(Decimal(met.count) - met.points)}"


DAY_ITEM = (
    '<li><span>{}<span class="sub"><time datetime="{}">{}</time></span></span><span class="num">{}'
    '<span class="sub"><a href="{}">{}<span class="visually-hidden">, {}</span></a></span></span></li>'
)


@register.simple_tag
def drifts_of(line: HistoryLine, office: Federation) -> SafeString:
    """The days on which a rating changed without a game, as a list with links to the reasons."""
    places = office.publication.decimals
    return format_html_join(
        "",
        DAY_ITEM,
        (
            (
                format_html('<a href="{}">{}</a>', one.url, one.words) if one.url else one.words,
                one.on.isoformat() if one.on else "",
                date_format(one.on, "SHORT_DATE_FORMAT") if one.on else "",
                ui.rating(one.movement.after.rating, places),
                one.working_url,
                movement(one.movement, places),
                _("why"),
            )
            for one in line.folded
        ),
    )


# ---- Rows of a rating's history
SUB = '<span class="sub">{}</span>'
LINK = '<a href="{}">{}</a>'
CELL = '<td class="num{}">{}</td>'
WHY = (
    '<div data-hx-get="{}" data-hx-trigger="toggle from:closest details once" data-hx-swap="afterbegin" '
    'data-hx-select="main :is(.in-short, .bars, .steps)">'
    '<p><a href="{}">{}<span class="visually-hidden">: {}</span></a></p></div>'
)
DETAILS_ROW = (
    '<tr class="folded"><td colspan="{}"><details>'
    '<summary>{}<span class="visually-hidden">, {}, {}</span></summary>{}{}</details></td></tr>'
)
OPENING, CLOSING = (
    f'<tr class="{kind}"><th scope="row">{{}}</th>{{}}<td class="num">{{}}</td><td class="num">{{}}</td></tr>'
    for kind in ("opening", "closing")
)
"""The first and the last row of a month. Of the months after the first one the first row has the closing."""
MONTH_HEAD = '<time datetime="{}">{}</time>'


@register.simple_tag
def statement_rows(
    months: Sequence[StatementMonth],
    office: Federation,
    *,
    with_score: bool,
    with_games: bool,
    with_expected: bool,
) -> SafeString:
    """The bodies of a statement's table, one a month: the first with its opening and closing, the others
    headed by their closing. Each row is followed by one that opens into games, days and the working.

    `with_…`: whether there are these columns.
    """
    writer = EventRowWriter(office, get_language(), with_score, with_games, with_expected)
    alone = len(months) == 1
    return join_escaped(writer.month(month, whole=not at, alone=alone) for at, month in enumerate(months))


@dataclass(frozen=True, slots=True)
class EventRowWriter:
    """Writes the rows of a history."""

    office: Federation
    language: str | None
    with_score: bool
    with_games: bool
    with_expected: bool

    @property
    def between(self) -> list[bool]:
        """The columns between the name and the change, each with whether narrow screens leave it out."""
        return [False] * self.with_score + [True] * (self.with_games + self.with_expected)

    def month(self, month: StatementMonth, *, whole: bool, alone: bool) -> SafeString:
        change = movement(month.movement, self.office.publication.decimals)
        opening, closing = self.rating(month.movement.before), self.rating(month.movement.after)
        empty = join_escaped(format_escaped(CELL, " wide" if wide else "", "") for wide in self.between)
        name = format_escaped("{}", _("Opening"))
        if month.first and not alone:
            words = capfirst(date_format(month.first, "YEAR_MONTH_FORMAT"))
            name = format_escaped(MONTH_HEAD, f"{month.first:%Y-%m}", words)
        head = ("" if alone else _("Opening"), opening) if whole else (change, closing)
        rows = [format_escaped(OPENING, name, empty, *head)]
        rows += [part for row in month.rows for part in self.rows(row)]
        if whole:
            rows.append(format_escaped(CLOSING, _("Closing"), empty, change, closing))
        return format_escaped("<tbody>{}</tbody>", join_escaped(rows))

    def rows(self, row: EventRow) -> list[SafeString]:
        line = row.line
        cells = [
            format_escaped(
                '<th scope="row">{} {}</th>', link_or_text(line.words, line.url), self.subline(row)
            ),
            format_escaped(CELL, " unbroken", score_in_words(row.play)) if self.with_score else EMPTY_HTML,
            format_escaped(CELL, " wide", self.number(row.average)) if self.with_games else EMPTY_HTML,
            format_escaped(CELL, " wide", self.number(row.expected, 2)) if self.with_expected else EMPTY_HTML,
            format_escaped(CELL, "", movement(line.movement, self.office.publication.decimals)),
            format_escaped(CELL, "", self.rating(line.movement.after)),
        ]
        kind = format_escaped(' class="others"') if line.others else EMPTY_HTML
        own = format_escaped("<tr{}>{}</tr>", kind, join_escaped(cells))
        return [own, self.details_row(row)] if line.working_url or line.folded else [own]

    def number(self, value: Decimal | None, places: int | None = None) -> str:
        """A number with so many decimals, or as many as the office shows of ratings."""
        shown = self.office.publication.decimals if places is None else places
        return ui.format_rating(self.language, value, shown)

    def rating(self, balance: Balance) -> SafeString:
        """The rating as shown, and below it what it comes to with the next list."""
        return format_after(self.language, Movement(balance, balance), self.office.publication.decimals)

    def subline(self, row: EventRow) -> SafeString:
        """The line below an event's name: its day or days, and the player's place."""
        line = row.line
        if line.on is None:
            return EMPTY_HTML
        parts = [format_escaped("{}", day_range_in_words(line)) if line.folded else render_day(line.on)]
        if line.rated_on:
            day = date_format(line.rated_on, "SHORT_DATE_FORMAT")
            parts.append(format_escaped("{}", _("rated %(day)s") % {"day": day}))
        if row.play and row.play.place:
            parts.append(format_escaped("{}", _("place %(place)s") % {"place": row.play.place}))
        if line.began_from is not None:
            initial = {"rating": self.number(line.began_from)}
            parts.append(format_escaped("{}", _("began from the initial %(rating)s") % initial))
        if line.published:
            parts.append(self.published(line.published))
        return format_escaped(SUB, join_escaped(parts, " · "))

    def published(self, said: PublishedOtherwise) -> SafeString:
        """What a list said otherwise, as a link to the erratum."""
        numbers = {"published": self.number(said.published), "known": self.number(said.known)}
        words = _("published %(published)s, by today’s knowledge %(known)s") % numbers
        return link_or_text(words, said.url)

    def details_row(self, row: EventRow) -> SafeString:
        """The row that opens into the working and the games of an event, or into the days that a line sums
        up.
        """
        line, why = row.line, EMPTY_HTML
        inner, words = EMPTY_HTML, _("why")
        if line.folded:
            days = drifts_of(line, self.office)
            inner, words = format_escaped('<ul class="plain-list">{}</ul>', days), _("Each of these days")
        elif line.others:
            why = format_escaped('<p><a href="{}">{}</a></p>', line.working_url, _("The whole working"))
        else:
            url = line.working_url
            why = format_escaped(WHY, url, url, _("The whole working"), line.words)
            if row.games and row.play:
                inner = games_of_event(row, self.office, expected=self.with_expected)
                words = f"{words} · {in_games(row.play)}"
        return format_escaped(
            DETAILS_ROW, len(self.between) + 3, words, line.words, short_date(line.on), why, inner
        )


def link_or_text(words: str, url: str) -> SafeString:
    return format_escaped(LINK, url, words) if url else format_escaped("{}", words)


def short_date(day: date | None) -> str:
    return date_format(day, "SHORT_DATE_FORMAT") if day else ""


def render_day(day: date) -> SafeString:
    return format_escaped('<time datetime="{}">{}</time>', day.isoformat(), short_date(day))


def day_range_in_words(line: HistoryLine) -> str:
    """The number of days that a line sums up, and the first and the last."""
    count = len(line.folded)
    words = ngettext("%(count)s time, %(first)s – %(last)s", "%(count)s times, %(first)s – %(last)s", count)
    return words % {"count": count, "first": short_date(line.folded[-1].on), "last": short_date(line.on)}


def score_in_words(play: PlayInSection | None) -> str:
    """A player's score and the number of rounds, or the score alone if the file has no games."""
    if play is None:
        return "–"
    if not play.games:
        return localize_decimal(play.score) or "–"
    return _("%(score)s of %(rounds)s") % {"score": localize_decimal(play.score), "rounds": play.rounds}


# ---- Tags and filters for any page
register.filter("told_by_headline", find_headline_notice)


@register.filter
def rated(value: Decimal | None, office: Federation) -> str:
    """A rating as text, with the office's decimals."""
    return ui.rating(value, office.publication.decimals)


@register.simple_tag
def look_up_ratings(cards: Sequence[dict[str, Any]], office: Federation) -> str:
    """Set `shown_ratings` on the players offered in these cards of entries together; write nothing."""
    players = {offer["player"].pk: offer["player"] for card in cards for offer in card["offers"]}
    set_shown_ratings(office, list(players.values()), today(office))
    for card in cards:
        for offer in card["offers"]:
            offer["player"].shown_ratings = players[offer["player"].pk].shown_ratings
    return ""


@register.filter
def without_names(text: str, office: Federation) -> str:
    """A text by officials in which names of people who asked not to be named are replaced."""
    return mark_language(office, disclosure.redact_withheld_names(office, text))


@register.filter
def exactly(value: Decimal) -> str:
    """A number with all digits that are kept."""
    return localize_exact(value)


@register.filter
def counted(number: int, office: Federation) -> str:
    """The number of games behind a rating in words, or of what the office's rules count instead."""
    if "games" in office.ruleset.words.messages:
        return f"{label_of('games', office.ruleset)}: {number}"
    return ngettext("%(number)s game", "%(number)s games", number) % {"number": number}


@register.filter
def track_name(code: str, office: Federation) -> str:
    return next((_(track.name) for track in office.ruleset.tracks if track.code == code), code)


@register.filter
def rating_name(code: str, office: Federation) -> str:
    """The heading for ratings of a track, with its name unless it is the only one."""
    if len(office.ruleset.tracks) == 1:
        return _("Rating")
    return _("%(track)s rating") % {"track": track_name(code, office)}


@register.filter
def words(text: str) -> str:
    """Translate a text that a ruleset has marked for translation."""
    return _(text) if text else ""


@register.filter(is_safe=True)
@stringfilter
def continued(text: str) -> str:
    """A text with its first letter in lower case, to continue a sentence."""
    return text[:1].lower() + text[1:]


@register.filter
def titled(example: Example) -> str:
    """The title of a worked example in the reader's language."""
    return pgettext(EXAMPLE_TITLE, example.title)


@register.filter
def further_pages(office: Federation | None) -> Sequence[Page]:
    """The pages of the office's further tables, for the navigation; error pages may have no office."""
    return pages_of(office.ruleset) if office else ()


@register.filter
def tool_addresses(office: Federation | None) -> str:
    """The addresses of the office's calculators, parted by spaces, or of the page of its tools."""
    if not office:
        return ""
    tools = [page.code for page in pages_of(office.ruleset) if page.calculator]
    found = [reverse("ratings:table_page", args=[office.code, code]) for code in tools]
    return " ".join(found or [f"{office.get_absolute_url()}tables/?"])


@register.inclusion_tag("components/clause.html")
def clause(office: Federation, number: str, edition: Edition | str = "") -> dict[str, str]:
    """The number of a clause as a link to its text in an edition, or in that in force."""
    cited = edition_in_force(office) if isinstance(edition, str) else edition
    return {"clause": number, "url": clause_url(office, number, cited)}


@register.simple_tag
def moved(row: ListRow, places: int) -> SafeString:
    """The change of a list row's rating since the list before."""
    return ui.difference(row.previous, row.rating, places)


# ---- Rows of the rules' tables
CLAUSE = '<a class="clause" href="{}"><span class="visually-hidden">{} </span>{}</a>'
UNLINKED = '<span class="clause"><span class="visually-hidden">{} </span>{}</span>'
CONFIRM = (
    '<td><a class="button secondary small" href="{}">{}<span class="visually-hidden"> {}</span></a></td>'
)


@register.simple_tag(takes_context=True)
def rule_rows(context: template.Context, table: WordedTable) -> SafeString:
    """The rows of a table, each with a link to confirm its rank where the reader may do so."""
    confirms = table.confirms and (context.get("may") or {}).get("ranks_confirm", False)
    word = _("clause")
    return join_escaped(
        format_escaped(
            "<tr>{}{}</tr>",
            join_escaped(_cell(cell, word) for cell in cells),
            _confirm(cells, values, context["office"]) if confirms else "",
        )
        for cells, values in table.rows
    )


def _cell(cell: WordedCell, clause: str) -> SafeString:
    if cell.head:
        return format_escaped('<th scope="row" class="head">{}</th>', link_or_text(cell.words, cell.url))
    words = _clause(cell, clause) if cell.clause else link_or_text(cell.words, cell.url)
    return format_escaped("<td{}>{}</td>", format_escaped(' class="num"') if cell.number else "", words)


def _clause(cell: WordedCell, word: str) -> SafeString:
    label = clause_label(cell.clause)
    return (
        format_escaped(CLAUSE, cell.url, word, label) if cell.url else format_escaped(UNLINKED, word, label)
    )


def _confirm(cells: list[WordedCell], values: dict[str, Any], office: Federation) -> SafeString:
    """The cell that leads to the confirmation of a rank."""
    asked = urlencode({name: values.get(name, "") for name in ("player", "rank", "clause")})
    address = f"{reverse('ratings:confirm_rank', args=[office.code])}?{asked}"
    whose = " ".join(cell.words for cell in cells if cell.head)
    return format_escaped(CONFIRM, address, _("Confirm"), whose)
