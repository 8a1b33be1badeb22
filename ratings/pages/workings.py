"""Public page of the working of a change: why a rating changed, in a sentence, a picture and all steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.access import OfficeRequest, public
from players.display import DrawnBar, DrawnBars, draw_bars
from players.models import Federation, Player
from players.settings import today
from ratings import player_ratings, results, workings
from ratings.models import Change, PastChange
from ratings.pages.filters import parse_day
from ratings.pages.play import HistoryWriter
from ratings.pages.responses import cached_page
from ratings.pages.rule_tables import worded_tables
from ratings.pages.tables import get_track_or_404
from ratings.results import as_of, get_changes
from ratings.rulesets.facts import Working
from ratings.workings import SUMMARY_PLACES, value_in_words
from tournaments.models import Stage


class WordedBar(NamedTuple):
    words: str
    number: str
    drawn: DrawnBar


@dataclass(frozen=True, slots=True)
class WorkingPicture:
    bars: list[WordedBar]
    drawn: DrawnBars

    @property
    def words(self) -> str:
        """The text alternative of the picture."""
        return ", ".join(f"{bar.words}: {bar.number}" for bar in self.bars)


def picture_of(working: Working, office: Federation) -> WorkingPicture | None:
    """The numbers of a working as bars on one scale; None if it has none."""
    if not working.bars:
        return None
    drawn = draw_bars([bar.value for bar in working.bars])
    places = max(SUMMARY_PLACES, office.publication.decimals)
    messages = office.ruleset.words.messages
    bars = [
        WordedBar(_(messages[bar.key]), value_in_words(bar.value, places), shape)
        for bar, shape in zip(working.bars, drawn.bars, strict=True)
    ]
    return WorkingPicture(bars, drawn)


@public
@cached_page
def working(request: OfficeRequest, number: str, track: str, line: int) -> HttpResponseBase:
    get_track_or_404(request.office.ruleset, track)
    now = today(request.office)
    asked = as_of(request.office, parse_day(request.office, request.GET.get("on"), now) or now, now)
    try:
        change = workings.change_at(request.office, number, track, line, asked.line)
    except Change.DoesNotExist as error:
        merged_into = Player.objects.of(request.office).filter(merged__number=number).first()
        if merged_into:
            return redirect("ratings:working", request.office.code, merged_into.number, track, line)
        raise Http404(_("That line of the journal changed no rating of this player.")) from error
    account = workings.explain_change(change, asked.line)
    edition = workings.edition_of(change)
    steps = workings.step_rows(account, request.office, edition, linked=True)
    drifts = request.office.ruleset.calendar.days_of_change is not None
    moves = get_changes(change.player, track, asked.line, with_states=drifts)
    legs = results.get_changes_with_drifts((number, track), moves, asked)
    at = next(at for at, move in enumerate(moves) if move.order == change.order)
    earlier = legs[at + 1] if at + 1 < len(legs) else None
    context = {
        "change": change,
        "on": asked.day if asked.line is not None else None,
        "line": HistoryWriter(change.player, track, asked).line(moves[at], earlier),
        "told": player_ratings.describe_move(moves[at], request.office),
        "working": {
            "summary": workings.summary_rows(account, request.office, edition),
            "picture": picture_of(account, request.office),
            "steps": steps,
            "games": workings.game_rows(account, request.office),
            "tables": worded_tables(request.office, account.tables, edition),
        },
        "exact": list(workings.iter_rounded_numbers(steps)),
        "edition": edition,
        "earlier": earlier.move if earlier else None,
        "later": moves[at - 1] if at else None,
        "report_game": _report_url(request, change),
    }
    return render(request, "ratings/working.html", context)


def _report_url(request: OfficeRequest, change: Change | PastChange) -> str:
    """The URL of the form to report a mistake in a game, up to the number of its round; empty where the
    office has no games of the section.
    """
    section = change.fact.section
    if section is None or section.stage != Stage.RATED or not section.games.exists():
        return ""
    query = {"player": change.player.number, "track": change.track, "line": str(change.fact.number)}
    return f"{reverse('ratings:report', args=[request.office.code])}?{urlencode(query)}&round="
