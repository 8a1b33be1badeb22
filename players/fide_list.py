"""FIDE's lists of players: read as a stream, and compared with the register."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile

from players.models import Federation, Identifier, Player
from players.names import fold
from players.register_table import (
    FIDE,
    RowProblem,
    describe_problem,
    id_column,
    parse_birth,
    read_headings,
)
from ratings.rulesets.downloads import is_fide_text_list
from ratings.rulesets.particulars import SEXES, can_be_registered, is_birth_given, is_same_nation
from tournaments.formats import player_lists
from tournaments.formats.tables import WorkbookRefused


class NotAList(ValueError):
    """A file is none of FIDE's lists; the message says why."""


class FidePerson(NamedTuple):
    """A player on one of FIDE's lists."""

    fide_id: str
    surname: str
    first_name: str
    country: str
    sex: str
    """`m`, `f`, or empty."""
    title: str
    """The highest title: `GM` before `WGM`."""
    born: int | None


_LONGEST_LINE = 4_000
"""The most bytes that are read as a line; FIDE's are shorter."""
_PART = 1 << 16


def read_list(path: Path) -> Iterator[FidePerson]:
    """Yield the players of a FIDE list, which may be zipped. Raises `NotAList`, or OSError."""
    with _open_list(path) as file:
        if player_lists.is_fide_xml(file.peek(1_000)):  # type: ignore[attr-defined]
            rows = player_lists.read_fide_xml(iter(partial(file.read, _PART), b""))
        else:
            lines = iter(partial(file.readline, _LONGEST_LINE), b"")
            head = next(lines, b"").decode("latin-1")
            if not is_fide_text_list(head):
                raise NotAList("its first line is not that of FIDE's TXT: ID Number, Name, Fed, …, B-day")
            texts = (line.decode("utf-8", "replace").rstrip("\r\n") for line in lines)
            rows = player_lists.read_fide_text(enumerate(chain([head], texts), 1))
        try:
            columns = read_headings(next(rows)[1], kinds=())
            if isinstance(columns, RowProblem):
                raise NotAList(describe_problem(columns.as_dict()).rstrip("."))
            for _line, cells in rows:
                values = {name: cells[at] for at, name in columns[0].items()}
                fide_id = values.get(id_column(FIDE)) or values.get("number", "")
                if fide_id.isdecimal():
                    yield _person(fide_id, values)
        except WorkbookRefused as refused:
            raise NotAList(describe_problem({"key": refused.key}).rstrip(".")) from refused


@contextmanager
def _open_list(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as file:
        if file.peek(4)[:4] != b"PK\x03\x04":
            yield file
            return
        try:
            with ZipFile(file) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/")]
                if len(names) != 1:
                    raise NotAList(f"the archive holds {len(names)} files; a FIDE list is alone in its own")
                with archive.open(names[0]) as member:
                    yield member
        except BadZipFile as error:
            raise NotAList("the archive is damaged; download it again") from error


def _person(fide_id: str, values: Mapping[str, str]) -> FidePerson:
    surname, _comma, first_name = values.get("name", "").partition(",")
    birth = parse_birth(values.get("birth", "")) or ""
    return FidePerson(
        fide_id=fide_id,
        surname=surname.strip(),
        first_name=first_name.strip(),
        country=values.get("nation", ""),
        sex=SEXES.get(values.get("sex", "").casefold(), ""),
        title=values.get("title", "").upper()[:5],
        born=int(birth[:4]) if is_birth_given(birth) and int(birth[:4]) else None,
    )


# ---- Comparing the register with FIDE's list
REPORT_EVERY = 100_000
"""The number of people on the list between two reports of progress."""


FideDifference = tuple[str, str, str, str, bool]
"""A difference between the register and FIDE's list: the player's number, what differs (`title`, `sex`,
`born`, `name`, `link`), before, after, and whether it is taken over when written, or only reported.
"""


@dataclass(slots=True)
class FideComparison:
    people: int = 0
    """The number of people on the list."""
    known: int = 0
    """The number of the register's players with a FIDE id who are on the list."""
    missing: int = 0
    """The number of those who are not on the list."""
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    differences: list[FideDifference] = field(default_factory=list)
    taken: dict[int, dict[str, tuple[str, str]]] = field(default_factory=lambda: defaultdict(dict))
    """The particulars taken over: before and after, by the player's primary key and by column."""


class _RegisteredPlayer(NamedTuple):
    key: int
    number: str
    surname: str
    first_name: str
    sex: str
    born: int | None
    title: str


_FIELDS = ("pk", "number", "name_key", "first_name", "sex", "born", "title")


def compare_with_fide_list(
    federation: Federation,
    people: Iterable[FidePerson],
    *,
    on: date,
    link_by_name: bool = False,
    on_progress: Callable[[int], None] = lambda people: None,
) -> FideComparison:
    """Compare an office's register with FIDE's list, read once. `on`: the day, by which a birth that cannot
    be is only reported. `on_progress` gets the number of people read so far. `link_by_name`: a player without
    a FIDE id gets that of the one person of the country with the same name and year of birth.
    """
    found = FideComparison()
    fields = [f"player__{name}" for name in _FIELDS]
    held = Identifier.objects.filter(federation=federation, kind=FIDE)
    register = {value: _RegisteredPlayer(*player) for value, *player in held.values_list("value", *fields)}
    unlinked = _players_without_ids(federation, set(register.values()))
    matches: dict[int, list[FidePerson]] = defaultdict(list)
    kept = {player.key: player for players in unlinked.values() for player in players}
    seen = 0
    for person in people:
        found.people += 1
        if found.people % REPORT_EVERY == 0:
            on_progress(found.people)
        if player := register.get(person.fide_id):
            seen += 1
            # The title is FIDE's to give, so it is taken over; an unknown sex and birth are filled in; other
            # differences are reported.
            if person.title and person.title != player.title:
                _note_difference(found, player, "title", player.title, person.title, column="title")
            if person.sex and person.sex != player.sex:
                column = "" if player.sex else "sex"
                _note_difference(found, player, "sex", player.sex, person.sex, column=column)
            if person.born and person.born != player.born:
                taken = not player.born and can_be_registered(str(person.born), on)
                column, before = "birth" if taken else "", str(player.born or "")
                _note_difference(found, player, "born", before, str(person.born), column=column)
            if fold(person.surname) != player.surname or fold(person.first_name) != fold(player.first_name):
                _note_difference(found, player, "name", "", f"{person.surname}, {person.first_name}")
        elif person.born and is_same_nation(person.country, federation.ruleset.country):
            for other in unlinked.get((fold(person.surname), fold(person.first_name), person.born), ()):
                matches[other.key].append(person)
    found.known, found.missing = seen, len(register) - seen
    _link(found, matches, kept, taken=link_by_name)
    return found


def _players_without_ids(
    federation: Federation, linked: set[_RegisteredPlayer]
) -> dict[tuple[str, str, int], list[_RegisteredPlayer]]:
    keys = {player.key for player in linked}
    found: dict[tuple[str, str, int], list[_RegisteredPlayer]] = defaultdict(list)
    players = Player.objects.of(federation).current()
    shown = players.filter(withheld=False, born__isnull=False).order_by()
    for row in shown.values_list(*_FIELDS).iterator(chunk_size=2_000):
        player = _RegisteredPlayer(*row)
        if player.key not in keys and player.born:
            found[player.surname, fold(player.first_name), player.born].append(player)
    return found


def _link(
    found: FideComparison,
    matches: dict[int, list[FidePerson]],
    kept: dict[int, _RegisteredPlayer],
    *,
    taken: bool,
) -> None:
    """Report players without FIDE id beside the people of their name and year (`matches`, by the player's
    primary key); where `taken`, take over the id if nobody else, on either side, has that name and year.
    """
    claims = Counter(person.fide_id for people in matches.values() for person in people)
    for key, people in matches.items():
        alone = len(people) == 1 and claims[people[0].fide_id] == 1
        ids = ", ".join(person.fide_id for person in people)
        column = id_column(FIDE) if taken and alone else ""
        _note_difference(found, kept[key], "link", "", ids, column=column)


def _note_difference(
    found: FideComparison, player: _RegisteredPlayer, what: str, before: str, after: str, *, column: str = ""
) -> None:
    """Note a difference; `column`: the column that takes over the list's value, if any."""
    found.counts[what, bool(column)] += 1
    found.differences.append((player.number, what, before, after, bool(column)))
    if column:
        found.taken[player.key][column] = (before, after)
