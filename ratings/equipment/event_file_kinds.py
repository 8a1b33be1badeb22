"""The kinds of event files that federations read, as data: pages offer these, and refuse others."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.law.translation_marks import gettext_noop as _

TABLE = "table"
"""The plain table, which every federation reads and no ruleset names."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """A program or form that makes event files of a kind."""

    name: str
    """The name of a program, or of the form's author."""
    help: str
    """The choice to make in the program, or the form to take."""
    by_description: bool = False
    """Whether our reader was made from a description alone, without a real file."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of event files that a federation may read, with where they come from."""

    code: str
    """The code as the reader has it (`Sheet.family`)."""
    name: str
    """The short name on pages where files are dropped: `TRF16, TRF26`."""
    sources: tuple[FileSource, ...] = ()
    instead: str = ""
    """The file of the same event to take instead, where a federation does not read this; empty: none."""


TRF = FileKind(
    "trf",
    "TRF16, TRF26",
    (
        FileSource("Swiss-Manager", _("Extras, then FIDE data export TRF16")),
        FileSource("Vega", _("the report for FIDE in TRF16")),
        FileSource("Sharly-Chess, Tornelo", _("the report in TRF26"), by_description=True),
        FileSource("Lichess", _("a Swiss tournament’s TRF"), by_description=True),
    ),
)
ELO = FileKind(
    "elo",
    ".ELO",
    (
        FileSource(
            "PAPP, Othello Storm",
            _("the .ELO file, as it is sent to the World Othello Federation"),
            by_description=True,
        ),
    ),
)
EMA = FileKind(
    "ema",
    "EMA",
    (
        FileSource(
            "European Mahjong Association",
            _("its result sheet of 19 columns, as CSV or XLSX"),
            by_description=True,
        ),
    ),
)
PORTAL = FileKind(
    "portal",
    _("mahjong portal"),
    (
        FileSource(
            _("Mahjong portal"),
            _("the table of results: place, name, scores, games, ema, load_player"),
            by_description=True,
        ),
    ),
)
SWISS_MANAGER = FileKind(
    "swiss-manager",
    _("Swiss-Manager’s text tables"),
    (
        FileSource(
            "Swiss-Manager",
            _("Extras, then data import/export: player data and pairings as text files, both in one ZIP"),
            by_description=True,
        ),
    ),
)
CROSS_TABLE = FileKind(
    "cross-table",
    _("cross table"),
    (
        FileSource(
            "Chess-Results, Swiss-Manager",
            _("the cross table with the rounds, as XLSX or CSV"),
            by_description=True,
        ),
    ),
)
LICHESS_RESULTS = FileKind(
    "lichess-results",
    _("Lichess results"),
    (FileSource("Lichess", _("a Swiss tournament’s results, places alone"), by_description=True),),
    instead=_(
        "This file has results without games, but games are rated here. Use the TRF of the same tournament: "
        "add .trf to the address of its page, https://lichess.org/swiss/…"
    ),
)
KINDS = {kind.code: kind for kind in (TRF, ELO, EMA, PORTAL, SWISS_MANAGER, CROSS_TABLE, LICHESS_RESULTS)}
