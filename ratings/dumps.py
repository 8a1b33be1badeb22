"""The dump of an office's public data, a ZIP of CSV files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import chain, repeat
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, Min

from players.decision_kinds import KINDS
from players.jobs import Rests
from players.models import Decision, Federation, Ledger, Player
from players.storage import make_unfinished_folder, try_lock_folder
from ratings.disclosure import find_public_name, format_decimal, limits_of
from ratings.models import Change, DaysTakenOver, ListRow, RatingList
from ratings.rulesets.downloads import disarm_cell
from ratings.rulesets.facts import gettext_noop as _
from tournaments.models import Entry, Game, Section, Stage

# ---- The dump on the disk
DUMP_FORM = 2
"""The form of the file, to be raised with other tables or columns, so that dumps are drawn up again."""
MANIFEST = "manifest.json"
PUBLISH_KIND = "publish"
QUIET, LONG = timedelta(seconds=30), timedelta(minutes=10)
"""A dump is drawn up after `QUIET` without a correction, or after `LONG` in any case."""
HARMLESS_KINDS = frozenset(name for name, kind in KINDS.items() if kind.keeps_dumps)


@dataclass(frozen=True, slots=True)
class Dump:
    """A dump, with the state of the record from which it was drawn up. It is stored as the manifest."""

    form: int
    decision: int
    """The number of the newest decision then; 0 if there was none."""
    hash: str
    """The hash of that decision, because a restored office may have another decision under the number."""
    grown_until: int
    """The latest year of birth of people treated as adults."""
    drawn_at: str
    size: int
    sha256: str


def get_dump_folder(office: Federation) -> Path:
    return Path(settings.DUMPS_DIR) / office.code


def get_dump_path(office: Federation, dump: Dump) -> Path:
    """The path of a dump's file, which bears its checksum, so that a reader who opens an older one never gets
    half of a newer one. The file is gone once a newer one replaced it.
    """
    return get_dump_folder(office) / f"{dump.sha256}.zip"


def newest_decision(office: Federation) -> tuple[int, str]:
    """The number and hash of the newest decision of an office; 0 and an empty string if there is none."""
    newest = Decision.objects.filter(federation=office).order_by("-number")
    return newest.values_list("number", "hash").first() or (0, "")


def find_dump(office: Federation) -> Dump | None:
    """The dump on the disk, whether or not it may be served; None if there is none of this form."""
    try:
        manifest = json.loads((get_dump_folder(office) / MANIFEST).read_text(encoding="utf-8"))
        if manifest["form"] != DUMP_FORM:
            return None
        return Dump(**manifest)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_manifest(folder: Path, dump: Dump) -> None:
    (folder / MANIFEST).write_text(json.dumps(asdict(dump)), encoding="utf-8")


def find_servable_dump(office: Federation) -> Dump | None:
    """The dump that may be served now; None if something was withheld, corrected or taken back since."""
    dump = find_dump(office)
    if dump is None:
        return None
    decisions = Decision.objects.filter(federation=office)
    if dump.decision and not decisions.filter(number=dump.decision, hash=dump.hash).exists():
        return None
    outdated = decisions.filter(number__gt=dump.decision).exclude(kind__in=HARMLESS_KINDS).exists()
    return None if outdated else dump


def is_computing(office: Federation) -> bool:
    return Ledger.objects.pending().filter(federation=office).exists()


def is_dump_due(office: Federation) -> bool:
    """Whether the dump may not be served or a list was published since, and ratings are not computed."""
    if not office.lists.exists() or is_computing(office):
        return False
    dump = find_servable_dump(office)
    if dump is None or dump.grown_until != limits_of(office).until:
        return True
    since = Decision.objects.filter(federation=office, number__gt=dump.decision)
    return since.filter(kind=PUBLISH_KIND).exists()


def is_quiet_or_overdue(office: Federation, at: datetime) -> bool:
    """Whether it is time to draw up a dump that is due: nothing was corrected or published for a while, or
    the first time is long ago, so that corrections in a row cause one dump, not one each. A moment in the
    future comes from a clock that was set back since.
    """
    dump = find_dump(office)
    since = Decision.objects.filter(federation=office, number__gt=dump.decision if dump else 0)
    moments = since.exclude(kind__in=set(HARMLESS_KINDS) - {PUBLISH_KIND}).aggregate(
        first=Min("at"), last=Max("at")
    )
    if dump is None or moments["first"] is None:
        return True
    zero = timedelta(0)
    return not (zero <= at - moments["last"] < QUIET and zero <= at - moments["first"] < LONG)


# ---- The tables of a dump: nothing that the public pages do not show
AT_ONCE = 2_000
"""The number of rows that are read at once."""
Row = tuple[str | int | None, ...]


class Column(NamedTuple):
    name: str
    words: str
    typed: bool = False
    """Whether people typed the text, which a spreadsheet might take for a formula."""


class Table(NamedTuple):
    name: str
    words: str
    rows: Callable[[Federation], Iterator[Row]]
    columns: tuple[Column, ...]


def _players(office: Federation) -> Iterator[Row]:
    limits = limits_of(office)
    people = Player.objects.of(office).select_related("region", "merged_into").order_by("number")
    for player in people.iterator(AT_ONCE):
        if player.merged_into:  # the public knows only who stays
            yield player.number, None, None, "", "", "", player.merged_into.number
            continue
        region = player.region.code if player.region and not player.withheld else ""
        nation = "" if player.withheld else player.nation
        hidden = int(player.withheld or not player.name)
        yield player.number, find_public_name(player), hidden, limits.title(player), region, nation, None


def _sections(office: Federation) -> Iterator[Row]:
    rated = Section.objects.filter(event__federation=office, stage=Stage.RATED)
    rows = rated.order_by("event__number", "code").values_list(
        *("event__number", "code", "event__name", "name", "event__place", "event__region__code"),
        *("starts", "ends", "rated_on"),
    )
    for *words, starts, ends, rated_on in rows.iterator(AT_ONCE):
        yield *words, starts.isoformat(), ends.isoformat(), rated_on.isoformat() if rated_on else None


def _entries(office: Federation) -> Iterator[Row]:
    entries = Entry.objects.filter(section__event__federation=office, section__stage=Stage.RATED)
    rows = entries.exclude(player=None).order_by("section__event__number", "section__code", "number")
    found = rows.values_list(
        *("section__event__number", "section__code"),
        *("player__number", "player__merged_into__number", "place"),
    )
    for event, section, player, stays, place in found.iterator(AT_ONCE):
        yield event, section, stays or player, place


def _games(office: Federation) -> Iterator[Row]:
    games = Game.objects.filter(section__event__federation=office, section__stage=Stage.RATED)
    rows = games.order_by("section__event__number", "section__code", "order").values_list(
        *("section__event__number", "section__code", "order", "round"),
        *("first__player__number", "first__player__merged_into__number"),
        *("second__player__number", "second__player__merged_into__number", "result"),
    )
    for event, section, game, round_, first, first_stays, second, second_stays, result in rows.iterator(
        AT_ONCE
    ):
        yield event, section, game, round_, first_stays or first, second_stays or second, result


def _lists(office: Federation) -> Iterator[Row]:
    lists = RatingList.objects.of(office).without_content().select_related("fact", "supersedes")
    over = DaysTakenOver(office)
    for each in lists.defer("supersedes__content").order_by("on", "track", "revision").iterator(AT_ONCE):
        yield (
            *(each.on.isoformat(), each.track, each.revision),
            each.supersedes.revision if each.supersedes else None,
            *(each.players, each.fact.number, each.edition),
            *(each.program_version, each.program_sha256, each.sha256, each.published_at.isoformat()),
            taken_over.isoformat() if (taken_over := over.day_for_line(each.fact.number)) else None,
        )


def _list_rows(office: Federation) -> Iterator[Row]:
    """Yield the rows of each list's published bytes, so that the dump agrees with their checksum."""
    lists = RatingList.objects.of(office).order_by("on", "track", "revision")
    for key, on, track, revision in lists.values_list("pk", "on", "track", "revision"):
        content = bytes(RatingList.objects.values_list("content", flat=True).get(pk=key)).decode()
        ranked = ListRow.objects.filter(rating_list=key).order_by("position").values_list("rank", "previous")
        ranks = chain(ranked.iterator(AT_ONCE), repeat((None, None)))
        for position, line in enumerate(content.splitlines(), start=1):
            player, rating, games = line.split(",")
            rank, previous = next(ranks)
            yield (
                *(on.isoformat(), track, revision, position, rank),
                *(player, rating, format_decimal(previous), int(games)),
            )


def _ratings(office: Federation) -> Iterator[Row]:
    changes = Change.objects.filter(fact__federation=office).order_by(
        "fact__number", "track", "player__number"
    )
    rows = changes.values_list(
        *("player__number", "track", "fact__number", "fact__kind", "fact__on"),
        *("fact__section__event__number", "fact__section__code", "before", "points", "after", "games"),
    )
    for *words, on, event, section, before, points, after, games in rows.iterator(AT_ONCE):
        day = on.isoformat() if on else None
        yield (
            *words,
            day,
            event,
            section,
            format_decimal(before),
            format_decimal(points),
            format_decimal(after),
            games,
        )


EVENT = Column("event", "number of the event, as in the address of its page", typed=True)
SECTION = Column("section", "code of the section within the event", typed=True)
TRACK = Column("track", "rating to which it belongs: otb-main, say, as in addresses of lists")
LIST = (
    Column("day", "day of the list (YYYY-MM-DD)"),
    TRACK,
    Column("revision", "1 for the list as first published, 2 and so on for lists published anew"),
)

TABLES = (
    Table(
        "players",
        _("everybody in the register, former entries of merged players too"),
        _players,
        (
            Column("number", "the player's number, for ever"),
            Column("name", "surname, first name; empty: asked not to be named, or not known", typed=True),
            Column("withheld", "1: no name is told, 0: it is; empty: a former entry"),
            Column("title", "title, as far as it is public", typed=True),
            Column("region", "code of the region"),
            Column("nation", "code of the nation, three letters"),
            Column("merged_into", "of a former entry: the number of the player who stays"),
        ),
    ),
    Table(
        "sections",
        _("sections that are rated now, each a tournament or a group of one"),
        _sections,
        (
            *(EVENT, SECTION),
            Column("event_name", "name of the event", typed=True),
            Column("section_name", "name of the section", typed=True),
            Column("place", "place of the event", typed=True),
            Column("region", "code of the region that filed it"),
            Column("starts", "first day of the section (YYYY-MM-DD)"),
            Column("ends", "last day of the section (YYYY-MM-DD)"),
            Column("rated_on", "day on which the office rated it (YYYY-MM-DD)"),
        ),
    ),
    Table(
        "entries",
        _("who took part in these sections, with the final place"),
        _entries,
        (
            *(EVENT, SECTION),
            Column("player", "number of the player; of a merged one, of the player who stays"),
            Column("place", "final place; players who share it have the same; empty: not told"),
        ),
    ),
    Table(
        "games",
        _("games of these sections, in their order; none where results are places alone"),
        _games,
        (
            *(EVENT, SECTION),
            Column("game", "place of the game in the section's order"),
            Column("round", "round, from 1"),
            Column("first", "number of the player who moved first; of a merged one, of the player who stays"),
            Column("second", "number of the other player"),
            Column("result", "as the journal writes it, the first player's side first: 1-0, say"),
        ),
    ),
    Table(
        "lists",
        _("published lists, each revision by itself"),
        _lists,
        (
            *LIST,
            Column("supersedes", "the revision that it replaced"),
            Column("players", "number of rows"),
            Column("line", "line of the journal that published it"),
            Column("edition", "edition of the regulations"),
            Column("program", "version of the program that drew it up"),
            Column("program_sha256", "SHA-256 of that program"),
            Column("sha256", "SHA-256 of its rows: player,rating,games and a line feed for each"),
            Column("published_at", "moment of publication (ISO 8601)"),
            Column("taken_over", "day on which it was computed afterwards, with a history; empty: published"),
        ),
    ),
    Table(
        "list_rows",
        _("the rows of these lists in their order, byte for byte as published"),
        _list_rows,
        (
            *LIST,
            Column("position", "place of the row in the list, from 1"),
            Column("rank", "rank; players who share it have the same"),
            Column("player", "number of the player, as it was then"),
            Column("rating", "rating in points, with every digit"),
            Column("previous", "rating on the list before; empty: not on it"),
            Column("games", "number of games that the list counts"),
        ),
    ),
    Table(
        "ratings",
        _("every change of a rating as it is known now, in the order of the journal"),
        _ratings,
        (
            Column("player", "number of the player"),
            TRACK,
            Column("line", "line of the journal that changed it"),
            Column("kind", "kind of that line: rated, opening, list and others"),
            Column("day", "day of that line (YYYY-MM-DD)"),
            *(EVENT, SECTION),
            Column("before", "rating before, in points; empty: none"),
            Column("points", "points won or lost"),
            Column("after", "rating after, in points"),
            Column("games", "number of games that were counted"),
        ),
    ),
)
"""All tables of a dump, in their order in the archive."""


# ---- Drawing up a dump
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive, so that the same state gives the same bytes."""
README = "README.txt"
RESTS_OF_A_TABLE = 60.0
"""Seconds at most: one transaction reads all tables."""
ROWS_BETWEEN_RESTS = 2_000
"""Rows that are written between checks whether the machine is busy: a tenth of a second's work."""


def build_dump_if_due(office: Federation, at: datetime) -> Dump | None:
    """Draw up an office's dump if it is due; None if it is not, or for one of the reasons of `build_dump`."""
    with try_lock_folder(get_dump_folder(office)) as alone:
        return _draw(office, at) if alone and is_dump_due(office) else None


def build_dump(office: Federation, at: datetime) -> Dump | None:
    """Draw up a dump; None if another process does, or while ratings are computed. Raises OSError."""
    with try_lock_folder(get_dump_folder(office)) as alone:
        return _draw(office, at) if alone else None


@contextmanager
def consistent_snapshot() -> Iterator[None]:
    """Read a consistent snapshot of the database, without a lock that writers wait for."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")  # Django's own transactions hold SQLite's one write lock
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


def _draw(office: Federation, at: datetime) -> Dump | None:
    """Write the archive in a temporary folder, move it into place, the manifest after it, and delete older
    files. The caller holds the folder's lock. None while ratings are computed, because what is stored then
    belongs to neither state.
    """
    folder = get_dump_folder(office)
    with make_unfinished_folder(folder) as place:
        with consistent_snapshot():
            if is_computing(office):
                return None
            number, hash_ = newest_decision(office)
            until = limits_of(office).until
            archive = place / "dump.zip"
            _write(office, archive, f"{number} ({hash_[:16]})" if number else "0")
        with archive.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        dump = Dump(DUMP_FORM, number, hash_, until, at.isoformat(), archive.stat().st_size, sha256)
        write_manifest(place, dump)
        kept = [get_dump_path(office, dump), folder / MANIFEST]
        for written, path in zip((archive, place / MANIFEST), kept, strict=True):
            os.replace(written, path)
    for older in folder.glob("[!.]*"):
        if older not in kept:
            older.unlink(missing_ok=True)
    return dump


def _write(office: Federation, path: Path, decision: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        with archive.open(_member(README), "w") as file:
            file.write(readme(office, decision).encode())
        for table in TABLES:
            with archive.open(_member(f"{table.name}.csv"), "w", force_zip64=True) as file:
                page = io.TextIOWrapper(file, encoding="utf-8", newline="")
                _write_csv(office, table, page)
                page.flush()
                page.detach()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type, member.create_system, member.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
    return member


def _write_csv(office: Federation, table: Table, page: io.TextIOWrapper) -> None:
    """Write a table's rows as CSV; rests on a busy machine, as nobody waits for it."""
    writer = csv.writer(page, lineterminator="\r\n")
    writer.writerow(each.name for each in table.columns)
    rests = Rests(left=RESTS_OF_A_TABLE)
    for count, row in enumerate(table.rows(office), start=1):
        writer.writerow(
            disarm_cell(value) if column.typed and isinstance(value, str) else value
            for value, column in zip(row, table.columns, strict=True)
        )
        if count % ROWS_BETWEEN_RESTS == 0:
            rests.rest_anywhere()


def readme(office: Federation, decision: str) -> str:
    """The text in the archive on each table, each column and its unit."""
    parts = [
        f"{office.name} ({office.code}): everything public of this rating office.",
        f"Drawn up from its record as of decision {decision}.",
        "CSV: UTF-8, commas, CRLF, the columns' names first; an empty cell is no value. Texts that\n"
        "somebody typed have an apostrophe before what a spreadsheet would take for a formula.",
        "Ratings are points, written with every digit. Nothing of anybody's birth or sex is told, and\n"
        "nobody who asked not to be named: their rows have the number alone. Who asks for it later still\n"
        "stands in older copies: fetch this file anew before each use.",
    ]
    for table in TABLES:
        wide = max(len(each.name) for each in table.columns)
        rows = [f"  {each.name:{wide}}  {each.words}" for each in table.columns]
        parts.append("\n".join([f"{table.name}.csv: {table.words}", *rows]))
    return "\n\n".join(parts) + "\n"
