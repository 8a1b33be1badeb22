"""The office's side of the journal's public log: the tiles of its hash tree, secret keys, checkpoints and
their signing, the signatures of witnesses, and how a restored office goes on after what was signed last.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from players.models import Decision, Federation, Ledger, User
from players.record import Refused, bridge, decide, lock_ledger
from players.writing import atomic_file
from ratings import transparency_log
from ratings.models import Checkpoint, Cosignature, Fact, LogKey, RatingList, TreeTile
from ratings.transparency_log import WIDTH, NoteError, Signer, Tile, TileReader

# ---- The journal as a hash tree: full tiles are stored, partial ones computed
_TILES_BATCH = 32
"""The number of tiles that one transaction writes."""


def list_entries(federation: Federation, start: int, end: int) -> Iterator[bytes]:
    """Yield the log's entries for the journal's lines after `start` up to `end`."""
    lines = Fact.objects.filter(federation=federation, number__gt=start, number__lte=end).order_by("number")
    for line in lines.values_list("line", flat=True).iterator(chunk_size=2_000):
        yield transparency_log.log_entry(line)


def store_full_tiles(federation: Federation, size: int) -> None:
    """Store every tile that is full in a tree of `size` and not stored yet, lowest level first."""
    level = 0
    while full := size >> (transparency_log.HEIGHT * (level + 1)):
        stored = _count_stored_tiles(federation, level)
        while stored < full:
            upto = min(stored + _TILES_BATCH, full)
            _store_level(federation, level, range(stored, upto))
            stored = upto
        level += 1


def _count_stored_tiles(federation: Federation, level: int) -> int:
    newest = TreeTile.objects.filter(federation=federation, level=level).order_by("-index")
    last = newest.values_list("index", flat=True).first()
    return 0 if last is None else last + 1


def _store_level(federation: Federation, level: int, indexes: range) -> None:
    """Store these tiles of a level, except those that another worker stored meanwhile."""
    rows = []
    for index in indexes:
        content = compute_tile(federation, Tile(level, index))
        root = transparency_log.tile_root(content)
        rows.append(TreeTile(federation=federation, level=level, index=index, content=content, root=root))
    with transaction.atomic():
        lock_ledger(federation)
        stored = _count_stored_tiles(federation, level)
        TreeTile.objects.bulk_create(row for row in rows if row.index >= stored)


def compute_tile(federation: Federation, tile: Tile) -> bytes:
    """Compute the hashes of a tile: from the journal's lines at level 0, else from the tiles below."""
    start = tile.index * WIDTH
    if tile.level == 0:
        return b"".join(map(transparency_log.leaf_hash, list_entries(federation, start, start + tile.width)))
    below = TreeTile.objects.filter(
        federation=federation, level=tile.level - 1, index__gte=start, index__lt=start + tile.width
    )
    return b"".join(bytes(root) for root in below.order_by("index").values_list("root", flat=True))


def get_tile_content(federation: Federation, tile: Tile) -> bytes:
    """The bytes of a tile or bundle as the public log serves it, computed unless a full one is stored."""
    if tile.level == transparency_log.ENTRIES_LEVEL:
        start = tile.index * WIDTH
        return transparency_log.pack_bundle(list_entries(federation, start, start + tile.width))
    if tile.full:
        stored = TreeTile.objects.filter(federation=federation, level=tile.level, index=tile.index)
        if (content := stored.values_list("content", flat=True).first()) is not None:
            return bytes(content)
    return compute_tile(federation, tile)


class RootHashes:
    """Computes root hashes of the journal at several sizes up to `size`, and proofs that one continues
    another, reading each tile only once.
    """

    def __init__(self, federation: Federation, size: int) -> None:
        self.federation, self.size = federation, size
        self._reader = TileReader(lambda tile: get_tile_content(federation, tile), size)

    def root(self, size: int) -> bytes:
        return transparency_log.tree_root(self._reader.node, size)

    def consistency_proof(self, old: int, size: int) -> list[bytes]:
        return transparency_log.consistency_proof(self._reader.node, old, size)

    def edge(self, size: int) -> bytes:
        """The hashes of lines after the last full tile of a tree of `size`, which checkpoints keep."""
        first = size - size % WIDTH
        return b"".join(self._reader.node(0, index) for index in range(first, size))


# ---- Secret keys and the newest checkpoint, as files that the worker alone reads
#
# CODE.key: the private key that signs (0600), in the text form of Go's `note` package.
# CODE.next.key: its successor, while the change is being written to the database.
# CODE.checkpoint: the newest checkpoint that was signed, whatever database is restored.
def key_file(federation: Federation) -> Path:
    return Path(settings.KEYS_DIR, f"{federation.code}.key")


def next_key_file(federation: Federation) -> Path:
    return Path(settings.KEYS_DIR, f"{federation.code}.next.key")


def checkpoint_file(federation: Federation) -> Path:
    return Path(settings.KEYS_DIR, f"{federation.code}.checkpoint")


def new_signer(name: str) -> Signer:
    return Signer(name, secrets.token_bytes(32))


def find_signer(federation: Federation) -> Signer | None:
    """The office's private key from its file, or None without one. Raises `NoteError` for a bad file."""
    path = key_file(federation)
    return transparency_log.parse_signer(path.read_text()) if path.exists() else None


def save_signer(path: Path, signer: Signer) -> None:
    write_private_file(path, f"{signer.secret()}\n")


def activate_key(federation: Federation, vkey: str) -> Signer | None:
    """Make the private key that belongs to the verifier key `vkey` the one in use, and return it; None if
    this machine has not got it. If it is still the successor in `CODE.next.key`, because a change of keys has
    just been written to the database or was cut off there, that file becomes `CODE.key`.
    """
    successor = next_key_file(federation)
    if successor.exists() and str(transparency_log.parse_signer(successor.read_text()).key) == vkey:
        os.replace(successor, key_file(federation))
    signer = find_signer(federation)
    return signer if signer is not None and str(signer.key) == vkey else None


def read_kept_checkpoint(federation: Federation) -> str | None:
    """The newest checkpoint in the file beside the database, as text, or None if there is no file."""
    path = checkpoint_file(federation)
    return path.read_text(encoding="utf-8") if path.exists() else None


def write_checkpoint_file(federation: Federation, note: str) -> None:
    write_private_file(checkpoint_file(federation), note)


def set_checkpoint_aside(federation: Federation) -> None:
    """Rename the file with a checkpoint of a log that ended, so that it stays as evidence and makes room."""
    path = checkpoint_file(federation)
    if path.exists():
        mark = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        os.replace(path, path.with_name(f"{federation.code}.{mark}.checkpoint"))


def write_private_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, on the disk before this returns, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with atomic_file(path) as file:
        file.write(text.encode())


# ---- Signing the journal after each list, once a day, and for a new key; never two histories
#
# Only committed lines are signed, and no fold waits for it: if a worker is killed between the two, the next
# sweep does the work. The newest checkpoint goes to a file before it goes to the database, so whatever
# database is restored, nothing is signed that does not continue it.
LIST_KINDS = ("list", "revised")
"""Kinds of lines that publish lists; the journal is signed up to and including each of them."""


def sign_due_checkpoints(
    federation: Federation, *, at: datetime, all_lines: bool = False
) -> list[Checkpoint]:
    """Sign each published list, and once a day the lines added since; with `whole` also those of a day that
    was signed already. `at`: the present time. Makes the first key of an office that has none. Raises
    `Refused`, with what to do, where nothing may be signed.
    """
    lines = _count_lines(federation)
    if not lines:
        return []
    key = find_newest_key(federation) or get_or_create_first_key(federation, at=at)
    sizes = get_due_sizes(federation, key, at, all_lines=all_lines)
    if not sizes:
        return []
    signer = _require_signer(federation, key)
    refuse_another_history(federation, key)
    _store_tiles(federation, sizes[-1])
    return _sign_sizes(federation, key, [signer], at=at, upto=sizes[-1], whole=all_lines)


def get_due_sizes(federation: Federation, key: LogKey, at: datetime, *, all_lines: bool = False) -> list[int]:
    """The sizes to sign now, ascending: unsigned lists, and all lines once a day or if `whole`."""
    signed = Checkpoint.objects.of(federation)
    lists = Fact.objects.of_kinds(federation, *LIST_KINDS)
    sizes = set(lists.exclude(number__in=signed.values("size")).values_list("number", flat=True))
    newest = signed.filter(key__origin=key.origin).newest_first().first()
    lines = _count_lines(federation)
    if newest is None or (
        newest.size < lines and (all_lines or _day(federation, newest.at) < _day(federation, at))
    ):
        sizes.add(lines)
    return sorted(sizes)


def _count_lines(federation: Federation) -> int:
    facts: int = Ledger.objects.values_list("facts", flat=True).get(federation=federation)
    return facts


def _day(federation: Federation, at: datetime) -> date:
    return at.astimezone(ZoneInfo(federation.equipment.office.time_zone)).date()


@transaction.atomic
def _sign_sizes(
    federation: Federation,
    key: LogKey,
    signers: list[Signer],
    *,
    at: datetime,
    upto: int,
    sizes: Iterable[int] = (),
    whole: bool = False,
) -> list[Checkpoint]:
    """Sign the journal at `sizes`, else where it is due, under a lock. Tiles are stored up to `upto`."""
    lock_ledger(federation)
    wanted = list(sizes) or [
        size for size in get_due_sizes(federation, key, at, all_lines=whole) if size <= upto
    ]
    if not wanted:
        return []
    heads = RootHashes(federation, upto)
    last = Checkpoint.objects.of(federation).order_by("-number").values_list("number", flat=True).first() or 0
    # The hour is not before the last checkpoint's, nor that of a list that is signed: whoever waited for the
    # lock read the clock before somebody else signed.
    signed = Checkpoint.objects.of(federation).aggregate(last=Max("at"))["last"]
    lists = RatingList.objects.filter(federation=federation, fact__number__in=wanted)
    published = lists.aggregate(last=Max("published_at"))["last"]
    extensions, at = _extensions(federation), max(at, signed or at, published or at)
    made = []
    for number, size in enumerate(wanted, start=last + 1):
        head = transparency_log.Checkpoint(key.origin, size, heads.root(size), extensions)
        note, edge = str(head.signed(*signers)), heads.edge(size)
        row = Checkpoint(
            federation=federation, number=number, key=key, size=size, note=note, edge=edge, at=at
        )
        made.append(row)
    # The largest of the new checkpoints goes to the file beside the database before it is stored: others may
    # know it, whatever becomes of the database.
    newest = max(made, key=lambda each: each.size)
    kept = find_kept_head(federation, key)
    if kept is None:
        set_checkpoint_aside(federation)
    if kept is None or kept.size <= newest.size:
        write_checkpoint_file(federation, newest.note)
    _count_signing(federation)
    return Checkpoint.objects.bulk_create(made, batch_size=500)


def _count_signing(federation: Federation) -> None:
    """Count a signing on the ledger, so that cached pages that show checkpoints are rendered again."""
    Ledger.objects.filter(federation=federation).update(signed=F("signed") + 1)


def _extensions(federation: Federation) -> tuple[str, ...]:
    newest = Decision.objects.filter(federation=federation).order_by("-number").first()
    return (transparency_log.decisions_line(newest.number, newest.hash),) if newest and newest.hash else ()


# ---- One history
def refuse_another_history(federation: Federation, key: LogKey) -> None:
    """Raise `Refused` unless the journal continues all that was signed before, by the database or by the file
    beside it; also while the office, restored from a backup, waits for `resume_restored_office`.
    """
    if Ledger.objects.filter(federation=federation, held=True).exists():
        words = _(
            "This office was put back from a backup: nothing is signed until the newest checkpoint that "
            "anybody has says what was signed since (manage.py log %(code)s resume CHECKPOINT)."
        )
        raise Refused(words % {"code": federation.code})
    kept = find_kept_head(federation, key)
    stored = Checkpoint.objects.of(federation).filter(key__origin=key.origin).newest_first().first()
    for head in (kept, stored.head if stored else None):
        if head is not None:
            refuse_unless_continued(federation, head)


def refuse_unless_continued(federation: Federation, head: transparency_log.Checkpoint) -> None:
    """Raise `Refused` unless the journal begins with the lines that this checkpoint signs."""
    lines = _count_lines(federation)
    if head.size > lines:
        words = _("The journal has %(lines)s lines, but %(size)s were signed.")
        raise Refused(f"{words % {'lines': lines, 'size': head.size}} {_advice(federation)}")
    with transaction.atomic():  # tiles of another history are rolled back
        _store_tiles(federation, head.size)
        if RootHashes(federation, head.size).root(head.size) != head.root:
            words = _("The first %(size)s lines of the journal are not those that were signed.")
            raise Refused(f"{words % {'size': head.size}} {_advice(federation)}")


def _advice(federation: Federation) -> str:
    words = _(
        "Nothing is signed until the missing lines are taken back from a public copy (manage.py take_lines "
        "%(code)s), or a new origin begins with a reason (manage.py log %(code)s new-origin)."
    )
    return words % {"code": federation.code}


def _store_tiles(federation: Federation, size: int) -> None:
    try:
        store_full_tiles(federation, size)
    except ValueError:
        words = _("Lines are missing among the first %(size)s of the journal.")
        raise Refused(f"{words % {'size': size}} {_advice(federation)}") from None


def find_kept_head(federation: Federation, key: LogKey) -> transparency_log.Checkpoint | None:
    """The checkpoint in the file beside the database, if it is of this key's log; else None."""
    text = read_kept_checkpoint(federation)
    if text is None:
        return None
    try:
        head = transparency_log.read_checkpoint(text)
    except NoteError as wrong:
        words = _("%(file)s holds no checkpoint: %(wrong)s")
        raise Refused(words % {"file": checkpoint_file(federation), "wrong": wrong}) from None
    return head if head.origin == key.origin else None


# ---- Keys and origins
def find_newest_key(federation: Federation) -> LogKey | None:
    return LogKey.objects.filter(federation=federation).order_by("-number").first()


def get_origin(federation: Federation) -> str:
    """The log's name (origin) in its checkpoints: that of the newest key, else the one to begin with."""
    key = find_newest_key(federation)
    return key.origin if key else default_origin(federation)


def default_origin(federation: Federation) -> str:
    """The log's name before there is a key: from the settings, else site host and journal address."""
    return str(federation.settings.get("origin") or f"{settings.SITE_HOST}/{federation.code}/journal")


@transaction.atomic
def get_or_create_first_key(federation: Federation, *, at: datetime) -> LogKey:
    """Make an office's first key. An existing key file is taken over, except a demo's."""
    lock_ledger(federation)
    if known := find_newest_key(federation):
        return known
    signer = find_signer(federation)
    if signer is None or federation.demo:
        set_checkpoint_aside(federation)
        signer = new_signer(default_origin(federation))
        save_signer(key_file(federation), signer)
    return _add_key(federation, 1, signer, at=at)


def _require_signer(federation: Federation, key: LogKey) -> Signer:
    signer = activate_key(federation, key.vkey)
    if signer is None:
        words = _("The private key of %(origin)s is not in %(file)s.")
        words %= {"origin": key.origin, "file": key_file(federation)}
        raise Refused(f"{words} {_advice(federation)}")
    return signer


@transaction.atomic
def change_key(*, federation: Federation, by: User | None, on: date, at: datetime) -> Checkpoint:
    """Begin a new key for the same log; the checkpoint returned is signed by both keys, to announce it."""
    lock_ledger(federation)
    old = find_newest_key(federation) or get_or_create_first_key(federation, at=at)
    if not _count_lines(federation):
        raise Refused(_("The journal is empty: there is nothing to sign with two keys yet."))
    signer = _require_signer(federation, old)
    refuse_another_history(federation, old)
    successor = new_signer(old.origin)
    save_signer(next_key_file(federation), successor)
    key = _add_key(federation, old.number + 1, successor, at=at)
    decide(federation, kind="change-key", by=by, on=on, about=f"log {old.origin}", vkey=key.vkey)
    lines = _count_lines(federation)
    _store_tiles(federation, lines)
    [checkpoint] = _sign_sizes(federation, key, [signer, successor], at=at, upto=lines, sizes=[lines])
    transaction.on_commit(lambda: activate_key(federation, key.vkey))
    return checkpoint


@transaction.atomic
def begin_origin(
    *, federation: Federation, reason: str, by: User | None, on: date, at: datetime, origin: str = ""
) -> LogKey:
    """End a log that cannot go on, and begin another under the name `origin` (by default the next number),
    with a new key; `reason` is public. Raises `Refused` where the reason or the name will not do.
    """
    lock_ledger(federation)
    if not reason.strip():
        raise Refused(_("Say why a new origin begins: everybody who kept a checkpoint will ask."))
    old = find_newest_key(federation)
    if old is None:
        raise Refused(_("This office has signed nothing yet: its first origin begins by itself."))
    name = origin or _next_origin(federation)
    used = LogKey.objects.filter(federation=federation, origin=name)
    if used.exists() or not transparency_log.is_valid_name(name):
        words = _(
            "“%(origin)s” cannot be the new origin: a name never used here, without spaces and plus signs."
        )
        raise Refused(words % {"origin": name})
    successor = new_signer(name)
    save_signer(next_key_file(federation), successor)
    key = _add_key(federation, old.number + 1, successor, at=at, reason=reason.strip())
    about = f"log {name}"[:120]
    decide(federation, kind="begin-origin", by=by, on=on, about=about, vkey=key.vkey, reason=reason.strip())
    Ledger.objects.filter(federation=federation).update(held=False)
    transaction.on_commit(lambda: activate_key(federation, key.vkey))
    return key


def _next_origin(federation: Federation) -> str:
    """The name of the next log: numbered, or by the moment of a restore, which may have lost a number."""
    first = LogKey.objects.filter(federation=federation).order_by("number").values_list("origin", flat=True)
    if restored := Ledger.objects.get(federation=federation).restored_at:
        return f"{first[0]}/{restored:%Y-%m-%dT%H%M%S}"
    origins = LogKey.objects.filter(federation=federation).values("origin").distinct().count()
    return f"{first[0]}/{origins + 1}"


def _add_key(
    federation: Federation, number: int, signer: Signer, *, at: datetime, reason: str = ""
) -> LogKey:
    return LogKey.objects.create(
        federation=federation, number=number, origin=signer.name, vkey=str(signer.key), reason=reason, at=at
    )


# ---- Witnesses
@transaction.atomic
def take_cosignature(
    *, federation: Federation, note: str, vkey: str, by: User | None, on: date, at: datetime
) -> Cosignature:
    """Store the signature of a witness with key `vkey` under one of our checkpoints; `note`: that checkpoint
    as the witness gave it back. Raises `Refused` where the checkpoint is not ours or the signature is not by
    that key.
    """
    lock_ledger(federation)
    try:
        key, signed = transparency_log.parse_key(vkey), transparency_log.parse_note(note)
        head = transparency_log.parse_checkpoint(signed.text)
        ours = [
            each
            for each in Checkpoint.objects.of(federation).filter(size=head.size)
            if transparency_log.parse_note(each.note).text == signed.text
        ]
        if not ours:
            raise NoteError(_("this office did not sign that checkpoint"))
        transparency_log.verify_note(signed, [key])
    except NoteError as wrong:
        raise Refused(_("Not taken: %(wrong)s.") % {"wrong": wrong}) from None
    line = next(each.line for each in signed.signatures if each.made_by(key))
    if Cosignature.objects.filter(checkpoint=ours[0], line=line).exists():
        raise Refused(_("This cosignature is here already."))
    taken = Cosignature.objects.create(checkpoint=ours[0], vkey=vkey, line=line, at=at)
    _count_signing(federation)
    about = f"checkpoint {ours[0].number}"
    decide(federation, kind="take-cosignature", by=by, on=on, about=about, vkey=vkey, line=line)
    return taken


# ---- Letting a restored office go on, by the newest checkpoint that anybody has
def load_checkpoint_text(path: Path) -> str:
    """The checkpoint in a file, or in a list's JSON file; editors' line ends and marks do not matter."""
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


def resume_restored_office(*, federation: Federation, note: str, on: date, at: datetime) -> Checkpoint:
    """Let a restored office decide and sign again, by the newest checkpoint (`note`) that anybody has of its
    log.

    The checkpoint is kept beside the database even where it is refused, so that nothing is signed against it.
    Raises `Refused` where it is not this log's, is older than one that is known, or signs lines that are not
    here.
    """
    save_newest_checkpoint(federation, note)
    return end_hold(federation=federation, note=note, on=on, at=at, kind="resume")


@transaction.atomic
def end_hold(
    *, federation: Federation, note: str, on: date, at: datetime, kind: str, **details: Any
) -> Checkpoint:
    """End the hold on a restored office whose journal has all that the checkpoint `note` signs; the record of
    decisions continues from the decision signed there. `kind`, `details`: of the decision that records this.
    """
    lock_ledger(federation)
    key, head, ours = parse_own_checkpoint(federation, note)
    refuse_unless_continued(federation, head)
    lost = _get_lost_decision(federation, head)
    Ledger.objects.filter(federation=federation).update(held=False)
    about = f"log {key.origin}"[:120]
    details = {**details, "lines": head.size}
    if lost:
        bridge(federation, kind=kind, on=on, about=about, lost=lost, **details)
    else:
        decide(federation, kind=kind, by=None, on=on, about=about, **details)
    # The database's row of the checkpoint: the one that the backup had, else a new one.
    signed = Checkpoint.objects.of(federation)
    for each in signed.filter(size=head.size):
        if transparency_log.parse_note(each.note).text == ours.text:
            return each
    last = signed.order_by("-number").values_list("number", flat=True).first() or 0
    edge = RootHashes(federation, head.size).edge(head.size)
    return Checkpoint.objects.create(
        federation=federation, number=last + 1, key=key, size=head.size, note=str(ours), edge=edge, at=at
    )


def parse_own_checkpoint(
    federation: Federation, note: str
) -> tuple[LogKey, transparency_log.Checkpoint, transparency_log.SignedNote]:
    """The key, head and own signatures of a checkpoint of ours. Raises `Refused` for any other."""
    newest = find_newest_key(federation)
    if newest is None:
        raise Refused(_("This office has signed nothing yet."))
    known = list(LogKey.objects.filter(federation=federation, origin=newest.origin).order_by("-number"))
    try:
        parsed = transparency_log.parse_note(note)
        head = transparency_log.parse_checkpoint(parsed.text)
        by = transparency_log.verify_note(parsed, [each.key for each in known])
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
    return key, head, transparency_log.SignedNote(parsed.text, ours)


def save_newest_checkpoint(federation: Federation, note: str) -> transparency_log.Checkpoint:
    """Keep a checkpoint in the file beside the database; raise `Refused` if a larger one is known here."""
    _key, head, ours = parse_own_checkpoint(federation, note)
    newest = find_newest_key(federation)
    kept = newest and find_kept_head(federation, newest)
    stored = Checkpoint.objects.of(federation).filter(key__origin=head.origin).newest_first().first()
    known = max([0, *([kept.size] if kept else []), *([stored.size] if stored else [])])
    if head.size < known:
        words = _(
            "That checkpoint is of %(size)s lines, and one of %(known)s is known: it is not the newest."
        )
        raise Refused(words % {"size": head.size, "known": known})
    write_checkpoint_file(federation, str(ours))
    return head


def _get_lost_decision(federation: Federation, head: transparency_log.Checkpoint) -> tuple[int, str] | None:
    """The newest signed decision, if the record lacks it. Raises `Refused` if another has its number."""
    if head.decisions is None:
        return None
    number, hash_ = head.decisions
    decisions = Decision.objects.filter(federation=federation, number=number)
    here = decisions.values_list("hash", flat=True).first()
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
