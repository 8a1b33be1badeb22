"""Checks the record of decisions: its chain against the signed heads, its words, and decisions against the
lines that they wrote, both ways. Each difference names its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from players.office import record_chain_and_sealed_words
from players.office.decision_record import HEAD, LOST, SETTLING
from players.office.models import Decision, Federation, Ledger
from ratings.journal.models import Fact
from ratings.proof.log.signed_notes import NoteError
from ratings.signing.models import Checkpoint

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


def chained(federation: Federation, signed: Sequence[Checkpoint]) -> Iterator[str]:
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
        yield from _words(row, withdrawn)
    counted = Ledger.objects.get(federation=federation).decisions
    if count < max([counted, *heads]):
        yield gap("decision", count + 1, max([counted, *heads]))
    if count > counted:
        yield f"the record goes up to decision {count}, the ledger counts {counted}"


def signed_heads(signed: Sequence[Checkpoint]) -> dict[int, Head]:
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


def _bridges(row: Decision, count: int, signed: Sequence[Checkpoint]) -> bool:
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


def _words(row: Decision, withdrawn: set[str]) -> Iterator[str]:
    words = {each.key: each for each in row.words.all()}
    for key, value in row.sealed_details.items():
        if not record_chain_and_sealed_words.is_sealed(value):
            continue
        there = words.pop(key, None)
        if there is None:
            if f"decision {row.number}" not in withdrawn:
                yield f"decision {row.number}: its words ({key}) are missing, and no decision withdrew them"
        elif not _opens(there.salt, there.value, value[record_chain_and_sealed_words.SEALED]):
            yield f"decision {row.number}: its words ({key}) are not those that were sealed"
    for key in words:
        yield f"decision {row.number}: words ({key}) that it does not have"


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
    lines = Fact.objects.filter(federation=federation, kind__in=WRITTEN_BY).order_by("number")
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
    signed = Checkpoint.objects.of(federation)
    by = signed.filter(size=lines.stop - 1).order_by("number").values_list("number", flat=True).first()
    return by is None or signed.filter(number__lt=by, size__gte=lines.start).exists()


def _number(details: dict[str, Any], key: str) -> int:
    """A number in a decision's details; 0 where there is none."""
    value = details.get(key)
    return value if isinstance(value, int) else 0
