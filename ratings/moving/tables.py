"""The tables that move with an office, how their rows are named in an archive, and what stays behind.

No archive names a row by its database key: a player is a number, a section `EVENT/SECTION`, a file its
SHA-256. Three keys are given out as numbers and stand in the chained record of decisions, which nobody can
write anew: those of people, appointments and cases. They move as the record has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models

from players.importing.models import NamedColumns, RegisterImport, RegisterLine
from players.office.models import Appointment, Decision, DecisionWords, Handover, Region, User
from players.people.models import PairOfTwo, Transfer
from players.people.proof_files import ProofFile
from players.register.folded_name_field import FoldedNameField
from players.register.models import BirthDate, FormerName, Identifier, Player, SealedName
from ratings.hints.models import HintAnswer
from ratings.lists.models import ListRow, ListTaking, RatingList
from ratings.recompute.models import RulesVersion
from ratings.results.models import CorrectedRating, Erratum
from ratings.signing.models import Checkpoint, Cosignature, LogKey
from tournaments.cases.models import Case, CaseMessage
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.models import Adjustment, Bye, Entry, Event, Finding, Game, Section
from tournaments.events.permission_models import PermissionRequest
from tournaments.history.models import History, HistoryAnswer, HistoryFile
from tournaments.mending.models import Correction, MendingProposal
from tournaments.review.appeal_models import Appeal
from tournaments.review.models import FiledSheet, Remark, SectionTaking

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
