"""What the public may read of an office: each column once, with its name, type, meaning and value.

The API and its description, dumps, and the files and pages of lists take their columns from here and, for the
rows of lists, from `ratings.rulesets.downloads`. What of a person is public is decided by
`ratings.disclosure`.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO
from typing import Any, NamedTuple

from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce

from players.models import Federation, Identifier, Player
from ratings.disclosure import DisclosureLimits, find_public_name, limits_of
from ratings.models import DaysTakenOver, ListRow, RatingList
from ratings.rulesets.downloads import (
    FURTHER,
    GAMES,
    NAME,
    NUMBER,
    PLAYER,
    POSITION,
    PREVIOUS,
    RANK,
    RATING,
    REGION,
    TITLE,
    XLSX,
    Column,
    DownloadRow,
    csv_bytes,
    disarm_cell,
    write_workbook,
)
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.journal_lines import plain
from ratings.statement import OfficeRow, iterate_statements
from tournaments.models import Entry, Event, Game, Section, Stage

AT_ONCE = 2_000
"""The number of rows that are read at once."""
PLAIN: dict[type, Callable[[Any], str | int]] = {
    **{Decimal: plain, date: date.isoformat, datetime: datetime.isoformat, bool: int}
}
"""What programs get of a value: numbers as text with every digit, days and moments in ISO form."""


def to_plain(value: Any) -> Any:
    convert = PLAIN.get(type(value))
    return convert(value) if convert else value


# ---- People
class PublicPlayer(NamedTuple):
    """What the public may know of a player; of a merged entry, who stays alone."""

    number: str
    name: str | None = None
    withheld: bool | None = None
    title: str = ""
    region: str = ""
    nation: str = ""
    merged_into: str | None = None


def public_player(player: Player, limits: DisclosureLimits) -> PublicPlayer:
    if player.merged_into:
        return PublicPlayer(player.number, merged_into=player.merged_into.number)
    name, title = find_public_name(player), limits.title(player)
    return PublicPlayer(
        player.number, name, name is None, title, limits.region(player), limits.nation(player)
    )


WITHHELD = Column("withheld", bool, "1 or true: no name is told, 0 or false: it is; none: a former entry")
PLAYER_COLUMNS = (
    *(NUMBER, NAME, WITHHELD, TITLE, REGION),
    Column("nation", str, "code of the nation, three letters"),
)


STORED_IN_ROWS = {field.name for field in ListRow._meta.concrete_fields}.intersection(DownloadRow._fields)
"""What a list keeps of each player, under the names that columns have."""


def download_rows(rows: Sequence[ListRow], limits: DisclosureLimits) -> list[DownloadRow]:
    """Return the rows with what the public may know of players today, without ratings on other tracks."""
    players = [row.player_id for row in rows]
    kinds = {"fide", *(kind.code for kind in limits.office.equipment.office.id_kinds if not kind.platform)}
    known = Identifier.objects.filter(kind__in=kinds, player_id__in=players).order_by("pk")
    ids: dict[int, dict[str, str]] = defaultdict(dict)
    for player, kind, value in known.values_list("player_id", "kind", "value"):
        ids[player][kind] = value
    return [_download_row(row, limits, ids[row.player_id]) for row in rows]


def _download_row(row: ListRow, limits: DisclosureLimits, ids: Mapping[str, str]) -> DownloadRow:
    player, withheld = row.player, find_public_name(row.player) is None
    ids = ids if limits.can_show_foreign_id(player) else {}
    return DownloadRow(
        number=player.number,
        surname=player.shown_name if withheld else player.surname,
        first_name="" if withheld else player.first_name,
        born=limits.year(player),
        sex=limits.sex(player),
        title=limits.title_on_list(player),
        region=limits.region(player),
        nation=limits.nation(player),
        fide=ids.get("fide", ""),
        ids=ids,
        withheld=withheld,
        **{name: getattr(row, name) for name in STORED_IN_ROWS},
    )


# ---- Events, sections, play
EVENT = Column("event", str, "number of the event, as in the address of its page", typed=True)
EVENT_NAME = Column("event_name", str, "name of the event", "event__name", typed=True)
SECTION = Column("section", str, "code of the section within the event", typed=True)
SECTION_NAME = Column("section_name", str, "name of the section", "name", typed=True)
PLACE = Column("place", str, "place of the event", "event__place", typed=True)
STARTS = Column("starts", date, "first day of the section (YYYY-MM-DD)")
ENDS = Column("ends", date, "last day of the section (YYYY-MM-DD)")
RATED_ON = Column("rated_on", date | None, "day on which the office rated it (YYYY-MM-DD); none: not rated")
SECTION_COLUMNS = (
    *(SECTION.at("code", name="code"), SECTION_NAME.at("name", name="name")),
    Column("stage", Stage, "what has become of the section"),
    *(STARTS, ENDS, RATED_ON),
)
EVENT_COLUMNS = (
    *(EVENT.at("number", name="number"), EVENT_NAME.at("name", name="name"), PLACE.at("place")),
    Column("country", str, "country of the event"),
    Column("region", str, "code of the region that files it", "region__code"),
    Column("starts", date, "first day of the event (YYYY-MM-DD)"),
    Column("ends", date, "last day of the event (YYYY-MM-DD)"),
    Column(
        "state",
        Event.State,
        "whether it stays in the calendar: `planned`, whatever became of it since, which the stages of its "
        "sections tell",
    ),
)
FINAL_PLACE = Column("place", int | None, "final place; players who share it have the same; none: not told")
ENTRANT_COLUMNS = (
    Column("entry", int, "starting number, by which games name entrants"),
    *(PLAYER.at("player", type=str | None), NAME, TITLE),
    Column("team", str, "team or club, as it was filed"),
    FINAL_PLACE,
    Column("score", Decimal | None, "points of the section; none: its file tells places alone"),
)


def public_entrant(entry: Entry, limits: DisclosureLimits, score: Decimal | None) -> dict[str, Any]:
    player = entry.player and (entry.player.merged_into or entry.player)
    return {
        "entry": entry.number,
        "player": player.number if player else None,
        "name": find_public_name(player) if player else entry.name,
        "title": limits.title(player, entry.title) if player else "",
        "team": "" if player and player.withheld else entry.team,
        "place": entry.place,
        "score": score,
    }


ROUND = Column("round", int, "round, from 1")
RESULT = Column("result", str, "as the journal writes it, the first player's side first: 1-0, say")
GAME_COLUMNS = (
    ROUND,
    Column("first", int, "starting number of the player who moved first", "first__number"),
    Column("second", int, "starting number of the other player", "second__number"),
    RESULT,
)


def of_section(path: str) -> tuple[Column, Column]:
    """The event and section of rows that name their section by a path."""
    return EVENT.at(f"{path}__event__number"), SECTION.at(f"{path}__code")


def who_stays(path: str, name: str, words: str) -> Column:
    """The number of a row's player; of a merged one, of the player who stays."""
    return Column(name, str, words, Coalesce(f"{path}__merged_into__number", f"{path}__number"))


# ---- Lists and ratings
TRACK = Column(
    "track", str, "rating to which it belongs: otb-main, say, as in addresses of lists", typed=True
)
LIST_DAY = Column("day", date, "day of the list (YYYY-MM-DD)", "on")
REVISION = Column("revision", int, "1 for the list as first published, 2 and so on for lists published anew")
LIST_COLUMNS = (
    *(LIST_DAY, TRACK, REVISION),
    Column("supersedes", int | None, "the revision that it replaced", "supersedes__revision"),
    Column("players", int, "number of rows"),
    Column("line", int, "line of the journal that published it", "fact__number"),
    Column("edition", str, "edition of the regulations"),
    Column("program", str, "version of the program that drew it up", "program_version"),
    Column("program_sha256", str, "SHA-256 of that program"),
    Column("sha256", str, "SHA-256 of its rows: player,rating,games and a line feed for each"),
    Column("published_at", datetime, "moment of publication (ISO 8601)"),
    Column(
        "taken_over",
        date | None,
        "day on which it was computed afterwards, with a history; none: published",
        "taken_over_on",
    ),
)
RATING_MOVE = (
    Column("before", Decimal | None, "rating before, in points; none: there was none"),
    Column(
        "at_once",
        Decimal,
        "points that moved the rating at once",
        remark="`before` and `at_once` are `after`; a first rating comes at once as a whole.",
    ),
    Column(
        "waits",
        Decimal,
        "points that wait for the next list",
        remark="The row of a list (csa) has the payment as `at_once`, and minus what waited here.",
    ),
    Column("points", Decimal, "points won or lost: `at_once` and `waits`"),
    Column("after", Decimal | None, "rating after, in points; none: there is none any more"),
)
CHANGE_LINE = Column(
    "line",
    int | None,
    "line of the journal that changed it, and that opens its working; none: the calendar",
)
KIND = Column(
    "kind",
    str,
    "kind of that line (rated, list …); `floor`: what csa 45 adds; `calendar`: a day alone",
)
CHANGE_DAY = Column("day", date | None, "day of that line (YYYY-MM-DD)", "on")
COUNTED = Column("games", int, "number of games that were counted")
SECTION_ID = Column("section", str | None, "EVENT/CODE of the section; none: another source")
CHANGE_COLUMNS = (CHANGE_LINE, KIND, CHANGE_DAY, SECTION_ID, *RATING_MOVE, COUNTED)
"""The columns of a `statement.StatementRow`."""
CHANGE_IN_SECTION_COLUMNS = (PLAYER.at("player"), TRACK, *RATING_MOVE)
"""The columns of a `statement.SectionMovement`."""
KNOWN_RATING_COLUMNS = (
    *(TRACK, RATING.at("rating", type=Decimal | None), COUNTED),
    Column("status", str, "standing by the regulations, as the journal writes it"),
    Column(
        "activity",
        int | None,
        "activity by the regulations: played games, allocated byes, wins by forfeit",
        remark="csa; null where the regulations do not count it.",
    ),
)
LISTED_RATING_COLUMNS = (
    *(TRACK.at("rating_list__track"), RATING, RANK, GAMES),
    *(LIST_DAY.at("rating_list__on", name="list"), REVISION.at("rating_list__revision")),
)


def with_days_taken_over(office: Federation, lists: Iterable[RatingList]) -> Iterator[RatingList]:
    """Yield an office's lists with the office, and the day on which each was taken over."""
    over = DaysTakenOver(office)
    for each in lists:
        each.federation, each.taken_over_on = office, over.day_for_line(each.fact.number)
        yield each


# ---- A table of a page as a file
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "xlsx": XLSX, "json": "application/json"}
"""The media types of such files, by suffix."""


def write_table(
    suffix: str, title: str, on: date, columns: Sequence[Column], rows: Iterable[Any]
) -> tuple[bytes, str]:
    """Return the rows of a table as a file of a day, with its media type. Raises KeyError for a suffix that
    there is not.
    """
    media_type = MEDIA_TYPES[suffix]
    header = [column.name for column in columns]
    values = ([to_plain(column.value(row)) for column in columns] for row in rows)
    if suffix == "json":
        records = [dict(zip(header, each, strict=True)) for each in values]
        return json.dumps(records, ensure_ascii=False).encode(), media_type
    if suffix == "csv":
        cells = ([disarm_cell(each) if isinstance(each, str) else each for each in row] for row in values)
        return csv_bytes(header, cells), media_type
    file = BytesIO()
    write_workbook(file, title, on, header, values)
    return file.getvalue(), media_type


# ---- The tables of a dump: nothing that the public pages do not show
class PublicTable(NamedTuple):
    name: str
    words: str
    columns: tuple[Column, ...]
    rows: Callable[[Federation], Iterable[Iterable[Any]]]
    """Returns an office's rows in parts: QuerySets, of which only the columns are read, or objects."""

    def read(self, office: Federation) -> Iterator[tuple[str | int | None, ...]]:
        """Yield the plain values of each row."""
        for part in self.rows(office):
            if isinstance(part, QuerySet):
                found = part.values_list(*(column.source or column.name for column in self.columns))
                rows = found.iterator(AT_ONCE)
            else:
                rows = (tuple(column.value(row) for column in self.columns) for row in part)
            for row in rows:
                yield tuple(convert(value) if (convert := PLAIN.get(type(value))) else value for value in row)


def _players(office: Federation) -> Iterator[Iterable[PublicPlayer]]:
    limits = limits_of(office)
    people = Player.objects.of(office).select_related("region", "merged_into").order_by("number")
    yield (public_player(each, limits) for each in people.iterator(AT_ONCE))


def _lists(office: Federation) -> Iterator[Iterable[RatingList]]:
    lists = RatingList.objects.of(office).without_content().select_related("fact", "supersedes")
    found = lists.defer("supersedes__content").order_by("on", "track", "revision").iterator(AT_ONCE)
    yield with_days_taken_over(office, found)


def _list_rows(office: Federation) -> Iterator[Iterable[Any]]:
    for each in RatingList.objects.of(office).without_content().order_by("on", "track", "revision"):
        of_list = {
            "on": Value(each.on.isoformat()),
            "track": Value(each.track),
            "revision": Value(each.revision),
        }
        yield ListRow.objects.filter(rating_list=each).order_by("position").annotate(**of_list)


def _of_rated(office: Federation, rows: QuerySet[Any], order: str) -> list[QuerySet[Any]]:
    """The rows of an office's rated sections, section by section."""
    rated = rows.filter(section__event__federation=office, section__stage=Stage.RATED)
    return [rated.order_by("section__event__number", "section__code", order)]


def _ratings(office: Federation) -> Iterator[Iterable[OfficeRow]]:
    yield iterate_statements(office)


TABLES = (
    PublicTable(
        "players",
        _("everybody in the register, former entries of merged players too"),
        (
            *PLAYER_COLUMNS,
            Column("merged_into", str | None, "of a former entry: the number of the player who stays"),
        ),
        _players,
    ),
    PublicTable(
        "sections",
        _("sections that are rated now, each a tournament or a group of one"),
        (
            *(EVENT.at("event__number"), SECTION.at("code"), EVENT_NAME, SECTION_NAME, PLACE),
            Column("region", str, "code of the region that filed it", "event__region__code"),
            *(STARTS, ENDS, RATED_ON),
        ),
        lambda office: [
            Section.objects.filter(event__federation=office, stage=Stage.RATED).order_by(
                "event__number", "code"
            )
        ],
    ),
    PublicTable(
        "entries",
        _("who took part in these sections, with the final place"),
        (
            *of_section("section"),
            who_stays("player", "player", "number of the player; of a merged one, of the player who stays"),
            FINAL_PLACE,
        ),
        lambda office: _of_rated(office, Entry.objects.exclude(player=None), "number"),
    ),
    PublicTable(
        "games",
        _("games of these sections, in their order; none where results are places alone"),
        (
            *of_section("section"),
            Column("game", int, "place of the game in the section's order", "order"),
            ROUND,
            who_stays(
                "first__player",
                "first",
                "number of the player who moved first; of a merged one, of the player who stays",
            ),
            who_stays("second__player", "second", "number of the other player"),
            RESULT,
        ),
        lambda office: _of_rated(office, Game.objects.all(), "order"),
    ),
    PublicTable("lists", _("published lists, each revision by itself"), LIST_COLUMNS, _lists),
    PublicTable(
        "list_rows",
        _("the rows of these lists in their order, byte for byte as published"),
        (
            *(LIST_DAY, TRACK, REVISION, POSITION, RANK),
            PLAYER.at("player__number", words="number of the player, as it was then"),
            *(RATING, PREVIOUS, GAMES),
            *(column for column in FURTHER if column.name in STORED_IN_ROWS),
        ),
        _list_rows,
    ),
    PublicTable(
        "ratings",
        _("the statements of all ratings as they are known now, each with its oldest row first"),
        (
            *(PLAYER.at("player"), TRACK, CHANGE_LINE, KIND, CHANGE_DAY),
            *(EVENT, SECTION),
            *(*RATING_MOVE, COUNTED),
        ),
        _ratings,
    ),
)
"""All tables of a dump, in their order in the archive."""
