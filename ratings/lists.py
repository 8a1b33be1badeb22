"""Published rating lists: drawing them up from the journal, their JSON files, revisions, and the days on
which lists are due. A published list never changes.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from itertools import islice, takewhile
from typing import Any, NamedTuple

from django.db.models import Count, F, FilteredRelation, Q
from django.utils.functional import cached_property

from players.models import Federation, Player
from ratings.disclosure import get_named_players
from ratings.journal import get_new_line_day, sealed_lines
from ratings.models import Fact, Gained, ListRow, ListRowQuerySet, RatingList
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import LIST_FORM, ListClosing, ListedPlayer, Placed, PlayerId, State
from ratings.rulesets.journal import list_content
from ratings.rulesets.ruleset import CONTEXT, Ruleset


# ---- The JSON file of a published list
def list_as_json(
    rating_list: RatingList, *, origin: str | None = None, checkpoint: str | None = None
) -> dict[str, Any]:
    """The content of a list's JSON file, keys in the order of `docs/journal.md`."""
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
    if not rating_list.program_sha256:
        return None
    return {"version": rating_list.program_version, "sha256": rating_list.program_sha256}


# ---- Drawing up a list from the journal as it stood when the list was published (D-2)
#
# Later un-ratings, merges and earlier sections never change it, even if it is drawn up years later, in an
# office made from a journal.
def find_list_closing(fact: facts.Fact) -> ListClosing | None:
    """The list closing in a fact; None if the fact is anything else."""
    return fact.fact if isinstance(fact, Placed) and isinstance(fact.fact, ListClosing) else None


class DrawnRows:
    """The rows of a drawn list by column: a past that moves in holds many, and this takes a fifth."""

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


def compute_list_rows(ruleset: Ruleset, fact: facts.Fact, state: State[Any]) -> dict[str, list[ListedPlayer]]:
    """The rows of the lists that a closing publishes, by track; none for empty lists and other facts."""
    closing, rules = find_list_closing(fact), ruleset.rules_for(fact)
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


def has_list_state_changed(federation: Federation, fact: facts.Fact) -> bool:
    """Whether later lines changed what the fold gives at a list's closing (see `get_list_state`)."""
    ruleset, of_office = federation.ruleset, Fact.objects.filter(federation=federation)
    later = of_office.filter(number__gt=fact.number)
    behind = (
        later.filter(order__isnull=False)
        if ruleset.journal.notes_of
        else later.filter(order__lt=ruleset.journal.order_key(fact))
    )
    taken_back = list(later.filter(kind="unrated").values_list("subject", flat=True))
    rated = of_office.filter(number__lt=fact.number, kind="rated", subject__in=taken_back)
    renamed = later.filter(kind__in=("merged", "parted"))
    return (renamed | behind).exists() or rated.exists() or has_annotating_facts(federation, fact)


def has_annotating_facts(federation: Federation, fact: facts.Fact) -> bool:
    """Whether sections rated above a list's line, but behind it in the order, may annotate earlier facts."""
    ruleset = federation.ruleset
    above = Fact.objects.filter(federation=federation).in_force(fact.number)
    return bool(ruleset.journal.notes_of) and above.filter(order__gt=ruleset.journal.order_key(fact)).exists()


def get_list_state(record: journal.Journal, fact: facts.Fact) -> State[Any]:
    """The state to draw a list up from: folded from the lines above it, without play after its day."""
    ruleset = record.ruleset
    above = journal.resolve(record, through=fact.number)
    here = ruleset.journal.order_key(fact)
    state: State[Any] = State()
    for _step in ruleset.fold(
        ruleset.sort_for_fold(each for each in above if ruleset.journal.order_key(each) <= here), state
    ):
        pass
    return state


@dataclass(slots=True)
class DrawnList:
    """One track's list as the fold drew it up, before it is frozen."""

    fact: int
    """The primary key of the list's fact."""
    track: str
    closing: ListClosing
    edition: str
    rows: DrawnRows

    def content(self) -> bytes:
        """The canonical bytes under the public checksum: lines of `number,rating,games`, without names."""
        return list_content(self.rows)


# ---- Revisions of published lists
class VersionPlace(NamedTuple):
    """A player's place on one version of a list."""

    rank: int
    rating: Decimal
    games: int


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A player who stands differently on two versions of a list; None: not on that version."""

    player: Player
    before: VersionPlace | None
    after: VersionPlace | None

    @property
    def by(self) -> Decimal | None:
        return self.after.rating - self.before.rating if self.before and self.after else None


@dataclass(frozen=True, slots=True)
class ListDifferences:
    """Players who stand differently on two versions of a track's list, the first of them as rows."""

    track: str
    rows: list[RowDifference]
    count: int


def read_record(federation: Federation, lines: int | None = None) -> journal.Journal:
    """The office's journal, its names sealed, or the first of its lines."""
    return journal.read_journal(islice(sealed_lines(federation), lines))


def preview_revision(
    federation: Federation,
    list_day: date,
    on: date,
    most_rows: int | None = None,
    further: Sequence[str] = (),
) -> list[ListDifferences]:
    """What revising the list of a day would change, track by track, if decided on the day `on`, with these
    `further` lines in the journal.
    """
    lines = [*sealed_lines(federation), *further]
    line = facts.Revised(list_day, get_new_line_day(federation, on))
    record = journal.read_journal([*lines, journal_lines.write_line(line, federation.ruleset)])
    redrawn = list_redrawn_tracks(federation, list_day, journal.list_of_line(record, len(lines) + 1))
    return [
        compare_places(federation, track, get_places(standing), list_places(rows), most_rows)
        for track, standing, rows in redrawn
    ]


def list_redrawn_tracks(
    federation: Federation, list_day: date, rows_by_track: Mapping[str, Sequence[ListedPlayer]]
) -> Iterator[tuple[str, RatingList | None, Sequence[ListedPlayer]]]:
    """Yield the tracks in which a redrawn list differs from its newest version, with that version (None if
    nobody stood on it) and the new rows.
    """
    for track in federation.ruleset.tracks:
        lists = RatingList.objects.filter(federation=federation, on=list_day, track=track.code)
        standing, rows = lists.order_by("-revision").first(), rows_by_track.get(track.code, [])
        if list_content(rows) != (bytes(standing.content) if standing else b""):
            yield track.code, standing, rows


def get_places(rating_list: RatingList | None) -> dict[PlayerId, VersionPlace]:
    """The place of every player on a published list, by number, the best first; empty without a list."""
    rows = ListRow.objects.filter(rating_list=rating_list) if rating_list else ListRow.objects.none()
    found = rows.order_by("position").values_list("player__number", "rank", "rating", "games")
    return {number: VersionPlace(rank, rating, games) for number, rank, rating, games in found}


def list_places(rows: Iterable[ListedPlayer]) -> dict[PlayerId, VersionPlace]:
    """The place of every player on a list that is drawn up, by number."""
    return {row.player: VersionPlace(row.rank, row.rating, row.games) for row in rows}


def compare_places(
    federation: Federation,
    track: str,
    before: Mapping[PlayerId, VersionPlace],
    after: Mapping[PlayerId, VersionPlace],
    most_rows: int | None = None,
) -> ListDifferences:
    """Players who stand differently on two versions of a list: those who come or go, then by difference."""

    def order(number: PlayerId) -> tuple[bool, Decimal, PlayerId]:
        one, other = before.get(number), after.get(number)
        by = other.rating - one.rating if one and other else None
        return by is not None, -abs(by or Decimal(0)), number

    numbers = sorted((each for each in {**before, **after} if before.get(each) != after.get(each)), key=order)
    shown = numbers[:most_rows]
    people = get_named_players(federation, shown)
    rows = [RowDifference(people[n], before.get(n), after.get(n)) for n in shown if n in people]
    return ListDifferences(track, rows, len(numbers))


def get_lists_to_freeze(
    federation: Federation, line: Fact, rows_by_track: Mapping[str, Sequence[ListedPlayer]]
) -> list[tuple[DrawnList, RatingList | None]]:
    """The lists that a `revised` line is to freeze, each with the version that it supersedes, if any."""
    spoken = journal_lines.parse_line(line.line, federation.ruleset)
    assert isinstance(spoken, facts.Revised)
    closing = ListClosing(spoken.list)
    edition = federation.ruleset.edition_for(facts.Placed(line.number, closing)).name
    return [
        (DrawnList(line.pk, track, closing, edition, DrawnRows(rows)), standing)
        for track, standing, rows in list_redrawn_tracks(federation, spoken.list, rows_by_track)
    ]


def find_list_line(federation: Federation, day: date) -> Fact | None:
    """The line that published the list of a day, or None."""
    return Fact.objects.filter(federation=federation, kind="list", on=day).first()


# ---- Comparison of any two published lists of a track
GAINED_BETWEEN = Gained("rating", "then__rating")


class ListComparison:
    """Two published lists of one track, compared player by player.

    An entry that was merged into another since counts as that one: nobody is new or gone by a merge.
    """

    def __init__(self, office: Federation, older: RatingList, newer: RatingList) -> None:
        self.office, self.older, self.newer = office, older, newer

    @cached_property
    def newer_rows(self) -> ListRowQuerySet:
        """The rows of the newer list, with the player's row of the older as `then`."""
        here = Q(player__list_rows__rating_list=self.older)
        rows = ListRow.objects.filter(rating_list=self.newer)
        return rows.alias(then=FilteredRelation("player__list_rows", condition=here))

    @cached_property
    def merged_players(self) -> dict[int, int]:
        """The keys of players on the older list who were merged since into players on the newer, to those
        players' keys.
        """
        merged = Player.objects.of(self.office).exclude(merged_into=None)
        into = dict(merged.values_list("pk", "merged_into_id"))
        older = ListRow.objects.filter(rating_list=self.older, player_id__in=list(into)) if into else []
        found = {row.player_id: into[row.player_id] for row in older}
        newer = ListRow.objects.filter(rating_list=self.newer, player_id__in=list(found.values()))
        on_newer = set(newer.values_list("player_id", flat=True)) if found else set()
        return {entry: player for entry, player in found.items() if player in on_newer}

    def part(self, name: str) -> ListRowQuerySet:
        """Return the rows of a part, in its order: of the older list for `gone`, else of the newer."""
        if name == "gone":
            on_newer = ListRow.objects.filter(rating_list=self.newer).values("player")
            gone = ListRow.objects.filter(rating_list=self.older).exclude(player__in=on_newer)
            return gone.exclude(player__in=list(self.merged_players)).order_by("position")
        if name == "new":
            new = self.newer_rows.filter(Q(then__rating=None))
            return new.exclude(player__in=list(self.merged_players.values())).order_by("position")
        moved = {"up": Q(rating__gt=F("then__rating")), "down": Q(rating__lt=F("then__rating"))}
        order = GAINED_BETWEEN.desc() if name == "up" else GAINED_BETWEEN.asc()
        return self.newer_rows.filter(moved[name]).order_by(order, "position")

    @cached_property
    def counts(self) -> dict[str, int]:
        found: dict[str, int] = self.newer_rows.aggregate(
            up=Count("pk", filter=Q(rating__gt=F("then__rating"))),
            down=Count("pk", filter=Q(rating__lt=F("then__rating"))),
            both=Count("pk", filter=Q(then__rating__isnull=False)),
        )
        both = found.pop("both")
        return {
            **found,
            "new": self.newer.players - both - len(set(self.merged_players.values())),
            "gone": self.older.players - both - len(self.merged_players),
            "same": both - found["up"] - found["down"],
        }

    def told(self, name: str, rows: Any) -> list[RowDifference]:
        rows = rows.select_related("player")
        if name in ("up", "down"):
            then = {f"then_{each}": F(f"then__{each}") for each in VersionPlace._fields}
            rows = rows.annotate(**then)
        found = []
        for row in rows:
            row.player.federation = self.office
            place = VersionPlace(row.rank, row.rating, row.games)
            if name == "gone":
                found.append(RowDifference(row.player, place, None))
            elif name == "new":
                found.append(RowDifference(row.player, None, place))
            else:
                before = VersionPlace(row.then_rank, row.then_rating, row.then_games)
                found.append(RowDifference(row.player, before, place))
        return found


# ---- The days on which lists are due
MOST_DAYS_AHEAD = 366
"""The most days ahead for which a list is due or looked at beforehand."""


def regular_days(office: Federation, first: date, last: date) -> Iterator[date]:
    """Yield the regular days of an office's lists between two days, both included."""
    regular, _clause = office.publication.list_days
    day = first
    while regular and day <= last:
        if day.day in regular:
            yield day
        day += timedelta(days=1)


def get_coming_list_days(office: Federation, today: date) -> list[date]:
    """The days of the lists to come within a year, earliest first, with the last one if missed."""
    lists = Fact.objects.filter(federation=office, kind="list")
    newest = lists.order_by("-on").values_list("on", flat=True).first()
    start = max(today, newest + timedelta(days=1)) if newest else today
    missed = _missed_day(office, newest, today) if newest else None
    return [
        *([missed] if missed else []),
        *regular_days(office, start, today + timedelta(days=MOST_DAYS_AHEAD)),
    ]


def _missed_day(office: Federation, newest: date, today: date) -> date | None:
    """The last regular day before today, where it came after the newest list."""
    since = max(newest, today - timedelta(days=MOST_DAYS_AHEAD)) + timedelta(days=1)
    return max(takewhile(lambda day: day < today, regular_days(office, since, today)), default=None)


def find_next_list_day(office: Federation, today: date) -> date | None:
    """The day of the list that is due next or overdue; None where the regulations fix no days."""
    return next(iter(get_coming_list_days(office, today)), None)


def propose_list_day(office: Federation, today: date) -> date:
    """The day of the list to publish next: the regular day that is overdue or due next. Today where no day
    is fixed, or where the journal has a later day than the overdue one.
    """
    due = find_next_list_day(office, today)
    if due is None or Fact.objects.filter(federation=office, on__gt=due).exists():
        return today
    return due
