"""Rows of a rating's history, written in Python: a template takes many times as long for a page of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django import template
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from players.drawing.decimal_sign import with_own_sign
from players.office.models import Federation
from players.templatetags import ui
from players.templatetags.safe_text import filled, joined
from ratings.public.players.event_rows import EventRow
from ratings.public.players.history import HistoryLine
from ratings.public.players.play import PlayInSection
from ratings.templatetags.play import drifts_of, games_of_event, in_games

register = template.Library()

NOTHING = filled("")
SUB = '<span class="sub">{}</span>'
LINK = '<a href="{}">{}</a>'
HIDDEN = '<span class="visually-hidden">{}</span>'
CELL = '<td class="num{}">{}</td>'
WHY = '{} <span class="sub"><a href="{}">{}<span class="visually-hidden">: {}</span></a></span>'
FOLDED = (
    '<tr class="folded"><td colspan="{}"><details>'
    '<summary>{}<span class="visually-hidden">, {}, {}</span></summary>{}</details></td></tr>'
)


@register.simple_tag
def event_rows(
    changes: Sequence[EventRow],
    office: Federation,
    *,
    with_score: bool,
    with_games: bool,
    with_expected: bool,
) -> SafeString:
    """The rows of a history, newest first, each with a row below it that opens into games or days; `with_…`:
    the columns that stand beside event, change and new rating.
    """
    writer = EventRowWriter(office, get_language(), with_score, with_games, with_expected)
    return joined(part for row in changes for part in writer.rows(row))


@dataclass(frozen=True, slots=True)
class EventRowWriter:
    """Writes the rows of one page of a history in one language."""

    office: Federation
    language: str | None
    with_score: bool
    with_games: bool
    with_expected: bool

    def rows(self, row: EventRow) -> list[SafeString]:
        line = row.line
        cells = [
            filled('<th scope="row">{} {}</th>', linked(line.words, line.url), self.below(row)),
            filled(CELL, " unbroken", score(row.play)) if self.with_score else NOTHING,
            filled(CELL, " wide", self.number(row.average)) if self.with_games else NOTHING,
            filled(CELL, " wide", self.number(row.expected, 2)) if self.with_expected else NOTHING,
            filled(CELL, "", self.correction(line) if line.erratum else self.change(line)),
            filled(CELL, "", self.after(row)),
        ]
        kind = filled(' class="others"') if line.others or line.erratum else NOTHING
        own = filled("<tr{}>{}</tr>", kind, joined(cells))
        return [own, self.folded(row)] if row.games or line.folded else [own]

    def number(self, value: Decimal | None, places: int | None = None) -> str:
        """A rating as the office shows it, or a number of so many places."""
        shown = self.office.publication.decimals if places is None else places
        return ui.rating_in(self.language, value, shown)

    def below(self, row: EventRow) -> SafeString:
        """Tell below an event's name its day or days, and the player's place."""
        line = row.line
        if line.on is None:
            return NOTHING
        parts = [
            filled('<span class="badge">{}</span> ', _("erratum")) if line.erratum else NOTHING,
            filled("{}", days_of(line)) if line.folded else day_of(line.on),
        ]
        if row.play and row.play.place:
            parts.append(filled(" · {}", _("place %(place)s") % {"place": row.play.place}))
        return filled(SUB, joined(parts))

    def correction(self, line: HistoryLine) -> SafeString:
        waits = self.office.ruleset.calendar.waits_for_list
        return joined(
            [
                filled('<span class="sub num">{}</span> ', self.number(line.before)),
                filled(SUB, _("corrected")),
                filled(SUB, _("including points that wait for the next list")) if waits else NOTHING,
            ]
        )

    def change(self, line: HistoryLine) -> SafeString:
        moved = ui.delta_in(self.language, line.points, self.office.publication.decimals)
        return filled(WHY, moved, line.working_url, _("why"), line.words)

    def after(self, row: EventRow) -> SafeString:
        """The new rating, with the list that took the points in, or those that wait for the next one."""
        below = NOTHING
        if row.listed:
            below = filled(SUB, linked(row.listed.words, row.listed.working_url))
        elif row.line.waits:
            kept = ui.delta_in(self.language, row.line.kept, self.office.publication.decimals)
            below = filled(SUB, joined([kept, filled(" {}", _("at the next list"))]))
        return filled("{}{}", self.number(row.after), below)

    def folded(self, row: EventRow) -> SafeString:
        """The row that opens into the games of an event, or into the days that a line sums up."""
        line, days = row.line, bool(row.line.folded)
        inner = (
            filled('<ul class="plain-list">{}</ul>', drifts_of(line, self.office))
            if days
            else games_of_event(row, self.office, expected=self.with_expected)
        )
        columns = 3 + self.with_score + self.with_games + self.with_expected
        words = _("Each of these days") if days or row.play is None else in_games(row.play)
        return filled(FOLDED, columns, words, line.words, shown(line.on), inner)


def linked(words: str, url: str) -> SafeString:
    return filled(LINK, url, words) if url else filled("{}", words)


def shown(day: date | None) -> str:
    return date_format(day, "SHORT_DATE_FORMAT") if day else ""


def day_of(day: date) -> SafeString:
    return filled('<time datetime="{}">{}</time>', day.isoformat(), shown(day))


def days_of(line: HistoryLine) -> str:
    """The number of the days that a line sums up, the first and the last of them."""
    count = len(line.folded)
    words = ngettext("%(count)s time, %(first)s – %(last)s", "%(count)s times, %(first)s – %(last)s", count)
    return words % {"count": count, "first": shown(line.folded[-1].on), "last": shown(line.on)}


def score(play: PlayInSection | None) -> str:
    """A player's score and the number of rounds; the score alone where the file has no games."""
    if play is None:
        return "–"
    if not play.games:
        return with_own_sign(play.score) or "–"
    return _("%(score)s of %(rounds)s") % {"score": with_own_sign(play.score), "rounds": play.rounds}
