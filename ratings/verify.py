"""Verification of an office: replays its journal from the first line and compares everything that is stored
with the replay, such as changes of ratings, standings, lists, errata and past days.

Also checks what no replay gives: the record of decisions, the public log with its keys, files and names. Each
difference names what it is found in.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice, zip_longest
from random import SystemRandom
from typing import Any

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from players import held, seals as record_chain_and_sealed_words
from players.decision_kinds import KINDS
from players.files import rows_with_bytes
from players.jobs import DATABASE_TROUBLE
from players.models import (
    Decision,
    Federation,
    HeldPart,
    Ledger,
    Player,
    ProofFile,
    RegisterImport,
    SealedName,
)
from players.names import fold, fold_and_join_words, player_sort_key
from players.record import HEAD_KEY, KINDS_WHILE_HELD, LOST_KEY, lock_ledger, unprotected_tables
from players.writing import batches
from ratings import models, signing, transparency_log
from ratings.intake import Intake
from ratings.journal import AFTER_EVERYTHING, NAME_SEAL, sealed_lines
from ratings.lists import (
    compute_list_rows,
    find_list_closing,
    get_list_state,
    has_list_state_changed,
    list_as_json,
    read_record,
)
from ratings.program import Program, find_program_complaint
from ratings.recompute import ONE_DAY, checksum, get_first_unratings, is_correcting
from ratings.results import RatingDifference, get_known_rows, get_last_known_line, state_before
from ratings.rules_change import compute_published_seal, find_newest_seal, get_seals, why_rules_not_applied
from ratings.rulesets import facts, journal, journal_lines
from ratings.rulesets.facts import (
    ListClosing,
    ListedPlayer,
    Needs,
    Placed,
    PlayerId,
    Revised,
    State,
    name_seal,
)
from ratings.rulesets.journal import list_content
from ratings.statement import compute_differences as corrected
from ratings.transparency_log import NoteError
from tournaments.acceptance import get_permission_waivers
from tournaments.corrections import serialize_corrections
from tournaments.history import RECORD_SUBJECT
from tournaments.models import (
    Archive,
    ArchivedFile,
    Correction,
    Finding,
    History,
    HistoryState,
    Remark,
    Section,
    Stage,
    Upload,
    compute_files_digest,
)
from tournaments.retention import LET_GO_KIND
from tournaments.review import name_answered
from tournaments.sections import section_fact

MOST_NAMED = 20
"""The most differences of one kind that are named; further ones are counted."""


@dataclass
class Report:
    """The result of a verification: how many things of each kind were compared, and every difference."""

    facts: int = 0
    changes: int = 0
    standings: int = 0
    lists: int = 0
    files: int = 0
    days: int = 0
    """The number of past days compared."""
    differences: list[str] = field(default_factory=list)
    more: int = 0
    settled: int = 0
    """The line up to which lists and errata go by the rules that were in force when they were published."""
    drawn_differently: list[models.RatingList] = field(default_factory=list)
    """Lists up to that line that the present rules draw up differently."""
    proved_by_program: dict[str, int] = field(default_factory=dict)
    """The number of those that a kept program proved, by the program's name."""
    record_altered: bool = False
    notices: list[str] = field(default_factory=list)
    """Sentences on what the office has on record as lost; no differences."""
    _named: int = 0

    def start_kind(self) -> None:
        """Begin another kind of thing, of which up to `MOST_NAMED` differences are named again."""
        self._named = 0

    def add(self, words: str) -> None:
        if self._named < MOST_NAMED:
            self._named += 1
            self.differences.append(words)
        else:
            self.more += 1

    def add_all(self, found: Iterable[str]) -> None:
        """Add the differences of one kind of thing, each a sentence."""
        self.start_kind()
        for words in found:
            self.add(words)


# ---- The record of decisions: its chain, and its words
DECISION_KINDS = {kind.line: name for name, kind in KINDS.items() if kind.line}
"""Kinds of lines that a decision writes, each with the decision's kind."""
_SUBJECT_KINDS = {"rated": "section", "unrated": "section", "rank": "player", "merged": "player"}
Head = tuple[int, str]
"""The checkpoint's number, and the hash of the newest decision that it signs."""


def describe_gap(what: str, first: int, last: int, of: str = "") -> str:
    """A sentence on missing rows: one of them, or several in a row."""
    if first == last:
        return f"{what} {first}{of} is missing"
    return f"{what}s {first} to {last}{of} are missing"


def chain_differences(federation: Federation, checkpoints: Sequence[models.Checkpoint]) -> Iterator[str]:
    """Yield decisions that are missing, not as chained or signed, or whose words are not as sealed."""
    heads = signed_heads(checkpoints)
    rows = Decision.objects.filter(federation=federation).order_by("number").prefetch_related("words")
    withdrawn = set(rows.filter(kind="withdraw-words").values_list("about", flat=True))
    previous, count, agreed = "", 0, 0
    for row in rows.iterator(chunk_size=1_000):
        if _is_bridge(row, count, checkpoints):  # a restore lost them, on record
            previous, count = str(row.sealed_details[HEAD_KEY]), row.number - 1
        if count + 1 < row.number:
            yield describe_gap("decision", count + 1, row.number - 1)
        count = row.number
        if record_chain_and_sealed_words.compute_hash(row, previous) != row.hash:
            yield f"decision {row.number} ({row}) is not as it was chained"
        previous = row.hash
        if row.number in heads:
            number, hash_ = heads[row.number]
            if hash_ == row.hash:
                agreed = row.number
            else:
                yield (
                    f"checkpoint {number}: the first {row.number} decisions are not those that were signed; "
                    f"one of decisions {agreed + 1} to {row.number} was altered"
                )
        words = {each.key: each for each in row.words.all()}
        for key, value in row.sealed_details.items():
            if not record_chain_and_sealed_words.is_sealed(value):
                continue
            there = words.pop(key, None)
            if there is None:
                if f"decision {row.number}" not in withdrawn:
                    yield f"decision {row.number}: its words ({key}) are missing; no decision withdrew them"
            elif not _words_match(there.salt, there.value, value[record_chain_and_sealed_words.SEALED]):
                yield f"decision {row.number}: its words ({key}) are not those that were sealed"
        for key in words:
            yield f"decision {row.number}: words ({key}) that it does not have"
    counted = Ledger.objects.get(federation=federation).decisions
    if count < max([counted, *heads]):
        yield describe_gap("decision", count + 1, max([counted, *heads]))
    if count > counted:
        yield f"the record goes up to decision {count}, the ledger counts {counted}"


def held_differences(federation: Federation, notices: list[str]) -> list[str]:
    """Each part of the office, such as an event, that is not as the newest decision about it left it; add to
    the notices how many parts no decision holds, as they are from before decisions held any.

    Somebody may decide while it reads: what seems to differ is looked at again with the office locked.
    """
    told: list[str] = []
    if found := list(_held_differences(federation, told)):
        told = []
        with transaction.atomic():
            lock_ledger(federation)
            found = list(_held_differences(federation, told))
    notices += told
    return found


def _held_differences(federation: Federation, notices: list[str]) -> Iterator[str]:
    by_decision: defaultdict[int, list[HeldPart]] = defaultdict(list)
    newest: dict[str, tuple[int, HeldPart]] = {}
    numbers = dict(Decision.objects.filter(federation=federation).values_list("pk", "number"))
    rows = HeldPart.objects.filter(federation=federation)
    for row in sorted(rows, key=lambda each: numbers.get(each.decision_id, 0)):
        number = numbers.get(row.decision_id, 0)
        by_decision[number].append(row)
        newest[row.part] = number, row
    decisions = Decision.objects.filter(federation=federation).order_by("number")
    for number, digest in decisions.values_list("number", "held").iterator(chunk_size=2_000):
        if held.combine(by_decision.pop(number, [])) != digest:
            yield f"decision {number}: what it holds is not what was chained"
    if by_decision:
        yield "what decisions hold of this office is held by none of its own"
    for row in rows.exclude(salt="").exclude(pk__in=[row.pk for _number, row in newest.values()]):
        yield f"{row.part}: what an earlier decision than the newest holds of it has a salt"
    there = held.read_parts(federation, None)
    for part, (number, row) in sorted(newest.items()):
        if not _words_match(row.salt, there.pop(part, []), row.digest):
            yield f"{part} is not as decision {number} left it"
    if not_held := sum(map(bool, there.values())):
        notices.append(f"{not_held} events, sections, players and others are held by no decision yet")


def signed_heads(checkpoints: Sequence[models.Checkpoint]) -> dict[int, Head]:
    """The heads of the record that checkpoints signed, by the number of their newest decision."""
    heads: dict[int, Head] = {}
    for each in checkpoints:
        try:
            decisions = each.head.decisions
        except NoteError:
            continue
        if decisions:
            heads[decisions[0]] = each.number, decisions[1]
    return heads


def _is_bridge(row: Decision, count: int, signed: Sequence[models.Checkpoint]) -> bool:
    """Whether a row says which decisions a restore lost, and may: it settles what was signed since the
    backup, and of the checkpoints here only the one by which it did signs any of them, and the last: a backup
    does not have more.
    """
    details = row.sealed_details
    if row.kind not in KINDS_WHILE_HELD or details.get(LOST_KEY) != [count + 1, row.number - 1]:
        return False
    heads = [head for each in signed for head in signed_heads([each]).items()]
    lost = [(number, hash_) for number, (_checkpoint, hash_) in heads if count < number < row.number]
    return lost == [(row.number - 1, details.get(HEAD_KEY))]


def describe_lost_decisions(federation: Federation) -> Iterator[str]:
    """Yield a sentence on the decisions that the record itself says are lost."""
    settling = Decision.objects.filter(federation=federation, kind__in=KINDS_WHILE_HELD).order_by("number")
    for row in settling:
        if lost := row.sealed_details.get(LOST_KEY):
            yield f"decisions {lost[0]} to {lost[1]} were lost at a restore, says decision {row.number}"


def _words_match(salt: str, value: object, digest: str) -> bool:
    try:
        return record_chain_and_sealed_words.digest(salt, value) == digest
    except ValueError:
        return False


# ---- Decisions and the lines that they wrote
@dataclass
class LinesOfDecisions:
    """The lines that decisions say they wrote or brought in."""

    by_line: dict[int, Decision] = field(default_factory=dict)
    brought: list[tuple[range, Decision]] = field(default_factory=list)
    """Lines that an import or a history brought, or that were taken back after a restore."""
    settled: bool = False
    """Whether a restored office went on by now."""

    def find_bringer(self, line: int) -> Decision | None:
        return next((row for lines, row in self.brought if line in lines), None)


def decision_line_differences(federation: Federation) -> Iterator[str]:
    """Yield each line that no decision wrote, each that two did, and each decision whose line is missing or
    another. Imports and histories account for their own lines, and so does what was taken back after a
    restore.
    """
    claims = LinesOfDecisions()
    yield from _read_decisions(federation, claims)
    lines = models.Fact.objects.filter(federation=federation, kind__in=DECISION_KINDS).order_by("number")
    for number, kind, subject, on in lines.values_list("number", "kind", "subject", "on"):
        decision, brought = claims.by_line.pop(number, None), claims.find_bringer(number)
        if decision is None:
            if brought is None:
                yield f"line {number} ({kind} {subject}): no decision wrote it"
            continue
        if brought is not None:
            who = f"decision {decision.number} ({decision})"
            yield f"{who} wrote line {number}, decision {brought.number} too"
        about = f"list {on}" if kind == "list" else decision.about
        about = f"{_SUBJECT_KINDS[kind]} {subject}" if kind in _SUBJECT_KINDS else about
        if (decision.kind, decision.about) != (DECISION_KINDS[kind], about):
            yield f"decision {decision.number} ({decision}) wrote line {number}, which is of {kind} {subject}"
    for number, row in claims.by_line.items():
        yield f"decision {row.number} ({row}) wrote line {number}, which is not there"


def _read_decisions(federation: Federation, claims: LinesOfDecisions) -> Iterator[str]:
    """Collect the lines that decisions claim; yield decisions that claim one twice, or none."""
    decisions = Decision.objects.filter(federation=federation).order_by("number")
    for row in decisions.only("number", "kind", "about", "sealed_details").iterator(chunk_size=1_000):
        details = row.sealed_details
        if row.kind == "import":
            if claims.settled or claims.by_line:
                yield f"decision {row.number} ({row}) imports into an office that was not empty"
            claims.brought.append((range(1, _number(details, "facts") + 1), row))
        claims.settled |= row.kind in KINDS_WHILE_HELD
        if row.kind == "take-lines":
            lines = range(_number(details, "first"), _number(details, "lines") + 1)
            if _signed_here(federation, lines):
                yield f"decision {row.number} ({row}) took lines back that were here"
            claims.brought.append((lines, row))
        if row.kind == "take-history":
            claims.brought.append((range(_number(details, "first"), _number(details, "last") + 1), row))
        line = details.get("fact")
        if isinstance(line, int):
            if first := claims.by_line.get(line):
                yield f"decision {row.number} ({row}) wrote line {line}, decision {first.number} too"
            claims.by_line.setdefault(line, row)
        elif row.kind in DECISION_KINDS.values():
            yield f"decision {row.number} ({row}) names no line"


def _signed_here(federation: Federation, lines: range) -> bool:
    """Whether some of these lines were signed before they were taken back: then no backup lacked them."""
    signed = models.Checkpoint.objects.of(federation)
    by = signed.filter(size=lines.stop - 1).order_by("number").values_list("number", flat=True).first()
    return by is None or signed.filter(number__lt=by, size__gte=lines.start).exists()


def _number(details: dict[str, Any], key: str) -> int:
    """A number in a decision's details, or 0."""
    value = details.get(key)
    return value if isinstance(value, int) else 0


# ---- What is compared besides the ratings: the record, lines, tiles, checkpoints, keys and lists
CLOCK_TOLERANCE = timedelta(hours=1)
"""The most by which the clocks of two machines may differ."""


def row_differences(federation: Federation) -> Iterator[Iterable[str]]:
    """Yield the differences of each kind of row, altered rows first. Read each kind before the next."""
    checkpoints = models.Checkpoint.objects.of(federation).select_related("key")
    signed = list(checkpoints.prefetch_related("cosignatures"))
    lines = JournalTree(federation)
    yield lines.differences()
    yield chain_differences(federation, signed)
    yield _key_differences(federation)
    yield _checkpoint_differences(federation, signed)
    yield lines.checkpoint_differences(signed)
    yield _checkpoint_file_differences(federation, signed)
    yield _lists_without_checkpoint(federation, signed)
    yield decision_line_differences(federation)


# ---- Lines and tiles
@dataclass
class JournalTree:
    """The hash tree of the journal's stored lines, to compare with stored tiles and signed checkpoints."""

    federation: Federation
    tree: transparency_log.Tree = field(default_factory=transparency_log.Tree)
    named: set[int] = field(default_factory=set)

    def differences(self) -> Iterator[str]:
        rows = models.Fact.objects.filter(federation=self.federation).order_by("number")
        ledger = Ledger.objects.get(federation=self.federation)
        most = max(ledger.facts, rows.count())
        for number, line in rows.values_list("number", "line").iterator(chunk_size=2_000):
            if number > most:
                yield f"line {number} of the journal stands beyond its end: the ledger counts {ledger.facts}"
                continue
            if self.tree.size + 1 < number:
                yield describe_gap("line", self.tree.size + 1, number - 1, " of the journal")
            while self.tree.size + 1 < number:
                self.tree.append(bytes(32))
            self.tree.append(transparency_log.leaf_hash(transparency_log.log_entry(line)))
        if self.tree.size != ledger.facts:
            yield f"the journal has {self.tree.size} lines, the ledger counts {ledger.facts}"
        if ledger.line > ledger.facts or rows.filter(number__gt=ledger.line).exclude(folded="").exists():
            yield f"the fold has come to another line than {ledger.line}, as the ledger says"
        yield from self._tiles()

    def _tiles(self) -> Iterator[str]:
        stored = models.TreeTile.objects.filter(federation=self.federation).order_by("level", "index")
        expected: dict[int, int] = {}
        for tile in stored.iterator(chunk_size=200):
            path = transparency_log.Tile(tile.level, tile.index).path
            if tile.index != expected.get(tile.level, 0):
                yield f"{transparency_log.Tile(tile.level, expected.get(tile.level, 0)).path} is missing"
            expected[tile.level] = tile.index + 1
            try:
                hashes = transparency_log.split_tile(bytes(tile.content))
                root = transparency_log.tile_root(bytes(tile.content))
            except ValueError as wrong:
                yield f"{path}: {wrong}"
                continue
            if root != bytes(tile.root):
                yield f"{path}: its root is not that of its hashes"
            if tile.level == 0:
                yield from self._compare(tile.index * transparency_log.WIDTH, hashes, path)
            elif hashes != self._above(tile.level, tile.index):
                yield f"{path}: its hashes are not the roots of the tiles below"

    def _above(self, level: int, index: int) -> list[bytes]:
        first = index * transparency_log.WIDTH
        full = self.tree.size >> (transparency_log.HEIGHT * level)
        return [
            self.tree.node(transparency_log.HEIGHT * level, at)
            for at in range(first, min(first + transparency_log.WIDTH, full))
        ]

    def _compare(self, start: int, hashes: list[bytes], kept: str) -> Iterator[str]:
        for index, hash_ in enumerate(hashes, start):
            there = index < self.tree.size and self.tree.node(0, index) == hash_
            if not there and index + 1 not in self.named:
                self.named.add(index + 1)
                yield f"line {index + 1} of the journal is not the line that {kept} has"

    def checkpoint_differences(self, signed: list[models.Checkpoint]) -> Iterator[str]:
        """Compare the tree with checkpoints; a root that differs shows between which sizes a line changed."""
        agreed = 0
        for each in sorted(signed, key=lambda one: (one.size, one.number)):
            try:
                head, edge = each.head, transparency_log.split_tile(bytes(each.edge)) if each.edge else []
            except ValueError:
                continue  # reported with the checkpoint itself
            if len(edge) != each.size % transparency_log.WIDTH:
                yield f"checkpoint {each.number}: its edge has {len(edge)} hashes"
            yield from self._compare(each.size - len(edge), edge, f"checkpoint {each.number}")
            if each.size > self.tree.size:
                yield f"checkpoint {each.number} signs {each.size} lines, the journal has {self.tree.size}"
            elif self.tree.root(each.size) != head.root:
                yield (
                    f"checkpoint {each.number}: the first {each.size} lines are not those that were signed; "
                    f"one of lines {agreed + 1} to {each.size} was altered"
                )
            else:
                agreed = each.size


# ---- Keys and checkpoints
def _key_differences(federation: Federation) -> Iterator[str]:
    stored = list(models.LogKey.objects.filter(federation=federation).order_by("number"))
    for number, key in enumerate(stored, start=1):
        if key.number != number:
            yield f"key {number} is missing"
        try:
            if key.key.name != key.origin:
                yield f"key {key.number}: its name is not the origin {key.origin}"
        except NoteError as wrong:
            yield f"key {key.number}: {wrong}"
    changes = {
        row.sealed_details.get("vkey"): row
        for row in Decision.objects.filter(federation=federation, kind__in=("change-key", "begin-origin"))
    }
    for key in stored[1:]:
        decision = changes.pop(key.vkey, None)
        if decision is None:
            yield f"key {key.number}: no decision made it"
        elif decision.details.get("reason", "") not in (key.reason, None):
            yield f"key {key.number}: its reason is not that of decision {decision.number}"
    for row in changes.values():
        yield f"decision {row.number} ({row}) made a key that is not here"
    if stored and stored[0].reason:
        yield "key 1: a reason stands with it, though nothing went before"
    yield from _key_time_differences(federation, stored)
    yield from _secret_key_differences(federation, stored)


def _key_time_differences(federation: Federation, stored: list[models.LogKey]) -> Iterator[str]:
    """Yield keys whose hour is not that of the first checkpoint, or of the decision that made them."""
    first = models.Checkpoint.objects.of(federation).order_by("number").values_list("at", flat=True).first()
    decision = Decision.objects.filter(federation=federation, kind__in=("change-key", "begin-origin"))
    hours = {row.sealed_details.get("vkey"): row.at for row in decision}
    for key in stored:
        at = hours.get(key.vkey, first)
        if at is not None and abs(key.at - at) > CLOCK_TOLERANCE:
            yield f"key {key.number}: it was made at another time than is recorded"


def _secret_key_differences(federation: Federation, stored: list[models.LogKey]) -> Iterator[str]:
    """Yield what is wrong with the private key's file, if this machine has it."""
    try:
        signer = signing.find_signer(federation)
    except NoteError as wrong:
        yield f"{signing.key_file(federation)}: {wrong}"
        return
    if signer is not None and str(signer.key) not in [key.vkey for key in stored]:
        yield f"the key in {signing.key_file(federation)} is none of the keys that the database has"


def _checkpoint_differences(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    expected = 0
    for each in signed:
        expected += 1
        if each.number != expected:
            yield f"checkpoint {expected} is missing"
            expected = each.number
        try:
            note = transparency_log.parse_note(each.note)
            transparency_log.verify_note(note, [each.key.key])
            if (each.head.size, each.head.origin) != (each.size, each.key.origin):
                yield f"checkpoint {each.number}: size or origin are not those of its note"
            for cosignature in each.cosignatures.all():
                transparency_log.check_signature(
                    transparency_log.parse_signature(cosignature.line),
                    transparency_log.parse_key(cosignature.vkey),
                    note.text,
                )
        except NoteError as wrong:
            yield f"checkpoint {each.number}: {wrong}"
    yield from _checkpoint_time_differences(federation, signed)
    taken = {
        row.sealed_details.get("line"): row.number
        for row in Decision.objects.filter(federation=federation, kind="take-cosignature")
    }
    there = {cosignature.line for each in signed for cosignature in each.cosignatures.all()}
    for line, number in taken.items():
        if line not in there:
            yield f"decision {number}: the cosignature that it took is missing"
    for line in there - taken.keys():
        yield f"a cosignature that no decision took: {line.strip()}"


def _checkpoint_time_differences(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    """Yield checkpoints whose unsigned hour is before their list's or the last one's, or in the future."""
    sizes = [each.size for each in signed]
    lists = models.RatingList.objects.filter(federation=federation, fact__number__in=sizes)
    published = dict(lists.values_list("fact__number", "published_at"))
    at_last = datetime.min.replace(tzinfo=UTC)
    for each in signed:
        earliest = max(at_last, published.get(each.size, at_last))
        if not earliest <= each.at <= timezone.now() + CLOCK_TOLERANCE:
            yield f"checkpoint {each.number}: it cannot have been signed at {each.at:%Y-%m-%d %H:%M}"
        else:
            at_last = each.at


def _checkpoint_file_differences(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    """Yield what is wrong with the newest checkpoint in the file beside the database, if it is there."""
    text = signing.read_kept_checkpoint(federation)
    if text is None or Ledger.objects.filter(federation=federation, held=True).exists():
        return
    known = list(models.LogKey.objects.filter(federation=federation))
    try:
        note = transparency_log.parse_note(text)
        transparency_log.verify_note(note, [key.key for key in known])
    except NoteError as wrong:
        yield f"{signing.checkpoint_file(federation)}: {wrong}"
        return
    if note.text not in [each.note.partition("\n\n")[0] + "\n" for each in signed]:
        size = note.text.split("\n")[1]
        yield f"the checkpoint kept outside the database, over {size} lines, is not in the database"


def _lists_without_checkpoint(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    sizes = {each.size for each in signed}
    newest = max(sizes, default=0)
    lists = models.RatingList.objects.filter(federation=federation, fact__number__lte=newest)
    for rating_list in lists.exclude(fact__number__in=sizes).defer("content").select_related("fact"):
        yield f"list {rating_list}: the checkpoint over {rating_list.fact.number} lines is missing"


# ---- Errata, compared with what the office knew before each correcting line and after it
def errata_differences(federation: Federation, settled_line: int) -> Iterator[str]:
    """Yield errata that are missing, wrong or unfounded. Up to `settled_line`, errata went by other rules."""
    errata = {each.fact_id: each for each in models.Erratum.objects.filter(fact__federation=federation)}
    correcting = list(_correcting_lines(federation))
    moved = _players_moved(federation, {line.number for line in correcting})
    for line in correcting:
        erratum = errata.pop(line.pk, None)
        if erratum is None:
            yield f"line {line.number}: its erratum is missing"
        elif line.number <= settled_line:
            continue  # by the rules of then, and sealed in the record
        elif not _is_counted_right(erratum) or _erratum_rows(erratum) != _expected_differences(
            federation, line, moved[line.number]
        ):
            yield f"line {line.number}: its erratum does not tell what it did"
    for erratum in errata.values():
        yield f"line {erratum.fact.number}: an erratum stands where nothing was corrected"


def _correcting_lines(federation: Federation) -> Iterator[models.Fact]:
    unrated = get_first_unratings(federation)
    lines = models.Fact.objects.filter(federation=federation).exclude(kind__in=("player", "section"))
    for line in lines.only("number", "kind", "subject", "on").order_by("number"):
        if is_correcting(line.kind, unrated.get(line.subject), line.number):
            yield line


def _erratum_rows(erratum: models.Erratum) -> list[RatingDifference]:
    rows = models.CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    return [RatingDifference(*row) for row in rows.values_list("player__number", "track", "before", "after")]


def _is_counted_right(erratum: models.Erratum) -> bool:
    """Whether an erratum counts as many people as its rows have, and the rows are numbered from one."""
    rows = models.CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    places = list(rows.values_list("position", "player_id"))
    numbered = [position for position, _player in places] == list(range(1, len(places) + 1))
    return numbered and erratum.players == len({player for _position, player in places})


def _expected_differences(
    federation: Federation, line: models.Fact, moved: set[PlayerId]
) -> list[RatingDifference]:
    """The rating differences that a correcting line made among the people in `moved`."""
    ruleset = federation.ruleset
    people = Needs.EVERYONE if ruleset.calendar.days_of_change is not None else moved
    before = state_before(federation, AFTER_EVERYTHING, people, line=line.number - 1)
    after = state_before(federation, AFTER_EVERYTHING, people, line=line.number)
    assert line.on is not None
    found = corrected(ruleset, before, after, line.on)
    return [RatingDifference(*each[:4]) for each in found]  # of which an erratum keeps no more


def _players_moved(federation: Federation, lines: set[int]) -> defaultdict[int, set[PlayerId]]:
    """The players whose results began or ceased to hold with each of these correcting lines, by line."""
    found: defaultdict[int, set[PlayerId]] = defaultdict(set)
    columns = ((models.Change, "since"), (models.PastChange, "since"), (models.PastChange, "until"))
    for model, column in columns:
        rows = model._default_manager.filter(player__federation=federation, **{f"{column}__in": lines})
        for line, player in rows.order_by().values_list(column, "player__number").distinct():
            found[line].add(player)
    return found


# ---- Corrections, remarks and proofs, compared with the decisions that brought them
WORDS_OF_REMARKS = {
    "ask": (Remark.Kind.QUESTION, "words"),
    "answer": (Remark.Kind.ANSWER, "words"),
    "note": (Remark.Kind.NOTE, "words"),
    "return": (Remark.Kind.RETURN, "reason"),
    "refuse": (Remark.Kind.REFUSE, "reason"),
    "unrate": (Remark.Kind.UNRATE, "words"),
}
"""The kinds of decisions that bring a remark, with its kind and the key of its words."""


def note_differences(federation: Federation) -> Iterator[str]:
    """Yield corrections, remarks and proofs that are not those of the decisions that brought them."""
    kinds = ("mend", "take-back", *WORDS_OF_REMARKS)
    rows = Decision.objects.filter(federation=federation, kind__in=kinds).prefetch_related("words")
    decisions = {row.pk: row for row in rows.order_by("number")}
    taken_back = {row.sealed_details.get("decision") for row in decisions.values() if row.kind == "take-back"}
    yield from _correction_differences(federation, decisions)
    brought: defaultdict[int, list[Remark]] = defaultdict(list)
    remarks = Remark.objects.filter(section__event__federation=federation).select_related(
        "section__event", "upload", "answers_to__decision"
    )
    for remark in remarks.defer("upload__content").order_by("pk"):
        brought[remark.decision_id].append(remark)
    for key, row in decisions.items():
        found = brought.pop(key, [])
        kind, words = WORDS_OF_REMARKS.get(row.kind, ("", ""))
        stands = words in row.sealed_details and row.number not in taken_back
        if stands and not found:
            yield f"decision {row.number} ({row}): its remark is missing"
        if found and not (stands and all(_is_remark_of(each, row, kind, words) for each in found)):
            yield f"decision {row.number} ({row}): its remarks are not what it said"
    for key in brought:
        yield f"a remark stands by a decision that says none: {brought[key][0].section.key}"
    proved = dict(Decision.objects.filter(federation=federation).values_list("number", "sealed_details"))
    for proof in ProofFile.objects.filter(federation=federation).defer("content"):
        if proved.get(proof.decision, {}).get("sha256") != proof.sha256:
            yield f"file {proof.name}: decision {proof.decision} did not bring it"


def waiver_differences(federation: Federation) -> Iterator[str]:
    """Yield sections with words of a waiver that no decision and no permission has; those are left out of
    which words were withdrawn.
    """
    said: defaultdict[str, set[str]] = defaultdict(set)
    withdrawn = set()
    rows = Decision.objects.filter(federation=federation, sealed_details__has_key="waived")
    for row in rows.prefetch_related("words").order_by("number"):
        if row.details["waived"] is None:
            withdrawn.add(row.about)
        else:
            said[row.about].update(each.get("waived_because") for each in row.details["waived"])
    findings = Finding.objects.filter(section__event__federation=federation).exclude(waived_because="")
    for finding in findings.select_related("section__event__federation").order_by("pk"):
        section = finding.section
        about = section.named_on_record
        permitted = [each["reason"] for each in section.permissions]
        permitted += section.permission_requests.values_list("reason", flat=True)
        words = {*said[about], *said[RECORD_SUBJECT], *permitted, *get_permission_waivers(section).values()}
        if about not in withdrawn and finding.waived_because not in words:
            yield f"{about}: no decision has the words of a waiver"


def _is_file_of(thing: Remark | Correction, row: Decision) -> bool:
    """Whether a remark or correction is of the file that its section held, if that is here."""
    recorded = row.sealed_details.get("held_file")
    if recorded is None:
        return True  # from before decisions held it
    if thing.upload is None:
        same = Upload.objects.filter(federation=row.federation_id, sha256=recorded)
        return not same.filter(at__lte=row.at).exists()  # a later one came again
    return bool(thing.upload.sha256 == recorded)


def _is_remark_of(remark: Remark, row: Decision, kind: str, words: str) -> bool:
    """Whether a remark is of the section, the person, the moment and the words of its decision."""
    key = {each.pk: each.key for each in row.words.all()}.get(remark.sealed_words_id or 0)
    expected = words if remark.place is None else "remarks"
    withdrawn = key is None and not any(each.key == expected for each in row.words.all())
    told = remark.section.named_on_record, remark.by_id, remark.at, remark.kind
    said = (key == expected or withdrawn) and _is_file_of(remark, row)
    answered = name_answered(remark.answers_to)
    from_before = answered if kind == Remark.Kind.ANSWER else []  # decisions did not say it
    said = said and answered == row.sealed_details.get("answers", from_before)
    return said and told == (row.about, row.by_id, row.at, kind)


def _correction_differences(federation: Federation, decisions: dict[int, Decision]) -> Iterator[str]:
    corrections = Correction.objects.filter(section__event__federation=federation)
    brought: defaultdict[int, list[Correction]] = defaultdict(list)
    for each in (
        corrections.select_related("section__event", "upload").defer("upload__content").order_by("pk")
    ):
        brought[each.decision_id].append(each)
    for key, row in decisions.items():
        if row.kind != "mend" or "rows" not in row.sealed_details:
            brought.pop(key, None)
            continue  # another decision, or one from before decisions held the rows
        found = brought.pop(key, [])
        by = row.sealed_details.get("proposed_by", row.by_id)
        reasons = {None, *(each.pk for each in row.words.all())}
        told = all(
            (each.section.named_on_record, each.by_id) == (row.about, by)
            and each.reason_id in reasons
            and _is_file_of(each, row)
            for each in found
        )
        if not told or serialize_corrections(found) != row.sealed_details["rows"]:
            yield f"decision {row.number} ({row}): its corrections are not what it decided"
    for key in brought:
        yield f"a correction stands by a decision that made none: {brought[key][0].section.key}"


# ---- Filed bytes, compared with their checksums, and files with the record
SUBJECT_KINDS = {Upload: "section", Archive: "event"}
"""The first word of the subject of a decision that files such a row: there is one row for each checksum."""


@dataclass
class FilesOnRecord:
    """The files that the record mentions, by checksum; each decision by its number."""

    named: set[str] = field(default_factory=set)
    """Files named by any decision but a letting go."""
    filed: dict[tuple[str, str], int] = field(default_factory=dict)
    """The newest filing, by checksum and the first word of its subject."""
    kept: dict[str, int] = field(default_factory=dict)
    """The newest filing of each file, of a table, or of a proof, that nobody has taken back since."""
    written: Counter[str] = field(default_factory=Counter)
    """How often a table was written to the register."""
    let_go: dict[tuple[str, date, str], int] = field(default_factory=dict)
    """The newest letting go, by checksum, day and reason."""

    def add(self, decision: Decision) -> None:
        files = decision.sealed_details["sha256"]
        if decision.kind == LET_GO_KIND:
            for reason, hashes in files.items():
                for sha256 in hashes:
                    self.let_go[sha256, decision.on, reason] = decision.number
            return
        for sha256 in files if isinstance(files, list) else [str(files)]:
            self._add(decision, sha256)

    def _add(self, decision: Decision, sha256: str) -> None:
        self.named.add(sha256)
        of = decision.about.partition(" ")[0]
        if decision.kind == "file":
            self.filed[sha256, of] = decision.number
        if decision.kind in KINDS and KINDS[decision.kind].keeps_file:
            self.kept[sha256] = decision.number
        elif decision.kind == "discard" and of in SUBJECT_KINDS.values():  # a table's row stays
            self.kept.pop(sha256, None)
        elif decision.kind == "import-register":
            self.written[sha256] += 1


def compare_filed_files(report: Report, federation: Federation) -> None:
    """Report bytes of another checksum, files that nobody filed, and files gone without a decision."""
    record = _get_files_on_record(federation)
    for words in _history_differences(federation, record):
        report.add(words)
    for rows in _file_querysets(federation):
        for row in rows.filter(content__isnull=False).iterator(20):
            report.files += 1
            if checksum(bytes(row.content or b"")) != row.sha256:
                report.add(f"file {row.name}: its bytes are not those of its checksum")
            if row.let_go_on is not None:
                report.add(f"file {row.name}: it is marked as let go, and its bytes are here")
        for row in rows.filter(content=None).defer("content").iterator(200):
            if words := _describe_missing_bytes(row, record):
                report.add(words)
        if rows.model is not ArchivedFile:  # its archive was filed
            for name, sha256 in rows.values_list("name", "sha256").iterator(2_000):
                if sha256 not in record.named:
                    report.add(f"file {name}: no decision on record filed it")
    for history in History.objects.filter(federation=federation, let_go_on__isnull=False):
        if words := _describe_missing_bytes(history, record):
            report.add(words)
    for _model, kept in rows_with_bytes(federation):
        for name in kept.filter(Q(let_go_on=None) ^ Q(let_go_because="")).values_list("name", flat=True):
            report.add(f"file {name}: of the day on which it was let go and the reason, one is missing")
    for words in _missing_files(federation, record):
        report.add(words)


def _history_differences(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Count the files of written histories as filed; yield histories whose files are not those recorded."""
    taken = Decision.objects.filter(federation=federation, kind="take-history").order_by("number")
    for decision in taken:
        details = decision.sealed_details
        written = History.objects.filter(federation=federation, state=HistoryState.WRITTEN)
        history = written.filter(sha256=details["sha256"]).first()
        if history is None or compute_files_digest(history) != details["files_sha256"]:
            yield f"decision {decision.number}: the files of the history are not those that it wrote"
            continue
        for sha256 in history.files.exclude(section=None).values_list("sha256", flat=True):
            record.named.add(sha256)
            record.filed[sha256, "section"] = record.kept[sha256] = decision.number


def _file_querysets(federation: Federation) -> Iterator[Any]:
    """Yield the rows that have bytes, or had some that only the retention may delete."""
    yield Upload.objects.filter(federation=federation)
    yield Archive.objects.filter(federation=federation)
    tables = RegisterImport.objects.filter(federation=federation)
    yield ProofFile.objects.filter(federation=federation)
    yield tables.exclude(state=RegisterImport.State.DISCARDED, let_go_on=None).defer("reading")
    # Others have become an upload, which has the bytes, or are no event files.
    yield ArchivedFile.objects.filter(archive__federation=federation, upload=None, reason="")


def _describe_missing_bytes(row: Any, record: FilesOnRecord) -> str:
    """What is wrong with a row without bytes; empty where the record let them go."""
    if row.let_go_on is None:
        return f"file {row.name}: its bytes are gone, and nobody let it go"
    number = record.let_go.get((row.sha256, row.let_go_on, row.let_go_because))
    if number is None:
        return f"file {row.name}: it is marked as let go on {row.let_go_on}, but not on record"
    if number < record.filed.get((row.sha256, SUBJECT_KINDS.get(type(row), "")), 0):
        return f"file {row.name}: it was let go on {row.let_go_on}, filed again, and its bytes are gone"
    return ""


def _missing_files(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Yield filed files that have no row any more, and written tables that are not here as written."""
    tables = RegisterImport.objects.filter(federation=federation)
    here: set[str] = set()
    for rows in (Upload.objects.filter(federation=federation), Archive.objects.filter(federation=federation)):
        here.update(rows.values_list("sha256", flat=True))
    here.update(ProofFile.objects.filter(federation=federation).values_list("sha256", flat=True))
    here.update(tables.values_list("sha256", flat=True))
    for sha256, number in record.kept.items():
        if sha256 not in here:
            yield f"decision {number} filed {_short(sha256)}, which is not here, and nobody took it back"
    stored = tables.filter(state=RegisterImport.State.WRITTEN).values_list("sha256", flat=True)
    for sha256 in record.written - Counter(stored):
        yield f"table {_short(sha256)}: it was written, says the record, and is not here as it was"


def _short(sha256: str) -> str:
    return f"{sha256[:12]}…"


def _get_files_on_record(federation: Federation) -> FilesOnRecord:
    found = FilesOnRecord()
    decisions = Decision.objects.filter(federation=federation, sealed_details__has_key="sha256")
    rows = decisions.order_by("number").only("number", "kind", "on", "about", "sealed_details")
    for decision in rows.iterator(2_000):
        found.add(decision)
    return found


# ---- Columns stored beside the journal's lines, compared with the lines; this names any altered line
_BATCH_SIZE = 2_000
SECTION_KINDS = ("section", "rated", "unrated")
DERIVED_COLUMNS = (
    *("kind", "subject", "on", "order", "taken_back", "takes__number", "first_rated__number"),
    *("particulars", "pres"),
    *("section__event__number", "section__code"),
)
"""Columns that follow from a line and the lines above it."""


def column_differences(
    federation: Federation, record: journal.Journal, in_force: Collection[int]
) -> Iterator[str]:
    """Yield each journal line whose columns do not follow from it, and pre-ratings that no line states.

    `in_force`: the numbers of the lines that are folded, whose fingerprints the replay holds.
    """
    intake = Intake(federation, record.lines)
    stored = models.Fact.objects.filter(federation=federation).order_by("number")
    rows = stored.values_list("number", "fingerprint", *DERIVED_COLUMNS).iterator(chunk_size=_BATCH_SIZE)
    expected = {row.number: row for row in intake.rows}
    for number, fingerprint, *columns in rows:
        row = expected.pop(number, None)
        if row is None:
            continue
        # A merge renews what it finds in force, or puts it away; nobody reads it of what was un-rated before.
        if intake.renames and number not in in_force and row.order is not None:
            another = row.taken_back is None and fingerprint != ""
        else:
            another = number not in in_force and fingerprint != row.fingerprint
        if another or columns != _expected_columns(row):
            yield f"line {number}: its columns are not what it says"
    yield from _pre_rating_differences(federation, intake.pres)


def _expected_columns(row: models.Fact) -> list[object]:
    takes = row.takes.number if row.takes else None
    event, _slash, code = row.subject.rpartition("/") if row.kind in SECTION_KINDS else ("", "", "")
    first = row.first_rated.number if row.first_rated else None
    beside = [row.kind, row.subject, row.on, row.order, row.taken_back, takes, first]
    return [*beside, row.particulars, row.pres, event or None, code or None]


def _pre_rating_differences(federation: Federation, given: list[models.StatedPre]) -> Iterator[str]:
    """Yield each pre-rating in which the stored rows and those that the lines state (`given`) differ."""
    expected = {(each.line, each.player, each.pre) for each in given}
    rows = models.StatedPre.objects.filter(federation=federation)
    stored = set(rows.values_list("line", "player", "pre"))
    for line, player, pre in sorted(expected ^ stored):
        yield f"line {line}: the pre-rating {pre} of player {player} is not what it states"


# ---- Published lists, compared with what the journal draws up: bytes, rows and heads
def lists_by_fact(federation: Federation) -> dict[int, list[models.RatingList]]:
    found: dict[int, list[models.RatingList]] = {}
    for rating_list in models.RatingList.objects.filter(federation=federation).defer("content"):
        found.setdefault(rating_list.fact_id, []).append(rating_list)
    return found


def compare_closing_lists(
    report: Report,
    federation: Federation,
    record: journal.Journal,
    fact: facts.Fact,
    state: State[Any],
    lists: list[models.RatingList],
) -> None:
    """Compare the lists of a closing, and their rows, with a replay; `state`: after the closing."""
    if find_list_closing(fact) is None:
        return
    published = get_list_state(record, fact) if has_list_state_changed(federation, fact) else state
    expected = compute_list_rows(federation.ruleset, fact, published)
    for rating_list in lists:
        _compare_list(report, federation, rating_list, fact, expected.get(rating_list.track, []))
    if fact.number <= report.settled:
        return  # the record's seal covers what was not published, too
    for track in expected.keys() - {rating_list.track for rating_list in lists}:
        report.add(f"line {fact.number}: the list of {track} is missing")


def _compare_list(
    report: Report,
    federation: Federation,
    rating_list: models.RatingList,
    fact: facts.Fact,
    drawn: list[ListedPlayer],
) -> None:
    """Compare a list's bytes, rows, day and edition with what a replay draws up; `fact`: its closing. An old
    list that other rules drew up is left for its own program to prove.
    """
    content = bytes(models.RatingList.objects.values_list("content", flat=True).get(pk=rating_list.pk))
    if checksum(content) != rating_list.sha256:
        report.add(f"list {rating_list}: its bytes are not those of its checksum")
    list_lines, right = (
        content.decode(errors="replace").splitlines(),
        list_content(drawn).decode().splitlines(),
    )
    edition = federation.ruleset.edition_for(fact).name
    if fact.number <= report.settled:
        if list_lines != right or rating_list.edition != edition:
            report.drawn_differently.append(rating_list)
        _compare_rows(report, rating_list, list_lines, None)
        return
    for position, (here, there) in enumerate(zip_longest(list_lines, right), start=1):
        if here != there:
            words = f"a replay draws it up differently, {there} and not {here}"
            report.add(f"list {rating_list}, row {position}: {words}")
            break
    _compare_rows(report, rating_list, list_lines, drawn)
    head = (rating_list.on, rating_list.players, rating_list.edition)
    if head != (getattr(find_list_closing(fact), "on", None), len(list_lines), edition):
        report.add(f"list {rating_list}: day, players or edition are not those of its line and rows")


def compare_revisions(
    report: Report,
    federation: Federation,
    record: journal.Journal,
    lists: dict[int, list[models.RatingList]],
) -> None:
    """Compare the lists of `revised` lines, by the fact's primary key, with what a replay gives there."""
    drawn_lists = journal.JournalLists(record)
    revised = models.Fact.objects.filter(federation=federation, kind="revised", pk__in=list(lists))
    for line in revised.order_by("number"):
        spoken = journal_lines.parse_line(line.line, federation.ruleset)
        assert isinstance(spoken, Revised)
        drawn = drawn_lists.list_of_line(line.number)
        closing = Placed(line.number, ListClosing(spoken.list))
        for rating_list in lists.pop(line.pk):
            _compare_list(report, federation, rating_list, closing, list(drawn.get(rating_list.track, ())))


def _compare_rows(
    report: Report, rating_list: models.RatingList, list_lines: list[str], drawn: list[ListedPlayer] | None
) -> None:
    """Compare the rows that pages show with the list's bytes (`list_lines`), and their other columns
    with a replay's rows; None: those that the record's seal covers.
    """
    columns = ("position", "player__number", "rating", "games", "rank", "status", "player_id", "previous")
    rows = rating_list.rows.order_by("position").values_list(*columns)
    before = _get_previous_ratings(rating_list)
    for at, (row, line) in enumerate(zip_longest(rows, list_lines), start=1):
        if row is None or line is None:
            words = "missing" if row is None else "not of its bytes"
            report.add(f"list {rating_list}, row {at}: {words}")
            break
        position, number, rating, games, rank, status, player, previous = row
        right = drawn[at - 1] if drawn is not None and at <= len(drawn) else None
        shown = right is None or (rank, status) == (right.rank, right.status)
        as_said = f"{number},{journal_lines.plain(rating)},{games}" == line and position == at
        if not as_said or not shown or previous != before.get(player):
            report.add(f"list {rating_list}, row {at} ({number}): it is not the row of its bytes")


def _get_previous_ratings(rating_list: models.RatingList) -> dict[int, Decimal]:
    """The ratings on the list before, by the player's key, in the version known at this one's drawing."""
    same = models.RatingList.objects.filter(federation=rating_list.federation_id, track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, ledger__lte=rating_list.ledger).order_by("-on", "-revision")
    key = before.values_list("pk", flat=True).first()
    rows = models.ListRow.objects.filter(rating_list=key) if key else models.ListRow.objects.none()
    return dict(rows.values_list("player_id", "rating"))


def compare_list_versions(report: Report, federation: Federation) -> None:
    """Check what each list says of itself beside its rows: version, note, hour of publication, program."""
    decisions = Decision.objects.filter(federation=federation, kind__in=("publish", "revise"))
    rows = decisions.order_by("number").prefetch_related("words")
    decision = {row.details.get("fact"): row for row in rows}
    programs = {
        (each.version, each.sha256)
        for each in models.ProgramFile.objects.all()
        if checksum(bytes(each.content)) == each.sha256
    }
    newest: dict[tuple[object, str], models.RatingList] = {}
    lists = models.RatingList.objects.filter(federation=federation).select_related("fact").defer("content")
    for each in lists.order_by("fact__number", "pk"):
        before = newest.get((each.on, each.track))
        newest[each.on, each.track] = each
        revision = (before.revision if before else 0) + 1
        if (each.revision, each.supersedes_id) != (revision, before.pk if before else None):
            report.add(f"list {each}: revision {each.revision} does not follow the version before it")
        if (each.program_version, each.program_sha256) not in programs:
            report.add(f"list {each}: the program that drew it up is not here as it was")
        _compare_with_decision(report, each, decision.get(each.fact.number))


def _compare_with_decision(report: Report, rating_list: models.RatingList, decision: Decision | None) -> None:
    """Compare a list's note and hour of publication with the decision on record that published it, if any."""
    note = decision.details.get("note") if decision else None
    if rating_list.note != str(note or ""):
        report.add(f"list {rating_list}: its note is not that of the record")
    at = rating_list.published_at
    if decision is not None and at != decision.at:
        report.add(f"list {rating_list}: it was published at another time, says the record")
    elif decision is None and not _fits_import(rating_list):
        report.add(f"list {rating_list}: it was published on another day, says the journal")


def _fits_import(rating_list: models.RatingList) -> bool:
    """Whether a list without a decision can be imported: its hour is noon, or that of its folding here."""
    on, at = rating_list.fact.on or rating_list.on, rating_list.published_at
    imports = Decision.objects.filter(federation=rating_list.federation_id, kind="import")
    since = imports.order_by("number").values_list("at", flat=True).first()
    folded_here = on >= at.date() - ONE_DAY and (since is None or at >= since)
    return folded_here or at == datetime.combine(on, time(12), UTC)


# ---- Names, compared with their seals
def name_differences(federation: Federation) -> Iterator[str]:
    """Yield names that do not open their seal, are gone without a decision, or are shown otherwise."""
    known_seals = set()
    for each in SealedName.objects.filter(federation=federation).iterator(chunk_size=_BATCH_SIZE):
        known_seals.add(each.seal)
        if not _name_matches(each.name, each.salt, each.seal):
            yield f"the name under seal {each.seal} is not the name that was sealed"
    # Players who may be without a name: a decision deleted it, or an imported journal or lines taken back
    # after a restore came without it.
    numbers: set[str] = set()
    decision = Decision.objects.filter(
        federation=federation, kind__in=("forget-name", "import", "take-lines")
    )
    for row in decision.only("kind", "about", "sealed_details"):
        if row.kind != "forget-name":
            numbers.update(row.sealed_details.get("nameless") or ())
        else:
            numbers.add(row.about.removeprefix("player "))
    ended = Player.objects.filter(federation=federation, merged_into__number__in=numbers)
    nameless, newest = numbers | set(ended.values_list("number", flat=True)), {}
    lines = models.Fact.objects.filter(federation=federation, kind="player").order_by("number")
    for number, subject, line in lines.values_list("number", "subject", "line").iterator(_BATCH_SIZE):
        found = NAME_SEAL.search(line)
        newest[subject] = found[1] if found else ""
        if found and found[1] not in known_seals and subject not in nameless:
            yield f"line {number}: the name under its seal is gone, and no decision deleted it"
    for player in Player.objects.filter(federation=federation).iterator(_BATCH_SIZE):
        player.federation = federation
        found_by = player.name_key, player.first_name_key, player.sort_key
        if found_by != (
            fold(player.surname),
            fold_and_join_words(player.first_name),
            player_sort_key(player),
        ):
            yield f"player {player.number}: the keys by which lists order and find the name are not its own"
        seal = newest.get(player.number)
        if seal is None:
            continue  # in no line yet: nothing proves the name
        named = (
            player.name_seal == seal if player.name_seal else _name_matches(player.name, player.salt, seal)
        )
        if not named:
            yield f"player {player.number}: the name that is shown is not that of the journal's newest line"


def _name_matches(name: str, salt: str, seal: str) -> bool:
    try:
        return name_seal(name, salt) == seal
    except ValueError:
        return False


# ---- Old lists, proved by the programs that drew them up before other rules were applied
def compare_old_lists(report: Report, federation: Federation) -> None:
    """Compare what was published before other rules were applied with the record's seals, and the lists that
    the present rules draw up differently with the programs that drew them. Only programs that an unaltered
    record vouches for are run.
    """
    sealed = dict.fromkeys(
        get_seals(federation)
    )  # a newer one would seal what was altered under an older one
    broken = [seal for seal in sealed if compute_published_seal(federation, seal.line) != seal]
    if not sealed:
        return
    for seal in broken:
        words = "lists and errata are not what the record sealed when other rules were applied"
        report.add(f"up to line {seal.line}, {words}")
    if broken:
        return
    if report.record_altered:
        if report.drawn_differently:
            report.add("old lists were not proved by their programs, as the record was altered")
    else:
        _prove(report, federation)


def _prove(report: Report, federation: Federation) -> None:
    by_program: dict[tuple[str, str], list[models.RatingList]] = {}
    for each in report.drawn_differently:
        by_program.setdefault((each.program_version, each.program_sha256), []).append(each)
    for (version, sha256), lists in sorted(by_program.items()):
        kept = models.ProgramFile.objects.filter(version=version, sha256=sha256).first()
        if kept is None or checksum(bytes(kept.content)) != sha256:
            continue  # `compare_list_versions` says so
        program = Program(version, bytes(kept.content))
        newest = max(each.fact.number for each in lists)
        lines = list(islice(sealed_lines(federation), newest))
        complaint = find_program_complaint(
            program, lines, [json.dumps(list_as_json(each)).encode() for each in lists]
        )
        if complaint:
            named = ", ".join(map(str, lists[:5])) + (" …" if len(lists) > 5 else "")
            report.add(f"lists {named}: the program that drew them up, {program.name}, says: {complaint}")
        else:
            report.proved_by_program[program.name] = len(lists)


# ---- Results kept of past days, compared with replays as of some of them
Place = tuple[int, facts.PlayerId, str]


def compare_past_days(
    report: Report, federation: Federation, record: journal.Journal, most_days: int
) -> None:
    """Compare the results kept of up to `most` past days, chosen at random, with replays as of those days."""
    ruleset = federation.ruleset
    last = max((number for number, _fact in record.lines), default=0)
    ahead = models.Change.objects.filter(fact__federation=federation, since__gt=last)
    for number, player, track in ahead.values_list("fact__number", "player__number", "track"):
        report.add(f"line {number}, player {player}, {track}: known only from a line that is not written yet")
    days = sorted({on for _number, fact in record.lines if (on := getattr(fact, "on", None))})
    for day in sorted(SystemRandom().sample(days, min(most_days, len(days)))):
        replayed, line = State[Any](), get_last_known_line(federation, day)
        columns = ("fact__number", "player__number", "track", "before", "after", "points", "games")
        kept_changes = {
            (number, player, track): tuple(rest)
            for rows in get_known_rows(models.Change, models.PastChange, line)
            for number, player, track, *rest in rows.filter(fact__federation=federation).values_list(*columns)
        }
        for fact, changes, _state in ruleset.fold(journal.resolve(record, day), replayed):
            for change in changes:
                kept = kept_changes.pop((fact.number, change.player, change.track), None)
                if kept != _comparable(change):
                    report.add(f"{day}, {_place(fact.number, change.player, change.track)}: {kept}")
        for key in kept_changes:
            report.add(f"{day}, {_place(*key)}: a change that no rule made")
        known = state_before(federation, AFTER_EVERYTHING, line=line)
        report.days += 1
        if known.wide != replayed.wide:
            report.add(f"{day}: the federation-wide state kept of that day is not that of the replay")
        keys = {**known.standings, **replayed.standings}
        for player, track in keys:
            kept, found = known.get(player, track), replayed.get(player, track)
            if kept != found:
                place = f"{day}, player {player}, {track}"
                report.add(f"{place}: what is kept of that day is not the replay's")


def unreadable_standings(federation: Federation) -> Iterator[str]:
    """Yield each past change whose standing the ruleset cannot read."""
    changes = models.PastChange.objects.filter(fact__federation=federation)
    rows = changes.values_list("fact__number", "player__number", "track", "state")
    for line, player, track, text in rows.iterator(2_000):
        try:
            federation.ruleset.storage.load(track, text)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            yield f"{_place(line, player, track)}: its standing cannot be read"


def _comparable(change: facts.Change[Any]) -> tuple[Any, ...]:
    before = change.before.rating if change.before else None
    return before, change.after.rating, change.points, change.after.games


def _place(line: int, player: facts.PlayerId, track: str) -> str:
    return f"line {line}, player {player}, {track}, as it was known then"


# ---- Sections as pages show them, compared with the rated lines of the journal
def section_differences(federation: Federation, record: journal.Journal) -> Iterator[str]:
    """Yield each rated section that pages show otherwise than its journal line has it."""
    names, rated = journal.merges(record.lines), _sections_in_force(record)
    sections = Section.objects.filter(event__federation=federation, stage=Stage.RATED)
    for section in sections.select_related("event__federation").order_by("pk").iterator(200):
        spoken, on = rated.pop(section.key, (None, None))
        if spoken is None:
            yield f"section {section.key}: it is shown as rated, but no line in force rates it"
            continue
        if section.rated_on != on:
            yield f"section {section.key}: it was rated on another day, says the journal"
        if _comparable_section(section_fact(section, draft=True), names) != _comparable_section(
            spoken, names
        ):
            yield f"section {section.key}: particulars, entries or games are not those of its line"
    for key in rated:
        yield f"section {key}: a line in force rates it, but it is not shown as rated"


def _sections_in_force(record: journal.Journal) -> dict[str, tuple[facts.Section, Any]]:
    """The sections rated now, by id: the version that was rated, and the day of rating."""
    versions: dict[str, facts.Section] = {}
    found: dict[str, tuple[facts.Section, Any]] = {}
    for _number, fact in record.lines:
        match fact:
            case facts.Section():
                versions[fact.id] = fact
            case facts.Rated():
                found[fact.section] = versions[fact.section], fact.on
            case facts.Unrated():
                del found[fact.section]
    return found


def _comparable_section(
    section: facts.Section, names: dict[facts.PlayerId, facts.PlayerId]
) -> tuple[Any, ...]:
    """The parts of a section to compare, with merged players replaced by those who stay: all but pre-ratings,
    ratings, which not every journal has, and who plays for the women's title, which the register says.
    """
    renamed = journal.merge_player_ids(section, names)
    entries = tuple(replace(each, rating=None, pre=None, women=False) for each in renamed.entries)
    return replace(renamed, entries=entries, byes=()), frozenset(renamed.byes)


# ---- The verification itself: the replay, and the ratings compared with it
MOST_FACTS_REPLAYED, FEWEST_DAYS = 4_000, 2
"""Facts that are replayed for past days, and the fewest days that are looked at."""
_FACTS_AT_ONCE = 50
"""Facts whose stored changes are read at once: few, as one list may move everybody."""


def verify(federation: Federation, on_fact: Callable[[int, int], None] | None = None) -> Report:
    """Compare everything stored of an office with a replay of its journal. While a recompute is pending,
    report only that; while other rules wait, that and what does not depend on rules. `on_fact` is called with
    the progress.
    """
    report = Report()
    if why := why_rules_not_applied(federation):
        report.add(why)
        return _verify_without_rules(report, federation)
    if Ledger.objects.get(federation=federation).pending:
        report.add("a recompute is pending: run it first (manage.py recompute --pending)")
        return report
    report.notices += describe_lost_decisions(federation)
    for found in row_differences(federation):
        report.add_all(found)
    report.record_altered = bool(report.differences)
    seal = find_newest_seal(federation)
    report.settled = seal.line if seal else 0
    try:
        report.add_all(held_differences(federation, report.notices))
        _compare_with_replay(report, federation, on_fact)
    except journal_lines.JournalError as error:
        report.add(f"the journal cannot be read any more: {error}")
    except DATABASE_TROUBLE:
        raise
    except Exception as error:  # whoever alters rows may leave what no code here would ever write
        report.add(f"what is stored cannot be compared, so is it altered: {error!r}")
    report.add_all(
        f"{table} can be altered: its triggers are off, manage.py migrate puts them back"
        for table in unprotected_tables()
    )
    return report


def _compare_with_replay(
    report: Report, federation: Federation, on_fact: Callable[[int, int], None] | None
) -> None:
    record = read_record(federation)
    ordered = journal.resolve(record)
    report.add_all(column_differences(federation, record, {fact.number for fact in ordered}))
    report.start_kind()
    keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
    state = _compare_fold(report, federation, record, ordered, keys, on_fact)
    report.add_all(_unfolded_with_changes(federation, ordered))
    report.start_kind()
    compare_old_lists(report, federation)
    report.start_kind()
    dump = federation.ruleset.storage.dump
    expected, moved = dict(state.standings), _last_change_orders(federation)
    standings = models.Standing.objects.filter(federation=federation)
    columns = ("player_id", "track", "order", "rating", "games", "due", "state")
    for player, track, order, *stored in standings.values_list(*columns).iterator(5_000):
        standing = expected.pop((keys.get(player, "?"), track), None)
        report.standings += 1
        if standing is None:
            report.add(f"player {keys.get(player)}, {track}: a standing that no fact made")
        elif stored != [standing.rating, standing.games, standing.due, dump(standing)]:
            report.add(f"player {keys.get(player)}, {track}: {stored[0]} is not {standing.rating}")
        elif order != moved.get((player, track)):
            report.add(f"player {keys.get(player)}, {track}: another fact moved the standing last")
    for player_number, track in expected:
        report.add(f"player {player_number}, {track}: the standing is missing")
    newest = models.Wide.objects.filter(federation=federation).order_by("-order").first()
    if (newest.state if newest else "") != (
        federation.ruleset.storage.dump_wide(state.wide) if state.wide is not None else ""
    ):
        report.add("the federation-wide state is not that of the replay")
    found = len(report.differences)
    report.add_all(unreadable_standings(federation))
    if len(report.differences) > found:
        return  # what follows reads these rows
    compare_past_days(
        report, federation, record, most_days=max(FEWEST_DAYS, MOST_FACTS_REPLAYED // (len(ordered) or 1))
    )
    report.add_all(errata_differences(federation, report.settled))
    report.add_all(section_differences(federation, record))
    report.add_all(note_differences(federation))
    report.add_all(waiver_differences(federation))
    report.add_all(name_differences(federation))
    report.start_kind()
    compare_filed_files(report, federation)


def _unfolded_with_changes(federation: Federation, ordered: list[facts.Fact]) -> Iterator[str]:
    """Yield each line that has changes of ratings and is not folded: pages would show them."""
    folded = {fact.number for fact in ordered}
    with_changes = models.Change.objects.filter(fact__federation=federation).order_by("fact__number")
    for number in with_changes.values_list("fact__number", flat=True).distinct():
        if number not in folded:
            yield f"line {number} is not in force, and has changes of ratings"


def _verify_without_rules(report: Report, federation: Federation) -> Report:
    for found in row_differences(federation):
        report.add_all(found)
    report.add_all(held_differences(federation, report.notices))
    report.add_all(name_differences(federation))
    report.start_kind()
    compare_filed_files(report, federation)
    return report


def _compare_fold(
    report: Report,
    federation: Federation,
    record: journal.Journal,
    ordered: list[facts.Fact],
    keys: dict[int, str],
    on_fact: Callable[[int, int], None] | None,
) -> State[Any]:
    """Replay the journal, compare changes and lists with the stored ones, and return the last state."""
    folded = models.Fact.objects.filter(federation=federation).exclude(folded="")
    rows = {row.number: row for row in folded.defer("line", "particulars")}
    lists = lists_by_fact(federation)
    report.lists = sum(map(len, lists.values()))
    state: State[Any] = State()
    for some in batches(ordered, _FACTS_AT_ONCE):
        stored = _stored_changes(rows[fact.number].pk for fact in some if fact.number in rows)
        for fact, changes, _state in federation.ruleset.fold(some, state):
            row = rows.pop(fact.number, None)
            report.facts += 1
            if row is None:
                report.add(f"line {fact.number} is not folded")
                continue
            if (row.fingerprint, row.folded) != _fingerprints(federation, fact):
                report.add(f"line {fact.number}: it was folded as something else than it says")
            _compare_changes(report, federation, row, changes, stored[row.pk], keys)
            compare_closing_lists(report, federation, record, fact, state, lists.pop(row.pk, []))
            if on_fact:
                on_fact(report.facts, len(ordered))
    compare_revisions(report, federation, record, lists)
    compare_list_versions(report, federation)
    for number in rows:
        report.add(f"line {number} is folded, but the journal does not fold it")
    for fact_lists in lists.values():
        for rating_list in fact_lists:
            report.add(f"list {rating_list}: no line of the journal published it")
    return state


def _fingerprints(federation: Federation, fact: facts.Fact) -> tuple[str, str]:
    """The fingerprints of a fact's row: by its lines alone, and as folded, with the ruleset's notes."""
    ruleset = federation.ruleset
    folded = journal.fingerprint(fact, ruleset)
    if isinstance(fact, facts.RatedSection) and fact.notes:
        return journal.fingerprint(replace(fact, notes=()), ruleset), folded
    return folded, folded


def _stored_changes(lines: Iterable[int]) -> defaultdict[int, list[tuple[Any, ...]]]:
    """The stored changes of some lines, by the line's primary key."""
    columns = ("fact_id", "player_id", "track", "order", "before", "after", "points", "games", "state")
    found: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for line, *change in models.Change.objects.filter(fact__in=list(lines)).values_list(*columns):
        found[line].append(tuple(change))
    return found


def _compare_changes(
    report: Report,
    federation: Federation,
    row: models.Fact,
    changes: list[facts.Change[Any]],
    rows: list[tuple[Any, ...]],
    keys: dict[int, str],
) -> None:
    dump = federation.ruleset.storage.dump
    stored = {(keys.get(player, "?"), track): values for player, track, *values in rows}
    report.changes += len(changes)
    for change in changes:
        expected = [row.order, *_comparable(change), dump(change.after)]
        found = stored.pop((change.player, change.track), None)
        if found != expected:
            place = f"line {row.number}, player {change.player}, {change.track}"
            report.add(f"{place}: {found} is not {expected}")
    for player, track in stored:
        report.add(f"line {row.number}, player {player}, {track}: a change that no rule made")


def _last_change_orders(federation: Federation) -> dict[tuple[int, str], int]:
    """The place in the order of the last change of each player (by primary key) in each track."""
    changes = models.Change.objects.filter(player__federation=federation).order_by()
    rows = changes.values_list("player_id", "track").annotate(Max("order"))
    return {(player, track): order for player, track, order in rows}
