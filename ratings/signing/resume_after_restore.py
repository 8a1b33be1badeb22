"""Lets a restored office go on: the newest checkpoint that anybody has tells what was signed since."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, bridge, decide, lock_ledger
from players.office.models import Decision, Federation, Ledger
from ratings.proof.log import checkpoints, signed_notes
from ratings.proof.log.signed_notes import NoteError
from ratings.signing import keys
from ratings.signing.journal_tree import RootHashes
from ratings.signing.models import Checkpoint, LogKey
from ratings.signing.sign_journal_and_change_keys import kept_head, newest_key, refuse_unless_continued


def note_in(path: Path) -> str:
    """The checkpoint in a file, which holds it alone or is a list's JSON file; line ends and marks that
    editors add are forgiven.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").rstrip("\n") + "\n"
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {error}") from None
    if not text.startswith("{"):
        return text
    try:
        return str(json.loads(text)["checkpoint"] or "")
    except (ValueError, KeyError):
        raise Refused(_("%(file)s is neither a checkpoint nor a list's file.") % {"file": path}) from None


def resume(*, federation: Federation, note: str, on: date, at: datetime) -> Checkpoint:
    """Let a restored office decide and sign again, by the newest checkpoint (`note`) that anybody has of its
    log.

    The checkpoint is kept beside the database even where it is refused, so that nothing is signed against it.
    Raises `Refused` where it is not this log's, is older than one that is known, or signs lines that are not
    here.
    """
    keep_newest(federation, note)
    return go_on(federation=federation, note=note, on=on, at=at, kind="resume")


@transaction.atomic
def go_on(
    *, federation: Federation, note: str, on: date, at: datetime, kind: str, **details: Any
) -> Checkpoint:
    """End the hold on a restored office whose journal has all that the checkpoint `note` signs; the record of
    decisions goes on from the decision signed there. `kind`, `details`: of the decision that records this.
    """
    lock_ledger(federation)
    key, head, ours = signed_by_us(federation, note)
    refuse_unless_continued(federation, head)
    lost = _lost_decisions(federation, head)
    Ledger.objects.filter(federation=federation).update(held=False)
    about = f"log {key.origin}"[:120]
    details = {**details, "lines": head.size}
    if lost:
        bridge(federation, kind=kind, on=on, about=about, lost=lost, **details)
    else:
        decide(federation, kind=kind, by=None, on=on, about=about, **details)
    return _stored(federation, key, head, ours, at)


def signed_by_us(
    federation: Federation, note: str
) -> tuple[LogKey, checkpoints.Checkpoint, signed_notes.SignedNote]:
    """Check that a checkpoint is signed by a key of ours: returns the key, the parsed head, and the note
    without others' signatures. Raises `Refused`.
    """
    newest = newest_key(federation)
    if newest is None:
        raise Refused(_("This office has signed nothing yet."))
    known = list(LogKey.objects.filter(federation=federation, origin=newest.origin).order_by("-number"))
    try:
        parsed = signed_notes.parse_note(note)
        head = checkpoints.parse_text(parsed.text)
        by = signed_notes.verify(parsed, [each.key for each in known])
    except NoteError as wrong:
        raise Refused(
            _(
                "That is no checkpoint of %(origin)s by a key that is known here (%(wrong)s). If the log got "
                "another key or origin after the backup, it cannot go on: begin a new origin."
            )
            % {"origin": newest.origin, "wrong": wrong}
        ) from None
    ours = tuple(each for each in parsed.signatures if any(each.made_by(key) for key in by))
    key = next(each for each in known if each.key in by)
    return key, head, signed_notes.SignedNote(parsed.text, ours)


def keep_newest(federation: Federation, note: str) -> checkpoints.Checkpoint:
    """Keep a checkpoint in the file beside the database; `Refused` if a larger one is known anywhere here."""
    _key, head, ours = signed_by_us(federation, note)
    newest = newest_key(federation)
    kept = newest and kept_head(federation, newest)
    stored = Checkpoint.objects.of(federation).filter(key__origin=head.origin).newest_first().first()
    known = max([0, *([kept.size] if kept else []), *([stored.size] if stored else [])])
    if head.size < known:
        raise Refused(
            _("That checkpoint is of %(size)s lines, and one of %(known)s is known: it is not the newest.")
            % {"size": head.size, "known": known}
        )
    keys.keep_checkpoint(federation, str(ours))
    return head


def _lost_decisions(federation: Federation, head: checkpoints.Checkpoint) -> tuple[int, str] | None:
    """Number and hash of the newest decision that the checkpoint signs, if the restored record lacks it; None
    if it is here. Raises `Refused` if another decision stands under its number.
    """
    if head.decisions is None:
        return None
    number, hash_ = head.decisions
    here = (
        Decision.objects.filter(federation=federation, number=number).values_list("hash", flat=True).first()
    )
    if here is None:
        return number, hash_
    if here != hash_:
        raise Refused(
            _(
                "Decision %(number)s is not the one that was signed: something was decided here since. "
                "Restore the backup again, or begin a new origin."
            )
            % {"number": number}
        )
    return None


def _stored(
    federation: Federation,
    key: LogKey,
    head: checkpoints.Checkpoint,
    note: signed_notes.SignedNote,
    at: datetime,
) -> Checkpoint:
    """The database's row of the checkpoint: the one that the backup had, else a new one."""
    signed = Checkpoint.objects.of(federation)
    for each in signed.filter(size=head.size):
        if signed_notes.parse_note(each.note).text == note.text:
            return each
    last = signed.order_by("-number").values_list("number", flat=True).first() or 0
    edge = RootHashes(federation, head.size).edge(head.size)
    return Checkpoint.objects.create(
        federation=federation, number=last + 1, key=key, size=head.size, note=str(note), edge=edge, at=at
    )
