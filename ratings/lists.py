"""Published rating lists: their rows as drawn up from the journal, their JSON files, revisions, and the days
on which lists are due. A published list never changes; beside it stands the list of its day as it would be by
what is known now.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from itertools import islice, takewhile
from typing import Any, NamedTuple

from players.jobs import wake
from players.models import Federation, Ledger, Player
from players.settings import today
from players.storage import cache
from ratings.journal import aliases, day_of, named, sealed_lines
from ratings.models import Fact, ListRow, ListTaking, RatingList
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import LIST_FORM, ListClosing, ListedPlayer, Placed, PlayerId, State
from ratings.rulesets.journal import list_content
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import CONTEXT, Ruleset


# ---- The JSON file of a published list, with everything by which the list can be checked.
def list_as_json(
    rating_list: RatingList, *, origin: str | None = None, checkpoint: str | None = None
) -> dict[str, Any]:
    """The content of a list's JSON file, keys in the order of `docs/journal.md`. `checkpoint`: the signed
    note that covers the list's line, if there is one yet.
    """
    rows = [line.split(",") for line in bytes(rating_list.content).decode().splitlines()]
    before, former = rating_list.supersedes, {}
    if before is not None and before.program_sha256 != rating_list.program_sha256:
        former = {"former_program": _program_of(before)}
    return {
        "form": LIST_FORM,
        "origin": origin,
        "code": rating_list.federation.code,
        "track": rating_list.track,
        "on": rating_list.on.isoformat(),
        "revision": rating_list.revision,
        "line": rating_list.fact.number,
        "edition": rating_list.edition,
        "program": _program_of(rating_list),
        "sha256": rating_list.sha256,
        "checkpoint": checkpoint,
        "rows": [[number, rating, int(games)] for number, rating, games in rows],
        **former,
    }


def _program_of(rating_list: RatingList) -> dict[str, str] | None:
    """Version and checksum of the program that drew the list up; None where none is stored."""
    if not rating_list.program_sha256:
        return None
    return {"version": rating_list.program_version, "sha256": rating_list.program_sha256}


# ---- Draws up the content of a list from the journal as it stood when the list was published (D-2).
#
# Later un-ratings, merges and sections played earlier never change it, whether the list is drawn up in that
# hour or, in an office made from a journal, years later.
def closing_of(fact: facts.Fact) -> ListClosing | None:
    """The list closing in a fact; None if the fact is anything else."""
    return fact.fact if isinstance(fact, Placed) and isinstance(fact.fact, ListClosing) else None


class DrawnRows:
    """The rows of a drawn list, kept by column, in a fifth of the memory that tuples take: a past that moves
    in waits with those of all its lists until it is written.
    """

    __slots__ = ("games", "players", "ranks", "ratings", "status_names", "statuses")

    def __init__(self, rows: Sequence[ListedPlayer]) -> None:
        self.ranks = array("I", (row.rank for row in rows))
        self.players = [row.player for row in rows]
        self.ratings = [row.rating for row in rows]
        self.games = array("I", (row.games for row in rows))
        self.status_names = sorted({row.status for row in rows})
        number = {name: place for place, name in enumerate(self.status_names)}
        self.statuses = array("H", (number[row.status] for row in rows))

    def __len__(self) -> int:
        return len(self.players)

    def __iter__(self) -> Iterator[ListedPlayer]:
        statuses = map(self.status_names.__getitem__, self.statuses)
        return map(ListedPlayer, self.ranks, self.players, self.ratings, self.games, statuses)


def drawn_up(ruleset: Ruleset, fact: facts.Fact, state: State[Any]) -> dict[str, list[ListedPlayer]]:
    """The rows of the lists that a closing publishes, by track, without empty lists; none for other facts.
    Nobody is on the list of a track in which nobody has a standing.
    """
    closing, rules = closing_of(fact), ruleset.rules_for(fact)
    if closing is None:
        return {}
    with localcontext(CONTEXT):
        played = {track for _player, track in state.standings}
        found = (
            (track.code, rules.rating_list(state, track.code, closing.on))
            for track in ruleset.tracks
            if track.code in played
        )
        return {track: rows for track, rows in found if rows}


def moved_since(federation: Federation, fact: facts.Fact) -> bool:
    """Whether a line after a list's closing changed what the fold gives at it: rated something earlier,
    merged, took back, or changed notes. Then `state_of_list` has the state as it was.
    """
    ruleset, of_office = federation.ruleset, Fact.objects.filter(federation=federation)
    later = of_office.filter(number__gt=fact.number)
    behind = (
        later.filter(order__isnull=False)
        if ruleset.journal.annotate
        else later.filter(order__lt=ruleset.journal.order_key(fact))
    )
    taken_back = list(later.filter(kind="unrated").values_list("subject", flat=True))
    rated = of_office.filter(number__lt=fact.number, kind="rated", subject__in=taken_back)
    renamed = later.filter(kind__in=("merged", "parted"))
    return (renamed | behind).exists() or rated.exists() or noted_later(federation, fact)


def noted_later(federation: Federation, fact: facts.Fact) -> bool:
    """Whether play rated above a list's line, but after it in the order, may give notes to earlier facts."""
    ruleset = federation.ruleset
    above = Fact.objects.filter(federation=federation).in_force(fact.number)
    return bool(ruleset.journal.annotate) and above.filter(order__gt=ruleset.journal.order_key(fact)).exists()


def state_of_list(federation: Federation, fact: facts.Fact) -> State[Any]:
    """The state to draw a list up from: folded from the lines above it, without play after its day."""
    ruleset = federation.ruleset
    above = journal.resolve(journal.read_journal(islice(sealed_lines(federation), fact.number)))
    here = ruleset.journal.order_key(fact)
    state: State[Any] = State()
    for _step in ruleset.fold(
        ruleset.journal_order(each for each in above if ruleset.journal.order_key(each) <= here), state
    ):
        pass
    return state


@dataclass(slots=True)
class DrawnList:
    """One track's list as the fold drew it up, before it is frozen."""

    fact: int
    """The key of the list's fact."""
    track: str
    closing: ListClosing
    edition: str
    rows: DrawnRows

    def content(self) -> bytes:
        """The canonical bytes, whose checksum is public: lines of `number,rating,games`, without names."""
        return list_content(self.rows)


# ---- Draws a published list up anew by what is known now, and compares it with the published version.
class RevisedPlace(NamedTuple):
    """A player's place on one version of a list."""

    rank: int
    rating: Decimal
    games: int


@dataclass(frozen=True, slots=True)
class RowDifference:
    """One player who stands differently on two versions of a list; None: not on that version."""

    player: Player
    before: RevisedPlace | None
    after: RevisedPlace | None

    @property
    def by(self) -> Decimal | None:
        return self.after.rating - self.before.rating if self.before and self.after else None


@dataclass(frozen=True, slots=True)
class TrackRevision:
    """The changes that a revision would make in one track."""

    track: str
    standing: RatingList | None
    """The newest published version; None: nobody stood on it."""
    rows: Sequence[ListedPlayer]
    differences: list[RowDifference]


def drawn_anew(federation: Federation, line: Fact) -> dict[str, list[ListedPlayer]]:
    """The rows that a `revised` line publishes, by track, worked out from the journal alone."""
    record = journal.read_journal(list(islice(sealed_lines(federation), line.number)))
    return journal.list_of_line(record, line.number)


def preview_revision(federation: Federation, day: date, on: date) -> list[TrackRevision]:
    """The tracks that revising the list of a day would change, if decided on the day `on`."""
    return compared_revision(federation, day, drawn_as_known_now(federation, day, on))


def drawn_as_known_now(federation: Federation, day: date, on: date) -> dict[str, list[ListedPlayer]]:
    """The rows that publishing the list of a day anew would give, by track, if decided on the day `on`."""
    lines = list(sealed_lines(federation))
    line = facts.Revised(day, day_of(federation, on))
    record = journal.read_journal([*lines, journal_lines.write_line(line, federation.ruleset)])
    return journal.list_of_line(record, len(lines) + 1)


def compared_revision(
    federation: Federation, day: date, drawn: Mapping[str, Sequence[ListedPlayer]]
) -> list[TrackRevision]:
    """The tracks in which a list drawn up anew (`drawn`: rows by track) differs from its newest version."""
    found = []
    for track in federation.ruleset.tracks:
        lists = RatingList.objects.filter(federation=federation, on=day, track=track.code)
        standing, rows = lists.order_by("-revision").first(), drawn.get(track.code, [])
        if list_content(rows) == (bytes(standing.content) if standing else b""):
            continue
        places = {row.player: RevisedPlace(row.rank, row.rating, row.games) for row in rows}
        differences = differing(federation, places_of(standing), places)
        found.append(TrackRevision(track.code, standing, rows, differences))
    return found


def places_of(rating_list: RatingList | None) -> dict[PlayerId, RevisedPlace]:
    """The place of everybody on a published list, by number; empty without a list."""
    rows = ListRow.objects.filter(rating_list=rating_list) if rating_list else ListRow.objects.none()
    found = rows.values_list("player__number", "rank", "rating", "games")
    return {number: RevisedPlace(rank, rating, games) for number, rank, rating, games in found}


def differing(
    federation: Federation, before: Mapping[PlayerId, RevisedPlace], after: Mapping[PlayerId, RevisedPlace]
) -> list[RowDifference]:
    """Players who stand differently on two versions of a list: those who come or go, then by difference."""
    numbers = [number for number in {**before, **after} if before.get(number) != after.get(number)]
    people = named(federation, numbers)
    found = [RowDifference(people[n], before.get(n), after.get(n)) for n in numbers if n in people]
    return sorted(
        found, key=lambda each: (each.by is not None, -abs(each.by or Decimal(0)), each.player.number)
    )


def drawn_lists(
    federation: Federation, line: Fact, drawn: Mapping[str, Sequence[ListedPlayer]]
) -> list[tuple[DrawnList, RatingList | None]]:
    """The lists that a `revised` line is to freeze: the tracks that differ, each with the version it
    supersedes (None if that day had no list of the track).
    """
    spoken = journal_lines.parse_line(line.line, federation.ruleset)
    assert isinstance(spoken, facts.Revised)
    closing = ListClosing(spoken.list)
    edition = federation.ruleset.edition_for(facts.Placed(line.number, closing)).name
    return [
        (DrawnList(line.pk, each.track, closing, edition, DrawnRows(each.rows)), each.standing)
        for each in compared_revision(federation, spoken.list, drawn)
    ]


def list_line(federation: Federation, day: date) -> Fact | None:
    """The line that published the list of a day, or None."""
    return Fact.objects.filter(federation=federation, kind="list", on=day).first()


# ---- The days on which lists are due: the federation's regular ones, and those that officials planned.
AHEAD = 366
"""The most days for which a list is planned or looked at beforehand."""


def regular_days(office: Federation, first: date, last: date) -> Iterator[date]:
    """Yield the regular days of an office's lists from one day to another, both included."""
    regular = office.publication.list_days
    day = first
    while regular and day <= last:
        if day.day in regular.of_month:
            yield day
        day += timedelta(days=1)


def coming_days(office: Federation, today: date) -> list[date]:
    """The days of the lists to come within a year, earliest first: a regular one that passed without a list
    too, where no list was published since.
    """
    lists = Fact.objects.filter(federation=office, kind="list")
    newest = lists.order_by("-on").values_list("on", flat=True).first()
    start = max(today, newest + timedelta(days=1)) if newest else today
    days = {*regular_days(office, start, today + timedelta(days=AHEAD))}
    planned = ListTaking.objects.filter(federation=office, on__gte=start)
    days |= set(planned.values_list("on", flat=True))
    if newest is not None and (missed := _missed_day(office, newest, today)):
        days.add(missed)
    return sorted(days)


def _missed_day(office: Federation, newest: date, today: date) -> date | None:
    """The last regular day before today, where it came after the newest list."""
    since = max(newest, today - timedelta(days=AHEAD)) + timedelta(days=1)
    return max(takewhile(lambda day: day < today, regular_days(office, since, today)), default=None)


def next_day(office: Federation, today: date) -> date | None:
    """The day of the list that is due next, or was due and is missing; None: none is planned."""
    return next(iter(coming_days(office, today)), None)


# ---- A whole list as it would be by what is known now, beside the published one: drawn up once, and kept.
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
