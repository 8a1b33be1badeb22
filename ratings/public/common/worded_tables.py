"""Puts the rules' tables into words: players, events and clauses become links, message keys messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.http import QueryDict
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as later

from players.drawing.decimal_sign import with_own_sign
from players.office.models import Federation
from players.register.models import Player
from ratings.equipment.downloads import csv_bytes, disarmed
from ratings.journal.models import Fact
from ratings.law.journal import plain
from ratings.law.rule_outputs import RuleTable, Value
from ratings.law.ruleset import Edition, Ruleset
from ratings.results.section_links import sections_of
from ratings.results.workings import clause_url
from tournaments.events.models import Section

PLACES = 4
PAGE = 100
COMMON = {
    "rank": later("Rank"),
    "player": later("Player"),
    "rating": later("Rating"),
    "games": later("Games"),
    "section": later("Event"),
    "clause": later("Clause"),
    "before-the-day": later("The day before"),
    "moved": later("Change"),
}
"""Names of common columns, where a federation's own messages give none."""

Cells = tuple[Value | tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class WordedCell:
    label: str
    """The label of its column, for cards on a phone."""
    words: str
    url: str = ""
    clause: str = ""
    """The clause that the link opens."""
    number: bool = False
    head: bool = False
    """Whether it names its row."""


@dataclass(slots=True)
class WordedTable:
    """A table of the rules as a page shows it, in words, with links to its other pages and its file."""

    name: str
    title: str
    about: str
    columns: list[tuple[str, bool]]
    """The columns, each with whether it holds numbers."""
    rows: list[tuple[list[WordedCell], dict[str, str]]]
    """The cells of each row, and the values that an official's decision on it needs."""
    total: int
    part: str = ""
    confirms: bool = False
    tied: tuple[Player, ...] = ()
    csv: str = ""
    """The address of the whole table as a file."""
    earlier: str = ""
    """The query of the page before; empty if there is none."""
    later: str = ""


@dataclass(frozen=True, slots=True)
class NamesInTables:
    """The people and sections that some rows mention, looked up once for all."""

    office: Federation
    players: Mapping[str, Player]
    sections: Mapping[str, Section]
    """Sections by id, or by the journal's line of their rating."""
    edition: Edition
    """The edition whose clauses the rows cite."""


OF_SECTIONS = (
    *("section__code", "section__name", "section__starts", "section__ends"),
    *("section__event__number", "section__event__name", "section__event__federation"),
)
"""The fields of the sections of rated lines by which a table tells them."""


def names_in(
    office: Federation, tables: Iterable[RuleTable], edition: Edition | None = None
) -> NamesInTables:
    """Look up the people and sections that tables mention, in three queries at most. `edition`: the one whose
    clauses they cite; None: the newest.
    """
    named: dict[str, set[str]] = {"player": set(), "section": set(), "line": set()}
    for table in tables:
        named["player"].update(table.tied)
        for column in named.keys() & set(table.columns):
            at = table.columns.index(column)
            named[column].update(str(row[at]) for row in table.rows)
    people = Player.objects.of(office).filter(number__in=named["player"])
    people = people.select_related("federation").defer("born", "sex")
    players = {player.number: player for player in people} if named["player"] else {}
    sections = sections_of(office, named["section"]) | _rated(office, named["line"])
    return NamesInTables(office, players, sections, edition or office.ruleset.newest)


def _rated(office: Federation, lines: set[str]) -> dict[str, Section]:
    if not lines:
        return {}
    rows = Fact.objects.filter(federation=office, number__in=lines, section__isnull=False)
    found = rows.select_related("section__event").only("number", *OF_SECTIONS)
    sections = {str(row.number): row.section for row in found if row.section}
    for section in sections.values():
        section.event.federation = office
    return sections


# ---------------------------------------------------------------- in words


def worded_tables(office: Federation, tables: Sequence[RuleTable], edition: Edition) -> list[WordedTable]:
    """Put the tables of a rating's working into words, all rows, with clauses cited from that edition."""
    found = names_in(office, tables, edition)
    return [worded_table(table, found, whole=True) for table in tables]


def label_of(key: str, ruleset: Ruleset) -> str:
    """The heading of a column or table in words; a text that is no message key is shown as it is."""
    return _(ruleset.words.messages.get(key) or COMMON.get(key, key)) if key else ""


def worded_table(
    table: RuleTable, names: NamesInTables, query: QueryDict | None = None, *, whole: bool = False
) -> WordedTable:
    """Put one table into words: the page of rows that `query` asks for, or all of them (`whole`)."""
    ruleset = names.office.ruleset
    labels = [label_of(column, ruleset) for column in table.columns]
    head = table.columns.index("player") if "player" in table.columns else 0
    asked, rows = (1, table.rows) if whole else _cut(table, query)
    return WordedTable(
        name=table.name,
        title=label_of(table.name, ruleset),
        about=label_of(table.about, ruleset),
        columns=list(zip(labels, _numeric(table), strict=True)),
        rows=[
            (
                [
                    _cell(column, label, value, names, head=at == head)
                    for at, (column, label, value) in enumerate(zip(table.columns, labels, row, strict=True))
                ],
                {column: str(value) for column, value in zip(table.columns, row, strict=True)},
            )
            for row in rows
        ],
        total=len(table.rows),
        part=table.part,
        confirms=table.confirms,
        tied=tuple(names.players[number] for number in table.tied if number in names.players),
        earlier=_query(query, table, asked - 1) if asked > 1 else "",
        later=_query(query, table, asked + 1) if asked * PAGE < len(table.rows) else "",
    )


def paged(table: RuleTable, query: QueryDict | None) -> RuleTable:
    """The table with only the rows of the page that `query` asks for: only their names are looked up."""
    _asked, rows = _cut(table, query)
    return RuleTable(table.name, table.columns, tuple(rows), tied=table.tied)


def _cut(table: RuleTable, query: QueryDict | None) -> tuple[int, Sequence[Cells]]:
    text = query.get(f"{table.name}-page", "") if query is not None else ""
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    asked = max(1, min(asked, -(-len(table.rows) // PAGE)))
    return asked, table.rows[(asked - 1) * PAGE : asked * PAGE]


def _query(query: QueryDict | None, table: RuleTable, page: int) -> str:
    found = query.copy() if query is not None else QueryDict(mutable=True)
    found[f"{table.name}-page"] = str(page)
    return f"?{found.urlencode()}#{table.name}"


def _numeric(table: RuleTable) -> list[bool]:
    """For each column, whether its first value is a number, so that the page aligns the column so."""
    links = ("player", "section", "line", "clause")
    first = table.rows[0] if table.rows else (None,) * len(table.columns)
    return [
        isinstance(value, int | Decimal) and column not in links
        for column, value in zip(table.columns, first, strict=True)
    ]


def _cell(
    column: str, label: str, value: Value | tuple[Value, ...], names: NamesInTables, *, head: bool = False
) -> WordedCell:
    ruleset = names.office.ruleset
    if column == "player" and str(value) in names.players:
        player = names.players[str(value)]
        return WordedCell(label, player.shown_name, player.get_absolute_url(), head=head)
    if column in ("section", "line") and str(value) in names.sections:
        section = names.sections[str(value)]
        return WordedCell(
            label, f"{section.event.name}, {section.name}", section.get_absolute_url(), head=head
        )
    if column == "clause" and value in ruleset.clauses_of(names.edition):
        url = clause_url(names.office, str(value), names.edition)
        return WordedCell(label, str(value), url, clause=str(value))
    several = value if isinstance(value, tuple) else (value,)
    words = ", ".join(in_words(part, ruleset) for part in several if part != "")
    return WordedCell(label, words, number=isinstance(value, int | Decimal), head=head)


def in_words(value: Value, ruleset: Ruleset) -> str:
    """Put a value of a table into words: days and numbers as people write them, message keys as messages."""
    if value is None or value == "":
        return "–"
    if isinstance(value, date):
        return str(formats.date_format(value, "SHORT_DATE_FORMAT"))
    if isinstance(value, Decimal):
        return with_own_sign(format(rounded(value), "f").replace("-", "−"))
    if isinstance(value, int):
        return str(value)
    return _(ruleset.words.messages.get(value, value))


def rounded(value: Decimal) -> Decimal:
    """Round a number half up to the few decimals that a table shows; one with no more stays as it is."""
    if value.as_tuple().exponent < -PLACES:  # type: ignore[operator]
        return value.quantize(Decimal(1).scaleb(-PLACES), ROUND_HALF_UP)
    return value


# ---------------------------------------------------------------- as a file


def as_csv(table: RuleTable, names: NamesInTables) -> bytes:
    """A table as CSV, all rows: players by number and name, events by id and name, words as shown."""
    ruleset = names.office.ruleset
    header: list[str] = []
    for column in table.columns:
        header += [f"{column}_number", column] if column == "player" else [column]
    rows = [
        [
            text
            for column, value in zip(table.columns, row, strict=True)
            for text in _texts(column, value, names, ruleset)
        ]
        for row in table.rows
    ]
    return csv_bytes(header, rows)


def _texts(
    column: str, value: Value | tuple[Value, ...], names: NamesInTables, ruleset: Ruleset
) -> Iterable[str]:
    if column == "player":
        player = names.players.get(str(value))
        return disarmed(str(value)), disarmed(player.shown_name) if player else ""
    if isinstance(value, tuple):
        return (disarmed(" ".join(in_words(part, ruleset) for part in value)),)
    if isinstance(value, Decimal):
        return (plain(value),)
    if isinstance(value, date):
        return (value.isoformat(),)
    if value is None or isinstance(value, int):
        return ("" if value is None else str(value),)
    return (disarmed(_(ruleset.words.messages.get(value, value)) if column != "clause" else value),)


def context_of(
    tables: Sequence[RuleTable], office: Federation, query: QueryDict | None, edition: Edition | None = None
) -> dict[str, Any]:
    """The template context that shows tables of the rules, each cut to the page that `query` asks for."""
    names = names_in(office, [paged(table, query) for table in tables], edition)
    return {"tables": [worded_table(table, names, query) for table in tables]}
