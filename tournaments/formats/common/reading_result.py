"""The content of an event file, before anybody in it is matched with the register.

Every reader returns a `Reading`; nothing else crosses from the formats to the office. All of it is frozen,
compares by what it says (not by the line it stands on), and survives `reading_as_json.dump` and `load`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal

Sex = Literal["m", "f"]
Role = Literal["chief", "deputy"]
Result = Literal["1-0", "0-1", "1/2", "+:-", "-:+", "-:-", "0-0", "annulled"]
ByeKind = Literal["pairing", "full", "half", "zero"]
Level = Literal["blocks", "asks", "notice"]
Param = str | int
PROVISIONAL = "-provisional"
"""The end of a kind of ids that a pairing program gave before the register of that kind did."""


@dataclass(frozen=True, slots=True)
class Official:
    """An arbiter, the chief first and the deputies in the file's order. Title and id are taken out of
    free text: a person confirms them.
    """

    name: str
    title: str = ""
    fide_id: str = ""
    role: Role = "chief"
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class National:
    """A player's data from the line of a national federation (TRF26, `RSA    1 …`)."""

    federation: str
    identifier: str | None = None
    rating: int | None = None
    region: str = ""
    title: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class OtherId:
    """A player's number or name elsewhere; `kind`: `USCF`, or the platform that was played on."""

    kind: str
    value: str

    @property
    def is_provisional(self) -> bool:
        """Whether a pairing program gave it, before the register of that kind did."""
        return self.kind.endswith(PROVISIONAL)


@dataclass(frozen=True, slots=True)
class SheetPlayer:
    """One player's line. `name` is as filed; `surname` is all of it if the file does not divide it."""

    start_number: int
    name: str
    surname: str = ""
    first_name: str = ""
    sex: Sex | None = None
    title: str = ""
    rating: int | None = None
    federation: str = ""
    identifier: str | None = None
    born: int | None = None
    """Year of birth."""
    birth: date | None = None
    """The whole day, if the file gives it."""
    points: Decimal = Decimal(0)
    place: int | None = None
    """Final place; players who share it have the same."""
    discs: int | None = None
    """Discs of the whole event, if they break ties."""
    adjusted: Decimal = Decimal(0)
    """The part of the points that was given or taken apart from the results."""
    national: tuple[National, ...] = ()
    other_ids: tuple[OtherId, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SheetGame:
    """Two start numbers and a result in the codes of the journal; `first` moves first (white in chess)."""

    round: int
    first: int
    second: int
    result: Result
    short: bool = False
    """Decided before each side had moved (TRF `W`, `L`), so that the loser's forfeit is excused."""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SheetBye:
    round: int
    player: int
    kind: ByeKind
    line: int = field(default=0, compare=False)
    blank: bool = field(default=False, compare=False)
    """The file leaves the round blank, and says nothing of an absence."""


@dataclass(frozen=True, slots=True)
class Team:
    name: str
    members: tuple[int, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PointValue:
    """The points of an event for a kind of result, if unusual. The codes are JaVaFo's: `WW`, `ZPB`."""

    code: str
    points: Decimal


@dataclass(frozen=True, slots=True)
class Hand:
    """A program's way to fill the columns of a TRF that the format leaves free."""

    male: str = "m"
    female: str = "w"
    no_sex: str = ""
    no_rating: str = ""
    no_id: str = ""
    ids_left: bool = False
    titles_left: bool = False
    zero_filled: bool = False
    """Opponents are written with leading zeros: `0002`."""
    free: str = "0000 -"
    """Text before the code of a bye."""


@dataclass(frozen=True, slots=True)
class Unused:
    """A line that no reader here understands; it is kept and shown."""

    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One section as a file gives it. Rows and byes in the file's order, games by round and order of play."""

    dialect: str = ""
    """The program that wrote it: `Swiss-Manager`, `Vega`, or the bare name of the format."""
    family: str = field(default="trf", compare=False)
    """The kind of file: a `FileKind.code`, or `table_file.TABLE`."""
    name: str = ""
    city: str = ""
    federation: str = ""
    starts: date | None = None
    ends: date | None = None
    players_declared: int | None = field(default=None, compare=False)
    """Checks the file, and says nothing of the section."""
    kind: str = ""
    """The format of play, in the file's own words (TRF 092)."""
    kind_code: str = ""
    """The same in TRF26's code (192): `FIDE_DUTCH`."""
    arbiters: tuple[Official, ...] = ()
    time_text: str = ""
    """The time control, in the file's own words (TRF 122)."""
    time_code: str = ""
    """The same in TRF26's code (222), in seconds: `40/6000+30:900+30`."""
    rounds: int | None = None
    """Scheduled rounds; None if the file does not say."""
    rounds_played: int = 0
    """The last round that has a game, finals apart."""
    finals: tuple[str, ...] = ()
    """The names of rounds beside the scheduled ones, such as finals: their games have the next numbers."""
    round_dates: tuple[date | None, ...] = ()
    """One day a round, as many as are scheduled (or played, if nobody says)."""
    rows: tuple[SheetPlayer, ...] = ()
    games: tuple[SheetGame, ...] = ()
    byes: tuple[SheetBye, ...] = ()
    teams: tuple[Team, ...] = ()
    point_values: tuple[PointValue, ...] = ()
    unused: tuple[Unused, ...] = ()
    encoding: str = field(default="ascii", compare=False)
    hand: Hand | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FileFinding:
    """A reader's complaint, question or notice about a file. Its words are `messages.MESSAGES[key]`."""

    level: Level
    """`blocks`: the file must be put right. `asks`: a person must supply or decide. `notice`: worth knowing.
    """
    key: str
    line: int | None = None
    column: int | None = None
    params: Mapping[str, Param] = field(default_factory=dict)
    where: str = ""
    """The cell, in a workbook: `Games!D7`."""


@dataclass(frozen=True, slots=True)
class FileAdjustment:
    """Something changed, assumed or left out between the file and the sheet; `before` is as filed."""

    key: str
    line: int | None
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Reading:
    sheet: Sheet | None
    findings: tuple[FileFinding, ...] = ()
    adjustments: tuple[FileAdjustment, ...] = ()
    quotes: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The lines of a text that findings, players and games stand on, by their numbers: pages quote them."""

    @property
    def blocked(self) -> bool:
        return self.sheet is None or any(finding.level == "blocks" for finding in self.findings)
