"""Verifies an office: replays its journal from the first line and compares everything that is stored with the
replay, such as changes of ratings, standings, lists, errata and past days. It also checks what no replay
gives: the record of decisions, the public log with its keys, files and names. Each difference names what it
is found in.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice, zip_longest
from random import SystemRandom
from typing import Any

from django.db.models import Max
from django.utils import timezone

from players import seals as record_chain_and_sealed_words
from players.models import (
    DATABASE_TROUBLE,
    Decision,
    Federation,
    Ledger,
    Player,
    ProofFile,
    RegisterImport,
    SealedName,
)
from players.record import HEAD, LOST, SETTLING, unguarded
from ratings import models, signing, transparency_log
from ratings.intake import Intake
from ratings.journal import AFTER_EVERYTHING, NAME_SEAL, sealed_lines
from ratings.lists import closing_of, drawn_anew, drawn_up, list_as_json, moved_since, state_of_list
from ratings.program import Program, check_with
from ratings.recompute import ONE_DAY, checksum, corrects, first_unrated
from ratings.results import RatingDifference, line_of_day, state_before
from ratings.results import differences as corrected
from ratings.rules_change import newest_seal, seal_published, seals, why_left_alone
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
from ratings.transparency_log import NoteError
from tournaments.models import Archive, ArchivedFile, History, Section, Stage, Upload, digest_of_files
from tournaments.retention import KIND
from tournaments.sections import section_fact

MOST = 20
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
    otherwise: list[models.RatingList] = field(default_factory=list)
    """Lists up to that line that the present rules draw up otherwise."""
    by_kept: dict[str, int] = field(default_factory=dict)
    """The number of those that a kept program proved, by the program's name."""
    record_altered: bool = False
    notices: list[str] = field(default_factory=list)
    """Sentences on what the office has on record as lost; no differences."""

    _named: int = 0

    def begin(self) -> None:
        """Begin another kind of thing: each kind has some differences named, whatever was found before it."""
        self._named = 0

    def differs(self, words: str) -> None:
        if self._named < MOST:
            self._named += 1
            self.differences.append(words)
        else:
            self.more += 1

    def differ(self, found: Iterable[str]) -> None:
        """Add the differences of one kind of thing, each a sentence."""
        self.begin()
        for words in found:
            self.differs(words)


# ---- The record of decisions: its chain against the signed heads, its words, and each decision against the
# lines that it wrote, both ways.
WRITTEN_BY = {
    "rated": "approve",
    "unrated": "unrate",
    "list": "publish",
    "rank": "confirm-rank",
    "playoff": "record-playoff",
    "merged": "merge",
    "revised": "revise",
    "parted": "",
}
"""Kinds of lines that a decision writes, each with the decision's kind if there is only one."""
_ABOUT = {"rated": "section", "unrated": "section", "rank": "player", "merged": "player"}
Head = tuple[int, str]
"""The checkpoint's number, and the hash of the newest decision that it signs."""


def gap(what: str, first: int, last: int, of: str = "") -> str:
    """The sentence on rows that are missing: one of them, or several in a row."""
    if first == last:
        return f"{what} {first}{of} is missing"
    return f"{what}s {first} to {last}{of} are missing"


# ---------------------------------------------------------------- the chain
def chained(federation: Federation, signed: Sequence[models.Checkpoint]) -> Iterator[str]:
    """Name each decision that is missing or not as it was chained, each signed head that the record does not
    come to, and each decision whose words are not those that were sealed.
    """
    heads = signed_heads(signed)
    rows = Decision.objects.filter(federation=federation).order_by("number").prefetch_related("words")
    withdrawn = set(rows.filter(kind="withdraw-words").values_list("about", flat=True))
    previous, count, agreed = "", 0, 0
    for row in rows.iterator(chunk_size=1_000):
        if _bridges(row, count, signed):  # a restore lost them, on record
            previous, count = str(row.sealed_details[HEAD]), row.number - 1
        if count + 1 < row.number:
            yield gap("decision", count + 1, row.number - 1)
        count = row.number
        if record_chain_and_sealed_words.hash_of(row, previous) != row.hash:
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
            elif not _opens(there.salt, there.value, value[record_chain_and_sealed_words.SEALED]):
                yield f"decision {row.number}: its words ({key}) are not those that were sealed"
        for key in words:
            yield f"decision {row.number}: words ({key}) that it does not have"
    counted = Ledger.objects.get(federation=federation).decisions
    if count < max([counted, *heads]):
        yield gap("decision", count + 1, max([counted, *heads]))
    if count > counted:
        yield f"the record goes up to decision {count}, the ledger counts {counted}"


def signed_heads(signed: Sequence[models.Checkpoint]) -> dict[int, Head]:
    """The decisions that checkpoints signed as the newest, by the decision's number."""
    heads: dict[int, Head] = {}
    for each in signed:
        try:
            decisions = each.head.decisions
        except NoteError:
            continue
        if decisions:
            heads[decisions[0]] = each.number, decisions[1]
    return heads


def _bridges(row: Decision, count: int, signed: Sequence[models.Checkpoint]) -> bool:
    """Whether a row says which decisions a restore lost, and may: it settles what was signed since the
    backup, and of the checkpoints here only the one by which it did signs any of them, and the last: a backup
    does not have more.
    """
    details = row.sealed_details
    if row.kind not in SETTLING or details.get(LOST) != [count + 1, row.number - 1]:
        return False
    heads = [head for each in signed for head in signed_heads([each]).items()]
    lost = [(number, hash_) for number, (_checkpoint, hash_) in heads if count < number < row.number]
    return lost == [(row.number - 1, details.get(HEAD))]


def lost_at_a_restore(federation: Federation) -> Iterator[str]:
    """Say which decisions the record itself says are lost."""
    settling = Decision.objects.filter(federation=federation, kind__in=SETTLING).order_by("number")
    for row in settling:
        if lost := row.sealed_details.get(LOST):
            yield f"decisions {lost[0]} to {lost[1]} were lost at a restore, says decision {row.number}"


def _opens(salt: str, value: object, digest: str) -> bool:
    try:
        return record_chain_and_sealed_words.digest(salt, value) == digest
    except ValueError:
        return False


# ---------------------------------------------------------------- decisions and lines
@dataclass
class LinesOfDecisions:
    """The lines that decisions say they wrote or brought in."""

    by_line: dict[int, Decision] = field(default_factory=dict)
    brought: list[tuple[range, Decision]] = field(default_factory=list)
    """Lines that an import or a history brought, or that were taken back after a restore."""
    settled: bool = False
    """Whether a restored office went on by now."""

    def brings(self, line: int) -> Decision | None:
        return next((row for lines, row in self.brought if line in lines), None)


def written(federation: Federation) -> Iterator[str]:
    """Name each line that no decision wrote, each that two did, and each decision whose line is missing or
    another. Imports and histories account for their own lines, and so does what was taken back after a
    restore.
    """
    told = LinesOfDecisions()
    yield from _read(federation, told)
    lines = models.Fact.objects.filter(federation=federation, kind__in=WRITTEN_BY).order_by("number")
    for number, kind, subject, on in lines.values_list("number", "kind", "subject", "on"):
        decided, brought = told.by_line.pop(number, None), told.brings(number)
        if decided is None:
            if brought is None:
                yield f"line {number} ({kind} {subject}): no decision wrote it"
            continue
        if brought is not None:
            yield f"decision {decided.number} ({decided}) wrote line {number}, decision {brought.number} too"
        abouts = {"list": f"list {on}", **{each: f"{what} {subject}" for each, what in _ABOUT.items()}}
        if decided.kind != (WRITTEN_BY[kind] or decided.kind) or decided.about != abouts.get(
            kind, decided.about
        ):
            yield f"decision {decided.number} ({decided}) wrote line {number}, which is of {kind} {subject}"
    for number, row in told.by_line.items():
        yield f"decision {row.number} ({row}) wrote line {number}, which is not there"


def _read(federation: Federation, told: LinesOfDecisions) -> Iterator[str]:
    """Read from the record which lines decisions wrote; name two that claim one line, and any that names
    none.
    """
    decisions = Decision.objects.filter(federation=federation).order_by("number")
    for row in decisions.only("number", "kind", "about", "sealed_details").iterator(chunk_size=1_000):
        details = row.sealed_details
        if row.kind == "import":
            if told.settled or told.by_line:
                yield f"decision {row.number} ({row}) imports into an office that was not empty"
            told.brought.append((range(1, _number(details, "facts") + 1), row))
        told.settled |= row.kind in SETTLING
        if row.kind == "take-lines":
            lines = range(_number(details, "first"), _number(details, "lines") + 1)
            if _signed_here(federation, lines):
                yield f"decision {row.number} ({row}) took lines back that were here"
            told.brought.append((lines, row))
        if row.kind == "take-history":
            told.brought.append((range(_number(details, "first"), _number(details, "last") + 1), row))
        line = details.get("fact")
        if isinstance(line, int):
            if first := told.by_line.get(line):
                yield f"decision {row.number} ({row}) wrote line {line}, decision {first.number} too"
            told.by_line.setdefault(line, row)
        elif row.kind in WRITTEN_BY.values():
            yield f"decision {row.number} ({row}) names no line"


def _signed_here(federation: Federation, lines: range) -> bool:
    """Whether a checkpoint was signed over some of these lines before the one by which they were taken back:
    then they were no lines that a backup lacked.
    """
    signed = models.Checkpoint.objects.of(federation)
    by = signed.filter(size=lines.stop - 1).order_by("number").values_list("number", flat=True).first()
    return by is None or signed.filter(number__lt=by, size__gte=lines.start).exists()


def _number(details: dict[str, Any], key: str) -> int:
    """A number in a decision's details; 0 where there is none."""
    value = details.get(key)
    return value if isinstance(value, int) else 0


# ---- What is compared besides the ratings: the record, lines, tiles, checkpoints, keys and lists.
AN_HOUR = timedelta(hours=1)
"""The most by which the clocks of two machines may differ."""


def differences(federation: Federation) -> Iterator[Iterable[str]]:
    """The disagreements of each kind of row; altered rows come before those that follow from them. Read each
    kind to its end before the next.
    """
    signed = list(
        models.Checkpoint.objects.of(federation).select_related("key").prefetch_related("cosignatures")
    )
    lines = Lines(federation)
    yield lines.differences()
    yield chained(federation, signed)
    yield _keys(federation)
    yield _checkpoints(federation, signed)
    yield lines.against(signed)
    yield _outside(federation, signed)
    yield _lists(federation, signed)
    yield written(federation)


# ---------------------------------------------------------------- lines and tiles
@dataclass
class Lines:
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
                yield gap("line", self.tree.size + 1, number - 1, " of the journal")
            while self.tree.size + 1 < number:
                self.tree.append(bytes(32))
            self.tree.append(transparency_log.leaf_hash(transparency_log.entry_of(line)))
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
                hashes = transparency_log.hashes_of(bytes(tile.content))
                root = transparency_log.root_of_tile(bytes(tile.content))
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

    def against(self, signed: list[models.Checkpoint]) -> Iterator[str]:
        """Compare the tree with checkpoints; a root that differs tells between which sizes a line changed."""
        agreed = 0
        for each in sorted(signed, key=lambda one: (one.size, one.number)):
            try:
                head, edge = each.head, transparency_log.hashes_of(bytes(each.edge)) if each.edge else []
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


# ---------------------------------------------------------------- keys and checkpoints
def _keys(federation: Federation) -> Iterator[str]:
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
        decided = changes.pop(key.vkey, None)
        if decided is None:
            yield f"key {key.number}: no decision made it"
        elif decided.details.get("reason", "") not in (key.reason, None):
            yield f"key {key.number}: its reason is not that of decision {decided.number}"
    for row in changes.values():
        yield f"decision {row.number} ({row}) made a key that is not here"
    if stored and stored[0].reason:
        yield "key 1: a reason stands with it, though nothing went before"
    yield from _hours_of_keys(federation, stored)
    yield from _secret(federation, stored)


def _hours_of_keys(federation: Federation, stored: list[models.LogKey]) -> Iterator[str]:
    """Name each key whose hour is not the recorded one: the first is made with the first checkpoint, later
    ones by a decision.
    """
    first = models.Checkpoint.objects.of(federation).order_by("number").values_list("at", flat=True).first()
    decided = Decision.objects.filter(federation=federation, kind__in=("change-key", "begin-origin"))
    hours = {row.sealed_details.get("vkey"): row.at for row in decided}
    for key in stored:
        at = hours.get(key.vkey, first)
        if at is not None and abs(key.at - at) > AN_HOUR:
            yield f"key {key.number}: it was made at another time than is recorded"


def _secret(federation: Federation, stored: list[models.LogKey]) -> Iterator[str]:
    """Name what is wrong with the private key's file, if this machine has it."""
    try:
        signer = signing.signer_of(federation)
    except NoteError as wrong:
        yield f"{signing.key_file(federation)}: {wrong}"
        return
    if signer is not None and str(signer.key) not in [key.vkey for key in stored]:
        yield f"the key in {signing.key_file(federation)} is none of the keys that the database has"


def _checkpoints(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    expected = 0
    for each in signed:
        expected += 1
        if each.number != expected:
            yield f"checkpoint {expected} is missing"
            expected = each.number
        try:
            note = transparency_log.parse_note(each.note)
            transparency_log.verify(note, [each.key.key])
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
    yield from _hours(federation, signed)
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


def _hours(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    """Name each checkpoint whose hour, which no signature covers, cannot be: before the list that it signs,
    before the checkpoint above it, or in the future.
    """
    lists = models.RatingList.objects.filter(
        federation=federation, fact__number__in=[each.size for each in signed]
    )
    published = dict(lists.values_list("fact__number", "published_at"))
    at_last = datetime.min.replace(tzinfo=UTC)
    for each in signed:
        earliest = max(at_last, published.get(each.size, at_last))
        if not earliest <= each.at <= timezone.now() + AN_HOUR:
            yield f"checkpoint {each.number}: it cannot have been signed at {each.at:%Y-%m-%d %H:%M}"
        else:
            at_last = each.at


def _outside(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    """Name what is wrong with the newest checkpoint in the file beside the database, if it is there."""
    text = signing.kept_checkpoint(federation)
    if text is None or Ledger.objects.filter(federation=federation, held=True).exists():
        return
    known = list(models.LogKey.objects.filter(federation=federation))
    try:
        note = transparency_log.parse_note(text)
        transparency_log.verify(note, [key.key for key in known])
    except NoteError as wrong:
        yield f"{signing.checkpoint_file(federation)}: {wrong}"
        return
    if note.text not in [each.note.partition("\n\n")[0] + "\n" for each in signed]:
        size = note.text.split("\n")[1]
        yield f"the checkpoint kept outside the database, over {size} lines, is not in the database"


# ---------------------------------------------------------------- lists
def _lists(federation: Federation, signed: list[models.Checkpoint]) -> Iterator[str]:
    sizes = {each.size for each in signed}
    newest = max(sizes, default=0)
    lists = models.RatingList.objects.filter(federation=federation, fact__number__lte=newest)
    for rating_list in lists.exclude(fact__number__in=sizes).defer("content").select_related("fact"):
        yield f"list {rating_list}: the checkpoint over {rating_list.fact.number} lines is missing"


# ---- Errata, compared with what the office knew before each correcting line and after it.
def errata_differences(federation: Federation, settled: int) -> Iterator[str]:
    """Name each correcting line whose erratum is missing or tells other changes of ratings than the line
    made, and each erratum where nothing was corrected. Up to the line `settled` errata went by other rules.
    """
    told = {each.fact_id: each for each in models.Erratum.objects.filter(fact__federation=federation)}
    correcting = list(_correcting(federation))
    moved = _moved(federation, {line.number for line in correcting})
    for line in correcting:
        erratum = told.pop(line.pk, None)
        if erratum is None:
            yield f"line {line.number}: its erratum is missing"
        elif line.number <= settled:
            continue  # told by the rules of then, and sealed in the record
        elif not _counted(erratum) or _rows(erratum) != _expected(federation, line, moved[line.number]):
            yield f"line {line.number}: its erratum does not tell what it did"
    for erratum in told.values():
        yield f"line {erratum.fact.number}: an erratum stands where nothing was corrected"


def _correcting(federation: Federation) -> Iterator[models.Fact]:
    unrated = first_unrated(federation)
    lines = models.Fact.objects.filter(federation=federation).exclude(kind__in=("player", "section"))
    for line in lines.only("number", "kind", "subject", "on").order_by("number"):
        if corrects(line.kind, unrated.get(line.subject), line.number):
            yield line


def _rows(erratum: models.Erratum) -> list[RatingDifference]:
    rows = models.CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    return [RatingDifference(*row) for row in rows.values_list("player__number", "track", "before", "after")]


def _counted(erratum: models.Erratum) -> bool:
    """Whether an erratum counts as many people as its rows have, and the rows are numbered from one."""
    rows = models.CorrectedRating.objects.filter(erratum=erratum).order_by("position")
    places = list(rows.values_list("position", "player_id"))
    numbered = [position for position, _player in places] == list(range(1, len(places) + 1))
    return numbered and erratum.players == len({player for _position, player in places})


def _expected(federation: Federation, line: models.Fact, moved: set[PlayerId]) -> list[RatingDifference]:
    """The differences that an erratum must tell: between the ratings known just above its line and those
    known with it. `moved`: the people to look at.
    """
    ruleset = federation.ruleset
    people = Needs.EVERYONE if ruleset.calendar.days_of_change is not None else moved
    before = state_before(federation, AFTER_EVERYTHING, people, line=line.number - 1)
    after = state_before(federation, AFTER_EVERYTHING, people, line=line.number)
    assert line.on is not None
    return corrected(ruleset, before, after, line.on)


def _moved(federation: Federation, lines: set[int]) -> defaultdict[int, set[PlayerId]]:
    """The players whose results began or ceased to hold with each of these correcting lines, by line."""
    found: defaultdict[int, set[PlayerId]] = defaultdict(set)
    for model, column in (
        (models.Change, "since"),
        (models.PastChange, "since"),
        (models.PastChange, "until"),
    ):
        rows = model._default_manager.filter(player__federation=federation, **{f"{column}__in": lines})
        for line, player in rows.order_by().values_list(column, "player__number").distinct():
            found[line].add(player)
    return found


# ---- Filed bytes, compared with their checksums, and files with the record: what was filed, what was let go.
ABOUT = {Upload: "section", Archive: "event"}
"""The first word of what a decision that files such a row is about: there is one row for each checksum."""


@dataclass
class FilesOnRecord:
    """The files that the record speaks of, by checksum; each decision by its number."""

    named: set[str] = field(default_factory=set)
    """Files that any decision but a letting go names."""
    filed: dict[tuple[str, str], int] = field(default_factory=dict)
    """The newest filing, by checksum and the first word of what it is about."""
    kept: dict[str, int] = field(default_factory=dict)
    """The newest filing of each file, of a table, or of a proof, that nobody has taken back since."""
    written: Counter[str] = field(default_factory=Counter)
    """The number of times that a table was written to the register."""
    let_go: dict[tuple[str, date, str], int] = field(default_factory=dict)
    """The newest letting go, by checksum, day and reason."""

    def read(self, decision: Decision) -> None:
        told = decision.sealed_details["sha256"]
        if decision.kind == KIND:
            for reason, hashes in told.items():
                for sha256 in hashes:
                    self.let_go[sha256, decision.on, reason] = decision.number
            return
        for sha256 in told if isinstance(told, list) else [str(told)]:
            self._read(decision, sha256)

    def _read(self, decision: Decision, sha256: str) -> None:
        self.named.add(sha256)
        of = decision.about.partition(" ")[0]
        if decision.kind == "file":
            self.filed[sha256, of] = self.kept[sha256] = decision.number
        elif decision.kind in ("receive-register", "correct", "ask-transfer"):
            self.kept[sha256] = decision.number
        elif decision.kind == "discard" and of in ABOUT.values():  # a table's row stays
            self.kept.pop(sha256, None)
        elif decision.kind == "import-register":
            self.written[sha256] += 1


def compare(report: Report, federation: Federation) -> None:
    """Report bytes that are not those of their checksum, files that nobody filed, and bytes or files that are
    gone without a word on record.
    """
    record = _on_record(federation)
    for words in _of_histories(federation, record):
        report.differs(words)
    for rows in _files(federation):
        for row in rows.filter(content__isnull=False).iterator(20):
            report.files += 1
            if checksum(bytes(row.content or b"")) != row.sha256:
                report.differs(f"file {row.name}: its bytes are not those of its checksum")
            if row.let_go_on is not None:
                report.differs(f"file {row.name}: it is marked as let go, and its bytes are here")
        for row in rows.filter(content=None).defer("content").iterator(200):
            if words := _gone(row, record):
                report.differs(words)
        if rows.model is not ArchivedFile:  # its archive was filed
            for name, sha256 in rows.values_list("name", "sha256").iterator(2_000):
                if sha256 not in record.named:
                    report.differs(f"file {name}: no decision on record filed it")
    for history in History.objects.filter(federation=federation, let_go_on__isnull=False):
        if words := _gone(history, record):
            report.differs(words)
    for words in _missing(federation, record):
        report.differs(words)


def _of_histories(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Count the files of written histories as filed by the decision that wrote each; name a history whose
    files are not those of the record.
    """
    taken = Decision.objects.filter(federation=federation, kind="take-history").order_by("number")
    for decision in taken:
        told = decision.sealed_details
        history = History.objects.filter(federation=federation, sha256=told["sha256"]).first()
        if history is None or digest_of_files(history) != told["files_sha256"]:
            yield f"decision {decision.number}: the files of the history are not those that it wrote"
            continue
        for sha256 in history.files.exclude(section=None).values_list("sha256", flat=True):
            record.named.add(sha256)
            record.filed[sha256, "section"] = record.kept[sha256] = decision.number


def _files(federation: Federation) -> Iterator[Any]:
    """The rows that have bytes, or had some that nobody but the retention may take."""
    yield Upload.objects.filter(federation=federation)
    yield Archive.objects.filter(federation=federation)
    tables = RegisterImport.objects.filter(federation=federation)
    yield ProofFile.objects.filter(federation=federation)
    yield tables.exclude(state=RegisterImport.State.DISCARDED, let_go_on=None).defer("reading")
    # Others have become an upload, which has the bytes, or are no event files.
    yield ArchivedFile.objects.filter(archive__federation=federation, upload=None, reason="")


def _gone(row: Any, record: FilesOnRecord) -> str:
    """Say what is wrong with a row without bytes; nothing where the record let them go."""
    if row.let_go_on is None:
        return f"file {row.name}: its bytes are gone, and nobody let it go"
    number = record.let_go.get((row.sha256, row.let_go_on, row.let_go_because))
    if number is None:
        return f"file {row.name}: it is marked as let go on {row.let_go_on}, but not on record"
    if number < record.filed.get((row.sha256, ABOUT.get(type(row), "")), 0):
        return f"file {row.name}: it was let go on {row.let_go_on}, filed again, and its bytes are gone"
    return ""


def _missing(federation: Federation, record: FilesOnRecord) -> Iterator[str]:
    """Name each filing whose file has no row any more, and each table that the record says was written and
    that is not here as written.
    """
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


def _on_record(federation: Federation) -> FilesOnRecord:
    found = FilesOnRecord()
    decisions = Decision.objects.filter(federation=federation, sealed_details__has_key="sha256")
    rows = decisions.order_by("number").only("number", "kind", "on", "about", "sealed_details")
    for decision in rows.iterator(2_000):
        found.read(decision)
    return found


# ---- Columns stored beside the journal's lines, compared with the lines; this names any altered line.
_AT_ONCE = 2_000
OF_SECTIONS = ("section", "rated", "unrated")
BESIDE = (
    *("kind", "subject", "on", "order", "taken_back", "takes__number", "first_rated__number"),
    *("particulars", "pres"),
    *("section__event__number", "section__code"),
)
"""Columns that follow from a line and the lines above it."""


def column_differences(federation: Federation, record: journal.Journal) -> Iterator[str]:
    """Name each journal line whose columns do not follow from it, and pre-ratings that no line states."""
    intake = Intake(federation, record.lines)
    stored = models.Fact.objects.filter(federation=federation).order_by("number")
    rows = stored.values_list("number", "fingerprint", *BESIDE).iterator(chunk_size=_AT_ONCE)
    expected = {row.number: row for row in intake.rows}
    for number, fingerprint, *told in rows:
        row = expected.pop(number, None)
        # A merge renews what is in force; of that, `verify_everything` compares fingerprints with a replay.
        another = not intake.renames and row is not None and fingerprint != row.fingerprint
        if row is not None and (another or told != _expected_columns(row)):
            yield f"line {number}: its columns are not what it says"
    yield from _pres(federation, intake.pres)


def _expected_columns(row: models.Fact) -> list[object]:
    takes = row.takes.number if row.takes else None
    event, _slash, code = row.subject.rpartition("/") if row.kind in OF_SECTIONS else ("", "", "")
    first = row.first_rated.number if row.first_rated else None
    beside = [row.kind, row.subject, row.on, row.order, row.taken_back, takes, first]
    return [*beside, row.particulars, row.pres, event or None, code or None]


def _pres(federation: Federation, given: list[models.StatedPre]) -> Iterator[str]:
    """Name each pre-rating in which the stored rows and those that the lines state (`given`) differ."""
    expected = {(each.line, each.player, each.pre) for each in given}
    rows = models.StatedPre.objects.filter(federation=federation)
    stored = set(rows.values_list("line", "player", "pre"))
    for line, player, pre in sorted(expected ^ stored):
        yield f"line {line}: the pre-rating {pre} of player {player} is not what it states"


# ---- Published lists, compared with what the journal draws up: bytes, rows and heads.
def lists_by_fact(federation: Federation) -> dict[int, list[models.RatingList]]:
    found: dict[int, list[models.RatingList]] = {}
    for rating_list in models.RatingList.objects.filter(federation=federation).defer("content"):
        found.setdefault(rating_list.fact_id, []).append(rating_list)
    return found


def compare_closing(
    report: Report,
    federation: Federation,
    fact: facts.Fact,
    state: State[Any],
    lists: list[models.RatingList],
) -> None:
    """Compare the lists of a closing with what a replay of that day's journal gives, and their rows with
    their bytes. `state`: the replay's state after the closing.
    """
    if closing_of(fact) is None:
        return
    published = state_of_list(federation, fact) if moved_since(federation, fact) else state
    expected = drawn_up(federation.ruleset, fact, published)
    for rating_list in lists:
        _compare(report, federation, rating_list, fact, expected.get(rating_list.track, []))
    if fact.number <= report.settled:
        return  # the record's seal covers what was not published, too
    for track in expected.keys() - {rating_list.track for rating_list in lists}:
        report.differs(f"line {fact.number}: the list of {track} is missing")


def _compare(
    report: Report,
    federation: Federation,
    rating_list: models.RatingList,
    fact: facts.Fact,
    drawn: list[ListedPlayer],
) -> None:
    """Compare a list's bytes, rows, day and edition with what a replay draws up; `fact`: its closing. An old
    list that other rules drew is kept for its own program to prove.
    """
    content = bytes(models.RatingList.objects.values_list("content", flat=True).get(pk=rating_list.pk))
    if checksum(content) != rating_list.sha256:
        report.differs(f"list {rating_list}: its bytes are not those of its checksum")
    said, right = content.decode(errors="replace").splitlines(), list_content(drawn).decode().splitlines()
    edition = federation.ruleset.edition_for(fact).name
    if fact.number <= report.settled:
        if said != right or rating_list.edition != edition:
            report.otherwise.append(rating_list)
        _compare_rows(report, rating_list, said, None)
        return
    for position, (here, there) in enumerate(zip_longest(said, right), start=1):
        if here != there:
            words = f"a replay draws it up differently, {there} and not {here}"
            report.differs(f"list {rating_list}, row {position}: {words}")
            break
    _compare_rows(report, rating_list, said, drawn)
    told = (rating_list.on, rating_list.players, rating_list.edition)
    if told != (getattr(closing_of(fact), "on", None), len(said), edition):
        report.differs(f"list {rating_list}: day, players or edition are not those of its line and rows")


def compare_revisions(
    report: Report, federation: Federation, lists: dict[int, list[models.RatingList]]
) -> None:
    """Compare the lists that `revised` lines published (by the fact's key) with what a replay gives there."""
    for line in models.Fact.objects.filter(federation=federation, kind="revised", pk__in=list(lists)):
        spoken = journal_lines.parse_line(line.line, federation.ruleset)
        assert isinstance(spoken, Revised)
        drawn, closing = drawn_anew(federation, line), Placed(line.number, ListClosing(spoken.list))
        for rating_list in lists.pop(line.pk):
            _compare(report, federation, rating_list, closing, list(drawn.get(rating_list.track, ())))


def _compare_rows(
    report: Report, rating_list: models.RatingList, said: list[str], drawn: list[ListedPlayer] | None
) -> None:
    """Compare the rows that pages show with the list's bytes (`said`, line by line), and their other columns
    with a replay's rows; None: those that the record's seal covers.
    """
    rows = rating_list.rows.order_by("position").values_list(
        "position", "player__number", "rating", "games", "rank", "status", "player_id", "previous"
    )
    before = _list_before(rating_list)
    for at, (row, line) in enumerate(zip_longest(rows, said), start=1):
        if row is None or line is None:
            report.differs(
                f"list {rating_list}, row {at}: {'missing' if row is None else 'not of its bytes'}"
            )
            break
        position, number, rating, games, rank, status, player, previous = row
        right = drawn[at - 1] if drawn is not None and at <= len(drawn) else None
        shown = right is None or (rank, status) == (right.rank, right.status)
        as_said = f"{number},{journal_lines.plain(rating)},{games}" == line and position == at
        if not as_said or not shown or previous != before.get(player):
            report.differs(f"list {rating_list}, row {at} ({number}): it is not the row of its bytes")


def _list_before(rating_list: models.RatingList) -> dict[int, Decimal]:
    """Ratings on the list before, by the player's key, in the version known when this one was drawn up."""
    same = models.RatingList.objects.filter(federation=rating_list.federation_id, track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, ledger__lte=rating_list.ledger).order_by("-on", "-revision")
    found = before.values_list("pk", flat=True).first()
    return (
        dict(models.ListRow.objects.filter(rating_list=found).values_list("player_id", "rating"))
        if found
        else {}
    )


def compare_heads(report: Report, federation: Federation) -> None:
    """Check what each list says of itself beside its rows: version, note, hour of publication, program."""
    decided = {
        row.details.get("fact"): row
        for row in Decision.objects.filter(federation=federation, kind__in=("publish", "revise"))
        .order_by("number")
        .prefetch_related("words")
    }
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
            report.differs(f"list {each}: revision {each.revision} does not follow the version before it")
        if (each.program_version, each.program_sha256) not in programs:
            report.differs(f"list {each}: the program that drew it up is not here as it was")
        _compare_decided(report, each, decided.get(each.fact.number))


def _compare_decided(report: Report, rating_list: models.RatingList, decided: Decision | None) -> None:
    """Compare a list's note and hour of publication with the decision on record that published it, if any."""
    told = decided.details if decided else {}
    if rating_list.note != str(told.get("note") or ""):
        report.differs(f"list {rating_list}: its note is not that of the record")
    at = rating_list.published_at
    if decided is not None and at != decided.at:
        report.differs(f"list {rating_list}: it was published at another time, says the record")
    elif decided is None and not _brought_along(rating_list):
        report.differs(f"list {rating_list}: it was published on another day, says the journal")


def _brought_along(rating_list: models.RatingList) -> bool:
    """Whether the hour of a list without a decision fits one that came with an imported journal: noon of its
    day or, if that day was not over yet, the hour in which it was folded here.
    """
    on, at = rating_list.fact.on or rating_list.on, rating_list.published_at
    imports = Decision.objects.filter(federation=rating_list.federation_id, kind="import")
    since = imports.order_by("number").values_list("at", flat=True).first()
    folded_here = on >= at.date() - ONE_DAY and (since is None or at >= since)
    return folded_here or at == datetime.combine(on, time(12), UTC)


# ---- Names, compared with their seals: those beside the journal, and those of the register that pages show.
def name_differences(federation: Federation) -> Iterator[str]:
    """Name each seal that its name does not open, each name that is gone without a decision, and each player
    shown under another name than that of the journal's newest line.
    """
    seals = set()
    for each in SealedName.objects.filter(federation=federation).iterator(chunk_size=_AT_ONCE):
        seals.add(each.seal)
        if not _name_opens(each.name, each.salt, each.seal):
            yield f"the name under seal {each.seal} is not the name that was sealed"
    # Numbers of players who may be without a name: a decision deleted it, or an imported journal or lines
    # taken back after a restore came without it.
    numbers: set[str] = set()
    decided = Decision.objects.filter(federation=federation, kind__in=("forget-name", "import", "take-lines"))
    for row in decided.only("kind", "about", "sealed_details"):
        if row.kind != "forget-name":
            numbers.update(row.sealed_details.get("nameless") or ())
        else:
            numbers.add(row.about.removeprefix("player "))
    ended = Player.objects.filter(federation=federation, merged_into__number__in=numbers)
    nameless, newest = (numbers | set(ended.values_list("number", flat=True))), {}
    lines = models.Fact.objects.filter(federation=federation, kind="player").order_by("number")
    for number, subject, line in lines.values_list("number", "subject", "line").iterator(_AT_ONCE):
        found = NAME_SEAL.search(line)
        newest[subject] = found[1] if found else ""
        if found and found[1] not in seals and subject not in nameless:
            yield f"line {number}: the name under its seal is gone, and no decision deleted it"
    for player in Player.objects.filter(federation=federation).iterator(_AT_ONCE):
        seal = newest.get(player.number)
        if seal is None:
            continue  # in no line yet: nothing proves the name
        named = player.name_seal == seal if player.name_seal else _name_opens(player.name, player.salt, seal)
        if not named:
            yield f"player {player.number}: the name that is shown is not that of the journal's newest line"


def _name_opens(name: str, salt: str, seal: str) -> bool:
    try:
        return name_seal(name, salt) == seal
    except ValueError:
        return False


# ---- Old lists, drawn up before other rules were applied: proved by the programs that drew them up.
def compare_old_lists(report: Report, federation: Federation) -> None:
    """Compare what was published before other rules were applied with the record's seals, and the lists that
    the present rules draw up otherwise (`report.otherwise`) with the programs that drew them.

    Only programs that an unaltered record vouches for are run.
    """
    sealed = dict.fromkeys(seals(federation))  # a newer one would seal what was altered under an older one
    broken = [seal for seal in sealed if seal_published(federation, seal.line) != seal]
    if not sealed:
        return
    for seal in broken:
        words = "lists and errata are not what the record sealed when other rules were applied"
        report.differs(f"up to line {seal.line}, {words}")
    if broken:
        return
    if report.record_altered:
        if report.otherwise:
            report.differs("old lists were not proved by their programs, as the record was altered")
    else:
        _prove(report, federation)


def _prove(report: Report, federation: Federation) -> None:
    by_program: dict[tuple[str, str], list[models.RatingList]] = {}
    for each in report.otherwise:
        by_program.setdefault((each.program_version, each.program_sha256), []).append(each)
    for (version, sha256), lists in sorted(by_program.items()):
        kept = models.ProgramFile.objects.filter(version=version, sha256=sha256).first()
        if kept is None or checksum(bytes(kept.content)) != sha256:
            continue  # `compare_heads` says so
        program = Program(version, bytes(kept.content))
        newest = max(each.fact.number for each in lists)
        lines = list(islice(sealed_lines(federation), newest))
        complaint = check_with(program, lines, [json.dumps(list_as_json(each)).encode() for each in lists])
        if complaint:
            named = ", ".join(map(str, lists[:5])) + (" …" if len(lists) > 5 else "")
            report.differs(f"lists {named}: the program that drew them up, {program.name}, says: {complaint}")
        else:
            report.by_kept[program.name] = len(lists)


# ---- Results kept of past days, compared with replays as of some of them.
Place = tuple[int, facts.PlayerId, str]


def compare_past_days(report: Report, federation: Federation, record: journal.Journal, most: int) -> None:
    """Compare the results kept of some past days with replays as of those days; `most` days, drawn by lot."""
    ruleset = federation.ruleset
    days = sorted({on for _number, fact in record.lines if (on := getattr(fact, "on", None))})
    for day in sorted(SystemRandom().sample(days, min(most, len(days)))):
        replayed, line = State[Any](), line_of_day(federation, day)
        rows = models.PastChange.objects.filter(fact__federation=federation, since__lte=line, until__gt=line)
        told = rows.values_list(
            "fact__number", "player__number", "track", "before", "after", "points", "games"
        )
        kept_changes = {(number, player, track): tuple(rest) for number, player, track, *rest in told}
        for fact, changes, _state in ruleset.fold(journal.resolve(record, day), replayed):
            for change in changes:
                kept = kept_changes.pop((fact.number, change.player, change.track), None)
                if kept is not None and kept != _comparable(change):
                    report.differs(f"{day}, {_place(fact.number, change.player, change.track)}: {kept}")
        for key in kept_changes:
            report.differs(f"{day}, {_place(*key)}: a change that no rule made")
        known = state_before(federation, AFTER_EVERYTHING, line=line)
        report.days += 1
        if known.wide != replayed.wide:
            report.differs(f"{day}: the federation-wide state kept of that day is not that of the replay")
        keys = {**known.standings, **replayed.standings}
        for player, track in keys:
            kept, found = known.get(player, track), replayed.get(player, track)
            if kept != found:
                report.differs(
                    f"{day}, player {player}, {track}: what is kept of that day is not the replay's"
                )


def unreadable(federation: Federation) -> Iterator[str]:
    """Name each past change whose standing the ruleset cannot read."""
    rows = models.PastChange.objects.filter(fact__federation=federation)
    told = rows.values_list("fact__number", "player__number", "track", "state")
    for line, player, track, text in told.iterator(2_000):
        try:
            federation.ruleset.storage.load(track, text)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            yield f"{_place(line, player, track)}: its standing cannot be read"


def _comparable(change: facts.Change[Any]) -> tuple[Any, ...]:
    before = change.before.rating if change.before else None
    return before, change.after.rating, change.points, change.after.games


def _place(line: int, player: facts.PlayerId, track: str) -> str:
    return f"line {line}, player {player}, {track}, as it was known then"


# ---- Sections as pages show them, compared with the rated lines of the journal.
def content_differences(federation: Federation, record: journal.Journal) -> Iterator[str]:
    """Name each rated section whose entries, games or day on pages are not those of its journal line."""
    names, rated = journal.merges(record.lines), _in_force(record)
    sections = Section.objects.filter(event__federation=federation, stage=Stage.RATED)
    for section in sections.select_related("event__federation").order_by("pk").iterator(200):
        spoken, on = rated.pop(section.key, (None, None))
        if spoken is None:
            yield f"section {section.key}: it is shown as rated, but no line in force rates it"
            continue
        if section.rated_on != on:
            yield f"section {section.key}: it was rated on another day, says the journal"
        if _played(section_fact(section, draft=True), names) != _played(spoken, names):
            yield f"section {section.key}: entries or games are not those of its line"
    for key in rated:
        yield f"section {key}: a line in force rates it, but it is not shown as rated"


def _in_force(record: journal.Journal) -> dict[str, tuple[facts.Section, Any]]:
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


def _played(section: facts.Section, names: dict[facts.PlayerId, facts.PlayerId]) -> tuple[Any, ...]:
    """The parts of a section to compare, with merged players replaced by those who stay."""
    renamed = journal.rename(section, names)
    entries = tuple((each.player, each.place, each.team, each.left) for each in renamed.entries)
    when = section.name, section.starts, section.ends, section.format, section.rounds
    return when, entries, renamed.games, frozenset(renamed.byes)


# ---- The verification itself: the replay, and the ratings compared with it.
LOOKED_AT, FEW_DAYS = 4_000, 2
"""Facts that are replayed for past days, and the days that are looked at however many facts there are."""


def verify(federation: Federation, on_fact: Callable[[int, int], None] | None = None) -> Report:
    """Compare everything stored of an office with a replay of its journal; while a recompute is pending,
    report only that, and while other rules wait, that and what no rule moves. `on_fact` is told of the
    progress.
    """
    report = Report()
    if why := why_left_alone(federation):
        report.differs(why)
        return _what_no_rule_moves(report, federation)
    if Ledger.objects.get(federation=federation).pending:
        report.differs("a recompute is pending: run it first (manage.py recompute --pending)")
        return report
    report.notices += lost_at_a_restore(federation)
    for found in differences(federation):
        report.differ(found)
    report.record_altered = bool(report.differences)
    seal = newest_seal(federation)
    report.settled = seal.line if seal else 0
    try:
        _compare_with_replay(report, federation, on_fact)
    except journal_lines.JournalError as error:
        report.differs(f"the journal cannot be read any more: {error}")
    except DATABASE_TROUBLE:
        raise
    except Exception as error:  # whoever alters rows may leave what no code here would ever write
        report.differs(f"what is stored cannot be compared, so is it altered: {error!r}")
    report.differ(
        f"{table} can be altered: its triggers are off, manage.py migrate puts them back"
        for table in unguarded()
    )
    return report


def _compare_with_replay(
    report: Report, federation: Federation, on_fact: Callable[[int, int], None] | None
) -> None:
    record = journal.read_journal(sealed_lines(federation))
    ordered = journal.resolve(record)
    report.differ(column_differences(federation, record))
    report.begin()
    keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
    state = _compare_fold(report, federation, ordered, keys, on_fact)
    report.differ(_left_over(federation, ordered))
    report.begin()
    compare_old_lists(report, federation)
    report.begin()
    dump = federation.ruleset.storage.dump
    expected, moved = dict(state.standings), _moved_last(federation)
    for player, track, order, *told in _standings(federation):
        standing = expected.pop((keys.get(player, "?"), track), None)
        report.standings += 1
        if standing is None:
            report.differs(f"player {keys.get(player)}, {track}: a standing that no fact made")
        elif told != [standing.rating, standing.games, standing.due, dump(standing)]:
            report.differs(f"player {keys.get(player)}, {track}: {told[0]} is not {standing.rating}")
        elif order != moved.get((player, track)):
            report.differs(f"player {keys.get(player)}, {track}: another fact moved the standing last")
    for player_number, track in expected:
        report.differs(f"player {player_number}, {track}: the standing is missing")
    newest = models.Wide.objects.filter(federation=federation).order_by("-order").first()
    if (newest.state if newest else "") != (
        federation.ruleset.storage.dump_wide(state.wide) if state.wide is not None else ""
    ):
        report.differs("the federation-wide state is not that of the replay")
    found = len(report.differences)
    report.differ(unreadable(federation))
    if len(report.differences) > found:
        return  # what follows reads these rows
    compare_past_days(report, federation, record, most=max(FEW_DAYS, LOOKED_AT // (len(ordered) or 1)))
    report.differ(errata_differences(federation, report.settled))
    report.differ(content_differences(federation, record))
    report.differ(name_differences(federation))
    report.begin()
    compare(report, federation)


def _left_over(federation: Federation, ordered: list[facts.Fact]) -> Iterator[str]:
    """Name each line that has changes of ratings and is not folded: pages would show them."""
    folded = {fact.number for fact in ordered}
    with_changes = models.Change.objects.filter(fact__federation=federation).order_by("fact__number")
    for number in with_changes.values_list("fact__number", flat=True).distinct():
        if number not in folded:
            yield f"line {number} is not in force, and has changes of ratings"


def _what_no_rule_moves(report: Report, federation: Federation) -> Report:
    for found in differences(federation):
        report.differ(found)
    report.differ(name_differences(federation))
    report.begin()
    compare(report, federation)
    return report


def _compare_fold(
    report: Report,
    federation: Federation,
    ordered: list[facts.Fact],
    keys: dict[int, str],
    on_fact: Callable[[int, int], None] | None,
) -> State[Any]:
    """Replay the journal and compare each fact's changes and lists with the stored ones; return the last
    state. `keys`: players' numbers by database key.
    """
    rows = {
        row.number: row
        for row in models.Fact.objects.filter(federation=federation)
        .exclude(folded="")
        .defer("line", "particulars")
    }
    lists = lists_by_fact(federation)
    report.lists = sum(map(len, lists.values()))
    state: State[Any] = State()
    for done, (fact, changes, state) in enumerate(federation.ruleset.fold(ordered), start=1):
        row = rows.pop(fact.number, None)
        if row is None:
            report.differs(f"line {fact.number} is not folded")
            continue
        if (row.fingerprint, row.folded) != _fingerprints(federation, fact):
            report.differs(f"line {fact.number}: it was folded as something else than it says")
        _compare_changes(report, federation, row, changes, keys)
        compare_closing(report, federation, fact, state, lists.pop(row.pk, []))
        if on_fact:
            on_fact(done, len(ordered))
    report.facts = len(ordered)
    compare_revisions(report, federation, lists)
    compare_heads(report, federation)
    for number in rows:
        report.differs(f"line {number} is folded, but the journal does not fold it")
    for fact_lists in lists.values():
        for rating_list in fact_lists:
            report.differs(f"list {rating_list}: no line of the journal published it")
    return state


def _fingerprints(federation: Federation, fact: facts.Fact) -> tuple[str, str]:
    """The two fingerprints that a fact's row must have: that of its lines alone, and that of the fact as
    folded, with the ruleset's notes.
    """
    ruleset = federation.ruleset
    folded = journal.fingerprint(fact, ruleset)
    if isinstance(fact, facts.RatedSection) and fact.notes:
        return journal.fingerprint(replace(fact, notes=()), ruleset), folded
    return folded, folded


def _compare_changes(
    report: Report,
    federation: Federation,
    row: models.Fact,
    changes: list[facts.Change[Any]],
    keys: dict[int, str],
) -> None:
    dump = federation.ruleset.storage.dump
    stored = {
        (keys.get(player, "?"), track): values
        for player, track, *values in models.Change.objects.filter(fact=row).values_list(
            "player_id", "track", "order", "before", "after", "points", "games", "state"
        )
    }
    report.changes += len(changes)
    for change in changes:
        before = change.before.rating if change.before else None
        expected = [
            row.order,
            before,
            change.after.rating,
            change.points,
            change.after.games,
            dump(change.after),
        ]
        found = stored.pop((change.player, change.track), None)
        if found != expected:
            report.differs(
                f"line {row.number}, player {change.player}, {change.track}: {found} is not {expected}"
            )
    for player, track in stored:
        report.differs(f"line {row.number}, player {player}, {track}: a change that no rule made")


def _moved_last(federation: Federation) -> dict[tuple[int, str], int]:
    """The place in the order of the last change of each player (by key) in each track."""
    rows = (
        models.Change.objects.filter(player__federation=federation)
        .order_by()
        .values_list("player_id", "track")
    )
    return {(player, track): order for player, track, order in rows.annotate(Max("order"))}


def _standings(federation: Federation) -> Iterator[tuple[Any, ...]]:
    rows = models.Standing.objects.filter(federation=federation)
    yield from rows.values_list("player_id", "track", "order", "rating", "games", "due", "state").iterator(
        5_000
    )
