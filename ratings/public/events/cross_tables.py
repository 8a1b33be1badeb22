"""A rated section's cross table: everyone by place, each round in a cell, and one track's rating changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from functools import cached_property
from typing import TypeVar
from urllib.parse import quote

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from players.office.models import Federation
from players.register.models import Player
from ratings.equipment.result_marks import Notation
from ratings.journal.models import Fact
from ratings.journal.read_facts import folded_fact
from ratings.law.facts import PLAYED, PlayerId, RatedSection
from ratings.law.rule_outputs import Answer
from ratings.law.ruleset import CONTEXT
from ratings.public.common.disclosure_limits import limits_of
from ratings.results.models import Change
from ratings.results.read_states import state_before
from tournaments.events.models import Bye, Entry, Game, Section, Stage

R = TypeVar("R", Game, Bye)
ByTheRules = tuple[Mapping[PlayerId, Decimal], Mapping[PlayerId, Decimal]]
Keep = Callable[[str, Callable[[], ByTheRules]], ByTheRules]
TIE_BREAKS = {"discs": gettext_noop("%(count)s discs")}
KINDS = {Decimal(1): "won", Decimal("0.5"): "drawn", Decimal(0): "lost"}


@dataclass(frozen=True, slots=True)
class RoundCell:
    text: str = "–"
    words: str = ""
    kind: str = "unplayed"
    url: str = ""
    """The form that reports a mistake in what was played then; empty unless the section is rated."""
    mark: str = "–"
    """The result alone, without the opponent's number."""
    side: str = ""
    """The letter of the side: `w`."""
    against: int = 0
    """The row's number of the opponent; 0: none."""


@dataclass(frozen=True, slots=True)
class OpenedGame:
    """One game or bye of an entrant, as it stands below the name on a phone."""

    number: int
    """The round."""
    name: str
    side: str
    """The letter of the side, before the result."""
    mark: str
    kind: str
    words: str = ""
    url: str = ""
    person_url: str = ""


@dataclass(slots=True)
class EntrantRow:
    """One entrant's row, as `components/cross_table.html` shows it."""

    place: int | None
    """The row's number, to which cells refer; without games the place."""
    name: str
    url: str
    title: str
    note: str
    rating: Decimal | None
    points: Decimal | None
    score: str
    tie_breaks: list[str]
    performance: Decimal | None
    working_url: str
    after: Decimal | None = None
    cells: list[RoundCell] = field(default_factory=list)
    opened: list[OpenedGame] = field(default_factory=list)

    @property
    def marks(self) -> str:
        """The results of all rounds in one line: `1 ½ 0 +`."""
        return " ".join(game.mark for game in self.opened)


class CrossTable:
    """The cross table of a section with the changes in one track: that asked for, or the first it moved."""

    def __init__(
        self, section: Section, rated: Fact | None, track: str = "", *, keep: Keep | None = None
    ) -> None:
        """`keep`: gives what the rules say, known from another look by this name, or worked out now."""
        self.section, self.rated = section, rated
        self.office = section.event.federation
        self.limits = limits_of(self.office)
        self.games = list(section.games.all())
        self.byes = list(section.byes.all())
        self.changes = self._changes()
        moved = {change.track for change in self.changes}
        self.tracks = [each for each in self.office.ruleset.tracks if each.code in moved]
        self.track = next((each for each in self.tracks if each.code == track), next(iter(self.tracks), None))
        self.notation = self.office.publication.notation
        self.scores = score_by_entry(self.office, section, self.games, self.byes)
        name = f"performances {rated and rated.pk} {self.track and self.track.code}"
        told = keep(name, self._by_the_rules) if keep else self._by_the_rules()
        self.performances, self.of_the_day = told
        page = reverse("ratings:report", args=[self.office.code])
        self.report_url = (
            f"{page}?section={quote(section.key, safe='')}" if section.stage == Stage.RATED else ""
        )
        self.entries = sorted(section.entries.select_related("player__merged_into"), key=self._by_place)
        self.number = {entry.pk: number for number, entry in enumerate(self.entries, start=1)}

    @cached_property
    def rounds(self) -> range:
        """The numbers of the rounds, as columns; empty where only places were filed."""
        played = [game.round for game in self.games] + [bye.round for bye in self.byes]
        if not played:
            return range(0)
        return range(1, max([self.section.rounds or 0, *played]) + 1)

    @cached_property
    def rows(self) -> list[EntrantRow]:
        track = self.track.code if self.track else ""
        changes = {change.player_id: change for change in self.changes if change.track == track}
        cells = self._cells()
        return [self._row(entry, changes, cells[entry.pk]) for entry in self.entries]

    @property
    def unscored(self) -> bool:
        """Whether the table has places alone: no rounds and no points."""
        return not self.rounds and all(entry.points is None for entry in self.entries)

    @property
    def legend(self) -> Mapping[str, str]:
        """The marks to explain below the table, by what they mean: `won`, `drawn`, `came` and `absent`."""
        won, drawn, forfeit = (self.notation.marks[result] for result in ("1-0", "1/2", "+:-"))
        return {"won": won[0], "drawn": drawn[0], "came": forfeit[0], "absent": forfeit[1]}

    @property
    def performance_places(self) -> int | None:
        """The decimals of performances: whole points, or more for small ratings; None: there are none."""
        decimals = self.office.publication.decimals
        return (decimals if decimals > 1 else 0) if self.performances else None

    @property
    def absent(self) -> list[Change]:
        """Changes in this track of players who are not entered: missing a section may cost points."""
        entered = {self._player(entry).pk for entry in self.entries if entry.player}
        track = self.track.code if self.track else ""
        pks = {each.player_id for each in self.changes if each.track == track} - entered
        if not pks or self.rated is None:
            return []
        changes = Change.objects.filter(fact=self.rated, track=track, player__in=pks)
        found = changes.select_related("player__federation").order_by("player__name_key", "player")
        return sorted(found, key=lambda change: change.player.withheld)  # by name, their place would tell it

    def _changes(self) -> list[Change]:
        changes = Change.objects.filter(fact=self.rated) if self.rated else Change.objects.none()
        return list(changes.only("player_id", "track", "before", "after", "points", "fact_id"))

    def _by_the_rules(self) -> ByTheRules:
        """Performances against the ratings before the section, and those ratings on its day where time and
        others' play move them; each by player's number, worked out by the rules now and never stored.
        """
        if self.rated is None or self.track is None or self.rated.order is None:
            return {}, {}
        fact = folded_fact(self.rated)
        rules = self.office.ruleset.rules_for(fact)
        state = state_before(self.office, self.rated.order, rules.needs(fact))
        assert isinstance(fact, RatedSection)  # a `rated` line
        with localcontext(CONTEXT):
            performances = rules.performances(state, fact, self.track.code)
            return performances, self._ratings(rules.answers(state, fact.on))

    def _ratings(self, answers: Iterable[Answer]) -> Mapping[PlayerId, Decimal]:
        """Ratings of the section's day by player's number, where the calendar or others' play moves ratings;
        elsewhere empty, since the stored changes have them.
        """
        if self.office.ruleset.calendar.days_of_change is None or self.track is None:
            return {}
        track = self.track.code
        return {row.player: row.rating for row in answers if row.track == track and row.rating is not None}

    def _by_place(self, entry: Entry) -> tuple[int, Decimal, int, int]:
        """The sort key: place as filed, none at the end; then score, filed rating and starting number."""
        return (entry.place or 1_000_000, -self.scores[entry.pk], -(entry.rating or 0), entry.number)

    def _row(self, entry: Entry, changes: dict[int, Change], cells: dict[int, list[RoundCell]]) -> EntrantRow:
        player = self._player(entry) if entry.player else None
        change = changes.get(player.pk) if player else None
        before, points = self._moved(player, change)
        return EntrantRow(
            place=self.number[entry.pk] if self.rounds else entry.place,
            name=player.shown_name if player else entry.name,
            url=self._url(player),
            title=self.limits.title(player, entry.title) if player else "",
            note="" if player and player.withheld else entry.team,
            rating=before,
            points=points,
            score=self.notation.score(self.scores[entry.pk]) if self.rounds else points_text(entry.points),
            tie_breaks=self._tie_breaks(entry),
            performance=self.performances.get(player.number) if player else None,
            working_url=self._working(player, change),
            after=rating_after(before, points, change),
            cells=[joined_cell(cells[number]) for number in self.rounds],
            opened=[game for number in self.rounds for game in self._opened(number, cells[number])],
        )

    def _opened(self, number: int, cells: list[RoundCell]) -> Iterator[OpenedGame]:
        """Yield what one entrant played in a round, as it opens below the name."""
        for cell in cells or [RoundCell()]:
            name, person_url = self.people[cell.against] if cell.against else (cell.words, "")
            yield OpenedGame(number, name, cell.side, cell.mark, cell.kind, cell.words, cell.url, person_url)

    @cached_property
    def people(self) -> dict[int, tuple[str, str]]:
        """The name and the page's address of each entrant as shown today, by the row's number."""
        players = {self.number[entry.pk]: (entry, entry.player) for entry in self.entries}
        return {
            number: (self._name(number, entry.name), self._url(self._player(entry) if player else None))
            for number, (entry, player) in players.items()
        }

    def _moved(self, player: Player | None, change: Change | None) -> tuple[Decimal | None, Decimal | None]:
        """The rating of one entrant just before the section, and the points that it brought."""
        if player is None or change is None:
            return None, None
        if self.office.ruleset.calendar.days_of_change is None:
            return change.before, change.points
        before = self.of_the_day.get(player.number)
        return before, None if before is None or change.after is None else change.after - before

    def _player(self, entry: Entry) -> Player:
        """The player for whom an entry counts today: after a merge, the one who stays."""
        assert entry.player is not None
        return entry.player.merged_into or entry.player

    def _tie_breaks(self, entry: Entry) -> list[str]:
        """The tie-breaks of an entry, in words with their values, as far as the federation shows them."""
        known = {name: getattr(entry, name) for name in self.office.publication.tie_breaks}
        return [_(TIE_BREAKS[name]) % {"count": count} for name, count in known.items() if count is not None]

    def _url(self, player: Player | None) -> str:
        return f"{self._people_url}{quote(player.number, safe='')}/" if player else ""

    @cached_property
    def _people_url(self) -> str:
        return f"{self.office.get_absolute_url()}players/"

    def _working(self, player: Player | None, change: Change | None) -> str:
        if player is None or change is None or self.rated is None:
            return ""
        return f"{self._url(player)}{change.track}/{self.rated.number}/"

    def _cells(self) -> dict[int, dict[int, list[RoundCell]]]:
        """The cells by entry's key and round; a list for each round, as two may play twice in one."""
        cells: dict[int, dict[int, list[RoundCell]]] = defaultdict(lambda: defaultdict(list))
        for game in self.games:
            cells[game.first_id][game.round].append(self.played(game, game.first_id, game.second_id, 0))
            cells[game.second_id][game.round].append(self.played(game, game.second_id, game.first_id, 1))
        for bye in self.byes:
            cells[bye.entry_id][bye.round].append(bye_cell(bye, self.notation))
        return cells

    def played(self, game: Game, own: int, opponent: int, side: int) -> RoundCell:
        number = self.number.get(opponent, 0)
        mark, kind = mark_of(game.result, side, self.notation)
        words = self._words % {"round": game.round, "name": self.people[number][0] if number else ""}
        url, letter = "", self._letters[side]
        if self.report_url:
            seat = self.entries[self.number[own] - 1].number
            url = f"{self.report_url}&round={game.round}&entry={seat}"
        return RoundCell(f"{number}{letter}{mark}", words, kind, url, mark, letter, number)

    @cached_property
    def _letters(self) -> list[str]:
        """The letters of both sides, the first mover's first: `w` and `b`."""
        return [_(side)[:1] for side in self.office.publication.sides]

    @cached_property
    def _words(self) -> str:
        """The words of a cell, with places for the round and the opponent's name."""
        if self.report_url:
            return _("round %(round)s against %(name)s; report a mistake in this game")
        return _("round %(round)s against %(name)s")

    def _name(self, number: int, otherwise: str) -> str:
        """The name of an opponent as it is shown today, perhaps withheld; `otherwise` where no player stands
        behind the entry of that number.
        """
        player = self.entries[number - 1].player if number else None
        player = player and (player.merged_into or player)
        return player.shown_name if player else otherwise


def rating_after(before: Decimal | None, points: Decimal | None, change: Change | None) -> Decimal | None:
    """The rating with what a section brought: the rating after it or, where points wait for the next list,
    that before it with the points.
    """
    after: Decimal | None = change.after if change else None
    if before is None or points is None:
        return after
    return before + points if change is None or after in (None, change.before) else after


def scores_of(office: Federation, entries: Iterable[Entry]) -> dict[int, str]:
    """The score of each entry as its section's cross table shows it, by the entry's key; empty for none."""
    own = list(entries)
    keys = [entry.pk for entry in own if entry.section.format != "placement"]
    if not keys:  # places alone, no games
        return {entry.pk: points_text(entry.points) for entry in own}
    games = Game.objects.filter(Q(first__in=keys) | Q(second__in=keys)).order_by()
    byes = Bye.objects.filter(entry__in=keys).order_by()
    played = group(games.only("section_id", "first_id", "second_id", "result"))
    idle = group(byes.only("section_id", "entry_id", "kind"))
    of_section = {entry.section_id: entry.section for entry in own}
    scores = {pk: score_by_entry(office, each, played[pk], idle[pk]) for pk, each in of_section.items()}
    written = office.publication.notation.score
    sections = Section.objects.filter(pk__in=of_section)
    held = set(sections.filter(_has_any(Game) | _has_any(Bye)).values_list("pk", flat=True))
    return {
        entry.pk: written(scores[entry.section_id][entry.pk])
        if entry.section_id in held
        else points_text(entry.points)
        for entry in own
    }


def _has_any(model: type[Game | Bye]) -> Exists:
    return Exists(model._default_manager.filter(section=OuterRef("pk")))


def group(rows: Iterable[R]) -> dict[int, list[R]]:
    """Group games, byes or other rows by their section's key; a key without rows gives an empty list."""
    found: dict[int, list[R]] = defaultdict(list)
    for row in rows:
        found[row.section_id].append(row)
    return found


def score_by_entry(
    office: Federation, section: Section, games: Iterable[Game], byes: Iterable[Bye]
) -> dict[int, Decimal]:
    """The score of each entry of a section, by its key. Wins by forfeit and byes count as in the edition in
    force on the section's first day.
    """
    edition = office.ruleset.edition_of_day(section.starts)  # D-9
    return edition.scoring.totals(
        ((game.first_id, game.second_id, game.result) for game in games),
        ((bye.entry_id, bye.kind) for bye in byes),
    )


def mark_of(result: str, side: int, notation: Notation) -> tuple[str, str]:
    """The mark of a game's result in a cell, seen from one side (0 first, 1 second), and the cell's style:
    `1` won, `+` won by forfeit.
    """
    kind = KINDS[PLAYED[result][side]] if result in PLAYED else "unplayed"
    return notation.marks[result][side], kind


def bye_cell(bye: Bye, notation: Notation) -> RoundCell:
    words = {
        "pairing": _("allocated bye"),
        "full": _("full-point bye"),
        "half": _("half-point bye"),
        "zero": _("not paired"),
    }
    mark = notation.byes.get(bye.kind, bye.kind)
    return RoundCell(mark, words.get(bye.kind, bye.kind), mark=mark)


def joined_cell(cells: Iterable[RoundCell]) -> RoundCell:
    """Join the cells of all that one entrant played in a round; an empty cell if that is nothing."""
    several = list(cells)
    if len(several) < 2:
        return several[0] if several else RoundCell()
    texts, words = (
        ", ".join(filter(None, parts)) for parts in zip(*((c.text, c.words) for c in several), strict=True)
    )
    return RoundCell(texts, words, several[-1].kind, several[-1].url)


def points_text(points: Decimal | None) -> str:
    return f"{points.normalize():f}" if points else ""
