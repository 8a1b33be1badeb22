"""Moves a whole office from one installation to another, by an archive of open files. The one side writes the
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
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple
from urllib.parse import quote

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connection, models, transaction
from django.utils import translation

from players import models as job_lease
from players.models import (
    Appointment,
    BirthDate,
    Decision,
    DecisionWords,
    Federation,
    FormerName,
    Handover,
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
from players.storage import unfinished_folder, whole_file
from ratings.cross_tables import SUFFIXES, CrossTable, play_of
from ratings.dumps import one_moment
from ratings.intake import Intake, write_facts
from ratings.journal import journal_lines
from ratings.letters import order_none_until_now
from ratings.models import (
    Checkpoint,
    CorrectedRating,
    Cosignature,
    Erratum,
    Fact,
    HintAnswer,
    ListRow,
    ListTaking,
    LogKey,
    ProgramFile,
    RatingList,
    RulesVersion,
)
from ratings.program import Program, current
from ratings.replay import answer
from ratings.rules_change import refold
from ratings.rulesets import journal, rulesets
from ratings.rulesets import journal_lines as journal_form
from ratings.rulesets.journal_lines import LinesAbove, end_beside, plain
from ratings.rulesets.ruleset import uncollected
from ratings.signing import grow
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
from tournaments.section_files import FiledPlay, file_of

# ---- The tables that move with an office, how an archive names their rows, and what stays behind.
#
# No archive names a row by its database key: a player is a number, a section `EVENT/SECTION`, a file its
# SHA-256. Three keys are given out as numbers and stand in the chained record of decisions, which nobody can
# write anew: those of people, appointments and cases. They move as the record has them.
PRIVATE = "private/"
"""The folder of an archive with all that is nobody's but the office's."""
RECORD_NUMBER = "record_number"
"""The name in a row of the number by which the record of decisions knows a person, appointment or case."""
LEASE = frozenset({"holder", "heartbeat", "attempts"})
"""Columns that say which worker has a row: none has it where it arrives."""


@dataclass(frozen=True, slots=True)
class MovingTable:
    """A table whose rows move, each as a JSON object of one line."""

    name: str
    model: type[models.Model]
    owner: str
    """The path from a row to its federation."""
    key: tuple[str, ...] = ()
    """The columns by which other rows name one of these; none: its place in the file, from 1."""
    public: bool = False
    """Whether everybody may read it; otherwise it lies in the private folder."""
    record_number: bool = False
    """Whether the row's database key stands in the record of decisions."""
    bytes_at: str = f"{PRIVATE}files/{{sha256}}"
    """The member that a row's bytes become; `sha256` is that of the bytes."""
    inside: Mapping[str, type[models.Model]] = field(default_factory=dict)
    """Keys of its JSON columns whose values are database keys, and of which model."""

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
            and each.name not in LEASE
            and not (self.owner == each.name == "federation")
            and not isinstance(each, FoldedNameField)
        ]

    @property
    def people(self) -> list[str]:
        """The columns that name whoever did something."""
        return [each.name for each in self.columns if each.related_model is User]

    def rows(self, office: models.Model) -> models.QuerySet[Any]:
        """The office's rows in the order in which they were written, which an archive keeps."""
        return self.model._default_manager.filter(**{self.owner: office}).order_by("pk")


_NUMBER, _OFFICE = ("number",), "federation"
_SECTION, _EVENT, _PLAYER = "section__event__federation", "event__federation", "player__federation"

TABLES = (
    MovingTable("regions", Region, _OFFICE, ("code",), public=True),
    MovingTable("appointments", Appointment, _OFFICE, record_number=True),
    MovingTable("handovers", Handover, _OFFICE),
    MovingTable("decisions", Decision, _OFFICE, _NUMBER),
    MovingTable("decision_words", DecisionWords, "decision__federation", ("decision", "key")),
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
    MovingTable("list_takings", ListTaking, _OFFICE),
    MovingTable("log_keys", LogKey, _OFFICE, _NUMBER, public=True),
    MovingTable("checkpoints", Checkpoint, _OFFICE, _NUMBER, public=True, bytes_at="log/edges/{number}"),
    MovingTable("cosignatures", Cosignature, "checkpoint__federation", public=True),
)
"""The tables that move, each below those that its rows name; the journal's lines are written after them."""

AFTER_THE_LINES = (
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

ALL = (*TABLES, *AFTER_THE_LINES)
BY_MODEL = {each.model: each for each in ALL}
PROGRAM = "programs/ratings-{version}-{sha256}.pyz"
"""The member of a program that drew a list up: the installation's own, not one office's."""
IN_OTHER_FORM = {
    "players.Federation": "private/office.json",
    "players.User": "private/tables/people.ndjson: numbers and names; accounts stay behind",
    "ratings.Fact": "journal.ndjson; names and salts: sealed_names",
    "ratings.ProgramFile": "programs/",
}
"""Models that move in another form than a table's rows, and where they are."""
STAYS_BEHIND = {
    "players.Ledger": "counts, which are made anew",
    "players.Letter": "letters still to go: the old office sends them",
    "players.LetterSwitch": "a person's own, with the account",
    "players.LettersOrdered": "no letter is ordered again",
    "players.SentForm": "marks of forms in open browsers",
    "players.NameWord": "follows from names",
    "ratings.StatedPre": "follows from the journal",
    "ratings.Change": "follows from the journal",
    "ratings.PastChange": "follows from the journal",
    "ratings.Standing": "follows from the journal",
    "ratings.Wide": "follows from the journal",
    "ratings.PastWide": "follows from the journal",
    "ratings.TreeTile": "follows from the journal",
    "ratings.Hint": "drawn up anew by the worker",
    "ratings.HintsSearch": "drawn up anew by the worker",
    "ratings.DoublesCount": "counted anew by the worker",
    "ratings.ReviewFigures": "counted anew by the worker",
    "ratings.MergeOutlook": "worked out anew by the worker",
}
"""Models of which nothing moves, and why."""


# ---- The archive as a file: a ZIP, the same for the same office, and the reasons to refuse one.
#
# Members stand sorted, all with one time. The manifest, which is last, has the SHA-256 of each.
FORM = 1
"""The form of archives: a program that writes other members has another."""
MANIFEST = "manifest.json"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
EVERYBODY, OWNER_ALONE = 0o644, 0o600
_UNIX, _BYTES_AT_ONCE = 3, 1 << 20


class CannotTakeIn(Exception):
    """A refusal of an archive, with words for whoever runs the site. Nothing was written."""


@dataclass(frozen=True, slots=True)
class OfficeManifest:
    """The list of an archive: its office, the rules that it goes by, and the SHA-256 of each member."""

    code: str
    name: str
    ruleset: str
    editions: tuple[str, ...]
    """The editions of the regulations that the program knew."""
    program: str
    """The version of the program that wrote it."""
    lines: int
    decisions: int
    members: dict[str, str] = field(default_factory=dict)

    def written(self) -> bytes:
        told = {"form": FORM, "says": "An office's whole record: see README.txt", **asdict(self)}
        return json.dumps(told, ensure_ascii=False, indent=1).encode() + b"\n"


def write_zip(
    file: IO[bytes], folder: Path, names: Iterator[str], manifest: OfficeManifest
) -> OfficeManifest:
    """Pack the members of a folder, and the manifest below them."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for name in names:
            with (folder / name).open("rb") as source:
                manifest.members[name] = hashlib.file_digest(source, "sha256").hexdigest()
                source.seek(0)
                with packed.open(_member(name), "w", force_zip64=True) as target:
                    shutil.copyfileobj(source, target, _BYTES_AT_ONCE)
        packed.writestr(_member(MANIFEST), manifest.written())
    return manifest


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, _UNIX
    member.external_attr = (OWNER_ALONE if name.startswith(PRIVATE) else EVERYBODY) << 16
    return member


class ArchiveReader:
    """Reads the members of an archive that was checked."""

    def __init__(self, packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
        self.packed, self.manifest = packed, manifest

    def opened(self, member: str) -> IO[bytes]:
        try:
            return self.packed.open(member)
        except KeyError:
            raise CannotTakeIn(f"{member} is missing.") from None

    def content(self, member: str) -> bytes:
        with self.opened(member) as file:
            return file.read()


@contextmanager
def opened_archive(path: Path) -> Iterator[ArchiveReader]:
    """Open an archive whose every member is what its manifest says. Raises `CannotTakeIn`, and OSError where
    the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            manifest = _manifest(packed, path)
            _refuse_altered(packed, manifest)
            yield ArchiveReader(packed, manifest)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise CannotTakeIn(f"{path} was cut short, or is no archive of an office: {error}") from None


def _manifest(packed: zipfile.ZipFile, path: Path) -> OfficeManifest:
    if MANIFEST not in packed.namelist():
        raise CannotTakeIn(f"{path} is no archive of an office: it has no {MANIFEST}.")
    try:
        told: dict[str, Any] = dict(json.loads(packed.read(MANIFEST)))
        form = told.pop("form")
    except (KeyError, ValueError, TypeError):
        raise CannotTakeIn(
            f"{path} is no archive of an office: its {MANIFEST} is that of something else."
        ) from None
    if form != FORM:
        raise CannotTakeIn(
            f"{path} is an archive in form {form}, and this program reads form {FORM}. Take it in with the "
            "version that wrote it, or a newer one."
        )
    try:
        del told["says"]
        return OfficeManifest(**{**told, "editions": tuple(told["editions"])})
    except (KeyError, TypeError) as error:
        raise CannotTakeIn(f"{MANIFEST} cannot be read: {error}") from None


def _refuse_altered(packed: zipfile.ZipFile, manifest: OfficeManifest) -> None:
    there = [name for name in packed.namelist() if name != MANIFEST]
    if missing := sorted(set(manifest.members) - set(there)):
        raise CannotTakeIn(f"{missing[0]} is missing: the archive was altered.")
    if more := sorted(set(there) - set(manifest.members)) or _twice(there):
        raise CannotTakeIn(f"{more[0]} is not in the manifest: the archive was altered.")
    for name, digest in manifest.members.items():
        with packed.open(name) as member:
            if hashlib.file_digest(member, "sha256").hexdigest() != digest:  # type: ignore[arg-type]
                raise CannotTakeIn(f"{name} is not what the manifest says: the archive was altered.")


def _twice(names: list[str]) -> list[str]:
    return [name for at, name in enumerate(names) if name in names[:at]] if len({*names}) < len(names) else []


def first_difference(
    archive: ArchiveReader, folder: Path, here: Collection[str], there: Collection[str]
) -> str:
    """Say in which member files in a folder (`here`) first differ from an archive's (`there`), and where;
    empty: nowhere.
    """
    for name in sorted({*here, *there}):
        if name not in here:
            return f"{name}: the office that was made of the archive has none"
        if name not in there:
            return f"{name}: the archive has none"
        with archive.opened(name) as ours, (folder / name).open("rb") as made:
            if words := _first_line(ours, made):
                return f"{name}, {words}"
    return ""


def _first_line(ours: IO[bytes], made: IO[bytes]) -> str:
    number = 0
    while True:
        number += 1
        one, other = ours.readline(_BYTES_AT_ONCE), made.readline(_BYTES_AT_ONCE)
        if one != other:
            return f"line {number}: the archive has {_shown(one)}, and what it gives is {_shown(other)}"
        if not one:
            return ""


def _shown(line: bytes) -> str:
    words = line.decode(errors="replace").rstrip("\n")
    return f"“{words[:300]}”" if line else "no more lines"


# ---- Turns the values of columns into JSON and back, the same on every database.
def as_json(value: Any) -> Any:
    """A column's value as JSON has it: days and moments in ISO form (UTC), numbers with all their digits."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    return plain(value) if isinstance(value, Decimal) else _in_order(value)


def _in_order(value: Any) -> Any:
    """A JSON column's value with its keys sorted: PostgreSQL keeps them in an order of its own."""
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(each) for each in value] if isinstance(value, list) else value


def line_of(row: dict[str, Any]) -> bytes:
    """A row's line in its file: keys in the order of the columns, UTF-8, and a line end."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def key_of(values: list[Any]) -> Any:
    """The key by which other rows name a row: its one value, or several as one text."""
    return values[0] if len(values) == 1 else "/".join(map(str, values))


# ---- Writes an office's tables into a folder, each row by stable keys, and the files that rows hold.
_ROWS_AT_ONCE = 2_000
OFFICE = f"{PRIVATE}office.json"
PEOPLE = f"{PRIVATE}tables/people.ndjson"
OF_OFFICE = ("code", "name", "ruleset_slug", "accent", "settings", "next_player_number", "demo")
"""The federation's own columns that move."""


def new_member(folder: Path, name: str) -> BinaryIO:
    """Open a new file of an archive that is being written."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path.open("wb")


class RowWriter:
    """Writes the rows of one office's tables, and names each by its stable key."""

    def __init__(self, office: Federation, folder: Path) -> None:
        self.office, self.folder = office, folder
        self.keys: dict[type[models.Model], dict[int, Any]] = {
            Fact: dict(Fact.objects.filter(federation=office).values_list("pk", "number"))
        }
        """For each table that rows name, the rows' keys by database key."""

    def write(self) -> None:
        named = {column.related_model for table in ALL for column in table.columns if column.is_relation}
        named |= {model for table in ALL for model in table.inside.values()}
        named |= {many.related_model for table in ALL for many in table.model._meta.many_to_many}
        for table in ALL:
            if table.model in named and not table.record_number:
                self.keys[table.model] = self._keys_of(table)
        self._write_office()
        self._write_people()
        for table in ALL:
            self._write_table(table)

    def _keys_of(self, table: MovingTable) -> dict[int, Any]:
        columns: list[Any] = [table.model._meta.get_field(name) for name in table.key]
        rows = table.rows(self.office).values_list("pk", *(each.attname for each in columns))
        found = {}
        for place, (pk, *values) in enumerate(rows.iterator(_ROWS_AT_ONCE), start=1):
            told = [self._named(each, value) for each, value in zip(columns, values, strict=True)]
            found[pk] = key_of(told) if told else place
        return found

    def _named(self, column: Any, value: Any) -> Any:
        """A column's value for JSON; of one that names another row, that row's key."""
        model = column.related_model
        if value is None or model is None:
            return as_json(value)
        if model is User or (model in BY_MODEL and BY_MODEL[model].record_number):
            return value
        return self.keys[model].get(value)

    def _write_office(self) -> None:
        with new_member(self.folder, OFFICE) as file:
            file.write(line_of({name: as_json(getattr(self.office, name)) for name in OF_OFFICE}))

    def _write_people(self) -> None:
        """Write the numbers of all whom rows name, with the name by which the office appointed them last."""
        numbers: set[int] = set()
        for table in ALL:
            for name in table.people:
                held = table.rows(self.office).order_by().exclude(**{name: None})
                numbers.update(held.values_list(f"{name}_id", flat=True).distinct())
        appointed = Appointment.objects.filter(federation=self.office).exclude(name="").order_by("pk")
        names = dict(appointed.values_list("user_id", "name"))
        with new_member(self.folder, PEOPLE) as file:
            for number in sorted(numbers):
                file.write(line_of({RECORD_NUMBER: number, "name": names.get(number, "")}))

    # ---------------------------------------------------------------- rows

    def _write_table(self, table: MovingTable) -> None:
        many = {field.name: self._linked(table, field) for field in table.model._meta.many_to_many}
        blobs = [each for each in table.columns if isinstance(each, models.BinaryField)]
        rows = table.rows(self.office).defer(*(each.name for each in blobs))
        with new_member(self.folder, table.member) as file:
            for row in rows.iterator(_ROWS_AT_ONCE):
                told = {RECORD_NUMBER: row.pk} if table.record_number else {}
                for column in table.columns:
                    told[column.name] = (
                        self._bytes_of(table, row, column.name)
                        if column in blobs
                        else self._value(table, column, row)
                    )
                told |= {name: links.get(row.pk, []) for name, links in many.items()}
                file.write(line_of(told))

    def _value(self, table: MovingTable, column: Any, row: models.Model) -> Any:
        value = getattr(row, column.attname)
        if table.inside and isinstance(column, models.JSONField):
            return as_json(inner(value, lambda name, pk: self.keys[table.inside[name]].get(pk), table))
        return self._named(column, value)

    def _linked(self, table: MovingTable, field: Any) -> dict[int, list[Any]]:
        """The keys of the rows to which each row is linked, sorted."""
        here, there = field.m2m_column_name(), field.m2m_reverse_name()
        links = field.remote_field.through._default_manager.filter(
            **{f"{field.m2m_field_name()}__in": table.rows(self.office).values("pk")}
        )
        found = defaultdict(list)
        for pk, other in links.values_list(here, there).iterator(_ROWS_AT_ONCE):
            found[pk].append(self.keys[field.related_model][other])
        return {pk: sorted(others) for pk, others in found.items()}

    def _bytes_of(self, table: MovingTable, row: Any, name: str) -> str | None:
        """Write a row's bytes as a member of their own and return its name; None where there are none."""
        content = table.model._default_manager.filter(pk=row.pk).values_list(name, flat=True).get()
        if content is None:
            return None
        content = bytes(content)
        told = {each.name: as_json(getattr(row, each.attname)) for each in table.columns if each.name != name}
        member = table.bytes_at.format(**{**told, "sha256": hashlib.sha256(content).hexdigest()})
        if not (self.folder / member).exists():
            with new_member(self.folder, member) as file:
                file.write(content)
        return member


def inner(value: Any, translated: Any, table: MovingTable) -> Any:
    """A JSON column's value with its database keys, or the keys in their places, translated to the other."""
    if isinstance(value, list):
        return [inner(each, translated, table) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: translated(name, each) if name in table.inside else each for name, each in value.items()}


def members_in(folder: Path) -> Iterator[str]:
    """The members that were written into a folder, sorted."""
    yield from sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# ---- Writes what other programs read: journal, ratings, sections as TRF or table, the register, programs.
JOURNAL = "journal.ndjson"
ANSWER = "answer.json"
EVENTS = "events/"
"""The folder of sections as TRF or table: what the public may know of them, written anew."""
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
    with new_member(folder, JOURNAL) as file:
        for line in journal_lines(office):
            above.add(line)
            file.write(f"{line}\n".encode())
    with new_member(folder, end_beside(Path(JOURNAL)).name) as file:
        file.write(f"{above.end}\n".encode())
    with (folder / JOURNAL).open("rb") as lines, new_member(folder, ANSWER) as file:
        told = answer(lines)
        file.write(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def _write_events(office: Federation, folder: Path) -> None:
    sections = Section.objects.filter(event__federation=office, stage=Stage.RATED).order_by("pk")
    for section in sections.select_related("event__federation"):
        lines = section.facts.filter(kind="rated").in_force()
        rated = lines.select_related("takes").order_by("-number").first()
        if rated is None:
            continue  # a merge put it away
        rated.federation = office
        play = _of_any_day(play_of(CrossTable(section, rated, keep=lambda _name, _work: ({}, {}))))
        layout = play.layouts[0]
        name = f"{EVENTS}{_as_name(section.event.number)}/{_as_name(section.code)}.{SUFFIXES[layout]}"
        with new_member(folder, name) as file:
            file.write(file_of(play, layout))


def _as_name(part: str) -> str:
    """A part of a section's id as a file's name: no stroke, and never dots alone."""
    return quote(part, safe="") if part.strip(".") else part.replace(".", "%2E")


def _of_any_day(play: FiledPlay) -> FiledPlay:
    """Leave out of a section's play what may be told on one day and not on another: births, sexes, titles."""
    told = {pk: replace(each, born=None, sex="", title="") for pk, each in play.told.items()}
    return replace(play, told=told)


def _write_program_files(office: Federation, folder: Path) -> None:
    drawn = RatingList.objects.of(office).values("program_sha256")
    for program in ProgramFile.objects.filter(sha256__in=drawn).order_by("sha256"):
        with new_member(folder, PROGRAM.format(version=program.version, sha256=program.sha256)) as file:
            file.write(bytes(program.content))


# ---- Writes an office's archive: as of one moment, whole or not at all.
def export_office(office: Federation, path: Path) -> OfficeManifest:
    """Write everything that an office holds into one archive, readable by its owner only.

    Raises `Refused` while ratings are computed, OSError where there is no room; then nothing is left.
    """
    with unfinished_folder(path.parent) as folder:
        with one_moment():
            manifest = write_members(office, folder)
        with whole_file(path) as file:
            return write_zip(file, folder, members_in(folder), manifest)


def write_members(office: Federation, folder: Path) -> OfficeManifest:
    """Write the members of an office's archive into a folder; return its manifest, still without them."""
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        raise Refused(
            f"The ratings of {office.code} are still to be computed, and an archive would be of neither "
            f"state: manage.py recompute {office.code}, then this again."
        )
    with translation.override("en"):
        with new_member(folder, "README.txt") as file:
            file.write(README.encode())
        _write_journal(office, folder)
        _write_events(office, folder)
        _write_program_files(office, folder)
        with new_member(folder, REGISTER) as file:
            players = Player.objects.of(office).order_by("number")
            write_register(file, office, players, layout="csv", births=DAY, on=date.max)
    RowWriter(office, folder).write()
    return OfficeManifest(
        code=office.code,
        name=office.name,
        ruleset=office.ruleset_slug,
        editions=tuple(edition.name for edition in office.ruleset.editions),
        program=current().version,
        lines=ledger.facts,
        decisions=ledger.decisions,
    )


# ---- Writes the rows of an archive into an empty installation, under new database keys.
_AT_ONCE, _WITH_BYTES = 1_000, 20
"""Rows of one statement; fewer where they hold files."""
NOBODY = "person-{number}@{code}.invalid"
"""The address of a person who came with an archive: no letter can go there, and nobody signs in with it."""


class _ReadRow(NamedTuple):
    """A row that is read but not written: its key, its links, and its own row that it names below it."""

    row: models.Model
    key: Any
    links: dict[str, list[Any]]
    later: dict[str, Any]


class RowReader:
    """Writes one office's tables from an archive."""

    def __init__(self, archive: ArchiveReader) -> None:
        self.archive = archive
        self.keys: dict[type[models.Model], dict[Any, int]] = {}
        """For each table that was read, the rows' database keys by stable key."""
        self.office = self._read_office()
        self._read_people()
        for table in TABLES:
            self._read(table)

    def read_after_the_lines(self) -> None:
        """Write the tables whose rows name lines of the journal, which are there by now."""
        lines = Fact.objects.filter(federation=self.office)
        self.keys[Fact] = dict(lines.values_list("number", "pk"))
        for table in AFTER_THE_LINES:
            self._read(table)
        count_on(*(table.model for table in ALL if table.record_number), User)

    def _read_office(self) -> Federation:
        [told] = self._rows(OFFICE)
        office = Federation(**{name: told[name] for name in OF_OFFICE})
        office.save(force_insert=True)
        return office

    def _read_people(self) -> None:
        """Make a person without account of each whom rows name: no password, no address, not active."""
        people = []
        for told in self._rows(PEOPLE):
            number = told[RECORD_NUMBER]
            address = NOBODY.format(number=number, code=self.office.code)
            person = User(pk=number, name=told["name"], email=address, is_active=False)
            person.set_unusable_password()
            people.append(person)
        refuse_taken(User, [person.pk for person in people])
        User.objects.bulk_create(people, batch_size=_AT_ONCE)
        self.keys[User] = {person.pk: person.pk for person in people}

    def _rows(self, member: str) -> Iterator[dict[str, Any]]:
        with self.archive.opened(member) as lines:
            for number, line in enumerate(lines, start=1):
                with named(member, number):
                    told = json.loads(line)
                yield told

    # ---------------------------------------------------------------- a table

    def _read(self, table: MovingTable) -> None:
        self.keys[table.model] = {}
        has_bytes = any(isinstance(each, models.BinaryField) for each in table.columns)
        waiting: dict[Any, _ReadRow] = {}
        later: list[tuple[int, dict[str, Any]]] = []
        for place, told in enumerate(self._rows(table.member), start=1):
            with named(table.member, place):
                read = self._read_row(table, told, place, waiting)
            waiting[read.key] = read
            if len(waiting) >= (_WITH_BYTES if has_bytes else _AT_ONCE):
                later += self._write(table, waiting)
        later += self._write(table, waiting)
        for pk, columns in later:
            found = {name: self.keys[table.model][key] for name, key in columns.items()}
            table.model._default_manager.filter(pk=pk).update(**found)

    def _read_row(
        self, table: MovingTable, told: dict[str, Any], place: int, waiting: dict[Any, _ReadRow]
    ) -> _ReadRow:
        row, later = table.model(), {}
        if table.record_number:
            row.pk = told[RECORD_NUMBER]
        for column in table.columns:
            value = told[column.name]
            if column.related_model is table.model and value is not None:
                if value in waiting:
                    self._write(table, waiting)
                if value not in self.keys[table.model]:
                    later[f"{column.name}_id"], value = value, None
            setattr(row, column.attname, self._value(table, column, value))
        if table.owner == "federation":
            row.federation_id = self.office.pk  # type: ignore[attr-defined]
        key = key_of([told[name] for name in table.key]) if table.key else row.pk or place
        links = {many.name: told[many.name] for many in table.model._meta.many_to_many}
        return _ReadRow(row, key, links, later)

    def _value(self, table: MovingTable, column: Any, value: Any) -> Any:
        if value is not None and column.related_model is not None:
            return self.keys[column.related_model][value]
        if value is not None and isinstance(column, models.BinaryField):
            return self.archive.content(value)
        if table.inside and isinstance(column, models.JSONField):
            return inner(value, lambda name, key: self.keys[table.inside[name]].get(key), table)
        # A column's value from what `as_json` wrote. Raises ValueError, or Django's ValidationError, for what
        # the column cannot hold.
        if value is None or isinstance(column, models.JSONField):
            return value
        if isinstance(column, models.DateTimeField):
            return datetime.fromisoformat(value)
        return column.to_python(value)

    def _write(self, table: MovingTable, waiting: dict[Any, _ReadRow]) -> list[tuple[int, dict[str, Any]]]:
        """Write the rows that wait; return what is to be filled in once all are there, by database key."""
        some = list(waiting.values())
        waiting.clear()
        if table.record_number:
            refuse_taken(table.model, [each.row.pk for each in some])
        try:
            table.model._default_manager.bulk_create([each.row for each in some])
        except (DatabaseError, ValueError) as error:
            raise CannotTakeIn(f"{table.member}: {error}") from None
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
def named(member: str, line: int) -> Iterator[None]:
    """Tell of what cannot be read in which line of which member it stands."""
    try:
        yield
    except KeyError as missing:
        raise CannotTakeIn(f"{member}, line {line}: {missing} is missing") from None
    except (ValueError, TypeError, ValidationError) as error:
        raise CannotTakeIn(f"{member}, line {line}: {error}") from None


def refuse_taken(model: type[models.Model], numbers: list[int]) -> None:
    """Raise `CannotTakeIn` where a number that the record names is given out here already."""
    taken = model._default_manager.filter(pk__in=numbers).order_by("pk").values_list("pk", flat=True).first()
    if taken is not None:
        raise CannotTakeIn(
            f"The archive's record of decisions names {model._meta.verbose_name} {taken}, and another has "
            "that number here. Take the archive into an empty installation."
        )


def count_on(*tables: type[models.Model]) -> None:
    """Let the database give out numbers above those that came with rows."""
    statements = connection.ops.sequence_reset_sql(no_style(), list(tables))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


# ---- Makes an office of an archive, in one transaction, and checks it against the archive.
def import_office(path: Path, *, at: datetime) -> tuple[Federation, OfficeManifest, Report]:
    """Make an office of an archive: every row, every line, every file, and the ratings by a replay.

    Before it is committed, everything stored is held against a replay and the chain of decisions
    (`ratings.verify`), and an archive written of it against the one that was read. Raises `CannotTakeIn`,
    with nothing written, where the archive is altered or fits not here; OSError where it cannot be read.
    """
    with opened_archive(path) as archive:
        # Raise `CannotTakeIn` where this program lacks the rules of the office, or an edition of them.
        manifest = archive.manifest
        ruleset = rulesets().get(manifest.ruleset)
        if ruleset is None:
            raise CannotTakeIn(
                f"The archive goes by the rules “{manifest.ruleset}”, which this program lacks."
            )
        known = [edition.name for edition in ruleset.editions]
        if missing := [name for name in manifest.editions if name not in known]:
            raise CannotTakeIn(
                f"The archive goes by the edition “{missing[0]}” of the rules “{manifest.ruleset}”, and this "
                f"program knows: {', '.join(known)}. Install version {manifest.program} or a newer one."
            )
        _refuse_office(archive.manifest)
        with transaction.atomic(), uncollected():
            office = _write(archive)
            _fold(office)
            # Hold an office that has signed its journal, until its operator says what was signed last: the
            # key that signs is in no archive, and of two installations one alone may go on with the log.
            if newest := Checkpoint.objects.of(office).order_by("-size").first():
                grow(office, newest.size)
            if LogKey.objects.filter(federation=office).exists():
                Ledger.objects.filter(federation=office).update(held=True, restored_at=at)
            report = _checked(office)
            # Raise `CannotTakeIn` where the office's own archive would be another. Sections as TRF or table
            # were written anew: by another version of the program, they may be in other words.
            same_program = archive.manifest.program == current().version
            with unfinished_folder() as folder:
                write_members(office, folder)
                names = [name for name in members_in(folder) if same_program or not _rewritten(name)]
                there = [name for name in archive.manifest.members if same_program or not _rewritten(name)]
                if words := first_difference(archive, folder, names, there):
                    raise CannotTakeIn(f"The archive was altered, or is not of one office: {words}")
        return office, archive.manifest, report


def _refuse_office(manifest: OfficeManifest) -> None:
    if Federation.objects.filter(code=manifest.code).exists():
        raise CannotTakeIn(
            f"There is an office “{manifest.code}” here already. Take the archive into an installation "
            "without one."
        )


# ---------------------------------------------------------------- written
def _write(archive: ArchiveReader) -> Federation:
    for member in (name for name in archive.manifest.members if name.startswith("programs/")):
        program = Program(member.removesuffix(".pyz").split("-")[1], archive.content(member))
        ProgramFile.objects.get_or_create(
            sha256=program.sha256, defaults={"version": program.version, "content": program.content}
        )
    rows = RowReader(archive)
    office = rows.office
    record = _journal(archive)
    if record.federation.code != office.code or len(record.lines) != archive.manifest.lines:
        raise CannotTakeIn(f"{JOURNAL} is not the journal of {archive.manifest.lines} lines of {office.code}")
    _write_lines(office, record)
    decisions = office.decisions.count()
    Ledger.objects.create(federation=office, facts=len(record.lines), wanted=1, decisions=decisions)
    rows.read_after_the_lines()
    order_none_until_now(office)  # the old office has ordered them
    return office


def _journal(archive: ArchiveReader) -> journal.Journal:
    try:
        with archive.opened(JOURNAL) as lines:
            return journal.read_journal(lines)
    except journal_form.JournalError as error:
        raise CannotTakeIn(f"{JOURNAL}: {error.problems[0]}") from None


def _write_lines(office: Federation, record: journal.Journal) -> None:
    intake = Intake(office, record.lines)
    rows = Section.objects.filter(event__federation=office).select_related("event")
    sections = {section.key: section for section in rows}
    if missing := sorted(intake.sections.keys() - sections.keys()):
        raise CannotTakeIn(f"{JOURNAL} names section {missing[0]}, which no table has")
    write_facts(intake.rows, intake.pres, sections)


# ---------------------------------------------------------------- computed
def _fold(office: Federation) -> None:
    """Compute all ratings from the lines; lists and errata stand already, as they were published."""
    ledgers = Ledger.objects.filter(federation=office)
    ledger: Any = job_lease.claim(ledgers, ledgers.get().pk, queue=True)
    ledger.line = ledger.facts
    refold(office, ledger)


# ---------------------------------------------------------------- held against the archive
def _checked(office: Federation) -> Report:
    report = verify(office)
    if report.differences:
        raise CannotTakeIn(f"What the archive holds is not what a replay gives: {report.differences[0]}")
    return report


def _rewritten(name: str) -> bool:
    return name.startswith((EVENTS, "README", "private/register.csv"))
