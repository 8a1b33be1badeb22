"""The history of a rating, line by line: the player's own facts, and between them others' play and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import zip_longest

from django.urls import reverse
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.public.common.worded_errata import TitledErratum
from ratings.public.players import player_ratings
from ratings.results.as_of import AsOf
from ratings.results.changes_between_facts import ChangeWithDrifts, Drift
from ratings.results.models import CorrectedRating
from ratings.results.rating_changes import ChangeOfFact


@dataclass(frozen=True, slots=True)
class HistoryLine:
    on: date | None
    words: str
    url: str
    """The section's page; empty if there is none."""
    working_url: str
    before: Decimal | None
    points: Decimal | None
    after: Decimal | None
    waits: bool = False
    """Whether the points move the rating in force only later."""
    others: bool = False
    """Whether it moved without a game of the player's."""
    folded: Sequence[HistoryLine] = ()
    """The lines that this one sums up, newest first."""
    erratum: bool = False
    """Whether it tells of a correction; the other lines are told as they stand since."""
    section: str = ""
    """The id of the section that was rated; empty if it tells of something else."""
    order: int = 0
    """The place of its fact in the order of all."""

    @property
    def step(self) -> Decimal | None:
        """The points by which this line moves the rating in force; a column of these adds up."""
        return _between(self.before, self.after) if self.waits else self.points

    @property
    def kept(self) -> Decimal | None:
        """The points that wait for the next list, whose own line adds them; None where none wait."""
        if not self.waits or self.points is None or self.step is None:
            return None
        return self.points - self.step


FEW = 2
"""The most lines of others' play and time that stand singly; more fold into one."""


@dataclass(frozen=True, slots=True)
class HistoryWriter:
    """Writes the history lines of one player's rating in one track, as known on a day."""

    player: Player
    track: str
    asked: AsOf

    def lines(self, legs: Sequence[ChangeWithDrifts], *, newest: bool) -> Iterator[HistoryLine]:
        """Write the lines of legs, newest first: a leg is a move, and the drifts after it (moves by others'
        results or by time). `newest`: whether the first leg is the player's newest, whose drifts up to today
        belong to the page.
        """
        day: date | None = None
        for at, (leg, earlier) in enumerate(zip_longest(legs, legs[1:])):
            if at or newest:
                yield from folded_together([self.drifted(drift) for drift in reversed(leg.drifts)])
            told_of = player_ratings.day_of(leg.move, day)
            yield replace(self.line(leg.move, earlier), on=told_of)
            day = told_of or day

    def line(self, move: ChangeOfFact, earlier: ChangeWithDrifts | None) -> HistoryLine:
        """Write the line of one move. Its rating before is that of the leg before it with the drifts since,
        in which others' play and time may have moved it.
        """
        told = player_ratings.worded_move(move, self.office)
        moved = earlier.drifts if earlier else ()
        before = earlier.after if earlier and moved else move.before
        points = _between(before, move.after) if moved else told.gained
        return HistoryLine(
            on=move.on,
            words=player_ratings.opening_html(move, self.office) if move.kind == "opening" else told.words,
            url=f"{told.url}?track={self.track}" if told.url else "",
            working_url=self.working_url(move),
            before=before,
            points=points,
            after=move.after,
            waits=told.waits and not moved,
            section=move.section,
            order=move.order,
        )

    @property
    def office(self) -> Federation:
        return self.asked.federation

    def drifted(self, drift: Drift) -> HistoryLine:
        """Write the line of a move without a game of the player's."""
        words, url = _("Time: older results weigh less"), ""
        if drift.cause is not None:
            named = {"event": drift.cause.event_name, "section": drift.cause.name}
            words = _("Others: %(event)s, %(section)s") % named
            url = player_ratings.section_url(self.office, drift.cause.event, drift.cause.code)
        working = f"{self.player.get_absolute_url()}?track={self.track}&on={drift.on:%Y-%m-%d}#counts"
        return HistoryLine(
            drift.on, words, url, working, drift.before, drift.points, drift.after, others=True
        )

    def working_url(self, move: ChangeOfFact) -> str:
        address = reverse(
            "ratings:working", args=[self.office.code, self.player.number, self.track, move.line]
        )
        return address if self.asked.line is None else f"{address}?on={self.asked.day:%Y-%m-%d}"


def with_errata(
    lines: Sequence[HistoryLine],
    told: Iterable[tuple[TitledErratum, CorrectedRating]],
    newest: date | None = None,
    oldest: date | None = None,
) -> list[HistoryLine]:
    """Place a player's corrections among the lines of the history by their day, both newest first.
    Corrections outside the days after `oldest` up to `newest` belong to other pages and are left out.
    """
    first, last = oldest or date.min, newest or date.max
    waiting = [_erratum(each, rating) for each, rating in told if each.on and first < each.on <= last]
    found: list[HistoryLine] = []
    for line in lines:
        while waiting and (waiting[0].on or date.max) >= (line.on or date.min):
            found.append(waiting.pop(0))
        found.append(line)
    return [*found, *waiting]


def _erratum(told: TitledErratum, rating: CorrectedRating) -> HistoryLine:
    return HistoryLine(told.on, told.title, told.url, "", rating.before, None, rating.after, erratum=True)


def folded_together(lines: Sequence[HistoryLine]) -> Sequence[HistoryLine]:
    """Sum up lines of others' play and time, newest first, in one that opens to show them, if many."""
    if len(lines) <= FEW:
        return lines
    newest, oldest = lines[0], lines[-1]
    moved = newest.after is not None and oldest.before is not None
    return [
        replace(
            newest,
            words=_("Other players’ results, and time"),
            url="",
            before=oldest.before,
            points=newest.after - oldest.before if moved else None,  # type: ignore[operator]
            folded=lines,
        )
    ]


def _between(before: Decimal | None, after: Decimal | None) -> Decimal | None:
    return None if before is None or after is None else after - before
