"""What moved a rating, line by line: facts of the player's own, and between them others' results and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import zip_longest

from django.urls import reverse
from django.utils.translation import gettext as _

from ratings.drift import Drift, drifts
from ratings.models import Change
from ratings.public import standings


@dataclass(frozen=True, slots=True)
class Line:
    on: date | None
    words: str
    url: str
    """Of the section; empty where there is no such page."""
    working_url: str
    before: Decimal | None
    points: Decimal | None
    after: Decimal | None
    waits: bool = False
    """Whether the points move the rating in force only later."""
    others: bool = False
    """Whether the player did nothing for it."""
    folded: Sequence[Line] = ()
    """The lines of which this one is the sum, newest first."""


FEW = 2
"""So many lines of others and of time stand by themselves; more fold into one."""


def history(changes: Sequence[Change], until: date | None) -> Iterator[Line]:
    """Lines of changes that stand newest first; up to a day, or None where newer changes follow them."""
    later: Change | None = None
    day: date | None = None
    for change, earlier in zip_longest(changes, changes[1:]):
        if later is not None or until is not None:
            yield from together(list(drift_lines(change, later, until)))
        told_of = standings.day_of(change, day)
        yield replace(line_of(change, earlier), on=told_of)
        later, day = change, told_of or day


def drift_lines(change: Change, later: Change | None, until: date | None) -> Iterator[Line]:
    for drift in reversed(drifts(change, later, until or date.max)):
        yield _drift_line(change, drift)


def together(lines: Sequence[Line]) -> Sequence[Line]:
    """Lines for which the player did nothing, newest first: one that opens into them, where many."""
    if len(lines) <= FEW:
        return lines
    newest, oldest = lines[0], lines[-1]
    moved = newest.after is not None and oldest.before is not None
    return [
        replace(
            newest,
            words=_("Others’ results, and time"),
            url="",
            before=oldest.before,
            points=newest.after - oldest.before if moved else None,  # type: ignore[operator]
            folded=lines,
        )
    ]


def line_of(change: Change, earlier: Change | None) -> Line:
    """A change beside what the rating was just before it, which others and time may have moved."""
    told = standings.told(change)
    moved = drifts(earlier, change, date.max) if earlier else []
    before = moved[-1].after if moved else change.before
    points = told.gained
    if moved:
        points = _between(before, change.after)
    words = told.words
    if earlier and change.fact.kind == earlier.fact.kind == "opening":  # of two entries that were merged
        words = _("Taken over too; of two lines the later holds")
        before, points = earlier.after, _between(earlier.after, change.after)
    return Line(
        on=change.fact.on,
        words=words,
        url=f"{told.url}?track={change.track}" if told.url else "",
        working_url=_working(change),
        before=before,
        points=points,
        after=change.after,
        waits=told.waits and not moved,
    )


def _between(before: Decimal | None, after: Decimal | None) -> Decimal | None:
    return None if before is None or after is None else after - before


def _drift_line(change: Change, drift: Drift) -> Line:
    section = drift.fact.section if drift.fact else None
    if section is not None:
        words = _("Others: %(event)s, %(section)s") % {"event": section.event.name, "section": section.name}
        url = f"/{change.fact.federation.code}/events/{section.key}/"
    else:
        words, url = _("Time: older results weigh less"), ""
    player = reverse("ratings:player", args=[change.fact.federation.code, change.player.number])
    working = f"{player}?track={change.track}&on={drift.on:%Y-%m-%d}#counts"
    return Line(drift.on, words, url, working, drift.before, drift.points, drift.after, others=True)


def _working(change: Change) -> str:
    args = [change.fact.federation.code, change.player.number, change.track, change.fact.number]
    return reverse("ratings:working", args=args)
