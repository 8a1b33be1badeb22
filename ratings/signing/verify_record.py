"""Checks everything that `verify` compares besides the ratings: the record's chain, lines, tiles,
checkpoints, keys, and decisions with the lines that they wrote. Each difference names its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from players.office.models import Decision, Federation, Ledger
from ratings.journal.models import Fact
from ratings.lists.models import RatingList
from ratings.proof.log import merkle_tree, signed_notes, tiles
from ratings.proof.log.signed_notes import NoteError
from ratings.signing import keys, verify_decisions
from ratings.signing.models import Checkpoint, LogKey, TreeTile
from ratings.signing.verify_decisions import gap

AN_HOUR = timedelta(hours=1)
"""The most by which the clocks of two machines may differ."""


def differences(federation: Federation) -> Iterator[Iterable[str]]:
    """The disagreements of each kind of row; altered rows come before those that follow from them. Read each
    kind to its end before the next.
    """
    signed = list(Checkpoint.objects.of(federation).select_related("key").prefetch_related("cosignatures"))
    lines = Lines(federation)
    yield lines.differences()
    yield verify_decisions.chained(federation, signed)
    yield _keys(federation)
    yield _checkpoints(federation, signed)
    yield lines.against(signed)
    yield _outside(federation, signed)
    yield _lists(federation, signed)
    yield verify_decisions.written(federation)


# ---------------------------------------------------------------- lines and tiles


@dataclass
class Lines:
    """The hash tree of the journal's stored lines, to compare with stored tiles and signed checkpoints."""

    federation: Federation
    tree: merkle_tree.Tree = field(default_factory=merkle_tree.Tree)
    named: set[int] = field(default_factory=set)

    def differences(self) -> Iterator[str]:
        rows = Fact.objects.filter(federation=self.federation).order_by("number")
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
            self.tree.append(merkle_tree.leaf_hash(merkle_tree.entry_of(line)))
        if self.tree.size != ledger.facts:
            yield f"the journal has {self.tree.size} lines, the ledger counts {ledger.facts}"
        if ledger.line > ledger.facts or rows.filter(number__gt=ledger.line).exclude(folded="").exists():
            yield f"the fold has come to another line than {ledger.line}, as the ledger says"
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


# ---------------------------------------------------------------- lists


def _lists(federation: Federation, signed: list[Checkpoint]) -> Iterator[str]:
    sizes = {each.size for each in signed}
    newest = max(sizes, default=0)
    lists = RatingList.objects.filter(federation=federation, fact__number__lte=newest)
    for rating_list in lists.exclude(fact__number__in=sizes).defer("content").select_related("fact"):
        yield f"list {rating_list}: the checkpoint over {rating_list.fact.number} lines is missing"
