"""FIDE's lists of players: read as a stream, and compared with the register."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import IO, NamedTuple
from zipfile import BadZipFile, ZipFile

from defusedxml.ElementTree import iterparse

from players.models import Federation, Identifier, Player
from players.names import fold
from players.register_table import FIDE, id_column
from ratings.rulesets.downloads import FIDE_SHORT_TITLES, fide_text_columns, is_fide_text_list
from ratings.rulesets.particulars import can_be_registered, is_birth_given, is_same_nation


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


HEADINGS = (
    *(("ID Number", "ID number"), ("Name",), ("Fed",), ("Sex", "Flag"), ("Tit", "Titl"), ("WTit",)),
    ("B-day", "Born"),
)
"""The headings of what `_person` takes, in TXT; in the former format for Swiss-Manager and SwissPerfect women
have a flag.
"""
_YEAR = re.compile(r"(1[89]|20)[0-9]{2}")
_LONGEST_LINE = 4_000
"""The most bytes that are read as a line; FIDE's are shorter."""


def read_list(path: Path) -> Iterator[FidePerson]:
    """Yield the players of a FIDE list, which may be zipped. Raises `NotAList`, or OSError."""
    with _open_list(path) as file:
        start = file.peek(200).lstrip()  # type: ignore[attr-defined]
        if start.startswith((b"<", b"\xef\xbb\xbf<")):
            yield from _people_of_xml(file)
        else:
            columns = _columns(file.readline(_LONGEST_LINE).decode("latin-1"))
            for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
                text = line.decode("utf-8", "replace")
                if text[columns[0]].strip().isdecimal():
                    yield _person(*(text[part] for part in columns))


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


def _columns(head: str) -> list[slice]:
    if not is_fide_text_list(head):
        raise NotAList("its first line is not that of FIDE's TXT: ID Number, Name, Fed, …, B-day")
    places = dict(fide_text_columns(head))
    return [next((places[name] for name in names if name in places), slice(0, 0)) for names in HEADINGS]


def _people_of_xml(file: IO[bytes]) -> Iterator[FidePerson]:
    """Yield the players of an XML list. Each element is freed once read; DTDs and entities are refused."""
    from xml.etree.ElementTree import ParseError

    root = None
    try:
        for event, element in iterparse(file, events=("start", "end"), forbid_dtd=True):
            if root is None:
                root = element
                if root.tag != "playerslist":
                    raise NotAList(f"its XML begins with <{root.tag}>, not with <playerslist>")
            if event == "end" and element.tag == "player":
                given = {child.tag: child.text or "" for child in element} | element.attrib
                values = {name.lower(): value for name, value in given.items()}
                keys = ("fideid", "name", "country", "sex", "title", "w_title", "birthday")
                yield _person(*(values.get(key, "") for key in keys))
                root.clear()
    except NotAList:
        raise
    except (ParseError, ValueError, LookupError) as error:  # defusedxml's, and those of odd encodings
        raise NotAList(f"its XML is damaged: {type(error).__name__}") from error


def _person(
    fide_id: str, name: str, country: str, sex: str, title: str, woman_title: str, birthday: str
) -> FidePerson:
    surname, _comma, first_name = name.partition(",")
    sex = sex.strip().upper()
    title = title.strip() or woman_title.strip()
    year = _YEAR.match(birthday.strip())
    born = int(year[0]) if year and is_birth_given(year[0]) else None
    return FidePerson(
        fide_id=fide_id.strip(),
        surname=surname.strip(),
        first_name=first_name.strip(),
        country=country.strip(),
        sex="m" if sex == "M" else "f" if sex[:1] in ("F", "W") else "",
        title=FIDE_SHORT_TITLES.get(title.lower(), title.upper())[:5],
        born=born,
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
