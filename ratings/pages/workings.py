"""Public page of the working of a change: why a rating changed, in a sentence, a picture and all steps."""

from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from players.display import draw_bars
from players.models import Federation, Player
from players.settings import today
from ratings import player_ratings, workings
from ratings.models import Change, PastChange
from ratings.pages.filters import parse_day
from ratings.pages.play import HistoryWriter
from ratings.pages.responses import cached_page
from ratings.pages.rule_tables import worded_tables
from ratings.pages.tables import get_track_or_404
from ratings.results import as_of
from ratings.rulesets.facts import Working
from ratings.rulesets.ruleset import Edition
from ratings.statement import FLOOR, join_rows, read_statement
from ratings.workings import SUMMARY_PLACES, value_in_words
from tournaments.models import Stage


def picture_of(working: Working, office: Federation) -> dict[str, Any] | None:
    """The numbers of a working as bars on one scale; None if it has none."""
    places = max(SUMMARY_PLACES, office.publication.decimals)
    messages = office.ruleset.words.messages
    bars = [(_(messages[bar.key]), value_in_words(bar.value, places), bar.value) for bar in working.bars]
    return draw_bars(bars) if bars else None


def working_context(
    working: Working, office: Federation, edition: Edition, *, linked: bool = False
) -> dict[str, Any]:
    """The context of a working in words. `linked`: with links to sections by name."""
    steps = workings.step_rows(working, office, edition, linked=linked)
    decimals = workings.choose_decimals(working, office.ruleset, edition)
    return {
        "working": {
            "summary": workings.summary_rows(working, office, edition),
            "picture": picture_of(working, office),
            "steps": steps,
            "games": workings.game_rows(working, office, edition),
            "tables": worded_tables(office, working.tables, edition, decimals),
        },
        "exact": list(workings.iter_rounded_numbers(steps)),
        "edition": edition,
    }


@page(PUBLIC, caching=cached_page)
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
    statement = read_statement(change.player, track, asked)
    rows = [row for row in statement if row.drift is None and row.kind != FLOOR]
    at = next(at for at, row in enumerate(rows) if row.move.order == change.order)
    row = join_rows(statement, change.order)
    cause, cause_url = player_ratings.describe_move(row.move, request.office)
    context = {
        "change": change,
        "on": asked.day if asked.line is not None else None,
        "line": HistoryWriter(change.player, track, asked).line(row),
        "shown": row.movement.as_shown(request.office.publication.decimals),
        "cause": cause,
        "cause_url": cause_url,
        **working_context(account, request.office, edition, linked=True),
        "earlier": rows[at + 1].move if at + 1 < len(rows) else None,
        "later": rows[at - 1].move if at else None,
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
