"""A player's play in rated sections: the games of each, wins and losses by side, and against whom."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Exists, OuterRef, QuerySet, Value
from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases_at
from ratings.law.facts import PLAYED
from ratings.law.journal import root
from ratings.public.events.cross_tables import points_text
from ratings.public.events.round_cells import KINDS, mark_of
from ratings.results.as_of import AsOf
from tournaments.events.models import IN_RATED, Bye, Entry, Game


@dataclass(frozen=True, slots=True)
class OwnGame:
    """One game of a player's, from the player's own side."""

    round: int
    order: int
    side: int
    """0: the player moved first; 1: second."""
    result: str
    """As the journal writes it, the first mover's side first."""
    opponent: Player | None
    """The opponent as the register has them today; None: nobody stands behind the entry."""
    mark: str
    kind: str
    """`won`, `drawn` or `lost`; `unplayed` where it was decided without play."""

    @property
    def played(self) -> bool:
        return self.result in PLAYED

    @property
    def score(self) -> Decimal:
        return PLAYED[self.result][self.side]


@dataclass(frozen=True, slots=True)
class PlayInSection:
    """A player's play in one rated section: place, score and games as its cross table shows them."""

    key: str
    """The section's id in the journal."""
    event_name: str
    name: str
    url: str
    ends: date
    place: int | None
    score: str
    rounds: int
    """The number of games and byes of the player's."""
    games: tuple[OwnGame, ...]


class SideResults(NamedTuple):
    """Games won, drawn and lost."""

    words: str
    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(slots=True)
class Meetings:
    """The games against one opponent, with the player's score in them."""

    opponent: Player
    won: int = 0
    drawn: int = 0
    lost: int = 0
    points: Decimal = Decimal(0)
    last: date = date.min
    games: list[tuple[PlayInSection, OwnGame]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.games)


# ---------------------------------------------------------------- read


ENTRY = (
    "pk",
    "section_id",
    "section__event__number",
    "section__event__name",
    "section__code",
    "section__name",
    "section__starts",
    "section__ends",
    "section__format",
    "place",
    "points",
)
PERSON = ("id", "number", "surname", "first_name", "withheld")


def play_of(player: Player, asked: AsOf) -> dict[str, PlayInSection]:
    """A player's play in the sections rated by a day, by the section's id, newest first. Of a past day,
    sections that were corrected since are left out: their games are no longer as they were known.
    """
    office = player.federation
    entries = _entries(player, asked)
    with_games = [row[0] for row in entries if row[8] != "placement"]
    people: dict[int, Player] = {}
    games: dict[int, list[OwnGame]] = defaultdict(list)
    for section, *row in _games(with_games) if with_games else ():
        games[section].append(_game(office, row, people))
    byes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    found = Bye.objects.filter(entry__in=with_games).order_by()
    for section, entry, kind in found.values_list("section_id", "entry_id", "kind") if with_games else ():
        byes[section].append((entry, kind))
    return {play.key: play for row in entries for play in [_play(office, row, games[row[1]], byes[row[1]])]}


def _entries(player: Player, asked: AsOf) -> list[tuple[Any, ...]]:
    if asked.line is None:
        theirs = Entry.objects.filter(IN_RATED, player__in=Player.objects.of_one_person(player))
    else:
        # By section alone: given the federation too, SQLite would walk through all rated lines for each.
        here = Fact.objects.filter(section=OuterRef("section"), kind="rated").in_force(asked.line)
        theirs = Entry.objects.filter(player__in=_read_as(player, asked))
        theirs = theirs.filter(Exists(here) & ~Exists(here.exclude(taken_back=None)))
    return list(theirs.order_by("-section__ends", "-pk").values_list(*ENTRY))


def _read_as(player: Player, asked: AsOf) -> list[Player]:
    merged = list(player.merged.all())
    if merged and asked.line is not None:
        names = aliases_at(asked.federation, asked.line)
        merged = [each for each in merged if root(names, each.number) == player.number]
    return [player, *merged]


def _games(entries: Sequence[int]) -> QuerySet[Any, tuple[Any, ...]]:
    """The games of these entries: section, round, order, result, the opponent, whoever the opponent was
    merged into, and the side of the entry.
    """

    def side(own: str, other: str, number: int) -> QuerySet[Any, tuple[Any, ...]]:
        opponent = [f"{other}__player__{name}" for name in PERSON]
        stays = [f"{other}__player__merged_into__{name}" for name in PERSON]
        games = Game.objects.filter(**{f"{own}__in": entries}).order_by().annotate(side=Value(number))
        return games.values_list("section_id", "round", "order", "result", *opponent, *stays, "side")

    return side("first", "second", 0).union(side("second", "first", 1), all=True)


def _game(office: Federation, row: Sequence[Any], people: dict[int, Player]) -> OwnGame:
    number, order, result, *person, side = row
    opponent = person[len(PERSON) :] if person[len(PERSON)] is not None else person[: len(PERSON)]
    key = opponent[0]
    if key is not None and key not in people:
        people[key] = Player(federation=office, **dict(zip(PERSON, opponent, strict=True)))
    mark, kind = mark_of(result, side, office.publication.notation)
    return OwnGame(number, order, side, result, people[key] if key is not None else None, mark, kind)


def _play(
    office: Federation, row: tuple[Any, ...], games: Iterable[OwnGame], byes: Sequence[tuple[int, str]]
) -> PlayInSection:
    entry, _section, number, event_name, code, name, starts, ends, form, place, points = row
    ordered = tuple(sorted(games, key=lambda game: (game.round, game.order)))
    if form == "placement":
        score = points_text(points)
    else:
        pairs = ((entry, 0, each.result) if not each.side else (0, entry, each.result) for each in ordered)
        totals = office.ruleset.edition_of_day(starts).scoring.totals(pairs, byes)  # D-9
        score = office.publication.notation.score(totals[entry]) if ordered or byes else points_text(points)
    return PlayInSection(
        key=f"{number}/{code}",
        event_name=event_name,
        name=name,
        url=f"{office.get_absolute_url()}events/{quote(number, safe='')}/{quote(code, safe='')}/",
        ends=ends,
        place=place,
        score=score,
        rounds=len(ordered) + len(byes),
        games=ordered,
    )


# ---------------------------------------------------------------- counted


def by_side(games: Iterable[OwnGame], sides: tuple[str, str]) -> list[SideResults]:
    """Count the games won, drawn and lost with each side, and all together; empty without games."""
    counts = Counter((game.side, KINDS[game.score]) for game in games if game.played)
    if not counts:
        return []
    each = [SideResults(_(words), *_counted(counts, (at,))) for at, words in enumerate(sides)]
    return [*each, SideResults(_("all games"), *_counted(counts, (0, 1)))]


def _counted(counts: Mapping[tuple[int, str], int], sides: Iterable[int]) -> tuple[int, int, int]:
    won, drawn, lost = (sum(counts.get((side, kind), 0) for side in sides) for kind in KINDS.values())
    return won, drawn, lost


def meetings(plays: Iterable[PlayInSection]) -> list[Meetings]:
    """The opponents of some sections, the most frequent first, of equals whom the player met last. No order
    goes by name: the place of somebody who is not to be named would tell it.
    """
    found: dict[int, Meetings] = {}
    for play in plays:
        for game in play.games:
            if not game.played or game.opponent is None:
                continue
            each = found.setdefault(game.opponent.pk, Meetings(game.opponent))
            kind = KINDS[game.score]
            setattr(each, kind, getattr(each, kind) + 1)
            each.points += game.score
            each.last = max(each.last, play.ends)
            each.games.append((play, game))
    return sorted(
        found.values(), key=lambda each: (-each.count, -each.last.toordinal(), each.opponent.number)
    )
