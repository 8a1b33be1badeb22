"""The cross table of a section: entrants by place, their rounds, and rating changes of one track."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from django.db.models import Exists, OuterRef, Q
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_noop, pgettext

from players.models import Federation, Identifier, Player
from ratings.disclosure import get_named_players, limits_of, list_public_arbiters, tell_apart
from ratings.journal import build_foldable_fact
from ratings.models import Change, Fact
from ratings.results import state_before, state_before_folded
from ratings.rulesets.facts import PLAYED, Needs, PlayerId, RatedSection, State
from ratings.rulesets.profile import Notation, equipment_of
from ratings.rulesets.ruleset import CONTEXT
from ratings.statement import Movement, SectionMovement, read_section
from tournaments import section_files
from tournaments.findings import describe_finding
from tournaments.models import Bye, Entry, Game, Section, Stage
from tournaments.places import find_places_against_points, score_by_entry

# ---- The cells of the rounds
#
# A section of 200 players has 1,800 cells, each shown twice. They hold texts in parts, of which there are
# few, so that a page escapes each part once.
GAME_KINDS = {Decimal(1): "won", Decimal("0.5"): "drawn", Decimal(0): "lost"}


class RoundCell(NamedTuple):
    mark: str = "–"
    """The result alone, without the opponent's number."""
    said: tuple[str, str, str] = ("", "", "")
    """Words for screen readers and the pointer: before the opponent's name, the name, after it."""
    kind: str = "unplayed"
    form: tuple[str, str] = ("", "")
    """The address of the form to report a mistake, as two parts: the round's and the entrant's."""
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


EMPTY_CELLS = (RoundCell(),)
"""The cells of an entrant who played nothing in a round."""


def game_mark_and_style(result: str, side: int, notation: Notation) -> tuple[str, str]:
    """The mark and style of a game in a cell, from one side (0 or 1): `1` won, `+` won by forfeit."""
    kind = GAME_KINDS[PLAYED[result][side]] if result in PLAYED else "unplayed"
    return notation.marks[result][side], kind


def bye_cell(bye: Bye, notation: Notation) -> RoundCell:
    words = {
        "pairing": _("allocated bye"),
        "full": _("full-point bye"),
        "half": _("half-point bye"),
        "zero": _("not paired"),
    }
    kind = words.get(bye.kind, bye.kind)
    return RoundCell(bye_mark(bye.kind, notation), (kind, "", ""), met=((kind, ""),))


def bye_mark(kind: str, notation: Notation) -> str:
    """The mark of a round without an opponent: a sign, or a word short enough for a cell."""
    mark = notation.byes.get(kind, kind)
    return pgettext("a mark in a cross table", "bye") if mark == "bye" else mark


def join_cells(cells: Sequence[RoundCell]) -> RoundCell:
    """Join the cells of all that one entrant played in a round; an empty cell if that is nothing."""
    if len(cells) < 2:
        return cells[0] if cells else EMPTY_CELLS[0]
    texts, words = (
        ", ".join(filter(None, parts)) for parts in zip(*((c.text, c.words) for c in cells), strict=True)
    )
    met = tuple(dict.fromkeys(each for cell in cells for each in cell.met))
    return RoundCell(texts, (words, "", ""), cells[-1].kind, cells[-1].form, met=met)


# ---- The table
R = TypeVar("R", Game, Bye)
Figures = tuple[Mapping[PlayerId, Decimal], Sequence[SectionMovement]]
"""The performances by the player's number, and what the section moved, in one track."""
KeepFigures = Callable[[str, Callable[[], Figures]], Figures]
Seat = tuple[str, tuple[tuple[str, str]], str]
NO_FORM = ("", "")
TIE_BREAKS = {"discs": gettext_noop("%(count)s discs")}


@dataclass(slots=True)
class EntrantRow:
    """One entrant's row, as `components/cross_table.html` shows it."""

    place: int | None
    """The row's number, to which cells refer; without games the place."""
    name: str
    url: str
    title: str
    note: str
    movement: Movement | None
    """None: the section changed no rating of theirs."""
    score: str
    tie_breaks: list[str]
    performance: Decimal | None
    working_url: str
    cells: list[RoundCell] = field(default_factory=list)
    marks: str = ""
    """The results of all rounds in one line: `1 ½ 0 +`."""
    number: str = ""
    """The player's, by which the row can be linked to; empty if unknown."""

    @property
    def rating(self) -> Decimal | None:
        """The rating just before the section."""
        return self.movement.before.rating if self.movement else None


class CrossTable:
    """The cross table of a section with the changes in one track: the given one, or the first it moved."""

    def __init__(
        self,
        section: Section,
        rated: Fact | None,
        track: str = "",
        *,
        keep: KeepFigures | None = None,
        mends: bool = False,
    ) -> None:
        """`keep`: a cache that returns the value kept under a name, or computes it. `mends`: whether the
        reader corrects sections, so that games lead to that page and not to the report of a mistake.
        """
        self.section, self.rated = section, rated
        self.office = section.event.federation
        self.limits = limits_of(self.office)
        self.games = list(section.games.all())
        self.byes = list(section.byes.all())
        changes = rated.changes.order_by() if rated else Change.objects.none()
        moved = set(changes.values_list("track", flat=True).distinct())
        self.tracks = [each for each in self.office.ruleset.tracks if each.code in moved]
        self.track = next((each for each in self.tracks if each.code == track), next(iter(self.tracks), None))
        self.notation = self.office.publication.notation
        self.scores = score_by_entry(self.office, section, self.games, self.byes)
        self.mends = mends and section.stage in (Stage.SUBMITTED, Stage.RATED)
        page = reverse("ratings:report", args=[self.office.code])
        self.form_url = (
            f"{page}?section={quote(section.key, safe='')}&" if section.stage == Stage.RATED else ""
        )
        if self.mends:
            self.form_url = (
                f"{reverse('ratings:mend', args=[self.office.code, section.event.number, section.code])}?"
            )
        self.entries = sorted(section_files.list_entries(section), key=self._sort_key)
        tell_apart(self.office, [entry.person for entry in self.entries if entry.person])
        self.number = {entry.pk: number for number, entry in enumerate(self.entries, start=1)}
        name = f"figures {rated and rated.pk} {self.track and self.track.code}"
        computed = keep(name, self._compute_figures) if keep else self._compute_figures()
        self.performances, self.movements = computed

    @cached_property
    def rounds(self) -> range:
        """The numbers of the rounds, as columns; empty where only places were filed."""
        played = [game.round for game in self.games] + [bye.round for bye in self.byes]
        if not played:
            return range(0)
        return range(1, max([self.section.rounds or 0, *played]) + 1)

    @property
    def names_of_rounds(self) -> list[str]:
        """The heads of the rounds' columns: numbers, then the names of finals."""
        return [self.section.name_of_round(number) for number in self.rounds]

    @cached_property
    def rows(self) -> list[EntrantRow]:
        moved = {each.player: each for each in self.movements}
        cells = self._cells()
        return [self._row(entry, moved, cells[entry.pk]) for entry in self.entries]

    @cached_property
    def places_against_points(self) -> list[str]:
        """Sentences on places that contradict the points."""
        points = (
            {entry.number: self.scores[entry.pk] for entry in self.entries}
            if self.rounds
            else {entry.number: entry.points for entry in self.entries if entry.points is not None}
        )
        names = {pk: met[0][0] for pk, (_number, met, _report) in self._seats.items()}
        found = find_places_against_points(self.section, self.entries, points, lambda entry: names[entry.pk])
        return [describe_finding(each, self.office.ruleset) for each in found]

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
        """The decimals of performances: 0, or more for small ratings; None if there are no performances."""
        decimals = self.office.publication.decimals
        return (decimals if decimals > 1 else 0) if self.performances else None

    @property
    def absent(self) -> list[tuple[Player, SectionMovement]]:
        """What moved in this track for players who are not entered: missing a section may cost points."""
        entered = set(self._player_numbers.values())
        moved = {each.player: each for each in self.movements if each.player not in entered}
        people = get_named_players(self.office, moved).values()
        found = sorted(people, key=lambda player: (player.withheld, player.sort_key, player.number))
        return [(each, moved[each.number]) for each in found]  # by name, their place would tell it

    @cached_property
    def _player_numbers(self) -> Mapping[int, PlayerId]:
        """The numbers of the entrants by their keys in the database."""
        return {entry.person.pk: entry.person.number for entry in self.entries if entry.person}

    def _compute_figures(self) -> Figures:
        """Compute performances, which are never stored, and read what the section moved."""
        if self.rated is None or self.track is None or self.rated.order is None:
            return {}, []
        fact, track = build_foldable_fact(self.rated), self.track.code
        assert isinstance(fact, RatedSection)  # a `rated` line
        rules = self.office.ruleset.rules_for(fact)
        state = self._state_before(self.rated.order, rules.needs(fact), track)
        with localcontext(CONTEXT):
            performances = rules.compute_performances(state, fact, track)
        return performances, read_section(self.rated, track)

    def _state_before(self, order: int, players: Collection[PlayerId] | Needs, track: str) -> State[Any]:
        if not isinstance(players, Needs) and set(players) <= set(self._player_numbers.values()):
            return state_before_folded(self.office, order, self._player_numbers, track)
        return state_before(self.office, order, players, track=track)

    def _sort_key(self, entry: Entry) -> tuple[int, Decimal, int, int]:
        """Place as filed, none at the end; then score, filed rating and starting number."""
        return (entry.place or 1_000_000, -self.scores[entry.pk], -(entry.rating or 0), entry.number)

    def _row(
        self,
        entry: Entry,
        moved: Mapping[PlayerId, SectionMovement],
        cells: dict[int, list[RoundCell]],
    ) -> EntrantRow:
        player = entry.person
        change = moved.get(player.number) if player else None
        line = self.rated.number if self.rated and change and change.own else None
        played = [cells.get(number) or EMPTY_CELLS for number in self.rounds]
        _number, ((name, url),), _said = self._seats[entry.pk]
        return EntrantRow(
            place=self.number[entry.pk] if self.rounds else entry.place,
            name=name,
            url=url,
            title=self.limits.title(player, entry.title) if player else "",
            note="" if player and player.withheld else entry.team,
            movement=change.movement if change else None,
            score=self.notation.score(self.scores[entry.pk]) if self.rounds else format_points(entry.points),
            tie_breaks=self._tie_breaks(entry),
            performance=self.performances.get(player.number) if player else None,
            working_url=f"{url}{change.track}/{line}/" if change and line else "",
            cells=[each[0] if len(each) == 1 else join_cells(each) for each in played],
            marks=" ".join([cell.mark for each in played for cell in each]),
            number=player.number if player else "",
        )

    def _tie_breaks(self, entry: Entry) -> list[str]:
        """The tie-breaks of an entry that the federation shows, in words with their values."""
        known = {name: getattr(entry, name) for name in self.office.publication.tie_breaks}
        return [_(TIE_BREAKS[name]) % {"count": count} for name, count in known.items() if count is not None]

    def _cells(self) -> dict[int, dict[int, list[RoundCell]]]:
        """The cells by entry's key and round; a list for each round, as two may play twice in one."""
        cells: dict[int, dict[int, list[RoundCell]]] = {pk: {} for pk in self.number}
        for game in self.games:
            for own, cell in zip((game.first_id, game.second_id), self.played(game), strict=True):
                cells[own].setdefault(game.round, []).append(cell)
        for bye in self.byes:
            cells[bye.entry_id].setdefault(bye.round, []).append(bye_cell(bye, self.notation))
        return cells

    def played(self, game: Game) -> tuple[RoundCell, RoundCell]:
        """The cells of both entrants for a game, the first mover's first."""
        number, met, seat = self._seats[game.first_id]
        other, other_met, other_seat = self._seats[game.second_id]
        (mark, kind), (other_mark, other_kind) = self._marks[game.result]
        before, after, report = self._round_words[game.round]
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
        return {
            each: tuple(game_mark_and_style(each, side, self.notation) for side in (0, 1)) for each in results
        }

    @cached_property
    def _seats(self) -> Mapping[int, Seat]:
        """By an entry's key: the row's number, the name and address, and the query for a report."""
        found = {}
        people_url = f"{self.office.get_absolute_url()}players/"
        for entry in self.entries:
            player = entry.person
            url = f"{people_url}{quote(player.number, safe='')}/" if player else ""
            met = ((player.shown_name if player else entry.name, url),)
            found[entry.pk] = str(self.number[entry.pk]), met, f"&entry={entry.number}"
        return found

    @cached_property
    def _round_words(self) -> Mapping[int, tuple[str, str, str]]:
        """By round, its cells' words before and after the opponent's name, and the address of a report."""
        words = _("round %(round)s against %(name)s")
        if self.mends:
            words = _("round %(round)s against %(name)s; correct this game")
        elif self.form_url:
            words = _("round %(round)s against %(name)s; report a mistake in this game")
        found = {}
        for number in {game.round for game in self.games}:
            before, _name, after = (words % {"round": number, "name": "\0"}).partition("\0")
            found[number] = before, after, f"{self.form_url}round={number}" if self.form_url else ""
        return found

    @cached_property
    def _letters(self) -> list[str]:
        """The letters of both sides, the first mover's first: `w` and `b`."""
        return [_(side)[:1] for side in self.office.publication.sides]


def get_score_texts(office: Federation, entries: Iterable[Entry]) -> dict[int, str]:
    """The score of each entry as its section's cross table shows it, by the entry's key; may be empty."""
    own = list(entries)
    keys = [entry.pk for entry in own if entry.section.format != "placement"]
    if not keys:  # places alone, no games
        return {entry.pk: format_points(entry.points) for entry in own}
    games = Game.objects.filter(Q(first__in=keys) | Q(second__in=keys)).order_by()
    byes = Bye.objects.filter(entry__in=keys).order_by()
    played = group_by_section(games.only("section_id", "first_id", "second_id", "result"))
    idle = group_by_section(byes.only("section_id", "entry_id", "kind"))
    of_section = {entry.section_id: entry.section for entry in own}
    scores = {pk: score_by_entry(office, each, played[pk], idle[pk]) for pk, each in of_section.items()}
    score_text = office.publication.notation.score
    sections = Section.objects.filter(pk__in=of_section)
    with_rounds = set(sections.filter(_has_any(Game) | _has_any(Bye)).values_list("pk", flat=True))
    return {
        entry.pk: score_text(scores[entry.section_id][entry.pk])
        if entry.section_id in with_rounds
        else format_points(entry.points)
        for entry in own
    }


def _has_any(model: type[Game | Bye]) -> Exists:
    return Exists(model._default_manager.filter(section=OuterRef("pk")))


def group_by_section(rows: Iterable[R]) -> dict[int, list[R]]:
    """Group games, byes or other rows by their section's key; a key without rows gives an empty list."""
    found: dict[int, list[R]] = defaultdict(list)
    for row in rows:
        found[row.section_id].append(row)
    return found


def format_points(points: Decimal | None) -> str:
    return f"{points.normalize():f}" if points else ""


# ---- The play of a section for public files
STANDINGS = "standings"
FILE_SUFFIXES = {
    **dict.fromkeys(section_files.TRF_STYLES, "trf"),
    section_files.ELO: "elo",
    **dict.fromkeys((section_files.TABLE, STANDINGS, *section_files.PLACE_WRITERS), "csv"),
}
"""The suffix of each layout's file, by the layout's code."""


def public_play(table: CrossTable, *, include_people: bool = True) -> section_files.SectionPlay:
    """A section's play with what the public may know of its entrants; `include_people`: whether people are in
    it.
    """
    entries = sorted(table.entries, key=lambda entry: entry.number)
    ratings = (
        {entry.pk: row.rating for entry, row in zip(table.entries, table.rows, strict=True)}
        if include_people
        else {}
    )
    people = {
        entry.pk: _public_entrant(table, entry, ratings[entry.pk]) for entry in entries if include_people
    }
    for key, numbers in _numbers_elsewhere(table, entries).items() if include_people else ():
        people[key] = replace(people[key], elsewhere=numbers)
    arbiters = list_public_arbiters(table.section.event) if include_people else []
    return section_files.SectionPlay(table.section, entries, table.games, table.byes, people, arbiters)


def _numbers_elsewhere(table: CrossTable, entries: Iterable[Entry]) -> dict[int, dict[str, str]]:
    """The numbers in other registers that a file may give of entrants, by the entry's key and by kind."""
    office = table.section.event.federation
    kinds = [
        kind.code
        for kind in equipment_of(office.ruleset).office.id_kinds
        if kind.code in section_files.FOREIGN_ID_KINDS
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
    return {pk: found[each.pk] for pk, each in people.items() if table.limits.can_show_foreign_id(each)}


def _public_entrant(table: CrossTable, entry: Entry, rating: Decimal | None) -> section_files.PublicEntrant:
    """What the public may know of an entrant: no birth or sex of a child, no name if withheld."""
    player = entry.person
    score = table.scores[entry.pk] if table.rounds else entry.points or Decimal(0)
    if player is None:
        return section_files.PublicEntrant(entry.surname, score, entry.first_name)
    hidden = player.withheld or not player.name
    return section_files.PublicEntrant(
        surname=player.shown_name if hidden else player.surname,
        score=score,
        first_name="" if hidden else player.first_name,
        number=player.number,
        sex=table.limits.sex(player),
        born=table.limits.year(player),
        title=table.limits.title(player, entry.title),
        nation=table.limits.nation(player),
        team="" if player.withheld else entry.team,
        rating=rating,
    )
