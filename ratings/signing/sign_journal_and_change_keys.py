"""Signs the journal: after each list, once a day, for a new key; and never two histories.

Only committed lines are signed, and no fold waits for it: if a worker is killed between the two, the next
sweep does the work. The newest checkpoint goes to a file before it goes to the database, so whatever database
is restored, nothing is signed that does not continue it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Decision, Federation, Ledger, User
from ratings.journal.models import Fact
from ratings.lists.models import RatingList
from ratings.proof.log import checkpoints, signed_notes
from ratings.proof.log.signed_notes import NoteError, Signer
from ratings.signing import keys
from ratings.signing.journal_tree import RootHashes, grow
from ratings.signing.models import Checkpoint, Cosignature, LogKey

LISTS = ("list", "revised")
"""Kinds of lines that publish lists; the journal is signed up to and including each of them."""


# ---------------------------------------------------------------- what is signed, and when


def sign_due(federation: Federation, *, at: datetime, whole: bool = False) -> list[Checkpoint]:
    """Sign each published list, and once a day the lines added since; with `whole` those of a day that was
    signed already too. `at`: the present time.

    Makes the first key of an office that has none. Raises `Refused`, with what to do, where nothing may be
    signed.
    """
    lines = _lines(federation)
    if not lines:
        return []
    key = newest_key(federation) or begin_log(federation, at=at)
    sizes = due(federation, key, at, whole=whole)
    if not sizes:
        return []
    signer = _signer(federation, key)
    refuse_another_history(federation, key)
    _grow(federation, sizes[-1])
    return _sign(federation, key, [signer], at=at, upto=sizes[-1], whole=whole)


def due(federation: Federation, key: LogKey, at: datetime, *, whole: bool = False) -> list[int]:
    """The sizes of the journal (numbers of lines) to sign now, ascending: at each list not signed yet, and
    the whole once a day or where it is asked for.
    """
    signed = Checkpoint.objects.of(federation)
    lists = Fact.objects.of_kinds(federation, *LISTS)
    sizes = set(lists.exclude(number__in=signed.values("size")).values_list("number", flat=True))
    newest = signed.filter(key__origin=key.origin).newest_first().first()
    lines = _lines(federation)
    if newest is None or (
        newest.size < lines and (whole or _day(federation, newest.at) < _day(federation, at))
    ):
        sizes.add(lines)
    return sorted(sizes)


def _lines(federation: Federation) -> int:
    facts: int = Ledger.objects.values_list("facts", flat=True).get(federation=federation)
    return facts


def _day(federation: Federation, at: datetime) -> date:
    return at.astimezone(ZoneInfo(federation.equipment.office.time_zone)).date()


@transaction.atomic
def _sign(
    federation: Federation,
    key: LogKey,
    signers: list[Signer],
    *,
    at: datetime,
    upto: int,
    sizes: Iterable[int] = (),
    whole: bool = False,
) -> list[Checkpoint]:
    """Sign the journal at `sizes`, else at those that are due (`whole`), under a lock: two workers sign once.
    `upto`: the size up to which tiles are stored.
    """
    lock_ledger(federation)
    wanted = list(sizes) or [size for size in due(federation, key, at, whole=whole) if size <= upto]
    if not wanted:
        return []
    heads = RootHashes(federation, upto)
    last = Checkpoint.objects.of(federation).order_by("-number").values_list("number", flat=True).first() or 0
    extensions, at = _extensions(federation), _no_earlier(federation, wanted, at)
    made = []
    for number, size in enumerate(wanted, start=last + 1):
        head = checkpoints.Checkpoint(key.origin, size, heads.root(size), extensions)
        note, edge = str(head.signed(*signers)), heads.edge(size)
        made.append(
            Checkpoint(federation=federation, number=number, key=key, size=size, note=note, edge=edge, at=at)
        )
    _keep_outside(federation, key, made)
    _count(federation)
    return Checkpoint.objects.bulk_create(made, batch_size=500)


def _no_earlier(federation: Federation, sizes: list[int], at: datetime) -> datetime:
    """Return `at`, or the later hour of the last checkpoint or of a list that is signed: whoever waited for
    the lock read the clock before somebody else signed.
    """
    signed = Checkpoint.objects.of(federation).aggregate(last=Max("at"))["last"]
    lists = RatingList.objects.filter(federation=federation, fact__number__in=sizes)
    published = lists.aggregate(last=Max("published_at"))["last"]
    return max(at, signed or at, published or at)


def _count(federation: Federation) -> None:
    """Count a signing on the ledger: cached pages that show checkpoints are then made anew."""
    Ledger.objects.filter(federation=federation).update(signed=F("signed") + 1)


def _keep_outside(federation: Federation, key: LogKey, made: list[Checkpoint]) -> None:
    """Write the largest of the new checkpoints to the file beside the database, before it is stored: others
    may know it, whatever becomes of the database.
    """
    newest = max(made, key=lambda each: each.size)
    kept = kept_head(federation, key)
    if kept is None:
        keys.lay_aside(federation)
    if kept is None or kept.size <= newest.size:
        keys.keep_checkpoint(federation, newest.note)


def _extensions(federation: Federation) -> tuple[str, ...]:
    newest = Decision.objects.filter(federation=federation).order_by("-number").first()
    return (checkpoints.decisions_line(newest.number, newest.hash),) if newest and newest.hash else ()


# ---------------------------------------------------------------- one history


def refuse_another_history(federation: Federation, key: LogKey) -> None:
    """Raise `Refused` unless the journal continues all that was signed before, by the database or by the file
    beside it; also while the office, restored from a backup, waits to be told what was signed since.
    """
    if Ledger.objects.filter(federation=federation, held=True).exists():
        words = _(
            "This office was put back from a backup: nothing is signed until the newest checkpoint that "
            "anybody has says what was signed since (manage.py log %(code)s resume CHECKPOINT)."
        )
        raise Refused(words % {"code": federation.code})
    for head in _signed_before(federation, key):
        refuse_unless_continued(federation, head)


def refuse_unless_continued(federation: Federation, head: checkpoints.Checkpoint) -> None:
    """Raise `Refused` unless the journal begins with the very lines that this checkpoint signs."""
    lines = _lines(federation)
    if head.size > lines:
        words = _("The journal has %(lines)s lines, but %(size)s were signed.")
        raise Refused(f"{words % {'lines': lines, 'size': head.size}} {_what_to_do(federation)}")
    with transaction.atomic():  # tiles of another history are rolled back
        _grow(federation, head.size)
        if RootHashes(federation, head.size).root(head.size) != head.root:
            words = _("The first %(size)s lines of the journal are not those that were signed.")
            raise Refused(f"{words % {'size': head.size}} {_what_to_do(federation)}")


def _what_to_do(federation: Federation) -> str:
    words = _(
        "Nothing is signed until the missing lines are taken back from a public copy (manage.py take_lines "
        "%(code)s), or a new origin begins with a reason (manage.py log %(code)s new-origin)."
    )
    return words % {"code": federation.code}


def _grow(federation: Federation, size: int) -> None:
    try:
        grow(federation, size)
    except ValueError:
        words = _("Lines are missing among the first %(size)s of the journal.")
        raise Refused(f"{words % {'size': size}} {_what_to_do(federation)}") from None


def _signed_before(federation: Federation, key: LogKey) -> list[checkpoints.Checkpoint]:
    found = [kept_head(federation, key)]
    stored = Checkpoint.objects.of(federation).filter(key__origin=key.origin).newest_first().first()
    if stored:
        found.append(stored.head)
    return [head for head in found if head is not None]


def kept_head(federation: Federation, key: LogKey) -> checkpoints.Checkpoint | None:
    """The checkpoint in the file beside the database, if it is of this key's log; else None."""
    text = keys.kept_checkpoint(federation)
    if text is None:
        return None
    try:
        head = checkpoints.read_checkpoint(text)
    except NoteError as wrong:
        raise Refused(
            _("%(file)s holds no checkpoint: %(wrong)s")
            % {"file": keys.checkpoint_file(federation), "wrong": wrong}
        ) from None
    return head if head.origin == key.origin else None


# ---------------------------------------------------------------- keys and origins


def newest_key(federation: Federation) -> LogKey | None:
    return LogKey.objects.filter(federation=federation).order_by("-number").first()


def origin_of(federation: Federation) -> str:
    """The log's name (origin) in its checkpoints: that of the newest key, else the one to begin with."""
    key = newest_key(federation)
    return key.origin if key else default_origin(federation)


def default_origin(federation: Federation) -> str:
    """The log's name before there is a key: from the settings, else site host and journal address."""
    return str(federation.settings.get("origin") or f"{settings.SITE_HOST}/{federation.code}/journal")


@transaction.atomic
def begin_log(federation: Federation, *, at: datetime) -> LogKey:
    """Make the first key of an office that has none. A key file that is there already is taken over with its
    origin, so that its log goes on; a demo's is made anew.
    """
    lock_ledger(federation)
    if known := newest_key(federation):
        return known
    signer = keys.signer_of(federation)
    if signer is None or federation.demo:
        keys.lay_aside(federation)
        signer = keys.new_signer(default_origin(federation))
        keys.keep_signer(keys.key_file(federation), signer)
    return LogKey.objects.create(
        federation=federation, number=1, origin=signer.name, vkey=str(signer.key), at=at
    )


def _signer(federation: Federation, key: LogKey) -> Signer:
    signer = keys.take_up_key(federation, key.vkey)
    if signer is None:
        words = _("The private key of %(origin)s is not in %(file)s.")
        told = words % {"origin": key.origin, "file": keys.key_file(federation)}
        raise Refused(f"{told} {_what_to_do(federation)}")
    return signer


@transaction.atomic
def change_key(*, federation: Federation, by: User | None, on: date, at: datetime) -> Checkpoint:
    """Begin a new key for the same log; the checkpoint returned is signed by both keys, to announce it."""
    lock_ledger(federation)
    old = newest_key(federation) or begin_log(federation, at=at)
    if not _lines(federation):
        raise Refused(_("The journal is empty: there is nothing to sign with two keys yet."))
    signer = _signer(federation, old)
    refuse_another_history(federation, old)
    successor = keys.new_signer(old.origin)
    keys.keep_signer(keys.next_key_file(federation), successor)
    key = _add_key(federation, old.number + 1, successor, at=at)
    decide(federation, kind="change-key", by=by, on=on, about=f"log {old.origin}", vkey=key.vkey)
    lines = _lines(federation)
    _grow(federation, lines)
    [checkpoint] = _sign(federation, key, [signer, successor], at=at, upto=lines, sizes=[lines])
    transaction.on_commit(lambda: keys.take_up_key(federation, key.vkey))
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
    old = newest_key(federation)
    if old is None:
        raise Refused(_("This office has signed nothing yet: its first origin begins by itself."))
    name = origin or _next_origin(federation)
    used = LogKey.objects.filter(federation=federation, origin=name)
    if used.exists() or not signed_notes.is_name(name):
        raise Refused(
            _("“%(origin)s” cannot be the new origin: a name never used here, without spaces and plus signs.")
            % {"origin": name}
        )
    successor = keys.new_signer(name)
    keys.keep_signer(keys.next_key_file(federation), successor)
    key = _add_key(federation, old.number + 1, successor, at=at, reason=reason.strip())
    about = f"log {name}"[:120]
    decide(federation, kind="begin-origin", by=by, on=on, about=about, vkey=key.vkey, reason=reason.strip())
    Ledger.objects.filter(federation=federation).update(held=False)
    transaction.on_commit(lambda: keys.take_up_key(federation, key.vkey))
    return key


def _next_origin(federation: Federation) -> str:
    """The name of the next log: the first one's with a further number; after a restore, which may have lost a
    number, with the moment of the restore.
    """
    first = LogKey.objects.filter(federation=federation).order_by("number").values_list("origin", flat=True)
    if restored := Ledger.objects.get(federation=federation).restored_at:
        return f"{first[0]}/{restored:%Y-%m-%dT%H%M%S}"
    origins = LogKey.objects.filter(federation=federation).values("origin").distinct().count()
    return f"{first[0]}/{origins + 1}"


def _add_key(
    federation: Federation, number: int, signer: Signer, *, at: datetime, reason: str = ""
) -> LogKey:
    return LogKey.objects.create(
        federation=federation,
        number=number,
        origin=signer.name,
        vkey=str(signer.key),
        reason=reason,
        at=at,
    )


# ---------------------------------------------------------------- witnesses


@transaction.atomic
def take_cosignature(
    *, federation: Federation, note: str, vkey: str, by: User | None, on: date, at: datetime
) -> Cosignature:
    """Store the signature of a witness with key `vkey` under one of our checkpoints; `note`: that checkpoint
    as the witness gave it back.

    Raises `Refused` where the checkpoint is not ours or the signature is not by that key.
    """
    lock_ledger(federation)
    try:
        key, signed = signed_notes.parse_key(vkey), signed_notes.parse_note(note)
        head = checkpoints.parse_text(signed.text)
        ours = [
            each
            for each in Checkpoint.objects.of(federation).filter(size=head.size)
            if signed_notes.parse_note(each.note).text == signed.text
        ]
        if not ours:
            raise NoteError(_("this office did not sign that checkpoint"))
        signed_notes.verify(signed, [key])
    except NoteError as wrong:
        raise Refused(_("Not taken: %(wrong)s.") % {"wrong": wrong}) from None
    line = next(each.line for each in signed.signatures if each.made_by(key))
    if Cosignature.objects.filter(checkpoint=ours[0], line=line).exists():
        raise Refused(_("This cosignature is here already."))
    taken = Cosignature.objects.create(checkpoint=ours[0], vkey=vkey, line=line, at=at)
    _count(federation)
    about = f"checkpoint {ours[0].number}"
    decide(federation, kind="take-cosignature", by=by, on=on, about=about, vkey=vkey, line=line)
    return taken
