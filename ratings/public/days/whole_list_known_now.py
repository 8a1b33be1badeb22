"""A whole list as it would be by what is known now, beside the published one: drawn up once, and kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.office.wake_worker import wake
from ratings.journal.read_facts import aliases
from ratings.law import journal
from ratings.law.facts import PlayerId
from ratings.law.journal import plain
from ratings.law.rule_outputs import ListedPlayer
from ratings.lists.models import RatingList
from ratings.recompute.revised_lists import RevisedPlace, drawn_as_known_now, places_of
from ratings.storage.page_cache import cache

AT_ONCE = 500
"""The lines of a journal up to which a page folds it itself; a longer one is the worker's."""
ASKED_SECONDS = 600
"""Seconds for which the worker is not asked again while it is at a list of the same office."""
KEPT_SECONDS = 7 * 24 * 3600


class KnownPlace(NamedTuple):
    """A rank and a rating on one of the two lists."""

    rank: int
    rating: Decimal


@dataclass(frozen=True, slots=True)
class KnownRow:
    """One player on a list as known now, on the published one, or on both."""

    number: PlayerId
    now: KnownPlace | None
    """None: by what is known now the player would not be on the list."""
    before: KnownPlace | None
    """None: the player is not on the published list."""
    was: PlayerId = ""
    """The number under which the published list has the player, who was merged since; empty: the same."""

    @property
    def kind(self) -> str:
        """`new`, `gone`, `moved` (rank or rating), or empty: nothing differs."""
        if self.before is None:
            return "new"
        if self.now is None:
            return "gone"
        return "moved" if self.now != self.before else ""


def kept(shown: RatingList) -> Sequence[KnownRow] | None:
    """The rows of the whole list, its own ranks first and who is gone last, as long as no line was added
    since they were drawn up; None: they are not there.
    """
    text: str | None = cache.get(_key(shown))
    return None if text is None else [_read(line) for line in text.splitlines()]


def drawn_at_once(shown: RatingList) -> Sequence[KnownRow] | None:
    """The same of an office whose journal is short, drawn up here; else the worker is asked for them."""
    if Ledger.objects.filter(federation=shown.federation, facts__lte=AT_ONCE).exists():
        draw(shown)
        return kept(shown)
    if cache.get(_asked(shown.federation)) is None:
        ask_worker(shown)
    return None


def ask_worker(shown: RatingList, **options: Any) -> None:
    """Have the worker draw up a list as known now, and know for a while that it was asked.

    `options` are those of Celery's messages.
    """
    cache.set(_asked(shown.federation), shown.pk, ASKED_SECONDS)
    wake("ratings.tasks.draw_known_list", shown.pk, expires=ASKED_SECONDS, **options)


def draw(shown: RatingList) -> None:
    """Fold the journal as a revision of the list would, and keep what comes of it for its day's lists."""
    office = shown.federation
    try:
        of_day = list(RatingList.objects.of(office).filter(on=shown.on).without_content())
        keys = {each.pk: _key(each) for each in of_day}  # before the fold: what comes meanwhile ends them
        drawn = drawn_as_known_now(office, shown.on, today(office))
        merged = aliases(office)
        for each in of_day:
            rows = compared(drawn.get(each.track, ()), places_of(each), merged)
            cache.set(keys[each.pk], "\n".join(map(_written, rows)), KEPT_SECONDS)
    finally:
        cache.delete(_asked(office))


def compared(
    drawn: Iterable[ListedPlayer], published: dict[PlayerId, RevisedPlace], merged: dict[PlayerId, PlayerId]
) -> Iterator[KnownRow]:
    """The rows of both lists together. Of several published rows of what is one person now, that of the entry
    which stays goes first, then the best; any other is gone.
    """
    stays = sorted(published, key=lambda number: number in merged)
    was: dict[PlayerId, PlayerId] = {}
    for number in stays:
        was.setdefault(journal.root(merged, number), number)
    met = set()
    for row in drawn:
        old = was.get(row.player, row.player)
        met.add(old)
        before = published.get(old)
        place = KnownPlace(before.rank, before.rating) if before else None
        yield KnownRow(row.player, KnownPlace(row.rank, row.rating), place, old if old != row.player else "")
    for number, gone in published.items():
        if number not in met:
            into = journal.root(merged, number)
            was_ = number if into != number else ""
            yield KnownRow(into, None, KnownPlace(gone.rank, gone.rating), was_)


def _key(shown: RatingList) -> str:
    """The name of a list's rows in the cache: another one once the journal has grown, or was restored."""
    ledger = Ledger.objects.filter(federation=shown.federation)
    facts, restored = ledger.values_list("facts", "restored_at").get()
    return f"known-now-{shown.pk}-{facts}-{restored.timestamp() if restored else 0}"


def _asked(office: Federation) -> str:
    return f"known-now-asked-{office.pk}"


def _written(row: KnownRow) -> str:
    cells = [f"{place.rank}|{plain(place.rating)}" if place else "|" for place in (row.now, row.before)]
    return "|".join([row.number, *cells, row.was])


def _read(line: str) -> KnownRow:
    number, rank, rating, before_rank, before, was = line.split("|")
    now = KnownPlace(int(rank), Decimal(rating)) if rank else None
    return KnownRow(number, now, KnownPlace(int(before_rank), Decimal(before)) if before_rank else None, was)
