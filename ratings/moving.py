"""Moving a whole office from one installation to another, by an archive of open files. One side writes the
archive as of one moment; the other, which is empty, makes the office in one transaction and compares the
archive that the new office would give with the one that it came from.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple
from urllib.parse import quote

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.utils import translation

from players import jobs
from players.models import (
    Appointment,
    BirthDate,
    Decision,
    DecisionWords,
    Federation,
    FormerName,
    HeldPart,
    Identifier,
    Ledger,
    NamedColumns,
    PairOfTwo,
    Player,
    ProofFile,
    Region,
    RegisterImport,
    RegisterLine,
    SealedName,
    Transfer,
    User,
)
from players.names import FoldedNameField
from players.record import Refused
from players.register_table import DAY, write_register
from players.writing import atomic_file, make_unfinished_folder
from ratings.cross_tables import FILE_SUFFIXES, CrossTable, public_play
from ratings.dumps import consistent_snapshot
from ratings.intake import Intake, write_facts
from ratings.journal import journal_lines
from ratings.letters import skip_past_decisions
from ratings.models import (
    Checkpoint,
    CorrectedRating,
    Cosignature,
    Erratum,
    Fact,
    HintAnswer,
    ListRow,
    LogKey,
    ProgramFile,
    RatingList,
    RulesVersion,
)
from ratings.program import Program, get_current_program
from ratings.replay import compute_answer
from ratings.rules_change import fold_everything_again
from ratings.rulesets import journal, journal_lines as journal_form, rulesets
from ratings.rulesets.journal_lines import LinesAbove, end_line_path, plain
from ratings.rulesets.ruleset import without_gc
from ratings.signing import store_full_tiles
from ratings.verify import Report, verify
from tournaments.models import (
    Adjustment,
    Appeal,
    Archive,
    ArchivedFile,
    Bye,
    Case,
    CaseMessage,
    Correction,
    Entry,
    Event,
    FiledSheet,
    Finding,
    Game,
    History,
    HistoryAnswer,
    HistoryFile,
    MendingProposal,
    PermissionRequest,
    Remark,
    Section,
    SectionTaking,
    Stage,
    Upload,
)
from tournaments.section_files import SectionPlay, render_section_file

# ---- Which tables move, and how an archive names their rows
#
# No archive names a row by its database key: a player is a number, a section `EVENT/SECTION`, a file its
# SHA-256. The exceptions are people, appointments and cases: their keys stand in the chained record of
# decisions, which cannot be rewritten.
PRIVATE = "private/"
"""The folder of an archive that only the office may read."""
RECORD_NUMBER = "record_number"
"""The key, in a row, of the number by which the record of decisions knows a person, appointment or case."""
LEASE_COLUMNS = frozenset({"holder", "heartbeat", "attempts"})
"""Columns that say which worker has a row: none has it where it arrives."""


@dataclass(frozen=True, slots=True)
class MovingTable:
    """A table whose rows move, each as a JSON object on one line."""

    name: str
    model: type[models.Model]
    owner: str
    """The path from a row to its federation."""
    key: tuple[str, ...] = ()
    """The columns by which other rows name one of these; empty: the place in the file, from 1."""
    public: bool = False
    """Whether everybody may read it; otherwise it is in the private folder."""
    record_number: bool = False
    """Whether the row's database key stands in the record of decisions."""
    bytes_at: str = f"{PRIVATE}files/{{sha256}}"
    """The member for a row's bytes; `sha256` is that of the bytes."""
    inside: Mapping[str, type[models.Model]] = field(default_factory=dict)
    """The models of those keys of its JSON columns whose values are database keys."""

    @property
    def member(self) -> str:
        return f"{'' if self.public else PRIVATE}tables/{self.name}.ndjson"

    @property
    def columns(self) -> list[models.Field[Any, Any]]:
        """The columns that move: all but database keys, the federation, leases and folded names."""
        return [
            each
            for each in self.model._meta.local_concrete_fields
            if not each.primary_key
            and each.name not in LEASE_COLUMNS
            and not (self.owner == each.name == "federation")
            and not isinstance(each, FoldedNameField)
        ]

    @property
    def people(self) -> list[str]:
        """The columns that point to a user."""
        return [each.name for each in self.columns if each.related_model is User]

    def rows(self, office: models.Model) -> models.QuerySet[Any]:
        """The office's rows in the order in which they were written, which an archive keeps."""
        return self.model._default_manager.filter(**{self.owner: office}).order_by("pk")


_NUMBER, _OFFICE = ("number",), "federation"
_SECTION, _EVENT, _PLAYER = "section__event__federation", "event__federation", "player__federation"

TABLES = (
    MovingTable("regions", Region, _OFFICE, ("code",), public=True),
    MovingTable("appointments", Appointment, _OFFICE, record_number=True),
    MovingTable("decisions", Decision, _OFFICE, _NUMBER),
    MovingTable("decision_words", DecisionWords, "decision__federation", ("decision", "key")),
    MovingTable("held_parts", HeldPart, _OFFICE),
    MovingTable("players", Player, _OFFICE, _NUMBER),
    MovingTable("births", BirthDate, _PLAYER),
    MovingTable("former_names", FormerName, _PLAYER),
    MovingTable("sealed_names", SealedName, _OFFICE),
    MovingTable("identifiers", Identifier, _OFFICE),
    MovingTable("pairs_of_two", PairOfTwo, "one__federation"),
    MovingTable("transfers", Transfer, _OFFICE),
    MovingTable("proof_files", ProofFile, _OFFICE),
    MovingTable("register_imports", RegisterImport, _OFFICE),
    MovingTable("named_columns", NamedColumns, _OFFICE, ("key",)),
    MovingTable("register_lines", RegisterLine, "register_import__federation"),
    MovingTable("events", Event, _OFFICE, _NUMBER),
    MovingTable("sections", Section, _EVENT, ("event", "code")),
    MovingTable("uploads", Upload, _OFFICE, ("sha256",)),
    MovingTable("archives", Archive, _OFFICE, ("sha256",)),
    MovingTable("archived_files", ArchivedFile, "archive__federation"),
    MovingTable("histories", History, _OFFICE),
    MovingTable("history_files", HistoryFile, "history__federation"),
    MovingTable("history_answers", HistoryAnswer, "history__federation"),
    MovingTable("entries", Entry, _SECTION, ("section", "number"), inside={"player": Player}),
    MovingTable("games", Game, _SECTION),
    MovingTable("byes", Bye, _SECTION),
    MovingTable("findings", Finding, _SECTION),
    MovingTable("adjustments", Adjustment, _SECTION),
    MovingTable("permission_requests", PermissionRequest, _SECTION),
    MovingTable("corrections", Correction, _SECTION),
    MovingTable("mending_proposals", MendingProposal, _SECTION),
    MovingTable("appeals", Appeal, _SECTION),
    MovingTable("section_takings", SectionTaking, _SECTION),
    MovingTable("remarks", Remark, _SECTION),
    MovingTable("filed_sheets", FiledSheet, "upload__federation"),
    MovingTable("hint_answers", HintAnswer, _SECTION, inside={"section": Section}),
    MovingTable("cases", Case, _OFFICE, record_number=True),
    MovingTable("case_messages", CaseMessage, "case__federation"),
    MovingTable("rules_versions", RulesVersion, _OFFICE),
    MovingTable("log_keys", LogKey, _OFFICE, _NUMBER, public=True),
    MovingTable("checkpoints", Checkpoint, _OFFICE, _NUMBER, public=True, bytes_at="log/edges/{number}"),
    MovingTable("cosignatures", Cosignature, "checkpoint__federation", public=True),
)
"""The tables that move, each below those that its rows name; the journal's lines are written after them."""

TABLES_AFTER_LINES = (
    MovingTable(
        "lists",
        RatingList,
        _OFFICE,
        ("on", "track", "revision"),
        public=True,
        bytes_at="lists/{on}/{track}-{revision}.csv",
    ),
    MovingTable("list_rows", ListRow, "rating_list__federation", public=True),
    MovingTable("errata", Erratum, "fact__federation", ("fact",), public=True),
    MovingTable("corrected_ratings", CorrectedRating, "erratum__fact__federation", public=True),
)
"""The tables whose rows name lines of the journal."""

ALL_TABLES = (*TABLES, *TABLES_AFTER_LINES)
TABLES_BY_MODEL = {each.model: each for each in ALL_TABLES}
PROGRAM_MEMBER = "programs/ratings-{version}-{sha256}.pyz"
"""The member of a program that drew a list up; programs belong to the installation, not to one office."""


# ---- The archive as a ZIP, the same bytes for the same office
#
# Members stand sorted, all with one time. The manifest, which is last, has the SHA-256 of each.
FORM = 1
"""The version of the archive's form; a program that writes other members has another."""
MANIFEST = "manifest.json"
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
PUBLIC_MODE, PRIVATE_MODE = 0o644, 0o600
_UNIX, _BYTES_AT_ONCE = 3, 1 << 20


class ArchiveRefused(Exception):
    """A refusal of an archive, with words for whoever runs the site; nothing was written."""


@dataclass(frozen=True, slots=True)
class OfficeManifest:
    """An archive's office, the rules that it goes by, and the SHA-256 of each member."""

    code: str
    name: str
    ruleset: str
    editions: tuple[str, ...]
    """The editions of the regulations that the program knew."""
    program: str
    """The version of the program that wrote the archive."""
    lines: int
    decisions: int
    members: dict[str, str] = field(default_factory=dict)

    def as_bytes(self) -> bytes:
        content = {"form": FORM, "says": "An office's whole record: see README.txt", **asdict(self)}
        return json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n"


def write_zip(
    file: IO[bytes], folder: Path, names: Iterable[str], manifest: OfficeManifest
) -> OfficeManifest:
    """Pack the members of a folder, and the manifest below them."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name in names:
            with (folder / name).open("rb") as source:
                manifest.members[name] = hashlib.file_digest(source, "sha256").hexdigest()
                source.seek(0)
                with packed.open(_member(name), "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, _BYTES_AT_ONCE)
        packed.writestr(_member(MANIFEST), manifest.as_bytes())
    return manifest


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, ZIP_TIME)
    member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, _UNIX
    member.external_attr = (PRIVATE_MODE if name.startswith(PRIVATE) else PUBLIC_MODE) << 16
    return member


class ArchiveReader:
    """Reads the members of a checked archive."""

    def __init__(self, packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
        self.packed, self.manifest = packed, manifest

    def open(self, member: str) -> IO[bytes]:
        try:
            return self.packed.open(member)
        except KeyError:
            raise ArchiveRefused(f"{member} is missing.") from None

    def read(self, member: str) -> bytes:
        with self.open(member) as file:
            return file.read()


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive and check it against its manifest. Raises `ArchiveRefused`, and OSError."""
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _read_manifest(packed, path)
            _refuse_altered(packed, manifest)
            yield ArchiveReader(packed, manifest)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise ArchiveRefused(f"{path} was cut short, or is no archive of an office: {error}") from None


def _read_manifest(packed: zipfile.ZipFile, path: Path) -> OfficeManifest:
    if MANIFEST not in packed.namelist():
        raise ArchiveRefused(f"{path} is no archive of an office: it has no {MANIFEST}.")
    try:
        cells: dict[str, Any] = dict(json.loads(packed.read(MANIFEST)))
        form = cells.pop("form")
    except (KeyError, ValueError, TypeError):
        raise ArchiveRefused(
            f"{path} is no archive of an office: its {MANIFEST} is that of something else."
        ) from None
    if form != FORM:
        raise ArchiveRefused(
            f"{path} is an archive in form {form}, and this program reads form {FORM}. Take it in with the "
            "version that wrote it, or a newer one."
        )
    try:
        del cells["says"]
        return OfficeManifest(**{**cells, "editions": tuple(cells["editions"])})
    except (KeyError, TypeError) as error:
        raise ArchiveRefused(f"{MANIFEST} cannot be read: {error}") from None


def _refuse_altered(packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
    there = [name for name in packed.namelist() if name != MANIFEST]
    if missing := sorted(set(manifest.members) - set(there)):
        raise ArchiveRefused(f"{missing[0]} is missing: the archive was altered.")
    if more := sorted(set(there) - set(manifest.members)) or _duplicates(there):
        raise ArchiveRefused(f"{more[0]} is not in the manifest: the archive was altered.")
    for name, digest in manifest.members.items():
        with packed.open(name) as member:
            if hashlib.file_digest(member, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                raise ArchiveRefused(f"{name} is not what the manifest says: the archive was altered.")


def _duplicates(names: list[str]) -> list[str]:
    return [name for at, name in enumerate(names) if name in names[:at]] if len({*names}) < len(names) else []


def describe_first_difference(
    archive: ArchiveReader, folder: Path, folder_names: Collection[str], archive_names: Collection[str]
) -> str:
    """Where the files of a folder (`here`) first differ from an archive's members (`archive_names`), or
    empty.
    """
    for name in sorted({*folder_names, *archive_names}):
        if name not in folder_names:
            return f"{name}: the office that was made of the archive has none"
        if name not in archive_names:
            return f"{name}: the archive has none"
        with archive.open(name) as ours, (folder / name).open("rb") as made:
            if words := _first_differing_line(ours, made):
                return f"{name}, {words}"
    return ""


def _first_differing_line(ours: IO[bytes], made: IO[bytes]) -> str:
    for number in count(1):
        one, other = ours.readline(_BYTES_AT_ONCE), made.readline(_BYTES_AT_ONCE)
        if one != other:
            return f"line {number}: the archive has {_quote(one)}, and what it gives is {_quote(other)}"
        if not one:
            break
    return ""


def _quote(line: bytes) -> str:
    words = line.decode(errors="replace").rstrip("\n")
    return f"“{words[:300]}”" if line else "no more lines"


# ---- Values of columns as JSON, the same on every database
def as_json(value: Any) -> Any:
    """A column's value for JSON: days and moments in ISO form (UTC), decimals with all their digits."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    return plain(value) if isinstance(value, Decimal) else _sort_keys(value)


def _sort_keys(value: Any) -> Any:
    """A JSON value with its keys sorted, because PostgreSQL keeps them in an order of its own."""
    if isinstance(value, dict):
        return {key: _sort_keys(value[key]) for key in sorted(value)}
    return [_sort_keys(each) for each in value] if isinstance(value, list) else value


def format_row(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def row_key(values: list[Any]) -> Any:
    """The key by which other rows name a row: its one value, or several joined by slashes."""
    return values[0] if len(values) == 1 else "/".join(map(str, values))


# ---- Writing an office's tables, each row by stable keys, and the files that rows hold
_ROWS_AT_ONCE = 2_000
OFFICE = f"{PRIVATE}office.json"
PEOPLE = f"{PRIVATE}tables/people.ndjson"
OFFICE_COLUMNS = ("code", "name", "ruleset_slug", "accent", "settings", "next_player_number", "demo")
"""The columns of `Federation` that move."""


def open_member(folder: Path, name: str) -> BinaryIO:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path.open("wb")


class RowWriter:
    """Writes the rows of one office's tables, naming each by its stable key."""

    def __init__(self, office: Federation, folder: Path) -> None:
        self.office, self.folder = office, folder
        self.keys: dict[type[models.Model], dict[int, Any]] = {
            Fact: dict(Fact.objects.filter(federation=office).values_list("pk", "number"))
        }
        """For each table that rows name, the rows' keys by database key."""

    def write(self) -> None:
        referenced = {
            column.related_model for table in ALL_TABLES for column in table.columns if column.is_relation
        }
        referenced |= {model for table in ALL_TABLES for model in table.inside.values()}
        referenced |= {many.related_model for table in ALL_TABLES for many in table.model._meta.many_to_many}
        for table in ALL_TABLES:
            if table.model in referenced and not table.record_number:
                self.keys[table.model] = self._keys_of(table)
        with open_member(self.folder, OFFICE) as file:
            file.write(format_row({name: as_json(getattr(self.office, name)) for name in OFFICE_COLUMNS}))
        self._write_people()
        for table in ALL_TABLES:
            self._write_table(table)

    def _keys_of(self, table: MovingTable) -> dict[int, Any]:
        columns: list[Any] = [table.model._meta.get_field(name) for name in table.key]
        rows = table.rows(self.office).values_list("pk", *(each.attname for each in columns))
        found = {}
        for place, (pk, *values) in enumerate(rows.iterator(_ROWS_AT_ONCE), start=1):
            cells = [self._stable_value(each, value) for each, value in zip(columns, values, strict=True)]
            found[pk] = row_key(cells) if cells else place
        return found

    def _stable_value(self, column: Any, value: Any) -> Any:
        """A column's value for JSON; of one that names another row, that row's key."""
        model = column.related_model
        if value is None or model is None:
            return as_json(value)
        if model is User or (model in TABLES_BY_MODEL and TABLES_BY_MODEL[model].record_number):
            return value
        return self.keys[model].get(value)

    def _write_people(self) -> None:
        """Write the number of each person whom rows name, with the name of the last appointment."""
        numbers: set[int] = set()
        for table in ALL_TABLES:
            for name in table.people:
                held = table.rows(self.office).order_by().exclude(**{name: None})
                numbers.update(held.values_list(f"{name}_id", flat=True).distinct())
        appointed = Appointment.objects.filter(federation=self.office).exclude(name="").order_by("pk")
        names = dict(appointed.values_list("user_id", "name"))
        with open_member(self.folder, PEOPLE) as file:
            for number in sorted(numbers):
                file.write(format_row({RECORD_NUMBER: number, "name": names.get(number, "")}))

    def _write_table(self, table: MovingTable) -> None:
        many = {field.name: self._links_of(table, field) for field in table.model._meta.many_to_many}
        blobs = [each for each in table.columns if isinstance(each, models.BinaryField)]
        rows = table.rows(self.office).defer(*(each.name for each in blobs))
        with open_member(self.folder, table.member) as file:
            for row in rows.iterator(_ROWS_AT_ONCE):
                cells = {RECORD_NUMBER: row.pk} if table.record_number else {}
                for column in table.columns:
                    cells[column.name] = (
                        self._write_bytes(table, row, column.name)
                        if column in blobs
                        else self._value(table, column, row)
                    )
                cells |= {name: links.get(row.pk, []) for name, links in many.items()}
                file.write(format_row(cells))

    def _value(self, table: MovingTable, column: Any, row: models.Model) -> Any:
        value = getattr(row, column.attname)
        if table.inside and isinstance(column, models.JSONField):
            return as_json(
                translate_keys(value, lambda name, pk: self.keys[table.inside[name]].get(pk), table)
            )
        return self._stable_value(column, value)

    def _links_of(self, table: MovingTable, field: Any) -> dict[int, list[Any]]:
        """The keys of the rows to which each row is linked, sorted, by database key."""
        here, there = field.m2m_column_name(), field.m2m_reverse_name()
        links = field.remote_field.through._default_manager.filter(
            **{f"{field.m2m_field_name()}__in": table.rows(self.office).values("pk")}
        )
        found = defaultdict(list)
        for pk, other in links.values_list(here, there).iterator(_ROWS_AT_ONCE):
            found[pk].append(self.keys[field.related_model][other])
        return {pk: sorted(others) for pk, others in found.items()}

    def _write_bytes(self, table: MovingTable, row: Any, name: str) -> str | None:
        """Write a row's bytes as a member of their own and return its name; None if there are none."""
        content = table.model._default_manager.filter(pk=row.pk).values_list(name, flat=True).get()
        if content is None:
            return None
        content = bytes(content)
        cells = {
            each.name: as_json(getattr(row, each.attname)) for each in table.columns if each.name != name
        }
        member = table.bytes_at.format(**{**cells, "sha256": hashlib.sha256(content).hexdigest()})
        if not (self.folder / member).exists():
            with open_member(self.folder, member) as file:
                file.write(content)
        return member


def translate_keys(value: Any, translate: Any, table: MovingTable) -> Any:
    """A JSON column's value with the database keys in it, or the keys in their places, translated."""
    if isinstance(value, list):
        return [translate_keys(each, translate, table) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: translate(name, each) if name in table.inside else each for name, each in value.items()}


def list_members(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# ---- Writing what other programs read: journal, ratings, sections, the register, programs
JOURNAL = "journal.ndjson"
ANSWER = "answer.json"
EVENTS = "events/"
"""The folder of sections as TRF or table: what the public may know of them."""
REGISTER = f"{PRIVATE}register.csv"
README = f"""Everything that a rating office holds, as open files.

For everybody:
  {JOURNAL}      the record of all facts, a line each, with its end line beside it
  {ANSWER}         what a replay of the journal gives: python -m ratings.replay {JOURNAL}
  lists/              every published list as its bytes: id,rating,games
  {EVENTS}             every rated section, as TRF where it fits, else as a table
  tables/, log/       lists, errata and regions by row; keys, checkpoints and witnesses of the journal's log
  programs/           the programs that drew the lists up

{PRIVATE} is nobody's but the office's: the register with births and the names of those who asked
not to be named, names and salts, who is withheld, decisions with their words, files as they were
filed, cases and remarks. Keep it as you keep the office's own database, and give it to nobody.

No key that signs is in here, and no account of anybody who works for the office.
"""


def _write_journal(office: Federation, folder: Path) -> None:
    above = LinesAbove()
    with open_member(folder, JOURNAL) as file:
        for line in journal_lines(office):
            above.add(line)
            file.write(f"{line}\n".encode())
    with open_member(folder, end_line_path(Path(JOURNAL)).name) as file:
        file.write(f"{above.end}\n".encode())
    with (folder / JOURNAL).open("rb") as lines, open_member(folder, ANSWER) as file:
        file.write(format_row(compute_answer(lines)))


def _write_events(office: Federation, folder: Path) -> None:
    sections = Section.objects.filter(event__federation=office, stage=Stage.RATED).order_by("pk")
    for section in sections.select_related("event__federation"):
        lines = section.facts.filter(kind="rated").in_force()
        rated = lines.select_related("takes").order_by("-number").first()
        if rated is None:
            continue  # a merge put it away
        rated.federation = office
        play = _without_particulars(
            public_play(CrossTable(section, rated, keep=lambda _name, _work: ({}, ())))
        )
        layout = play.layouts[0]
        name = (
            f"{EVENTS}{_file_name(section.event.number)}/{_file_name(section.code)}.{FILE_SUFFIXES[layout]}"
        )
        with open_member(folder, name) as file:
            file.write(render_section_file(play, layout))


def _file_name(part: str) -> str:
    """A part of a section's id as a safe file name."""
    return quote(part, safe="") if part.strip(".") else part.replace(".", "%2E")


def _without_particulars(play: SectionPlay) -> SectionPlay:
    """A section's play without what may be public on one day and not on another: births, sexes, titles."""
    told = {pk: replace(each, born=None, sex="", title="") for pk, each in play.told.items()}
    return replace(play, told=told)


def _write_program_files(office: Federation, folder: Path) -> None:
    drawn = RatingList.objects.of(office).values("program_sha256")
    for program in ProgramFile.objects.filter(sha256__in=drawn).order_by("sha256"):
        with open_member(
            folder, PROGRAM_MEMBER.format(version=program.version, sha256=program.sha256)
        ) as file:
            file.write(bytes(program.content))


# ---- Exporting an office
def export_office(office: Federation, path: Path) -> OfficeManifest:
    """Write everything that an office holds into one archive, readable by its owner only. Raises `Refused`
    while ratings are computed, and OSError where there is no room; then nothing is left.
    """
    with make_unfinished_folder(path.parent) as folder:
        with consistent_snapshot():
            manifest = write_members(office, folder)
        with atomic_file(path) as file:
            return write_zip(file, folder, list_members(folder), manifest)


def write_members(office: Federation, folder: Path) -> OfficeManifest:
    """Write the members of an office's archive into a folder; return its manifest, still without them."""
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        raise Refused(
            f"The ratings of {office.code} are still to be computed, and an archive would be of neither "
            f"state: manage.py recompute {office.code}, then this again."
        )
    with translation.override("en"):
        with open_member(folder, "README.txt") as file:
            file.write(README.encode())
        _write_journal(office, folder)
        _write_events(office, folder)
        _write_program_files(office, folder)
        with open_member(folder, REGISTER) as file:
            players = Player.objects.of(office).order_by("number")
            write_register(file, office, players, layout="csv", birth_precision=DAY, on=date.max)
    RowWriter(office, folder).write()
    return OfficeManifest(
        code=office.code,
        name=office.name,
        ruleset=office.ruleset_slug,
        editions=tuple(edition.name for edition in office.ruleset.editions),
        program=get_current_program().version,
        lines=ledger.facts,
        decisions=ledger.decisions,
    )


# ---- Reading the rows of an archive into an empty installation, under new database keys
_BATCH_SIZE, _BATCH_WITH_BYTES = 1_000, 20
"""Rows of one statement; fewer where they hold files."""
IMPORTED_PERSON_ADDRESS = "person-{number}@{code}.invalid"
"""The address of a person who came with an archive: undeliverable, and useless for signing in."""


class _ReadRow(NamedTuple):
    """A row that is read but not written. `later`: columns that name rows of its own table below it."""

    row: models.Model
    key: Any
    links: dict[str, list[Any]]
    later: dict[str, Any]


class RowImporter:
    """Writes one office's tables from an archive."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.keys: dict[type[models.Model], dict[Any, int]] = {}
        """For each table that was read, the rows' database keys by stable key."""
        self.office = self._read_office()
        self._read_people()
        for table in TABLES:
            self._read(table)

    def import_remaining(self) -> None:
        """Write the tables whose rows name lines of the journal, once those are written."""
        lines = Fact.objects.filter(federation=self.office)
        self.keys[Fact] = dict(lines.values_list("number", "pk"))
        for table in TABLES_AFTER_LINES:
            self._read(table)
        reset_sequences(*(table.model for table in ALL_TABLES if table.record_number), User)

    def _read_office(self) -> Federation:
        [cells] = self._rows(OFFICE)
        office = Federation(**{name: cells[name] for name in OFFICE_COLUMNS})
        office.save(force_insert=True)
        return office

    def _read_people(self) -> None:
        """Create the people whom rows name, inactive, without password or usable address."""
        people = []
        for cells in self._rows(PEOPLE):
            address = IMPORTED_PERSON_ADDRESS.format(number=cells[RECORD_NUMBER], code=self.office.code)
            person = User(pk=cells[RECORD_NUMBER], name=cells["name"], email=address, is_active=False)
            person.set_unusable_password()
            people.append(person)
        refuse_used_numbers(User, [person.pk for person in people])
        User.objects.bulk_create(people, batch_size=_BATCH_SIZE)
        self.keys[User] = {person.pk: person.pk for person in people}

    def _rows(self, member: str) -> Iterator[dict[str, Any]]:
        with self.archive.open(member) as lines:
            for number, line in enumerate(lines, start=1):
                with locate_errors(member, number):
                    cells = json.loads(line)
                yield cells

    def _read(self, table: MovingTable) -> None:
        self.keys[table.model] = {}
        has_bytes = any(isinstance(each, models.BinaryField) for each in table.columns)
        waiting: dict[Any, _ReadRow] = {}
        later: list[tuple[int, dict[str, Any]]] = []
        for place, cells in enumerate(self._rows(table.member), start=1):
            with locate_errors(table.member, place):
                read = self._read_row(table, cells, place, waiting)
            waiting[read.key] = read
            if len(waiting) >= (_BATCH_WITH_BYTES if has_bytes else _BATCH_SIZE):
                later += self._write(table, waiting)
        later += self._write(table, waiting)
        for pk, columns in later:
            found = {name: self.keys[table.model][key] for name, key in columns.items()}
            table.model._default_manager.filter(pk=pk).update(**found)

    def _read_row(
        self, table: MovingTable, cells: dict[str, Any], place: int, waiting: dict[Any, _ReadRow]
    ) -> _ReadRow:
        row, later = table.model(), {}
        if table.record_number:
            row.pk = cells[RECORD_NUMBER]
        for column in table.columns:
            value = cells[column.name]
            if column.related_model is table.model and value is not None:
                if value in waiting:
                    self._write(table, waiting)
                if value not in self.keys[table.model]:
                    later[f"{column.name}_id"], value = value, None
            setattr(row, column.attname, self._value(table, column, value))
        if table.owner == "federation":
            row.federation_id = self.office.pk  # type: ignore[attr-defined]
        key = row_key([cells[name] for name in table.key]) if table.key else row.pk or place
        links = {many.name: cells[many.name] for many in table.model._meta.many_to_many}
        return _ReadRow(row, key, links, later)

    def _value(self, table: MovingTable, column: Any, value: Any) -> Any:
        if value is not None and column.related_model is not None:
            return self.keys[column.related_model][value]
        if value is not None and isinstance(column, models.BinaryField):
            return self.archive.read(value)
        if table.inside and isinstance(column, models.JSONField):
            return translate_keys(value, lambda name, key: self.keys[table.inside[name]].get(key), table)
        # A column's value from what `as_json` wrote. Raises ValueError, or Django's ValidationError, for what
        # the column cannot hold.
        if value is None or isinstance(column, models.JSONField):
            return value
        if isinstance(column, models.DateTimeField):
            return datetime.fromisoformat(value)
        return column.to_python(value)

    def _write(self, table: MovingTable, waiting: dict[Any, _ReadRow]) -> list[tuple[int, dict[str, Any]]]:
        """Write the rows that wait; return the columns to fill in once all are there, by database key."""
        some = list(waiting.values())
        waiting.clear()
        if table.record_number:
            refuse_used_numbers(table.model, [each.row.pk for each in some])
        try:
            table.model._default_manager.bulk_create([each.row for each in some])
        except (DatabaseError, ValueError) as error:
            raise ArchiveRefused(f"{table.member}: {error}") from None
        self.keys[table.model] |= {each.key: each.row.pk for each in some}
        for many in table.model._meta.many_to_many:
            self._link(many, some)
        return [(each.row.pk, each.later) for each in some if each.later]

    def _link(self, many: Any, rows: Iterable[_ReadRow]) -> None:
        through, others = many.remote_field.through, self.keys[many.related_model]
        here, there = f"{many.m2m_field_name()}_id", f"{many.m2m_reverse_field_name()}_id"
        through._default_manager.bulk_create(
            through(**{here: each.row.pk, there: others[key]})
            for each in rows
            for key in each.links[many.name]
        )


@contextmanager
def locate_errors(member: str, line: int) -> Iterator[None]:
    """Turn errors of reading into `ArchiveRefused` with the member and line."""
    try:
        yield
    except KeyError as missing:
        raise ArchiveRefused(f"{member}, line {line}: {missing} is missing") from None
    except (ValueError, TypeError, ValidationError) as error:
        raise ArchiveRefused(f"{member}, line {line}: {error}") from None


def refuse_used_numbers(model: type[models.Model], numbers: list[int]) -> None:
    """Raise `ArchiveRefused` where a number that the record names is given out here already."""
    taken = model._default_manager.filter(pk__in=numbers).order_by("pk").values_list("pk", flat=True).first()
    if taken is not None:
        raise ArchiveRefused(
            f"The archive's record of decisions names {model._meta.verbose_name} {taken}, and another has "
            "that number here. Take the archive into an empty installation."
        )


def reset_sequences(*tables: type[models.Model]) -> None:
    """Make the database give out numbers above those that came with rows."""
    statements = connection.ops.sequence_reset_sql(no_style(), list(tables))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


# ---- Importing an office, in one transaction
def import_office(path: Path, *, at: datetime) -> tuple[Federation, OfficeManifest, Report]:
    """Make an office of an archive: every row, every line, every file, and the ratings by a replay.

    Before the commit, everything stored is compared with a replay and the chain of decisions
    (`ratings.verify`), and an archive written of it with the one that was read. Raises `ArchiveRefused`, with
    nothing written, where the archive is altered or does not fit here; OSError where it cannot be read.
    """
    with open_archive(path) as archive:
        # Raise `ArchiveRefused` where this program lacks the rules of the office, or an edition of them.
        manifest = archive.manifest
        ruleset = rulesets().get(manifest.ruleset)
        if ruleset is None:
            raise ArchiveRefused(
                f"The archive goes by the rules “{manifest.ruleset}”, which this program lacks."
            )
        known = [edition.name for edition in ruleset.editions]
        if missing := [name for name in manifest.editions if name not in known]:
            raise ArchiveRefused(
                f"The archive goes by the edition “{missing[0]}” of the rules “{manifest.ruleset}”, and this "
                f"program knows: {', '.join(known)}. Install version {manifest.program} or a newer one."
            )
        _refuse_office(archive.manifest)
        with transaction.atomic(), without_gc():
            office = _write(archive)
            _fold(office)
            # Hold an office that has signed its journal, until its operator says what was signed last: the
            # key that signs is in no archive, and of two installations one alone may go on with the log.
            if newest := Checkpoint.objects.of(office).order_by("-size").first():
                store_full_tiles(office, newest.size)
            if LogKey.objects.filter(federation=office).exists():
                Ledger.objects.filter(federation=office).update(held=True, restored_at=at)
            report = _verify(office)
            # Raise `ArchiveRefused` where the office's own archive would be another. Sections as TRF or table
            # were written again: by another version of the program, they may be in other words.
            same_program = archive.manifest.program == get_current_program().version
            with make_unfinished_folder() as folder:
                write_members(office, folder)
                names = [name for name in list_members(folder) if same_program or not _is_rewritten(name)]
                there = [name for name in archive.manifest.members if same_program or not _is_rewritten(name)]
                if words := describe_first_difference(archive, folder, names, there):
                    raise ArchiveRefused(f"The archive was altered, or is not of one office: {words}")
        return office, archive.manifest, report


def _refuse_office(manifest: OfficeManifest) -> None:
    if Federation.objects.filter(code=manifest.code).exists():
        raise ArchiveRefused(
            f"There is an office “{manifest.code}” here already. Take the archive into an installation "
            "without one."
        )


def _write(archive: ArchiveReader) -> Federation:
    for member in (name for name in archive.manifest.members if name.startswith("programs/")):
        program = Program(member.removesuffix(".pyz").split("-")[1], archive.read(member))
        ProgramFile.objects.get_or_create(
            sha256=program.sha256, defaults={"version": program.version, "content": program.content}
        )
    rows = RowImporter(archive)
    office = rows.office
    record = _read_journal(archive)
    if record.federation.code != office.code or len(record.lines) != archive.manifest.lines:
        raise ArchiveRefused(
            f"{JOURNAL} is not the journal of {archive.manifest.lines} lines of {office.code}"
        )
    _write_lines(office, record)
    decisions = office.decisions.count()
    Ledger.objects.create(federation=office, facts=len(record.lines), wanted=1, decisions=decisions)
    rows.import_remaining()
    skip_past_decisions(office)  # the old office has ordered them
    return office


def _read_journal(archive: ArchiveReader) -> journal.Journal:
    try:
        with archive.open(JOURNAL) as lines:
            return journal.read_journal(lines)
    except journal_form.JournalError as error:
        raise ArchiveRefused(f"{JOURNAL}: {error.problems[0]}") from None


def _write_lines(office: Federation, record: journal.Journal) -> None:
    intake = Intake(office, record.lines)
    rows = Section.objects.filter(event__federation=office).select_related("event")
    sections = {section.key: section for section in rows}
    if missing := sorted(intake.sections.keys() - sections.keys()):
        raise ArchiveRefused(f"{JOURNAL} names section {missing[0]}, which no table has")
    write_facts(intake.rows, intake.pres, sections)


def _fold(office: Federation) -> None:
    """Compute all ratings from the lines; lists and errata are there already, as they were published."""
    ledgers = Ledger.objects.filter(federation=office)
    ledger: Any = jobs.claim(ledgers, ledgers.get().pk, wait_for_lock=True)
    ledger.line = ledger.facts
    fold_everything_again(office, ledger)


def _verify(office: Federation) -> Report:
    report = verify(office)
    if report.differences:
        raise ArchiveRefused(f"What the archive holds is not what a replay gives: {report.differences[0]}")
    return report


def _is_rewritten(name: str) -> bool:
    return name.startswith((EVENTS, "README", "private/register.csv"))
