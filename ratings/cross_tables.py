"""The cross table of a section: its entrants by place, what each played in every round, and the rating
changes of one track. It is shown on pages and written to the files that everybody may download.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from players.models import Federation, Identifier
from players.names import PersonRow
from ratings.disclosure import arbiters_of, limits_of
from ratings.journal import folded_fact
from ratings.models import Change, Fact
from ratings.results import state_before, state_before_folded
from ratings.rulesets.facts import PLAYED, Answer, Needs, PlayerId, RatedSection, State
from ratings.rulesets.profile import Notation, equipment_of
from ratings.rulesets.ruleset import CONTEXT
from tournaments import section_files
from tournaments.models import Bye, Entry, Game, Section, Stage

# ---- The cells of the rounds: what one entrant played in a round, as marks and in words.
#
# A section of 200 players has 1,800 cells, each shown twice. They hold texts in parts, of which there are
# few, so that a page escapes each part once.
KINDS = {Decimal(1): "won", Decimal("0.5"): "drawn", Decimal(0): "lost"}


class RoundCell(NamedTuple):
    mark: str = "–"
    """The result alone, without the opponent's number."""
    said: tuple[str, str, str] = ("", "", "")
    """Words for screen readers and the pointer: before the opponent's name, the name, after it."""
    kind: str = "unplayed"
    form: tuple[str, str] = ("", "")
    """The form that reports a mistake in what was played then, as two parts of its address: that of the round
    and that of the entrant; empty unless the section is rated.
    """
    side: str = ""
    """The letter of the side: `w`."""
    against: str = ""
    """The row's number of the opponent; empty: none."""
    met: tuple[tuple[str, str], ...] = ()
    """Each opponent's name and page, or the kind of bye: a phone shows them beside the result."""

    @property
    def text(self) -> str:
        """The words in the table: `12w1`."""
        return f"{self.against}{self.side}{self.mark}"

    @property
    def words(self) -> str:
        return "".join(self.said)

    @property
    def url(self) -> str:
        return "".join(self.form)


NONE = (RoundCell(),)
"""The cells of whoever played nothing in a round."""


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
    kind = words.get(bye.kind, bye.kind)
    return RoundCell(mark_of_bye(bye.kind, notation), (kind, "", ""), met=((kind, ""),))


def mark_of_bye(kind: str, notation: Notation) -> str:
    """The mark of a round without an opponent: a sign, or a word short enough for a cell."""
    mark = notation.byes.get(kind, kind)
    return pgettext("a mark in a cross table", "bye") if mark == "bye" else mark


def joined_cell(cells: Sequence[RoundCell]) -> RoundCell:
    """Join the cells of all that one entrant played in a round; an empty cell if that is nothing."""
    if len(cells) < 2:
        return cells[0] if cells else NONE[0]
    texts, words = (
        ", ".join(filter(None, parts)) for parts in zip(*((c.text, c.words) for c in cells), strict=True)
    )
    met = tuple(dict.fromkeys(each for cell in cells for each in cell.met))
    return RoundCell(texts, (words, "", ""), cells[-1].kind, cells[-1].form, met=met)


# ---- The table: a row for each entrant, with scores, tie-breaks and the changes of one track.
R = TypeVar("R", Game, Bye)
ByTheRules = tuple[Mapping[PlayerId, Decimal], Mapping[PlayerId, Decimal]]
Keep = Callable[[str, Callable[[], ByTheRules]], ByTheRules]
Seat = tuple[str, tuple[tuple[str, str]], str]
NO_FORM = ("", "")
TIE_BREAKS = {"discs": gettext_noop("%(count)s discs")}


class Moved(NamedTuple):
    """The change by a section for one player in one track, with the fields of `Change` that a table shows."""

    player_id: int
    track: str
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None


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
    marks: str = ""
    """The results of all rounds in one line: `1 ½ 0 +`."""


class CrossTable:
    """The cross table of a section with the changes in one track: that asked for, or the first it moved."""

    def __init__(
        self, section: Section, rated: Fact | None, track: str = "", *, keep: Keep | None = None
    ) -> None:
        """`keep`: gives what the rules say, known from another look by this name, or worked out now."""
        self.section, self.rated = section, rated
        self.office = section.event.federation
        self.limits = limits_of(self.office)
        self.games = section_files.games_of(section)
        self.byes = list(section.byes.all())
        moved = self._moved_tracks()
        self.tracks = [each for each in self.office.ruleset.tracks if each.code in moved]
        self.track = next((each for each in self.tracks if each.code == track), next(iter(self.tracks), None))
        self.changes = self._changes()
        self.notation = self.office.publication.notation
        self.scores = score_by_entry(self.office, section, self.games, self.byes)
        page = reverse("ratings:report", args=[self.office.code])
        self.report_url = (
            f"{page}?section={quote(section.key, safe='')}" if section.stage == Stage.RATED else ""
        )
        self.entries = sorted(section_files.entries_of(section), key=self._by_place)
        self.number = {entry.pk: number for number, entry in enumerate(self.entries, start=1)}
        name = f"performances {rated and rated.pk} {self.track and self.track.code}"
        told = keep(name, self._by_the_rules) if keep else self._by_the_rules()
        self.performances, self.of_the_day = told

    @cached_property
    def rounds(self) -> range:
        """The numbers of the rounds, as columns; empty where only places were filed."""
        played = [game.round for game in self.games] + [bye.round for bye in self.byes]
        if not played:
            return range(0)
        return range(1, max([self.section.rounds or 0, *played]) + 1)

    @property
    def names_of_rounds(self) -> list[str]:
        """The heads of the rounds' columns: numbers, and behind them the names of finals."""
        return [self.section.name_of_round(number) for number in self.rounds]

    @cached_property
    def rows(self) -> list[EntrantRow]:
        changes = {change.player_id: change for change in self.changes}
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
        pks = {each.player_id for each in self.changes} - self._entered.keys()
        if not pks or self.rated is None or self.track is None:
            return []
        changes = Change.objects.filter(fact=self.rated, track=self.track.code, player__in=pks)
        found = changes.select_related("player__federation").order_by("player__sort_key", "player__number")
        return sorted(found, key=lambda change: change.player.withheld)  # by name, their place would tell it

    @cached_property
    def _entered(self) -> Mapping[int, PlayerId]:
        """The numbers of the entrants by their keys in the database."""
        return {entry.person.pk: entry.person.number for entry in self.entries if entry.person}

    def _moved_tracks(self) -> set[str]:
        """The codes of the tracks in which the section moved somebody."""
        changes = Change.objects.filter(fact=self.rated).order_by() if self.rated else Change.objects.none()
        return set(changes.values_list("track", flat=True).distinct())

    def _changes(self) -> list[Moved]:
        """The changes by the section in the table's track."""
        if self.rated is None or self.track is None:
            return []
        changes = Change.objects.filter(fact=self.rated, track=self.track.code).order_by()
        return [*map(Moved._make, changes.values_list(*Moved._fields))]

    def _by_the_rules(self) -> ByTheRules:
        """Performances against the ratings before the section, and those ratings on its day where time and
        others' play move them; each by player's number, worked out by the rules now and never stored.
        """
        if self.rated is None or self.track is None or self.rated.order is None:
            return {}, {}
        fact = folded_fact(self.rated)
        rules = self.office.ruleset.rules_for(fact)
        # Performances are measured in one track alone; what the calendar moves may look at others.
        only = "" if self.office.ruleset.calendar.days_of_change else self.track.code
        state = self._state_before(self.rated.order, rules.needs(fact), only)
        assert isinstance(fact, RatedSection)  # a `rated` line
        with localcontext(CONTEXT):
            performances = rules.performances(state, fact, self.track.code)
            return performances, self._ratings(rules.answers(state, fact.on))

    def _state_before(self, order: int, players: Collection[PlayerId] | Needs, track: str) -> State[Any]:
        if not isinstance(players, Needs) and set(players) <= set(self._entered.values()):
            return state_before_folded(self.office, order, self._entered, track)
        return state_before(self.office, order, players, track=track)

    def _ratings(self, answers: Iterable[Answer]) -> Mapping[PlayerId, Decimal]:
        """Ratings of the section's day by player's number, where the calendar or others' play moves ratings;
        elsewhere empty, since the stored changes have them.
        """
        if self.office.ruleset.calendar.days_of_change is None or self.track is None:
            return {}
        track = self.track.code
        return {row.player: row.rating for row in answers if row.track == track and row.rating is not None}

    def _by_place(self, entry: section_files.FiledEntry) -> tuple[int, Decimal, int, int]:
        """The sort key: place as filed, none at the end; then score, filed rating and starting number."""
        return (entry.place or 1_000_000, -self.scores[entry.pk], -(entry.rating or 0), entry.number)

    def _row(
        self, entry: section_files.FiledEntry, changes: dict[int, Moved], cells: dict[int, list[RoundCell]]
    ) -> EntrantRow:
        player = entry.person
        change = changes.get(player.pk) if player else None
        before, points = self._moved(player, change)
        played = [cells.get(number) or NONE for number in self.rounds]
        _number, ((name, url),), _said = self._seats[entry.pk]
        return EntrantRow(
            place=self.number[entry.pk] if self.rounds else entry.place,
            name=name,
            url=url,
            title=self.limits.title(player, entry.title) if player else "",
            note="" if player and player.withheld else entry.team,
            rating=before,
            points=points,
            score=self.notation.score(self.scores[entry.pk]) if self.rounds else points_text(entry.points),
            tie_breaks=self._tie_breaks(entry),
            performance=self.performances.get(player.number) if player else None,
            working_url=f"{url}{change.track}/{self.rated.number}/" if change and self.rated else "",
            after=rating_after(before, points, change),
            cells=[each[0] if len(each) == 1 else joined_cell(each) for each in played],
            marks=" ".join([cell.mark for each in played for cell in each]),
        )

    def _moved(self, player: PersonRow | None, change: Moved | None) -> tuple[Decimal | None, Decimal | None]:
        """The rating of one entrant just before the section, and the points that it brought."""
        if player is None or change is None:
            return None, None
        if self.office.ruleset.calendar.days_of_change is None:
            return change.before, change.points
        before = self.of_the_day.get(player.number)
        return before, None if before is None or change.after is None else change.after - before

    def _tie_breaks(self, entry: section_files.FiledEntry) -> list[str]:
        """The tie-breaks of an entry, in words with their values, as far as the federation shows them."""
        known = {name: getattr(entry, name) for name in self.office.publication.tie_breaks}
        return [_(TIE_BREAKS[name]) % {"count": count} for name, count in known.items() if count is not None]

    def _url(self, player: PersonRow | None) -> str:
        return f"{self._people_url}{quote(player.number, safe='')}/" if player else ""

    @cached_property
    def _people_url(self) -> str:
        return f"{self.office.get_absolute_url()}players/"

    def _cells(self) -> dict[int, dict[int, list[RoundCell]]]:
        """The cells by entry's key and round; a list for each round, as two may play twice in one."""
        cells: dict[int, dict[int, list[RoundCell]]] = {pk: {} for pk in self.number}
        for game in self.games:
            for own, cell in zip((game.first_id, game.second_id), self.played(game), strict=True):
                cells[own].setdefault(game.round, []).append(cell)
        for bye in self.byes:
            cells[bye.entry_id].setdefault(bye.round, []).append(bye_cell(bye, self.notation))
        return cells

    def played(self, game: section_files.FiledGame) -> tuple[RoundCell, RoundCell]:
        """The cells of both entrants for a game, the first mover's first."""
        number, met, seat = self._seats[game.first_id]
        other, other_met, other_seat = self._seats[game.second_id]
        (mark, kind), (other_mark, other_kind) = self._marks[game.result]
        before, after, report = self._of_round[game.round]
        forms = ((report, seat), (report, other_seat)) if report else (NO_FORM, NO_FORM)
        letter, other_letter = self._letters
        said, other_said = (before, other_met[0][0], after), (before, met[0][0], after)
        return (
            RoundCell(mark, said, kind, forms[0], letter, other, other_met),
            RoundCell(other_mark, other_said, other_kind, forms[1], other_letter, number, met),
        )

    @cached_property
    def _marks(self) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """The mark and the style of each result that a game of the section has, by side."""
        results = {game.result for game in self.games}
        return {each: tuple(mark_of(each, side, self.notation) for side in (0, 1)) for each in results}

    @cached_property
    def _seats(self) -> Mapping[int, Seat]:
        """By an entry's key the row's number, the name and the page's address as shown today, and what the
        address of a report says of it.
        """
        found = {}
        for entry in self.entries:
            player = entry.person
            met = ((player.shown_name if player else entry.name, self._url(player)),)
            found[entry.pk] = str(self.number[entry.pk]), met, f"&entry={entry.number}"
        return found

    @cached_property
    def _of_round(self) -> Mapping[int, tuple[str, str, str]]:
        """By round what all its cells say: the words before and after the opponent's name, and the address
        of a report.
        """
        found = {}
        for number in {game.round for game in self.games}:
            before, _name, after = (self._words % {"round": number, "name": "\0"}).partition("\0")
            found[number] = before, after, f"{self.report_url}&round={number}" if self.report_url else ""
        return found

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


def rating_after(
    before: Decimal | None, points: Decimal | None, change: Moved | Change | None
) -> Decimal | None:
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
    office: Federation, section: Section, games: Iterable[Game | section_files.FiledGame], byes: Iterable[Bye]
) -> dict[int, Decimal]:
    """The score of each entry of a section, by its key. Wins by forfeit and byes count as in the edition in
    force on the section's first day.
    """
    edition = office.ruleset.edition_of_day(section.starts)  # D-9
    return edition.scoring.totals(
        ((game.first_id, game.second_id, game.result) for game in games),
        ((bye.entry_id, bye.kind) for bye in byes),
    )


def points_text(points: Decimal | None) -> str:
    return f"{points.normalize():f}" if points else ""


# ---- The play of a section for files that the public downloads.
STANDINGS = "standings"
SUFFIXES = {
    **dict.fromkeys(section_files.TRF, "trf"),
    section_files.ELO: "elo",
    **dict.fromkeys((section_files.TABLE, STANDINGS, *section_files.OF_PLACES), "csv"),
}
"""The suffix of each layout's file, by the layout's code."""


def play_of(table: CrossTable, *, named: bool = True) -> section_files.FiledPlay:
    """A section's play with what the public may know of its entrants; `named`: with the people in it."""
    entries = sorted(table.entries, key=lambda entry: entry.number)
    ratings = (
        {entry.pk: row.rating for entry, row in zip(table.entries, table.rows, strict=True)} if named else {}
    )
    told = {entry.pk: _told(table, entry, ratings[entry.pk]) for entry in entries} if named else {}
    for key, numbers in _numbers_elsewhere(table, entries).items() if named else ():
        told[key] = replace(told[key], elsewhere=numbers)
    arbiters = arbiters_of(table.section.event) if named else []
    return section_files.FiledPlay(table.section, entries, table.games, table.byes, told, arbiters)


def _numbers_elsewhere(
    table: CrossTable, entries: Iterable[section_files.FiledEntry]
) -> dict[int, dict[str, str]]:
    """The numbers in other registers that a file may give of entrants, by the entry's key and by kind."""
    office = table.section.event.federation
    kinds = [
        kind.code
        for kind in equipment_of(office.ruleset).office.id_kinds
        if kind.code in section_files.ELSEWHERE
    ]
    people = {entry.pk: entry.person for entry in entries if entry.person}
    if not kinds:
        return {}
    found = defaultdict[int, dict[str, str]](dict)
    ids = Identifier.objects.filter(
        federation=office, kind__in=kinds, player__in={each.pk for each in people.values()}
    )
    for player, kind, value in ids.order_by("pk").values_list("player", "kind", "value"):
        found[player].setdefault(kind, value)
    return {pk: found[each.pk] for pk, each in people.items() if table.limits.foreign_id(each)}


def _told(
    table: CrossTable, entry: section_files.FiledEntry, rating: Decimal | None
) -> section_files.ToldEntrant:
    """The particulars of one entrant that the public may know: no birth and no sex of a child, the number
    alone of whoever is withheld.
    """
    player = entry.person
    score = table.scores[entry.pk] if table.rounds else entry.points or Decimal(0)
    if player is None:
        return section_files.ToldEntrant(entry.surname, score, entry.first_name)
    hidden = player.withheld or not player.name
    return section_files.ToldEntrant(
        surname=player.shown_name if hidden else player.surname,
        score=score,
        first_name="" if hidden else player.first_name,
        number=player.number,
        sex=table.limits.sex(player),
        born=table.limits.year(player),
        title=table.limits.title(player, entry.title),
        nation="" if player.withheld else player.nation,
        team="" if player.withheld else entry.team,
        rating=rating,
    )
