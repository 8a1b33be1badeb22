"""Checks everything that `verify` compares besides the ratings: the record's chain, lines, tiles,
checkpoints, keys, and decisions with the lines that they wrote. Each difference names its row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from players.office import record_chain
from players.office.models import Decision, Federation, Ledger
from players.office.record import HEAD, LOST
from ratings.journal.models import Fact
from ratings.lists.models import RatingList
from ratings.proof.log import merkle_tree, signed_notes, tiles
from ratings.proof.log.signed_notes import NoteError
from ratings.signing import keys
from ratings.signing.models import Checkpoint, LogKey, TreeTile

AN_HOUR = timedelta(hours=1)
"""The most by which the clocks of two machines may differ."""
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


def differences(federation: Federation) -> Iterator[str]:
    """Name every disagreement that is found here; altered rows come before those that follow from them."""
    signed = list(Checkpoint.objects.of(federation).select_related("key").prefetch_related("cosignatures"))
    lines = Lines(federation)
    yield from lines.differences()
    yield from _decisions(federation, signed)
    yield from _keys(federation)
    yield from _checkpoints(federation, signed)
    yield from lines.against(signed)
    yield from _outside(federation, signed)
    yield from _lists(federation, signed)
    yield from _written(federation)


# ---------------------------------------------------------------- lines and tiles


@dataclass
class Lines:
    """The hash tree of the journal's stored lines, to compare with stored tiles and signed checkpoints."""

    federation: Federation
    tree: merkle_tree.Tree = field(default_factory=merkle_tree.Tree)
    named: set[int] = field(default_factory=set)

    def differences(self) -> Iterator[str]:
        rows = Fact.objects.filter(federation=self.federation).order_by("number")
        for number, line in rows.values_list("number", "line").iterator(chunk_size=2_000):
            while self.tree.size + 1 < number:
                yield f"line {self.tree.size + 1} of the journal is missing"
                self.tree.append(bytes(32))
            self.tree.append(merkle_tree.leaf_hash(merkle_tree.entry_of(line)))
        facts = Ledger.objects.get(federation=self.federation).facts
        if self.tree.size != facts:
            yield f"the journal has {self.tree.size} lines, the ledger counts {facts}"
        yield from self._tiles()

    def _tiles(self) -> Iterator[str]:
        stored = TreeTile.objects.filter(federation=self.federation).order_by("level", "index")
        expected: dict[int, int] = {}
        for tile in stored.iterator(chunk_size=200):
            path = tiles.Tile(tile.level, tile.index).path
            if tile.index != expected.get(tile.level, 0):
                yield f"{tiles.Tile(tile.level, expected.get(tile.level, 0)).path} is missing"
            expected[tile.level] = tile.index + 1
            try:
                hashes = tiles.hashes_of(bytes(tile.content))
                root = tiles.root_of_tile(bytes(tile.content))
            except ValueError as wrong:
                yield f"{path}: {wrong}"
                continue
            if root != bytes(tile.root):
                yield f"{path}: its root is not that of its hashes"
            if tile.level == 0:
                yield from self._compare(tile.index * tiles.WIDTH, hashes, path)
            elif hashes != self._above(tile.level, tile.index):
                yield f"{path}: its hashes are not the roots of the tiles below"

    def _above(self, level: int, index: int) -> list[bytes]:
        first = index * tiles.WIDTH
        full = self.tree.size >> (tiles.HEIGHT * level)
        return [
            self.tree.node(tiles.HEIGHT * level, at) for at in range(first, min(first + tiles.WIDTH, full))
        ]

    def _compare(self, start: int, hashes: list[bytes], kept: str) -> Iterator[str]:
        for index, hash_ in enumerate(hashes, start):
            there = index < self.tree.size and self.tree.node(0, index) == hash_
            if not there and index + 1 not in self.named:
                self.named.add(index + 1)
                yield f"line {index + 1} of the journal is not the line that {kept} has"

    def against(self, signed: list[Checkpoint]) -> Iterator[str]:
        """Compare the tree with checkpoints; a root that differs tells between which sizes a line changed."""
        agreed = 0
        for each in sorted(signed, key=lambda one: (one.size, one.number)):
            try:
                head, edge = each.head, tiles.hashes_of(bytes(each.edge)) if each.edge else []
            except ValueError:
                continue  # reported with the checkpoint itself
            if len(edge) != each.size % tiles.WIDTH:
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


# ---------------------------------------------------------------- the record of decisions


def _decisions(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    heads = _signed_heads(signed)
    rows = Decision.objects.filter(federation=federation).order_by("number").prefetch_related("words")
    withdrawn = set(rows.filter(kind="withdraw-words").values_list("about", flat=True))
    previous, count, agreed = "", 0, 0
    for row in rows.iterator(chunk_size=1_000):
        if row.sealed_details.get(LOST) == [count + 1, row.number - 1]:  # a restore lost them, on record
            previous, count = str(row.sealed_details.get(HEAD)), row.number - 1
        while count + 1 < row.number:
            count += 1
            yield f"decision {count} is missing"
        count = row.number
        if record_chain.hash_of(row, previous) != row.hash:
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
        yield from _words(row, withdrawn)
    last = max([Ledger.objects.get(federation=federation).decisions, *heads])
    if count < last:
        yield f"decisions {count + 1} to {last} are missing"


def _signed_heads(signed: list[Checkpoint]) -> dict[int, tuple[int, str]]:
    """The decisions that checkpoints signed as the newest, by the decision's number: the checkpoint's number
    and the hash that it signs.
    """
    heads: dict[int, tuple[int, str]] = {}
    for each in signed:
        try:
            decisions = each.head.decisions
        except NoteError:
            continue
        if decisions:
            heads[decisions[0]] = each.number, decisions[1]
    return heads


def _words(row: Decision, withdrawn: set[str]) -> Iterator[str]:
    words = {each.key: each for each in row.words.all()}
    for key, value in row.sealed_details.items():
        if not record_chain.is_sealed(value):
            continue
        there = words.pop(key, None)
        if there is None:
            if f"decision {row.number}" not in withdrawn:
                yield f"decision {row.number}: its words ({key}) are missing, and no decision withdrew them"
        elif not _opens(there.salt, there.value, value[record_chain.SEALED]):
            yield f"decision {row.number}: its words ({key}) are not those that were sealed"
    for key in words:
        yield f"decision {row.number}: words ({key}) that it does not have"


def _opens(salt: str, value: object, digest: str) -> bool:
    try:
        return record_chain.digest(salt, value) == digest
    except ValueError:
        return False


# ---------------------------------------------------------------- keys and checkpoints


def _keys(federation: Federation) -> Iterator[str]:
    stored = list(LogKey.objects.filter(federation=federation).order_by("number"))
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


def _hours_of_keys(federation: Federation, stored: list[LogKey]) -> Iterator[str]:
    """Name each key whose hour is not the recorded one: the first is made with the first checkpoint, later
    ones by a decision.
    """
    first = Checkpoint.objects.of(federation).order_by("number").values_list("at", flat=True).first()
    decided = Decision.objects.filter(federation=federation, kind__in=("change-key", "begin-origin"))
    hours = {row.sealed_details.get("vkey"): row.at for row in decided}
    for key in stored:
        at = hours.get(key.vkey, first)
        if at is not None and abs(key.at - at) > AN_HOUR:
            yield f"key {key.number}: it was made at another time than is recorded"


def _secret(federation: Federation, stored: list[LogKey]) -> Iterator[str]:
    """Name what is wrong with the private key's file, if this machine has it."""
    try:
        signer = keys.signer_of(federation)
    except NoteError as wrong:
        yield f"{keys.key_file(federation)}: {wrong}"
        return
    if signer is not None and str(signer.key) not in [key.vkey for key in stored]:
        yield f"the key in {keys.key_file(federation)} is none of the keys that the database has"


def _checkpoints(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    expected = 0
    for each in signed:
        expected += 1
        if each.number != expected:
            yield f"checkpoint {expected} is missing"
            expected = each.number
        try:
            note = signed_notes.parse_note(each.note)
            signed_notes.verify(note, [each.key.key])
            if (each.head.size, each.head.origin) != (each.size, each.key.origin):
                yield f"checkpoint {each.number}: size or origin are not those of its note"
            for cosignature in each.cosignatures.all():
                signed_notes.check_signature(
                    signed_notes.parse_signature(cosignature.line),
                    signed_notes.parse_key(cosignature.vkey),
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


def _hours(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    """Name each checkpoint whose hour, which no signature covers, cannot be: before the list that it signs,
    before the checkpoint above it, or in the future.
    """
    lists = RatingList.objects.filter(federation=federation, fact__number__in=[each.size for each in signed])
    published = dict(lists.values_list("fact__number", "published_at"))
    at_last = datetime.min.replace(tzinfo=UTC)
    for each in signed:
        earliest = max(at_last, published.get(each.size, at_last))
        if not earliest <= each.at <= timezone.now() + AN_HOUR:
            yield f"checkpoint {each.number}: it cannot have been signed at {each.at:%Y-%m-%d %H:%M}"
        else:
            at_last = each.at


def _outside(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    """Name what is wrong with the newest checkpoint in the file beside the database, if it is there."""
    text = keys.kept_checkpoint(federation)
    if text is None or Ledger.objects.filter(federation=federation, held=True).exists():
        return
    known = list(LogKey.objects.filter(federation=federation))
    try:
        note = signed_notes.parse_note(text)
        signed_notes.verify(note, [key.key for key in known])
    except NoteError as wrong:
        yield f"{keys.checkpoint_file(federation)}: {wrong}"
        return
    if note.text not in [each.note.partition("\n\n")[0] + "\n" for each in signed]:
        size = note.text.split("\n")[1]
        yield f"the checkpoint kept outside the database, over {size} lines, is not in the database"


# ---------------------------------------------------------------- lists, decisions and lines


def _lists(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    sizes = {each.size for each in signed}
    newest = max(sizes, default=0)
    lists = RatingList.objects.filter(federation=federation, fact__number__lte=newest)
    for rating_list in lists.exclude(fact__number__in=sizes).defer("content").select_related("fact"):
        yield f"list {rating_list}: the checkpoint over {rating_list.fact.number} lines is missing"


def _written(federation: Federation) -> Iterator[str]:
    """Name each line that no decision wrote, and each decision whose line is missing or another. Imports
    account for their own lines, and so does what was taken back after a restore.
    """
    decisions = Decision.objects.filter(federation=federation)
    decisions = decisions.only("number", "kind", "about", "sealed_details")
    imported = 0
    taken: set[int] = set()
    told: dict[int, Decision] = {}
    for row in decisions.iterator(chunk_size=1_000):
        details = row.sealed_details
        if row.kind == "import":
            imported = max(imported, int(details.get("facts") or 0))
        if row.kind == "take-lines":
            taken |= set(range(int(details.get("first") or 0), int(details.get("lines") or 0) + 1))
        if isinstance(details.get("fact"), int):
            told[details["fact"]] = row
        elif row.kind in WRITTEN_BY.values():
            yield f"decision {row.number} ({row}) names no line"
    lines = Fact.objects.filter(federation=federation, kind__in=WRITTEN_BY).order_by("number")
    for number, kind, subject, on in lines.values_list("number", "kind", "subject", "on"):
        written = told.pop(number, None)
        if written is None:
            if number > imported and number not in taken:
                yield f"line {number} ({kind} {subject}): no decision wrote it"
            continue
        abouts = {"list": f"list {on}", **{each: f"{what} {subject}" for each, what in _ABOUT.items()}}
        if written.kind != (WRITTEN_BY[kind] or written.kind) or written.about != abouts.get(
            kind, written.about
        ):
            yield f"decision {written.number} ({written}) wrote line {number}, which is of {kind} {subject}"
    for number, row in told.items():
        yield f"decision {row.number} ({row}) wrote line {number}, which is not there"
