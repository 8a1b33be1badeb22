"""Template tags for a player's games, written in Python, as a template takes many times as long."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from players.drawing.decimal_sign import with_own_sign
from players.office.models import Federation
from players.templatetags import ui
from players.templatetags.safe_text import filled, joined
from ratings.public.players.event_rows import EventRow, MeasuredGame
from ratings.public.players.history import HistoryLine
from ratings.public.players.play import Meetings, OwnGame, PlayInSection, SideResults

register = template.Library()
HEAD = (
    '<thead><tr><th scope="col" class="num"><abbr title="{}">{}</abbr></th><th scope="col">{}</th>'
    '<th scope="col" class="num">{}</th><th scope="col" class="num">{}</th>{}</tr></thead>'
)


GAME = {
    (linked, expected): '<tr><td class="num">{}</td><th scope="row">'
    + ('<a href="{}">{}</a>' if linked else "{}")
    + '<span class="sub">{}</span></th><td class="num">{}</td><td class="num {}">{}</td>'
    + ('<td class="num">{}</td>' if expected else "")
    + "</tr>"
    for linked in (True, False)
    for expected in (True, False)
}
"""A game by whether its opponent has a page and whether the table tells expected scores."""


@register.simple_tag
def games_of_event(row: EventRow, office: Federation, *, expected: bool) -> SafeString:
    """The games of one section as a table; `expected`: with a column of expected scores."""
    head = filled(
        HEAD,
        _("Round"),
        _("Rd"),
        _("Opponent"),
        _("Rating"),
        _("Result"),
        filled('<th scope="col" class="num">{}</th>', _("Expected")) if expected else "",
    )
    sides = [_(side) for side in office.publication.sides]
    language, places = get_language(), office.publication.decimals
    rows = joined(
        _game(each, sides, ui.rating_in(language, each.rating, places), expected=expected)
        for each in row.games
    )
    return filled('<table class="games">{}<tbody>{}</tbody></table>', head, rows)


def _game(row: MeasuredGame, sides: Sequence[str], rating: str, *, expected: bool) -> SafeString:
    """One game as a row, in one go: a page has dozens."""
    game, opponent = row.game, row.game.opponent
    name = [opponent.get_absolute_url(), opponent.shown_name] if opponent else ["–"]
    told = ["–" if row.expected is None else with_own_sign(f"{row.expected:.2f}")] if expected else []
    form = GAME[opponent is not None, expected]
    return filled(form, game.round, *name, sides[game.side], rating, game.kind, game.mark, *told)


@register.filter
def in_games(play: PlayInSection) -> str:
    """The games of a section in words: how many, won, drawn and lost."""
    marks = [game.kind for game in play.games if game.played]
    counts = {"count": len(marks), **{kind: marks.count(kind) for kind in ("won", "drawn", "lost")}}
    if not marks:
        return _("No game was played")
    if not counts["drawn"]:
        return (
            ngettext(
                "%(count)s game: %(won)s won, %(lost)s lost",
                "%(count)s games: %(won)s won, %(lost)s lost",
                len(marks),
            )
            % counts
        )
    return (
        ngettext(
            "%(count)s game: %(won)s won, %(drawn)s drawn, %(lost)s lost",
            "%(count)s games: %(won)s won, %(drawn)s drawn, %(lost)s lost",
            len(marks),
        )
        % counts
    )


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
    """The score of a player against one opponent: points of games."""
    written = office.publication.notation.score
    return f"{written(met.points)} : {written(Decimal(met.count) - met.points)}"


DRIFT = (
    '<li><span>{}<span class="sub"><time datetime="{}">{}</time></span></span><span class="num">{}'
    '<span class="sub"><a href="{}">{}<span class="visually-hidden">, {}</span></a></span></span></li>'
)


@register.simple_tag
def drifts_of(line: HistoryLine, office: Federation) -> SafeString:
    """The days on which a rating moved without a game, as a list; each leads to what counted then."""
    places = office.publication.decimals
    return format_html_join(
        "",
        DRIFT,
        (
            (
                format_html('<a href="{}">{}</a>', one.url, one.words) if one.url else one.words,
                one.on.isoformat() if one.on else "",
                date_format(one.on, "SHORT_DATE_FORMAT") if one.on else "",
                ui.rating(one.after, places),
                one.working_url,
                ui.delta(one.points, places),
                _("why"),
            )
            for one in line.folded
        ),
    )
