"""The public page *What if …* of a player: an imagined section, rated as a real one, and what comes next.

Everything that a reader states is in the address; nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.settings_schema import today
from players.register.models import Player
from ratings.equipment.what_if import RESULTS, WhatIf
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law.facts import Change
from ratings.law.rule_outputs import WorkingStep
from ratings.preview.imagined_section import (
    IMAGINED,
    Imagination,
    ImaginedGame,
    ImaginedRating,
    imagine,
    section_of,
    unrateable,
)
from ratings.public.common.caching import cached_page
from ratings.public.common.worded_tables import worded_tables
from ratings.public.players.working_bars import picture_of
from ratings.public.what_if import what_comes_next
from ratings.public.what_if.find_opponents import check_ratings, opponents_of, people_of
from ratings.public.what_if.what_if_forms import MOST_ROWS, ROWS, GameForm, ImaginedSectionForm
from ratings.results.read_states import state_before
from ratings.results.workings import (
    GameRow,
    exact_numbers,
    game_rows,
    put_in,
    step_rows,
    summary_rows,
)

FIRST_DAYS = 12
"""The days on which a rating moves by itself that are shown unfolded."""


@dataclass(frozen=True, slots=True)
class ImaginedRow:
    """The effect of an imagined section on one of the player's ratings."""

    track: str
    before: Decimal | None
    waiting: Decimal | None
    """The points that waited for the next list before it, and are in `after`; None: none did."""
    points: Decimal | None
    after: Decimal | None
    games: int
    query: str
    """The query of this page with the working of this rating."""


@public
@cached_page
def what_if(request: OfficeRequest, number: str) -> HttpResponseBase:
    office = request.office
    asked = office.equipment.what_if
    if asked is None:
        raise Http404(_("The rules of this federation are not worked out ahead."))
    player = get_object_or_404(people_of(office), number=number)
    if player.merged_into:
        return redirect("ratings:what_if", office.code, player.merged_into.number)
    page = WhatIfPage(request, asked, player, today(office))
    said = page.said() if page.worked else None
    context = {
        "player": player,
        "asked": asked,
        "form": page.section,
        "rows": page.rows,
        "count": page.count,
        "full": page.count >= MOST_ROWS,
        "finding": page.finding,
        **page.next(),
        **(page.outcome(said) if said else {}),
    }
    wrong = page.worked and said is None
    context["wrong"] = wrong and not page.finding
    return render(request, "ratings/what_if.html", context, status=400 if wrong else 200)


class WhatIfPage:
    """The statements of a reader, read from the address, and their consequences."""

    def __init__(self, request: OfficeRequest, asked: WhatIf, player: Player, now: date) -> None:
        self.request, self.office, self.asked = request, request.office, asked
        self.player, self.now = player, now
        self.worked = "worked" in request.GET and "add" not in request.GET
        self.count = _rows_asked(request) if asked.by_games else 0
        self.finding = ""
        data = request.GET if self.worked else None
        typed = {**asked.usual(now), **{name: request.GET[name] for name in request.GET}}
        self.section = ImaginedSectionForm(data, asked, now, initial=typed)
        self.rows = [self._row(number, typed) for number in range(1, self.count + 1)]

    def _row(self, number: int, typed: dict[str, str]) -> GameForm:
        prefix = f"g{number}"
        initial = {
            name.removeprefix(f"{prefix}-"): value
            for name, value in typed.items()
            if name.startswith(f"{prefix}-")
        }
        first, second = self.office.publication.sides
        data = self.request.GET if self.worked else None
        return GameForm(data, prefix=prefix, initial=initial, asked=self.asked, sides=(_(first), _(second)))

    def said(self) -> Imagination | None:
        """Read what is imagined; None where something is wrong, which the forms then say."""
        valid = [self.section.is_valid(), *(row.is_valid() for row in self.rows)]
        rows = [row for row in self.rows if not row.empty or row.errors]
        met = opponents_of(self.office, self.player, rows)
        if not all(valid):
            return None
        games = [_game(row, each) for row, each in zip(rows, met, strict=True) if each]
        if len(games) < len(rows) or self._nothing_stated(games):
            return None
        answers = self.section.said
        said = Imagination(self.player, answers["on"], answers, tuple(games))
        section = section_of(self.asked, said)
        if finding := unrateable(self.office, section):
            message = _(self.office.ruleset.words.messages.get(finding.key, finding.key))
            self.finding = put_in(message, finding.params)
            return None
        check_ratings(self.office, self.office.ruleset.sections.tracks_of(section), rows, games)
        return None if any(row.errors for row in rows) else said

    def _nothing_stated(self, games: Sequence[ImaginedGame]) -> bool:
        """Whether games are asked for and none is stated, which an error on the first row says."""
        if games or not self.asked.by_games or self.section.said.get("place"):
            return False
        self.rows[0].add_error("who", _("Write the opponent's number or name, or a rating."))
        return True

    def next(self) -> dict[str, Any]:
        """The context of what comes next for the player as the record stands."""
        number = self.player.number
        state = state_before(self.office, AFTER_EVERYTHING, frozenset((number,)))
        found = what_comes_next.next_of_tracks(self.request, self.asked, state, number, self.now)
        first = next((each.track for each in found if each.rating is not None), "")
        days = what_comes_next.days_ahead(self.office, state, number, first, self.now)
        return {
            "next": found,
            "said_of_all": what_comes_next.said_of_all(found),
            "days": days[:FIRST_DAYS],
            "further_days": days[FIRST_DAYS:],
        }

    def outcome(self, said: Imagination) -> dict[str, Any]:
        """The context of what follows: each rating before and after, the working of one, and other scores."""
        imagined = imagine(self.office, self.asked, said)
        number = self.player.number
        changes = imagined.changes(number)
        tracks = [track for track in imagined.tracks if track in changes]
        wanted = self.request.GET.get("track", "")
        track = wanted if wanted in tracks else next(iter(tracks), "")
        context = {
            "imagined": imagined,
            "on": said.ends,
            "effects": [self._effect(said, imagined, changes[each]) for each in tracks],
            "track": track,
        }
        if not track:
            return context
        after = imagined.state_after(number)
        scores = what_comes_next.scores_of(self.office, self.asked, said, imagined, track)
        return {
            **context,
            **self._working(imagined, track),
            "scores": scores,
            "reaching": any(row.reaches for row in scores),
            "then": what_comes_next.next_of_tracks(
                self.request, self.asked, after, number, said.ends, (track,)
            ),
            "held": what_comes_next.held_steps(self.request, after, number, said.ends),
        }

    def _effect(self, said: Imagination, imagined: ImaginedRating, change: Change[Any]) -> ImaginedRow:
        query = self.request.GET.copy()
        query["track"] = change.track
        number, state = said.player.number, imagined.state
        waiting = what_comes_next.points_that_wait(self.office, state, number, said.ends)
        _before, after = what_comes_next.before_and_after(self.office, said, state, change)
        return ImaginedRow(
            track=change.track,
            before=change.before.rating if change.before else None,
            waiting=waiting.get(change.track),
            points=change.points,
            after=after,
            games=change.after.games,
            query=query.urlencode(),
        )

    def _named(self, row: GameRow) -> GameRow:
        """The row of a game with words in place of a made-up opponent's id, and no side that is not asked."""
        side = row.side if self.asked.by_side else ""
        if not row.opponent.startswith("*"):
            return replace(row, side=side)
        return replace(row, side=side, opponent=_("Opponent of row %(row)s") % {"row": row.opponent[1:]})

    def _working(self, imagined: ImaginedRating, track: str) -> dict[str, Any]:
        account = imagined.working(self.player.number, track)
        account = replace(account, steps=tuple(_own(step) for step in account.steps))
        edition = self.office.ruleset.edition_for(imagined.plan.section)
        steps = step_rows(account, self.office, edition)
        return {
            "working": {
                "summary": summary_rows(account, self.office, edition),
                "picture": picture_of(account, self.office),
                "steps": steps,
                "games": [self._named(row) for row in game_rows(account, self.office)],
                "tables": worded_tables(self.office, account.tables, edition),
            },
            "exact": list(exact_numbers(steps)),
            "edition": edition,
        }


def _own(step: WorkingStep) -> WorkingStep:
    """A step with words in place of the imagined section's id."""
    own, inputs = _("This competition"), step.inputs.items()
    return step._replace(inputs={name: own if told == f"{IMAGINED}/A" else told for name, told in inputs})


def _game(row: GameForm, opponent: Any) -> ImaginedGame:
    said = row.cleaned_data
    return ImaginedGame(opponent, said.get("side") != "second", RESULTS[said["result"]])


def _rows_asked(request: OfficeRequest) -> int:
    """The number of rows of games: as the address says, one more if the reader adds one, within the limit."""
    text = request.GET.get("rows", "")
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else ROWS
    return max(1, min(MOST_ROWS, count + ("add" in request.GET)))
